// SPDX-License-Identifier: Apache-2.0
// Codes of FreeRTOS V11 on one core: include this at the end of FreeRTOSConfig.h.
//
// The kernel's trace hooks send the states of tasks, and its tick as an interrupt. What the kernel
// does not know is the application's:
//
// - Numbers of tasks, 1 and up: PLEXOR_TASK(handle, number) after a task's creation, before it can
//   run; its name is PLEXOR_TASK_NAME(number, "name"). A task without one counts as number 0, the
//   idle task, and its READY is not sent.
// - Interrupts: a handler sends PLEXOR_ISR_ENTER at its beginning, and PLEXOR_ISR_EXIT before
//   portYIELD_FROM_ISR. The kernel's hooks of portYIELD_FROM_ISR do not know which interrupt it is.
//
// A task that is preempted sends nothing: RUN of another task says it. One that waits for a queue, a
// mutex, a notification or an event, or is suspended, is BLOCKED; one that waits for a time alone is
// SLEEPING. INHERIT holds until the task's next RUN or READY.
//
// The tick is interrupt PLEXOR_ISR_TICK (15). Ticks that came while the scheduler was suspended are
// made up for by the task that resumes it, and look the same.
#ifndef PLEXOR_FREERTOS_H
#define PLEXOR_FREERTOS_H

#ifndef __ASSEMBLER__
#include "plexor_trace.h"
#endif

#if PLEXOR_TRACE

#define configUSE_TRACE_FACILITY 1  // gives tasks a number for tools such as this

#ifndef PLEXOR_ISR_TICK
#define PLEXOR_ISR_TICK 15
#endif
#define PLEXOR_TASK(handle, number)       \
  do {                                    \
    vTaskSetTaskNumber(handle, number);   \
    PLEXOR_READY(number);                 \
  } while (0)

#define PLEXOR_RUNNING_ (pxCurrentTCB->uxTaskNumber)

#define traceTASK_SWITCHED_IN() PLEXOR_RUN(PLEXOR_RUNNING_)
// Losing an inherited priority moves the task that runs among those that are ready.
#define traceMOVED_TASK_TO_READY_STATE(task)                    \
  do {                                                          \
    if ((task) == pxCurrentTCB)                                 \
      PLEXOR_RUN((task)->uxTaskNumber);                         \
    else if ((task)->uxTaskNumber)                              \
      PLEXOR_READY((task)->uxTaskNumber);                       \
  } while (0)
#define traceENTER_vTaskPlaceOnEventList(list, ticks) PLEXOR_BLOCKED(PLEXOR_RUNNING_)
#define traceENTER_vTaskPlaceOnUnorderedEventList(list, value, ticks) \
  PLEXOR_BLOCKED(PLEXOR_RUNNING_)
#define traceTASK_NOTIFY_TAKE_BLOCK(index) PLEXOR_BLOCKED(PLEXOR_RUNNING_)
#define traceTASK_NOTIFY_WAIT_BLOCK(index) PLEXOR_BLOCKED(PLEXOR_RUNNING_)
#define traceTASK_SUSPEND(task) PLEXOR_BLOCKED((task)->uxTaskNumber)
#define traceTASK_DELAY() PLEXOR_SLEEPING(PLEXOR_RUNNING_)
#define traceTASK_DELAY_UNTIL(time) PLEXOR_SLEEPING(PLEXOR_RUNNING_)
#define traceTASK_PRIORITY_INHERIT(task, priority) PLEXOR_INHERIT((task)->uxTaskNumber)
#define traceENTER_xTaskIncrementTick() \
  PLEXOR_SEND_(PLEXOR_ZONE_TICK, PLEXOR_CLASS_ISR_ENTER, PLEXOR_ISR_TICK)
#define traceRETURN_xTaskIncrementTick(is_needed) \
  PLEXOR_SEND_(PLEXOR_ZONE_TICK, PLEXOR_CLASS_ISR_EXIT, PLEXOR_ISR_TICK)

#else

#define PLEXOR_TASK(handle, number) (void)0

#endif

#endif
