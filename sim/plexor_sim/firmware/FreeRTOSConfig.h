// SPDX-License-Identifier: Apache-2.0
// FreeRTOS V11.2.0 on device/soc.v. Everything is allocated statically, so what does not fit in RAM
// does not link. A program that needs more of the kernel says so by macros of the compiler.
#pragma once

#include <stdint.h>

#define configCPU_CLOCK_HZ 50000000  // the device's default clock; a faster one ticks faster
#define configTICK_RATE_HZ 1000
#define configMTIME_BASE_ADDRESS 0x80000040
#define configMTIMECMP_BASE_ADDRESS 0x80000048

#define configUSE_PREEMPTION 1
#ifndef configUSE_TIME_SLICING
#define configUSE_TIME_SLICING 1
#endif
#define configUSE_PORT_OPTIMISED_TASK_SELECTION 0
#define configMAX_PRIORITIES 8  // loads 1 and 2, strikes 3 to 5, polygons 7
#define configTICK_TYPE_WIDTH_IN_BITS TICK_TYPE_WIDTH_32_BITS
#define configMINIMAL_STACK_SIZE 256
#define configMAX_TASK_NAME_LEN 8
#define configIDLE_SHOULD_YIELD 1
#define configUSE_IDLE_HOOK 0
#define configUSE_TICK_HOOK 0

#define configUSE_TASK_NOTIFICATIONS 1
#ifndef configUSE_MUTEXES
#define configUSE_MUTEXES 0
#endif
#define configUSE_COUNTING_SEMAPHORES 0
#define configUSE_TIMERS 0
#define configSUPPORT_STATIC_ALLOCATION 1
#ifndef configSUPPORT_DYNAMIC_ALLOCATION
#define configSUPPORT_DYNAMIC_ALLOCATION 0
#endif
#ifndef configTOTAL_HEAP_SIZE
#define configTOTAL_HEAP_SIZE 4096
#endif
#define configKERNEL_PROVIDED_STATIC_MEMORY 1

#define configCHECK_FOR_STACK_OVERFLOW 1

#define INCLUDE_vTaskDelay 1

#ifndef __ASSEMBLER__
void assert_failed(uint32_t line);
#endif
#define configASSERT(x) \
  if (!(x)) assert_failed(__LINE__)

#include "plexor_freertos.h"
