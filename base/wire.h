/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The wire format of protocol buffers (protobuf.dev, "Encoding"): messages as a list of numbered
 * fields, each a number or a stretch of bytes. What the fields of a message mean, its reader knows.
 * Groups, which nobody writes any more, are refused. Slices point into the bytes that are read.
 */
#ifndef BASE_WIRE_H
#define BASE_WIRE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"
#include "base/text.h"

/* A message that is read: what is left of it. */
struct wire_message {
  struct slice left;
  bool broken; /* bytes that are no message were met, at the start of `left` or before */
};

enum wire_kind {
  WIRE_NUMBER,  /* of 7 bits a byte: uint64, int64, sint64, bool, enumerations */
  WIRE_BYTES,   /* a text, a message, or numbers that are packed */
  WIRE_FIXED64, /* double, fixed64 */
  WIRE_FIXED32
};

struct wire_field {
  const char *at; /* where it starts */
  uint32_t number;
  enum wire_kind kind;
  uint64_t value; /* of a number, of a fixed one its bits */
  struct slice bytes;
};

/* The next field; false at the end, and when the message is broken. */
bool wire_next(struct wire_message *wire, struct wire_field *field);

/* The next number of a packed list, and the next of 8 bytes each. */
bool wire_number(struct wire_message *wire, uint64_t *value);
bool wire_fixed64(struct wire_message *wire, uint64_t *value);

/* What a number stands for: a signed one of type sint32 or sint64, and a double. */
int64_t wire_signed(uint64_t value);
double wire_double(uint64_t bits);

void wire_put_number(struct text *out, uint32_t field, uint64_t value);
void wire_put_bytes(struct text *out, uint32_t field, struct slice bytes);
void wire_put_packed(struct text *out, uint64_t value); /* without a field */

#endif
