/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Percentiles against sorted values, and against integers of 128 bits for counts near 2^64.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "measure/core/quantile.h"
#include "tests/unit/measure/core_random.h"

static struct histogram histogram;

static int ascending(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

/* The value of the given rank from 1, as the histogram can tell it. */
static uint64_t told(uint64_t value) {
  return value > HISTOGRAM_VALUE_MAX_NS ? UINT64_MAX
                                        : histogram_upper_edge_ns(histogram_bucket(value));
}

static void sorted_values(void **state) {
  (void)state;
  enum { MOST = 300 };
  uint64_t values[MOST];
  for (int round = 0; round < 100; round++) {
    size_t count = 1 + core_random() % MOST;
    histogram_init(&histogram);
    for (size_t i = 0; i < count; i++) {
      values[i] = core_random() >> (20 + core_random() % 44);
      assert_int_equal(histogram_record(&histogram, values[i]), 1);
    }
    qsort(values, count, sizeof values[0], ascending);
    for (int i = 0; i < 20; i++) {
      uint64_t denominator = 1 + core_random() % QUANTILE_DENOMINATOR_MAX;
      uint64_t numerator = core_random() % (denominator + 1);
      uint64_t rank = (numerator * count + denominator - 1) / denominator;
      assert_true(histogram_quantile_ns(&histogram, numerator, denominator) ==
                  (rank == 0 ? 0 : told(values[rank - 1])));
    }
    assert_true(histogram_quantile_ns(&histogram, 1, 1) == told(values[count - 1]));
  }
}

static void empty(void **state) {
  (void)state;
  histogram_init(&histogram);
  assert_int_equal(histogram_quantile_ns(&histogram, 0, 1), 0);
  assert_int_equal(histogram_quantile_ns(&histogram, 1, 1), 0);
  assert_int_equal(histogram_record(&histogram, UINT64_MAX), 1);
  assert_int_equal(histogram_quantile_ns(&histogram, 0, 1), 0);
  assert_true(histogram_quantile_ns(&histogram, 1, QUANTILE_DENOMINATOR_MAX) == UINT64_MAX);
}

/* Two buckets and the saturated share 2^64 - 1 values or a little less. */
static void many_values(void **state) {
  (void)state;
  for (int i = 0; i < 1000; i++) {
    histogram_init(&histogram);
    uint64_t total = UINT64_MAX - core_random() % 2, low = core_random_word() % total;
    uint64_t high = core_random_word() % (total - low);
    histogram.counts[10] = low;
    histogram.counts[HISTOGRAM_BUCKETS - 1] = high;
    histogram.saturated = total - low - high;
    histogram.total = total;
    uint64_t denominator = 1 + core_random_word() % QUANTILE_DENOMINATOR_MAX;
    uint64_t numerator = core_random_word() % (denominator + 1);
    wide needed = ((wide)numerator * total + denominator - 1) / denominator;
    uint64_t want = needed == 0                  ? 0
                    : needed <= low              ? 10
                    : needed <= (wide)low + high ? HISTOGRAM_VALUE_MAX_NS
                                                 : UINT64_MAX;
    assert_true(histogram_quantile_ns(&histogram, numerator, denominator) == want);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sorted_values),
      cmocka_unit_test(empty),
      cmocka_unit_test(many_values),
  };
  return cmocka_run_group_tests_name("quantile", tests, NULL, NULL);
}
