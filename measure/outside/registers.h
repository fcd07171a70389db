/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where registers are in what a probe sees of a thread: struct pt_regs of x86-64 (asm/ptrace.h).
 */
#ifndef MEASURE_OUTSIDE_REGISTERS_H
#define MEASURE_OUTSIDE_REGISTERS_H

enum {
  PLACE_R15 = 0,
  PLACE_R14 = 8, /* of Go: the goroutine */
  PLACE_R13 = 16,
  PLACE_R12 = 24,
  PLACE_BP = 32,
  PLACE_BX = 40,
  PLACE_R11 = 48,
  PLACE_R10 = 56,
  PLACE_R9 = 64,
  PLACE_R8 = 72,
  PLACE_AX = 80,
  PLACE_CX = 88,
  PLACE_DX = 96,
  PLACE_SI = 104,
  PLACE_DI = 112,
  PLACE_IP = 128,
  PLACE_SP = 152,
  REGISTERS_C = 6, /* arguments in registers; System V ABI, AMD64 supplement, 3.2.3 */
  REGISTERS_GO = 9 /* the Go internal ABI specification (cmd/compile/abi-internal.md), amd64 */
};

static const int registers_c[REGISTERS_C] = {PLACE_DI, PLACE_SI, PLACE_DX,
                                             PLACE_CX, PLACE_R8, PLACE_R9};
/* Also of results. */
static const int registers_go[REGISTERS_GO] = {PLACE_AX, PLACE_BX, PLACE_CX,  PLACE_DI, PLACE_SI,
                                               PLACE_R8, PLACE_R9, PLACE_R10, PLACE_R11};

#endif
