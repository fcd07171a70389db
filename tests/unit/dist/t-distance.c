/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/statistics/distance.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/random.h"

enum { MOST = 200 };

static struct sample sample_of(const uint64_t *ns, size_t count) {
  struct sample sample;
  sample_init(&sample);
  for (size_t i = 0; i < count; i++)
    sample_add_range(&sample, ns[i], ns[i], 1);
  sample_finish(&sample);
  return sample;
}

static double below(const uint64_t *ns, size_t count, uint64_t x) {
  size_t sum = 0;
  for (size_t i = 0; i < count; i++)
    sum += ns[i] <= x;
  return (double)sum / (double)count;
}

static void test_the_largest_difference_is_that_of_all_values(void **state) {
  (void)state;
  struct random random = {4};
  for (size_t round = 0; round < 300; round++) {
    uint64_t a[MOST], b[MOST];
    size_t m = 1 + random_below(&random, MOST), n = 1 + random_below(&random, MOST);
    uint64_t range = 1 + random_below(&random, 500);
    for (size_t i = 0; i < m; i++)
      a[i] = random_below(&random, range);
    for (size_t i = 0; i < n; i++)
      b[i] = random_below(&random, 2 * range);
    struct sample first = sample_of(a, m), second = sample_of(b, n);
    struct distance distance = distance_of(&first, &second);
    double largest = 0;
    for (uint64_t x = 0; x < 2 * range; x++)
      largest = fmax(largest, fabs(below(a, m, x) - below(b, n, x)));
    assert_true(fabs(distance.largest - largest) < 1e-12);
    assert_true(fabs(fabs(below(a, m, distance.at_ns) - below(b, n, distance.at_ns)) - largest) <
                1e-12);
    assert_true(distance.median <= distance.largest);
    sample_clear(&first);
    sample_clear(&second);
  }
}

static void test_a_law_and_itself(void **state) {
  (void)state;
  static const uint64_t ns[] = {1, 5, 5, 9};
  struct sample a = sample_of(ns, 4), b = sample_of(ns, 4);
  struct distance distance = distance_of(&a, &b);
  assert_true(distance.largest == 0 && distance.median == 0);
  sample_clear(&a);
  sample_clear(&b);
}

/* Twice the latency for every request: the published metric over a grid up to 100 times the largest
 * value says that the median error is 0. */
static void test_no_grid_hides_an_error(void **state) {
  (void)state;
  uint64_t ns[100], twice[100];
  for (size_t i = 0; i < 100; i++) {
    ns[i] = 1000 + 10 * i;
    twice[i] = 2 * ns[i];
  }
  size_t zeros = 0, points = 0;
  for (uint64_t x = 0; x < 400000; x += 100, points++)
    zeros += below(ns, 100, x) == below(twice, 100, x);
  assert_true(zeros > points / 2);
  struct sample a = sample_of(ns, 100), b = sample_of(twice, 100);
  struct distance distance = distance_of(&a, &b);
  assert_true(distance.largest == 1);
  assert_true(distance.median >= 0.49);
  sample_clear(&a);
  sample_clear(&b);
}

static void test_what_lies_beyond_counts(void **state) {
  (void)state;
  static const uint64_t ns[] = {1, 2};
  struct sample a = sample_of(ns, 2), b = sample_of(ns, 2);
  sample_add_beyond(&b, 2);
  sample_finish(&b);
  assert_true(distance_of(&a, &b).largest == 0.5);
  sample_clear(&a);
  sample_clear(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_largest_difference_is_that_of_all_values),
      cmocka_unit_test(test_a_law_and_itself),
      cmocka_unit_test(test_no_grid_hides_an_error),
      cmocka_unit_test(test_what_lies_beyond_counts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
