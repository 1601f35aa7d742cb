// SPDX-License-Identifier: Apache-2.0
// The calls of a kernel that Zephyr's latency_measure lists, with those of FreeRTOS. docs/do/bench.md
// says what has no exact twin here.
#include "bench.h"

const uint32_t bench_suite = SUITE_KERNEL;

enum {
  YIELDED = 1, ISR_INTERRUPTED, ISR_OTHER,
  CREATED, STARTED, SUSPENDED, RESUMED, ABORTED,
  SEMAPHORE_GIVE, SEMAPHORE_TAKE, SEMAPHORE_GIVE_SWITCH, SEMAPHORE_TAKE_SWITCH,
  MUTEX_LOCK, MUTEX_UNLOCK, MUTEX_LOCK_SWITCH, MUTEX_UNLOCK_SWITCH,
  ALLOCATED, FREED
};
BENCH_TEST_NAME(1, "yield, until the other task of this priority runs");
BENCH_TEST_NAME(2, "interrupt: from its end, until the interrupted task goes on");
BENCH_TEST_NAME(3, "interrupt: from its end, until another task runs");
BENCH_TEST_NAME(4, "create a task of lower priority");
BENCH_TEST_NAME(5, "start a task of higher priority, until it runs");
BENCH_TEST_NAME(6, "suspend itself, until another task runs");
BENCH_TEST_NAME(7, "resume a task of higher priority, until it runs");
BENCH_TEST_NAME(8, "abort another task");
BENCH_TEST_NAME(9, "semaphore: give, nobody waits");
BENCH_TEST_NAME(10, "semaphore: take, at once");
BENCH_TEST_NAME(11, "semaphore: give, until the waiting task has it");
BENCH_TEST_NAME(12, "semaphore: take, blocked until another task runs");
BENCH_TEST_NAME(13, "mutex: lock, at once");
BENCH_TEST_NAME(14, "mutex: unlock, nobody waits");
BENCH_TEST_NAME(15, "mutex: lock, blocked until its owner runs");
BENCH_FURTHER_NAME(0, "mutex: unlock, until the waiting task has it");
BENCH_FURTHER_NAME(1, "malloc of 128 bytes");
BENCH_FURTHER_NAME(2, "free of 128 bytes");

enum { BLOCK_BYTES = 128, STACK = 256 };

static SemaphoreHandle_t signal, mutex;
static volatile int is_yielding;
static StackType_t stack[STACK];
static StaticTask_t block;

static void yielding(void *parameter) {
  (void)parameter;
  for (;;) {
    if (is_yielding) {
      BENCH_END(YIELDED);
      if (++bench_counters[0] == BENCH_ITERATIONS) bench_finish();
    }
    is_yielding = 1;
    BENCH_BEGIN(YIELDED);
    taskYIELD();
  }
}

static int begin_interrupted(BaseType_t *woken) {
  (void)woken;
  return ISR_INTERRUPTED;
}

static void isr_interrupted(void) {
  uint32_t count = 0;
  bench_on_interrupt = begin_interrupted;
  for (; count < BENCH_ITERATIONS; count++) {
    bench_interrupt();
    BENCH_END(ISR_INTERRUPTED);
  }
  bench_report_one(ISR_INTERRUPTED, count);
}

static int begin_other(BaseType_t *woken) {
  vTaskNotifyGiveFromISR(bench_high, woken);
  return ISR_OTHER;
}

static void other_high(void *parameter) {
  (void)parameter;
  for (;; bench_counters[0]++) {
    ulTaskNotifyTake(pdTRUE, portMAX_DELAY);
    BENCH_END(ISR_OTHER);
  }
}

static void other_low(void *parameter) {
  (void)parameter;
  bench_on_interrupt = begin_other;
  while (bench_counters[0] < BENCH_ITERATIONS) bench_interrupt();
  bench_finish();
}

static void never(void *parameter) {
  (void)parameter;
  for (;;) vTaskSuspend(0);
}

static void started(void *parameter) {
  (void)parameter;
  BENCH_END(STARTED);
  bench_counters[0]++;
  for (;;) vTaskSuspend(0);
}

static void tasks(void) {
  uint32_t count = 0;
  bench_counters[0] = 0;
  for (; count < BENCH_ITERATIONS; count++) {
    BENCH_BEGIN(CREATED);
    TaskHandle_t task =
        xTaskCreateStatic(never, "low", STACK, 0, PRIORITY_LOW, stack, &block);
    BENCH_END(CREATED);
    BENCH_BEGIN(ABORTED);
    vTaskDelete(task);
    BENCH_END(ABORTED);
    BENCH_BEGIN(STARTED);
    task = xTaskCreateStatic(started, "high", STACK, 0, PRIORITY_HIGH, stack, &block);
    vTaskDelete(task);
  }
  bench_report_one(CREATED, count);
  bench_report_one(STARTED, bench_counters[0]);
  bench_report_one(ABORTED, count);
}

static void suspending_high(void *parameter) {
  (void)parameter;
  for (;; bench_counters[0]++) {
    BENCH_BEGIN(SUSPENDED);
    vTaskSuspend(0);
    BENCH_END(RESUMED);
  }
}

static void suspending_low(void *parameter) {
  (void)parameter;
  BENCH_END(SUSPENDED);
  for (bench_counters[1] = 1; bench_counters[0] < BENCH_ITERATIONS;) {
    BENCH_BEGIN(RESUMED);
    vTaskResume(bench_high);
    BENCH_END(SUSPENDED);
    bench_counters[1]++;
  }
  bench_finish();
}

static void semaphore_alone(void) {
  uint32_t count = 0;
  for (; count < BENCH_ITERATIONS; count++) {
    BENCH_BEGIN(SEMAPHORE_GIVE);
    xSemaphoreGive(signal);
    BENCH_END(SEMAPHORE_GIVE);
    BENCH_BEGIN(SEMAPHORE_TAKE);
    xSemaphoreTake(signal, 0);
    BENCH_END(SEMAPHORE_TAKE);
  }
  bench_report_one(SEMAPHORE_GIVE, count);
  bench_report_one(SEMAPHORE_TAKE, count);
}

static void semaphore_high(void *parameter) {
  (void)parameter;
  for (;; bench_counters[0]++) {
    BENCH_BEGIN(SEMAPHORE_TAKE_SWITCH);
    xSemaphoreTake(signal, portMAX_DELAY);
    BENCH_END(SEMAPHORE_GIVE_SWITCH);
  }
}

static void semaphore_low(void *parameter) {
  (void)parameter;
  BENCH_END(SEMAPHORE_TAKE_SWITCH);
  for (bench_counters[1] = 1; bench_counters[0] < BENCH_ITERATIONS;) {
    BENCH_BEGIN(SEMAPHORE_GIVE_SWITCH);
    xSemaphoreGive(signal);
    BENCH_END(SEMAPHORE_TAKE_SWITCH);
    bench_counters[1]++;
  }
  bench_finish();
}

static void mutex_alone(void) {
  uint32_t count = 0;
  for (; count < BENCH_ITERATIONS; count++) {
    BENCH_BEGIN(MUTEX_LOCK);
    xSemaphoreTake(mutex, portMAX_DELAY);
    BENCH_END(MUTEX_LOCK);
    BENCH_BEGIN(MUTEX_UNLOCK);
    xSemaphoreGive(mutex);
    BENCH_END(MUTEX_UNLOCK);
  }
  bench_report_one(MUTEX_LOCK, count);
  bench_report_one(MUTEX_UNLOCK, count);
}

static void mutex_high(void *parameter) {
  (void)parameter;
  for (;;) {
    ulTaskNotifyTake(pdTRUE, portMAX_DELAY);
    BENCH_BEGIN(MUTEX_LOCK_SWITCH);
    xSemaphoreTake(mutex, portMAX_DELAY);
    BENCH_END(MUTEX_UNLOCK_SWITCH);
    bench_counters[0]++;
    xSemaphoreGive(mutex);
  }
}

static void mutex_low(void *parameter) {
  (void)parameter;
  while (bench_counters[0] < BENCH_ITERATIONS) {
    xSemaphoreTake(mutex, portMAX_DELAY);
    xTaskNotifyGive(bench_high);
    BENCH_END(MUTEX_LOCK_SWITCH);
    bench_counters[1]++;
    BENCH_BEGIN(MUTEX_UNLOCK_SWITCH);
    xSemaphoreGive(mutex);
  }
  bench_finish();
}

static void memory(void) {
  uint32_t count = 0;
  for (; count < BENCH_ITERATIONS; count++) {
    BENCH_BEGIN(ALLOCATED);
    void *taken = pvPortMalloc(BLOCK_BYTES);
    BENCH_END(ALLOCATED);
    configASSERT(taken);
    BENCH_BEGIN(FREED);
    vPortFree(taken);
    BENCH_END(FREED);
  }
  bench_report_one(ALLOCATED, count);
  bench_report_one(FREED, count);
}

void bench_tests(void) {
  static StaticSemaphore_t signal_block, mutex_block;
  is_yielding = 0;
  bench_pair(yielding, yielding, PRIORITY_LOW);
  bench_report_one(YIELDED, bench_counters[0]);
  isr_interrupted();
  bench_pair(other_high, other_low, PRIORITY_LOW + 1);
  bench_report_one(ISR_OTHER, bench_counters[0]);
  tasks();
  bench_pair(suspending_high, suspending_low, PRIORITY_LOW + 1);
  bench_report_one(SUSPENDED, bench_counters[1]);
  bench_report_one(RESUMED, bench_counters[0]);
  signal = xSemaphoreCreateBinaryStatic(&signal_block);
  semaphore_alone();
  bench_pair(semaphore_high, semaphore_low, PRIORITY_LOW + 1);
  bench_report_one(SEMAPHORE_TAKE_SWITCH, bench_counters[1]);
  bench_report_one(SEMAPHORE_GIVE_SWITCH, bench_counters[0]);
  mutex = xSemaphoreCreateMutexStatic(&mutex_block);
  mutex_alone();
  bench_pair(mutex_high, mutex_low, PRIORITY_LOW + 1);
  bench_report_one(MUTEX_LOCK_SWITCH, bench_counters[1]);
  bench_report_one(MUTEX_UNLOCK_SWITCH, bench_counters[0]);
  memory();
}
