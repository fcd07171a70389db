/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The proved core of profiles: that it computes what is meant. That it keeps its promises is
 * proved.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "measure/core/sample_record.h"
#include "measure/core/share_interval.h"
#include "measure/core/stack_fold.h"
#include "measure/core/thread_prune.h"

static void test_folds_are_merged_in_any_order(void **state) {
  (void)state;
  uint64_t a[2] = {15, 85}, b[2] = {1, 99}, there[3] = {0}, back[3] = {0}, total = 0,
           total_back = 0;
  const uint32_t of_a[2] = {0, 1}, of_b[2] = {2, 0};
  assert_int_equal(stack_fold_merge(there, 3, &total, of_a, a, 2, 100), 1);
  assert_int_equal(stack_fold_merge(there, 3, &total, of_b, b, 2, 100), 1);
  assert_int_equal(stack_fold_merge(back, 3, &total_back, of_b, b, 2, 100), 1);
  assert_int_equal(stack_fold_merge(back, 3, &total_back, of_a, a, 2, 100), 1);
  assert_int_equal(total, 200);
  assert_int_equal(there[0], 114);
  assert_memory_equal(there, back, sizeof there);
  const uint64_t huge[2] = {UINT64_MAX - 100, 1};
  assert_int_equal(stack_fold_merge(there, 3, &total, of_a, huge, 2, UINT64_MAX - 99), 0);
  assert_int_equal(stack_fold_count(there, 3, &total, 3, 1), 0);
  assert_int_equal(stack_fold_count(there, 3, &total, 2, UINT64_MAX - 200), 1);
  assert_int_equal(stack_fold_count(there, 3, &total, 2, 1), 0);
  assert_true(total == UINT64_MAX);
}

static void test_the_fewest_threads_are_kept(void **state) {
  (void)state;
  const uint64_t weights[] = {50, 30, 10, 9, 1};
  assert_int_equal(prune_keep(weights, 5, 100, 0), 0);
  assert_int_equal(prune_keep(weights, 5, 100, 500000), 1);
  assert_int_equal(prune_keep(weights, 5, 100, 500001), 2);
  assert_int_equal(prune_keep(weights, 5, 100, 990000), 4);
  assert_int_equal(prune_keep(weights, 5, 100, 1000000), 5);
  assert_int_equal(prune_keep(weights, 0, 0, 990000), 0);
  const uint64_t great[] = {UINT64_MAX - 1, 1};
  assert_int_equal(prune_keep(great, 2, UINT64_MAX, 1000000), 2);
}

/* Wilson's formula. */
static double wilson_lower(double hits, double samples, double z2) {
  double p = hits / samples;
  return (p + z2 / (2 * samples) - sqrt(z2 * (p * (1 - p) + z2 / (4 * samples)) / samples)) /
         (1 + z2 / samples);
}

static void test_intervals_are_wilson_s_rounded_outward(void **state) {
  (void)state;
  struct random random = {.state = 17};
  for (int i = 0; i < 20000; i++) {
    uint64_t samples = 1 + (random_bits(&random) >> (32 + random_bits(&random) % 32));
    uint64_t hits = random_bits(&random) % (samples + 1);
    double low = wilson_lower((double)hits, (double)samples, SHARE_Z2_99 / 1024.0);
    double high = 1 - wilson_lower((double)(samples - hits), (double)samples, SHARE_Z2_99 / 1024.0);
    double got_low = share_lower_ppm(hits, samples, SHARE_Z2_99) / 1e6;
    double got_high = share_upper_ppm(hits, samples, SHARE_Z2_99) / 1e6;
    assert_true(got_low <= low + 1.1e-6 && got_low >= low - 1.1e-6);
    assert_true(got_high >= high - 1.1e-6 && got_high <= high + 1.1e-6);
  }
  assert_int_equal(share_lower_ppm(0, 10, SHARE_Z2_99), 0);
  assert_int_equal(share_upper_ppm(10, 10, SHARE_Z2_99), SHARE_WHOLE);
}

static void test_samples_are_located(void **state) {
  (void)state;
  uint64_t words[] = {1, 2, 3, 2, 0xa, 0xb, 2, 7, 8, 9, 16, 5, 6, 12};
  struct sample_places places;
  assert_int_equal(sample_locate(&places, words, 14, 3), 1);
  assert_int_equal(places.chain_count, 2);
  assert_int_equal(places.registers, 7);
  assert_int_equal(places.stack, 11);
  assert_int_equal(places.stack_bytes, 12);
  for (uint64_t count = 0; count < 14; count++)
    assert_int_equal(sample_locate(&places, words, count, 3), 0);
  assert_int_equal(sample_locate(&places, words, 6, 0), 1);
  words[13] = UINT64_MAX;
  assert_int_equal(sample_locate(&places, words, 14, 3), 1);
  assert_int_equal(places.stack_bytes, 16);
  words[6] = 0;
  words[7] = 0;
  assert_int_equal(sample_locate(&places, words, 8, 3), 1);
  assert_int_equal(places.registers + places.stack, 0);
  words[3] = UINT64_MAX;
  assert_int_equal(sample_locate(&places, words, 14, 3), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_folds_are_merged_in_any_order),
      cmocka_unit_test(test_the_fewest_threads_are_kept),
      cmocka_unit_test(test_intervals_are_wilson_s_rounded_outward),
      cmocka_unit_test(test_samples_are_located),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
