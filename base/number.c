/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/rational.h"

#define DIGITS "0123456789"

bool number_whole(uint64_t *value, const char *text, uint64_t most) {
  size_t length = strspn(text, DIGITS);
  uint64_t read = 0;
  if (length == 0 || text[length] != '\0')
    return false;
  for (; *text != '\0'; text++) {
    uint64_t digit = (uint64_t)(*text - '0');
    if (read > most / 10 || read * 10 > most - digit)
      return false;
    read = read * 10 + digit;
  }
  if (read > most)
    return false;
  *value = read;
  return true;
}

/* How many bytes of the text are a number; 0: it begins with none. */
static size_t length_of(const char *text) {
  size_t length = strspn(text, DIGITS);
  if (length == 0)
    return 0;
  if (text[length] == '.') {
    size_t decimals = strspn(text + length + 1, DIGITS);
    if (decimals == 0)
      return 0;
    length += 1 + decimals;
  }
  if (text[length] != 'e' && text[length] != 'E')
    return length;
  size_t sign = text[length + 1] == '+' || text[length + 1] == '-';
  size_t digits = strspn(text + length + 1 + sign, DIGITS);
  return digits == 0 ? 0 : length + 1 + sign + digits;
}

bool number_exact(struct rational *value, const char *text) {
  size_t length = length_of(text);
  return length != 0 && text[length] == '\0' && rational_parse(value, text);
}

bool number_real(double *value, const char *text) {
  size_t length = length_of(text);
  if (length == 0 || text[length] != '\0')
    return false;
  double read = strtod(text, NULL);
  if (!isfinite(read) || (read == 0 && text[strspn(text, "0.")] != '\0' &&
                          strchr("eE", text[strspn(text, "0.")]) == NULL))
    return false;
  *value = read;
  return true;
}

bool number_share(struct rational *share, const char *text) {
  size_t length = length_of(text), blanks = strspn(text + length, " \t");
  bool percent = strcmp(text + length + blanks, "%") == 0;
  if (length == 0 || (!percent && text[length] != '\0'))
    return false;
  char *digits = mem_copy_text(text, length);
  struct rational read, one;
  rational_init(&read);
  rational_init(&one);
  rational_set_fraction(&one, 1, 100);
  bool good = rational_parse(&read, digits);
  if (percent)
    rational_mul(&read, &read, &one);
  rational_set_integer(&one, 1);
  good = good && rational_compare(&read, &one) <= 0;
  if (good)
    rational_set(share, &read);
  rational_clear(&read);
  rational_clear(&one);
  mem_free(digits);
  return good;
}

bool number_share_real(double *share, const char *text) {
  struct rational exact;
  rational_init(&exact);
  bool good = number_share(&exact, text);
  if (good)
    *share = rational_double(&exact);
  rational_clear(&exact);
  return good;
}
