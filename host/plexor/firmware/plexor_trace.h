// SPDX-License-Identifier: Apache-2.0
// Codes of Plexor: what a device does, on spare pins of it. One header, no library, no state.
//
// A code of PLEXOR_CODE_BITS bits is a class (the upper four bits) and an id. One macro sends one
// code with one store on most ports, from any context, and changes no memory:
//
//   PLEXOR_RUN(task) PLEXOR_READY(task) PLEXOR_BLOCKED(task) PLEXOR_SLEEPING(task)
//   PLEXOR_INHERIT(task)                 the states of a task; the last RUN says which one runs
//   PLEXOR_ISR_ENTER(isr) PLEXOR_ISR_EXIT(isr)
//   PLEXOR_ENTER(function) PLEXOR_EXIT(function), or PLEXOR_CALL(function) at the beginning of a
//                                        scope, which sends EXIT wherever it is left
//   PLEXOR_SET(state)                    a state of the user's
//   PLEXOR_VALUE(value)                  32 bits in several codes; an interrupt's may come between
//   PLEXOR_USER(class, id)               classes 13 to 15, free
//
// PLEXOR_ALL_CALLS(); at file scope, once in the program, sends ENTER and EXIT of every function that
// is compiled with -finstrument-functions. The id is its address from bit PLEXOR_CALLS_BIT (2) on:
// unique, if the code is not longer than PLEXOR_IDS << PLEXOR_CALLS_BIT bytes. It takes a port of 16
// bits to be so. Give PLEXOR_CALL or names to none then.
//
// Names stand at file scope, once in the program, with literal numbers (or macros for such):
//
//   PLEXOR_TASK_NAME(1, "motor"); PLEXOR_ISR_NAME(0, "uart"); PLEXOR_FUNCTION_NAME(3, "filter");
//   PLEXOR_STATE_NAME(2, "armed"); PLEXOR_NAME(13, 0, "other");
//
// They go to the section .plexor.names, which is not loaded: a linker script needs no change.
//
// Choices, as macros of the compiler:
//
//   PLEXOR_TRACE      0: all of this compiles to nothing, and arguments are not evaluated; 1
//   PLEXOR_ZONES      sum of the zones that are compiled, PLEXOR_ZONE_...; all
//   PLEXOR_CODE_BITS  width of the port, 6 to 16; 8
//   PLEXOR_PORT       one of PLEXOR_PORT_..., see there; needed unless PLEXOR_TRACE is 0
//   PLEXOR_ADDRESS    address of the port's register, for GPIO and STM32
//   PLEXOR_SHIFT      the register's bit that is bit 0 of a code; 0
//
// A change port does not see a code that equals the one before it.
#ifndef PLEXOR_TRACE_H
#define PLEXOR_TRACE_H

#include <stdint.h>

#ifndef PLEXOR_TRACE
#define PLEXOR_TRACE 1
#endif

// Pins of one register that a plain store may write: what else is in the register becomes 0.
#define PLEXOR_PORT_GPIO 1
// RP2040's SIO, from the RP2040 Datasheet, section 2.3.1.7 (GPIO_OUT and GPIO_OUT_XOR). There is no
// masked store: bits that differ are toggled while interrupts are off. Only one core may send codes.
#define PLEXOR_PORT_RP2040 2
// GPIOx_BSRR of an STM32, from the reference manual RM0090, section 8.4.7: bits 0 to 15 set a pin, 16
// to 31 reset it, and where both are set the pin is set. So one store writes the port and no other
// pin.
#define PLEXOR_PORT_STM32 3
// The simulated device of Plexor: the code is the address of the store. Wider codes are the data of a
// store to its register CODE: PLEXOR_PORT_GPIO with PLEXOR_ADDRESS 0x80000034.
#define PLEXOR_PORT_VEXRISCV 4

#define PLEXOR_ZONE_RUN 1     // which task runs
#define PLEXOR_ZONE_STATES 2  // the other states of tasks
#define PLEXOR_ZONE_ISR 4
#define PLEXOR_ZONE_CALLS 8
#define PLEXOR_ZONE_USER 16  // SET, VALUE and USER
#define PLEXOR_ZONE_TICK 32  // a kernel's tick as an interrupt
#ifndef PLEXOR_ZONES
#define PLEXOR_ZONES 63
#endif

#ifndef PLEXOR_CODE_BITS
#define PLEXOR_CODE_BITS 8
#endif
#define PLEXOR_ID_BITS (PLEXOR_CODE_BITS - 4)
#define PLEXOR_IDS (1 << PLEXOR_ID_BITS)

#define PLEXOR_CLASS_RUN 1
#define PLEXOR_CLASS_READY 2
#define PLEXOR_CLASS_BLOCKED 3
#define PLEXOR_CLASS_SLEEPING 4
#define PLEXOR_CLASS_INHERIT 5
#define PLEXOR_CLASS_ISR_ENTER 6
#define PLEXOR_CLASS_ISR_EXIT 7
#define PLEXOR_CLASS_ENTER 8
#define PLEXOR_CLASS_EXIT 9
#define PLEXOR_CLASS_SET 10
#define PLEXOR_CLASS_VALUE_A 11
#define PLEXOR_CLASS_VALUE_B 12

#ifdef __cplusplus
#define PLEXOR_ASSERT_(right, text) static_assert(right, text)
#else
#define PLEXOR_ASSERT_(right, text) _Static_assert(right, text)
#endif

#if PLEXOR_TRACE

#if PLEXOR_CODE_BITS < 6 || PLEXOR_CODE_BITS > 16
#error "PLEXOR_CODE_BITS must be 6 to 16"
#endif
#ifndef PLEXOR_SHIFT
#define PLEXOR_SHIFT 0
#endif
#define PLEXOR_MASK_ (((1u << PLEXOR_CODE_BITS) - 1) << PLEXOR_SHIFT)
#define PLEXOR_REGISTER_(address) (*(volatile uint32_t *)(uintptr_t)(address))
#define PLEXOR_INLINE_ __attribute__((always_inline, no_instrument_function)) static inline

#if PLEXOR_PORT == PLEXOR_PORT_GPIO
PLEXOR_INLINE_ void plexor_send(uint32_t code) {
  PLEXOR_REGISTER_(PLEXOR_ADDRESS) = code << PLEXOR_SHIFT;
}
#elif PLEXOR_PORT == PLEXOR_PORT_STM32
#if PLEXOR_CODE_BITS + PLEXOR_SHIFT > 16
#error "PLEXOR_SHIFT: a port of an STM32 has 16 pins"
#endif
PLEXOR_INLINE_ void plexor_send(uint32_t code) {
  PLEXOR_REGISTER_(PLEXOR_ADDRESS) = PLEXOR_MASK_ << 16 | code << PLEXOR_SHIFT;
}
#elif PLEXOR_PORT == PLEXOR_PORT_RP2040
#if PLEXOR_CODE_BITS + PLEXOR_SHIFT > 30
#error "PLEXOR_SHIFT: RP2040 has 30 pins"
#endif
PLEXOR_INLINE_ void plexor_send(uint32_t code) {
  uint32_t masked;
  __asm__ volatile("mrs %0, primask\n\tcpsid i" : "=r"(masked)::"memory");
  // GPIO_OUT_XOR and GPIO_OUT.
  PLEXOR_REGISTER_(0xd000001cu) =
      (PLEXOR_REGISTER_(0xd0000010u) ^ code << PLEXOR_SHIFT) & PLEXOR_MASK_;
  __asm__ volatile("msr primask, %0" ::"r"(masked) : "memory");
}
#elif PLEXOR_PORT == PLEXOR_PORT_VEXRISCV
#if PLEXOR_CODE_BITS > 8
#error "PLEXOR_CODE_BITS: the simulated device's port has 8"
#endif
PLEXOR_INLINE_ void plexor_send(uint32_t code) {
  *(volatile uint8_t *)(uintptr_t)(0xffffff00u + code) = 0;
}
#else
#error "PLEXOR_PORT must be one of PLEXOR_PORT_GPIO, _RP2040, _STM32, _VEXRISCV"
#endif

// Lowest bits first. Two classes in turns, so that equal parts differ.
PLEXOR_INLINE_ void plexor_send_value(uint32_t value) {
  for (int part = 0; part * PLEXOR_ID_BITS < 32; part++, value >>= PLEXOR_ID_BITS)
    plexor_send((uint32_t)(PLEXOR_CLASS_VALUE_A + part % 2) << PLEXOR_ID_BITS |
                (value & (PLEXOR_IDS - 1)));
}

PLEXOR_INLINE_ void plexor_left(const uint32_t *function) {
  plexor_send((uint32_t)PLEXOR_CLASS_EXIT << PLEXOR_ID_BITS | *function);
}

#define PLEXOR_SEND_(zone, class, id)                                                        \
  do {                                                                                       \
    if ((PLEXOR_ZONES) & (zone)) plexor_send(((uint32_t)(class) << PLEXOR_ID_BITS) + (id));  \
  } while (0)
#define PLEXOR_VALUE(value)                                                \
  do {                                                                     \
    if ((PLEXOR_ZONES) & PLEXOR_ZONE_USER) plexor_send_value(value);       \
  } while (0)
#if (PLEXOR_ZONES) & PLEXOR_ZONE_CALLS
#define PLEXOR_CALL(function)                                                              \
  __attribute__((cleanup(plexor_left))) const uint32_t plexor_called = (uint32_t)(function); \
  PLEXOR_ENTER(plexor_called)
#else
#define PLEXOR_CALL(function) (void)0
#endif
#ifndef PLEXOR_CALLS_BIT
#define PLEXOR_CALLS_BIT 2
#endif
#ifdef __cplusplus
#define PLEXOR_C_ extern "C"
#else
#define PLEXOR_C_
#endif
#define PLEXOR_BY_ADDRESS_(name, class)                                                    \
  PLEXOR_C_ __attribute__((no_instrument_function)) void name(void *function, void *site); \
  void name(void *function, void *site) {                                                  \
    (void)site;                                                                            \
    plexor_send((uint32_t)(class) << PLEXOR_ID_BITS |                                      \
                ((uint32_t)((uintptr_t)function >> PLEXOR_CALLS_BIT) & (PLEXOR_IDS - 1))); \
  }
#define PLEXOR_ALL_CALLS()                                             \
  PLEXOR_BY_ADDRESS_(__cyg_profile_func_enter, PLEXOR_CLASS_ENTER)     \
  PLEXOR_BY_ADDRESS_(__cyg_profile_func_exit, PLEXOR_CLASS_EXIT)       \
  PLEXOR_ASSERT_(1, "")
#define PLEXOR_TEXT_(value) #value
#define PLEXOR_NAMED_(class, id, name)                                                   \
  __asm__(".pushsection .plexor.names,\"\",%progbits\n\t.asciz \"" PLEXOR_TEXT_(class) " " \
          PLEXOR_TEXT_(id) " " name "\"\n\t.popsection");                                \
  PLEXOR_ASSERT_((class) < 16 && (id) < PLEXOR_IDS, "the code does not fit in the port")

#else

// `sizeof` evaluates nothing, but a variable that is only sent counts as used.
#define PLEXOR_SEND_(zone, class, id) (void)sizeof(id)
#define PLEXOR_VALUE(value) (void)sizeof(value)
#define PLEXOR_CALL(function) (void)sizeof(function)
#define PLEXOR_ALL_CALLS() PLEXOR_ASSERT_(1, "")
#define PLEXOR_NAMED_(class, id, name) PLEXOR_ASSERT_(1, "")

#endif

#define PLEXOR_RUN(task) PLEXOR_SEND_(PLEXOR_ZONE_RUN, PLEXOR_CLASS_RUN, task)
#define PLEXOR_READY(task) PLEXOR_SEND_(PLEXOR_ZONE_STATES, PLEXOR_CLASS_READY, task)
#define PLEXOR_BLOCKED(task) PLEXOR_SEND_(PLEXOR_ZONE_STATES, PLEXOR_CLASS_BLOCKED, task)
#define PLEXOR_SLEEPING(task) PLEXOR_SEND_(PLEXOR_ZONE_STATES, PLEXOR_CLASS_SLEEPING, task)
#define PLEXOR_INHERIT(task) PLEXOR_SEND_(PLEXOR_ZONE_STATES, PLEXOR_CLASS_INHERIT, task)
#define PLEXOR_ISR_ENTER(isr) PLEXOR_SEND_(PLEXOR_ZONE_ISR, PLEXOR_CLASS_ISR_ENTER, isr)
#define PLEXOR_ISR_EXIT(isr) PLEXOR_SEND_(PLEXOR_ZONE_ISR, PLEXOR_CLASS_ISR_EXIT, isr)
#define PLEXOR_ENTER(function) PLEXOR_SEND_(PLEXOR_ZONE_CALLS, PLEXOR_CLASS_ENTER, function)
#define PLEXOR_EXIT(function) PLEXOR_SEND_(PLEXOR_ZONE_CALLS, PLEXOR_CLASS_EXIT, function)
#define PLEXOR_SET(state) PLEXOR_SEND_(PLEXOR_ZONE_USER, PLEXOR_CLASS_SET, state)
#define PLEXOR_USER(class, id) PLEXOR_SEND_(PLEXOR_ZONE_USER, class, id)

#define PLEXOR_NAME(class, id, name) PLEXOR_NAMED_(class, id, name)
#define PLEXOR_TASK_NAME(task, name) PLEXOR_NAMED_(PLEXOR_CLASS_RUN, task, name)
#define PLEXOR_ISR_NAME(isr, name) PLEXOR_NAMED_(PLEXOR_CLASS_ISR_ENTER, isr, name)
#define PLEXOR_FUNCTION_NAME(function, name) PLEXOR_NAMED_(PLEXOR_CLASS_ENTER, function, name)
#define PLEXOR_STATE_NAME(state, name) PLEXOR_NAMED_(PLEXOR_CLASS_SET, state, name)

#endif
