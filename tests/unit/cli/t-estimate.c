/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/percentiles/estimate.h"
#include "cli/question/percentiles/improve.h"
#include "dist/statistics/limits.h"
#include "tests/unit/cli/fixture.h"

enum { MOST = 4000 };
static uint64_t series[MOST];

/* A long tail, in whole microseconds. */
static uint64_t draw_time(struct random *random) {
  uint64_t x = 100 + random_below(random, 100);
  while (random_below(random, 3) == 0)
    x *= 2;
  return 1000 * x;
}

static void write_draws(struct fixture *f, const char *name, size_t count, uint64_t seed) {
  struct random random = {seed};
  for (size_t i = 0; i < count; i++)
    series[i] = draw_time(&random);
  fixture_series(f, name, series, count);
}

/* Each like the one before, but that about every 40th begins anew. */
static void fill_slow(uint64_t *values, size_t count, uint64_t seed) {
  struct random random = {seed};
  uint64_t level = draw_time(&random);
  for (size_t i = 0; i < count; i++) {
    level = random_below(&random, 40) == 0 ? draw_time(&random) : level;
    values[i] = level + random_below(&random, 1000);
  }
}

struct question {
  struct rational share;
  struct estimate estimate;
  struct interval at;
};

static void ask(struct question *q, struct fixture *f, const char *share) {
  rational_init(&q->share);
  assert_true(rational_parse(&q->share, share));
  assert_int_equal(estimate_make(&q->estimate, &f->calculation, DEPENDENCE_INDEPENDENT), STATUS_OK);
  q->at = estimate_at(&q->estimate, &f->calculation, &q->share, true);
}

static void question_clear(struct question *q) {
  rational_clear(&q->share);
  estimate_clear(&q->estimate);
}

/* The limit of the draws at this chance of error. */
static bool limit_of(uint64_t *ns, const struct question *q, const struct fixture *f,
                     uint64_t chance) {
  const struct draws *draws = &f->calculation.draws;
  struct serial serial = draws_serial(draws, &q->share);
  return limit_upper(ns, &draws->values, &q->share, serial_worth_upper(&serial, draws->values.real),
                     chance);
}

static bool convolved(uint64_t *ns, const struct question *q) {
  uint64_t tail = 0;
  survival_tail_of_side(&tail, &q->share, SIDE_UPPER);
  return survival_quantile(ns, &q->estimate.convolved[SIDE_UPPER], tail);
}

/* --- the chance of error ---------------------------------------------------------------------- */

/* 299 draws are just enough for p99 at 95 %, far too few for bands: the draws have all of it. */
static void test_draws_alone_have_all_of_the_chance(void **state) {
  (void)state;
  struct fixture f;
  struct question q;
  uint64_t limit = 0;
  fixture_init(&f, "A + B");
  write_draws(&f, "A", 299, 1);
  write_draws(&f, "B", 299, 2);
  fixture_run(&f, "--set n=1 --data @ --exchangeable --confidence 0.95");
  ask(&q, &f, "0.99");
  assert_true(q.estimate.by_draws && q.estimate.by_convolution);
  assert_int_equal(q.estimate.chance, SURVIVAL_ONE / 20);
  assert_int_equal(q.estimate.convolution_chance, SURVIVAL_ONE / 320);
  assert_true(q.at.upper_finite && q.at.upper_way == WAY_DRAWS);
  assert_true(limit_of(&limit, &q, &f, q.estimate.chance));
  assert_int_equal(q.at.upper_ns, limit);
  assert_false(limit_of(&limit, &q, &f, q.estimate.chance / 2));
  question_clear(&q);
  fixture_clear(&f);
}

static void check_parts(struct fixture *f, const char *share, uint64_t part) {
  struct question q;
  uint64_t drawn = 0, banded = 0;
  ask(&q, f, share);
  bool drawn_finite = limit_of(&drawn, &q, f, q.estimate.chance - q.estimate.convolution_chance);
  bool banded_finite = convolved(&banded, &q);
  assert_int_equal(q.estimate.convolution_chance, q.estimate.chance / part);
  assert_true(drawn_finite || banded_finite);
  uint64_t better = !banded_finite || (drawn_finite && drawn < banded) ? drawn : banded;
  assert_true(q.at.upper_finite);
  assert_int_equal(q.at.upper_ns, better);
  question_clear(&q);
}

static void test_they_share_the_chance(void **state) {
  (void)state;
  struct fixture f;
  fixture_init(&f, "A + B");
  write_draws(&f, "A", 1000, 1);
  write_draws(&f, "B", 1000, 2);
  fixture_run(&f, "--set n=1 --data @ --exchangeable");
  check_parts(&f, "0.5", 16);
  check_parts(&f, "0.9", 16);
  fixture_clear(&f);
}

/* Observations that depend on their past are worth too few for bands, but that is seen only by
 * looking at them: the draws do not have all of the chance for it. */
static void test_what_was_observed_does_not_move_the_chance(void **state) {
  (void)state;
  struct fixture f;
  fixture_init(&f, "A + B");
  fill_slow(series, MOST, 1);
  fixture_series(&f, "A", series, MOST);
  fill_slow(series, MOST, 2);
  fixture_series(&f, "B", series, MOST);
  fixture_run(&f, "--set n=1 --data @ --confidence 0.9");
  struct question q;
  ask(&q, &f, "0.98");
  const struct law_entry *a = f.calculation.laws.entries.data[0];
  uint64_t alpha = q.estimate.convolution_chance / f.calculation.laws.measured;
  uint64_t needed =
      calculation_samples_needed(&f.calculation, DEPENDENCE_INDEPENDENT, &q.share, alpha);
  assert_true(needed > law_entry_worth(a) && needed < MOST);
  uint64_t whole = 0, half = 0;
  bool half_finite = limit_of(&half, &q, &f, q.estimate.chance - q.estimate.convolution_chance);
  assert_true(!limit_of(&whole, &q, &f, q.estimate.chance) || !half_finite || whole <= half);
  assert_int_equal(q.at.upper_finite, half_finite);
  if (half_finite)
    assert_int_equal(q.at.upper_ns, half);
  question_clear(&q);
  fixture_clear(&f);
}

/* What is said to be needed is enough, also where nothing is known of bands. */
static void test_what_is_needed_will_do(void **state) {
  (void)state;
  uint64_t needed = 0;
  for (int round = 0; round < 2; round++) {
    struct fixture f;
    struct question q;
    fixture_init(&f, "A + C");
    write_draws(&f, "A", round == 0 ? 50 : (size_t)needed, 3);
    fixture_run(&f, "--set n=1 --data @ --exchangeable --confidence 0.95 --law C=A+A");
    ask(&q, &f, "0.9");
    assert_int_equal(q.at.upper_finite, round == 1);
    needed = estimate_needed(&q.estimate, &f.calculation, &q.share);
    assert_in_range(needed, 3 * 29, MOST);
    question_clear(&q);
    fixture_clear(&f);
  }
}

/* --- a percentile and the curve --------------------------------------------------------------- */

static void test_a_curve_holds_at_all_points(void **state) {
  (void)state;
  static const char *const shares[] = {"0.01", "0.25", "0.5", "0.9", "0.99"};
  struct fixture f;
  fixture_init(&f, "max(A, B) + A");
  write_draws(&f, "A", 2000, 1);
  write_draws(&f, "B", 1500, 2);
  fixture_run(&f, "--set n=1 --data @ --exchangeable");
  for (size_t i = 0; i < 5; i++) {
    struct question q;
    uint64_t tail = 0, curve_ns = 0;
    ask(&q, &f, shares[i]);
    assert_true(q.at.lower_ns <= q.at.upper_ns);
    survival_tail_of_side(&tail, &q.share, SIDE_UPPER);
    if (survival_quantile(&curve_ns, &q.estimate.bound[SIDE_UPPER], tail))
      assert_true(q.at.upper_finite && q.at.upper_ns <= curve_ns);
    survival_tail_of_side(&tail, &q.share, SIDE_LOWER);
    assert_true(survival_quantile(&curve_ns, &q.estimate.bound[SIDE_LOWER], tail));
    assert_true(curve_ns <= q.at.lower_ns);
    question_clear(&q);
  }
  fixture_clear(&f);
}

/* --- what if ---------------------------------------------------------------------------------- */

static void try(uint64_t *ns, struct question *q, struct fixture *f, const char *name,
                struct draws_change change) {
  enum status status = STATUS_OK;
  size_t entry = 0;
  while (strcmp(f->calculation.laws.entries.data[entry]->name, name) != 0)
    entry++;
  change.entry = entry;
  assert_true(estimate_try(ns, &q->estimate, &f->calculation, &q->share, &change, &status));
  assert_int_equal(status, STATUS_OK);
}

static const struct draws_change as_it_is = {.numerator = 1, .denominator = 1};
static const struct draws_change taken_away = {.denominator = 1, .removed = true};

static void test_unchanged_is_as_it_is(void **state) {
  (void)state;
  static const char *const shares[] = {"0.5", "0.9", "0.99"};
  struct fixture f;
  fixture_init(&f, "A + B");
  write_draws(&f, "A", 1000, 1);
  write_draws(&f, "B", 1000, 2);
  fixture_run(&f, "--set n=1 --data @ --exchangeable --confidence 0.95");
  for (size_t i = 0; i < 3; i++) {
    struct question q;
    uint64_t ns = 0;
    ask(&q, &f, shares[i]);
    try(&ns, &q, &f, "B", as_it_is);
    assert_int_equal(ns, q.at.upper_ns);
    question_clear(&q);
  }
  fixture_clear(&f);
}

static void write_rows(struct fixture *f, const char *name, bool with_b) {
  struct random random = {9};
  fill_slow(series, MOST, 5);
  FILE *file = fixture_file(f, name);
  fprintf(file, with_b ? "A_ns,B_ns\n" : "A_ns\n");
  for (size_t i = 0; i < MOST; i++) {
    fprintf(file, "%llu", (unsigned long long)series[i]);
    if (with_b)
      fprintf(file, ",%llu", 100 * (unsigned long long)draw_time(&random));
    fprintf(file, "\n");
  }
  fclose(file);
}

static uint64_t upper_of(const char *bound, const char *line, bool with_b, bool without) {
  struct fixture f;
  struct question q;
  fixture_init(&f, bound);
  write_rows(&f, "t.csv", with_b);
  fixture_run(&f, line);
  ask(&q, &f, "0.9");
  assert_true(f.calculation.draws.by_request && q.at.upper_finite);
  uint64_t ns = q.at.upper_ns;
  if (without)
    try(&ns, &q, &f, "B", taken_away);
  question_clear(&q);
  fixture_clear(&f);
  return ns;
}

/* B hides that A depends on its past: without it, the rows are worth what those of A are. */
static void test_taken_away_is_left_out(void **state) {
  (void)state;
  const char *line = "--set n=1 --joint @/t.csv --confidence 0.9";
  assert_int_equal(upper_of("A + B", line, true, true), upper_of("A", line, false, false));
}

static void test_a_choice_of_constants_may_be_improved(void **state) {
  (void)state;
  struct fixture f;
  struct question q;
  contribution_list list = {0};
  fixture_init(&f, "A + C");
  write_draws(&f, "A", 1000, 1);
  fixture_run(&f, "--set n=1 --data @ --exchangeable --law C=mix(0.5_1ms,_0.5_2ms)");
  ask(&q, &f, "0.9");
  assert_int_equal(improve_contributions(&list, &f.calculation, &q.estimate, &q.share), STATUS_OK);
  assert_int_equal(list.count, 2);
  assert_in_range(list.data[0].drop_ns, 1, 2100000);
  vector_clear(&list);
  question_clear(&q);
  fixture_clear(&f);
}

/* --- predictions ------------------------------------------------------------------------------ */

static void test_as_many_observations_are_as_it_is(void **state) {
  (void)state;
  static const char *const shares[] = {"0.5", "0.9", "0.99"};
  struct fixture f;
  fixture_init(&f, "A + B");
  write_draws(&f, "A", 299, 1);
  write_draws(&f, "B", 299, 2);
  fixture_run(&f, "--set n=1 --data @ --exchangeable --confidence 0.95");
  for (size_t i = 0; i < 3; i++) {
    struct question q;
    struct predicted predicted;
    static const uint64_t samples[] = {299, 299};
    ask(&q, &f, shares[i]);
    assert_int_equal(estimate_predict(&predicted, &q.estimate, &f.calculation, &q.share, samples),
                     STATUS_OK);
    assert_true(predicted.finite && q.at.upper_finite);
    assert_int_equal(predicted.ns, q.at.upper_ns);
    question_clear(&q);
  }
  fixture_clear(&f);
}

/* --- independence ----------------------------------------------------------------------------- */

static size_t parts_of(const char *bound, const char *line) {
  struct fixture f;
  struct question q;
  fixture_init(&f, bound);
  write_draws(&f, "A", 100, 1);
  write_draws(&f, "B", 100, 2);
  fixture_run(&f, line);
  ask(&q, &f, "0.5");
  size_t parts = estimate_parts(&q.estimate, &f.calculation);
  question_clear(&q);
  fixture_clear(&f);
  return parts;
}

static void test_what_rests_on_independence(void **state) {
  (void)state;
  assert_int_equal(parts_of("A", "--set n=1 --data @"), 1);
  assert_int_equal(parts_of("A + A", "--set n=1 --data @"), 1);
  assert_int_equal(parts_of("A + B", "--set n=1 --data @"), 2);
  assert_int_equal(parts_of("A + B", "--set n=1 --data @ --together A,B"), 1);
  assert_int_equal(parts_of("A + C", "--set n=1 --data @ --law C=5ms"), 1);
  assert_int_equal(parts_of("C", "--set n=1 --data @ --law C=A"), 1);
  assert_in_range(parts_of("C", "--set n=1 --data @ --law C=A+B"), 2, 3);
  /* a group says nothing of what is within a law, whichever member comes first */
  assert_in_range(parts_of("A + C", "--set n=1 --data @ --together A,C --law C=A+B"), 2, 3);
  assert_in_range(parts_of("C + A", "--set n=1 --data @ --together A,C --law C=A+B"), 2, 3);
  /* by lot, whatever A is */
  assert_in_range(parts_of("A + C", "--set n=1 --data @ --law C=mix(0.5_1ms,_0.5_2ms)"), 2, 3);
}

/* Groups may depend in any way, which matched draws cannot show. */
static void test_when_there_are_no_draws(void **state) {
  (void)state;
  static const char *const lines[] = {"--set n=1 --data @ --together A,B",
                                      "--set n=1 --data @ --confidence 0"};
  struct fixture f;
  fixture_init(&f, "A + B");
  write_draws(&f, "A", 100, 1);
  write_draws(&f, "B", 100, 2);
  for (size_t i = 0; i < 2; i++) {
    struct question q;
    fixture_run(&f, lines[i]);
    ask(&q, &f, "0.5");
    assert_true(q.estimate.by_convolution && !q.estimate.by_draws);
    assert_int_equal(q.estimate.convolution_chance, q.estimate.chance);
    question_clear(&q);
    if (i == 0)
      fixture_stop(&f);
  }
  fixture_clear(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_draws_alone_have_all_of_the_chance),
      cmocka_unit_test(test_they_share_the_chance),
      cmocka_unit_test(test_what_was_observed_does_not_move_the_chance),
      cmocka_unit_test(test_what_is_needed_will_do),
      cmocka_unit_test(test_a_curve_holds_at_all_points),
      cmocka_unit_test(test_unchanged_is_as_it_is),
      cmocka_unit_test(test_taken_away_is_left_out),
      cmocka_unit_test(test_a_choice_of_constants_may_be_improved),
      cmocka_unit_test(test_as_many_observations_are_as_it_is),
      cmocka_unit_test(test_what_rests_on_independence),
      cmocka_unit_test(test_when_there_are_no_draws),
  };
  return cmocka_run_group_tests_name("estimate", tests, NULL, NULL);
}
