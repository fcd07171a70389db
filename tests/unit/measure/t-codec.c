/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The codecs of records, stamps and probes: what is encoded is decoded, at the ends of every range
 * and for random values; each single flipped bit of a record or stamp is noticed; what is out of
 * range is refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "measure/core/probe.h"
#include "measure/core/record.h"
#include "measure/core/stamp.h"
#include "tests/unit/measure/core_random.h"

static struct record record_random(void) {
  uint64_t a = core_random_word(), b = core_random_word();
  struct record record = {.start = a < b ? a : b,
                          .end = a < b ? b : a,
                          .instance = (uint32_t)core_random_word(),
                          .name = (uint16_t)(core_random_word() % (RECORD_NAME_MAX + 1)),
                          .kind = (uint8_t)(1 + core_random_word() % RECORD_KIND_MAX),
                          .count = (uint8_t)(core_random_word() % (RECORD_ARGUMENTS + 1))};
  for (int i = 0; i < record.count; i++)
    record.arguments[i] = (int32_t)(uint32_t)core_random_word();
  return record;
}

static void records_equal(const struct record *a, const struct record *b) {
  assert_true(a->start == b->start && a->end == b->end && a->instance == b->instance);
  assert_true(a->name == b->name && a->kind == b->kind && a->count == b->count);
  assert_memory_equal(a->arguments, b->arguments, sizeof a->arguments);
}

static void record_comes_back(void **state) {
  (void)state;
  for (int i = 0; i < 20000; i++) {
    struct record record = record_random(), copy;
    uint64_t words[RECORD_WORDS] = {0}, position = core_random_word() | 1;
    assert_int_equal(record_encode(words, position, &record), 1);
    assert_true(words[0] == 0);
    assert_int_equal(record_decode(&copy, words), 0);
    words[0] = position;
    assert_int_equal(record_decode(&copy, words), 1);
    records_equal(&record, &copy);
  }
}

static void record_flips_are_noticed(void **state) {
  (void)state;
  for (int i = 0; i < 200; i++) {
    struct record record = record_random(), copy;
    uint64_t words[RECORD_WORDS] = {core_random_word() | 1};
    assert_int_equal(record_encode(words, words[0], &record), 1);
    for (int bit = 0; bit < 64 * RECORD_WORDS; bit++) {
      words[bit / 64] ^= (uint64_t)1 << bit % 64;
      assert_int_equal(record_decode(&copy, words), 0);
      words[bit / 64] ^= (uint64_t)1 << bit % 64;
    }
    assert_int_equal(record_decode(&copy, words), 1);
  }
}

static void record_of_two_halves(void **state) {
  (void)state;
  for (int i = 0; i < 2000; i++) {
    struct record one = record_random(), other = record_random(), copy;
    uint64_t words[RECORD_WORDS] = {7}, later[RECORD_WORDS] = {7 + 1024};
    other.start = one.start / 2 + 1; /* differs, so no cut gives a record */
    other.end = UINT64_MAX - one.end / 2;
    one.end = one.start;
    assert_int_equal(record_encode(words, words[0], &one), 1);
    assert_int_equal(record_encode(later, later[0], &other), 1);
    for (int cut = 1; cut < RECORD_WORDS; cut++) {
      memcpy(words, later, (size_t)cut * sizeof words[0]);
      assert_int_equal(record_decode(&copy, words), 0);
    }
  }
}

/* Refused, with nothing changed. */
static void refused(const struct record *record, uint64_t position) {
  uint64_t words[RECORD_WORDS], before[RECORD_WORDS];
  memset(words, 0x5a, sizeof words);
  memcpy(before, words, sizeof words);
  assert_int_equal(record_encode(words, position, record), 0);
  assert_memory_equal(words, before, sizeof words);
}

static void record_out_of_range(void **state) {
  (void)state;
  const struct record good = {.start = 3, .end = 3, .name = RECORD_NAME_MAX, .kind = 8};
  assert_int_equal(record_valid(&good), 1);
  refused(&good, 0);
  struct record bad = good;
  bad.end = 2;
  refused(&bad, 1);
  bad = good, bad.name = RECORD_NAME_MAX + 1;
  refused(&bad, 1);
  bad = good, bad.kind = 0;
  refused(&bad, 1);
  bad = good, bad.kind = RECORD_KIND_MAX + 1;
  refused(&bad, 1);
  bad = good, bad.count = RECORD_ARGUMENTS + 1;
  refused(&bad, 1);
  for (int count = 0; count < RECORD_ARGUMENTS; count++)
    for (int i = count; i < RECORD_ARGUMENTS; i++) {
      bad = good, bad.count = (uint8_t)count, bad.arguments[i] = -1;
      assert_int_equal(record_valid(&bad), 0);
      refused(&bad, 1);
    }
}

static struct stamp stamp_random(void) {
  struct stamp stamp = {.answer = (uint8_t)(core_random_word() % 2),
                        .name = (uint16_t)core_random_word(),
                        .clock_identity = core_random_word(),
                        .sent = core_random_word()};
  if (stamp.answer) {
    stamp.question_name = (uint16_t)core_random_word();
    stamp.question_sent = core_random_word();
    stamp.held_ns = core_random_word();
  }
  return stamp;
}

static void stamp_comes_back(void **state) {
  (void)state;
  for (int i = 0; i < 2000; i++) {
    struct stamp stamp = stamp_random(), copy;
    uint8_t bytes[STAMP_BYTES];
    stamp_encode(bytes, &stamp);
    assert_int_equal(stamp_decode(&copy, bytes), 1);
    assert_true(copy.answer == stamp.answer && copy.name == stamp.name);
    assert_true(copy.question_name == stamp.question_name && copy.held_ns == stamp.held_ns);
    assert_true(copy.question_sent == stamp.question_sent && copy.sent == stamp.sent);
    assert_true(copy.clock_identity == stamp.clock_identity);
  }
}

static void stamp_flips_are_noticed(void **state) {
  (void)state;
  for (int i = 0; i < 200; i++) {
    struct stamp stamp = stamp_random(), copy;
    uint8_t bytes[STAMP_BYTES];
    stamp_encode(bytes, &stamp);
    for (int bit = 0; bit < 8 * STAMP_BYTES; bit++) {
      bytes[bit / 8] = (uint8_t)(bytes[bit / 8] ^ 1 << bit % 8);
      assert_int_equal(stamp_decode(&copy, bytes), 0);
      bytes[bit / 8] = (uint8_t)(bytes[bit / 8] ^ 1 << bit % 8);
    }
  }
}

static void stamp_layout(void **state) {
  (void)state;
  const struct stamp stamp = {.answer = 1,
                              .name = 0x0102,
                              .question_name = 0x0304,
                              .clock_identity = 0x1112131415161718,
                              .sent = 0x2122232425262728,
                              .question_sent = 0x3132333435363738,
                              .held_ns = 0x4142434445464748};
  const uint8_t expected[40] = {'T',  'P',  1,    1,    0x04, 0x03, 0x02, 0x01, 0x18, 0x17,
                                0x16, 0x15, 0x14, 0x13, 0x12, 0x11, 0x28, 0x27, 0x26, 0x25,
                                0x24, 0x23, 0x22, 0x21, 0x38, 0x37, 0x36, 0x35, 0x34, 0x33,
                                0x32, 0x31, 0x48, 0x47, 0x46, 0x45, 0x44, 0x43, 0x42, 0x41};
  uint8_t bytes[STAMP_BYTES];
  stamp_encode(bytes, &stamp);
  assert_memory_equal(bytes, expected, sizeof expected);
  struct stamp stray = {.held_ns = 1}, copy; /* of no answer */
  stamp_encode(bytes, &stray);
  assert_int_equal(stamp_decode(&copy, bytes), 0);
}

static void probe_comes_back(void **state) {
  (void)state;
  for (int i = 0; i < 2000; i++) {
    struct probe probe = {(uint8_t)(1 + core_random_word() % 2), (uint32_t)core_random_word(),
                          core_random_word()},
                 copy;
    uint8_t bytes[PROBE_BYTES];
    probe_encode(bytes, &probe);
    assert_int_equal(probe_decode(&copy, bytes, PROBE_BYTES), 1);
    assert_true(copy.kind == probe.kind && copy.sequence == probe.sequence);
    assert_true(copy.time_ns == probe.time_ns);
    assert_int_equal(probe_decode(&copy, bytes, PROBE_BYTES - 1), 0);
    assert_int_equal(probe_decode(&copy, bytes, PROBE_BYTES + 1), 0);
    for (int byte = 0; byte < 3; byte++) {
      bytes[byte]++;
      assert_int_equal(probe_decode(&copy, bytes, PROBE_BYTES), 0);
      bytes[byte]--;
    }
    bytes[3] = i % 2 == 0 ? 0 : 3;
    assert_int_equal(probe_decode(&copy, bytes, PROBE_BYTES), 0);
  }
}

static void probe_layout(void **state) {
  (void)state;
  const struct probe probe = {PROBE_ANSWER, 0x01020304, 0x1112131415161718};
  const uint8_t expected[PROBE_BYTES] = {'T',  'P',  1,    2,    0x01, 0x02, 0x03, 0x04,
                                         0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18};
  uint8_t bytes[PROBE_BYTES];
  probe_encode(bytes, &probe);
  assert_memory_equal(bytes, expected, sizeof expected);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(record_comes_back),    cmocka_unit_test(record_flips_are_noticed),
      cmocka_unit_test(record_of_two_halves), cmocka_unit_test(record_out_of_range),
      cmocka_unit_test(stamp_comes_back),     cmocka_unit_test(stamp_flips_are_noticed),
      cmocka_unit_test(stamp_layout),         cmocka_unit_test(probe_comes_back),
      cmocka_unit_test(probe_layout),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
