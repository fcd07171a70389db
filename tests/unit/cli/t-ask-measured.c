/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The question of `percentiles` about one measurement without a protocol.
 */
#include "cli/question/measured/measured.h"
#include "base/random.h"
#include "tests/unit/cli/heard.h"

static enum status ask(struct measured *measured, struct measured_request *request,
                       const char *slo) {
  static struct asker asker;
  asker = heard_asker();
  request->asker = &asker;
  rational_init(&request->confidence);
  rational_set_fraction(&request->confidence, 99, 100);
  if (slo != NULL)
    vector_push(&request->slo, slo);
  return measured_ask(measured, request);
}

static void end(struct measured *measured, struct measured_request *request) {
  measured_clear(measured);
  rational_clear(&request->confidence);
  vector_clear(&request->slo);
  vector_clear(&request->above);
}

/* The latencies are 5000 to 5999 ns, each once: the median lies around 5500, and of p99.99 a thousand
 * draws do not know the upper end. */
static void ends_of_percentiles(void **state) {
  (void)state;
  struct measured measured;
  struct measured_request request = {
      .path = heard_series("a.csv", 5000), .percentiles = "50,90,99.99", .exchangeable = true};
  vector_push(&request.above, "5899ns");
  ask(&measured, &request, NULL);
  assert_true(measured.found);
  assert_int_equal(measured.sample.total, 1000);
  assert_int_equal(measured.rows.count, 3);
  const struct level_ends *half = &measured.rows.data[0].ends;
  assert_true(half->upper_finite);
  assert_in_range(half->lower_ns, 5400, 5499);
  assert_in_range(half->upper_ns, 5500, 5600);
  assert_true(measured.rows.data[1].ends.upper_ns > half->upper_ns);
  assert_false(measured.rows.data[2].ends.upper_finite);
  assert_true(measured.rows.data[2].needed > 1000);
  assert_int_equal(measured.above.count, 1); /* 100 of 1000 take longer */
  assert_true(measured.above.data[0].lower < UINT64_C(100000000000000000));
  assert_true(measured.above.data[0].upper > UINT64_C(100000000000000000));
  end(&measured, &request);
}

static void objectives(void **state) {
  (void)state;
  static const struct {
    const char *slo;
    enum slo_state state;
  } of[] = {{"p50<6us", SLO_MET}, {"p50<5us", SLO_BROKEN}};
  for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
    struct measured measured;
    struct measured_request request = {
        .path = heard_series("a.csv", 5000), .percentiles = "50", .exchangeable = true};
    ask(&measured, &request, of[i].slo);
    assert_true(measured.found);
    assert_int_equal(measured.results.count, 1);
    assert_int_equal(measured.results.data[0].state, of[i].state);
    end(&measured, &request);
  }
}

/* Bursts, coarse times, or a few that never end; n rows. */
static const char *random_series(struct random *random, size_t n, unsigned world) {
  const char *path = heard_path("random.csv");
  FILE *file = fopen(path, "w");
  uint64_t level = 1;
  assert_non_null(file);
  fprintf(file, "latency_ns\n");
  for (size_t i = 0; i < n; i++) {
    if (i % 25 == 0)
      level = world == 0 && random_below(random, 4) == 0 ? 3 : 1;
    if (world == 2 && random_below(random, 30) == 0)
      fprintf(file, "inf\n");
    else
      fprintf(file, "%d\n", (int)(level * (100 + random_below(random, world == 1 ? 12 : 900))));
  }
  fclose(file);
  return path;
}

static uint64_t upper_of(const struct level_ends *ends) {
  return ends->upper_finite && ends->upper_settled ? ends->upper_ns : UINT64_MAX;
}

static uint64_t lower_of(const struct level_ends *ends) {
  return ends->lower_settled ? ends->lower_ns : 0;
}

/* Whatever the series: no percentile is beyond a higher one, an objective is met or broken as the row
 * of its percentile says, and one that is met is met at lower percentiles and higher limits. */
static void one_curve(void **state) {
  (void)state;
  static const char *const shares[] = {"10", "33.3", "50", "75", "90", "95", "99"};
  enum { SHARES = sizeof shares / sizeof *shares, LIMITS = 4 };
  struct random random = {11};
  for (unsigned round = 0; round < 24; round++) {
    char slos[SHARES][LIMITS][40];
    size_t n = 40 + 37 * (size_t)round;
    uint64_t limit = 150 + random_below(&random, 300);
    struct measured measured;
    struct measured_request request = {.path = random_series(&random, n, round % 3),
                                       .percentiles = "10,33.3,50,75,90,95,99",
                                       .exchangeable = round % 4 == 3};
    for (size_t i = 0; i < SHARES; i++)
      for (size_t k = 0; k < LIMITS; k++) {
        snprintf(slos[i][k], sizeof slos[i][k], "p%s<%dns", shares[i], (int)(limit * (k + 1)));
        vector_push(&request.slo, slos[i][k]);
      }
    ask(&measured, &request, NULL);
    assert_true(measured.found);
    for (size_t i = 0; i < SHARES; i++) {
      const struct level_ends *ends = &measured.rows.data[i].ends;
      for (size_t k = 0; k < LIMITS; k++) {
        const struct measured_slo *slo = &measured.results.data[LIMITS * i + k];
        assert_int_equal(slo_is_met(slo->state), upper_of(ends) < limit * (k + 1));
        if (slo_is_broken(slo->state) && slo->state != SLO_BROKEN_IN_RUN)
          assert_true(lower_of(ends) >= limit * (k + 1));
        bool met = slo_is_met(slo->state);
        if (met && i > 0)
          assert_true(slo_is_met(measured.results.data[LIMITS * (i - 1) + k].state));
        if (met && k + 1 < LIMITS)
          assert_true(slo_is_met(measured.results.data[LIMITS * i + k + 1].state));
      }
      if (i == 0)
        continue;
      const struct level_ends *before = &measured.rows.data[i - 1].ends;
      assert_true(upper_of(before) <= upper_of(ends) && lower_of(before) <= lower_of(ends));
    }
    end(&measured, &request);
  }
}

static void what_is_refused(void **state) {
  (void)state;
  struct measured measured;
  struct measured_request request = {.path = heard_series("a.csv", 5000), .percentiles = "101"};
  assert_int_equal(ask(&measured, &request, NULL), STATUS_USAGE);
  assert_false(measured.found);
  assert_int_equal(heard.count, 1);
  end(&measured, &request);
  request = (struct measured_request){.path = heard_path("none.csv"), .percentiles = "50"};
  assert_int_equal(ask(&measured, &request, NULL), STATUS_NO_INPUT);
  assert_false(measured.found);
  heard_only(SAYING_FAILURE, "none.csv");
  end(&measured, &request);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, heard_setup, heard_teardown)

int main(void) {
  const struct CMUnitTest tests[] = {TEST(ends_of_percentiles), TEST(objectives), TEST(one_curve),
                                     TEST(what_is_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
