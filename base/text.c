/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/text.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"

void text_init(struct text *text) {
  *text = (struct text){0};
}

void text_clear(struct text *text) {
  mem_free(text->data);
  text_init(text);
}

const char *text_get(const struct text *text) {
  return text->data == NULL ? "" : text->data;
}

static void reserve(struct text *text, size_t more) {
  if (text->capacity - text->length > more)
    return;
  size_t capacity = text->capacity == 0 ? 64 : text->capacity;
  while (capacity - text->length <= more)
    capacity *= 2;
  text->data = mem_resize(text->data, capacity, 1);
  text->capacity = capacity;
}

void text_append_bytes(struct text *text, const char *bytes, size_t length) {
  reserve(text, length);
  if (length != 0)
    memcpy(text->data + text->length, bytes, length);
  text->length += length;
  text->data[text->length] = '\0';
}

void text_append(struct text *text, const char *string) {
  text_append_bytes(text, string, strlen(string));
}

void text_format_list(struct text *text, const char *format, va_list arguments) {
  va_list again;
  va_copy(again, arguments);
  int length = vsnprintf(NULL, 0, format, arguments);
  if (length < 0)
    bug("cannot format \"%s\"", format);
  reserve(text, (size_t)length);
  vsnprintf(text->data + text->length, (size_t)length + 1, format, again);
  text->length += (size_t)length;
  va_end(again);
}

void text_format(struct text *text, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  text_format_list(text, format, arguments);
  va_end(arguments);
}

char *text_take(struct text *text) {
  char *data = text->data == NULL ? mem_copy_text("", 0) : text->data;
  text_init(text);
  return data;
}

static size_t least(size_t a, size_t b) {
  return a < b ? a : b;
}

size_t text_distance(const char *a, const char *b) {
  size_t m = strlen(a), n = strlen(b);
  size_t *rows = mem_alloc(3 * (n + 1), sizeof *rows);
  size_t *two = rows, *one = rows + n + 1, *now = rows + 2 * (n + 1);
  for (size_t j = 0; j <= n; j++)
    now[j] = j;
  for (size_t i = 1; i <= m; i++) {
    size_t *oldest = two;
    two = one, one = now, now = oldest;
    now[0] = i;
    for (size_t j = 1; j <= n; j++) {
      now[j] = least(least(now[j - 1], one[j]) + 1, one[j - 1] + (a[i - 1] != b[j - 1]));
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        now[j] = least(now[j], two[j - 2] + 1);
    }
  }
  size_t distance = now[n];
  mem_free(rows);
  return distance;
}
