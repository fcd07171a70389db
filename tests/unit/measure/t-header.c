/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The checks of a store's header, names and segments: what was sealed is good, at the ends of every
 * range; each single flipped bit is noticed; each number out of range is refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "measure/core/header.h"

static struct format_header header_good(void) {
  struct format_header header;
  memset(&header, 0, sizeof header);
  header.clock = 2;
  header.ns_per_tick_up = 4294967296;
  header.ns_per_tick_down = 1;
  header.start_ticks = 0x123456789abcdef0;
  strcpy(header.node, "backup[2]");
  memset(header.host, 'h', sizeof header.host - 1);
  header.mutable.names_used = FORMAT_NAMES_MAX;
  header_seal(&header);
  return header;
}

static void header_verdicts(void **state) {
  (void)state;
  struct format_header header = header_good();
  assert_int_equal(header_check(&header, FORMAT_SEGMENTS), HEADER_GOOD);
  assert_int_equal(header_check(&header, FORMAT_SEGMENTS - 1), HEADER_SHORT);
  header.magic = __builtin_bswap64(header.magic);
  assert_int_equal(header_check(&header, FORMAT_SEGMENTS), HEADER_BYTE_ORDER);
  header.magic = 0;
  assert_int_equal(header_check(&header, FORMAT_SEGMENTS), HEADER_NO_STORE);
  header = header_good();
  header.byte_order = __builtin_bswap32(header.byte_order);
  assert_int_equal(header_check(&header, FORMAT_SEGMENTS), HEADER_BYTE_ORDER);
  header = header_good();
  header.version++;
  assert_int_equal(header_check(&header, FORMAT_SEGMENTS), HEADER_VERSION);
  header = header_good();
  header.check++;
  assert_int_equal(header_check(&header, FORMAT_SEGMENTS), HEADER_CHECK);
}

static void header_sizes(void **state) {
  (void)state;
  struct format_header header = header_good();
  header.mutable.names_used++;
  assert_int_equal(header_check(&header, FORMAT_SEGMENTS), HEADER_SIZES);
  header = header_good();
  header.ns_per_tick_up++;
  header_seal(&header);
  assert_int_equal(header_check(&header, FORMAT_SEGMENTS), HEADER_SIZES);
  header = header_good();
  header.ns_per_tick_down = 0;
  header_seal(&header);
  assert_int_equal(header_check(&header, FORMAT_SEGMENTS), HEADER_SIZES);
  header = header_good();
  header.ns_per_tick_up = 5, header.ns_per_tick_down = 6;
  header_seal(&header);
  assert_int_equal(header_check(&header, FORMAT_SEGMENTS), HEADER_SIZES);
  for (uint32_t clock = 0; clock <= 3; clock += 3) {
    header = header_good();
    header.clock = clock;
    header_seal(&header);
    assert_int_equal(header_check(&header, FORMAT_SEGMENTS), HEADER_SIZES);
  }
  char *texts[] = {header.node, header.host, header.program};
  for (int i = 0; i < 3; i++) {
    header = header_good();
    memset(texts[i], 'x', FORMAT_TEXT);
    header_seal(&header);
    assert_int_equal(header_check(&header, FORMAT_SEGMENTS), HEADER_SIZES);
  }
}

static void header_flips_are_noticed(void **state) {
  (void)state;
  struct format_header header = header_good();
  unsigned char *bytes = (unsigned char *)&header;
  for (size_t bit = 0; bit < 8 * offsetof(struct format_header, mutable); bit++) {
    bytes[bit / 8] = (unsigned char)(bytes[bit / 8] ^ 1 << bit % 8);
    assert_int_not_equal(header_check(&header, FORMAT_SEGMENTS), HEADER_GOOD);
    bytes[bit / 8] = (unsigned char)(bytes[bit / 8] ^ 1 << bit % 8);
  }
  assert_int_equal(header_check(&header, FORMAT_SEGMENTS), HEADER_GOOD);
}

static struct format_name name_good(const char *name, const char *series) {
  struct format_name made;
  memset(&made, 0, sizeof made);
  made.kind = FORMAT_DELAY;
  strcpy(made.name, name);
  strcpy(made.series, series);
  name_seal(&made);
  return made;
}

static void names(void **state) {
  (void)state;
  const char *letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.";
  for (int c = 1; c < 256; c++) {
    struct format_name name = name_good((char[]){(char)c, 0}, "");
    assert_int_equal(name_check(&name), strchr(letters, c) != NULL);
    name = name_good("Request", (char[]){'d', (char)c, 0});
    assert_int_equal(name_check(&name), strchr(letters, c) != NULL);
  }
  struct format_name name = name_good("", "d");
  assert_int_equal(name_check(&name), 0);
  memset(name.name, 'n', sizeof name.name);
  name_seal(&name);
  assert_int_equal(name_check(&name), 0);
  name = name_good("Request", "d.Request");
  for (uint32_t kind = 0; kind <= FORMAT_REQUEST + 1; kind++) {
    name.kind = kind;
    name_seal(&name);
    assert_int_equal(name_check(&name), kind >= FORMAT_COMPONENT && kind <= FORMAT_REQUEST);
  }
  name.kind = FORMAT_WAIT;
  name_seal(&name);
  unsigned char *bytes = (unsigned char *)&name;
  for (size_t bit = 0; bit < 8 * sizeof name; bit++) {
    bytes[bit / 8] = (unsigned char)(bytes[bit / 8] ^ 1 << bit % 8);
    assert_int_equal(name_check(&name), 0);
    bytes[bit / 8] = (unsigned char)(bytes[bit / 8] ^ 1 << bit % 8);
  }
  assert_int_equal(name_check(&name), 1);
}

static int sealed_check(struct format_segment segment, uint64_t left) {
  segment_seal(&segment);
  return segment_check(&segment, left, 5);
}

static void segments(void **state) {
  (void)state;
  struct format_segment log = {.bytes = 2 * FORMAT_PAGE, .kind = FORMAT_LOG, .capacity = 64};
  assert_int_equal(sealed_check(log, log.bytes), 1);
  assert_int_equal(sealed_check(log, log.bytes - 1), 0);
  log.writer = FORMAT_WRITERS_MAX - 1;
  assert_int_equal(sealed_check(log, log.bytes), 1);
  log.writer++;
  assert_int_equal(sealed_check(log, log.bytes), 0);
  log.writer = 0, log.capacity = 63;
  assert_int_equal(sealed_check(log, log.bytes), 0);
  log.capacity = 128;
  assert_int_equal(sealed_check(log, log.bytes), 0);
  log.bytes += 4096;
  assert_int_equal(sealed_check(log, log.bytes), 1);
  log.bytes += 8;
  assert_int_equal(sealed_check(log, log.bytes), 0);
  struct format_segment histogram = {.bytes = 68 * FORMAT_PAGE, .kind = FORMAT_HISTOGRAM};
  histogram.name = 4;
  assert_int_equal(sealed_check(histogram, histogram.bytes), 1);
  histogram.name = 5;
  assert_int_equal(sealed_check(histogram, histogram.bytes), 0);
  histogram.name = 0, histogram.bytes = 67 * FORMAT_PAGE;
  assert_int_equal(sealed_check(histogram, histogram.bytes),
                   67 * FORMAT_PAGE >= FORMAT_PAGE + sizeof(struct histogram));
  histogram.bytes = 66 * FORMAT_PAGE;
  assert_int_equal(sealed_check(histogram, histogram.bytes), 0);
  histogram.bytes = 70 * FORMAT_PAGE, histogram.kind = 3;
  assert_int_equal(sealed_check(histogram, histogram.bytes), 0);
}

static void segment_flips_are_noticed(void **state) {
  (void)state;
  struct format_segment log = {.bytes = 65 * FORMAT_PAGE, .kind = FORMAT_LOG, .capacity = 4096};
  segment_seal(&log);
  unsigned char *bytes = (unsigned char *)&log;
  for (size_t bit = 0; bit < 8 * offsetof(struct format_segment, written); bit++) {
    bytes[bit / 8] = (unsigned char)(bytes[bit / 8] ^ 1 << bit % 8);
    assert_int_equal(segment_check(&log, UINT64_MAX, 512), 0);
    bytes[bit / 8] = (unsigned char)(bytes[bit / 8] ^ 1 << bit % 8);
  }
  assert_int_equal(segment_check(&log, log.bytes, 512), 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(header_verdicts),
      cmocka_unit_test(header_sizes),
      cmocka_unit_test(header_flips_are_noticed),
      cmocka_unit_test(names),
      cmocka_unit_test(segments),
      cmocka_unit_test(segment_flips_are_noticed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
