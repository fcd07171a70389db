/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/slice.h"

#include <ctype.h>
#include <string.h>

static bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

struct slice slice_trim(struct slice slice) {
  while (slice.length != 0 && is_blank(slice.start[0])) {
    slice.start++;
    slice.length--;
  }
  while (slice.length != 0 && is_blank(slice.start[slice.length - 1]))
    slice.length--;
  return slice;
}

bool slice_is(struct slice slice, const char *string) {
  return strlen(string) == slice.length && memcmp(slice.start, string, slice.length) == 0;
}

bool slice_same(struct slice a, struct slice b) {
  return a.length == b.length && (a.length == 0 || memcmp(a.start, b.start, a.length) == 0);
}

bool slice_starts(struct slice slice, const char *string) {
  size_t length = strlen(string);
  return slice.length >= length && memcmp(slice.start, string, length) == 0;
}

bool slice_holds(struct slice slice, const char *string) {
  for (; slice.length != 0; slice = (struct slice){slice.start + 1, slice.length - 1})
    if (slice_starts(slice, string))
      return true;
  return false;
}

bool slice_is_word(struct slice slice, const char *lower_case) {
  if (strlen(lower_case) != slice.length)
    return false;
  for (size_t i = 0; i < slice.length; i++)
    if (tolower((unsigned char)slice.start[i]) != lower_case[i])
      return false;
  return true;
}

bool slice_field(struct slice *field, struct slice *rest, char separator) {
  if (separator == ' ')
    *rest = slice_trim(*rest);
  if (rest->start == NULL || (separator == ' ' && rest->length == 0))
    return false;
  size_t length = 0;
  while (length < rest->length && rest->start[length] != separator &&
         !(separator == ' ' && is_blank(rest->start[length])))
    length++;
  *field = slice_trim((struct slice){rest->start, length});
  if (length == rest->length)
    *rest = (struct slice){NULL, 0};
  else
    *rest = (struct slice){rest->start + length + 1, rest->length - length - 1};
  return true;
}
