/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lang/diagnostic.h"
#include "lang/source.h"

#include <stdlib.h>
#include <string.h>

#include "base/shown.h"

static const struct {
  const char *code, *title;
} table[] = {
#define DIAGNOSTIC(code, severity, title) {#code, title},
#include "lang/diagnostic.def"
#undef DIAGNOSTIC
};

void diagnostics_init(struct diagnostics *queue) {
  memset(queue, 0, sizeof *queue);
}

void diagnostics_clear(struct diagnostics *queue) {
  for (size_t i = 0; i < queue->items.count; i++) {
    mem_free(queue->items.data[i].message);
    mem_free(queue->items.data[i].note);
    mem_free(queue->items.data[i].hint);
  }
  vector_clear(&queue->items);
  queue->errors = queue->warnings = queue->omitted = 0;
}

size_t error_count(const struct diagnostics *queue) {
  return queue->errors;
}

size_t warning_count(const struct diagnostics *queue) {
  return queue->warnings;
}

bool diagnostic_is_error(enum diagnostic_code code) {
  return table[code].code[0] == 'E';
}

bool diagnostic_needs_proof(enum diagnostic_code code) {
  return code == DIAGNOSTIC_W0506 || code == DIAGNOSTIC_W0507;
}

const char *diagnostic_code_name(enum diagnostic_code code) {
  return table[code].code;
}

const char *diagnostic_title(enum diagnostic_code code) {
  return table[code].title;
}

static bool is_known(const struct diagnostics *queue, enum diagnostic_code code,
                     struct source_span span) {
  for (size_t i = 0; i < queue->items.count; i++) {
    const struct diagnostic *d = &queue->items.data[i];
    if (d->code == code && d->span.start == span.start && d->span.end == span.end)
      return true;
  }
  return false;
}

static char *formatted(const char *format, va_list arguments) {
  struct text text;
  text_init(&text);
  text_format_list(&text, format, arguments);
  text_append(&text, "");
  return text_take(&text);
}

struct diagnostic *diagnostics_add(struct diagnostics *queue, enum diagnostic_code code,
                                   struct source_span span, const char *format, ...) {
  if (is_known(queue, code, span))
    return NULL;
  if (diagnostic_is_error(code))
    queue->errors++;
  else
    queue->warnings++;
  if (queue->items.count == DIAGNOSTIC_LIMIT) {
    queue->omitted++;
    return NULL;
  }
  va_list arguments;
  va_start(arguments, format);
  struct diagnostic made = {.code = code, .span = span, .message = formatted(format, arguments)};
  va_end(arguments);
  vector_push(&queue->items, made);
  return &queue->items.data[queue->items.count - 1];
}

void diagnostic_note(struct diagnostic *diagnostic, struct source_span span, const char *format,
                     ...) {
  if (diagnostic == NULL)
    return;
  va_list arguments;
  va_start(arguments, format);
  mem_free(diagnostic->note);
  diagnostic->note = formatted(format, arguments);
  diagnostic->note_span = span;
  va_end(arguments);
}

void diagnostic_hint(struct diagnostic *diagnostic, const char *format, ...) {
  if (diagnostic == NULL)
    return;
  va_list arguments;
  va_start(arguments, format);
  mem_free(diagnostic->hint);
  diagnostic->hint = formatted(format, arguments);
  va_end(arguments);
}

static int compare_places(const void *left, const void *right) {
  const struct diagnostic *a = left, *b = right;
  if (a->span.start != b->span.start)
    return a->span.start < b->span.start ? -1 : 1;
  if (a->span.end != b->span.end)
    return a->span.end < b->span.end ? -1 : 1;
  return (a->code > b->code) - (a->code < b->code);
}

void diagnostics_sort(struct diagnostics *queue) {
  if (queue->items.count != 0)
    qsort(queue->items.data, queue->items.count, sizeof *queue->items.data, compare_places);
}

struct diagnostic_view diagnostics_view(const struct diagnostics *queue, size_t index,
                                        const struct source *source) {
  const struct diagnostic *d = &queue->items.data[index];
  struct place place = source_place(source, d->span.start);
  return (struct diagnostic_view){.code = diagnostic_code_name(d->code),
                                  .severity = diagnostic_is_error(d->code) ? "error" : "warning",
                                  .message = d->message,
                                  .hint = d->hint,
                                  .line = place.line,
                                  .column = place.column};
}

enum { EXCERPT = 160, BEFORE = 60 };

/* Characters (not bytes) in a slice. */
static size_t characters(const char *text, size_t length) {
  size_t count = 0;
  for (size_t i = 0; i < length; i++)
    count += ((unsigned char)text[i] & 0xC0) != 0x80;
  return count;
}

/* Moves `at` back to the start of a character, which has at most four bytes. */
static size_t character_start(const char *text, size_t at) {
  size_t start = at;
  while (start > 0 && at - start < 3 && ((unsigned char)text[start] & 0xC0) == 0x80)
    start--;
  return start;
}

/* What was appended since `start`, in one line. */
static void make_visible(struct text *out, size_t start) {
  if (out->length != start)
    out->length = start + shown_clean(out->data + start, out->length - start, ' ', false);
  text_append(out, "");
}

/* Nothing that a terminal could take for a command; of what is no text only the ASCII part. */
static void append_visible(struct text *out, const char *text, size_t length, bool is_text) {
  size_t start = out->length;
  text_append_bytes(out, text, length);
  for (size_t i = start; i < out->length && !is_text; i++)
    if ((unsigned char)out->data[i] >= 0x80)
      out->data[i] = '?';
  make_visible(out, start);
}

static void print_carets(struct text *out, size_t before, size_t count, const char *colour,
                         const char *plain) {
  text_append(out, "      | ");
  for (size_t i = 0; i < before; i++)
    text_append(out, " ");
  text_append(out, colour);
  for (size_t i = 0; i < count; i++)
    text_append(out, "^");
  text_format(out, "%s\n", plain);
}

/* The line around the span (all of it when short), and carets below the span's part of it. */
static void print_excerpt(struct text *out, const struct source *source, struct source_span span,
                          const char *colour, const char *plain) {
  struct place place = source_place(source, span.start);
  size_t length;
  const char *line = source_line(source, place.line, &length);
  size_t first = span.start - source->lines[place.line - 1];
  if (first > length)
    first = length;
  size_t last = first + (span.end - span.start) < length ? first + (span.end - span.start) : length;
  size_t from = 0, to = length;
  if (characters(line, length) > EXCERPT) {
    from = character_start(line, first > BEFORE ? first - BEFORE : 0);
    to = from + EXCERPT < length ? character_start(line, from + EXCERPT) : length;
  }
  if (last > to)
    last = to;
  text_format(out, "%5zu | %s", place.line, from > 0 ? "..." : "");
  append_visible(out, line + from, to - from, source_invalid(source) == source->length);
  text_format(out, "%s\n", to < length ? "..." : "");
  size_t carets = characters(line + first, last - first);
  print_carets(out, characters(line + from, first - from) + (from > 0 ? 3 : 0),
               carets == 0 ? 1 : carets, colour, plain);
}

static void print_one(struct text *out, const struct diagnostic *d, const struct source *source,
                      bool colour) {
  bool error = diagnostic_is_error(d->code);
  const char *strong = !colour ? "" : error ? "\033[1;31m" : "\033[1;33m";
  const char *quiet = colour ? "\033[1;36m" : "", *plain = colour ? "\033[0m" : "";
  struct place place = source_place(source, d->span.start);
  size_t start = out->length;
  text_append(out, source->name);
  make_visible(out, start);
  text_format(out, ":%zu:%zu: %s%s[%s]%s: ", place.line, place.column, strong,
              error ? "error" : "warning", diagnostic_code_name(d->code), plain);
  start = out->length;
  text_append(out, d->message);
  make_visible(out, start);
  text_append(out, "\n");
  print_excerpt(out, source, d->span, strong, plain);
  if (d->note != NULL) {
    place = source_place(source, d->note_span.start);
    text_format(out, "  %snote%s: %s:%zu:%zu: %s\n", quiet, plain, source->name, place.line,
                place.column, d->note);
    print_excerpt(out, source, d->note_span, quiet, plain);
  }
  if (d->hint != NULL)
    text_format(out, "  %shint%s: %s\n", quiet, plain, d->hint);
}

void diagnostics_print(struct text *out, const struct diagnostics *queue,
                       const struct source *source, bool colour) {
  for (size_t i = 0; i < queue->items.count; i++)
    print_one(out, &queue->items.data[i], source, colour);
  if (queue->omitted != 0)
    text_format(out, "%s: %zu more not shown\n", source->name, queue->omitted);
}
