/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sets of nodes against sets that are kept as arrays of truths, and neighbours and ranges at their
 * ends.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "steps/tp_step.h"

static uint64_t seed = 1;

static uint64_t draw(void) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return seed >> 32 | seed << 32;
}

/* Sparse, dense and any. */
static tp_set draw_set(void) {
  tp_set s = draw();
  return draw() % 3 == 0 ? s : draw() % 2 == 0 ? s & draw() & draw() : s | draw() | draw();
}

static void spread(bool members[TP_NODES], tp_set s) {
  for (int32_t i = 0; i < TP_NODES; i++)
    members[i] = tp_set_has(s, i);
}

static void operations(void **state) {
  (void)state;
  for (int round = 0; round < 2000; round++) {
    bool s[TP_NODES], t[TP_NODES];
    tp_set a = draw_set(), b = round % 5 == 0 ? a : draw_set();
    spread(s, a);
    spread(t, b);
    int32_t count = 0;
    bool same = true;
    for (int32_t i = 0; i < TP_NODES; i++) {
      assert_int_equal(tp_set_has(tp_set_union(a, b), i), s[i] || t[i]);
      assert_int_equal(tp_set_has(tp_set_intersection(a, b), i), s[i] && t[i]);
      assert_int_equal(tp_set_has(tp_set_difference(a, b), i), s[i] && !t[i]);
      assert_int_equal(tp_set_count(a, i), count);
      count += s[i];
      same = same && s[i] == t[i];
    }
    assert_int_equal(tp_set_count(a, TP_NODES), count);
    assert_int_equal(tp_set_same(a, b), same);
  }
}

static void members(void **state) {
  (void)state;
  for (int32_t n = 0; n <= TP_NODES; n++)
    for (int32_t i = 0; i < TP_NODES; i++) {
      assert_int_equal(tp_set_has(tp_set_all(n), i), i < n);
      assert_false(tp_set_has(tp_set_none(), i));
      if (n < TP_NODES)
        assert_int_equal(tp_set_has(tp_set_one(n), i), i == n);
    }
}

static void neighbours(void **state) {
  (void)state;
  for (int32_t n = 1; n <= TP_NODES; n++)
    for (int32_t i = 0; i < n; i++) {
      assert_int_equal(tp_next(i, n), (i + 1) % n);
      assert_int_equal(tp_prev(tp_next(i, n), n), i);
    }
}

static void ranges(void **state) {
  (void)state;
  const int64_t ends[] = {TP_INT_MAX, TP_TIME_MAX};
  bool (*fits[])(int64_t) = {tp_fits, tp_fits_time};
  for (int k = 0; k < 2; k++) {
    assert_true(fits[k](ends[k]) && fits[k](-ends[k]) && fits[k](0));
    assert_false(fits[k](ends[k] + 1) || fits[k](-ends[k] - 1));
    assert_false(fits[k](INT64_MAX) || fits[k](INT64_MIN));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(operations),
      cmocka_unit_test(members),
      cmocka_unit_test(neighbours),
      cmocka_unit_test(ranges),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
