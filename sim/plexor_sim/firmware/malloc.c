// SPDX-License-Identifier: Apache-2.0
// FreeRTOS: at strike 0 or 1 a task allocates memory with heap_4, while pin 0 is high. The heap begins
// with small blocks that are too short: N of them are free, and the search for one that fits walks
// through these. Then it frees the memory, while pin 1 is high: that walks through them too. At last
// it frees or takes small blocks for the next N. The interrupt service answers strike 0 on pin 2. N is
// in SELECT: a number in bits 16 to 23, or 255 for one that is drawn each time, with the seed in bits
// 24 to 31. NOTE and a code have N before pin 0 rises.
#include "rtos.h"

enum { ISR_EXTERNAL = 0, TASK_SERVICE = 1, TASK_CPU, TASK_CRITICAL, CALL_CRITICAL = 0 };
PLEXOR_ISR_NAME(0, "external");
PLEXOR_TASK_NAME(1, "service");
PLEXOR_TASK_NAME(2, "cpu");
PLEXOR_TASK_NAME(3, "critical");
PLEXOR_FUNCTION_NAME(0, "critical");

enum { MOST = 50, DRAWN = 255, SMALL_BYTES = 16, WANTED_BYTES = 200, PIN_SERVICE = 1, PIN_FREE = 2, PIN_ISR = 4 };
enum { PRIORITY_SERVICE = 7 };

uint8_t ucHeap[configTOTAL_HEAP_SIZE] __attribute__((section(".heap"), aligned(8)));

static StackType_t stacks[3][STACK_WORDS] __attribute__((section(".stack"), aligned(16)));
static StaticTask_t blocks[3];
static TaskHandle_t service;
static void *small[MOST];
static uint32_t used;  // small blocks that are not free

void freertos_risc_v_application_interrupt_handler(void) {
  PLEXOR_ISR_ENTER(ISR_EXTERNAL);
  uint32_t pending;
  CSR_READ(IRQ_PENDING, pending);
  const uint32_t pin = pending & 1 ? PIN_ISR : 0;
  OUT_SET = pin;
  BaseType_t woken = pdFALSE;
  STRIKE = pending & IRQ_STRIKES;
  OUT_CLR = pin;
  vTaskNotifyGiveFromISR(service, &woken);
  PLEXOR_ISR_EXIT(ISR_EXTERNAL);
  portYIELD_FROM_ISR(woken);
}

// Blocks are freed from the last one on, and taken from the first free one on: heap_4 gives that.
static void leave_free(uint32_t number) {
  while (used > MOST - number) vPortFree(small[--used]);
  while (used < MOST - number) small[used++] = pvPortMalloc(SMALL_BYTES);
}

// Called once: small blocks, each before one that stays, so that free ones do not become one.
static void lay_out(void) {
  for (used = 0; used < MOST; used++) {
    small[used] = pvPortMalloc(SMALL_BYTES);
    pvPortMalloc(1);
  }
  // The heap is never as full again, so the search takes the same way each time.
  vPortFree(pvPortMalloc(2 * WANTED_BYTES));
}

static uint32_t drawn(uint32_t *seed) {
  uint32_t number;
  do number = work_random(seed) & 63;
  while (number > MOST);
  return number;
}

static void serve(void *parameter) {
  (void)parameter;
  const uint32_t select = SELECT;
  uint32_t number = select >> 16 & 0xff, seed = select >> 24;
  const int is_drawn = number == DRAWN;
  lay_out();
  READY = LOAD_CPU | LOAD_CRITICAL;
  for (;;) {
    if (is_drawn) number = drawn(&seed);
    leave_free(number);
    NOTE = number;
    PLEXOR_VALUE(number);
    ulTaskNotifyTake(pdTRUE, portMAX_DELAY);
    OUT_SET = PIN_SERVICE;
    void *taken = pvPortMalloc(WANTED_BYTES);
    OUT_CLR = PIN_SERVICE;
    configASSERT(taken);
    OUT_SET = PIN_FREE;
    vPortFree(taken);
    OUT_CLR = PIN_FREE;
  }
}

static void wait_for_load(void) {
  while (!LOAD) vTaskDelay(1);
}

static void load_cpu(void *parameter) {
  (void)parameter;
  for (uint32_t seed = 1;;) {
    wait_for_load();
    work_memory();
    work_branch(&seed);
    work_divide(&seed);
  }
}

static void load_critical(void *parameter) {
  (void)parameter;
  for (uint32_t seed = 2;;) {
    wait_for_load();
    taskENTER_CRITICAL();
    PLEXOR_ENTER(CALL_CRITICAL);
    OUT_SET = PIN_CRITICAL;
    work_cycles(work_random(&seed) % 1500);
    OUT_CLR = PIN_CRITICAL;
    PLEXOR_EXIT(CALL_CRITICAL);
    taskEXIT_CRITICAL();
    work_cycles(work_random(&seed) % 1500);
  }
}

static TaskHandle_t begin(uint32_t number, TaskFunction_t run, int priority) {
  const uint32_t each = number - 1;
  TaskHandle_t handle =
      xTaskCreateStatic(run, "task", STACK_WORDS, 0, priority, stacks[each], &blocks[each]);
  PLEXOR_TASK(handle, number);
  return handle;
}

int main(void) {
  const uint32_t select = SELECT;
  take_traps();
  CSR_WRITE(IRQ_MASK, 3);
  service = begin(TASK_SERVICE, serve, PRIORITY_SERVICE);
  if (select & LOAD_CPU) begin(TASK_CPU, load_cpu, 1);
  if (select & LOAD_CRITICAL) begin(TASK_CRITICAL, load_critical, 1);
  vTaskStartScheduler();
  return 0;
}
