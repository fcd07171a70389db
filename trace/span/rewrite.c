/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/span/rewrite.h"

#include <inttypes.h>
#include <string.h>

#include "base/file.h"
#include "trace/span/format.h"
#include "trace/span/value.h"

/* What is open around the unit at hand. */
struct frame {
  char closing;
  bool of_spans; /* a list of spans */
};

enum taken { TAKEN_VALUE, TAKEN_OPENING, TAKEN_CLOSING, TAKEN_SPAN, TAKEN_END };

struct rewriter {
  const struct trace_rewriting *rewriting;
  struct json_scan *scan;
  FILE *out;
  bool is_otlp;
  VECTOR(struct frame) frames;
  /* of the unit at hand */
  enum taken taken;
  struct frame opened;
  struct slice request, span;
  const char *list; /* behind the opening bracket of the span's attributes; NULL: it has none */
  const char *end;  /* the closing bracket of the span */
};

static const char *attributes_key(const struct rewriter *rewriter) {
  return rewriter->is_otlp ? "attributes" : "tags";
}

static bool is_key(struct slice key, const char *word) {
  return key.length == strlen(word) && memcmp(key.start, word, key.length) == 0;
}

static bool take_span_member(struct rewriter *rewriter, struct slice key) {
  struct json_scan *scan = rewriter->scan;
  bool is_otlp = rewriter->is_otlp;
  if (is_key(key, is_otlp ? "traceId" : "traceID"))
    return scan_scalar(scan, &rewriter->request, NULL);
  if (is_key(key, is_otlp ? "spanId" : "spanID"))
    return scan_scalar(scan, &rewriter->span, NULL);
  if (is_key(key, attributes_key(rewriter)) && scan_peek(scan) == '[')
    rewriter->list = scan->at + 1;
  return scan_skip(scan);
}

/* Whether a text of ours stands between two places: an attribute of an earlier time. */
static bool has_ours(const char *from, const char *to) {
  static const char ours[] = "\"" REWRITE_PREFIX;
  while ((from = memchr(from, '"', (size_t)(to - from))) != NULL) {
    if ((size_t)(to - from) >= sizeof ours && memcmp(from, ours, sizeof ours - 1) == 0)
      return true;
    from++;
  }
  return false;
}

static bool take_span(struct rewriter *rewriter) {
  struct json_scan *scan = rewriter->scan;
  struct slice key;
  const char *start = scan->at;
  rewriter->request = rewriter->span = (struct slice){"", 0};
  rewriter->list = NULL;
  rewriter->taken = TAKEN_SPAN;
  scan_enter(scan, '{');
  while (scan_key(scan, &key) && take_span_member(rewriter, key))
    ;
  if (!scan_good(scan))
    return false;
  rewriter->end = scan->at - 1;
  if (has_ours(start, scan->at))
    return scan_fail(scan, start,
                     "this span has attributes \"%s..\" already: take the file that "
                     "was recorded",
                     REWRITE_PREFIX);
  return true;
}

/* A value behind a key or in a list: what has brackets is entered. */
static bool take_value(struct rewriter *rewriter, bool of_spans) {
  struct json_scan *scan = rewriter->scan;
  struct slice ignored;
  char c = scan_peek(scan);
  rewriter->taken = TAKEN_VALUE;
  if (c != '{' && c != '[')
    return scan_scalar(scan, &ignored, NULL);
  rewriter->taken = TAKEN_OPENING;
  rewriter->opened = (struct frame){c == '{' ? '}' : ']', of_spans && c == '['};
  return scan_enter(scan, c);
}

static bool take_outermost(struct rewriter *rewriter) {
  struct json_scan *scan = rewriter->scan;
  char c = scan_peek(scan);
  if (c == 0 && scan->at == scan->end) {
    rewriter->taken = TAKEN_END;
    return scan->ended || scan_starve(scan);
  }
  return take_value(rewriter, false);
}

static bool take_unit(void *context) {
  struct rewriter *rewriter = context;
  struct json_scan *scan = rewriter->scan;
  if (rewriter->frames.count == 0)
    return take_outermost(rewriter);
  const struct frame *frame = &rewriter->frames.data[rewriter->frames.count - 1];
  struct slice key = {"", 0};
  rewriter->taken = TAKEN_CLOSING;
  if (frame->closing == '}' ? !scan_key(scan, &key) : !scan_item(scan))
    return scan_good(scan);
  if (frame->of_spans && scan_peek(scan) == '{')
    return take_span(rewriter);
  return take_value(rewriter, is_key(key, "spans"));
}

/* ---- writing */

static void write_bytes(const struct rewriter *rewriter, const char *from, const char *to) {
  fwrite(from, 1, (size_t)(to - from), rewriter->out);
}

static void write_attribute(const struct rewriter *rewriter,
                            const struct span_attribute *attribute) {
  const char *format = rewriter->is_otlp
                           ? "{\"key\":\"%s\",\"value\":{\"intValue\":\"%" PRId64 "\"}}"
                           : "{\"key\":\"%s\",\"type\":\"int64\",\"value\":%" PRId64 "}";
  fprintf(rewriter->out, format, attribute->key, attribute->value);
}

static bool list_is_empty(const char *list) {
  return list[strspn(list, " \t\r\n")] == ']';
}

/* The attributes come before those that the span has. */
static void write_span(const struct rewriter *rewriter) {
  char rooms[2][VALUE_ID_MAX];
  struct slice request = rewriter->request, span = rewriter->span;
  if (rewriter->is_otlp) {
    request = value_id(rooms[0], request);
    span = value_id(rooms[1], span);
  }
  struct span_attribute attributes[REWRITE_MOST];
  const struct trace_rewriting *rewriting = rewriter->rewriting;
  size_t count = rewriting->ask(rewriting->context, request, span, attributes);
  const struct json_scan *scan = rewriter->scan;
  const char *place = count == 0 || rewriter->list == NULL ? rewriter->end : rewriter->list;
  write_bytes(rewriter, scan->unit, place);
  if (count != 0 && rewriter->list == NULL)
    fprintf(rewriter->out, ",\"%s\":[", attributes_key(rewriter));
  for (size_t i = 0; i < count; i++) {
    if (i > 0)
      putc(',', rewriter->out);
    write_attribute(rewriter, &attributes[i]);
  }
  if (count != 0 && (rewriter->list == NULL || !list_is_empty(rewriter->list)))
    putc(rewriter->list == NULL ? ']' : ',', rewriter->out);
  write_bytes(rewriter, place, scan->at);
}

static void write_unit(struct rewriter *rewriter) {
  if (rewriter->taken == TAKEN_SPAN)
    write_span(rewriter);
  else
    write_bytes(rewriter, rewriter->scan->unit, rewriter->scan->at);
  if (rewriter->taken == TAKEN_OPENING)
    vector_push(&rewriter->frames, rewriter->opened);
  else if (rewriter->taken == TAKEN_CLOSING)
    rewriter->frames.count--;
}

enum status trace_rewrite(FILE *out, const char *path, const struct trace_rewriting *rewriting,
                          const struct asker *asker) {
  struct json_scan scan;
  struct rewriter rewriter = {.rewriting = rewriting, .scan = &scan, .out = out};
  enum status status = scan_open(&scan, path);
  const struct span_layout *layout;
  enum trace_format format =
      status == STATUS_OK ? trace_format_tell(&scan, NULL, &layout) : TRACE_NONE;
  rewriter.is_otlp = format == TRACE_OTLP;
  if (scan_good(&scan) && format != TRACE_JAEGER && format != TRACE_OTLP) {
    status = asker_fail(
        asker, STATUS_DATA, "%s: only Jaeger JSON and OTLP JSON can be annotated, and this is %s",
        file_name(path), format == TRACE_NONE ? "neither" : trace_format_name(format));
  } else {
    while (scan_unit(&scan, take_unit, &rewriter)) {
      write_unit(&rewriter);
      if (rewriter.taken == TAKEN_END)
        break;
    }
    if (!scan_good(&scan))
      status = asker_fail(asker, scan.status, "%s", text_get(&scan.message));
  }
  vector_clear(&rewriter.frames);
  scan_close(&scan);
  return status;
}
