// SPDX-License-Identifier: Apache-2.0
// What a core without multiplier and divider computes by additions: the functions that compilers call.
#include <stdint.h>

uint32_t __mulsi3(uint32_t left, uint32_t right);
uint64_t __muldi3(uint64_t left, uint64_t right);
uint32_t __udivsi3(uint32_t value, uint32_t by);
uint32_t __umodsi3(uint32_t value, uint32_t by);

uint32_t __mulsi3(uint32_t left, uint32_t right) {
  uint32_t sum = 0;
  for (; right; right >>= 1, left <<= 1)
    if (right & 1) sum += left;
  return sum;
}

uint64_t __muldi3(uint64_t left, uint64_t right) {
  uint64_t sum = 0;
  for (; right; right >>= 1, left <<= 1)
    if (right & 1) sum += left;
  return sum;
}

static uint32_t divide(uint32_t value, uint32_t by, uint32_t *rest) {
  uint32_t result = 0, left = 0;
  for (int bit = 31; bit >= 0; bit--) {
    left = left << 1 | (value >> bit & 1);
    if (left < by) continue;
    left -= by;
    result |= 1u << bit;
  }
  *rest = left;
  return result;
}

uint32_t __udivsi3(uint32_t value, uint32_t by) {
  uint32_t rest;
  return divide(value, by, &rest);
}

uint32_t __umodsi3(uint32_t value, uint32_t by) {
  uint32_t rest;
  divide(value, by, &rest);
  return rest;
}
