// SPDX-License-Identifier: Apache-2.0
// FreeRTOS: the executor's two tasks and its interrupt.
//
// A change of the timecode's pins is an interrupt, and wakes the task of the highest priority,
// which reads them, extends them to 32 bits and fires the ids that are due. So the answer to a step
// takes one interrupt and one switch of tasks, at whatever rate the timecode runs, and no poll can
// come late. A step that comes while the one before is served is served with it; only a whole wrap
// without a read would be lost.
//
// A byte on the serial line is an interrupt too, and goes through a ring to the other task.
#include "FreeRTOS.h"
#include "task.h"

#include "executor.h"
#include "executor_board.h"

enum { TASK_WORDS = 256 };
enum { RING_BYTES = 64, PRIORITY_MESSAGE = 3, PRIORITY_TIMECODE = configMAX_PRIORITIES - 1 };

static TaskHandle_t timecode_task, message_task;

// The interrupt writes at ring_in, the message task reads at ring_out. A byte that finds no room is
// lost, and its message is damaged.
static volatile uint8_t ring[RING_BYTES];
static volatile uint32_t ring_in, ring_out;

void BOARD_INTERRUPT(void) {
  BaseType_t woken = pdFALSE;
  if (board_stepped()) vTaskNotifyGiveFromISR(timecode_task, &woken);
  if (board_serial_waits()) {
    do {
      const uint8_t byte = board_serial_read();
      if (ring_in - ring_out == RING_BYTES) continue;
      ring[ring_in % RING_BYTES] = byte;
      ring_in++;
    } while (board_serial_waits());
    vTaskNotifyGiveFromISR(message_task, &woken);
  }
  portYIELD_FROM_ISR(woken);
}

void fire_code(uint8_t code) { board_fire(code); }

// A Gray code is right whenever it is read. A binary one that is read while it steps may be neither
// count, but two reads in a row that are equal are right.
static uint32_t read_timecode(void) {
  uint32_t pins = board_timecode();
  if (board_timecode_is_gray()) {
    for (uint32_t shift = 1; shift < BOARD_TIMECODE_BITS; shift <<= 1) pins ^= pins >> shift;
    return pins;
  }
  for (uint32_t before = ~pins; before != pins;) {
    before = pins;
    pins = board_timecode();
  }
  return pins;
}

static void follow_timecode(void) { step(read_timecode(), (1u << BOARD_TIMECODE_BITS) - 1); }

static void run_timecode(void *parameter) {
  (void)parameter;
  for (;;) {
    ulTaskNotifyTake(pdTRUE, portMAX_DELAY);
    follow_timecode();
  }
}

static void reply(uint8_t sequence) {
  uint8_t line[MOST_REPLY_BYTES];
  taskENTER_CRITICAL();
  follow_timecode();
  const uint32_t bytes = encode_reply(sequence, time_now(), line);
  taskEXIT_CRITICAL();
  for (uint32_t place = 0; place < bytes; place++) {
    while (!board_serial_has_room()) vTaskDelay(1);
    board_serial_write(line[place]);
  }
}

static void run_message(void *parameter) {
  (void)parameter;
  board_ready();
  for (;;) {
    ulTaskNotifyTake(pdTRUE, portMAX_DELAY);
    for (; ring_in != ring_out; ring_out++) {
      Message message;
      if (!take_byte(ring[ring_out % RING_BYTES], &message)) continue;
      if (message.kind == QUERY) {
        reply(message.sequence);
        continue;
      }
      taskENTER_CRITICAL();
      schedule(&message);
      taskEXIT_CRITICAL();
      // What is due already is fired at once.
      xTaskNotifyGive(timecode_task);
    }
  }
}

int main(void) {
  static StackType_t timecode_stack[TASK_WORDS], message_stack[TASK_WORDS];
  static StaticTask_t timecode_block, message_block;
  board_start();
  timecode_task = xTaskCreateStatic(run_timecode, "timecode", TASK_WORDS, 0, PRIORITY_TIMECODE,
                                    timecode_stack, &timecode_block);
  message_task = xTaskCreateStatic(run_message, "message", TASK_WORDS, 0, PRIORITY_MESSAGE,
                                   message_stack, &message_block);
  vTaskStartScheduler();
  return 0;
}
