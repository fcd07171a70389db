/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "measure/outside/perf_records.h"

enum { MOST = 64, HEADER = 8 };

/* What was read, in its order. */
struct seen {
  size_t samples, words, fates;
  uint64_t first; /* of the last sample: its first word, */
  uint64_t sum;   /* and all of its words */
  struct perf_fate fate[MOST];
};

static void see_sample(void *context, const uint64_t *words, size_t count) {
  struct seen *seen = context;
  assert_true(count > 0);
  seen->samples++;
  seen->words += count;
  seen->first = words[0];
  seen->sum = 0;
  for (size_t i = 0; i < count; i++) /* a sanitizer sees a word that is not there */
    seen->sum += words[i];
}

static void see_fate(void *context, const struct perf_fate *fate) {
  struct seen *seen = context;
  assert_true(seen->fates < MOST);
  seen->fate[seen->fates++] = *fate;
}

/* From a copy of just that size. */
static size_t read_copy(struct seen *seen, const void *bytes, size_t count) {
  unsigned char *copy = malloc(count + (count == 0));
  assert_non_null(copy);
  memcpy(copy, bytes, count);
  *seen = (struct seen){0};
  struct perf_record_sink sink = {seen, see_sample, see_fate};
  size_t read = perf_records_read(copy, count, &sink);
  free(copy);
  return read;
}

struct ring_copy {
  uint64_t words[MOST];
  size_t count;
};

static void put(struct ring_copy *ring, uint32_t type, uint16_t misc, const uint64_t *words,
                size_t count) {
  struct perf_event_header header = {type, misc, (uint16_t)(HEADER + 8 * count)};
  memcpy(&ring->words[ring->count++], &header, sizeof header);
  for (size_t i = 0; i < count; i++)
    ring->words[ring->count++] = words[i];
}

static uint64_t pair(uint32_t low, uint32_t high) {
  return low | (uint64_t)high << 32;
}

/* One of each kind, and records that are passed over among them. */
static struct ring_copy one_of_each(void) {
  struct ring_copy ring = {.count = 0};
  put(&ring, PERF_RECORD_SAMPLE, 0, (uint64_t[]){77, 1, 2}, 3);
  put(&ring, PERF_RECORD_LOST, 0, (uint64_t[]){77, 5}, 2);
  put(&ring, PERF_RECORD_FORK, 0, (uint64_t[]){pair(500, 400), pair(500, 401), 1000}, 3);
  put(&ring, PERF_RECORD_FORK, 0, (uint64_t[]){pair(400, 400), pair(402, 401), 1001}, 3);
  put(&ring, PERF_RECORD_COMM, 0, (uint64_t[]){pair(400, 402), 7, 8, 1002, 9}, 5);
  put(&ring, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC,
      (uint64_t[]){pair(500, 501), 7, 8, 1003, 9}, 5);
  put(&ring, PERF_RECORD_EXIT, 0, (uint64_t[]){pair(500, 400), pair(502, 400), 1004}, 3);
  return ring;
}

static void test_each(void **state) {
  (void)state;
  struct seen seen;
  struct ring_copy ring = one_of_each();
  assert_int_equal(read_copy(&seen, ring.words, ring.count * 8), ring.count * 8);
  assert_int_equal(seen.samples, 1);
  assert_int_equal(seen.first, 77);
  assert_int_equal(seen.sum, 80);
  assert_int_equal(seen.fates, 3); /* a thread is no process, a name alone no program */
  static const struct perf_fate fates[] = {
      {FATE_FORK, 400, 500, 1000}, {FATE_EXEC, 500, 501, 1003}, {FATE_EXIT, 500, 502, 1004}};
  for (size_t i = 0; i < 3; i++) {
    assert_int_equal(seen.fate[i].fate, fates[i].fate);
    assert_int_equal(seen.fate[i].process, fates[i].process);
    assert_int_equal(seen.fate[i].other, fates[i].other);
    assert_int_equal(seen.fate[i].time_ns, fates[i].time_ns);
  }
}

/* Cut off anywhere: the whole records before are read, no byte behind. */
static void test_cut(void **state) {
  (void)state;
  struct ring_copy ring = one_of_each();
  size_t last = 0;
  for (size_t count = 0; count <= ring.count * 8; count++) {
    struct seen seen;
    size_t read = read_copy(&seen, ring.words, count);
    assert_true(read <= count && read >= last && read % 8 == 0);
    assert_int_equal(seen.samples, read >= 32);
    last = read;
  }
  assert_int_equal(last, ring.count * 8);
}

/* Too short for their kind, at each length; a sample of no words has no number. */
static void test_short(void **state) {
  (void)state;
  static const uint32_t kinds[] = {PERF_RECORD_SAMPLE, PERF_RECORD_FORK, PERF_RECORD_EXIT,
                                   PERF_RECORD_COMM};
  static const size_t least[] = {1, 3, 3, 5};
  static const uint64_t words[6] = {1 | 2ULL << 32, 3, 4, 5, 6, 7};
  for (size_t k = 0; k < 4; k++)
    for (size_t count = 0; count < 6; count++) {
      struct seen seen;
      struct ring_copy ring = {.count = 0};
      put(&ring, kinds[k], PERF_RECORD_MISC_COMM_EXEC, words, count);
      assert_int_equal(read_copy(&seen, ring.words, ring.count * 8), ring.count * 8);
      assert_int_equal(seen.samples + seen.fates, count >= least[k]);
    }
}

/* Sizes that no record has end the reading: else 0 would go on for ever. */
static void test_sizes(void **state) {
  (void)state;
  for (unsigned size = 0; size <= UINT16_MAX; size++) {
    struct seen seen;
    struct ring_copy ring = {.count = 0};
    put(&ring, PERF_RECORD_SAMPLE, 0, (uint64_t[]){1, 2}, 2);
    put(&ring, PERF_RECORD_SAMPLE, 0, (uint64_t[]){3, 4}, 2);
    struct perf_event_header header = {PERF_RECORD_SAMPLE, 0, (uint16_t)size};
    memcpy(&ring.words[3], &header, sizeof header);
    bool whole = size >= HEADER && size % 8 == 0 && size <= 24;
    size_t read = read_copy(&seen, ring.words, ring.count * 8);
    assert_true(whole ? read >= 24 + size : read == 24);
    assert_true(seen.samples >= 1 && seen.words >= 2);
  }
}

static void test_any_bytes(void **state) {
  (void)state;
  srand(1);
  for (int round = 0; round < 20000; round++) {
    struct seen seen;
    struct ring_copy ring = one_of_each();
    unsigned char *bytes = (unsigned char *)ring.words;
    for (int i = 0; i < 1 + round % 40; i++)
      bytes[(size_t)rand() % (ring.count * 8)] = (unsigned char)rand();
    size_t count = (size_t)rand() % (ring.count * 8 + 1);
    assert_true(read_copy(&seen, bytes, count) <= count);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_each),  cmocka_unit_test(test_cut),       cmocka_unit_test(test_short),
      cmocka_unit_test(test_sizes), cmocka_unit_test(test_any_bytes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
