/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/source/reader.h"

#include <ctype.h>
#include <string.h>

enum { SHOWN_BYTES = 32, EXPONENT_MAX = 100000 };

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

bool reader_line(struct span *line, const struct reader *reader, const char **at) {
  if (*at >= reader->end)
    return false;
  const char *stop = memchr(*at, '\n', (size_t)(reader->end - *at));
  const char *next = stop == NULL ? reader->end : stop + 1;
  if (stop == NULL)
    stop = reader->end;
  if (stop > *at && stop[-1] == '\r')
    stop--;
  *line = (struct span){*at, (size_t)(stop - *at)};
  *at = next;
  return true;
}

static void put_position(const struct reader *reader, const char *at) {
  size_t line = 1;
  const char *start = reader->bytes;
  for (const char *stop; (stop = memchr(start, '\n', (size_t)(at - start))) != NULL; line++)
    start = stop + 1;
  text_format(reader->message, "%s:%zu:%zu: ", reader->path, line, (size_t)(at - start) + 1);
}

enum status reader_fail(const struct reader *reader, const char *at, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  put_position(reader, at);
  text_format_list(reader->message, format, arguments);
  va_end(arguments);
  return STATUS_DATA;
}

static void put_quoted(struct text *text, struct span found) {
  size_t shown = found.length < SHOWN_BYTES ? found.length : SHOWN_BYTES;
  text_append(text, "\"");
  for (size_t i = 0; i < shown; i++) {
    unsigned char byte = (unsigned char)found.start[i];
    if (byte >= 0x20 && byte < 0x7f)
      text_append_bytes(text, found.start + i, 1);
    else
      text_format(text, "\\x%02x", byte);
  }
  text_append(text, found.length > shown ? "...\"" : "\"");
}

enum status reader_fail_found(const struct reader *reader, struct span found, const char *format,
                              ...) {
  va_list arguments;
  va_start(arguments, format);
  put_position(reader, found.start);
  text_append(reader->message, "found ");
  put_quoted(reader->message, found);
  text_append(reader->message, ", ");
  text_format_list(reader->message, format, arguments);
  va_end(arguments);
  return STATUS_DATA;
}

enum status reader_fail_total(const struct reader *reader, const char *at) {
  return reader_fail(reader, at,
                     "the counts up to here add up to more than 2^63-1; the file is damaged");
}

static bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

struct span span_trim(struct span span) {
  while (span.length != 0 && is_blank(span.start[0])) {
    span.start++;
    span.length--;
  }
  while (span.length != 0 && is_blank(span.start[span.length - 1]))
    span.length--;
  return span;
}

bool span_is(struct span span, const char *string) {
  return strlen(string) == span.length && memcmp(span.start, string, span.length) == 0;
}

bool span_is_word(struct span span, const char *lower_case) {
  if (strlen(lower_case) != span.length)
    return false;
  for (size_t i = 0; i < span.length; i++)
    if (tolower((unsigned char)span.start[i]) != lower_case[i])
      return false;
  return true;
}

bool span_field(struct span *field, struct span *rest, char separator) {
  if (separator == ' ')
    *rest = span_trim(*rest);
  if (rest->start == NULL || (separator == ' ' && rest->length == 0))
    return false;
  size_t length = 0;
  while (length < rest->length && rest->start[length] != separator &&
         !(separator == ' ' && is_blank(rest->start[length])))
    length++;
  *field = span_trim((struct span){rest->start, length});
  if (length == rest->length)
    *rest = (struct span){NULL, 0};
  else
    *rest = (struct span){rest->start + length + 1, rest->length - length - 1};
  return true;
}

int unit_exponent(struct span name) {
  for (int exponent = 0; exponent <= 9; exponent += 3)
    if (span_is(name, unit_name(exponent)))
      return exponent;
  return span_is(name, "\u00B5s") || span_is(name, "\u03BCs") ? 3 : -1;
}

const char *unit_name(int exponent) {
  static const char *const names[] = {"ns", "us", "ms", "s"};
  return names[exponent / 3];
}

int reader_unit(const struct reader *reader, const char *format) {
  if (reader->unit != NULL)
    return unit_exponent((struct span){reader->unit, strlen(reader->unit)});
  reader_fail(reader, reader->bytes,
              "%s states no unit, and ns, us and ms are all in use; state the one it was recorded "
              "in: --unit NAME=us",
              format);
  return -1;
}

enum status reader_require_unit(const struct reader *reader, int exponent, const char *format) {
  if (reader->unit == NULL ||
      unit_exponent((struct span){reader->unit, strlen(reader->unit)}) == exponent)
    return STATUS_OK;
  return reader_fail(reader, reader->bytes,
                     "%s is always in %s, but the unit is stated to be %s on the command line; "
                     "leave out --unit",
                     format, unit_name(exponent), reader->unit);
}

void reader_skip_mark(struct reader *reader) {
  static const char mark[] = "\xef\xbb\xbf";
  if (strncmp(reader->bytes, mark, strlen(mark)) == 0)
    reader->bytes += strlen(mark);
}

enum status reader_require_text(const struct reader *reader) {
  const char *zero = memchr(reader->bytes, '\0', (size_t)(reader->end - reader->bytes));
  if (zero == NULL)
    return STATUS_OK;
  return reader_fail(reader, zero,
                     "found a zero byte, which no text holds; is this a binary file, or text in "
                     "UTF-16? Save it as plain text");
}

enum status reader_require_last_line(const struct reader *reader) {
  if (reader->end == reader->bytes || reader->end[-1] == '\n')
    return STATUS_OK;
  return reader_fail(reader, reader->end,
                     "the last line has no end: the file is truncated; write or copy it again");
}

/* A number taken apart: its digits are `digits` without the point, of which the first `whole` stand
 * before it once the exponent is applied (negative: zeros follow the point first). */
struct parts {
  struct span digits; /* may hold one '.' */
  int64_t whole;
};

static bool read_exponent(int64_t *exponent, struct span text) {
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

static bool take_apart(struct parts *parts, struct span number) {
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
    struct span tail = {number.start + length + 1, number.length - length - 1};
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
  if (*value > (SAMPLE_NS_MAX - digit) / 10)
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
  if (more && sum == SAMPLE_NS_MAX)
    return DECIMAL_TOO_LARGE;
  *lower = sum;
  *above = more;
  return DECIMAL_OK;
}

/* The numbers that nearly all files consist of: up to 18 digits, perhaps a point among them. false
 * for any other, however well formed. */
static bool short_range(uint64_t *lower, uint64_t *upper, int *places, struct span number,
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
  if (more > TENS_MAX || more < -TENS_MAX || (more > 0 && sum > SAMPLE_NS_MAX / tens[more]))
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

enum decimal decimal_range(uint64_t *lower, uint64_t *upper, int *places, struct span number,
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

enum decimal decimal_upper(uint64_t *value, int *places, struct span number, int shift) {
  uint64_t lower;
  return decimal_range(&lower, value, places, number, shift);
}

enum decimal decimal_whole(uint64_t *value, struct span number) {
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
    if (*value > SAMPLE_NS_MAX / tens[exponent])
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
  return *value <= SAMPLE_NS_MAX;
}

uint64_t decimal_scale_lower(uint64_t value, int exponent) {
  if (value == 0)
    return 0;
  if (exponent >= 0)
    return exponent > TENS_MAX || value > SAMPLE_NS_MAX / tens[exponent] ? SAMPLE_NS_MAX
                                                                         : value * tens[exponent];
  return exponent < -TENS_MAX ? 0 : value / tens[-exponent];
}
