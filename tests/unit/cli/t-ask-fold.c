/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What summaries of traces say, against the traces themselves.
 */
#include <math.h>

#include "cli/question/fold/fold.h"
#include "cli/question/trace_path/trace_path.h"
#include "tests/unit/cli/heard.h"
#include "tests/unit/trace/spans.h"

static const char *const shop[] = {"examples/traces/shop.json.gz"};

/* Of a summary that keeps all, each part has the share that `trace path` says. */
static void test_whole(void **state) {
  (void)state;
  struct asker asker = heard_asker();
  const struct fold_wish wish = {.asker = &asker, .paths = shop, .path_count = 1};
  const struct trace_path_request request = {.asker = &asker, .paths = shop, .path_count = 1};
  struct fold_answer answer;
  struct fold_report report;
  struct trace_path path;
  assert_int_equal(fold_ask(&answer, &wish), STATUS_OK);
  fold_report_make(&report, &answer);
  assert_int_equal(trace_path_ask(&path, &request), STATUS_OK);
  assert_int_equal(report.requests, path.requests);
  assert_int_equal(report.kept, path.requests);
  assert_int_equal(report.parts.count, path.parts.count);
  for (size_t i = 0; i < report.parts.count; i++) {
    double share = (double)path.parts.data[i].total / (double)path.latency_total;
    assert_true(fabs(report.parts.data[i].share.share - share) < 1e-9);
  }
  trace_path_clear(&path);
  fold_report_clear(&report);
  fold_answer_clear(&answer);
}

/* A request of `main` that calls `one`; how long both take is drawn. Every tenth calls `two`, too.
 */
static void add_request(struct builder *builder, struct random *random, size_t number) {
  char id[24];
  snprintf(id, sizeof id, "%016llx", (unsigned long long)random_bits(random));
  int64_t one = 100 + (int64_t)random_below(random, 900);
  int64_t end = one + 100 + (int64_t)random_below(random, 900);
  spans_request(builder, id,
                (struct span_row[]){{"0", NULL, "m", "main", 0, end, 0, 0},
                                    {"1", "0", "m", "one", 50, one, 0, 0},
                                    {number % 10 == 0 ? "2" : NULL, "0", "m", "two", 60, 90, 0, 0},
                                    {0}});
}

static double share_of_one(const struct fold_report *report, struct fold_share *share) {
  uint32_t one = names_find(&report->view.store.names, span_slice("one"));
  double sum = 0;
  for (size_t i = 0; i < report->parts.count; i++) {
    sum += report->parts.data[i].share.share;
    if (report->parts.data[i].operation == one)
      *share = report->parts.data[i].share;
  }
  return sum;
}

static struct fold_share share_when_kept(const struct span_store *store, uint64_t keep) {
  const struct fold_wish wish = {.keep = keep};
  struct fold_answer answer = {.wish = &wish};
  struct fold_report report;
  struct fold_share share = {0};
  ledger_init(&answer.ledger);
  fold_init(&answer.fold, keep);
  fold_add(&answer.fold, store);
  fold_settle(&answer.fold);
  fold_report_make(&report, &answer);
  assert_true(fabs(share_of_one(&report, &share) - 1) < 1e-9);
  fold_report_clear(&report);
  fold_answer_clear(&answer);
  return share;
}

/* Of a sample, the interval has the share of all requests as often as it says, or more often, as it
 * is made for requests to come, too: at 95 % less than 178 of 200 times has chance 10^-4. */
static void test_interval(void **state) {
  (void)state;
  struct random random = {7};
  int within = 0;
  double width = 0;
  for (int round = 0; round < 200; round++) {
    struct span_store store;
    span_store_init(&store);
    struct builder *builder = builder_new(&store);
    for (size_t i = 0; i < 300; i++)
      add_request(builder, &random, i);
    builder_free(builder);
    struct fold_share all = share_when_kept(&store, 1000), some = share_when_kept(&store, 50);
    within += some.lower <= all.share && all.share <= some.upper;
    width += some.upper - some.lower;
    span_store_clear(&store);
  }
  assert_true(within >= 178);
  assert_true(width / 200 < 0.15);
}

static void test_known(void **state) {
  (void)state;
  const char *const twice[] = {shop[0], "examples/traces", shop[0]};
  struct asker asker = heard_asker();
  struct fold_wish wish = {.asker = &asker, .paths = twice, .path_count = 3};
  struct fold_answer answer;
  assert_int_equal(fold_ask(&answer, &wish), STATUS_DATA);
  assert_non_null(strstr(heard.lines[0], "holds the same bytes as examples/traces/shop.json.gz"));
  fold_answer_clear(&answer);
  wish.skip_known = true;
  assert_int_equal(fold_ask(&answer, &wish), STATUS_OK);
  assert_int_equal(answer.skipped, 2);
  assert_int_equal(answer.fold.shards.count, 1);
  assert_int_equal(fold_requests(&answer.fold), 60);
  fold_answer_clear(&answer);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_whole), cmocka_unit_test(test_interval),
                                     cmocka_unit_test(test_known)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
