/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The questions of `whatif`: a prediction from numbers, from a table, and an experiment as far as
 * it goes without services. */
#include "tests/unit/cli/heard.h"

#include "measure/throughput/experiment/calculator.h"
#include "measure/throughput/experiment/experiment.h"

static void a_prediction(void **state) {
  (void)state;
  struct asker asker = heard_asker();
  struct prediction_request request = {
      .asker = &asker, .throughput = "1000", .saved = "200us", .noise = "1%"};
  struct prediction p;
  assert_int_equal(prediction_ask(&p, &request), STATUS_OK);
  assert_true(p.given);
  assert_float_equal(p.predicted, 1250, 1e-9); /* 1000 us less 200 us each */
  assert_true(p.low < p.predicted && p.predicted < p.high);
  request.workers = "2";
  assert_int_equal(prediction_ask(&p, &request), STATUS_OK);
  assert_float_equal(p.predicted, 1e6 / 900, 1e-9);
  request.saved =
      "0.0018s"; /* of two workers 900 us each, all but a tenth: still more than noise */
  request.noise = "50%";
  assert_int_equal(prediction_ask(&p, &request), STATUS_UNKNOWN);
  assert_true(p.asked);
  assert_false(p.given);
  heard_only(SAYING_MISTAKE, "cannot be predicted");
}

static void what_is_no_number(void **state) {
  (void)state;
  static const struct prediction_request wrong[] = {
      {.throughput = "1000"},
      {.throughput = "fast", .saved = "1us"},
      {.throughput = "1000", .saved = "0x10us"},
      {.throughput = "1000", .saved = "1e3us"},
      {.throughput = "1000", .saved = "-1us"},
      {.throughput = "1000", .saved = "5"},
      {.throughput = "1000", .saved = "5us", .calls = "0"},
      {.throughput = "1000", .saved = "5us", .noise = "100%"},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    struct asker asker = heard_asker();
    struct prediction_request request = wrong[i];
    struct prediction p;
    request.asker = &asker;
    assert_int_equal(prediction_ask(&p, &request), STATUS_USAGE);
    assert_false(p.asked);
    assert_int_equal(heard.count, 1);
  }
}

static void a_table(void **state) {
  (void)state;
  struct asker asker = heard_asker();
  const char *path = heard_write("points.csv", "slowdown_rps,delta_per_user_req_us,predicted_rps\n"
                                               "1000,200,1250.0\n"
                                               "1000,500,2000\n"
                                               "1000,999.9,\n");
  struct points points;
  assert_int_equal(points_ask(&points, path, &asker), STATUS_UNKNOWN); /* one cannot be */
  assert_int_equal(points.rows.count, 3);
  assert_string_equal(points.rows.data[0].digits, "1250.0");
  assert_string_equal(points.rows.data[0].same, "bits");
  assert_string_equal(points.rows.data[2].digits, "");
  assert_int_equal(points.compared, 2);
  assert_int_equal(points.refused, 1);
  points_clear(&points);
  path = heard_write("points.csv", "slowdown_rps,delta_per_user_req_us\n1000,200\n1000,x\n");
  assert_int_equal(points_ask(&points, path, &asker), STATUS_DATA);
  assert_int_equal(points.rows.count, 1);
  heard_only(SAYING_FAILURE, "points.csv:3: delta_per_user_req_us \"x\"");
  points_clear(&points);
}

static void plans_and_changes(void **state) {
  (void)state;
  static const char plan[] = "entry: web\nload: run it\nservices:\n"
                             "  - {name: web, command: ./web, workers: 1, work: 1ms}\n";
  static const char *const wrong[] = {"web=1", "web=x", "other=2", "web"};
  static const volatile sig_atomic_t never;
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    struct asker asker = heard_asker();
    struct experiment_request request = {.asker = &asker,
                                         .path = heard_write("plan.yaml", plan),
                                         .scale_out = &wrong[i],
                                         .scale_out_count = 1,
                                         .interrupted = &never};
    struct experiment experiment;
    assert_int_equal(experiment_ask(&experiment, &request), STATUS_USAGE);
    heard_only(SAYING_MISTAKE, "unusable scale-out");
    assert_int_equal(experiment_measured(&experiment), 0);
    experiment_clear(&experiment);
    request.scale_out_count = 0;
    request.budget = "soon";
    asker = heard_asker();
    assert_int_equal(experiment_ask(&experiment, &request), STATUS_USAGE);
    heard_only(SAYING_MISTAKE, "unusable budget \"soon\"");
    experiment_clear(&experiment);
    request.path = heard_path("none.yaml");
    asker = heard_asker();
    assert_int_equal(experiment_ask(&experiment, &request), STATUS_NO_INPUT);
    assert_null(experiment.plan);
    experiment_clear(&experiment);
  }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, heard_setup, heard_teardown)

int main(void) {
  const struct CMUnitTest tests[] = {TEST(a_prediction), TEST(what_is_no_number), TEST(a_table),
                                     TEST(plans_and_changes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
