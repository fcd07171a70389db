/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/span/format.h"

#include <string.h>

#include "measure/core/format.h"
#include "trace/span/otlp_wire.h"

struct telling {
  struct json_scan *scan;
  enum trace_format format;
};

/* A key that one format alone has there. */
static enum trace_format of_key(struct slice key, bool listed) {
  static const struct {
    const char *key;
    enum trace_format format;
    bool listed; /* within a list too */
  } keys[] = {
      {"data", TRACE_JAEGER, false},        {"spans", TRACE_JAEGER, true},
      {"traceID", TRACE_JAEGER, true},      {"traceId", TRACE_ZIPKIN, true},
      {"resourceSpans", TRACE_OTLP, true},  {"batches", TRACE_OTLP, true},
      {"result", TRACE_OTLP, false},        {"trace", TRACE_OTLP, false},
      {"traceEvents", TRACE_CHROME, false}, {"ph", TRACE_CHROME, true},
  };
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    if ((keys[i].listed || !listed) && slice_is(key, keys[i].key))
      return keys[i].format;
  return TRACE_NONE;
}

static bool tell_object(struct telling *telling, bool listed) {
  struct slice key;
  scan_enter(telling->scan, '{');
  while (scan_key(telling->scan, &key)) {
    telling->format = of_key(key, listed);
    if (telling->format != TRACE_NONE)
      return true;
    scan_skip(telling->scan);
  }
  return scan_good(telling->scan);
}

static bool tell(void *context) {
  struct telling *telling = context;
  struct json_scan *scan = telling->scan;
  int depth = 0;
  telling->format = TRACE_NONE;
  while (scan_peek(scan) == '[' && depth < 3) {
    scan_enter(scan, '[');
    for (depth++; depth != 0 && !scan_item(scan); depth--)
      if (!scan_good(scan))
        return false;
    if (depth == 0) {
      telling->format = TRACE_EMPTY;
      return true;
    }
  }
  if (scan_peek(scan) == '{')
    return tell_object(telling, depth != 0);
  return scan_good(scan) && (scan->at < scan->end || scan->ended || scan_starve(scan));
}

static bool take_mark(void *context) {
  struct json_scan *scan = context;
  if (scan->end - scan->at < 8 && !scan->ended)
    return scan_starve(scan);
  if (memcmp(scan->at, "\xef\xbb\xbf", 3) == 0)
    scan->at += 3;
  return true;
}

enum trace_format trace_format_tell(struct json_scan *scan) {
  struct telling telling = {scan, TRACE_NONE};
  if (!scan_unit(scan, take_mark, scan))
    return TRACE_NONE;
  const uint64_t magic = FORMAT_MAGIC;
  if (memcmp(scan->at, &magic, sizeof magic) == 0)
    return TRACE_STORE;
  if (otlp_wire_tell(scan) != FRAMING_UNKNOWN)
    return TRACE_OTLP_WIRE;
  scan_unit(scan, tell, &telling);
  scan_rewind(scan);
  return scan_good(scan) ? telling.format : TRACE_NONE;
}

const char *trace_format_name(enum trace_format format) {
  static const char *const names[] = {"no traces",           "an empty list", "Jaeger JSON",
                                      "OTLP JSON",           "OTLP protobuf", "Zipkin v2",
                                      "Chrome trace events", "our store"};
  return names[format];
}
