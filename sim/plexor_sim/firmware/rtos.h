// SPDX-License-Identifier: Apache-2.0
// What the programs with FreeRTOS share. Each is one file, which includes this.
#pragma once

#include "FreeRTOS.h"
#include "soc.h"
#include "task.h"

enum { STACK_WORDS = 256 };

// Whether strikes wake the tasks that answer them.
#ifdef PLEXOR_ISR_ALONE
enum { WAKES_TASKS = 0 };
#else
enum { WAKES_TASKS = 1 };
#endif

// The stack comes first: an overflow then spares the block, which the kernel's stack check needs.
typedef struct {
  StackType_t stack[STACK_WORDS];
  StaticTask_t block;
} Task;

PLEXOR_ALL_CALLS();
PLEXOR_TASK_NAME(0, "idle");
PLEXOR_ISR_NAME(PLEXOR_ISR_TICK, "tick");

#if PLEXOR_TRACE
// Room behind the code: data begins where it does without codes, but for whole pages, of which each
// fills the data cache. So a difference in latency is the codes' own.
__asm__(".pushsection .room,\"a\"\n\t.balign 4096\n\t.skip 0xa6c\n\t.popsection");
#endif

void freertos_risc_v_application_exception_handler(void) {
  uint32_t pc;
  CSR_READ("mepc", pc);
  trap(TRAP_EXCEPTION, pc);
}

void vApplicationStackOverflowHook(TaskHandle_t task, char *name) {
  (void)name;
  trap(TRAP_STACK, (uint32_t)(uintptr_t)task);
}

void assert_failed(uint32_t line) { trap(TRAP_ASSERT, line); }

// Has the kernel take all traps; to be called before anything else.
static inline void take_traps(void) {
  extern void freertos_risc_v_trap_handler(void);
  CSR_WRITE("mtvec", (uintptr_t)freertos_risc_v_trap_handler);
}

#if PLEXOR_BUS
// As the kernel's, but for the number of the core, which this one does not have.
void vPortSetupTimerInterrupt(void) {
  extern volatile uint64_t *pullMachineTimerCompareRegister;
  extern uint64_t ullNextTime;
  extern const size_t uxTimerIncrementsForOneTick;
  pullMachineTimerCompareRegister = (volatile uint64_t *)configMTIMECMP_BASE_ADDRESS;
  ullNextTime = MTIME + (uint64_t)uxTimerIncrementsForOneTick;  // it starts at 0
  *pullMachineTimerCompareRegister = ullNextTime;
  ullNextTime += uxTimerIncrementsForOneTick;
}
#endif

// `number` is the task's in codes.
static inline TaskHandle_t start(Task *task, TaskFunction_t run, uint32_t parameter, int priority,
                                 uint32_t number) {
  (void)number;
  TaskHandle_t handle = xTaskCreateStatic(run, "task", STACK_WORDS, (void *)(uintptr_t)parameter,
                                          priority, task->stack, &task->block);
  PLEXOR_TASK(handle, number);
  return handle;
}
