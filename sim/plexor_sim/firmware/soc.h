// SPDX-License-Identifier: Apache-2.0
// The registers of device/soc.v and what all firmwares share.
#pragma once

#include <stddef.h>
#include <stdint.h>

#define REGISTER(offset) (*(volatile uint32_t *)(0x80000000u + (offset)))
#define OUT_SET REGISTER(0x00)
#define OUT_CLR REGISTER(0x04)
#define STRIKE REGISTER(0x08)
#define LOAD REGISTER(0x0c)
#define SELECT REGISTER(0x10)
#define TRAP_VALUE REGISTER(0x20)
#define TRAP_CODE REGISTER(0x24)
#define STORM REGISTER(0x28)
#define STORM_ACK REGISTER(0x2c)
#define READY REGISTER(0x30)
#define TIMECODE REGISTER(0x50)
#define STEP REGISTER(0x54)
#define SETTING REGISTER(0x58)
#define UART_BYTE REGISTER(0x5c)
#define UART_SEND REGISTER(0x60)
#define UART_STATE REGISTER(0x64)
#define UART_RATE REGISTER(0x68)
#define UART_TAKE REGISTER(0x6c)
#define NOTE REGISTER(0x38)
#define MTIME REGISTER(0x40)

// Bits of SELECT and READY; device/riscv.cpp has their names.
enum { LOAD_CPU = 1, LOAD_CRITICAL = 2, LOAD_POLYGONS = 4, LOAD_QUEUE = 8, LOAD_STORM = 16 };

// Values of TRAP_CODE; device/riscv.cpp has the sentences.
enum { TRAP_EXCEPTION = 2, TRAP_STACK = 3, TRAP_ASSERT = 4 };

// Bits of the interrupt array: strikes 0 to 2, the storm timer, the timecode, a byte on the UART.
enum { IRQ_STRIKES = 7, IRQ_STORM = 8, IRQ_STEP = 16, IRQ_UART = 32 };

// VexRiscv's own CSRs: 0xbc0 masks the interrupt array, 0xfc0 reads what is pending and unmasked.
#define IRQ_MASK "0xbc0"
#define IRQ_PENDING "0xfc0"
#define CSR_READ(csr, value) __asm volatile("csrr %0, " csr : "=r"(value))
#if PLEXOR_BUS
#define READ_CYCLES(value) (value = MTIME)  // this core has no counter of its own
#else
#define READ_CYCLES(value) CSR_READ("mcycle", value)
#endif
#define CSR_WRITE(csr, value) __asm volatile("csrw " csr ", %0" ::"r"(value))
#define CSR_SET(csr, value) __asm volatile("csrs " csr ", %0" ::"r"(value) : "memory")
#define CSR_CLEAR(csr, value) __asm volatile("csrc " csr ", %0" ::"r"(value) : "memory")

// Pins that no strike has: CRITICAL is high while the load of that name keeps interrupts off.
enum { PIN_CRITICAL = 1 << 6 };

// The period is short and prime, so that it drifts through the phases of the tick and the strikes.
enum { STORM_PERIOD_CYCLES = 1999 };

_Noreturn static inline void trap(uint32_t code, uint32_t value) {
  TRAP_VALUE = value;
  TRAP_CODE = code;
  for (;;) {
  }
}

// loads.c: useless work. Each call returns within a few thousand cycles.
uint32_t work_random(uint32_t *state);
void work_memory(void);
void work_branch(uint32_t *state);
void work_divide(uint32_t *state);
void work_cycles(uint32_t cycles);
