// SPDX-License-Identifier: Apache-2.0
// The part of <string.h> that the kernel uses; loads.c defines it.
#pragma once
#include <stddef.h>
void *memset(void *to, int value, size_t size);
void *memcpy(void *restrict to, const void *restrict from, size_t size);
