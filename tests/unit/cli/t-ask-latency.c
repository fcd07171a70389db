/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The questions about requests that are recorded as traces: what latencies they would have, which to
 * run again, and what summaries of them add up to.
 */
#include "cli/question/fold/fold.h"
#include "cli/question/latency/latency.h"
#include "cli/question/runs/runs.h"
#include "tests/unit/cli/heard.h"

static const char *const shop[] = {"examples/traces/shop.json.gz"};
enum { REQUESTS = 60 };

static enum status ask(struct latency_answer *answer, struct latency_request *request,
                       const char *change) {
  static struct asker asker;
  asker = heard_asker();
  *request = (struct latency_request){
      .asker = &asker, .paths = shop, .path_count = 1, .percentiles = "50,90"};
  rational_init(&request->confidence);
  rational_set_fraction(&request->confidence, 95, 100);
  vector_push(&request->changes, change);
  return latency_ask(answer, request);
}

static void end(struct latency_answer *answer, struct latency_request *request) {
  latency_clear(answer);
  rational_clear(&request->confidence);
  vector_clear(&request->changes);
}

/* What takes as long as it took changes nothing; what takes less, no percentile for the worse; and
 * what nobody waits for, nothing either. */
static void what_would_be(void **state) {
  (void)state;
  struct latency_request request;
  struct latency_answer answer;
  uint64_t as_it_was[2], faster[2];
  assert_int_equal(ask(&answer, &request, "pay: *1"), STATUS_OK);
  assert_true(answer.found);
  assert_int_equal(answer.percentiles.count, 2);
  for (size_t p = 0; p < 2; p++) {
    const struct latency_percentile *percentile = &answer.percentiles.data[p];
    as_it_was[p] = percentile->before.value_ns;
    assert_int_equal(percentile->after[0].value_ns, as_it_was[p]);
    assert_true(percentile->before.lower_ns <= as_it_was[p]);
    assert_true(as_it_was[p] <= percentile->before.upper_ns);
  }
  end(&answer, &request);
  assert_int_equal(ask(&answer, &request, "pay: *0.5"), STATUS_OK);
  for (size_t p = 0; p < 2; p++) {
    faster[p] = answer.percentiles.data[p].after[0].value_ns;
    assert_true(faster[p] < as_it_was[p]);
  }
  end(&answer, &request);
  assert_int_equal(ask(&answer, &request, "pay: + 3 ms"), STATUS_OK);
  for (size_t p = 0; p < 2; p++) /* every request waits for it once */
    assert_int_equal(answer.percentiles.data[p].after[0].value_ns, as_it_was[p] + 3000000);
  end(&answer, &request);
  assert_int_equal(ask(&answer, &request, "audit: *0.5"), STATUS_OK);
  for (size_t p = 0; p < 2; p++)
    assert_int_equal(answer.percentiles.data[p].after[0].value_ns, as_it_was[p]);
  end(&answer, &request);
}

static void what_cannot_be_asked(void **state) {
  (void)state;
  static const struct {
    const char *change, *words;
  } of[] = {{"pay", "pay"}, {"pay: *-1", "*-1"}, {"nobody: *0.5", "nobody"}, {"pay: *0x1", "*0x1"}};
  for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
    struct latency_request request;
    struct latency_answer answer;
    enum status status = ask(&answer, &request, of[i].change);
    assert_true(status == STATUS_USAGE || status == STATUS_DATA);
    assert_int_equal(answer.status, status);
    assert_false(answer.found);
    assert_int_equal(heard.count, 1);
    assert_non_null(strstr(heard.lines[0], of[i].words));
    end(&answer, &request);
  }
}

/* No run is planned that the budget has no time for, and each kind has those that it had. */
static void runs_within_a_budget(void **state) {
  (void)state;
  struct asker asker = heard_asker();
  struct runs_request request = {.asker = &asker, .paths = shop, .path_count = 1, .budget = "20s"};
  struct runs_answer answer;
  assert_int_equal(runs_ask(&answer, &request), STATUS_OK);
  assert_true(answer.found);
  assert_int_equal(answer.budget_ns, 20000000000);
  assert_true(answer.spent_ns <= answer.budget_ns);
  assert_int_equal(answer.kinds.count, answer.runs.count);
  uint64_t recorded = 0;
  double spent = 0;
  for (size_t i = 0; i < answer.kinds.count; i++) {
    const struct run_kind *kind = &answer.kinds.data[i];
    recorded += kind->recorded;
    assert_true(answer.runs.data[i] >= kind->recorded);
    spent += kind->mean_ns * (double)(answer.runs.data[i] - kind->recorded);
  }
  assert_int_equal(recorded, REQUESTS);
  assert_true(spent <= 20e9);
  runs_clear(&answer);
  static const char *const wrong[] = {"20", "0s", "-1s", "0x1s"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    request.budget = wrong[i];
    asker = heard_asker();
    assert_int_equal(runs_ask(&answer, &request), STATUS_USAGE);
    heard_only(SAYING_MISTAKE, wrong[i]);
    runs_clear(&answer);
  }
}

/* A shard counts once, however often it is named. */
static void summaries_that_add_up(void **state) {
  (void)state;
  struct asker asker = heard_asker();
  struct fold_wish fold = {
      .asker = &asker, .paths = shop, .path_count = 1, .out = heard_path("shop.tpf")};
  struct fold_answer answer;
  assert_int_equal(fold_ask(&answer, &fold), STATUS_OK);
  fold_answer_clear(&answer);
  const char *const twice[] = {fold.out, fold.out};
  struct fold_wish merge = {.asker = &asker, .paths = twice, .path_count = 1};
  assert_int_equal(fold_merge_ask(&answer, &merge), STATUS_OK);
  assert_int_equal(fold_requests(&answer.fold), REQUESTS);
  fold_answer_clear(&answer);
  merge.path_count = 2;
  assert_int_equal(fold_merge_ask(&answer, &merge), STATUS_DATA);
  fold_answer_clear(&answer);
  merge.skip_known = true;
  assert_int_equal(fold_merge_ask(&answer, &merge), STATUS_OK);
  assert_int_equal(answer.skipped, 1);
  assert_int_equal(fold_requests(&answer.fold), REQUESTS);
  fold_answer_clear(&answer);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, heard_setup, heard_teardown)

int main(void) {
  const struct CMUnitTest tests[] = {TEST(what_would_be), TEST(what_cannot_be_asked),
                                     TEST(runs_within_a_budget), TEST(summaries_that_add_up)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
