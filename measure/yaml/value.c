/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/yaml/value.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/shown.h"

static const uint64_t one = 1000000000;

bool value_complain(char *message, size_t size, const char *format, ...) {
  va_list values;
  va_start(values, format);
  vsnprintf(message, size, format, values);
  va_end(values);
  shown_clean_text(message, '?');
  return false;
}

/* What follows the decimal at the start of the text; NULL when there is none. */
static const char *scan(uint64_t *value, const char *text) {
  uint64_t whole = 0, part = 0, scale = one;
  const char *at = text;
  for (; '0' <= *at && *at <= '9' && at - text < 9; at++)
    whole = whole * 10 + (uint64_t)(*at - '0');
  if (at == text)
    return NULL;
  if (*at == '.' && '0' <= at[1] && at[1] <= '9')
    for (at++; '0' <= *at && *at <= '9' && scale > 1; at++) {
      scale /= 10;
      part += scale * (uint64_t)(*at - '0');
    }
  *value = whole * one + part;
  return at;
}

bool value_decimal(uint64_t *value, const char *text) {
  uint64_t read;
  const char *behind = scan(&read, text);
  if (behind == NULL || *behind != '\0')
    return false;
  *value = read;
  return true;
}
