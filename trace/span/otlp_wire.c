/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/span/otlp_wire.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/wire.h"
#include "trace/span/kind.h"
#include "trace/span/value.h"

enum {
  FIELD_HEAD_MAX = 20, /* a tag and a length, or a tag and a number */
  FOUR_BYTES = 4,
  TRACE_ID_BYTES = 16,
  LINKS_MAX = 128, /* what the specification lets a span have */
};

/* A text that was met, and its name: the same few are met again and again. */
struct met {
  struct text text;
  uint32_t name;
};

enum { MET = 256, MET_LENGTH_MAX = 256 };

struct otlp_wire {
  struct met met[MET]; /* by hash */
  struct intake *intake;
  struct json_scan *scan;
  enum wire_framing framing;
  uint64_t left; /* framed: bytes of the message at hand */
  uint64_t read; /* bytes of the file before the unit at hand */
  bool taken;    /* a message was, whole */
  bool ended;
  VECTOR(struct span_tag) tags; /* of the resource, then of the span at hand */
  size_t resource_tags;
  uint32_t service, instance; /* of the resource */
  uint8_t rank;               /* of what says the instance */
  struct text written;        /* a text as JSON has it */
  enum status status;         /* of the intake */
};

/* ---- failures */

static bool fail(struct otlp_wire *otlp, const char *place, const char *what) {
  struct json_scan *scan = otlp->scan;
  if (scan->state == SCAN_FAILED)
    return false;
  text_clear(&scan->message);
  text_format(&scan->message, "%s: byte %" PRIu64 ": %s", scan->name,
              otlp->read + (uint64_t)(place - scan->unit), what);
  scan->state = SCAN_FAILED;
  scan->status = STATUS_DATA;
  return false;
}

static bool fail_damaged(struct otlp_wire *otlp, const char *place) {
  return fail(otlp, place, "no message of OTLP; the file is damaged: fetch or write it again");
}

/* More bytes are needed. */
static bool starve(struct otlp_wire *otlp) {
  if (!otlp->scan->ended)
    return scan_starve(otlp->scan);
  if (otlp->ended)
    return true;
  if (otlp->taken && otlp->framing != FRAMING_NONE) { /* it is being written, a message at a time */
    otlp->intake->notes.broken_off++;
    otlp->scan->at = otlp->scan->end;
    otlp->ended = true;
    return true;
  }
  return fail(otlp, otlp->scan->end,
              "the file ends within a message; it is truncated: fetch or write it again");
}

/* ---- values */

/* The readers of JSON have a text as it is written there. */
static struct slice as_written(struct otlp_wire *otlp, struct slice text) {
  bool plain = true;
  for (size_t i = 0; i < text.length && plain; i++)
    plain = (unsigned char)text.start[i] >= 0x20 && text.start[i] != '\\' && text.start[i] != 0x7f;
  if (plain)
    return text;
  text_clear(&otlp->written);
  text_append(&otlp->written, "");
  for (size_t i = 0; i < text.length; i++) {
    unsigned char c = (unsigned char)text.start[i];
    if (c == '\\')
      text_append(&otlp->written, "\\\\");
    else if (c < 0x20 || c == 0x7f)
      text_append(&otlp->written, " ");
    else
      text_append_bytes(&otlp->written, &text.start[i], 1);
  }
  return (struct slice){otlp->written.data, otlp->written.length};
}

static uint32_t name_of(struct otlp_wire *otlp, struct slice text) {
  struct met *met = &otlp->met[hash_bytes(0, text) % MET];
  if (text.length == met->text.length &&
      (text.length == 0 || memcmp(text.start, met->text.data, text.length) == 0))
    return met->name;
  uint32_t name = intake_name(otlp->intake, as_written(otlp, text));
  if (text.length != 0 && text.length <= MET_LENGTH_MAX) {
    text_clear(&met->text);
    text_append_bytes(&met->text, text.start, text.length);
    met->name = name;
  }
  return name;
}

/* As few digits as tell it from others. */
static size_t print_double(char *room, size_t size, double value) {
  enum { FEW = 15, ENOUGH = 17 };
  int length = 0;
  double again = 0;
  for (int digits = FEW; digits <= ENOUGH && (digits == FEW || again != value); digits++) {
    length = snprintf(room, size, "%.*g", digits, value);
    sscanf(room, "%lf", &again);
  }
  return (size_t)length;
}

enum { NUMBER_MAX = 32 };

/* AnyValue; lists, maps and bytes are empty. False: broken. */
static bool take_value(struct slice message, struct slice *value, char room[NUMBER_MAX]) {
  struct wire_message wire = {.left = message};
  struct wire_field field;
  *value = (struct slice){"", 0};
  while (wire_next(&wire, &field)) {
    size_t length = 0;
    if (field.number == 1 && field.kind == WIRE_BYTES)
      *value = field.bytes;
    else if (field.number == 2 && field.kind == WIRE_NUMBER)
      length = (size_t)snprintf(room, NUMBER_MAX, "%s", field.value != 0 ? "true" : "false");
    else if (field.number == 3 && field.kind == WIRE_NUMBER)
      length = (size_t)snprintf(room, NUMBER_MAX, "%" PRId64, (int64_t)field.value);
    else if (field.number == 4 && field.kind == WIRE_FIXED64)
      length = print_double(room, NUMBER_MAX, wire_double(field.value));
    if (length != 0)
      *value = (struct slice){room, length};
  }
  return !wire.broken;
}

/* A KeyValue of a resource or a span. */
static bool take_attribute(struct otlp_wire *otlp, struct slice message, bool of_resource) {
  struct wire_message wire = {.left = message};
  struct wire_field field;
  struct slice key = {"", 0}, value = {"", 0};
  char room[NUMBER_MAX];
  while (wire_next(&wire, &field)) {
    if (field.number == 1 && field.kind == WIRE_BYTES)
      key = field.bytes;
    else if (field.number == 2 && field.kind == WIRE_BYTES &&
             !take_value(field.bytes, &value, room))
      return fail_damaged(otlp, field.at);
  }
  if (wire.broken)
    return fail_damaged(otlp, wire.left.start);
  uint8_t rank = of_resource ? kind_instance_rank(key) : 0;
  if (of_resource && slice_is(key, "service.name"))
    otlp->service = name_of(otlp, value);
  if (rank > otlp->rank) {
    otlp->rank = rank;
    otlp->instance = name_of(otlp, value);
  }
  if (!otlp->intake->reading->tags)
    return true;
  struct span_tag tag;
  struct text kept;
  text_init(&kept); /* both share one room */
  key = as_written(otlp, key);
  text_append_bytes(&kept, key.start, key.length);
  key = (struct slice){text_get(&kept), kept.length};
  if (intake_tag(otlp->intake, &tag, key, as_written(otlp, value)))
    vector_push(&otlp->tags, tag);
  text_clear(&kept);
  return true;
}

/* ---- spans */

struct wire_span {
  struct slice trace, id, parent, name;
  uint64_t start, end;
  enum span_kind kind;
  enum span_status status;
  size_t link_count;
  struct slice links[LINKS_MAX], link_traces[LINKS_MAX];
};

static bool take_link(struct otlp_wire *otlp, struct wire_span *span, struct slice message) {
  struct wire_message wire = {.left = message};
  struct wire_field field;
  struct slice trace = {"", 0}, id = {"", 0};
  while (wire_next(&wire, &field)) {
    if (field.number == 1 && field.kind == WIRE_BYTES)
      trace = field.bytes;
    else if (field.number == 2 && field.kind == WIRE_BYTES)
      id = field.bytes;
  }
  if (wire.broken)
    return fail_damaged(otlp, wire.left.start);
  if (span->link_count < LINKS_MAX) {
    span->link_traces[span->link_count] = trace;
    span->links[span->link_count++] = id;
  }
  return true;
}

static bool take_status(struct otlp_wire *otlp, struct wire_span *span, struct slice message) {
  struct wire_message wire = {.left = message};
  struct wire_field field;
  while (wire_next(&wire, &field))
    if (field.number == 3 && field.kind == WIRE_NUMBER)
      span->status = field.value == 1 ? SPAN_OK : field.value == 2 ? SPAN_ERROR : SPAN_UNSET;
  return !wire.broken || fail_damaged(otlp, wire.left.start);
}

static bool take_member(struct otlp_wire *otlp, struct wire_span *span,
                        const struct wire_field *field) {
  bool is_bytes = field->kind == WIRE_BYTES;
  switch (field->number) {
  case 1:
    span->trace = is_bytes ? field->bytes : span->trace;
    return true;
  case 2:
    span->id = is_bytes ? field->bytes : span->id;
    return true;
  case 4:
    span->parent = is_bytes ? field->bytes : span->parent;
    return true;
  case 5:
    span->name = is_bytes ? field->bytes : span->name;
    return true;
  case 6:
    span->kind = field->kind == WIRE_NUMBER && field->value <= SPAN_CONSUMER
                     ? (enum span_kind)field->value
                     : SPAN_UNKNOWN;
    return true;
  case 7:
    span->start = field->kind == WIRE_FIXED64 ? field->value : 0;
    return true;
  case 8:
    span->end = field->kind == WIRE_FIXED64 ? field->value : 0;
    return true;
  case 9:
    return !is_bytes || take_attribute(otlp, field->bytes, false);
  case 13:
    return !is_bytes || take_link(otlp, span, field->bytes);
  case 15:
    return !is_bytes || take_status(otlp, span, field->bytes);
  default:
    return true;
  }
}

typedef char hex_id[2 * TRACE_ID_BYTES];

/* In hexadecimal digits; empty for zeros, and where it has more bytes than an id. */
static struct slice id_of(hex_id room, struct slice bytes) {
  bool zero = true;
  if (bytes.length > TRACE_ID_BYTES)
    return (struct slice){"", 0};
  for (size_t i = 0; i < bytes.length; i++) {
    unsigned char byte = (unsigned char)bytes.start[i];
    zero = zero && byte == 0;
    room[2 * i] = "0123456789abcdef"[byte >> 4];
    room[2 * i + 1] = "0123456789abcdef"[byte & 15];
  }
  return (struct slice){room, zero ? 0 : 2 * bytes.length};
}

/* "TRACE/SPAN" */
static struct slice foreign_link(char *room, struct slice trace, struct slice span) {
  size_t length = id_of(room, trace).length;
  room[length] = '/';
  return (struct slice){room, length + 1 + id_of(room + length + 1, span).length};
}

static bool scatter(struct otlp_wire *otlp, const struct wire_span *span, const char *place) {
  struct intake *intake = otlp->intake;
  hex_id rooms[3];
  char link_rooms[LINKS_MAX][2 * sizeof(hex_id) + 1];
  struct slice links[LINKS_MAX];
  size_t link_count = 0;
  if (span->start == 0) {
    intake->notes.untimed++;
    return true;
  }
  if (span->start > (uint64_t)SPAN_TIME_MAX || span->end > (uint64_t)SPAN_TIME_MAX)
    return fail(otlp, place,
                "a time of this span is outside of the years 1824 to 2116; check its unit");
  for (size_t i = 0; i < span->link_count; i++)
    if (slice_same(span->link_traces[i], span->trace)) {
      links[link_count] = id_of(link_rooms[link_count], span->links[i]);
      link_count++;
    } else if (intake->store->keeps_foreign) {
      links[link_count] =
          foreign_link(link_rooms[link_count], span->link_traces[i], span->links[i]);
      link_count++;
    }
  const struct span_record record = {.id = id_of(rooms[0], span->id),
                                     .parent = id_of(rooms[1], span->parent),
                                     .service = intake_text(intake, otlp->service),
                                     .instance = intake_text(intake, otlp->instance),
                                     .operation = intake_text(intake, name_of(otlp, span->name)),
                                     .start = (int64_t)span->start,
                                     .end = (int64_t)(span->end == 0 ? span->start : span->end),
                                     .mark = span->end == 0 ? SPAN_UNFINISHED : 0,
                                     .kind = span->kind,
                                     .status = span->status,
                                     .tags = otlp->tags.data,
                                     .tag_count = otlp->tags.count,
                                     .links = links,
                                     .link_count = link_count};
  intake->notes.serviceless += otlp->service == 0;
  otlp->status = intake_scatter(intake, id_of(rooms[2], span->trace), &record);
  return otlp->status == STATUS_OK;
}

static bool take_span(struct otlp_wire *otlp, struct slice message) {
  struct wire_message wire = {.left = message};
  struct wire_field field;
  struct wire_span span;
  span.trace = span.id = span.parent = span.name = (struct slice){"", 0};
  span.start = span.end = 0;
  span.kind = SPAN_UNKNOWN;
  span.status = SPAN_UNSET;
  span.link_count = 0; /* links beyond are not touched: they are many */
  otlp->tags.count = otlp->resource_tags;
  while (wire_next(&wire, &field))
    if (!take_member(otlp, &span, &field))
      return false;
  if (wire.broken)
    return fail_damaged(otlp, wire.left.start);
  return scatter(otlp, &span, message.start);
}

/* ---- what is around spans */

/* The fields of this number that are messages, each given to `take`. */
static bool each_message(struct otlp_wire *otlp, struct slice message, uint32_t number,
                         bool (*take)(struct otlp_wire *otlp, struct slice message)) {
  struct wire_message wire = {.left = message};
  struct wire_field field;
  while (wire_next(&wire, &field))
    if (field.number == number && field.kind == WIRE_BYTES && !take(otlp, field.bytes))
      return false;
  return !wire.broken || fail_damaged(otlp, wire.left.start);
}

static bool take_resource_attribute(struct otlp_wire *otlp, struct slice message) {
  return take_attribute(otlp, message, true);
}

static bool take_resource(struct otlp_wire *otlp, struct slice message) {
  return each_message(otlp, message, 1, take_resource_attribute);
}

static bool take_scope(struct otlp_wire *otlp, struct slice message) {
  return each_message(otlp, message, 2, take_span);
}

/* The resource may stand behind its spans. */
static bool take_resource_spans(struct otlp_wire *otlp, struct slice message) {
  enum { OLD_SCOPES = 1000 };
  otlp->service = otlp->instance = 0;
  otlp->rank = 0;
  otlp->tags.count = 0;
  if (!each_message(otlp, message, 1, take_resource))
    return false;
  otlp->resource_tags = otlp->tags.count;
  return each_message(otlp, message, 2, take_scope) &&
         each_message(otlp, message, OLD_SCOPES, take_scope);
}

/* ---- the file */

/* The length before a message. */
static bool take_length(struct otlp_wire *otlp) {
  struct json_scan *scan = otlp->scan;
  struct wire_message head = {.left = {scan->at, (size_t)(scan->end - scan->at)}};
  if (head.left.length == 0 && scan->ended) {
    otlp->ended = true;
    return true;
  }
  uint64_t length = 0;
  if (otlp->framing == FRAMING_VARINT) {
    if (!wire_number(&head, &length))
      return head.left.length < FIELD_HEAD_MAX ? starve(otlp) : fail_damaged(otlp, scan->at);
  } else {
    if (head.left.length < FOUR_BYTES)
      return starve(otlp);
    for (size_t i = 0; i < FOUR_BYTES; i++)
      length = length << 8 | (unsigned char)scan->at[i];
    head.left.start += FOUR_BYTES;
  }
  otlp->left = length;
  scan->at = head.left.start;
  return true;
}

/* Takes the head of a field, and says how many bytes follow it. False: it goes on beyond the bytes in
 * memory, or is none. */
static bool take_head(struct wire_message *wire, uint64_t *length) {
  uint64_t tag, number;
  *length = 0;
  if (!wire_number(wire, &tag))
    return false;
  switch (tag & 7) {
  case 0:
    return wire_number(wire, &number);
  case 1:
    *length = sizeof(uint64_t);
    return true;
  case 2:
    return wire_number(wire, length);
  case 5:
    *length = sizeof(uint32_t);
    return true;
  default:
    wire->broken = true;
    wire->left.length = FIELD_HEAD_MAX; /* more bytes do not help */
    return false;
  }
}

/* How many bytes the field at hand has; 0: they are not known, and what to return was done. */
static uint64_t field_length(struct otlp_wire *otlp, struct slice here) {
  struct wire_message wire = {.left = here};
  uint64_t length;
  if (!take_head(&wire, &length)) {
    if (here.length >= FIELD_HEAD_MAX || wire.left.length == FIELD_HEAD_MAX)
      fail_damaged(otlp, here.start);
    else
      starve(otlp);
    return 0;
  }
  uint64_t head = (uint64_t)(wire.left.start - here.start);
  return length > UINT64_MAX - head ? UINT64_MAX : head + length;
}

static bool take_unit(void *context) {
  struct otlp_wire *otlp = context;
  struct json_scan *scan = otlp->scan;
  if (otlp->framing != FRAMING_NONE && otlp->left == 0)
    return take_length(otlp);
  struct slice here = {scan->at, (size_t)(scan->end - scan->at)};
  if (here.length == 0 && scan->ended && otlp->framing == FRAMING_NONE) {
    otlp->ended = true;
    return true;
  }
  uint64_t length = here.length == 0 ? 0 : field_length(otlp, here);
  if (length == 0)
    return scan_good(scan) && starve(otlp);
  if (otlp->framing != FRAMING_NONE && length > otlp->left)
    return fail_damaged(otlp, here.start);
  if (length > here.length)
    return starve(otlp);
  struct wire_message wire = {.left = {here.start, (size_t)length}};
  struct wire_field field;
  if (!wire_next(&wire, &field))
    return fail_damaged(otlp, here.start);
  scan->at = here.start + length;
  otlp->left -= otlp->framing != FRAMING_NONE ? length : 0;
  otlp->taken = true;
  return field.number != 1 || field.kind != WIRE_BYTES || take_resource_spans(otlp, field.bytes);
}

enum status otlp_wire_read(struct intake *intake, struct json_scan *scan) {
  struct otlp_wire otlp = {.intake = intake, .scan = scan};
  text_init(&otlp.written);
  otlp.framing = otlp_wire_tell(scan);
  if (otlp.framing == FRAMING_UNKNOWN)
    fail_damaged(&otlp, scan->at);
  while (scan_good(scan) && !otlp.ended && otlp.status == STATUS_OK &&
         scan_unit(scan, take_unit, &otlp))
    otlp.read += (uint64_t)(scan->at - scan->unit);
  for (size_t i = 0; i < MET; i++)
    text_clear(&otlp.met[i].text);
  text_clear(&otlp.written);
  vector_clear(&otlp.tags);
  return scan_good(scan) ? otlp.status : scan->status;
}
