// SPDX-License-Identifier: Apache-2.0
# Startup of every image: a stack, cleared .bss, then main; main does not come back.
.section .start, "ax"
.globl _start
_start:
  la sp, __freertos_irq_stack_top
  la t0, __bss_start
  la t1, __bss_end
1:
  bgeu t0, t1, 2f
  sw zero, 0(t0)
  addi t0, t0, 4
  j 1b
2:
  call main
3:
  j 3b
