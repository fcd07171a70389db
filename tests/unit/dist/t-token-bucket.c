/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Fitted token buckets against all windows, counted one by one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "dist/statistics/token_bucket.h"

enum { MOST = 40 };

/* From the meaning: every window that begins with one arrival and ends with another. */
static uint64_t by_windows(const int64_t *times, size_t count, uint64_t every) {
  int64_t burst = 0;
  for (size_t i = 0; i < count; i++)
    for (size_t j = i; j < count; j++) {
      int64_t needs = (int64_t)(j - i + 1) - (times[j] - times[i]) / (int64_t)every;
      burst = needs > burst ? needs : burst;
    }
  return (uint64_t)burst;
}

/* Whether a bucket of integer tokens, one more every T since the last, refuses none: the same
 * algorithm as a limit that is kept. */
static int admits_all(const int64_t *times, size_t count, uint64_t every, uint64_t burst) {
  int64_t theoretical = times[0];
  for (size_t i = 0; i < count; i++) {
    if (theoretical - times[i] > (int64_t)((burst - 1) * every))
      return 0;
    theoretical = (theoretical > times[i] ? theoretical : times[i]) + (int64_t)every;
  }
  return 1;
}

static size_t draw(int64_t *times, struct random *random) {
  size_t count = 1 + random_below(random, MOST);
  uint64_t spread = 1 + random_below(random, 30);
  int64_t now = (int64_t)random_below(random, 1000) - 500;
  for (size_t i = 0; i < count; i++) {
    now += random_below(random, 3) == 0 ? 0 : (int64_t)random_below(random, spread);
    times[i] = now;
  }
  return count;
}

static void test_the_least_burst_that_all_windows_allow(void **state) {
  (void)state;
  struct random random = {1};
  int64_t times[MOST];
  for (int round = 0; round < 20000; round++) {
    size_t count = draw(times, &random);
    uint64_t every = 1 + random_below(&random, 40);
    struct token_bucket bucket;
    token_bucket_fit(&bucket, times, count, every);
    assert_int_equal(bucket.burst, by_windows(times, count, every));
    assert_true(admits_all(times, count, every, bucket.burst));
    if (bucket.burst > 1)
      assert_false(admits_all(times, count, every, bucket.burst - 1));
    assert_true(bucket.tolerance_ns <= (bucket.burst - 1) * every);
    int64_t width = times[bucket.last] - times[bucket.first];
    assert_int_equal((int64_t)(bucket.last - bucket.first + 1) - width / (int64_t)every,
                     bucket.burst);
    size_t half = count / 2;
    assert_int_equal(bucket.halves_burst[0], by_windows(times, half, every));
    assert_int_equal(bucket.halves_burst[1], by_windows(times + half, count - half, every));
  }
}

static void test_the_largest_time_for_a_burst(void **state) {
  (void)state;
  struct random random = {2};
  int64_t times[MOST];
  for (int round = 0; round < 5000; round++) {
    size_t count = draw(times, &random);
    uint64_t burst = 1 + random_below(&random, 6);
    uint64_t slowest = token_bucket_slowest(times, count, burst);
    if (count <= burst) {
      assert_true(slowest == UINT64_MAX);
      continue;
    }
    if (slowest > 0)
      assert_true(by_windows(times, count, slowest) <= burst);
    assert_true(by_windows(times, count, slowest + 1) > burst);
  }
}

static void test_known_streams(void **state) {
  (void)state;
  int64_t even[] = {0, 10, 20, 30, 40, 50}, late[] = {3, 10, 20, 30, 40, 50};
  struct token_bucket bucket;
  token_bucket_fit(&bucket, even, 6, 10);
  assert_int_equal(bucket.burst, 1);
  assert_int_equal(bucket.tolerance_ns, 0);
  token_bucket_fit(&bucket, even, 6, 11); /* 1 ns more early with each */
  assert_int_equal(bucket.burst, 2);
  assert_int_equal(bucket.tolerance_ns, 5);
  token_bucket_fit(&bucket, late, 6, 10); /* jitter of 3 ns */
  assert_int_equal(bucket.burst, 2);
  assert_int_equal(bucket.tolerance_ns, 3);
  assert_int_equal(bucket.first, 0);
  assert_int_equal(token_bucket_slowest(even, 6, 1), 10);
  assert_int_equal(token_bucket_slowest(late, 6, 1), 7);
  int64_t together[] = {7, 7, 7};
  token_bucket_fit(&bucket, together, 3, UINT64_MAX); /* nothing overflows */
  assert_int_equal(bucket.burst, 3);
  assert_int_equal(bucket.tolerance_ns, UINT64_MAX);
  assert_int_equal(token_bucket_slowest(together, 3, 2), 0);
  token_bucket_fit(&bucket, together, 0, 1);
  assert_int_equal(bucket.burst, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_least_burst_that_all_windows_allow),
      cmocka_unit_test(test_the_largest_time_for_a_burst),
      cmocka_unit_test(test_known_streams),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
