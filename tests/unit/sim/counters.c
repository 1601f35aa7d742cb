// Shows what time it is: at each strike the three counters, byte by byte, on the pins. With the
// load `critical`, pin 0 changes whenever a counter's upper word does, each 8192 cycles: until then
// the loop that looks at it reads the same.
#include "soc.h"

#define MTIME REGISTER(0x40)

static void show(uint32_t value) {
  for (int byte = 0; byte < 4; byte++, value >>= 8) {
    OUT_SET = value & 0xff;
    OUT_CLR = 0xff;
  }
}

__attribute__((interrupt, aligned(4))) static void on_trap(void) {
  uint32_t cycles, retired;
  CSR_READ("mcycle", cycles);
  CSR_READ("minstret", retired);
  show(MTIME);
  show(cycles);
  show(retired);
  STRIKE = IRQ_STRIKES;
}

int main(void) {
  CSR_WRITE("mtvec", (uintptr_t)on_trap);
  CSR_WRITE(IRQ_MASK, IRQ_STRIKES);
  CSR_SET("mie", 0x800);
  CSR_SET("mstatus", 8);
  READY = LOAD_CRITICAL;
  for (uint32_t level = 0;; level ^= 1) {
    uint32_t high = 0;
    CSR_WRITE("mcycleh", 0);
    CSR_WRITE("mcycle", -8192);
    if (level) OUT_SET = 1;
    else OUT_CLR = 1;
    do
      if (SELECT) CSR_READ("mcycleh", high);
    while (!high);
  }
}
