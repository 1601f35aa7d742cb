// SPDX-License-Identifier: Apache-2.0
// Thread-Metric's eight tests with the calls of FreeRTOS. Each operation is between two codes and is
// counted by the firmware too: the counters of a test are sent behind it.
#include "bench.h"

#include "queue.h"

const uint32_t bench_suite = SUITE_THREADMETRIC;

enum {
  BASIC = 1, COOPERATIVE, PREEMPTIVE, INTERRUPT, INTERRUPT_PREEMPTION, MESSAGE, SYNCHRONISATION,
  ALLOCATION
};
BENCH_TEST_NAME(1, "basic: a pass over an array");
BENCH_TEST_NAME(2, "cooperative: yield, until the next of five tasks runs");
BENCH_TEST_NAME(3, "preemptive: resume a task of higher priority, until it runs");
BENCH_TEST_NAME(4, "interrupt: raise it, until it has given a semaphore and that is taken");
BENCH_TEST_NAME(5, "interrupt preemption: raise it, until the task that it wakes runs");
BENCH_TEST_NAME(6, "message: send and receive 16 bytes");
BENCH_TEST_NAME(7, "synchronization: take and give a semaphore");
BENCH_TEST_NAME(8, "allocation: allocate and free 128 bytes");

enum { WORDS = 64, MESSAGE_WORDS = 4, BLOCK_BYTES = 128 };

static volatile uint32_t counters[HELPERS];
static TaskHandle_t tasks[HELPERS];
static SemaphoreHandle_t signal;

static void begin_counts(void) {
  for (uint32_t n = 0; n < HELPERS; n++) counters[n] = 0;
}

static uint32_t all_counts(void) {
  uint32_t sum = 0;
  for (uint32_t n = 0; n < HELPERS; n++) sum += counters[n];
  return sum;
}

static void basic(void) {
  static volatile uint32_t area[WORDS];
  begin_counts();
  for (; counters[0] < BENCH_ITERATIONS; counters[0]++) {
    BENCH_BEGIN(BASIC);
    for (uint32_t n = 0; n < WORDS; n++) area[n] = area[n] + counters[0] + n;
    BENCH_END(BASIC);
  }
  bench_report(BASIC, 1, counters);
}

static volatile int is_under_way;

static void cooperate(void *parameter) {
  const uint32_t own = (uint32_t)(uintptr_t)parameter;
  for (;;) {
    if (is_under_way) {
      BENCH_END(COOPERATIVE);
      counters[own]++;
      if (all_counts() == BENCH_ITERATIONS) bench_finish();
    }
    is_under_way = 1;
    BENCH_BEGIN(COOPERATIVE);
    taskYIELD();
  }
}

static void cooperative(void) {
  begin_counts();
  is_under_way = 0;
  for (uint32_t n = 0; n < HELPERS; n++) bench_start(n, cooperate, PRIORITY_LOW);
  bench_wait();
  bench_report(COOPERATIVE, HELPERS, counters);
}

// Each task resumes the next one above it, which runs at once; then it waits to be resumed itself.
// The lowest one does not wait.
static void preempt(void *parameter) {
  const uint32_t own = (uint32_t)(uintptr_t)parameter;
  for (;;) {
    if (own) {
      vTaskSuspend(0);
      BENCH_END(PREEMPTIVE);
      counters[own]++;
    }
    if (all_counts() == BENCH_ITERATIONS) bench_finish();
    if (own == HELPERS - 1) continue;
    BENCH_BEGIN(PREEMPTIVE);
    vTaskResume(tasks[own + 1]);
  }
}

static void preemptive(void) {
  begin_counts();
  // The highest first, so that all wait before the lowest one runs.
  for (uint32_t n = HELPERS; n--;) tasks[n] = bench_start(n, preempt, PRIORITY_LOW + n);
  bench_wait();
  bench_report(PREEMPTIVE, HELPERS, counters);
}

static int give_signal(BaseType_t *woken) {
  xSemaphoreGiveFromISR(signal, woken);
  return -1;
}

static void interrupt(void) {
  begin_counts();
  bench_on_interrupt = give_signal;
  for (; counters[0] < BENCH_ITERATIONS; counters[0]++) {
    BENCH_BEGIN(INTERRUPT);
    bench_interrupt();
    configASSERT(xSemaphoreTake(signal, 0) == pdTRUE);
    BENCH_END(INTERRUPT);
  }
  bench_report(INTERRUPT, 1, counters);
}

static int wake_task(BaseType_t *woken) {
  vTaskNotifyGiveFromISR(tasks[1], woken);
  return -1;
}

static void interrupted(void *parameter) {
  (void)parameter;
  while (counters[0] < BENCH_ITERATIONS) {
    BENCH_BEGIN(INTERRUPT_PREEMPTION);
    bench_interrupt();
  }
  bench_finish();
}

static void preempting(void *parameter) {
  (void)parameter;
  for (;;) {
    ulTaskNotifyTake(pdTRUE, portMAX_DELAY);
    BENCH_END(INTERRUPT_PREEMPTION);
    counters[0]++;
  }
}

static void interrupt_preemption(void) {
  begin_counts();
  bench_on_interrupt = wake_task;
  tasks[1] = bench_start(1, preempting, PRIORITY_LOW + 1);
  bench_start(0, interrupted, PRIORITY_LOW);
  bench_wait();
  bench_report(INTERRUPT_PREEMPTION, 1, counters);
}

static void message(void) {
  static StaticQueue_t block;
  static uint8_t storage[4 * MESSAGE_WORDS * sizeof(uint32_t)];
  QueueHandle_t queue =
      xQueueCreateStatic(4, MESSAGE_WORDS * sizeof(uint32_t), storage, &block);
  begin_counts();
  for (; counters[0] < BENCH_ITERATIONS; counters[0]++) {
    uint32_t sent[MESSAGE_WORDS] = {counters[0], ~counters[0], 1, 2}, got[MESSAGE_WORDS];
    BENCH_BEGIN(MESSAGE);
    xQueueSend(queue, sent, 0);
    xQueueReceive(queue, got, 0);
    BENCH_END(MESSAGE);
    configASSERT(got[0] == sent[0] && got[1] == sent[1] && got[3] == 2);
  }
  bench_report(MESSAGE, 1, counters);
}

static void synchronisation(void) {
  begin_counts();
  xSemaphoreGive(signal);
  for (; counters[0] < BENCH_ITERATIONS; counters[0]++) {
    BENCH_BEGIN(SYNCHRONISATION);
    xSemaphoreTake(signal, 0);
    xSemaphoreGive(signal);
    BENCH_END(SYNCHRONISATION);
  }
  bench_report(SYNCHRONISATION, 1, counters);
}

static void allocation(void) {
  begin_counts();
  for (; counters[0] < BENCH_ITERATIONS; counters[0]++) {
    BENCH_BEGIN(ALLOCATION);
    void *block = pvPortMalloc(BLOCK_BYTES);
    vPortFree(block);
    BENCH_END(ALLOCATION);
    configASSERT(block);
  }
  bench_report(ALLOCATION, 1, counters);
}

void bench_tests(void) {
  static StaticSemaphore_t signal_block;
  signal = xSemaphoreCreateBinaryStatic(&signal_block);
  basic();
  cooperative();
  preemptive();
  interrupt();
  interrupt_preemption();
  message();
  synchronisation();
  allocation();
}
