/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/span/value.h"

#include <string.h>

#include "base/decimal.h"
#include "trace/span/store.h"

static unsigned hex_of(const char *digits) {
  unsigned value = 0;
  for (int i = 0; i < 4; i++) {
    char c = digits[i];
    value = value * 16 + (unsigned)(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
  }
  return value;
}

static void append_point(struct text *room, unsigned point) {
  char bytes[4];
  size_t count = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
  static const unsigned char marks[] = {0, 0, 0xc0, 0xe0, 0xf0};
  for (size_t i = count; i-- > 1; point >>= 6)
    bytes[i] = (char)(0x80 | (point & 0x3f));
  bytes[0] = (char)(marks[count] | point);
  text_append_bytes(room, bytes, count);
}

/* Behind "\u"; returns what follows. Half a pair stands for no character. */
static const char *append_escaped(struct text *room, const char *at, const char *end) {
  unsigned point = hex_of(at);
  at += 4;
  if (point >= 0xd800 && point < 0xdc00 && end - at >= 6 && at[0] == '\\' && at[1] == 'u') {
    unsigned low = hex_of(at + 2);
    if (low >= 0xdc00 && low < 0xe000) {
      append_point(room, 0x10000 + ((point - 0xd800) << 10) + (low - 0xdc00));
      return at + 6;
    }
  }
  bool none = (point >= 0xd800 && point < 0xe000);
  append_point(room, none ? 0xfffd : point < 0x20 || point == 0x7f ? ' ' : point);
  return at;
}

struct slice value_text(struct text *room, struct slice written) {
  if (written.length == 0 || memchr(written.start, '\\', written.length) == NULL)
    return written;
  text_clear(room);
  text_append(room, "");
  const char *end = written.start + written.length;
  for (const char *at = written.start; at < end;) {
    if (*at != '\\') {
      text_append_bytes(room, at++, 1);
    } else if (at[1] == 'u') {
      at = append_escaped(room, at + 2, end);
    } else {
      bool blank = strchr("bfnrt", at[1]) != NULL;
      text_append_bytes(room, blank ? " " : at + 1, 1);
      at += 2;
    }
  }
  return (struct slice){room->data, room->length};
}

static const char hex_digits[] = "0123456789abcdef";

/* In lower case; false when it has other bytes than hexadecimal digits. */
static bool take_hex(char *room, bool *zero, struct slice written) {
  *zero = true;
  for (size_t i = 0; i < written.length; i++) {
    char c = written.start[i];
    room[i] = (char)(c >= 'A' && c <= 'F' ? c | 0x20 : c);
    if (c == 0 || strchr(hex_digits, room[i]) == NULL)
      return false;
    *zero = *zero && c == '0';
  }
  return true;
}

/* 8 or 16 bytes of base64, with or without padding; 0: it is none. */
static size_t take_base64(char *room, struct slice written) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  while (written.length != 0 && written.start[written.length - 1] == '=')
    written.length--;
  size_t bytes = written.length * 6 / 8, put = 0;
  if ((bytes != 8 && bytes != 16) || written.length != (bytes * 8 + 5) / 6)
    return 0;
  unsigned bits = 0, held = 0;
  for (size_t i = 0; i < written.length; i++) {
    const char *digit = written.start[i] == 0 ? NULL : strchr(digits, written.start[i]);
    if (digit == NULL)
      return 0;
    bits = (bits << 6 | (unsigned)(digit - digits)) & 0xffff;
    for (held += 6; held >= 4 && put < 2 * bytes; held -= 4)
      room[put++] = hex_digits[bits >> (held - 4) & 15];
  }
  return put;
}

struct slice value_id(char room[VALUE_ID_MAX], struct slice written) {
  bool zero = true;
  written = value_said(written);
  if (written.length > VALUE_ID_MAX)
    return written;
  if (take_hex(room, &zero, written))
    return (struct slice){room, zero ? 0 : written.length};
  size_t length = take_base64(room, written);
  return length == 0 ? written : (struct slice){room, length};
}

struct slice value_link(char room[VALUE_LINK_MAX], struct slice trace, struct slice span) {
  if (trace.length > VALUE_ID_MAX || span.length > VALUE_ID_MAX)
    return (struct slice){"", 0};
  memcpy(room, trace.start, trace.length);
  room[trace.length] = '/';
  memcpy(room + trace.length + 1, span.start, span.length);
  return (struct slice){room, trace.length + 1 + span.length};
}

/* Digits alone, times 1 or 1000: what almost all times are. */
static bool take_short(int64_t *ns, struct slice number, int shift) {
  if (number.length == 0 || number.length > 19 || (shift != 0 && shift != 3))
    return false;
  uint64_t value = 0, scale = shift == 0 ? 1 : 1000;
  for (size_t i = 0; i < number.length; i++) {
    unsigned digit = (unsigned)(number.start[i] - '0');
    if (digit > 9)
      return false;
    value = value * 10 + digit;
  }
  *ns = (int64_t)(value * scale);
  return value <= (uint64_t)SPAN_TIME_MAX / scale;
}

bool value_time(struct json_scan *scan, int64_t *ns, struct slice number, int shift,
                const char *what) {
  if (take_short(ns, number, shift))
    return true;
  struct slice digits = number;
  bool negative = digits.length != 0 && *digits.start == '-';
  digits.start += negative;
  digits.length -= negative;
  uint64_t lower = 0, upper = 0;
  enum decimal decimal =
      digits.length == 0 ? DECIMAL_NOT : decimal_range(&lower, &upper, NULL, digits, shift);
  if (decimal == DECIMAL_NOT || decimal == DECIMAL_NEGATIVE)
    return scan_fail(scan, number.start, "the %s '%.*s' is no number; write the traces again", what,
                     (int)(number.length < 40 ? number.length : 40), number.start);
  uint64_t size = negative ? upper : lower;
  if (decimal == DECIMAL_TOO_LARGE || size > (uint64_t)SPAN_TIME_MAX)
    return scan_fail(scan, number.start,
                     "the %s %.*s is outside of the years 1824 to 2116; check its unit", what,
                     (int)(number.length < 40 ? number.length : 40), number.start);
  *ns = negative ? -(int64_t)size : (int64_t)size;
  return true;
}

bool value_end(struct json_scan *scan, int64_t *end, int64_t start, int64_t duration,
               struct slice number) {
  *end = start + duration;
  if (*end >= -SPAN_TIME_MAX && *end <= SPAN_TIME_MAX)
    return true;
  return scan_fail(scan, number.start,
                   "the duration %.*s ends outside of the years 1824 to 2116; check its unit",
                   (int)(number.length < 40 ? number.length : 40), number.start);
}
