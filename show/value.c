/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "show/value.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/shown.h"

enum { DIGITS = 9, AS_IT_TAKES = -1 };

/* Which way a magnitude is rounded: 1 up, -1 down, 0 to the nearest. */
static int side_of(const struct object_key *key, const struct object_value *value) {
  int side = key->marks & MARK_UPPER ? 1 : key->marks & MARK_LOWER ? -1 : 0;
  return value->negative ? -side : side;
}

static void say_ns(struct text *out, const struct object_key *key,
                   const struct object_value *value) {
  int side = side_of(key, value);
  text_append(out, value->negative ? "-" : "");
  if (side > 0)
    duration_print_upper(out, value->magnitude);
  else if (side < 0)
    duration_print_lower(out, value->magnitude);
  else
    duration_print_nearest(out, (int64_t)value->magnitude);
}

/* To decimals, on the value's side; never -0. */
static void say_rounded(struct text *out, const struct object_key *key, double number,
                        int decimals) {
  double scale = pow(10, decimals), scaled = number * scale;
  int side = key->marks & MARK_UPPER ? 1 : key->marks & MARK_LOWER ? -1 : 0;
  double slack = 4 * DBL_EPSILON * fabs(scaled); /* products of doubles are not exact */
  scaled = side > 0 ? ceil(scaled - slack) : side < 0 ? floor(scaled + slack) : round(scaled);
  text_format(out, "%.*f", decimals, scaled / scale + 0.0);
}

/* Behind the point, for so many significant digits; never less than the whole part. */
static int places_of(double number, int digits) {
  double whole = number == 0 ? 0 : floor(log10(fabs(number)));
  return whole + 1 >= digits ? 0 : digits - 1 - (int)whole;
}

static void say_texts(struct text *out, const struct object_value *value) {
  for (size_t i = 0; i < value->texts.count; i++)
    text_format(out, "%s%s", i == 0 ? "" : ", ", value->texts.data[i]);
}

static void say_given(struct text *out, const struct object_key *key,
                      const struct object_value *value, int decimals) {
  switch (key->type) {
  case KEY_TEXT:
  case KEY_DECIMAL:
    text_append(out, value->text);
    break;
  case KEY_FLAG:
    text_append(out, value->flag ? "yes" : "no");
    break;
  case KEY_COUNT:
    text_format(out, "%s%" PRIu64, value->negative ? "-" : "", value->magnitude);
    break;
  case KEY_NS:
    say_ns(out, key, value);
    break;
  case KEY_SHARE:
    say_rounded(out, key, 100 * value->number, decimals < 0 ? 0 : decimals);
    text_append(out, " %");
    break;
  case KEY_SECONDS:
    say_rounded(out, key, value->number, decimals < 0 ? 3 : decimals);
    text_append(out, " s");
    break;
  case KEY_NUMBER:
    if (decimals == AS_IT_TAKES)
      text_format(out, "%.6g", value->number);
    else
      say_rounded(out, key, value->number,
                  decimals >= 0 ? decimals : places_of(value->number, -decimals));
    break;
  case KEY_TEXTS:
    say_texts(out, value);
    break;
  case KEY_MAP:
    for (size_t i = 0; i < value->pairs.count; i++)
      text_format(out, "%s%s=%s", i == 0 ? "" : ", ", value->pairs.data[i].name,
                  value->pairs.data[i].digits);
    break;
  case KEY_OBJECTS:
    break;
  }
}

void value_say(struct text *out, const struct object_key *key, const struct object_value *value,
               int decimals) {
  if (value->words != NULL)
    text_append(out, value->words);
  else if (value->state == VALUE_INFINITE)
    text_append(out, value->negative ? "-infinite" : "infinite");
  else if (value->state == VALUE_GIVEN)
    say_given(out, key, value, decimals);
}

double value_number(const struct object_key *key, const struct object_value *value) {
  char digits[40];
  double number = value->number;
  if (key->type == KEY_SECONDS)
    return round(number * 1e6) / 1e6;
  snprintf(digits, sizeof digits, "%.*g", DIGITS, number);
  double nearest = strtod(digits, NULL),
         step = number == 0 ? 0 : pow(10, floor(log10(fabs(number))) - (DIGITS - 1));
  if (key->marks & MARK_UPPER && nearest < number)
    nearest += step;
  if (key->marks & MARK_LOWER && nearest > number)
    nearest -= step;
  return nearest;
}

bool value_print(struct text *out, const struct object_key *key, const struct object_value *value,
                 const char *infinite) {
  bool number = key->type != KEY_TEXT && key->type < KEY_TEXTS;
  if (!number || (value->state != VALUE_GIVEN && value->state != VALUE_INFINITE))
    return false;
  if (value->state == VALUE_INFINITE)
    text_format(out, "%s%s", value->negative ? "-" : "", infinite);
  else if (key->type == KEY_FLAG)
    text_append(out, value->flag ? "1" : "0");
  else if (key->type == KEY_DECIMAL)
    text_append(out, value->text);
  else if (key->type == KEY_COUNT || key->type == KEY_NS)
    text_format(out, "%s%" PRIu64, value->negative ? "-" : "", value->magnitude);
  else
    text_format(out, "%.*g", DIGITS, value_number(key, value));
  return true;
}

void value_print_text(struct text *out, const char *text) {
  shown_append(out, text, strlen(text));
}
