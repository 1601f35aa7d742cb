// SPDX-License-Identifier: Apache-2.0
// The frame of all suites: the main task, its helpers, and what a program says of itself.
#define BENCH_MAIN
#include "bench.h"

enum { ISR_BENCH = 0 };
PLEXOR_ISR_NAME(0, "bench");
PLEXOR_TASK_NAME(1, "main");
PLEXOR_TASK_NAME(2, "helper1");
PLEXOR_TASK_NAME(3, "helper2");
PLEXOR_TASK_NAME(4, "helper3");
PLEXOR_TASK_NAME(5, "helper4");
PLEXOR_TASK_NAME(6, "helper5");
PLEXOR_STATE_NAME(0, "begin");
PLEXOR_STATE_NAME(1, "report");
PLEXOR_STATE_NAME(2, "done");
BENCH_TEST_NAME(0, "base: nothing");

volatile uint32_t bench_began, bench_interrupts;
int (*volatile bench_on_interrupt)(BaseType_t *woken);
static TaskHandle_t main_task, helpers[HELPERS];

BOARD_INTERRUPT_HANDLER {
  PLEXOR_ISR_ENTER(ISR_BENCH);
  BaseType_t woken = pdFALSE;
  board_end_interrupt();
  const int test = bench_on_interrupt(&woken);
  bench_interrupts++;
  PLEXOR_ISR_EXIT(ISR_BENCH);
  if (test >= 0) BENCH_BEGIN((uint32_t)test);
  portYIELD_FROM_ISR(woken);
}

// Nothing may come between the parts of a value.
static void say(uint32_t value) {
  taskENTER_CRITICAL();
  PLEXOR_VALUE(value);
  taskEXIT_CRITICAL();
}

void bench_spent(uint32_t cycles) { say(cycles); }

void bench_report(uint32_t test, uint32_t count, const volatile uint32_t *counters) {
  PLEXOR_SET(STATE_REPORT);
  say(test);
  say(count);
  for (uint32_t n = 0; n < count; n++) say(counters[n]);
}

TaskHandle_t bench_start(uint32_t helper, TaskFunction_t run, int priority) {
  static Task tasks[HELPERS];
  return helpers[helper] = start(&tasks[helper], run, helper, priority, TASK_HELPER + helper);
}

_Noreturn void bench_finish(void) {
  xTaskNotifyGive(main_task);
  for (;;) vTaskSuspend(0);
}

void bench_wait(void) {
  ulTaskNotifyTake(pdTRUE, portMAX_DELAY);
  for (uint32_t helper = 0; helper < HELPERS; helper++) {
    if (helpers[helper]) vTaskDelete(helpers[helper]);
    helpers[helper] = 0;
  }
}

TaskHandle_t bench_high;
volatile uint32_t bench_counters[2];

void bench_pair(TaskFunction_t run_high, TaskFunction_t run_low, int priority_high) {
  bench_counters[0] = bench_counters[1] = 0;
  bench_high = bench_start(0, run_high, priority_high);
  bench_start(1, run_low, PRIORITY_LOW);
  bench_wait();
}

static void base(void) {
  uint32_t count = 0;
  for (; count < BENCH_ITERATIONS; count++) {
    BENCH_BEGIN(TEST_BASE);
    BENCH_END(TEST_BASE);
  }
  bench_report_one(TEST_BASE, count);
}

static void run(void *parameter) {
  (void)parameter;
  board_is_ready();
  for (;;) {
    // Nothing moves while it waits, not even the tick.
    taskENTER_CRITICAL();
    board_wait();
    taskEXIT_CRITICAL();
    PLEXOR_SET(STATE_BEGIN);
    say(bench_suite);
    say(BENCH_ITERATIONS);
    say(LOOPED_OPERATIONS);
    say(BOARD_CLOCK_HZ);
    say(BENCH_SELF);
    base();
    bench_tests();
    PLEXOR_SET(STATE_DONE);
  }
}

int main(void) {
  static Task task;
  board_begin();
  main_task = start(&task, run, 0, PRIORITY_MAIN, TASK_MAIN);
  vTaskStartScheduler();
  return 0;
}
