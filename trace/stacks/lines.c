/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/stacks/lines.h"

#include <string.h>

#include "base/file.h"
#include "base/memory.h"

enum { FIRST_BYTES = 1 << 18, AHEAD_BYTES = 1024 };

/* Reads some more behind what is there, which moves to the front. */
static enum status fill(struct stack_lines *lines, struct text *message) {
  if (lines->first != 0) {
    memmove(lines->bytes, lines->bytes + lines->first, lines->last - lines->first);
    lines->last -= lines->first;
    lines->first = 0;
  }
  if (lines->last == lines->capacity) {
    lines->capacity = lines->capacity == 0 ? FIRST_BYTES : 2 * lines->capacity;
    lines->bytes = mem_resize(lines->bytes, lines->capacity, 1);
  }
  size_t got;
  enum status status = stream_read(lines->stream, lines->bytes + lines->last,
                                   lines->capacity - lines->last, &got, message);
  lines->last += got;
  lines->ended = got == 0;
  return status;
}

enum status stack_lines_open(struct stack_lines *lines, const char *path, struct text *message) {
  *lines = (struct stack_lines){.name = file_name(path)};
  enum status status = stream_open(&lines->stream, path, message);
  while (status == STATUS_OK && !lines->ended && lines->last < AHEAD_BYTES)
    status = fill(lines, message);
  return status;
}

void stack_lines_over(struct stack_lines *lines, struct slice bytes, const char *name) {
  *lines =
      (struct stack_lines){.name = name, .last = bytes.length, .ended = true, .borrowed = true};
  memcpy(&lines->bytes, &bytes.start,
         sizeof lines->bytes); /* never written, as the file has ended */
}

void stack_lines_close(struct stack_lines *lines) {
  stream_close(lines->stream);
  if (!lines->borrowed)
    mem_free(lines->bytes);
  *lines = (struct stack_lines){0};
}

struct slice stack_lines_ahead(const struct stack_lines *lines) {
  if (lines->first == lines->last)
    return (struct slice){"", 0};
  return (struct slice){lines->bytes + lines->first, lines->last - lines->first};
}

void stack_lines_skip_mark(struct stack_lines *lines) {
  static const char mark[] = "\xef\xbb\xbf";
  if (lines->last - lines->first >= 3 && memcmp(lines->bytes + lines->first, mark, 3) == 0)
    lines->first += 3;
}

enum status stack_lines_all(struct stack_lines *lines, size_t limit, struct text *message) {
  enum status status = STATUS_OK;
  while (status == STATUS_OK && !lines->ended && lines->last - lines->first <= limit)
    status = fill(lines, message);
  if (status == STATUS_OK && lines->last - lines->first > limit) {
    text_format(message, "%s: is longer than %zu MB; take a profile of less time", lines->name,
                limit >> 20);
    return STATUS_DATA;
  }
  return status;
}

enum status stack_lines_next(struct stack_lines *lines, struct slice *line, bool *more,
                             struct text *message) {
  size_t looked = 0;
  const char *end = NULL;
  for (;;) {
    size_t left = lines->last - lines->first;
    if (left > looked)
      end = memchr(lines->bytes + lines->first + looked, '\n', left - looked);
    if (end != NULL || lines->ended)
      break;
    looked = left;
    if (looked > LINE_MAX_BYTES) {
      text_format(message, "%s:%llu: the line is longer than 64 MB; it is no profile", lines->name,
                  (unsigned long long)lines->number + 1);
      return STATUS_DATA;
    }
    enum status status = fill(lines, message);
    if (status != STATUS_OK)
      return status;
  }
  *more = lines->first != lines->last;
  if (!*more)
    return STATUS_OK;
  line->start = lines->bytes + lines->first;
  line->length = (size_t)((end != NULL ? end : lines->bytes + lines->last) - line->start);
  lines->first += line->length + (end != NULL);
  lines->number++;
  if (line->length != 0 && line->start[line->length - 1] == '\r')
    line->length--;
  return STATUS_OK;
}
