/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The wire format of protocol buffers, as much of it as profiles need (protobuf.dev, "Encoding"):
 * numbers of 7 bits a byte, and stretches of bytes. Private to trace/stacks.
 */
#ifndef TRACE_STACKS_WIRE_H
#define TRACE_STACKS_WIRE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"
#include "base/text.h"

/* A message that is read: what is left of it. */
struct wire_message {
  struct slice left;
  bool broken; /* bytes that are no message were met */
};

struct wire_field {
  uint32_t number;
  bool is_bytes;
  uint64_t value; /* of a number */
  struct slice bytes;
};

/* The next field; false at the end, and when the message is broken. */
bool wire_next(struct wire_message *wire, struct wire_field *field);

/* The next number of a packed list. */
bool wire_number(struct wire_message *wire, uint64_t *value);

void wire_put_number(struct text *out, uint32_t field, uint64_t value);
void wire_put_bytes(struct text *out, uint32_t field, struct slice bytes);
void wire_put_packed(struct text *out, uint64_t value); /* without a field */

#endif
