/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/wire.h"

#include <endian.h>
#include <string.h>

enum { TYPE_VARINT = 0, TYPE_FIXED64 = 1, TYPE_BYTES = 2, TYPE_FIXED32 = 5 };
enum { FIELD_MAX = (1 << 29) - 1, LAST_SHIFT = 63 };

/* Of more than one byte, or broken. */
static bool take_long(struct wire_message *wire, uint64_t *value) {
  *value = 0;
  for (unsigned shift = 0; shift <= LAST_SHIFT && wire->left.length != 0; shift += 7) {
    unsigned char byte = (unsigned char)*wire->left.start;
    if (shift == LAST_SHIFT && byte > 1)
      break; /* more than 64 bits */
    wire->left.start++;
    wire->left.length--;
    *value |= (uint64_t)(byte & 0x7f) << shift;
    if (byte < 0x80)
      return true;
  }
  wire->broken = true;
  return false;
}

static inline bool take_number(struct wire_message *wire, uint64_t *value) {
  if (wire->left.length == 0 || (unsigned char)*wire->left.start >= 0x80)
    return take_long(wire, value);
  *value = (unsigned char)*wire->left.start;
  wire->left.start++;
  wire->left.length--;
  return true;
}

bool wire_number(struct wire_message *wire, uint64_t *value) {
  return take_number(wire, value);
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

static bool take_fixed(struct wire_message *wire, size_t size, uint64_t *value) {
  struct slice bytes;
  *value = 0;
  if (!take_bytes(wire, size, &bytes))
    return false;
  memcpy(value, bytes.start, size);
  *value = le64toh(*value);
  return true;
}

bool wire_fixed64(struct wire_message *wire, uint64_t *value) {
  return take_fixed(wire, 8, value);
}

bool wire_next(struct wire_message *wire, struct wire_field *field) {
  uint64_t tag, length;
  *field = (struct wire_field){.at = wire->left.start};
  if (wire->left.length == 0 || wire->broken || !take_number(wire, &tag))
    return false;
  uint64_t number = tag >> 3;
  wire->broken = number == 0 || number > FIELD_MAX;
  if (wire->broken)
    return false;
  field->number = (uint32_t)number;
  switch (tag & 7) {
  case TYPE_VARINT:
    field->kind = WIRE_NUMBER;
    return take_number(wire, &field->value);
  case TYPE_BYTES:
    field->kind = WIRE_BYTES;
    return take_number(wire, &length) && take_bytes(wire, length, &field->bytes);
  case TYPE_FIXED64:
    field->kind = WIRE_FIXED64;
    return take_fixed(wire, 8, &field->value);
  case TYPE_FIXED32:
    field->kind = WIRE_FIXED32;
    return take_fixed(wire, 4, &field->value);
  default:
    wire->broken = true;
    return false;
  }
}

int64_t wire_signed(uint64_t value) {
  uint64_t half = value >> 1;
  return value & 1 ? -(int64_t)half - 1 : (int64_t)half;
}

double wire_double(uint64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
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
  wire_put_packed(out, (uint64_t)field << 3 | TYPE_VARINT);
  wire_put_packed(out, value);
}

void wire_put_bytes(struct text *out, uint32_t field, struct slice bytes) {
  wire_put_packed(out, (uint64_t)field << 3 | TYPE_BYTES);
  wire_put_packed(out, bytes.length);
  text_append_bytes(out, bytes.start, bytes.length);
}
