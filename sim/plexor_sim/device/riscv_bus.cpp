// SPDX-License-Identifier: Apache-2.0
// The device of riscv.cpp with a core that has no caches, and one bus with wait states: see bus.h.
#define PLEXOR_BUS 1
#include "riscv.cpp"
