// SPDX-License-Identifier: Apache-2.0
// FreeRTOS: five tasks of one priority think, take two sticks of five, and eat, philosopher k + 1
// with pin k high. At first each takes its stick of the lower number first, so that nobody waits for
// long. From tick DEADLOCK_TICK on each takes its own stick and hesitates, for longer than a round of
// anybody lasts, before it takes the other: all have one then, and wait for ever. The tick sends no
// codes, so that nothing moves any more.
#include "rtos.h"

#include "semphr.h"

enum { PHILOSOPHERS = 5, DEADLOCK_TICK = 20, HESITATION_TICKS = 5 };
PLEXOR_TASK_NAME(1, "philosopher1");
PLEXOR_TASK_NAME(2, "philosopher2");
PLEXOR_TASK_NAME(3, "philosopher3");
PLEXOR_TASK_NAME(4, "philosopher4");
PLEXOR_TASK_NAME(5, "philosopher5");
PLEXOR_FUNCTION_NAME(1, "eats1");
PLEXOR_FUNCTION_NAME(2, "eats2");
PLEXOR_FUNCTION_NAME(3, "eats3");
PLEXOR_FUNCTION_NAME(4, "eats4");
PLEXOR_FUNCTION_NAME(5, "eats5");

static SemaphoreHandle_t sticks[PHILOSOPHERS];

// Strikes are not listened to.
void freertos_risc_v_application_interrupt_handler(void) {}

static void live(void *parameter) {
  const uint32_t own = (uint32_t)(uintptr_t)parameter, other = (own + 1) % PHILOSOPHERS;
  const uint32_t lower = own < other ? own : other, upper = own < other ? other : own;
  if (own == 0) READY = 0;
  for (uint32_t seed = own + 1;;) {
    vTaskDelay(1 + work_random(&seed) % 2);
    const int is_stubborn = xTaskGetTickCount() >= DEADLOCK_TICK;
    xSemaphoreTake(sticks[is_stubborn ? own : lower], portMAX_DELAY);
    if (is_stubborn) vTaskDelay(HESITATION_TICKS);
    xSemaphoreTake(sticks[is_stubborn ? other : upper], portMAX_DELAY);
    PLEXOR_ENTER(own + 1);
    OUT_SET = 1u << own;
    work_cycles(1000 + work_random(&seed) % 4000);
    OUT_CLR = 1u << own;
    PLEXOR_EXIT(own + 1);
    xSemaphoreGive(sticks[own]);
    xSemaphoreGive(sticks[other]);
  }
}

int main(void) {
  static Task tasks[PHILOSOPHERS];
  static StaticSemaphore_t blocks[PHILOSOPHERS];
  take_traps();
  for (uint32_t each = 0; each < PHILOSOPHERS; each++) {
    sticks[each] = xSemaphoreCreateMutexStatic(&blocks[each]);
    start(&tasks[each], live, each, 1, each + 1);
  }
  vTaskStartScheduler();
  return 0;
}
