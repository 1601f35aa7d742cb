// SPDX-License-Identifier: Apache-2.0
// What a board supplies for the benchmarks: here, the simulated device of device/soc.v.
//
// For another board, write a file of this name with the same entries, put its folder first on the
// include path, and compile bench.c and one suite with the board's FreeRTOS. The codes' port is a
// choice of plexor_trace.h, by macros of the compiler.
//
//   BOARD_CLOCK_HZ            cycles per second of board_cycles()
//   BOARD_INTERRUPT_HANDLER   head of the function that serves the interrupt below
//   board_begin()             what must be done before the kernel starts
//   board_is_ready()          called once, before the first wait
//   board_wait()              waits for a rising edge of a pin that Plexor strikes; where it
//                             waits for
//                             nothing, the tests are repeated for ever
//   board_raise_interrupt()   makes the interrupt pending; it may take some instructions to come
//   board_end_interrupt()     clears it, in the handler
//   board_cycles()            a counter of clock cycles; only with BENCH_SELF=1
//
// What FreeRTOS itself asks of a board, such as assert_failed(), is in rtos.h here.
#pragma once

#include "soc.h"

#ifdef BENCH_MAIN
#include "rtos.h"
#endif

#define BOARD_CLOCK_HZ 50000000  // the device's default clock

// The kernel's vector saves the context, then calls this.
#define BOARD_INTERRUPT_HANDLER void freertos_risc_v_application_interrupt_handler(void)

#ifdef BENCH_MAIN
static inline void board_begin(void) {
  take_traps();
  CSR_WRITE(IRQ_MASK, IRQ_STORM);
}
#endif

static inline void board_is_ready(void) { READY = 0; }
static inline void board_wait(void) {
  while (!(STRIKE & 1)) {
  }
  STRIKE = 1;
}

// The storm timer with a period of one cycle: it fires at once.
static inline void board_raise_interrupt(void) { STORM = 1; }
static inline void board_end_interrupt(void) {
  STORM = 0;
  STORM_ACK = 1;
}

static inline uint32_t board_cycles(void) {
  uint32_t now;
  CSR_READ("mcycle", now);
  return now;
}
