/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/source/value.h"

#include <ctype.h>

enum { FAST_DIGITS = 18 };

int value_exponent(struct slice name) {
  size_t start = name.length;
  while (start != 0 && name.start[start - 1] != '_')
    start--;
  return unit_exponent((struct slice){name.start + start, name.length - start});
}

bool value_is_endless(struct slice cell) {
  if (cell.length != 0 && cell.start[0] == '+')
    return slice_is_word(cell, "+inf") || slice_is_word(cell, "+infinity");
  return slice_is_word(cell, "inf") || slice_is_word(cell, "infinity") ||
         slice_is_word(cell, "timeout");
}

bool value_is_unpaired(struct slice cell) {
  return slice_is_word(cell, "unpaired");
}

enum decimal value_read(uint64_t *lower, uint64_t *upper, int *finest, int exponent,
                        struct slice cell) {
  if (cell.length <= FAST_DIGITS && *finest <= exponent &&
      decimal_whole(upper, cell) == DECIMAL_OK) {
    if (!decimal_scale_upper(upper, exponent))
      return DECIMAL_TOO_LARGE;
    *lower = *upper;
    return DECIMAL_OK;
  }
  int places = 0;
  enum decimal result = decimal_range(lower, upper, &places, cell, exponent);
  if (result == DECIMAL_OK && exponent - places < *finest)
    *finest = exponent - places;
  return result;
}

/* "5ms", "5 s" */
static bool has_unit(struct slice cell) {
  size_t length = 0;
  while (length < cell.length &&
         (isdigit((unsigned char)cell.start[length]) || cell.start[length] == '.'))
    length++;
  struct slice unit = slice_trim((struct slice){cell.start + length, cell.length - length});
  return length != 0 && (unit_exponent(unit) >= 0 || slice_is_word(unit, "sec"));
}

enum status value_fail(const struct reader *reader, struct slice cell, enum decimal what,
                       struct slice name, int exponent) {
  if (what == DECIMAL_TOO_LARGE)
    return reader_fail_found(reader, cell,
                             "which is above 2^63-1 ns (292 years); is the unit of \"%.*s\" right?",
                             (int)(name.length > 64 ? 64 : name.length), name.start);
  if (what == DECIMAL_NEGATIVE)
    return reader_fail_found(
        reader, cell,
        "a negative time; correct the clock it came from, or leave the row out "
        "with a reason");
  if (cell.length == 0)
    return reader_fail(reader, cell.start,
                       "the value is empty; write a number, or \"timeout\" for "
                       "one that never came");
  if (slice_is_word(cell, "nan") || slice_is_word(cell, "na") || slice_is_word(cell, "null"))
    return reader_fail_found(
        reader, cell,
        "which is no time; write \"timeout\" for one that never came, or leave "
        "the row out with a reason");
  if (has_unit(cell))
    return reader_fail_found(reader, cell,
                             "a number with a unit; all values are in %s, as the header says: "
                             "convert this one and write the number alone",
                             unit_name(exponent));
  return reader_fail_found(reader, cell, "where a number is expected, such as 1250 or 12.5");
}
