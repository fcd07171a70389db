/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lang/source.h"

#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/vector.h"
#include "format/tell.h"
#include "lang/model.h"

enum { SIZE_LIMIT = 64 * 1024 * 1024 };

/* A byte order mark at the start is no text; editors for Windows write one. */
static size_t drop_mark(char *bytes, size_t length) {
  static const char mark[] = "\uFEFF";
  size_t size = sizeof mark - 1;
  if (length < size || memcmp(bytes, mark, size) != 0)
    return length;
  memmove(bytes, bytes + size, length - size + 1);
  return length - size;
}

static struct source *take(const char *name, char *bytes, size_t length) {
  length = drop_mark(bytes, length);
  VECTOR(uint32_t) lines = {0};
  vector_push(&lines, 0);
  for (size_t i = 0; i < length; i++)
    if (bytes[i] == '\n')
      vector_push(&lines, (uint32_t)(i + 1));
  struct source *source = mem_alloc(1, sizeof *source);
  source->name = mem_copy_text(name, strlen(name));
  source->bytes = bytes;
  source->length = length;
  source->lines = lines.data;
  source->line_count = lines.count;
  return source;
}

/* Of what is called .tp the scanner says more, whatever is in it. */
static bool is_foreign(const char *path, struct slice bytes, struct text *message) {
  static const struct format_wanted protocols = {1u << YIELDS_PROTOCOL, "protocol", ""};
  size_t length = strlen(path);
  bool named = length > 3 && memcmp(path + length - 3, ".tp", 3) == 0;
  return !named && format_refuse_bytes(message, path, bytes, &protocols);
}

enum status source_load(struct source **source, const char *path, struct text *message) {
  char *bytes = NULL;
  size_t length = 0;
  *source = NULL;
  enum status status = file_read_or_input(path, SIZE_LIMIT, &bytes, &length, message);
  if (status == STATUS_OK && is_foreign(path, (struct slice){bytes, length}, message)) {
    mem_free(bytes);
    return STATUS_DATA;
  }
  if (status == STATUS_OK)
    *source = take(file_name(path), bytes, length);
  return status;
}

struct source *source_from_text(const char *name, const char *bytes, size_t length) {
  if (length > SIZE_LIMIT)
    bug("source text of %zu bytes", length);
  return take(name, mem_copy_text(bytes, length), length);
}

void source_free(struct source *source) {
  if (source == NULL)
    return;
  mem_free(source->name);
  mem_free(source->bytes);
  mem_free(source->lines);
  mem_free(source);
}

struct place source_place(const struct source *source, size_t offset) {
  size_t low = 0, high = source->line_count;
  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    if (source->lines[middle] <= offset)
      low = middle;
    else
      high = middle;
  }
  struct place place = {low + 1, 1};
  for (size_t i = source->lines[low]; i < offset && i < source->length; i++)
    place.column += ((unsigned char)source->bytes[i] & 0xC0) != 0x80;
  return place;
}

const char *source_line(const struct source *source, size_t line, size_t *length) {
  size_t start = source->lines[line - 1];
  size_t end = line < source->line_count ? source->lines[line] - 1 : source->length;
  if (end > start && source->bytes[end - 1] == '\r')
    end--;
  *length = end - start;
  return source->bytes + start;
}

/* Bytes of the character at `text`, 0 when it is none; the bounds are those of RFC 3629. */
static size_t character_size(const unsigned char *text, size_t left) {
  unsigned char c = text[0];
  size_t size = c < 0x80 ? 1 : c < 0xC2 ? 0 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : c < 0xF5 ? 4 : 0;
  if (size == 0 || size > left || c == 0)
    return 0;
  for (size_t i = 1; i < size; i++)
    if ((text[i] & 0xC0) != 0x80)
      return 0;
  bool overlong = (c == 0xE0 && text[1] < 0xA0) || (c == 0xF0 && text[1] < 0x90);
  bool outside = (c == 0xED && text[1] >= 0xA0) || (c == 0xF4 && text[1] >= 0x90);
  return overlong || outside ? 0 : size;
}

size_t source_invalid(const struct source *source) {
  size_t at = 0;
  while (at < source->length) {
    size_t size = character_size((const unsigned char *)source->bytes + at, source->length - at);
    if (size == 0)
      return at;
    at += size;
  }
  return source->length;
}

const char *source_slice(const struct source *source, struct source_span span,
                         struct arena *arena) {
  char *out = arena_alloc(arena, span.end - span.start + 1, 1);
  size_t length = 0;
  bool gap = false, comment = false;
  for (size_t i = span.start; i < span.end; i++) {
    char c = source->bytes[i];
    comment = c == '#' || (comment && c != '\n');
    if (comment || strchr(" \t\r\n", c) != NULL) {
      gap = true;
      continue;
    }
    if (gap && length != 0)
      out[length++] = ' ';
    gap = false;
    out[length++] = c;
  }
  out[length] = '\0';
  return out;
}
