/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/decimal.h"

#include <ctype.h>

enum { EXPONENT_MAX = 100000 };

static const uint64_t tens[] = {
    1u,
    10u,
    100u,
    1000u,
    10000u,
    100000u,
    1000000u,
    10000000u,
    100000000u,
    1000000000u,
    10000000000u,
    100000000000u,
    1000000000000u,
    10000000000000u,
    100000000000000u,
    1000000000000000u,
    10000000000000000u,
    100000000000000000u,
    1000000000000000000u,
};
enum { TENS_MAX = sizeof tens / sizeof *tens - 1 };

/* A number taken apart: its digits are `digits` without the point, of which the first `whole` stand
 * before it once the exponent is applied (negative: zeros follow the point first). */
struct parts {
  struct slice digits; /* may hold one '.' */
  int64_t whole;
};

static bool read_exponent(int64_t *exponent, struct slice text) {
  size_t i = text.length != 0 && (text.start[0] == '-' || text.start[0] == '+');
  if (i == text.length)
    return false;
  for (*exponent = 0; i < text.length; i++) {
    if (!isdigit((unsigned char)text.start[i]))
      return false;
    if (*exponent < EXPONENT_MAX)
      *exponent = 10 * *exponent + (text.start[i] - '0');
  }
  if (text.start[0] == '-')
    *exponent = -*exponent;
  return true;
}

static bool take_apart(struct parts *parts, struct slice number) {
  size_t length = 0, digits = 0, whole = 0;
  bool point = false;
  for (; length < number.length; length++) {
    char c = number.start[length];
    if (c == '.' && !point)
      point = true;
    else if (isdigit((unsigned char)c))
      digits++, whole += !point;
    else
      break;
  }
  int64_t exponent = 0;
  if (length < number.length) {
    if (number.start[length] != 'e' && number.start[length] != 'E')
      return false;
    struct slice tail = {number.start + length + 1, number.length - length - 1};
    if (!read_exponent(&exponent, tail))
      return false;
  }
  *parts = (struct parts){{number.start, length}, (int64_t)whole + exponent};
  return digits != 0;
}

static int count_places(const struct parts *parts) {
  int64_t index = 0, last = -1;
  for (size_t i = 0; i < parts->digits.length; i++) {
    if (parts->digits.start[i] == '.')
      continue;
    if (parts->digits.start[i] != '0')
      last = index;
    index++;
  }
  int64_t places = last + 1 - parts->whole;
  if (last < 0 || places <= 0)
    return 0;
  return places > EXPONENT_MAX ? EXPONENT_MAX : (int)places;
}

static bool append_digit(uint64_t *value, unsigned digit) {
  if (*value > (DECIMAL_MAX - digit) / 10)
    return false;
  *value = 10 * *value + digit;
  return true;
}

static enum decimal digits_range(uint64_t *lower, bool *above, const struct parts *parts,
                                 int shift) {
  int64_t whole = parts->whole + shift;
  uint64_t sum = 0;
  bool more = false;
  for (size_t i = 0; i < parts->digits.length; i++) {
    char c = parts->digits.start[i];
    if (c == '.')
      continue;
    if (whole <= 0)
      more = more || c != '0';
    else if (!append_digit(&sum, (unsigned)(c - '0')))
      return DECIMAL_TOO_LARGE;
    whole--;
  }
  for (; whole > 0 && sum != 0; whole--)
    if (!append_digit(&sum, 0))
      return DECIMAL_TOO_LARGE;
  if (more && sum == DECIMAL_MAX)
    return DECIMAL_TOO_LARGE;
  *lower = sum;
  *above = more;
  return DECIMAL_OK;
}

/* The numbers that nearly all files consist of: up to 18 digits, perhaps a point among them. false
 * for any other, however well formed. */
static bool short_range(uint64_t *lower, uint64_t *upper, int *places, struct slice number,
                        int shift) {
  if (number.length > TENS_MAX || number.length < 2)
    return false;
  uint64_t sum = 0;
  size_t point = number.length;
  for (size_t i = 0; i < number.length; i++) {
    unsigned digit = (unsigned)(unsigned char)number.start[i] - '0';
    if (digit <= 9)
      sum = 10 * sum + digit;
    else if (number.start[i] == '.' && point == number.length)
      point = i;
    else
      return false;
  }
  int decimals = point == number.length ? 0 : (int)(number.length - point) - 1;
  int more = shift - decimals;
  if (more > TENS_MAX || more < -TENS_MAX || (more > 0 && sum > DECIMAL_MAX / tens[more]))
    return false;
  *lower = more >= 0 ? sum * tens[more] : sum / tens[-more];
  *upper = *lower + (more < 0 && sum % tens[-more] != 0);
  if (places != NULL) {
    for (size_t i = number.length; decimals > 0 && number.start[i - 1] == '0'; i--)
      decimals--;
    *places = decimals;
  }
  return true;
}

enum decimal decimal_range(uint64_t *lower, uint64_t *upper, int *places, struct slice number,
                           int shift) {
  if (short_range(lower, upper, places, number, shift))
    return DECIMAL_OK;
  bool negative = number.length != 0 && number.start[0] == '-';
  if (number.length != 0 && (number.start[0] == '-' || number.start[0] == '+')) {
    number.start++;
    number.length--;
  }
  struct parts parts;
  if (!take_apart(&parts, number))
    return DECIMAL_NOT;
  if (negative)
    return DECIMAL_NEGATIVE;
  if (places != NULL)
    *places = count_places(&parts);
  bool above = false;
  enum decimal result = digits_range(lower, &above, &parts, shift);
  if (result == DECIMAL_OK)
    *upper = *lower + above;
  return result;
}

enum decimal decimal_upper(uint64_t *value, int *places, struct slice number, int shift) {
  uint64_t lower;
  return decimal_range(&lower, value, places, number, shift);
}

enum decimal decimal_whole(uint64_t *value, struct slice number) {
  uint64_t sum = 0;
  bool fits = true;
  for (size_t i = 0; i < number.length; i++) {
    unsigned digit = (unsigned)(unsigned char)number.start[i] - '0';
    if (digit > 9)
      return DECIMAL_NOT;
    fits = fits && append_digit(&sum, digit);
  }
  if (number.length == 0)
    return DECIMAL_NOT;
  if (!fits)
    return DECIMAL_TOO_LARGE;
  *value = sum;
  return DECIMAL_OK;
}

bool decimal_scale_upper(uint64_t *value, int exponent) {
  if (*value == 0)
    return true;
  if (exponent > TENS_MAX)
    return false;
  if (exponent >= 0) {
    if (*value > DECIMAL_MAX / tens[exponent])
      return false;
    *value *= tens[exponent];
    return true;
  }
  if (exponent < -TENS_MAX) {
    *value = 1;
    return true;
  }
  uint64_t divisor = tens[-exponent];
  *value = *value / divisor + (*value % divisor != 0);
  return *value <= DECIMAL_MAX;
}

uint64_t decimal_scale_lower(uint64_t value, int exponent) {
  if (value == 0)
    return 0;
  if (exponent >= 0)
    return exponent > TENS_MAX || value > DECIMAL_MAX / tens[exponent] ? DECIMAL_MAX
                                                                       : value * tens[exponent];
  return exponent < -TENS_MAX ? 0 : value / tens[-exponent];
}
