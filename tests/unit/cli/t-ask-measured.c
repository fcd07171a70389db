/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The question of `percentiles` about one measurement without a protocol.
 */
#include "cli/question/measured/measured.h"
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
  const struct CMUnitTest tests[] = {TEST(ends_of_percentiles), TEST(objectives),
                                     TEST(what_is_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
