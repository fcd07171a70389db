/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A writer of HdrHistogram logs that shares nothing with the reader: counters from the bucket of
 * values, found by search over the definition of the layout rather than by its formula.
 */
#ifndef TESTS_UNIT_DIST_HLOG_WRITER_H
#define TESTS_UNIT_DIST_HLOG_WRITER_H

#include <zlib.h>

#include "tests/unit/dist/parse.h"

enum { COUNTERS_MAX = 1 << 20 };

struct histogram {
  uint64_t lowest, highest, digits, offset, ratio, cookie, outer_cookie;
  uint64_t *counts;
  size_t used; /* counters to write */
};

static void histogram_init(struct histogram *histogram, uint64_t lowest, uint64_t highest,
                           uint64_t digits) {
  *histogram = (struct histogram){.lowest = lowest,
                                  .highest = highest,
                                  .digits = digits,
                                  .ratio = UINT64_C(0x3ff0000000000000),
                                  .cookie = 0x1c849313,
                                  .outer_cookie = 0x1c849314};
  histogram->counts = mem_alloc(COUNTERS_MAX, sizeof *histogram->counts);
}

/* Walks the buckets from 0 upwards: 2h of the unit, then h of each doubled size. */
static void find_bucket(const struct histogram *histogram, uint64_t value, size_t *index,
                        uint64_t *lower, uint64_t *edge) {
  uint64_t size = 1, wanted = 2, half = 1, start = 0;
  while (2 * size <= histogram->lowest)
    size *= 2;
  for (uint64_t i = 0; i < histogram->digits; i++)
    wanted *= 10;
  while (2 * half < wanted)
    half *= 2;
  *index = 0;
  if (value >= 2 * half * size) {
    start = 2 * half * size;
    *index = 2 * half;
    for (size *= 2; value - start >= half * size; size *= 2) {
      start += half * size;
      *index += half;
    }
  }
  *index += (value - start) / size;
  *lower = start + (value - start) / size * size;
  *edge = *lower + size;
}

static void histogram_record(struct histogram *histogram, uint64_t value, uint64_t count) {
  size_t index;
  uint64_t lower, edge;
  find_bucket(histogram, value, &index, &lower, &edge);
  assert_true(index < COUNTERS_MAX);
  histogram->counts[index] += count;
  if (index >= histogram->used)
    histogram->used = index + 1;
}

static void put_big_endian(struct text *bytes, uint64_t value, size_t length) {
  while (length-- != 0)
    text_append_bytes(bytes, (char[]){(char)(value >> 8 * length)}, 1);
}

static void put_number(struct text *bytes, int64_t number) {
  uint64_t rest = ((uint64_t)number << 1) ^ (number < 0 ? UINT64_MAX : 0);
  for (int i = 0; i < 8 && rest >= 0x80; i++, rest >>= 7)
    text_append_bytes(bytes, (char[]){(char)(rest | 0x80)}, 1);
  text_append_bytes(bytes, (char[]){(char)rest}, 1);
}

static void put_payload(struct text *bytes, const struct histogram *histogram) {
  int64_t zeros = 0;
  for (size_t i = 0; i < histogram->used; i++) {
    if (histogram->counts[i] == 0) {
      zeros++;
      continue;
    }
    if (zeros == 1)
      put_number(bytes, 0);
    else if (zeros > 1)
      put_number(bytes, -zeros);
    zeros = 0;
    put_number(bytes, (int64_t)histogram->counts[i]);
  }
}

static void put_base64(struct text *text, const unsigned char *bytes, size_t length) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (size_t bit = 0; bit < 8 * length; bit += 6) {
    unsigned two = (unsigned)bytes[bit / 8] << 8 | (bit / 8 + 1 < length ? bytes[bit / 8 + 1] : 0);
    text_append_bytes(text, &digits[two >> (10 - bit % 8) & 63], 1);
  }
  for (size_t rest = length; rest % 3 != 0; rest++)
    text_append(text, "=");
}

/* One line of the log around whatever plain bytes. */
static void put_interval(struct text *log, const char *tag, uint64_t outer_cookie,
                         const struct text *plain) {
  uLongf size = compressBound((uLong)plain->length);
  Bytef *packed = mem_alloc(size, 1);
  assert_int_equal(compress(packed, &size, (const Bytef *)plain->data, (uLong)plain->length), Z_OK);
  struct text outer;
  text_init(&outer);
  put_big_endian(&outer, outer_cookie, 4);
  put_big_endian(&outer, size, 4);
  text_append_bytes(&outer, (const char *)packed, size);
  text_format(log, "%s0.127,1.007,2.769,", tag);
  put_base64(log, (const unsigned char *)outer.data, outer.length);
  text_append(log, "\n");
  text_clear(&outer);
  mem_free(packed);
}

static void put_plain(struct text *plain, const struct histogram *histogram,
                      const struct text *payload) {
  put_big_endian(plain, histogram->cookie, 4);
  put_big_endian(plain, payload->length, 4);
  put_big_endian(plain, histogram->offset, 4);
  put_big_endian(plain, histogram->digits, 4);
  put_big_endian(plain, histogram->lowest, 8);
  put_big_endian(plain, histogram->highest, 8);
  put_big_endian(plain, histogram->ratio, 8);
  text_append_bytes(plain, text_get(payload), payload->length);
}

static void put_histogram(struct text *log, const char *tag, const struct histogram *histogram) {
  struct text plain, payload;
  text_init(&plain);
  text_init(&payload);
  put_payload(&payload, histogram);
  put_plain(&plain, histogram, &payload);
  put_interval(log, tag, histogram->outer_cookie, &plain);
  text_clear(&plain);
  text_clear(&payload);
}

#endif
