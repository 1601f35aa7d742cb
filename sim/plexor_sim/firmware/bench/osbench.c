// SPDX-License-Identifier: Apache-2.0
// OSBench's seven groups with the calls of FreeRTOS. Two helpers serve the tests of two tasks: the
// high one waits for what `low` does. docs/do/bench.md says what has no exact twin here.
#include "bench.h"

#include "atomic.h"
#include "event_groups.h"

const uint32_t bench_suite = SUITE_OSBENCH;

enum {
  BLOCKED = 1, TAKE_FREE, GIVE_FREE, GIVE_WAITED,
  NOTIFIED, EVENT_SET,
  SEMAPHORE_GIVEN,
  MUTEX_FREE, MUTEX_GIVEN,
  YIELDED,
  CALL_SHORT, CALL_GUARDED,
  LOOP, DECREMENT, INCREMENT, TEST_EXCHANGE, EXCHANGE
};
BENCH_TEST_NAME(1, "recursive mutex: blocked, until the task of lower priority runs");
BENCH_TEST_NAME(2, "recursive mutex, free: take");
BENCH_TEST_NAME(3, "recursive mutex, nobody waits: give");
BENCH_TEST_NAME(4, "recursive mutex: give, until the waiting task has it");
BENCH_TEST_NAME(5, "task notification: give, until the waiting task runs");
BENCH_TEST_NAME(6, "event group: set, until the waiting task runs");
BENCH_TEST_NAME(7, "binary semaphore: give, until the waiting task has it");
BENCH_TEST_NAME(8, "mutex, free: take");
BENCH_TEST_NAME(9, "mutex: give, until the waiting task has it");
BENCH_TEST_NAME(10, "yield, until the other task of this priority runs");
BENCH_TEST_NAME(11, "kernel call: xTaskGetTickCount");
BENCH_TEST_NAME(12, "kernel call: uxTaskPriorityGet, which has a critical section");
BENCH_TEST_NAME(13, "base of the loops: nothing");
BENCH_TEST_NAME(14, "interlocked: decrement");
BENCH_TEST_NAME(15, "interlocked: increment");
BENCH_FURTHER_NAME(0, "interlocked: compare and exchange");
BENCH_FURTHER_NAME(1, "interlocked: exchange");

static SemaphoreHandle_t guard, signal;
static EventGroupHandle_t events;

static void recursive_high(void *parameter) {
  (void)parameter;
  for (;;) {
    ulTaskNotifyTake(pdTRUE, portMAX_DELAY);
    BENCH_BEGIN(BLOCKED);
    xSemaphoreTakeRecursive(guard, portMAX_DELAY);
    BENCH_END(GIVE_WAITED);
    bench_counters[1]++;
    xSemaphoreGiveRecursive(guard);
  }
}

static void recursive_low(void *parameter) {
  (void)parameter;
  while (bench_counters[0] < BENCH_ITERATIONS) {
    xSemaphoreTakeRecursive(guard, portMAX_DELAY);
    xTaskNotifyGive(bench_high);
    BENCH_END(BLOCKED);
    bench_counters[0]++;
    BENCH_BEGIN(GIVE_WAITED);
    xSemaphoreGiveRecursive(guard);
  }
  bench_finish();
}

static void notified_high(void *parameter) {
  (void)parameter;
  for (;; bench_counters[0]++) {
    ulTaskNotifyTake(pdTRUE, portMAX_DELAY);
    BENCH_END(NOTIFIED);
  }
}

static void notified_low(void *parameter) {
  (void)parameter;
  for (uint32_t n = 0; n < BENCH_ITERATIONS; n++) {
    BENCH_BEGIN(NOTIFIED);
    xTaskNotifyGive(bench_high);
  }
  bench_finish();
}

static void event_high(void *parameter) {
  (void)parameter;
  for (;; bench_counters[0]++) {
    xEventGroupWaitBits(events, 1, pdTRUE, pdTRUE, portMAX_DELAY);
    BENCH_END(EVENT_SET);
  }
}

static void event_low(void *parameter) {
  (void)parameter;
  for (uint32_t n = 0; n < BENCH_ITERATIONS; n++) {
    BENCH_BEGIN(EVENT_SET);
    xEventGroupSetBits(events, 1);
  }
  bench_finish();
}

static void semaphore_high(void *parameter) {
  (void)parameter;
  for (;; bench_counters[0]++) {
    xSemaphoreTake(signal, portMAX_DELAY);
    BENCH_END(SEMAPHORE_GIVEN);
  }
}

static void semaphore_low(void *parameter) {
  (void)parameter;
  for (uint32_t n = 0; n < BENCH_ITERATIONS; n++) {
    BENCH_BEGIN(SEMAPHORE_GIVEN);
    xSemaphoreGive(signal);
  }
  bench_finish();
}

static void mutex_high(void *parameter) {
  (void)parameter;
  for (;; bench_counters[0]++) {
    ulTaskNotifyTake(pdTRUE, portMAX_DELAY);
    xSemaphoreTake(signal, portMAX_DELAY);
    BENCH_END(MUTEX_GIVEN);
    xSemaphoreGive(signal);
  }
}

static void mutex_low(void *parameter) {
  (void)parameter;
  for (uint32_t n = 0; n < BENCH_ITERATIONS; n++) {
    xSemaphoreTake(signal, portMAX_DELAY);
    xTaskNotifyGive(bench_high);
    BENCH_BEGIN(MUTEX_GIVEN);
    xSemaphoreGive(signal);
  }
  bench_finish();
}

static volatile int is_yielding;

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

static void alone(void) {
  uint32_t count = 0;
  for (; count < BENCH_ITERATIONS; count++) {
    BENCH_BEGIN(TAKE_FREE);
    xSemaphoreTakeRecursive(guard, portMAX_DELAY);
    BENCH_END(TAKE_FREE);
    BENCH_BEGIN(GIVE_FREE);
    xSemaphoreGiveRecursive(guard);
    BENCH_END(GIVE_FREE);
  }
  bench_report_one(TAKE_FREE, count);
  bench_report_one(GIVE_FREE, count);
}

static void mutex_alone(void) {
  uint32_t count = 0;
  for (; count < BENCH_ITERATIONS; count++) {
    BENCH_BEGIN(MUTEX_FREE);
    xSemaphoreTake(signal, portMAX_DELAY);
    BENCH_END(MUTEX_FREE);
    xSemaphoreGive(signal);
  }
  bench_report_one(MUTEX_FREE, count);
}

static void calls(void) {
  uint32_t count = 0;
  for (; count < BENCH_ITERATIONS; count++) {
    BENCH_BEGIN(CALL_SHORT);
    xTaskGetTickCount();
    BENCH_END(CALL_SHORT);
    BENCH_BEGIN(CALL_GUARDED);
    uxTaskPriorityGet(0);
    BENCH_END(CALL_GUARDED);
  }
  bench_report_one(CALL_SHORT, count);
  bench_report_one(CALL_GUARDED, count);
}

static uint32_t volatile number;
static void *volatile pointer;

// The same loop with each operation: what its loop takes is the base of the others.
#define LOOPED(test, operation)                                             \
  do {                                                                      \
    uint32_t count = 0;                                                     \
    for (; count < BENCH_ITERATIONS; count++) {                             \
      BENCH_BEGIN(test);                                                    \
      for (uint32_t n = 0; n < LOOPED_OPERATIONS; n++) {                    \
        operation;                                                          \
        __asm volatile("" ::: "memory");                                    \
      }                                                                     \
      BENCH_END(test);                                                      \
    }                                                                       \
    bench_report_one(test, count);                                          \
  } while (0)

static void interlocked(void) {
  LOOPED(LOOP, (void)0);
  LOOPED(DECREMENT, Atomic_Decrement_u32(&number));
  LOOPED(INCREMENT, Atomic_Increment_u32(&number));
  configASSERT(number == 0);
  LOOPED(TEST_EXCHANGE, Atomic_CompareAndSwap_u32(&number, 1 - number, number));
  LOOPED(EXCHANGE, Atomic_SwapPointers_p32(&pointer, (void *)&number));
}

void bench_tests(void) {
  static StaticSemaphore_t guard_block, signal_block, mutex_block;
  static StaticEventGroup_t events_block;
  guard = xSemaphoreCreateRecursiveMutexStatic(&guard_block);
  bench_pair(recursive_high, recursive_low, PRIORITY_LOW + 1);
  bench_report_one(BLOCKED, bench_counters[0]);
  bench_report_one(GIVE_WAITED, bench_counters[1]);
  alone();
  bench_pair(notified_high, notified_low, PRIORITY_LOW + 1);
  bench_report_one(NOTIFIED, bench_counters[0]);
  events = xEventGroupCreateStatic(&events_block);
  bench_pair(event_high, event_low, PRIORITY_LOW + 1);
  bench_report_one(EVENT_SET, bench_counters[0]);
  signal = xSemaphoreCreateBinaryStatic(&signal_block);
  bench_pair(semaphore_high, semaphore_low, PRIORITY_LOW + 1);
  bench_report_one(SEMAPHORE_GIVEN, bench_counters[0]);
  signal = xSemaphoreCreateMutexStatic(&mutex_block);
  mutex_alone();
  bench_pair(mutex_high, mutex_low, PRIORITY_LOW + 1);
  bench_report_one(MUTEX_GIVEN, bench_counters[0]);
  is_yielding = 0;
  bench_pair(yielding, yielding, PRIORITY_LOW);
  bench_report_one(YIELDED, bench_counters[0]);
  calls();
  interlocked();
}
