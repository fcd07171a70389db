/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a probe reads, as written behind a field's name:
 *
 *   arg1                    an argument: of a function, a USDT probe, a system call
 *   ret, ret2               a result; the second one is Go's
 *   prev_pid                a field of a tracepoint
 *   goroutine               which goroutine it is, while that lives (abi: go)
 *   begun                   when the call began, of a return or a socket
 *   stack                   where arguments on the stack begin: *(stack+8); Go passes structures
 *                           there that are too large for its registers
 *   arg1 i32                its lowest 32 bits, with their sign
 *   *(arg1+16) be32         32 bits, big-endian, from 16 bytes behind where arg1 points
 *   *(*(arg1+8)+24) u32     and by two pointers
 *   *(data+2) be16          of a socket: of the message that is sent or received
 *   string(arg1, 64)        up to the first NUL, of at most 64 bytes
 *   string(arg2, arg3, 64)  of length arg3, at most 64
 *
 * Types are u8 u16 u32 u64, i8 i16 i32 i64 with a sign, and be16 be32 be64.
 */
#ifndef MEASURE_OUTSIDE_EXPRESSION_H
#define MEASURE_OUTSIDE_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "measure/outside/event.h"

enum read_base {
  READ_ARGUMENT,
  READ_RESULT,
  READ_FIELD,
  READ_GOROUTINE,
  READ_STACK,
  READ_NUMBER,
  READ_BEGUN,
};

enum { READ_POINTERS = 4 };

/* add[0] is added to the base, which is then followed `pointers` times, with add[i] added to what
 * was found the i-th time. */
struct read_value {
  enum read_base base;
  uint64_t number;              /* of an argument or result, from 1; or itself */
  char field[OUTSIDE_NAME + 1]; /* of a tracepoint */
  unsigned pointers;
  int32_t add[READ_POINTERS + 1];
};

struct read_expression {
  bool is_text;
  struct read_value value; /* of a text: where it begins */
  /* of a number */
  unsigned width; /* bytes: 1, 2, 4, 8 */
  bool has_sign, big_endian, typed;
  /* of a text */
  bool has_length;
  struct read_value length;
  unsigned most;
};

/* False with what is wrong and the remedy in `message`. */
bool expression_parse(struct read_expression *expression, const char *text, char *message,
                      size_t size);

#endif
