/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What of the processor is needed to follow a stack: which registers to ask the kernel for, and
 * their numbers in unwind tables. Elsewhere only the kernel's frame pointers are followed.
 */
#ifndef MEASURE_PROFILE_MACHINE_H
#define MEASURE_PROFILE_MACHINE_H

/* The kernel's numbers (asm/perf_regs.h), in the order in which it gives them; DWARF's (System V
 * ABI, AMD64 supplement, figure 3.36; its return address is 16). */
#if defined __x86_64__
#define MACHINE_UNWINDS 1
#define MACHINE_REGISTERS (1u << 6 | 1u << 7 | 1u << 8) /* BP, SP, IP */
#define MACHINE_DWARF_FRAME 6
#define MACHINE_DWARF_STACK 7
#define MACHINE_DWARF_RETURN 16
#else
#define MACHINE_UNWINDS 0
#define MACHINE_REGISTERS 0u
#define MACHINE_DWARF_FRAME 0
#define MACHINE_DWARF_STACK 0
#define MACHINE_DWARF_RETURN 0
#endif

/* Places among struct ring_event's registers. */
enum { MACHINE_FRAME, MACHINE_STACK, MACHINE_PLACE };

#endif
