/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/dist/parse.h"

enum { VALUES = 20000 };

static int compare_values(const void *a, const void *b) {
  const uint64_t *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

static uint64_t value_of(uint64_t *state, unsigned kind) {
  uint64_t bits = random_next(state);
  switch (kind % 4) {
  case 0:
    return bits % 50;
  case 1:
    return bits >> (1 + random_next(state) % 63);
  case 2:
    return SAMPLE_NS_MAX - bits % 3;
  default:
    return 1000000 + bits % 100000;
  }
}

/* Against a plain sorted list of all values. */
static void check_against_list(uint64_t seed, size_t count, size_t beyond) {
  uint64_t state = seed, *values = mem_alloc(count, sizeof *values);
  struct sample sample;
  sample_init(&sample);
  for (size_t i = 0; i < count; i++) {
    values[i] = value_of(&state, (unsigned)seed);
    assert_true(sample_add(&sample, values[i], 1));
  }
  assert_true(sample_add_beyond(&sample, beyond));
  sample_finish(&sample);
  assert_true(sample_is_valid(&sample));
  qsort(values, count, sizeof *values, compare_values);
  struct rational p;
  rational_init(&p);
  size_t total = count + beyond;
  for (size_t k = 0; k < 200; k++) {
    int64_t d = (int64_t)(1 + random_next(&state) % (2 * total));
    int64_t n = (int64_t)(random_next(&state) % (uint64_t)(d + 1));
    rational_set_fraction(&p, n, d);
    size_t rank = (size_t)(((unsigned __int128)n * total + (uint64_t)d - 1) / (uint64_t)d);
    uint64_t x = 77;
    bool finite = sample_quantile(&x, &sample, &p);
    uint64_t expected = rank == 0 ? 0 : rank <= count ? values[rank - 1] : SAMPLE_NS_MAX;
    bool infinite = expected == SAMPLE_NS_MAX; /* also of one that ends anywhere up to then */
    if (finite == infinite || x != (infinite ? 77 : expected))
      fail_msg("seed %" PRIu64 ": quantile %" PRId64 "/%" PRId64 " is %" PRIu64, seed, n, d, x);
    uint64_t at = values[random_next(&state) % count] - random_next(&state) % 2, above = beyond;
    for (size_t i = 0; i < count; i++)
      above += values[i] > at;
    if (sample_count_above(&sample, at) != above)
      fail_msg("seed %" PRIu64 ": count above %" PRIu64, seed, at);
  }
  rational_clear(&p);
  sample_clear(&sample);
  mem_free(values);
}

static void random_samples(void **unused) {
  (void)unused;
  for (uint64_t seed = 1; seed <= 40; seed++)
    check_against_list(seed, seed % 5 == 0 ? VALUES : 1 + seed * 7, seed % 3 == 0 ? seed : 0);
}

static void merging_bounds_memory(void **unused) {
  (void)unused;
  struct sample sample;
  sample_init(&sample);
  for (uint64_t i = 0; i < 1000000; i++)
    assert_true(sample_add(&sample, i % 100, 1));
  assert_true(sample.capacity <= 512);
  sample_finish(&sample);
  assert_int_equal(sample.count, 100);
  assert_int_equal(sample.bins[7].count, 10000);
  sample_clear(&sample);
}

static void totals_do_not_overflow(void **unused) {
  (void)unused;
  struct sample sample;
  sample_init(&sample);
  assert_false(sample_is_valid(&sample));
  assert_true(sample_add(&sample, 1, SAMPLE_TOTAL_MAX - 2));
  assert_true(sample_add(&sample, 5, 0));
  assert_false(sample_add(&sample, 2, 3));
  assert_false(sample_add_beyond(&sample, 3));
  assert_true(sample_add_beyond(&sample, 2));
  sample_finish(&sample);
  assert_true(sample_is_valid(&sample));
  assert_int_equal(sample.count, 1);
  struct rational p;
  rational_init(&p);
  rational_set_fraction(&p, INT64_MAX - 2, INT64_MAX);
  uint64_t x = 0;
  assert_true(sample_quantile(&x, &sample, &p));
  assert_int_equal(x, 1);
  rational_set_fraction(&p, INT64_MAX - 1, INT64_MAX);
  assert_false(sample_quantile(&x, &sample, &p));
  rational_clear(&p);
  sample.real = sample.total + 1;
  assert_false(sample_is_valid(&sample));
  sample_clear(&sample);
}

/* A bin that several ranges share keeps the least of their lower edges, also when merged early. */
static void lower_edges_are_kept(void **unused) {
  (void)unused;
  for (size_t count = 1; count <= 20000; count = 3 * count + 1) {
    uint64_t state = count, least[50];
    memset(least, 0xff, sizeof least);
    struct sample sample;
    sample_init(&sample);
    for (size_t i = 0; i < count; i++) {
      size_t bin = random_next(&state) % 50;
      uint64_t lower = random_next(&state) % (bin + 1);
      assert_true(sample_add_range(&sample, lower, bin, 1));
      least[bin] = lower < least[bin] ? lower : least[bin];
    }
    sample_finish(&sample);
    assert_true(sample_is_valid(&sample));
    for (size_t i = 0; i < sample.count; i++)
      assert_int_equal(sample.bins[i].lower_ns, least[sample.bins[i].upper_ns]);
    sample.bins[0].lower_ns = sample.bins[0].upper_ns + 1;
    assert_false(sample_is_valid(&sample));
    sample_clear(&sample);
  }
}

/* In order, or not at all. */
static void series_are_whole_or_absent(void **unused) {
  (void)unused;
  struct sample sample;
  sample_init(&sample);
  for (size_t i = 0; i < SAMPLE_SERIES_MAX; i++)
    sample_add_to_series(&sample, SAMPLE_SERIES_MAX - i);
  assert_true(sample_add(&sample, 1, 1));
  sample_finish(&sample);
  assert_int_equal(sample.series_count, SAMPLE_SERIES_MAX);
  assert_int_equal(sample.series[0], SAMPLE_SERIES_MAX);
  assert_int_equal(sample.series[SAMPLE_SERIES_MAX - 1], 1);
  assert_int_equal(sample.total, 1);
  sample_add_to_series(&sample, 7);
  sample_add_to_series(&sample, 7);
  sample_finish(&sample);
  assert_int_equal(sample.series_count, 0);
  assert_null(sample.series);
  sample_clear(&sample);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_samples),
      cmocka_unit_test(merging_bounds_memory),
      cmocka_unit_test(totals_do_not_overflow),
      cmocka_unit_test(lower_edges_are_kept),
      cmocka_unit_test(series_are_whole_or_absent),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
