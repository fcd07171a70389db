/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/trace/tables.h"
#include "trace/tail/report.h"
#include "trace/tail/tag.h"

enum { REQUESTS = 2000, CAUSES = 3 };

/* Three causes in a row; every 20th request has 100 ms more of the first, every 20th of the second.
 */
static void make_causes(struct tail_causes *causes, uint64_t seed) {
  static const char *const names[] = {"cart", "price", "mail"};
  struct random random = {seed};
  tail_causes_init(causes, REQUESTS);
  for (size_t c = 0; c < CAUSES; c++) {
    struct tail_cause *cause = tail_causes_add(causes, names[c], CAUSE_WORK);
    for (size_t i = 0; i < REQUESTS; i++) {
      bool faulty = (c == 0 && i % 20 == 3) || (c == 1 && i % 20 == 11);
      cause->parts[i] = 5000000 + tables_time(&random, 3000) + (faulty ? 100000000 : 0);
      causes->latency[i] += cause->parts[i];
    }
  }
}

static void test_two_faults_are_two_groups(void **state) {
  (void)state;
  struct tail_causes causes;
  struct tail_split split;
  struct tail_report report;
  make_causes(&causes, 1);
  tail_split_init(&split, REQUESTS);
  tail_split_above(&split, causes.latency, tail_percentile(causes.latency, REQUESTS, 90));
  assert_int_equal(split.slow, REQUESTS / 10);
  tail_causes_settle(&causes, split.sides);
  tail_report_make(&report, &causes, &split, 0.05);
  assert_true(report.enough && report.slower);
  double sum = 0;
  for (size_t i = 0; i < CAUSES; i++) {
    const struct tail_finding *finding = &report.findings.data[i];
    sum += finding->difference.difference;
    assert_true(finding->difference.least <= finding->difference.difference);
    if (finding->cause == 2) {
      assert_int_equal(i, 2); /* last: it adds least */
      continue;
    }
    assert_true(finding->significant);
    assert_true(fabs(finding->difference.difference - 50e6) < 3e6);
    assert_int_equal(finding->necessary.of, split.slow);
    assert_true(finding->necessary.count >= 98 && finding->necessary.count <= 102);
    double share = (double)finding->sufficient.count / (double)finding->sufficient.of;
    assert_true(share > 0.4 && share < 0.6); /* half of the slow ones have it */
    assert_true(finding->sufficient.least < share && share < finding->sufficient.most);
  }
  assert_true(fabs(sum - report.latency.difference) < 1);
  assert_true(report.groups.count >= 2);
  for (size_t i = 0; i < 2; i++) {
    assert_int_equal(report.groups.data[i].count, 1);
    assert_true(report.groups.data[i].share.count >= 98);
  }
  assert_true(report.groups.data[0].causes[0] != report.groups.data[1].causes[0]);
  tail_report_clear(&report);
  tail_split_clear(&split);
  tail_causes_clear(&causes);
}

/* Labels that were dealt by chance: a cause is named in no more than one of 20 tables. */
static void test_the_level_is_held(void **state) {
  (void)state;
  enum { DEALS = 200 };
  struct tail_causes causes;
  make_causes(&causes, 2);
  uint32_t order[REQUESTS];
  for (uint32_t i = 0; i < REQUESTS; i++)
    order[i] = i;
  struct random random = {3};
  size_t named = 0;
  for (size_t deal = 0; deal < DEALS; deal++) {
    struct tail_split split;
    struct tail_report report;
    tail_split_init(&split, REQUESTS);
    random_shuffle(&random, order, REQUESTS);
    for (size_t i = 0; i < REQUESTS / 10; i++)
      split.sides[order[i]] = TAIL_SLOW;
    tail_split_labelled(&split, causes.latency);
    tail_causes_settle(&causes, split.sides);
    tail_report_make(&report, &causes, &split, 0.05);
    named += report.significant != 0;
    tail_report_clear(&report);
    tail_split_clear(&split);
  }
  assert_true(named <= 20); /* of 200 at 0.05: more once in 10^3 */
  tail_causes_clear(&causes);
}

enum course { RAMP, WAVE, BURST, LAST };

/* Two causes; how long the first takes drifts over the requests. */
static void make_drift(struct tail_causes *causes, enum course course, uint64_t seed) {
  struct random random = {seed};
  tail_causes_init(causes, REQUESTS);
  for (size_t c = 0; c < 2; c++) {
    struct tail_cause *cause = tail_causes_add(causes, c == 0 ? "db" : "web", CAUSE_WORK);
    for (size_t i = 0; i < REQUESTS; i++) {
      double at = (double)i / REQUESTS, extra = 0;
      if (course == RAMP)
        extra = at > 0.5 ? 2 * (at - 0.5) : 0;
      else if (course == WAVE)
        extra = sin(40 * at) > 0 ? sin(40 * at) : 0;
      else
        extra = at >= (course == BURST ? 0.45 : 0.95) && at < (course == BURST ? 0.5 : 1);
      cause->parts[i] =
          5000000 + tables_time(&random, 3000) + (c == 0 ? (int64_t)(20e6 * extra) : 0);
      causes->latency[i] += cause->parts[i];
    }
  }
}

/* Whether anything is named of these sides. */
static bool is_named(struct tail_causes *causes, struct tail_split *split) {
  struct tail_report report;
  tail_split_labelled(split, causes->latency);
  tail_causes_settle(causes, split->sides);
  tail_report_make(&report, causes, split, 0.05);
  bool named = report.significant != 0;
  tail_report_clear(&report);
  return named;
}

/* Labels dealt at random over what drifts: a cause is named in no more than one of 20 tables. */
static void test_the_level_is_held_where_times_drift(void **state) {
  (void)state;
  enum { DEALS = 100 };
  struct random random = {4};
  for (enum course course = RAMP; course <= LAST; course++) {
    size_t named = 0;
    for (size_t deal = 0; deal < DEALS; deal++) {
      struct tail_causes causes;
      struct tail_split split;
      make_drift(&causes, course, deal);
      tail_split_init(&split, REQUESTS);
      for (size_t i = 0; i < REQUESTS; i++)
        split.sides[i] = random_below(&random, 2) == 0 ? TAIL_SLOW : TAIL_REST;
      named += is_named(&causes, &split);
      tail_split_clear(&split);
      tail_causes_clear(&causes);
    }
    print_message("# course %d: %zu of %d named\n", (int)course, named, DEALS);
    assert_true(named <= 12); /* of 100 at 0.05: more once in 10^3 */
  }
}

/* The second half against the first: what grows in it is named, and what comes in both is not. */
static void test_a_drift_of_one_side_is_named(void **state) {
  (void)state;
  for (enum course course = RAMP; course <= BURST; course++) {
    struct tail_causes causes;
    struct tail_split split;
    make_drift(&causes, course, 9);
    tail_split_init(&split, REQUESTS);
    for (size_t i = REQUESTS / 2; i < REQUESTS; i++)
      split.sides[i] = TAIL_SLOW;
    assert_int_equal(tail_course_of(&split), TAIL_APART);
    assert_int_equal(is_named(&causes, &split), course == RAMP);
    tail_split_clear(&split);
    tail_causes_clear(&causes);
  }
}

/* Two services of three causes each: one has twice the time, in one of its causes. */
static void make_services(struct tail_causes *causes, const struct tail_split *split, uint64_t seed,
                          double more) {
  struct random random = {seed};
  tail_causes_init(causes, REQUESTS);
  for (uint32_t s = 0; s < 2; s++)
    vector_push(&causes->services, (struct tail_service){mem_copy_text(s == 0 ? "a" : "b", 1), s});
  for (uint32_t c = 0; c < 6; c++) {
    struct tail_cause *cause = tail_causes_add(causes, "call", CAUSE_WORK);
    cause->service = c / 3;
    for (size_t i = 0; i < REQUESTS; i++) {
      double stretched = c == 1 && split->sides[i] == TAIL_SLOW ? more : 1;
      cause->parts[i] = (int64_t)(stretched * (double)tables_time(&random, 3000));
      causes->latency[i] += cause->parts[i];
    }
  }
}

static void test_services_come_before_their_causes(void **state) {
  (void)state;
  struct tail_causes causes;
  struct tail_split split;
  struct tail_report report;
  tail_split_init(&split, REQUESTS);
  for (size_t i = 0; i < REQUESTS; i += 2)
    split.sides[i] = TAIL_SLOW;
  make_services(&causes, &split, 1, 1.5);
  tail_split_labelled(&split, causes.latency);
  tail_causes_settle(&causes, split.sides);
  tail_report_make(&report, &causes, &split, 0.05);
  assert_int_equal(report.services.count, 2);
  assert_int_equal(report.services.data[0].service, 0);
  assert_int_equal(report.services.data[0].causes, 3);
  assert_true(report.services.data[0].significant && !report.services.data[1].significant);
  assert_int_equal(report.named, 1);
  assert_int_equal(report.significant, 1);
  assert_int_equal(report.findings.data[0].cause, 1);
  double sum =
      report.services.data[0].difference.difference + report.services.data[1].difference.difference;
  assert_true(fabs(sum - report.latency.difference) < 1);
  /* what all of a service is necessary for, one of its causes alone is not */
  assert_true(report.services.data[0].necessary.count >= report.findings.data[0].necessary.count);
  tail_report_clear(&report);
  tail_causes_clear(&causes);
  tail_split_clear(&split);
}

/* Which side a request is on has nothing to do with its times: services and causes together. */
static void test_the_level_is_held_over_services(void **state) {
  (void)state;
  enum { DEALS = 200 };
  size_t named = 0;
  struct random random = {6};
  for (size_t deal = 0; deal < DEALS; deal++) {
    struct tail_causes causes;
    struct tail_split split;
    struct tail_report report;
    tail_split_init(&split, REQUESTS);
    for (size_t i = 0; i < REQUESTS; i++)
      split.sides[i] = random_below(&random, 2) == 0 ? TAIL_SLOW : TAIL_REST;
    split.both_ways = deal % 2 == 0;
    make_services(&causes, &split, deal, 1);
    tail_split_labelled(&split, causes.latency);
    tail_causes_settle(&causes, split.sides);
    tail_report_make(&report, &causes, &split, 0.05);
    named += report.significant + report.named != 0;
    tail_report_clear(&report);
    tail_causes_clear(&causes);
    tail_split_clear(&split);
  }
  print_message("# services: %zu of %d named\n", named, DEALS);
  assert_true(named <= 20);
}

static void test_few_requests_tell_nothing(void **state) {
  (void)state;
  struct tail_causes causes;
  struct tail_split split;
  struct tail_report report;
  make_causes(&causes, 1);
  tail_split_init(&split, REQUESTS);
  tail_split_above(&split, causes.latency, tail_percentile(causes.latency, REQUESTS, 99.1));
  assert_int_equal(split.slow, 18);
  tail_causes_settle(&causes, split.sides);
  tail_report_make(&report, &causes, &split, 0.05);
  assert_false(report.enough);
  assert_int_equal(report.significant, 0);
  assert_int_equal(report.findings.count, CAUSES);
  tail_report_clear(&report);
  tail_split_clear(&split);
  tail_causes_clear(&causes);
}

static void test_the_threshold_between_two_labels(void **state) {
  (void)state;
  static const int64_t latency[] = {10, 11, 30, 12, 31, 11, 99};
  struct tail_split split;
  tail_split_init(&split, 7);
  split.sides[2] = split.sides[4] = TAIL_SLOW;
  split.sides[6] = TAIL_NEITHER;
  tail_split_labelled(&split, latency);
  assert_int_equal(split.slow, 2);
  assert_int_equal(split.rest, 4);
  assert_int_equal(split.threshold, 12);
  tail_split_clear(&split);
}

/* Each kind has its own percentile, however many there are of it. */
static void test_kinds_have_thresholds_of_their_own(void **state) {
  (void)state;
  static const int64_t latency[] = {1, 100, 2, 200, 3, 300, 4, 400, 5, 7};
  static const uint32_t kinds[] = {1, 9, 1, 9, 1, 9, 1, 9, 1, 4};
  struct tail_split split;
  tail_split_init(&split, 10);
  tail_split_above_kinds(&split, latency, kinds, 75);
  assert_int_equal(split.slow, 2); /* above 4 of five, above 300 of four, none of one */
  assert_int_equal(split.rest, 8);
  assert_true(split.sides[8] == TAIL_SLOW && split.sides[7] == TAIL_SLOW);
  assert_int_equal(tail_split_threshold(&split, 0), 4);
  assert_int_equal(tail_split_threshold(&split, 1), 300);
  assert_int_equal(tail_split_threshold(&split, 9), 7);
  tail_split_clear(&split);
}

static void test_percentiles_are_ranks(void **state) {
  (void)state;
  static const int64_t latency[] = {50, 10, 40, 20, 30};
  assert_int_equal(tail_percentile(latency, 5, 80), 40);
  assert_int_equal(tail_percentile(latency, 5, 80.1), 50);
  assert_int_equal(tail_percentile(latency, 5, 1), 10);
}

/* --- tags ------------------------------------------------------------------------------------- */

enum { VERSION = 1, HOST = 2, ID = 3 };

static void test_a_tag_that_separates(void **state) {
  (void)state;
  struct tail_split split;
  struct tag_report report;
  tail_marks marks = {0};
  tail_split_init(&split, 100);
  int64_t latency[100];
  for (uint32_t i = 0; i < 100; i++) {
    latency[i] = i;
    vector_push(&marks, (struct tail_mark){VERSION, i >= 78 ? 20 : 21, i});
    vector_push(&marks, (struct tail_mark){HOST, 10 + i % 3, i});
    vector_push(&marks, (struct tail_mark){HOST, 10 + i % 3, i}); /* twice is once */
    vector_push(&marks, (struct tail_mark){ID, 100 + i, i});
  }
  tail_split_above(&split, latency, 79);
  tag_report_make(&report, &marks, &split, 0.05);
  assert_int_equal(report.tried, 5); /* the ids name requests and are not tried */
  assert_int_equal(report.findings.count, 1);
  const struct tag_finding *finding = &report.findings.data[0];
  assert_int_equal(finding->key, VERSION);
  assert_int_equal(finding->value, 20);
  assert_int_equal(finding->slow, 20);
  assert_int_equal(finding->rest, 2);
  assert_true(fabs(finding->corrected / (5 * finding->by_chance) - 1) < 1e-9);
  tag_report_clear(&report);
  vector_clear(&marks);
  tail_split_clear(&split);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_two_faults_are_two_groups),
      cmocka_unit_test(test_the_level_is_held),
      cmocka_unit_test(test_the_level_is_held_where_times_drift),
      cmocka_unit_test(test_a_drift_of_one_side_is_named),
      cmocka_unit_test(test_services_come_before_their_causes),
      cmocka_unit_test(test_the_level_is_held_over_services),
      cmocka_unit_test(test_few_requests_tell_nothing),
      cmocka_unit_test(test_the_threshold_between_two_labels),
      cmocka_unit_test(test_kinds_have_thresholds_of_their_own),
      cmocka_unit_test(test_percentiles_are_ranks),
      cmocka_unit_test(test_a_tag_that_separates),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
