/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which instruction of a function to put a probe on. Behind a breakpoint the kernel does what the
 * instruction would have done: jumps, calls, pushes and the nop of one byte by itself
 * (arch/x86/kernel/uprobes.c: branch_setup_xol_ops, push_setup_xol_ops, since Linux 4.16), all
 * others by letting the processor step over a copy, a second trap. That one costs as much as the
 * first; in virtual machines, whose host takes part in it, twenty times as much.
 */
#ifndef MEASURE_OUTSIDE_STEPPED_H
#define MEASURE_OUTSIDE_STEPPED_H

#include <stdbool.h>
#include <stddef.h>

/* Whether the processor must step over the instruction that the `size` bytes begin with. */
bool stepped(const unsigned char *code, size_t size);

/* Whether the kernel refuses a probe on it (arch/x86/kernel/uprobes.c: is_prefix_bad and its tables
 * of instructions, Linux 6.18): one that reads or writes ports or stops the processor, one with a
 * lock or an old segment's prefix, and some with vectors. Where no process has the file in memory
 * yet it would do so without a word. `wide`: of 64 bits. */
bool stepped_refused(const unsigned char *code, size_t size, bool wide);

/* Whether the program would not survive that the instruction is stepped over, though the kernel lets
 * it be probed (tried with Linux 6.18): a system call, which the kernel then returns from to where
 * nothing is; and one that stores the flags, with that of the step among them, which a popf takes up
 * again. `wide` as above. */
bool stepped_deadly(const unsigned char *code, size_t size, bool wide);

/* How far behind the beginning of a function its first instruction is that is not stepped, where
 * straight code leads to it, which writes nothing to memory and none of the registers `kept` (bit n:
 * register n as instructions number them, 0 rax, 1 rcx, 2 rdx, 3 rbx, 4 rsp, 5 rbp, 6 rsi, 7 rdi, 8
 * to 15), and to which the function does not come back. Otherwise 0. Go's functions compare the
 * stack's end first, and then jump: there it is the jump. `size`: that of the function. */
size_t stepped_avoid(const unsigned char *code, size_t size, unsigned kept);

#endif
