/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The questions about measured components: percentiles of a bound, what to measure more, and which
 * of two is slower. */
#include "solver/verify.h"
#include "tests/unit/cli/heard.h"

#include "cli/question/compare/compare.h"
#include "cli/question/percentiles/percentiles.h"
#include "cli/question/plan/plan.h"

/* A, B, d and Queuing measured, `observed` end to end; of a protocol with the bound. */
static struct calculation_request make(const struct asker *asker, const char *bound) {
  struct calculation_request of = {.asker = asker,
                                   .path = heard_protocol("p.tp", bound),
                                   .data = heard_folder,
                                   .exchangeable = true,
                                   .effort = {.jobs = 1, .timeout_ms = 10000}};
  heard_series("A.csv", 10000);
  heard_series("B.csv", 20000);
  heard_series("d.csv", 5000);
  heard_series("Queuing.csv", 3000);
  vector_push(&of.set, (struct setting){"n", "1"});
  rational_init(&of.confidence);
  rational_set_fraction(&of.confidence, 99, 100);
  return of;
}

static void clear(struct calculation_request *of) {
  vector_clear(&of->set);
  rational_clear(&of->confidence);
}

static void all_is_answered(void **state) {
  (void)state;
  struct asker asker = heard_asker();
  struct percentiles_request request = {.of = make(&asker, heard_right), .percentiles = "50,90"};
  struct percentiles answer;
  request.of.observed = heard_series("observed.csv", 38500);
  request.of.assume_independent = request.of.two_judges = true;
  vector_push(&request.slo, "p50<1ms");
  vector_push(&request.above, "1ms");
  assert_int_equal(percentiles_ask(&answer, &request), STATUS_OK);
  assert_true(answer.found);
  assert_int_equal(answer.calculation.proof->bounds.data[0].verdict, VERDICT_PROVED);
  assert_int_equal(answer.curves.count, 1);
  const struct percentile *p50 =
      percentiles_at(&answer, &answer.curves.data[0], &answer.wanted.data[0].share);
  assert_in_range(p50->interval.lower_ns, 38000, 40000); /* the sum of four uniform laws: 40000 */
  assert_in_range(p50->interval.upper_ns, 40000, 42000);
  assert_int_equal(p50->observation, OBSERVATION_DOMINATED);
  assert_int_equal(answer.results.count, 1);
  assert_int_equal(answer.results.data[0].state, SLO_MET);
  struct chance above =
      percentiles_above(&answer, &answer.curves.data[0], &answer.above.data[0].ns);
  assert_int_equal(above.lower, 0);
  percentiles_clear(&answer);
  vector_clear(&request.slo);
  vector_clear(&request.above);
  clear(&request.of);
}

static void verdicts_are_statuses(void **state) {
  (void)state;
  struct asker asker = heard_asker();
  struct percentiles_request request = {.of = make(&asker, heard_right), .percentiles = "50"};
  struct percentiles answer;
  request.of.observed = heard_series("observed.csv", 90000); /* slower than all together */
  assert_int_equal(percentiles_ask(&answer, &request), STATUS_REFUTED);
  assert_true(answer.found);
  percentiles_clear(&answer);
  request.of.observed = NULL;
  vector_push(&request.slo, "p50<40.5us"); /* 40 if independent, 41 if all are slow together */
  assert_int_equal(percentiles_ask(&answer, &request), STATUS_CONDITIONAL);
  percentiles_clear(&answer);
  request.slo.data[0] = "p50<30us";
  assert_int_equal(percentiles_ask(&answer, &request), STATUS_REFUTED);
  percentiles_clear(&answer);
  request.slo.data[0] = "p99.9<1ms";
  assert_int_equal(percentiles_ask(&answer, &request), STATUS_UNKNOWN); /* of 1000 samples */
  percentiles_clear(&answer);
  vector_clear(&request.slo);
  clear(&request.of);
}

static void without_a_proof_there_are_none(void **state) {
  (void)state;
  struct asker asker = heard_asker();
  struct percentiles_request request = {.of = make(&asker, heard_wrong), .percentiles = "50"};
  struct percentiles answer;
  assert_int_equal(percentiles_ask(&answer, &request), STATUS_REFUTED);
  assert_false(answer.found);
  assert_non_null(answer.calculation.proof);
  assert_int_equal(answer.calculation.proof->bounds.data[0].verdict, VERDICT_REFUTED);
  percentiles_clear(&answer);
  clear(&request.of);
}

static void what_is_refused(void **state) {
  (void)state;
  static const struct {
    const char *percentiles, *slo, *data, *words;
    enum status status;
  } cases[] = {
      {"50,x", NULL, NULL, "unusable percentile \"x\"", STATUS_USAGE},
      {"50", "p99<50", NULL, "unusable objective \"p99<50\"", STATUS_USAGE},
      {"50", NULL, "/nonexistent/folder", "/nonexistent/folder", STATUS_NO_INPUT},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct asker asker = heard_asker();
    struct percentiles_request request = {.of = make(&asker, heard_right),
                                          .percentiles = cases[i].percentiles};
    struct percentiles answer;
    if (cases[i].slo != NULL)
      vector_push(&request.slo, cases[i].slo);
    if (cases[i].data != NULL)
      request.of.data = cases[i].data;
    assert_int_equal(percentiles_ask(&answer, &request), cases[i].status);
    assert_false(answer.found);
    assert_true(heard.count >= 1);
    assert_non_null(strstr(heard.lines[0], cases[i].words));
    percentiles_clear(&answer);
    vector_clear(&request.slo);
    clear(&request.of);
  }
}

static void stopped(void **state) {
  (void)state;
  struct asker asker = heard_asker();
  struct percentiles_request request = {.of = make(&asker, heard_right), .percentiles = "50"};
  struct percentiles answer;
  heard.stop = 1;
  assert_int_equal(percentiles_ask(&answer, &request), STATUS_INTERRUPTED);
  assert_false(answer.found);
  percentiles_clear(&answer);
  clear(&request.of);
}

static void what_to_measure(void **state) {
  (void)state;
  struct asker asker = heard_asker();
  struct plan_request request = {
      .of = make(&asker, heard_right), .percentile = "99.9", .budget = "100000s"};
  struct planning answer;
  assert_int_equal(plan_ask(&answer, &request), STATUS_OK);
  assert_true(answer.found);
  assert_true(answer.plan.reached);
  assert_int_equal(answer.plan.count, 4);
  for (size_t i = 0; i < answer.plan.count; i++)
    assert_true(answer.components[i].then >= answer.components[i].samples);
  plan_clear_answer(&answer);
  request.budget = "1s"; /* one more of each a second: too few */
  assert_int_equal(plan_ask(&answer, &request), STATUS_UNKNOWN);
  assert_true(answer.found);
  plan_clear_answer(&answer);
  request.percentile = "50,90";
  asker = heard_asker();
  assert_int_equal(plan_ask(&answer, &request), STATUS_USAGE);
  heard_only(SAYING_MISTAKE, "the one percentile");
  plan_clear_answer(&answer);
  clear(&request.of);
}

static void two_files(void **state) {
  (void)state;
  struct asker asker = heard_asker();
  struct compare_request request = {.of = {.asker = &asker, .exchangeable = true},
                                    .percentiles = "50"};
  struct compare answer;
  rational_init(&request.of.confidence);
  rational_set_fraction(&request.of.confidence, 99, 100);
  request.paths[0] = heard_series("a.csv", 10000);
  request.paths[1] = heard_series("b.csv", 15000);
  assert_int_equal(compare_ask(&answer, &request), STATUS_REFUTED);
  assert_int_equal(answer.subjects.count, 1);
  assert_int_equal(answer.subjects.data[0].rows.data[0].verdict, COMPARED_SLOWER);
  assert_null(answer.proof);
  compare_clear(&answer);
  request.margin = "1.6";
  assert_int_equal(compare_ask(&answer, &request), STATUS_OK);
  assert_int_equal(answer.subjects.data[0].rows.data[0].verdict, COMPARED_WITHIN);
  compare_clear(&answer);
  request.margin = "0";
  assert_int_equal(compare_ask(&answer, &request), STATUS_USAGE);
  heard_only(SAYING_MISTAKE, "--margin 0: ");
  compare_clear(&answer);
  rational_clear(&request.of.confidence);
}

static void two_folders_by_a_bound(void **state) {
  (void)state;
  struct asker asker = heard_asker();
  struct compare_request request = {.of = make(&asker, heard_right), .percentiles = "50"};
  struct compare answer;
  request.of.data = NULL;
  request.paths[0] = request.paths[1] = heard_folder;
  assert_int_equal(compare_ask(&answer, &request), STATUS_OK);
  assert_non_null(answer.proof);
  assert_int_equal(answer.proof->calculation.proof->bounds.data[0].verdict, VERDICT_PROVED);
  assert_int_equal(answer.subjects.data[0].rows.data[0].verdict, COMPARED_NO_DIFFERENCE);
  compare_clear(&answer);
  clear(&request.of);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, heard_setup, heard_teardown)

int main(void) {
  const struct CMUnitTest tests[] = {TEST(all_is_answered),
                                     TEST(verdicts_are_statuses),
                                     TEST(without_a_proof_there_are_none),
                                     TEST(what_is_refused),
                                     TEST(stopped),
                                     TEST(what_to_measure),
                                     TEST(two_files),
                                     TEST(two_folders_by_a_bound)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
