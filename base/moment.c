/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/moment.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/decimal.h"

static const int64_t NS = 1000000000;

/* Decimal digits of seconds, or ".25" of one. */
static bool read_seconds(int64_t *ns, const char *text, size_t length) {
  uint64_t upper;
  if (decimal_upper(&upper, NULL, (struct slice){text, length}, 9) != DECIMAL_OK ||
      upper > INT64_MAX)
    return false;
  *ns = (int64_t)upper;
  return true;
}

/* "Z" or "+01:00": what is to be taken off, in seconds. */
static bool read_offset(int64_t *seconds, const char *text) {
  int hours, minutes, end = 0;
  *seconds = 0;
  if (strcmp(text, "Z") == 0)
    return true;
  if ((*text != '+' && *text != '-') ||
      sscanf(text + 1, "%2d:%2d%n", &hours, &minutes, &end) != 2 || end != 5 || text[6] != '\0' ||
      hours < 0 || hours > 23 || minutes < 0 || minutes > 59)
    return false;
  *seconds = (hours * 60 + minutes) * 60;
  *seconds = *text == '-' ? -*seconds : *seconds;
  return true;
}

/* timegm would take 61 minutes for an hour and one. */
static bool is_date(const struct tm *parts) {
  struct tm copy = *parts;
  return timegm(&copy) >= 0 && copy.tm_mon == parts->tm_mon && copy.tm_mday == parts->tm_mday &&
         copy.tm_hour == parts->tm_hour && copy.tm_min == parts->tm_min &&
         copy.tm_sec == parts->tm_sec;
}

bool moment_read(int64_t *ns, const char *text) {
  struct tm parts = {0};
  int end = 0;
  if (sscanf(text, "%4d-%2d-%2dT%2d:%2d:%2d%n", &parts.tm_year, &parts.tm_mon, &parts.tm_mday,
             &parts.tm_hour, &parts.tm_min, &parts.tm_sec, &end) != 6 ||
      end != 19)
    return read_seconds(ns, text, strlen(text));
  parts.tm_year -= 1900;
  parts.tm_mon--;
  int64_t fraction = 0, offset, whole;
  size_t digits = text[end] == '.' ? 1 + strspn(text + end + 1, "0123456789") : 0;
  if (!is_date(&parts) || digits == 1 ||
      (digits != 0 && !read_seconds(&fraction, text + end, digits)) ||
      !read_offset(&offset, text + end + digits))
    return false;
  return !__builtin_mul_overflow((int64_t)timegm(&parts) - offset, NS, &whole) && whole >= 0 &&
         !__builtin_add_overflow(whole, fraction, ns);
}

bool moment_is_calendar(int64_t ns) {
  return ns / NS >= 946684800; /* 2000-01-01 */
}

void moment_print(struct text *out, int64_t ns) {
  time_t seconds = (time_t)(ns / NS);
  int64_t part = ns % NS;
  int digits = part == 0 ? 0 : part % 1000000 == 0 ? 3 : part % 1000 == 0 ? 6 : 9;
  char said[64];
  struct tm parts;
  if (gmtime_r(&seconds, &parts) == NULL ||
      strftime(said, sizeof said, "%Y-%m-%dT%H:%M:%S", &parts) == 0)
    *said = '\0';
  text_append(out, said);
  for (int i = digits; i < 9; i++)
    part /= 10;
  if (digits != 0)
    text_format(out, ".%0*" PRId64, digits, part);
  text_append(out, "Z");
}
