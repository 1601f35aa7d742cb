// SPDX-License-Identifier: Apache-2.0
// Useless work of several kinds, each of which loads another part of the core. Also the two library
// functions that compilers assume.
#include "soc.h"

#include <string.h>

// Twice the data cache, so that a pass over it also evicts the kernel's data.
static uint32_t area[2048];
static volatile uint32_t sink;

uint32_t work_random(uint32_t *state) {
  *state = *state * 1664525u + 1013904223u;
  return *state >> 16;
}

void work_memory(void) {
  for (size_t i = 0; i < 2048; i += 4) area[i] = area[2047 - i] + i;
}

void work_branch(uint32_t *state) {
  for (int i = 0; i < 64; i++) {
    uint32_t word = work_random(state);
    for (int bit = 0; bit < 8; bit++, word >>= 1)
      if (word & 1)
        sink = word;
      else
        __asm volatile("");
  }
}

void work_divide(uint32_t *state) {
  uint32_t value = 0xffffffffu;
  for (int i = 0; i < 32; i++) value = value / ((work_random(state) & 3) + 1) + 0x80000000u;
  sink = value;
}

void work_cycles(uint32_t cycles) {
  uint32_t start, now;
  READ_CYCLES(start);
  do READ_CYCLES(now);
  while (now - start < cycles);
}

void *memset(void *to, int value, size_t size) {
  for (volatile char *byte = to; size--;) *byte++ = (char)value;
  return to;
}

void *memcpy(void *restrict to, const void *restrict from, size_t size) {
  volatile char *byte = to;
  for (const char *source = from; size--;) *byte++ = *source++;
  return to;
}
