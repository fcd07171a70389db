/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/lsp/framing.h"

#include <stdint.h>
#include <string.h>
#include <strings.h>

void framing_clear(struct framing *framing) {
  text_clear(&framing->bytes);
  framing->taken = 0;
}

/* What was taken goes first, when it is most of what there is: each byte moves a few times only. */
void framing_feed(struct framing *framing, const char *bytes, size_t length) {
  struct text *text = &framing->bytes;
  if (framing->taken != 0 && 2 * framing->taken >= text->length) {
    memmove(text->data, text->data + framing->taken, text->length - framing->taken);
    text->length -= framing->taken;
    text->data[text->length] = '\0';
    framing->taken = 0;
  }
  text_append_bytes(text, bytes, length);
}

bool framing_is_empty(const struct framing *framing) {
  return framing->taken == framing->bytes.length;
}

static enum framing_result broken(struct text *message, const char *what) {
  text_append(message, what);
  return FRAMING_BROKEN;
}

/* The length of the headers with the empty line; 0: it is not there yet. */
static size_t header_length(const char *bytes, size_t length) {
  for (size_t i = 3; i < length; i++)
    if (memcmp(bytes + i - 3, "\r\n\r\n", 4) == 0)
      return i + 1;
  return 0;
}

static bool read_number(const char *text, size_t length, size_t *number) {
  size_t value = 0, i = 0;
  while (i < length && (text[i] == ' ' || text[i] == '\t'))
    i++;
  while (i < length && (text[length - 1] == ' ' || text[length - 1] == '\t'))
    length--;
  if (i == length || length - i > 18)
    return false;
  for (; i < length; i++) {
    if (text[i] < '0' || text[i] > '9')
      return false;
    value = 10 * value + (size_t)(text[i] - '0');
  }
  *number = value;
  return true;
}

/* One header, without its line end. */
static bool read_header(const char *line, size_t length, size_t *content, struct text *message) {
  static const char name[] = "Content-Length";
  const char *colon = memchr(line, ':', length);
  if (colon == NULL || colon == line) {
    text_append(message, "a header without a colon: a message begins with \"Content-Length: "
                         "BYTES\"");
    return false;
  }
  size_t before = (size_t)(colon - line);
  if (before != sizeof name - 1 || strncasecmp(line, name, before) != 0)
    return true;
  if (read_number(colon + 1, length - before - 1, content))
    return true;
  text_append(message, "Content-Length is not a number of bytes");
  return false;
}

static bool read_headers(const char *bytes, size_t length, size_t *content, struct text *message) {
  *content = SIZE_MAX;
  for (size_t at = 0; at + 2 < length;) {
    const char *end = memchr(bytes + at, '\r', length - at);
    size_t line = (size_t)(end - (bytes + at));
    if (!read_header(bytes + at, line, content, message))
      return false;
    at += line + 2;
  }
  if (*content != SIZE_MAX && *content <= FRAMING_CONTENT_MAX)
    return true;
  if (*content == SIZE_MAX)
    text_append(message, "a message without Content-Length");
  else
    text_format(message, "a message of %zu bytes; the limit is %d", *content, FRAMING_CONTENT_MAX);
  return false;
}

enum framing_result framing_next(struct framing *framing, const char **content, size_t *length,
                                 struct text *message) {
  const char *bytes = text_get(&framing->bytes) + framing->taken;
  size_t there = framing->bytes.length - framing->taken, needed;
  size_t searched = there < FRAMING_HEADER_MAX ? there : FRAMING_HEADER_MAX;
  size_t header = header_length(bytes, searched);
  if (header == 0)
    return there < FRAMING_HEADER_MAX ? FRAMING_MORE
                                      : broken(message, "headers that do not end within 8 KiB");
  if (!read_headers(bytes, header, &needed, message))
    return FRAMING_BROKEN;
  if (there - header < needed)
    return FRAMING_MORE;
  *content = bytes + header;
  *length = needed;
  framing->taken += header + needed;
  return FRAMING_MESSAGE;
}

void framing_write(struct text *out, const char *content, size_t length) {
  text_format(out, "Content-Length: %zu\r\n\r\n", length);
  text_append_bytes(out, content, length);
}
