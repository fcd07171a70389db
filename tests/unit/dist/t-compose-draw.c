/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "dist/evaluate/compose_draw.h"
#include "tests/unit/dist/random.h"

static struct compose *parse(const char *expression) {
  struct compose *compose;
  struct text message;
  text_init(&message);
  if (compose_parse(&compose, expression, &message) != STATUS_OK)
    fail_msg("%s: %s", expression, text_get(&message));
  text_clear(&message);
  return compose;
}

/* What the names are dealt, one after the other. */
struct dealer {
  const struct row_value *values;
  size_t count, dealt;
};

static struct row_value deal(void *context, const char *name) {
  struct dealer *dealer = context;
  (void)name;
  assert_true(dealer->dealt < dealer->count);
  return dealer->values[dealer->dealt++];
}

static struct row_value draw(const struct compose *compose, const struct row_value *values,
                             size_t count, struct random *random) {
  struct dealer dealer = {values, count, 0};
  struct compose_draws draws = {.draw = deal, .context = &dealer, .random = random};
  struct row_value z = compose_draw(compose, &draws);
  assert_int_equal(dealer.dealt, compose_draw_size(compose));
  return z;
}

#define NEVER ROW_INFINITE

/* Values up to the first 0 are exact; the result is one exact value or two ends. */
struct drawn {
  const char *expression;
  uint64_t values[8];
  uint64_t lower_ns, upper_ns;
};

static void test_each_operation(void **state) {
  (void)state;
  static const struct drawn cases[] = {
      {"X", {7}, 7, 7},
      {"5ns", {0}, 5, 5},
      {"1.5ns", {0}, 1, 2},
      {"never", {0}, NEVER, NEVER},
      {"X + Y", {7, 8}, 15, 15},
      {"X + never", {7}, NEVER, NEVER},
      {"X + X", {NEVER, 1}, NEVER, NEVER},
      {"3 * X", {7}, 21, 21},
      {"1/2 * X", {7}, 3, 4},
      {"0 * X", {NEVER}, 0, 0},
      {"1e18 * X", {7000}, NEVER, NEVER},
      {"max(X, Y, X)", {7, 9, 8}, 9, 9},
      {"min(X, Y, X)", {7, 9, 8}, 7, 7},
      {"min(X, never)", {7}, 7, 7},
      {"sum(X, 2 of Y)", {7, 9, 8}, 24, 24},
      {"max(3 of X)", {1, 5, 3}, 5, 5},
      {"kth(2, X, 2 of Y)", {7, 9, 8}, 8, 8},
      {"kth(3, X, 2 of Y)", {7, NEVER, 8}, NEVER, NEVER},
      {"mix(1 X)", {7}, 7, 7},
      {"cap(X, 5ns)", {7}, 5, 5},
      {"cap(X, 5ns)", {4}, 4, 4},
      {"cap(X, 5.5ns)", {NEVER}, 5, 6},
      {"timeout(X, 5ns)", {5}, 5, 5},
      {"timeout(X, 5ns)", {6}, NEVER, NEVER},
      {"timeout(X, 5ns, Y)", {6, 4}, 9, 9},
      {"timeout(X, 5ns, Y)", {5, 4}, 5, 5},
      {"timeout(X, 5.5ns, Y)", {6, 4}, 9, 10},
      {"timeout(X, 5.5ns, Y)", {5, 4}, 5, 5},
      {"retry(X, 5ns, 3)", {9, 9, 4}, 14, 14},
      {"retry(X, 5ns, 3)", {9, 9, 9}, NEVER, NEVER},
      {"retry(X, 5ns, 3)", {3, 1, 1}, 3, 3},
      {"retry(X, 5ns, 3, 2ns)", {9, NEVER, 4}, 18, 18},
      {"retry(X, 5ns, 3, 2ns, wait)", {9, 9, 30}, 44, 44},
      {"retry(X, 5ns, 2, wait)", {9, NEVER}, NEVER, NEVER},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct compose *compose = parse(cases[i].expression);
    struct row_value values[8];
    size_t count = 0;
    for (; cases[i].values[count] != 0; count++)
      values[count] = (struct row_value){cases[i].values[count], cases[i].values[count]};
    struct random random = {i};
    struct row_value z = draw(compose, values, count, &random);
    if (z.lower_ns != cases[i].lower_ns || z.upper_ns != cases[i].upper_ns)
      fail_msg("%s (case %zu): %lu to %lu", cases[i].expression, i, (unsigned long)z.lower_ns,
               (unsigned long)z.upper_ns);
    compose_clear(compose);
  }
}

static void test_what_is_known_within_ends(void **state) {
  (void)state;
  struct random random = {1};
  /* kept, or not: 5 at most, or the limit and then 9 */
  struct row_value values[] = {{4, 7}, {9, 9}};
  struct compose *compose = parse("timeout(X, 5ns, Y)");
  struct row_value z = draw(compose, values, 2, &random);
  assert_int_equal(z.lower_ns, 4);
  assert_int_equal(z.upper_ns, 14);
  compose_clear(compose);
  /* 4.5 keeps to 5.5: no sooner than 4, and not only up to 5 */
  compose = parse("timeout(X + 0.5ns, 5.5ns)");
  values[0] = (struct row_value){5, 5};
  z = draw(compose, values, 1, &random);
  assert_int_equal(z.lower_ns, 5);
  assert_true(z.upper_ns >= 6);
  compose_clear(compose);
}

/* 5.5 ns keep to 5.9 ns, which whole nanoseconds cannot tell. */
static void test_a_limit_between_two_nanoseconds(void **state) {
  (void)state;
  struct random random = {1};
  struct row_value values[] = {{5, 5}, {1, 1}};
  struct compose *compose = parse("timeout(X + 0.5ns, 5.9ns, min(Y, 0ns))");
  struct row_value z = draw(compose, values, 2, &random);
  assert_true(z.lower_ns <= 5 && z.upper_ns >= 6);
  compose_clear(compose);
}

/* --- ranges hold every exact draw ------------------------------------------------------------- */

static const char *const expressions[] = {
    "X + 2 * Y",
    "max(X, Y + X)",
    "kth(2, 3 of X, Y)",
    "cap(X + Y, 40ns)",
    "timeout(X, 20ns, Y)",
    "timeout(X + Y, 30ns)",
    "retry(X, 15ns, 3)",
    "retry(X, 15ns, 3, 4ns)",
    "retry(X + Y, 30ns, 3, 4ns, wait)",
    "min(timeout(X, 9ns), retry(Y, 25ns, 2, 1ns, wait))",
    "mix(1/3 X, 1/3 Y, 1/3 X + Y)",
    "3 * timeout(mix(0.5 X, 0.5 2 * X), 20ns, Y)",
};

static void test_ranges_hold_every_exact_draw(void **state) {
  (void)state;
  struct random random = {11};
  for (size_t e = 0; e < sizeof expressions / sizeof *expressions; e++) {
    struct compose *compose = parse(expressions[e]);
    size_t count = (size_t)compose_draw_size(compose);
    for (uint64_t i = 0; i < 5000; i++) {
      struct row_value truth[8], known[8];
      assert_true(count <= 8);
      for (size_t k = 0; k < count; k++) {
        uint64_t x = random_below(&random, 50);
        x = random_below(&random, 12) == 0 ? NEVER : x;
        truth[k] = (struct row_value){x, x};
        known[k].lower_ns =
            random_below(&random, 2) == 0 ? x : x - random_below(&random, x % 64 + 1);
        known[k].upper_ns =
            x == NEVER || random_below(&random, 8) == 0 ? NEVER : x + random_below(&random, 9);
      }
      struct random same = {i}, again = {i};
      struct row_value x = draw(compose, truth, count, &same);
      struct row_value z = draw(compose, known, count, &again);
      if (x.lower_ns != x.upper_ns || z.lower_ns > x.lower_ns || z.upper_ns < x.upper_ns)
        fail_msg("%s: %lu, not %lu to %lu", expressions[e], (unsigned long)x.lower_ns,
                 (unsigned long)z.lower_ns, (unsigned long)z.upper_ns);
      assert_int_equal(same.state, again.state); /* the same choices */
    }
    compose_clear(compose);
  }
}

/* --- from the least to the most --------------------------------------------------------------- */

/* X from 3 to 40, Y from 5 to 60 or never. */
static struct row_value extent_of(void *context, const char *name) {
  (void)context;
  return name[0] == 'X' ? (struct row_value){3, 40} : (struct row_value){5, NEVER};
}

static struct row_value any_of(void *context, const char *name) {
  struct random *random = context;
  uint64_t x = name[0] == 'X' ? 3 + random_below(random, 38) : 5 + random_below(random, 56);
  x = name[0] == 'Y' && random_below(random, 10) == 0 ? NEVER : x;
  return (struct row_value){x, x};
}

static void test_extents_hold_every_draw(void **state) {
  (void)state;
  struct random random = {5};
  for (size_t e = 0; e < sizeof expressions / sizeof *expressions; e++) {
    struct compose *compose = parse(expressions[e]);
    struct row_value all = compose_extent(compose, &(struct compose_draws){.draw = extent_of});
    for (size_t i = 0; i < 5000; i++) {
      struct row_value x = compose_draw(compose, &(struct compose_draws){any_of, &random, &random});
      assert_true(all.lower_ns <= x.lower_ns && x.upper_ns <= all.upper_ns);
    }
    compose_clear(compose);
  }
  struct compose *rare = parse("mix(0.999 X, 0.001 2 * X + 1ns)");
  struct row_value z = compose_extent(rare, &(struct compose_draws){.draw = extent_of});
  assert_int_equal(z.lower_ns, 3);
  assert_int_equal(z.upper_ns, 81);
  compose_clear(rare);
}

/* --- numbers of draws ------------------------------------------------------------------------- */

static void test_numbers_of_draws(void **state) {
  (void)state;
  static const struct {
    const char *expression;
    uint64_t size, first, choices;
  } cases[] = {
      {"X", 1, 1, 1},
      {"X + 3 * Y", 2, 1, 2},
      {"max(5 of X, Y)", 6, 5, 6},
      {"retry(X + Y, 5ns, 4)", 8, 4, 8},
      {"mix(0.9 X, 0.1 Y + X)", 3, 2, 4},
      {"max(3 of mix(0.5 X, 0.5 Y))", 6, 3, 9},
      {"timeout(X, 5ns, Y)", 2, 1, 2},
      {"timeout(X, 5ns)", 1, 1, 1},
      {"5ns + never", 0, 0, 0},
      {"mix(1 5ns)", 0, 0, 0},
      {"mix(0.5 1ns, 0.5 2ns)", 0, 0, 1},
      {"retry(mix(0.5 1ns, 0.5 never), 2ns, 7)", 0, 0, 7},
      {"max(10000 of max(10000 of max(10000 of max(10000 of max(10000 of X)))))", UINT64_MAX,
       UINT64_MAX, UINT64_MAX},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct compose *compose = parse(cases[i].expression);
    assert_int_equal(compose_draw_size(compose), cases[i].size);
    assert_int_equal(compose_draw_choices(compose), cases[i].choices);
    if (compose_name_count(compose) != 0)
      assert_int_equal(compose_draw_count(compose, 0), cases[i].first);
    compose_clear(compose);
  }
}

/* What has no choice needs no random numbers. */
static void test_constants_need_nothing(void **state) {
  (void)state;
  struct compose *compose = parse("max(2ms, 1/2 * 3ms) + timeout(5us, 1us, 7us)");
  struct row_value z = compose_draw(compose, &(struct compose_draws){0});
  assert_int_equal(z.upper_ns, 2008000);
  compose_clear(compose);
}

/* --- mixtures --------------------------------------------------------------------------------- */

static void test_the_shares_of_a_mixture(void **state) {
  (void)state;
  enum { DRAWS = 100000 };
  struct compose *compose = parse("mix(0.7 1ns, 0.25 2ns, 1/20 3ns)");
  static const double chances[] = {0.7, 0.25, 0.05};
  uint64_t seen[3] = {0};
  struct random random = {3};
  for (int i = 0; i < DRAWS; i++)
    seen[draw(compose, NULL, 0, &random).upper_ns - 1]++;
  for (size_t i = 0; i < 3; i++) {
    double off = fabs((double)seen[i] - DRAWS * chances[i]);
    assert_true(off < 5 * sqrt(DRAWS * chances[i] * (1 - chances[i])));
  }
  compose_clear(compose);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_each_operation),
      cmocka_unit_test(test_what_is_known_within_ends),
      cmocka_unit_test(test_a_limit_between_two_nanoseconds),
      cmocka_unit_test(test_ranges_hold_every_exact_draw),
      cmocka_unit_test(test_extents_hold_every_draw),
      cmocka_unit_test(test_numbers_of_draws),
      cmocka_unit_test(test_constants_need_nothing),
      cmocka_unit_test(test_the_shares_of_a_mixture),
  };
  return cmocka_run_group_tests_name("draws of composed laws", tests, NULL, NULL);
}
