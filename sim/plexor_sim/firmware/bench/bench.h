// SPDX-License-Identifier: Apache-2.0
// What the suites of benchmarks share. Each test sends a code as an operation begins, and one as it
// ends, so that it is timed from outside.
//
// A test has a number, 0 to 31. Its begin and its end are ENTER and EXIT of that number; from 16 on,
// classes 13 and 14 of that number less 16. Number 0 is the base: a pair with nothing between.
//
// On its way a program says what it is, with states and values:
//
//   SET(0), values: suite, iterations, operations of a looped sample, clock in Hz, BENCH_SELF
//   SET(1), values: test, number of counters, each counter; behind a test's last operation
//   SET(2): all tests are done
//
// With BENCH_SELF=1, a value behind each end says how many cycles the firmware itself counted.
#pragma once

#include <stdint.h>

#include "FreeRTOS.h"
#include "board.h"
#include "semphr.h"
#include "task.h"

#ifndef BENCH_ITERATIONS
#define BENCH_ITERATIONS 100
#endif
// Rounds of an empty loop behind each operation: so long that the instrument's link keeps up.
#ifndef BENCH_PAUSE
#define BENCH_PAUSE 16
#endif
#if PLEXOR_TRACE && PLEXOR_CODE_BITS < 8
#error "PLEXOR_CODE_BITS: the benchmarks need 8 or more"
#endif
#ifndef BENCH_SELF
#define BENCH_SELF 0
#endif

enum { SUITE_OSBENCH = 1, SUITE_THREADMETRIC = 2, SUITE_KERNEL = 3 };
enum { STATE_BEGIN = 0, STATE_REPORT = 1, STATE_DONE = 2 };
enum { FURTHER = 16 };
enum { TEST_BASE = 0, LOOPED_OPERATIONS = 100 };
enum { TASK_MAIN = 1, TASK_HELPER = 2, HELPERS = 5 };
enum { CLASS_BEGIN = 13, CLASS_END = 14 };

// The tests run in the main task, or in helpers above or below it while it waits.
enum { PRIORITY_LOW = 1, PRIORITY_MAIN = 6, PRIORITY_HIGH = 7 };

#define PLEXOR_BEGIN_(test)                                     \
  do {                                                          \
    if ((test) < FURTHER)                                       \
      PLEXOR_ENTER(test);                                       \
    else                                                        \
      PLEXOR_SEND_(PLEXOR_ZONE_CALLS, CLASS_BEGIN, (test) - FURTHER); \
  } while (0)
#define PLEXOR_END_(test)                                      \
  do {                                                         \
    if ((test) < FURTHER)                                      \
      PLEXOR_EXIT(test);                                       \
    else                                                       \
      PLEXOR_SEND_(PLEXOR_ZONE_CALLS, CLASS_END, (test) - FURTHER);  \
  } while (0)

#if BENCH_SELF
#define BENCH_BEGIN(test)         \
  do {                            \
    bench_began = board_cycles(); \
    PLEXOR_BEGIN_(test);          \
  } while (0)
#define BENCH_END(test)                        \
  do {                                         \
    PLEXOR_END_(test);                         \
    bench_spent(board_cycles() - bench_began); \
    bench_pause();                             \
  } while (0)
#else
#define BENCH_BEGIN(test) PLEXOR_BEGIN_(test)
#define BENCH_END(test)  \
  do {                   \
    PLEXOR_END_(test);   \
    bench_pause();       \
  } while (0)
#endif
#define BENCH_TEST_NAME(test, name) PLEXOR_FUNCTION_NAME(test, name)
#define BENCH_FURTHER_NAME(place, name) PLEXOR_NAME(13, place, name)  // of test 16 + place

static inline void bench_pause(void) {
  for (volatile uint32_t n = 0; n < BENCH_PAUSE; n++) {
  }
}

extern volatile uint32_t bench_began;
void bench_spent(uint32_t cycles);

// Sends the counters of a test whose operations have all ended. Call it from the main task.
void bench_report(uint32_t test, uint32_t count, const volatile uint32_t *counters);
static inline void bench_report_one(uint32_t test, uint32_t counter) {
  const volatile uint32_t only = counter;
  bench_report(test, 1, &only);
}

// Starts helper 0 to 4. Its function must not return: it ends with bench_finish or waits for ever.
TaskHandle_t bench_start(uint32_t helper, TaskFunction_t run, int priority);
// Has the main task go on, and the helper that calls it wait for ever.
_Noreturn void bench_finish(void);
// Waits in the main task until a helper finishes; then deletes all helpers.
void bench_wait(void);

// Runs two helpers until one finishes. `bench_high` is the first; the counters are theirs, from 0 on.
void bench_pair(TaskFunction_t run_high, TaskFunction_t run_low, int priority_high);
extern TaskHandle_t bench_high;
extern volatile uint32_t bench_counters[2];

// What the handler of the interrupt does, between its codes. It returns the test that begins behind
// the handler's last code, or -1.
extern int (*volatile bench_on_interrupt)(BaseType_t *woken);
extern volatile uint32_t bench_interrupts;
// Raises the interrupt, and waits until it has been served.
static inline void bench_interrupt(void) {
  const uint32_t before = bench_interrupts;
  board_raise_interrupt();
  while (bench_interrupts == before) {
  }
}

// The suite: its number, and all its tests, in order.
extern const uint32_t bench_suite;
void bench_tests(void);
