// SPDX-License-Identifier: Apache-2.0
// No operating system: the interrupt service answers strike k with a pulse on pin k.
#include "plexor_trace.h"
#include "soc.h"

enum { ISR_EXTERNAL = 0, CALL_CRITICAL = 0 };
PLEXOR_ISR_NAME(0, "external");
PLEXOR_FUNCTION_NAME(0, "critical");

// The handler of all traps. It saves only the few registers that it uses, hence its short latency.
__attribute__((interrupt, aligned(4))) static void on_trap(void) {
  PLEXOR_ISR_ENTER(ISR_EXTERNAL);
  uint32_t cause, pending;
  CSR_READ(IRQ_PENDING, pending);
  // The answer comes before the cause is known: an exception has no strike pending, or one that this
  // answers as well.
  OUT_SET = pending & IRQ_STRIKES;
  STRIKE = pending & IRQ_STRIKES;
  CSR_READ("mcause", cause);
  if (!(cause & 0x80000000u)) {
    uint32_t pc;
    CSR_READ("mepc", pc);
    trap(TRAP_EXCEPTION, pc);
  }
  if (pending & IRQ_STORM) STORM_ACK = 1;
  OUT_CLR = pending & IRQ_STRIKES;
  PLEXOR_ISR_EXIT(ISR_EXTERNAL);
}

int main(void) {
  uint32_t select = SELECT, seed = 1;
  CSR_WRITE("mtvec", (uintptr_t)on_trap);
  CSR_WRITE(IRQ_MASK, IRQ_STRIKES | IRQ_STORM);
  CSR_SET("mie", 0x800);
  CSR_SET("mstatus", 8);
  READY = LOAD_CPU | LOAD_CRITICAL | LOAD_STORM;
  for (;;) {
    uint32_t on = LOAD ? select : 0;
    STORM = on & LOAD_STORM ? STORM_PERIOD_CYCLES : 0;
    if (on & LOAD_CPU) {
      work_memory();
      work_branch(&seed);
      work_divide(&seed);
    }
    if (on & LOAD_CRITICAL) {
      CSR_CLEAR("mstatus", 8);
      PLEXOR_ENTER(CALL_CRITICAL);
      work_cycles(work_random(&seed) % 1500);
      PLEXOR_EXIT(CALL_CRITICAL);
      CSR_SET("mstatus", 8);
    }
  }
}
