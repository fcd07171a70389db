/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/evaluate/compose_scan.h"

#include "base/duration.h"

#include <stdarg.h>
#include <stdint.h>
#include <string.h>

enum { NUMBER_LIMIT = 40 };

__attribute__((format(printf, 2, 3))) void scan_complain(struct scan *p, const char *format, ...) {
  if (p->failed)
    return;
  p->failed = true;
  text_format(p->message, "column %zu: ", (size_t)(p->start - p->text) + 1);
  va_list arguments;
  va_start(arguments, format);
  text_format_list(p->message, format, arguments);
  va_end(arguments);
}

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static bool is_word(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.';
}

/* The end of digits [. digits] [e [sign] digits], `at` itself when there is no number. */
static const char *end_of_number(const char *at) {
  const char *end = at;
  while (is_digit(*end))
    end++;
  if (end == at)
    return at;
  if (end[0] == '.' && is_digit(end[1]))
    for (end++; is_digit(*end);)
      end++;
  if (end[0] == 'e' || end[0] == 'E') {
    const char *digits = end + 1 + (end[1] == '+' || end[1] == '-');
    if (is_digit(*digits))
      for (end = digits; is_digit(*end);)
        end++;
  }
  return end;
}

/* 0, or from 1e-18 to 1e18. */
static bool read_number(struct scan *p, struct rational *value, const char *from, const char *end) {
  char digits[NUMBER_LIMIT + 1] = {0};
  if (end - from > NUMBER_LIMIT) {
    scan_complain(p, "a number of more than %d characters; write fewer places", NUMBER_LIMIT);
    return false;
  }
  memcpy(digits, from, (size_t)(end - from));
  struct rational least, most;
  rational_init(&least);
  rational_init(&most);
  bool good = rational_parse(value, digits) && rational_parse(&most, "1e18") &&
              rational_parse(&least, "1e-18") && rational_compare(value, &most) <= 0 &&
              (rational_sign(value) == 0 || rational_compare(value, &least) >= 0);
  rational_clear(&least);
  rational_clear(&most);
  if (!good)
    scan_complain(p, "%s is out of range; use numbers from 1e-18 to 1e18", digits);
  return good;
}

/* ns in one of the unit; 1 for no unit, 0 when the text is none. */
static int64_t unit_of(const char *text, size_t length) {
  static const int64_t ns[] = {1, 1000, 1000000, 1000000000};
  int exponent = unit_exponent((struct slice){text, length});
  return length == 0 ? 1 : exponent < 0 ? 0 : ns[exponent / 3];
}

/* A number, a fraction of two or a duration; false when it is none of them. */
static bool take_number(struct scan *p) {
  const char *end = end_of_number(p->start), *unit = end;
  while (is_word(*unit) || (unsigned char)*unit >= 0x80) /* of a micro sign */
    unit++;
  int64_t ns = unit_of(end, (size_t)(unit - end));
  if (end == p->start || ns == 0)
    return false;
  p->token = unit == end ? TOKEN_NUMBER : TOKEN_DURATION;
  p->next = unit;
  if (unit != end && (memchr(p->start, 'e', (size_t)(end - p->start)) != NULL ||
                      memchr(p->start, 'E', (size_t)(end - p->start)) != NULL))
    scan_complain(p, "a time with an exponent; write its digits, such as 1000us");
  struct rational other;
  rational_init(&other);
  if (!read_number(p, &p->value, p->start, end))
    p->token = TOKEN_END;
  if (unit == end && *end == '/' && end_of_number(end + 1) != end + 1) {
    p->next = end_of_number(end + 1);
    if (read_number(p, &other, end + 1, p->next) && rational_sign(&other) == 0)
      scan_complain(p, "a fraction over 0");
    if (!p->failed)
      rational_div(&p->value, &p->value, &other);
  }
  rational_set_integer(&other, ns);
  rational_mul(&p->value, &p->value, &other);
  rational_clear(&other);
  return true;
}

void scan_next(struct scan *p) {
  while (*p->next == ' ' || *p->next == '\t')
    p->next++;
  p->start = p->next;
  p->length = 1;
  if (*p->start == '\0') {
    p->token = TOKEN_END;
    p->length = 0;
  } else if (!is_word(*p->start)) {
    p->token = TOKEN_SIGN;
    p->next = p->start + 1;
    if (strchr("()+*,", *p->start) == NULL)
      scan_complain(p, "this character has no meaning here; laws are made with + * ( ) and commas");
  } else if (!take_number(p)) {
    p->token = TOKEN_WORD;
    while (is_word(*p->next))
      p->next++;
    p->length = (size_t)(p->next - p->start);
  }
  if (p->failed)
    p->token = TOKEN_END;
}

bool scan_is_sign(const struct scan *p, char sign) {
  return p->token == TOKEN_SIGN && *p->start == sign;
}

bool scan_is_word(const struct scan *p, const char *text) {
  return p->token == TOKEN_WORD && p->length == strlen(text) &&
         strncmp(p->start, text, p->length) == 0;
}

void scan_expect(struct scan *p, char sign, const char *why) {
  if (!scan_is_sign(p, sign))
    scan_complain(p, "expected \"%c\" %s", sign, why);
  scan_next(p);
}

bool scan_precedes(const struct scan *p, const char *word) {
  const char *at = p->next;
  while (*at == ' ' || *at == '\t')
    at++;
  size_t length = strlen(word);
  return strncmp(at, word, length) == 0 && !is_word(at[length]);
}

void scan_init(struct scan *p, const char *text, struct text *message) {
  *p = (struct scan){.text = text, .next = text, .message = message};
  rational_init(&p->value);
  scan_next(p);
}

void scan_clear(struct scan *p) {
  rational_clear(&p->value);
}
