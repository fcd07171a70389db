/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/survival/retry.h"
#include "tests/unit/dist/operands.h"

static void random_limit(struct rational *limit, struct operands *o, int64_t most_parts) {
  uint64_t last = grid_value_ns(&o->z.grid, grid_count(&o->z.grid) - 1);
  uint64_t most = random_below(&o->random, 3) == 0 ? 2 * last : last / 4;
  uint64_t numerator = 1 + random_below(&o->random, most);
  rational_set_fraction(limit, (int64_t)numerator,
                        1 + (int64_t)random_below(&o->random, (uint64_t)most_parts));
}

static void check_timeout(struct operands *o) {
  struct rational limit;
  rational_init(&limit);
  random_limit(&limit, o, 3);
  exact_apply(&o->result, o->laws, 2, exact_of_timeout, &limit);
  survival_timeout(&o->z, &o->s[0], &limit, &o->s[1]);
  operands_check(o, "timeout", 0);
  survival_set(&o->z, &o->s[0]);
  survival_timeout(&o->z, &o->z, &limit, &o->s[1]);
  operands_check(o, "timeout over its first", 0);
  survival_set(&o->z, &o->s[1]);
  survival_timeout(&o->z, &o->s[0], &limit, &o->z);
  operands_check(o, "timeout over its second", 0);
  exact_apply(&o->result, o->laws, 1, exact_of_timeout, &limit);
  survival_timeout(&o->z, &o->s[0], &limit, NULL);
  operands_check(o, "timeout without a second", 0);
  rational_clear(&limit);
}

static void test_timeouts(void **state) {
  (void)state;
  operands_run(200, check_timeout);
}

/* Whole limits: nothing is rounded but chances. */
static void check_retry(struct operands *o) {
  struct rational limit, pause;
  rational_init(&limit);
  rational_init(&pause);
  random_limit(&limit, o, 1);
  rational_set_integer(&pause, (int64_t)random_below(&o->random, 6));
  uint64_t attempts = 1 + random_below(&o->random, 6);
  bool wait = random_below(&o->random, 2);
  exact_retry(&o->result, o->laws[0], &limit, &pause, attempts, wait);
  survival_retry(&o->z, &o->s[0], &limit, &pause, attempts, wait);
  operands_check(o, "retry", 2 * attempts);
  survival_set(&o->z, &o->s[0]);
  survival_retry(&o->z, &o->z, &limit, &pause, attempts, wait);
  operands_check(o, "retry in place", 2 * attempts);
  rational_clear(&pause);
  rational_clear(&limit);
}

static void test_retries(void **state) {
  (void)state;
  operands_run(150, check_retry);
}

/* Broken limits and pauses: a bound still, each attempt rounded by less than a nanosecond. */
static void check_broken_retry(struct operands *o) {
  struct rational limit, pause;
  size_t k;
  bool missed;
  rational_init(&limit);
  rational_init(&pause);
  random_limit(&limit, o, 5);
  rational_set_fraction(&pause, (int64_t)random_below(&o->random, 9), 4);
  exact_retry(&o->result, o->laws[0], &limit, &pause, 3, true);
  survival_retry(&o->z, &o->s[0], &limit, &pause, 3, true);
  exact_bounds(&o->z, &o->result, (struct exact_slack){0}, &k, &missed);
  if (missed || !survival_is_valid(&o->z))
    fail_msg("seed %lu: no bound at %zu", (unsigned long)o->seed, k);
  rational_clear(&pause);
  rational_clear(&limit);
}

static void test_broken_limits(void **state) {
  (void)state;
  operands_run(150, check_broken_retry);
}

/* One attempt is a timeout, or the law itself when it is waited for; attempts without end leave
 * nothing at infinity but what rounding up leaves. */
static void test_ends_of_retries(void **state) {
  (void)state;
  struct rational limit, zero;
  rational_init(&limit);
  rational_init(&zero);
  rational_set_integer(&limit, 7);
  for (uint64_t seed = 0; seed < 20; seed++)
    for (int side = SIDE_UPPER; side <= SIDE_LOWER; side++) {
      struct operands o;
      operands_init(&o, &test_grids[0], (enum survival_side)side, seed);
      survival_retry(&o.z, &o.s[0], &limit, &zero, 1, true);
      assert_true(survival_equal(&o.z, &o.s[0]));
      survival_retry(&o.z, &o.s[0], &limit, &zero, 1, false);
      survival_timeout(&o.s[1], &o.s[0], &limit, NULL);
      assert_true(survival_equal(&o.z, &o.s[1]));
      for (size_t k = 0; k < grid_count(&o.z.grid); k++)
        o.s[2].tail[k] = k < 9 ? SURVIVAL_ONE / 2 : 0;
      survival_retry(&o.z, &o.s[2], &limit, &zero, UINT64_MAX, false);
      assert_true(survival_is_valid(&o.z));
      /* 0, or 9 and so too late, by halves: one unit is left when chances are rounded up */
      assert_true(survival_infinity(&o.z) == (side == SIDE_UPPER ? 1 : 0));
      assert_true(o.z.tail[0] == SURVIVAL_ONE / 2 && survival_tail(&o.z, 14) == SURVIVAL_ONE / 8);
      operands_clear(&o);
    }
  rational_clear(&limit);
  rational_clear(&zero);
}

/* P(law > limit), rounded to the side. */
static uint64_t late_of(const struct exact *law, const struct rational *limit,
                        enum survival_side side) {
  struct rational sum;
  int64_t late = 0;
  rational_init(&sum);
  for (size_t i = 0; i < law->count; i++)
    if (law->atoms[i].infinite || rational_compare(&law->atoms[i].value, limit) > 0)
      rational_add(&sum, &sum, &law->atoms[i].chance);
  struct rational scale;
  rational_init(&scale);
  rational_set_integer(&scale, (int64_t)SURVIVAL_ONE);
  rational_mul(&sum, &sum, &scale);
  assert_true(side == SIDE_UPPER ? rational_ceil(&late, &sum) : rational_floor(&late, &sum));
  rational_clear(&scale);
  rational_clear(&sum);
  return (uint64_t)late;
}

static void assert_bound(const struct operands *o, const char *what) {
  size_t k;
  bool missed;
  exact_bounds(&o->z, &o->result, (struct exact_slack){0}, &k, &missed);
  if (missed || !survival_is_valid(&o->z))
    fail_msg("seed %lu: %s is no bound at %zu", (unsigned long)o->seed, what, k);
}

/* Laws between the grid's points, of which the chance to be late is known exactly: a bound still,
 * and never a worse one. */
static void check_known_late(struct operands *o) {
  struct rational limit, pause;
  rational_init(&limit);
  rational_init(&pause);
  struct exact law;
  exact_init(&law);
  random_exact(&law, &o->random, &o->z.grid);
  survival_of_exact(&o->s[0], &law);
  if (random_below(&o->random, 2) && !law.atoms[0].infinite && rational_sign(&law.atoms[0].value))
    rational_set(&limit, &law.atoms[0].value);
  else
    random_limit(&limit, o, 3);
  rational_set_integer(&pause, (int64_t)random_below(&o->random, 6));
  uint64_t late = late_of(&law, &limit, o->z.side), attempts = 1 + random_below(&o->random, 4);
  bool wait = random_below(&o->random, 2), upper = o->z.side == SIDE_UPPER;
  exact_retry(&o->result, &law, &limit, &pause, attempts, wait);
  survival_retry_late(&o->z, &o->s[0], late, &limit, &pause, attempts, wait);
  assert_bound(o, "retry");
  survival_retry(&o->s[2], &o->s[0], &limit, &pause, attempts, wait);
  assert_true(survival_dominates(upper ? &o->s[2] : &o->z, upper ? &o->z : &o->s[2]));
  exact_apply(&o->result, (const struct exact *[]){&law, o->laws[1]}, 2, exact_of_timeout, &limit);
  survival_timeout_late(&o->z, &o->s[0], late, &limit, &o->s[1]);
  assert_bound(o, "timeout");
  survival_timeout(&o->s[2], &o->s[0], &limit, &o->s[1]);
  assert_true(survival_dominates(upper ? &o->s[2] : &o->z, upper ? &o->z : &o->s[2]));
  exact_clear(&law);
  rational_clear(&pause);
  rational_clear(&limit);
}

static void test_known_chances_to_be_late(void **state) {
  (void)state;
  operands_run(300, check_known_late);
}

/* One answer in twenty takes 5000 ns, which lies between two points. With that as the limit none is
 * late, with one less all of these are. */
static void test_answers_at_the_limit(void **state) {
  (void)state;
  const struct grid grid = {.sub_bits = 4, .octaves = 12};
  const uint64_t twentieth = SURVIVAL_ONE / 20;
  for (int side = SIDE_UPPER; side <= SIDE_LOWER; side++) {
    struct survival x, z;
    struct rational limit, none;
    rational_init(&limit);
    rational_init(&none);
    survival_init_side(&x, &grid, (enum survival_side)side);
    survival_init_side(&z, &grid, (enum survival_side)side);
    for (size_t k = 0; k < grid_count(&grid); k++)
      x.tail[k] = survival_threshold(&x, k) < 5000 ? twentieth : 0;
    bool upper = side == SIDE_UPPER;
    uint64_t known = upper ? 0 : twentieth;
    rational_set_integer(&limit, upper ? 5000 : 4999);
    survival_retry_late(&z, &x, known, &limit, &none, 3, false);
    assert_true(survival_infinity(&z) == (upper ? 0 : twentieth / 400));
    assert_true(survival_tail(&z, 6000) == known / 20);
    survival_retry(&z, &x, &limit, &none, 3, false);
    assert_true(survival_tail(&z, 6000) == (twentieth - known) / 20);
    survival_clear(&x);
    survival_clear(&z);
    rational_clear(&none);
    rational_clear(&limit);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_timeouts),
      cmocka_unit_test(test_retries),
      cmocka_unit_test(test_broken_limits),
      cmocka_unit_test(test_ends_of_retries),
      cmocka_unit_test(test_known_chances_to_be_late),
      cmocka_unit_test(test_answers_at_the_limit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
