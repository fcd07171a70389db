/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/stacks/wire.h"

enum { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2, WIRE_FIXED32 = 5 };

bool wire_number(struct wire_message *wire, uint64_t *value) {
  *value = 0;
  for (unsigned shift = 0; shift < 64 && wire->left.length != 0; shift += 7) {
    unsigned char byte = (unsigned char)*wire->left.start++;
    wire->left.length--;
    *value |= (uint64_t)(byte & 0x7f) << shift;
    if (byte < 0x80)
      return true;
  }
  wire->broken = true;
  return false;
}

static bool take_bytes(struct wire_message *wire, uint64_t length, struct slice *bytes) {
  if (length > wire->left.length) {
    wire->broken = true;
    return false;
  }
  *bytes = (struct slice){wire->left.start, (size_t)length};
  wire->left.start += length;
  wire->left.length -= (size_t)length;
  return true;
}

bool wire_next(struct wire_message *wire, struct wire_field *field) {
  uint64_t tag, length;
  *field = (struct wire_field){0};
  if (wire->left.length == 0 || wire->broken || !wire_number(wire, &tag))
    return false;
  field->number = tag >> 3 > UINT32_MAX ? 0 : (uint32_t)(tag >> 3);
  switch (tag & 7) {
  case WIRE_VARINT:
    return wire_number(wire, &field->value);
  case WIRE_BYTES:
    field->is_bytes = true;
    return wire_number(wire, &length) && take_bytes(wire, length, &field->bytes);
  case WIRE_FIXED64: /* profiles have none: skipped, as the number 0 of no field */
  case WIRE_FIXED32:
    field->number = 0;
    return take_bytes(wire, (tag & 7) == WIRE_FIXED64 ? 8 : 4, &field->bytes);
  default:
    wire->broken = true;
    return false;
  }
}

void wire_put_packed(struct text *out, uint64_t value) {
  char bytes[10];
  size_t length = 0;
  for (; value >= 0x80; value >>= 7)
    bytes[length++] = (char)(value | 0x80);
  bytes[length++] = (char)value;
  text_append_bytes(out, bytes, length);
}

void wire_put_number(struct text *out, uint32_t field, uint64_t value) {
  wire_put_packed(out, (uint64_t)field << 3 | WIRE_VARINT);
  wire_put_packed(out, value);
}

void wire_put_bytes(struct text *out, uint32_t field, struct slice bytes) {
  wire_put_packed(out, (uint64_t)field << 3 | WIRE_BYTES);
  wire_put_packed(out, bytes.length);
  text_append_bytes(out, bytes.start, bytes.length);
}
