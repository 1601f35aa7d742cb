// Sends each kind of code once, after the first strike, and names some.
#include "plexor_trace.h"
#include "soc.h"

PLEXOR_TASK_NAME(1, "one");
PLEXOR_ISR_NAME(6, "six");
PLEXOR_FUNCTION_NAME(8, "eight");
PLEXOR_STATE_NAME(10, "ten");
PLEXOR_NAME(13, 15, "a name of its own");

static uint32_t recursive(uint32_t depth) {
  PLEXOR_CALL(11);
  if (depth == 0) return 1;
  return depth * recursive(depth - 1);
}

int main(void) {
  READY = 31;
  while (!STRIKE) {
  }
  PLEXOR_RUN(1);
  PLEXOR_READY(2);
  PLEXOR_BLOCKED(3);
  PLEXOR_SLEEPING(4);
  PLEXOR_INHERIT(5);
  PLEXOR_ISR_ENTER(6);
  PLEXOR_ISR_EXIT(7);
  PLEXOR_ENTER(8);
  PLEXOR_EXIT(9);
  PLEXOR_SET(10);
  OUT_SET = recursive(2);
  PLEXOR_VALUE(0xdeadbeef);
  PLEXOR_USER(13, 15);
  PLEXOR_USER(15, 0);
  for (;;) {
  }
}
