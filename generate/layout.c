/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "generate/layout.h"

enum {
  MARK = 0x80
}; /* a byte from here on is a marked blank: generated C is ASCII but for comments,
    * which are not laid out */

void layout_break(struct text *line, unsigned level) {
  const char mark = (char)(MARK + (level < LAYOUT_LEVELS ? level : LAYOUT_LEVELS - 1));
  text_append_bytes(line, &mark, 1);
}

static bool is_mark(char c) {
  return (unsigned char)c >= MARK;
}

/* The best end of a line that begins at `from`; `length` when there is none. */
static size_t best_end(const char *line, size_t length, size_t from, size_t room) {
  size_t best = length;
  for (size_t i = from; i < length; i++) {
    if (!is_mark(line[i]))
      continue;
    if (i - from > room && best != length)
      break;
    if (best == length || (unsigned char)line[i] <= (unsigned char)line[best])
      best = i;
  }
  return best;
}

static void append_plain(struct text *out, const char *bytes, size_t length) {
  for (size_t i = 0; i < length; i++)
    text_append_bytes(out, is_mark(bytes[i]) ? " " : bytes + i, 1);
}

void layout_line(struct text *out, const struct text *line, size_t indent, size_t continuation) {
  const char *bytes = text_get(line);
  size_t from = 0;
  for (;;) {
    size_t end = line->length, room = LAYOUT_WIDTH - indent;
    if (end - from > room)
      end = best_end(bytes, line->length, from, room);
    text_format(out, "%*s", (int)indent, "");
    append_plain(out, bytes + from, end - from);
    text_append(out, "\n");
    if (end == line->length)
      return;
    from = end + 1;
    indent = continuation;
  }
}
