/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/event/route.h"

#include <ctype.h>
#include <string.h>

enum { PART_MOST = 32, LETTERS_MOST = 16, DIGITS_MOST = 2 };

static size_t count_while(struct slice part, size_t from, int (*is)(int)) {
  size_t count = 0;
  while (from + count < part.length && (unsigned char)part.start[from + count] < 128 &&
         is((unsigned char)part.start[from + count]) != 0)
    count++;
  return count;
}

/* At least 8 digits of which one is decimal; hyphens are among them. */
static bool is_hexadecimal(struct slice part) {
  size_t decimal = 0, count = 0;
  for (size_t i = 0; i < part.length; i++) {
    unsigned char c = (unsigned char)part.start[i];
    decimal += isdigit(c) != 0;
    count += isxdigit(c) != 0 || c == '-';
  }
  return decimal != 0 && count == part.length && count >= 8;
}

/* Words of letters, each with a small number behind it or none, joined by '-', '_' and '.'. */
static bool is_plain(struct slice part) {
  size_t at = 0;
  while (at < part.length) {
    size_t letters = count_while(part, at, isalpha);
    size_t digits = count_while(part, at + letters, isdigit);
    if (letters > LETTERS_MOST || digits > DIGITS_MOST || (letters == 0 && digits != 0))
      return false;
    at += letters + digits;
    if (at < part.length && part.start[at] != '-' && part.start[at] != '_' && part.start[at] != '.')
      return false;
    at++;
  }
  return part.length <= PART_MOST && !is_hexadecimal(part);
}

/* What a framework matched, or another recorder put there. */
static bool is_name(struct slice part) {
  return part.length != 0 && (part.start[0] == ':' || slice_is(part, "*"));
}

/* Without scheme and host, query, fragment and parameters. */
static struct slice path_of(struct slice url) {
  size_t scheme = count_while(url, 0, isalpha), length = 0;
  if (scheme != 0 && url.length >= scheme + 3 && memcmp(url.start + scheme, "://", 3) == 0) {
    size_t at = scheme + 3;
    while (at < url.length && url.start[at] != '/')
      at++;
    url = (struct slice){url.start + at, url.length - at};
  }
  while (length < url.length && strchr("?#;", url.start[length]) == NULL)
    length++;
  return (struct slice){url.start, length};
}

void event_route(struct text *text, struct slice method, struct slice url) {
  struct slice rest = path_of(url);
  text_clear(text);
  text_append_bytes(text, method.start, method.length);
  text_append(text, method.length != 0 ? " " : "");
  while (rest.length != 0 && text->length < ROUTE_BYTES_MAX) {
    size_t length = 0;
    while (length < rest.length && rest.start[length] != '/')
      length++;
    struct slice part = {rest.start, length};
    if (is_plain(part) || is_name(part))
      text_append_bytes(text, part.start, part.length);
    else
      text_append(text, ":id");
    text_append(text, length < rest.length ? "/" : "");
    length += length < rest.length;
    rest = (struct slice){rest.start + length, rest.length - length};
  }
  if (text->length > ROUTE_BYTES_MAX) {
    text->length = ROUTE_BYTES_MAX - 3;
    text_append(text, "...");
  }
}
