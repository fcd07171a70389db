/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Whether a file begins with OTLP in protocol buffers.
 */
#include "base/wire.h"
#include "trace/span/otlp_wire.h"

enum { TRACE_ID_BYTES = 16, SPAN_ID_BYTES = 8, FOUR_BYTES = 4 };

/* The next field of this number, as far as it is in memory. */
static bool find_field(struct slice *left, uint32_t number, struct slice *bytes) {
  while (left->length != 0) {
    struct wire_message head = {.left = *left};
    uint64_t tag, length;
    if (!wire_number(&head, &tag))
      return false;
    if ((tag & 7) != 2) {
      struct wire_field field;
      struct wire_message other = {.left = *left};
      if (!wire_next(&other, &field))
        return false;
      *left = other.left;
      continue;
    }
    if (!wire_number(&head, &length))
      return false;
    size_t here = length < head.left.length ? (size_t)length : head.left.length;
    *bytes = (struct slice){head.left.start, here};
    *left = (struct slice){head.left.start + here, head.left.length - here};
    if (tag >> 3 == number)
      return true;
  }
  return false;
}

static bool is_span(struct slice span) {
  struct slice left = span, id;
  if (!find_field(&left, 1, &id) || id.length != TRACE_ID_BYTES)
    return false;
  left = span;
  return find_field(&left, 2, &id) && id.length == SPAN_ID_BYTES;
}

/* Whether the first span that there is looks like one; other telemetry has the same messages around
 * it. */
static bool holds_span(struct slice message) {
  struct slice resource, scopes, spans;
  while (find_field(&message, 1, &resource))
    while (find_field(&resource, 2, &scopes))
      if (find_field(&scopes, 2, &spans))
        return is_span(spans);
  return false;
}

static enum wire_framing find_framing(const struct json_scan *scan) {
  struct slice all = {scan->at, (size_t)(scan->end - scan->at)};
  struct wire_message head = {.left = all};
  uint64_t length;
  if (holds_span(all))
    return FRAMING_NONE;
  if (wire_number(&head, &length) && holds_span(head.left))
    return FRAMING_VARINT;
  if (all.length > FOUR_BYTES &&
      holds_span((struct slice){all.start + FOUR_BYTES, all.length - FOUR_BYTES}))
    return FRAMING_FOUR_BYTES;
  return FRAMING_UNKNOWN;
}

/* As many bytes as may be needed, where it is no JSON. */
static bool take_beginning(void *context) {
  enum { BEGINNING = 65536 };
  struct json_scan *scan = context;
  bool is_json = scan->at != scan->end && (*scan->at == '{' || *scan->at == '[');
  return is_json || scan->end - scan->at >= BEGINNING || scan->ended || scan_starve(scan);
}

enum wire_framing otlp_wire_tell(struct json_scan *scan) {
  return scan_unit(scan, take_beginning, scan) ? find_framing(scan) : FRAMING_UNKNOWN;
}
