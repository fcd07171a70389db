/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/statistics/common_edges.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/unit/dist/random.h"

/* By adding up products of binomial coefficients, which are whole numbers here. */
static double choose(uint64_t n, uint64_t k) {
  double product = 1;
  for (uint64_t i = 0; i < k; i++)
    product = product * (double)(n - i) / (double)(i + 1);
  return k > n ? 0 : round(product);
}

static double counted(uint64_t k, uint64_t first, uint64_t second, uint64_t marked) {
  double sum = 0;
  for (uint64_t i = k; i <= first && i <= marked; i++)
    sum += choose(first, i) * choose(second, marked - i);
  return sum / choose(first + second, marked);
}

static void test_chances(void **state) {
  (void)state;
  for (uint64_t first = 1; first <= 12; first++)
    for (uint64_t second = 1; second <= 12; second++)
      for (uint64_t marked = 0; marked <= first + second; marked++)
        for (uint64_t k = 0; k <= first + 1; k++) {
          double chance = hypergeometric_from(k, first, second, marked);
          double truth = counted(k, first, second, marked);
          assert_true(chance >= truth * (1 - 1e-12) && chance <= truth * (1 + 1e-6) + 1e-300);
        }
  /* 301 terms, added up in Python */
  assert_true(fabs(hypergeometric_from(350, 100000, 100000, 650) - 0.02706884) < 1e-6);
  /* of any number that there can be, and never too small by rounding */
  assert_true(hypergeometric_from(20, 20, 20, 20) < 1e-10);
  double large = hypergeometric_from(UINT64_C(1) << 38, UINT64_C(1) << 39, UINT64_C(1) << 39,
                                     UINT64_C(1) << 39);
  assert_true(large > 0.5 && large <= 1);
}

static struct sample sample_of(const uint64_t (*bins)[3], size_t count) {
  struct sample sample;
  sample_init(&sample);
  for (size_t i = 0; i < count; i++)
    assert_true(sample_add_range(&sample, bins[i][0], bins[i][1], bins[i][2]));
  sample_finish(&sample);
  return sample;
}

static void test_edges(void **state) {
  (void)state;
  static const uint64_t bins_a[][3] = {{0, 10, 5}, {11, 100, 80}, {101, 250, 15}};
  static const uint64_t bins_b[][3] = {{0, 10, 50}, {11, 50, 30}, {51, 250, 20}};
  struct sample a = sample_of(bins_a, 3), b = sample_of(bins_b, 3);
  struct common_edges edges;
  /* at 100 B has a bucket on either side, at 50 A has */
  assert_true(common_edges_find(&edges, &a, 100, &b, 100));
  assert_int_equal(edges.count, 1);
  assert_int_equal(edges.all[0].ns, 10);
  assert_int_equal(edges.all[0].a_above, 95);
  assert_int_equal(edges.all[0].b_above, 50);
  assert_true(edges.all[0].a_chance < 1e-10 && edges.all[0].b_chance == 1);
  /* what is beyond all is above, and a few that are worth less show less */
  assert_true(sample_add_beyond(&b, 100));
  assert_true(common_edges_find(&edges, &a, 100, &b, 20));
  assert_int_equal(edges.all[0].b_above, 150);
  assert_true(edges.all[0].a_chance > 1e-6);
  sample_clear(&a);
  sample_clear(&b);
  /* no edge at all */
  static const uint64_t wide[][3] = {{0, 1000, 7}};
  a = sample_of(wide, 1);
  b = sample_of(bins_b, 3);
  assert_false(common_edges_find(&edges, &a, 7, &b, 100));
  sample_clear(&a);
  sample_clear(&b);
}

/* Of one law a chance of 1 in 20 or less is no more frequent than that, whatever is drawn. */
static void test_alike(void **state) {
  (void)state;
  struct random random = {17};
  size_t alarms = 0, runs = 2000;
  for (size_t run = 0; run < runs; run++) {
    struct sample samples[2];
    size_t sizes[] = {20 + run % 180, 30 + run % 70};
    for (size_t i = 0; i < 2; i++) {
      uint64_t above = 0;
      for (size_t k = 0; k < sizes[i]; k++)
        above += random_next(&random) % 10 == 0;
      sample_init(&samples[i]);
      sample_add_range(&samples[i], 0, 100, sizes[i] - above);
      sample_add_range(&samples[i], 101, 200, above);
      sample_finish(&samples[i]);
    }
    struct common_edges edges;
    if (common_edges_find(&edges, &samples[0], sizes[0], &samples[1], sizes[1]))
      for (size_t i = 0; i < edges.count; i++)
        if (edges.all[i].ns == 100)
          alarms += edges.all[i].a_chance <= 0.05 || edges.all[i].b_chance <= 0.05;
    sample_clear(&samples[0]);
    sample_clear(&samples[1]);
  }
  assert_in_range(alarms, runs / 100,
                  runs / 10); /* two directions of 5 % each, both conservative */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_chances),
      cmocka_unit_test(test_edges),
      cmocka_unit_test(test_alike),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
