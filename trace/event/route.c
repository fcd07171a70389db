/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/event/route.h"

#include <ctype.h>

/* Digits, or at least 8 hexadecimal digits of which one is a digit; hyphens count as neither. */
static bool is_id(struct slice part) {
  size_t digits = 0, others = 0, hyphens = 0;
  for (size_t i = 0; i < part.length; i++) {
    unsigned char c = (unsigned char)part.start[i];
    digits += isdigit(c) != 0;
    hyphens += c == '-';
    others += !isdigit(c) && isxdigit(c);
  }
  return digits != 0 && digits + others + hyphens == part.length &&
         (others == 0 || digits + others >= 8);
}

static size_t length_of_path(struct slice url) {
  size_t length = 0;
  while (length < url.length && url.start[length] != '?' && url.start[length] != '#')
    length++;
  return length;
}

void event_route(struct text *text, struct slice method, struct slice url) {
  struct slice rest = {url.start, length_of_path(url)};
  text_clear(text);
  text_append_bytes(text, method.start, method.length);
  text_append(text, method.length != 0 ? " " : "");
  while (rest.length != 0 && text->length < ROUTE_BYTES_MAX) {
    size_t length = 0;
    while (length < rest.length && rest.start[length] != '/')
      length++;
    struct slice part = {rest.start, length};
    if (is_id(part))
      text_append(text, ":id");
    else
      text_append_bytes(text, part.start, part.length);
    text_append(text, length < rest.length ? "/" : "");
    length += length < rest.length;
    rest = (struct slice){rest.start + length, rest.length - length};
  }
  if (text->length > ROUTE_BYTES_MAX) {
    text->length = ROUTE_BYTES_MAX - 3;
    text_append(text, "...");
  }
}
