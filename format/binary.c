/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Signs that bytes have: magic numbers with something behind them, and protocol buffers. */
#define _GNU_SOURCE /* memmem */
#include "format/shapes.h"

#include <ctype.h>
#include <string.h>

#include "base/wire.h"

enum { BYTES = 2 };

static bool holds(struct slice bytes, const char *word) {
  return memmem(bytes.start, bytes.length, word, strlen(word)) != NULL;
}

/* The description of the type that Go's gob puts in front. */
bool shape_vegeta_gob(const struct format_beginning *beginning) {
  struct slice bytes = beginning->bytes;
  if (bytes.length > 300)
    bytes.length = 300;
  return !beginning->text && holds(bytes, "Result") && holds(bytes, "Attack") &&
         holds(bytes, "Latency");
}

/* A byte 0, the length of its version, and the version. */
bool shape_gatling_binary(const struct format_beginning *beginning) {
  struct slice bytes = beginning->bytes;
  return bytes.length > 8 && memcmp(bytes.start, "\0\0\0\0", 4) == 0 &&
         (unsigned char)bytes.start[4] >= 5 && (unsigned char)bytes.start[4] < 32 &&
         isdigit((unsigned char)bytes.start[5]) && bytes.start[6] == '.' &&
         isdigit((unsigned char)bytes.start[7]);
}

bool shape_pcapng(const struct format_beginning *beginning) {
  struct slice bytes = beginning->bytes;
  return bytes.length >= 12 && memcmp(bytes.start, "\x0a\x0d\x0d\x0a", 4) == 0 &&
         (memcmp(bytes.start + 8, "\x4d\x3c\x2b\x1a", 4) == 0 ||
          memcmp(bytes.start + 8, "\x1a\x2b\x3c\x4d", 4) == 0);
}

/* ---- protocol buffers */

static struct wire_message message_of(struct slice bytes) {
  return (struct wire_message){.left = bytes};
}

static bool is_name_byte(char byte) {
  return isalnum((unsigned char)byte) || byte == '_' || byte == ':';
}

/* A length, then the first field, which is the name, and the start of another field. */
bool shape_metrics_protobuf(const struct format_beginning *beginning) {
  enum { NAME_TAG = 1 << 3 | BYTES, LAST_TAG = 5 << 3 | BYTES };
  struct wire_message wire = message_of(beginning->bytes);
  uint64_t length, tag, size;
  if (!wire_number(&wire, &length) || !wire_number(&wire, &tag) || tag != NAME_TAG ||
      !wire_number(&wire, &size) || size == 0 || size >= length || size >= wire.left.length)
    return false;
  for (size_t i = 0; i < size; i++)
    if (!is_name_byte(wire.left.start[i]))
      return false;
  unsigned char next = (unsigned char)wire.left.start[size];
  return next > NAME_TAG && next <= LAST_TAG;
}

/* Takes a field of bytes, as much of it as is there, with this number. */
static bool take_part(struct slice *part, struct wire_message *wire, uint64_t number) {
  uint64_t tag, length;
  if (!wire_number(wire, &tag) || tag != (number << 3 | BYTES) || !wire_number(wire, &length))
    return false;
  size_t there = length < wire->left.length ? (size_t)length : wire->left.length;
  *part = (struct slice){wire->left.start, there};
  wire->left.start += there;
  wire->left.length -= there;
  return true;
}

static bool is_tag(struct slice part, uint64_t number, uint64_t kind) {
  return part.length != 0 && (unsigned char)part.start[0] == (number << 3 | kind);
}

/* The first span, metric or log record of a resource's first scope: its bytes. */
static bool first_item(struct slice *item, struct slice bytes) {
  struct slice resource, part;
  struct wire_message outer = message_of(bytes);
  if (!take_part(&resource, &outer, 1))
    return false;
  struct wire_message inner = message_of(resource);
  if (is_tag(resource, 1, BYTES) && !take_part(&part, &inner, 1))
    return false;
  if (!take_part(&part, &inner, 2))
    return false;
  struct wire_message scope = message_of(part);
  if (is_tag(part, 1, BYTES) && !take_part(&part, &scope, 1))
    return false;
  return take_part(item, &scope, 2);
}

/* As it is, or behind a length of four bytes or of 7 bits a byte. */
static bool first_item_anywhere(struct slice *item, const struct format_beginning *beginning) {
  struct slice bytes = beginning->bytes;
  struct wire_message behind = message_of(bytes);
  uint64_t length;
  if (beginning->text)
    return false;
  if (bytes.length > 5 && bytes.start[0] == 0 && bytes.start[4] == 0x0a)
    return first_item(item, (struct slice){bytes.start + 4, bytes.length - 4});
  return first_item(item, bytes) ||
         (wire_number(&behind, &length) && length > 16 && first_item(item, behind.left));
}

bool shape_otlp_spans(const struct format_beginning *beginning) {
  struct slice item;
  return first_item_anywhere(&item, beginning) && is_tag(item, 1, BYTES) && item.length > 2 &&
         item.start[1] == 16; /* of its trace's id */
}

bool shape_otlp_metrics(const struct format_beginning *beginning) {
  struct slice item, name;
  if (!first_item_anywhere(&item, beginning))
    return false;
  struct wire_message metric = message_of(item);
  if (!take_part(&name, &metric, 1) || name.length == 0 || name.length == 16)
    return false;
  for (size_t i = 0; i < name.length; i++)
    if (!is_name_byte(name.start[i]) && strchr("./-", name.start[i]) == NULL)
      return false;
  return true;
}

/* A packet with the sequence that it is of (field 10), or its time (8). */
bool shape_perfetto(const struct format_beginning *beginning) {
  enum { TIME = 8, SEQUENCE = 10, PACKETS = 4 };
  struct wire_message wire = message_of(beginning->bytes);
  struct slice packet;
  bool told = false;
  for (int i = 0; i < PACKETS && wire.left.length != 0; i++) {
    if (!take_part(&packet, &wire, 1))
      return false;
    struct wire_message fields = message_of(packet);
    struct wire_field field;
    while (wire_next(&fields, &field))
      told =
          told || (field.kind == WIRE_NUMBER && (field.number == TIME || field.number == SEQUENCE));
  }
  return told && !beginning->text;
}

/* Two numbers, or one: the type of a value. */
static bool is_value_type(struct slice type) {
  struct wire_message fields = message_of(type);
  struct wire_field field;
  size_t numbers = 0;
  if (type.length == 0 || type.length > 12)
    return false;
  while (wire_next(&fields, &field)) {
    if (field.kind != WIRE_NUMBER || field.number == 0 || field.number > 2)
      return false;
    numbers++;
  }
  return numbers != 0 && fields.left.length == 0;
}

/* The type of a sample's first value, behind nothing but times, rates and types. */
bool shape_pprof(const struct format_beginning *beginning) {
  enum { SAMPLE_TYPE = 1, TIME = 9, PERIOD_TYPE = 11, LAST = 14, FIELDS = 8 };
  struct wire_message wire = message_of(beginning->bytes);
  struct wire_field field;
  for (int i = 0; i < FIELDS && wire_next(&wire, &field); i++) {
    if (field.number == SAMPLE_TYPE)
      return field.kind == WIRE_BYTES && is_value_type(field.bytes);
    bool number = field.kind == WIRE_NUMBER && field.number >= TIME && field.number <= LAST;
    if (!number && !(field.number == PERIOD_TYPE && is_value_type(field.bytes)))
      return false;
  }
  return false;
}
