// SPDX-License-Identifier: Apache-2.0
// FreeRTOS: the interrupt service answers strike k on pin 2k and wakes a task, which answers on pin
// 2k + 1. The notification is binary, like an event object: one answer of the task serves all
// strikes that came before it ran.
#include "rtos.h"

#include "queue.h"
#include "semphr.h"
#include "soc.h"

enum { STRIKES = 3, PRIORITY_STRIKE = 3, PRIORITY_POLYGONS = 7 };

// Ids of codes; their names are below. Task k + 1 answers strike k.
enum { ISR_EXTERNAL = 0 };
enum {
  TASK_STRIKE = 1,
  TASK_CPU = 4,
  TASK_CRITICAL, TASK_POLYGONS, TASK_PRODUCER, TASK_CONSUMER, TASK_STORM
};
enum { CALL_CRITICAL = 0, CALL_MEMORY, CALL_BRANCH, CALL_DIVIDE };

static TaskHandle_t strike_tasks[STRIKES];
static QueueHandle_t numbers;
static SemaphoreHandle_t taken;

// The vector in the kernel's portASM.S saves the context, then calls this.
void freertos_risc_v_application_interrupt_handler(void) {
  PLEXOR_ISR_ENTER(ISR_EXTERNAL);
  uint32_t pending;
  CSR_READ(IRQ_PENDING, pending);
  uint32_t strikes = pending & IRQ_STRIKES;
  uint32_t pins = (strikes & 1) | (strikes & 2) << 1 | (strikes & 4) << 2;
  OUT_SET = pins;
  BaseType_t woken = pdFALSE;
  STRIKE = strikes;
  if (WAKES_TASKS && strikes & 1) vTaskNotifyGiveFromISR(strike_tasks[0], &woken);
  if (WAKES_TASKS && strikes & 2) vTaskNotifyGiveFromISR(strike_tasks[1], &woken);
  if (WAKES_TASKS && strikes & 4) vTaskNotifyGiveFromISR(strike_tasks[2], &woken);
  if (pending & IRQ_STORM) STORM_ACK = 1;
  PLEXOR_ISR_EXIT(ISR_EXTERNAL);
  portYIELD_FROM_ISR(woken);
  OUT_CLR = pins;
}

static void answer(void *parameter) {
  uint32_t strike = (uint32_t)(uintptr_t)parameter;
  uint32_t pin = 2u << 2 * strike;
  // The last task has the lowest priority: when it runs, the others already wait for their strikes.
  if (strike == STRIKES - 1) READY = 31;
  for (;;) {
    ulTaskNotifyTake(pdTRUE, portMAX_DELAY);
    OUT_SET = pin;
    OUT_CLR = pin;
  }
}

static void wait_for_load(void) {
  while (!LOAD) vTaskDelay(1);
}

static void load_cpu(void *parameter) {
  (void)parameter;
  for (uint32_t seed = 1;;) {
    wait_for_load();
    PLEXOR_ENTER(CALL_MEMORY);
    work_memory();
    PLEXOR_EXIT(CALL_MEMORY);
    PLEXOR_ENTER(CALL_BRANCH);
    work_branch(&seed);
    PLEXOR_EXIT(CALL_BRANCH);
    PLEXOR_ENTER(CALL_DIVIDE);
    work_divide(&seed);
    PLEXOR_EXIT(CALL_DIVIDE);
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

// Named after the benchmark program of a published study: bursts above the measured tasks' priority.
static void load_polygons(void *parameter) {
  (void)parameter;
  for (uint32_t seed = 3;;) {
    wait_for_load();
    work_cycles(2000 + work_random(&seed) % 11000);
    vTaskDelay(1);
  }
}

static void load_producer(void *parameter) {
  (void)parameter;
  for (uint32_t number = 0;; number++) {
    wait_for_load();
    xQueueSend(numbers, &number, portMAX_DELAY);
    if (number % 8 == 7) xSemaphoreTake(taken, portMAX_DELAY);
  }
}

static void load_consumer(void *parameter) {
  (void)parameter;
  for (uint32_t expected = 0;; expected++) {
    uint32_t number;
    xQueueReceive(numbers, &number, portMAX_DELAY);
    configASSERT(number == expected);
    if (number % 8 == 7) xSemaphoreGive(taken);
  }
}

static void load_storm(void *parameter) {
  (void)parameter;
  for (;;) {
    STORM = LOAD ? STORM_PERIOD_CYCLES : 0;
    vTaskDelay(1);
  }
}

PLEXOR_ISR_NAME(0, "external");
PLEXOR_TASK_NAME(1, "strike0");
PLEXOR_TASK_NAME(2, "strike1");
PLEXOR_TASK_NAME(3, "strike2");
PLEXOR_TASK_NAME(4, "cpu");
PLEXOR_TASK_NAME(5, "critical");
PLEXOR_TASK_NAME(6, "polygons");
PLEXOR_TASK_NAME(7, "producer");
PLEXOR_TASK_NAME(8, "consumer");
PLEXOR_TASK_NAME(9, "storm");
PLEXOR_FUNCTION_NAME(0, "critical");
PLEXOR_FUNCTION_NAME(1, "memory");
PLEXOR_FUNCTION_NAME(2, "branch");
PLEXOR_FUNCTION_NAME(3, "divide");

int main(void) {
  static Task answering[STRIKES], cpu, critical, polygons, producer, consumer, storm;
  static StaticQueue_t queue_block, semaphore_block;
  static uint8_t queue_storage[4 * sizeof(uint32_t)];
  uint32_t select = SELECT;
  take_traps();
  CSR_WRITE(IRQ_MASK, IRQ_STRIKES | IRQ_STORM);
  for (uint32_t strike = 0; strike < STRIKES; strike++)
    strike_tasks[strike] =
        start(&answering[strike], answer, strike, PRIORITY_STRIKE + STRIKES - 1 - strike,
              TASK_STRIKE + strike);
  if (select & LOAD_CPU) start(&cpu, load_cpu, 0, 1, TASK_CPU);
  if (select & LOAD_CRITICAL) start(&critical, load_critical, 0, 1, TASK_CRITICAL);
  if (select & LOAD_POLYGONS) start(&polygons, load_polygons, 0, PRIORITY_POLYGONS, TASK_POLYGONS);
  if (select & LOAD_QUEUE) {
    numbers = xQueueCreateStatic(4, sizeof(uint32_t), queue_storage, &queue_block);
    taken = xSemaphoreCreateBinaryStatic(&semaphore_block);
    start(&producer, load_producer, 0, 1, TASK_PRODUCER);
    start(&consumer, load_consumer, 0, 2, TASK_CONSUMER);
  }
  if (select & LOAD_STORM) start(&storm, load_storm, 0, 2, TASK_STORM);
  vTaskStartScheduler();
  return 0;
}
