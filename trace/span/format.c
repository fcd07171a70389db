/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/span/format.h"

#include <ctype.h>
#include <string.h>

#include "format/tell.h"
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
      {"resourceSpans", TRACE_OTLP, true},  {"resource_spans", TRACE_OTLP, true},
      {"scopeSpans", TRACE_OTLP, true},     {"batches", TRACE_OTLP, true},
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

static enum trace_format of_id(enum format_id id) {
  switch (id) {
  case KNOWN_TPS:
    return TRACE_STORE;
  case KNOWN_JAEGER:
    return TRACE_JAEGER;
  case KNOWN_OTLP:
    return TRACE_OTLP;
  case KNOWN_ZIPKIN:
    return TRACE_ZIPKIN;
  case KNOWN_CHROME:
  case KNOWN_NODE_TRACE: /* has slices as well */
    return TRACE_CHROME;
  default:
    return TRACE_NONE;
  }
}

static enum trace_format of_layout(const struct format_beginning *beginning) {
  return beginning->paths.json ? TRACE_ROWS : TRACE_TABLE;
}

/* Whether the first line of a table names what the trace is called. */
static bool has_trace(const struct span_columns *columns,
                      const struct format_beginning *beginning) {
  for (size_t i = 0; i < columns->sources.count; i++) {
    const struct column_source *source = &columns->sources.data[i];
    char name[64] = "";
    if (source->role != COLUMN_TRACE || source->path.length >= sizeof name)
      continue;
    for (size_t k = 0; k < source->path.length; k++)
      name[k] = (char)tolower((unsigned char)source->path.start[k]);
    if (format_has_columns(beginning, name))
      return true;
  }
  return false;
}

/* Columns that are given are for what is JSON or a table of no format with a reader of its own. */
static bool takes_columns(const struct format_told *told, struct format_columns *given,
                          const struct format_beginning *beginning) {
  if (given == NULL)
    return false;
  for (size_t i = 0; i < 2; i++)
    text_clear(&given->room[i]);
  given->layout = (struct span_layout){.list = "", .spans = ""};
  if (beginning->paths.json)
    return layout_of_columns(&given->layout, given->room, &given->columns, beginning);
  return beginning->text && told->id != KNOWN_NONE && has_trace(&given->columns, beginning);
}

/* What the table of formats says of the bytes that are in memory; NONE: that it does not know. */
static enum trace_format of_table(struct json_scan *scan, struct format_told *told,
                                  struct format_columns *given, const struct span_layout **layout) {
  struct format_beginning beginning;
  format_beginning_init(&beginning, (struct slice){scan->at, (size_t)(scan->end - scan->at)});
  *told = format_tell(&beginning, scan->name);
  enum format_id id = told->other == KNOWN_NONE ? told->id : KNOWN_NONE;
  enum trace_format format = of_id(id);
  if (format == TRACE_NONE && takes_columns(told, given, &beginning)) {
    *layout = &given->layout;
    format = of_layout(&beginning);
  } else if (format == TRACE_NONE && (*layout = layout_find(id, &beginning)) != NULL) {
    format = of_layout(&beginning);
  }
  format_beginning_clear(&beginning);
  return format;
}

/* Of what the table knows for JSON alone the first keys tell, however far they are, and of bytes the
 * first span; what it may be
 * two of, or is of another kind, has no traces. */
enum trace_format trace_format_tell(struct json_scan *scan, struct format_columns *given,
                                    const struct span_layout **layout) {
  struct telling telling = {scan, TRACE_NONE};
  struct format_told told;
  *layout = NULL;
  if (!scan_unit(scan, take_mark, scan))
    return TRACE_NONE;
  enum trace_format format = of_table(scan, &told, given, layout);
  if (format != TRACE_NONE)
    return format;
  if ((told.id == KNOWN_OTLP_PROTOBUF || told.id == KNOWN_BINARY) &&
      otlp_wire_tell(scan) != FRAMING_UNKNOWN)
    return TRACE_OTLP_WIRE;
  if (told.other != KNOWN_NONE ||
      (told.id != KNOWN_NONE && format_row(told.id)->rank != FORMAT_FALLBACK))
    return TRACE_NONE;
  scan_unit(scan, tell, &telling);
  scan_rewind(scan);
  return scan_good(scan) ? telling.format : TRACE_NONE;
}

static struct slice of_scan(const struct json_scan *scan) {
  return (struct slice){scan->bytes, (size_t)(scan->end - scan->bytes)};
}

void trace_format_refuse(struct text *message, const struct json_scan *scan) {
  static const struct format_wanted traces = {
      1u << YIELDS_SPANS | 1u << YIELDS_STORE | 1u << YIELDS_LOOP, "traces",
      "Jaeger JSON, OTLP (JSON, protobuf), Zipkin v2, Chrome trace events, our own stores (.tps), "
      "and JSON and tables with a span in each row (--columns trace=KEY,span=KEY,..) are read"};
  format_refuse_bytes_any(message, scan->name, of_scan(scan), &traces);
}

bool trace_format_is_foreign(const struct json_scan *scan) {
  struct format_told told = format_tell_bytes(of_scan(scan), scan->name);
  return told.other != KNOWN_NONE ||
         (told.id != KNOWN_NONE && told.id != KNOWN_JSON_TEXT && told.id != KNOWN_TEXT);
}

const char *trace_format_name(enum trace_format format) {
  static const char *const names[] = {
      "no traces", "an empty list",       "Jaeger JSON",   "OTLP JSON",        "OTLP protobuf",
      "Zipkin v2", "Chrome trace events", "JSON of spans", "a table of spans", "our store"};
  return names[format];
}
