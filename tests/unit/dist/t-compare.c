/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/statistics/compare.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "dist/statistics/confidence.h"
#include "tests/unit/dist/random.h"

/* A value with a tail. */
static uint64_t draw(struct random *random) {
  uint64_t r = random_next(random);
  return 1000 + (r % 1000) * (1 + (uint64_t)__builtin_ctzll((r >> 16) | (UINT64_C(1) << 20)));
}

static void draw_sample(struct sample *s, uint64_t seed, size_t count, uint64_t percent) {
  struct random random = {seed};
  sample_init(s);
  for (size_t i = 0; i < count; i++) {
    uint64_t ns = draw(&random) * percent / 100;
    assert_true(sample_add_range(s, ns, ns, 1));
  }
  sample_finish(s);
}

static void law_of(struct survival *law, const struct sample *s) {
  survival_init(law, &grid_default);
  confidence_survival(law, s, 0);
}

static void check_itself(void **context) {
  (void)context;
  struct sample s;
  struct survival law;
  struct comparison c;
  draw_sample(&s, 1, 5000, 100);
  law_of(&law, &s);
  compare_curve(&c, &law, &s, 0, s.total);
  assert_false(c.any.found);
  assert_false(c.beyond_chance.found);
  comparison_clear(&c);
  survival_clear(&law);
  sample_clear(&s);
}

/* Eight observations; the law is that of the values 10, 20, ... 80. The sixth is 65: above 60. */
static void check_place(void **context) {
  (void)context;
  struct sample truth, s;
  struct survival law;
  struct comparison c;
  sample_init(&truth);
  sample_init(&s);
  for (uint64_t i = 1; i <= 8; i++) {
    sample_add_range(&truth, 10 * i, 10 * i, 1);
    sample_add_range(&s, i == 6 ? 65 : 10 * i, i == 6 ? 65 : 10 * i, 1);
  }
  sample_finish(&truth);
  sample_finish(&s);
  law_of(&law, &truth);
  compare_curve(&c, &law, &s, 0, s.total);
  assert_true(c.any.found && c.beyond_chance.found);
  assert_int_equal(c.any.observed_ns, 65);
  struct rational expected;
  rational_init(&expected);
  rational_set_fraction(&expected, 6, 8);
  assert_int_equal(rational_compare(&c.any.share, &expected), 0);
  comparison_clear(&c);
  compare_curve(&c, &law, &s, SURVIVAL_ONE / 100, s.total);
  assert_true(c.any.found); /* eight observations cannot tell it from chance */
  assert_false(c.beyond_chance.found);
  comparison_clear(&c);
  rational_clear(&expected);
  survival_clear(&law);
  sample_clear(&truth);
  sample_clear(&s);
}

/* Samples of the law itself, and of one that is slower by a tenth. */
static void check_chance(void **context) {
  (void)context;
  struct sample truth;
  struct survival law;
  draw_sample(&truth, 99, 400000, 100);
  law_of(&law, &truth);
  size_t any = 0, alarms = 0, caught = 0;
  for (uint64_t run = 0; run < 200; run++) {
    struct comparison c;
    struct sample s;
    draw_sample(&s, 1000 + run, 2000, 100);
    compare_curve(&c, &law, &s, SURVIVAL_ONE / 20, s.total);
    any += c.any.found;
    alarms += c.beyond_chance.found;
    comparison_clear(&c);
    sample_clear(&s);
    draw_sample(&s, 1000 + run, 2000, 110);
    compare_curve(&c, &law, &s, SURVIVAL_ONE / 20, s.total);
    caught += c.beyond_chance.found;
    comparison_clear(&c);
    sample_clear(&s);
  }
  print_message("# of 200: excess %zu, false alarms %zu, caught %zu\n", any, alarms, caught);
  assert_true(any > 40);     /* chance alone exceeds often: why this exists */
  assert_true(alarms <= 10); /* 5 % */
  assert_int_equal(caught, 200);
  survival_clear(&law);
  sample_clear(&truth);
}

static void check_extremes(void **context) {
  (void)context;
  struct sample s, truth;
  struct survival law;
  struct comparison c;
  sample_init(&truth);
  sample_add_range(&truth, 100, 100, 1);
  sample_finish(&truth);
  law_of(&law, &truth);
  sample_init(&s);
  sample_add_range(&s, 50, 50, UINT64_C(1) << 61); /* many counts must not mean many steps */
  sample_add_beyond(&s, UINT64_C(1) << 60);
  sample_finish(&s);
  compare_curve(&c, &law, &s, SURVIVAL_ONE / 100, s.total);
  assert_true(c.beyond_chance.found);
  assert_true(c.beyond_chance.observed_ns == SAMPLE_NS_MAX);
  comparison_clear(&c);
  sample_clear(&s);
  sample_init(&s);
  sample_add_range(&s, 0, 0, 3);
  sample_finish(&s);
  compare_curve(&c, &law, &s, 0, s.total);
  assert_false(c.any.found);
  comparison_clear(&c);
  sample_clear(&s);
  sample_clear(&truth);
  survival_clear(&law);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(check_itself),
      cmocka_unit_test(check_place),
      cmocka_unit_test(check_chance),
      cmocka_unit_test(check_extremes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
