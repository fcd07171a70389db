/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/lsp/position.h"

const char *position_encoding_name(enum position_encoding encoding) {
  static const char *const names[] = {"utf-8", "utf-16", "utf-32"};
  return names[encoding];
}

void text_lines_init(struct text_lines *lines, const char *text, size_t length) {
  *lines = (struct text_lines){.text = text, .length = length};
  vector_push(&lines->starts, 0);
  for (size_t i = 0; i < length; i++)
    if (text[i] == '\n' || (text[i] == '\r' && (i + 1 == length || text[i + 1] != '\n')))
      vector_push(&lines->starts, i + 1);
}

void text_lines_clear(struct text_lines *lines) {
  vector_clear(&lines->starts);
}

/* Bytes of the character that begins here. */
static size_t character_size(const struct text_lines *lines, size_t at) {
  unsigned char first = (unsigned char)lines->text[at];
  size_t size = first < 0xC0 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  return size < lines->length - at ? size : lines->length - at;
}

static size_t units(enum position_encoding encoding, size_t size) {
  return encoding == POSITION_UTF8 ? size : encoding == POSITION_UTF16 && size == 4 ? 2 : 1;
}

static size_t line_of(const struct text_lines *lines, size_t offset) {
  size_t low = 0, high = lines->starts.count;
  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    if (lines->starts.data[middle] <= offset)
      low = middle;
    else
      high = middle;
  }
  return low;
}

struct text_position position_of(const struct text_lines *lines, enum position_encoding encoding,
                                 size_t offset) {
  if (offset > lines->length)
    offset = lines->length;
  struct text_position position = {.line = line_of(lines, offset)};
  for (size_t at = lines->starts.data[position.line]; at < offset;) {
    size_t size = character_size(lines, at);
    if (at + size > offset)
      break;
    position.character += units(encoding, size);
    at += size;
  }
  return position;
}

static size_t line_end(const struct text_lines *lines, size_t line) {
  size_t end = lines->length;
  if (line + 1 == lines->starts.count)
    return end;
  end = lines->starts.data[line + 1] - 1;
  if (lines->text[end] == '\n' && end > lines->starts.data[line] && lines->text[end - 1] == '\r')
    end--;
  return end;
}

size_t position_offset(const struct text_lines *lines, enum position_encoding encoding,
                       struct text_position position) {
  if (position.line >= lines->starts.count)
    return lines->length;
  size_t at = lines->starts.data[position.line], end = line_end(lines, position.line), counted = 0;
  while (at < end) {
    size_t size = character_size(lines, at);
    counted += units(encoding, size);
    if (counted > position.character)
      break;
    at += size;
  }
  return at;
}
