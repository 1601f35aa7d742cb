// SPDX-License-Identifier: Apache-2.0
// What the executor needs of a board: here device/soc.v. For a board of your own write a header of
// this name with the same functions; docs/do/executor.md has the steps.
#pragma once

#include "rtos.h"  // FreeRTOS, its hooks, and the registers of device/soc.v

// Pins of the timecode that are read, 1 to 16.
#define BOARD_TIMECODE_BITS 8

// The kernel's handler of the board's interrupts: a change of the timecode's pins, and a byte
// received.
#define BOARD_INTERRUPT freertos_risc_v_application_interrupt_handler

// Once, before the scheduler starts: sets the serial line's rate, and lets both interrupts come.
static inline void board_start(void) {
  take_traps();
  CSR_WRITE(IRQ_MASK, IRQ_STEP | IRQ_UART);
}

// Once, when both tasks wait for their interrupts.
static inline void board_ready(void) { READY = 0; }

// The timecode's pins. All must come from one read of one port.
static inline uint32_t board_timecode(void) { return TIMECODE; }

// Not 0: they are a Gray code.
static inline uint32_t board_timecode_is_gray(void) { return SETTING & 1; }

// In the interrupt: whether the timecode's pins have changed; forgets that they have.
static inline uint32_t board_stepped(void) {
  const uint32_t stepped = STEP;
  STEP = stepped;
  return stepped;
}

// In the interrupt: whether a byte has come, and that byte.
static inline uint32_t board_serial_waits(void) { return UART_STATE & 0xff; }
static inline uint8_t board_serial_read(void) {
  const uint8_t byte = (uint8_t)UART_BYTE;
  UART_TAKE = 1;
  return byte;
}

// Whether a byte can be sent, and that.
static inline uint32_t board_serial_has_room(void) { return UART_STATE >> 8; }
static inline void board_serial_write(uint8_t byte) { UART_SEND = byte; }

// Puts a code on the code port.
static inline void board_fire(uint8_t code) { *(volatile uint8_t *)(0xffffff00u + code) = 0; }
