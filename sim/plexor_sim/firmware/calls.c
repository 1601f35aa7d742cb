// SPDX-License-Identifier: Apache-2.0
// FreeRTOS: one task calls functions, each of which is in codes, in rounds of 50,000 cycles. `heavy`
// takes 87 % of a round itself, and `light` twice 2,000 cycles, once inside `heavy`. `recursive` is
// three deep, and calls `leaf` for 250 cycles at the beginning and at the end of each depth: so no
// code follows its equal. Every eighth round sends an exit of `stray`, which nobody enters. Strike 0 is
// answered on pin 0. Pin 1 is high in `heavy`, pin 2 in `recursive`.
#include "rtos.h"

#define APART __attribute__((noinline))

enum { ISR_EXTERNAL = 0, TASK_CALLER = 1 };
enum { CALL_ROUND = 1, CALL_HEAVY, CALL_LIGHT, CALL_RECURSIVE, CALL_LEAF, CALL_STRAY };
PLEXOR_ISR_NAME(0, "external");
PLEXOR_TASK_NAME(1, "caller");
PLEXOR_FUNCTION_NAME(1, "round");
PLEXOR_FUNCTION_NAME(2, "heavy");
PLEXOR_FUNCTION_NAME(3, "light");
PLEXOR_FUNCTION_NAME(4, "recursive");
PLEXOR_FUNCTION_NAME(5, "leaf");
PLEXOR_FUNCTION_NAME(6, "stray");

enum { ROUND_CYCLES = 50000, HEAVY_CYCLES = 43500, LIGHT_CYCLES = 2000, LEAF_CYCLES = 250 };
enum { PIN_STRIKE = 1, PIN_HEAVY = 2, PIN_RECURSIVE = 4 };

void freertos_risc_v_application_interrupt_handler(void) {
  PLEXOR_ISR_ENTER(ISR_EXTERNAL);
  OUT_SET = PIN_STRIKE;
  STRIKE = IRQ_STRIKES;
  OUT_CLR = PIN_STRIKE;
  PLEXOR_ISR_EXIT(ISR_EXTERNAL);
}

static uint32_t cycles_now(void) {
  uint32_t now;
  READ_CYCLES(now);
  return now;
}

static void work_until(uint32_t cycle) {
  while ((int32_t)(cycles_now() - cycle) < 0) {
  }
}

APART static void light(void) {
  PLEXOR_CALL(CALL_LIGHT);
  work_until(cycles_now() + LIGHT_CYCLES);
}

APART static void heavy(void) {
  PLEXOR_CALL(CALL_HEAVY);
  OUT_SET = PIN_HEAVY;
  light();
  work_until(cycles_now() + HEAVY_CYCLES);
  OUT_CLR = PIN_HEAVY;
}

APART static void leaf(void) {
  PLEXOR_CALL(CALL_LEAF);
  work_until(cycles_now() + LEAF_CYCLES);
}

APART static void recursive(int depth) {
  PLEXOR_CALL(CALL_RECURSIVE);
  if (depth == 1) OUT_SET = PIN_RECURSIVE;
  leaf();
  if (depth < 3) recursive(depth + 1);
  leaf();
  if (depth == 1) OUT_CLR = PIN_RECURSIVE;
}

APART static void one_round(uint32_t end) {
  PLEXOR_CALL(CALL_ROUND);
  heavy();
  light();
  recursive(1);
  work_until(end);
}

static void run(void *parameter) {
  (void)parameter;
  READY = 0;
  uint32_t end = cycles_now();
  for (uint32_t rounds = 1;; rounds++) {
    one_round(end += ROUND_CYCLES);
    if (rounds % 8 == 0) PLEXOR_EXIT(CALL_STRAY);
  }
}

int main(void) {
  static Task caller;
  take_traps();
  CSR_WRITE(IRQ_MASK, 1);
  start(&caller, run, 0, 1, TASK_CALLER);
  vTaskStartScheduler();
  return 0;
}
