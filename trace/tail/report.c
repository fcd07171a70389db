/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/tail/report.h"

#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "dist/statistics/special.h"
#include "trace/tail/group.h"
#include "trace/tail/significance.h"

struct tail_share tail_share_of(size_t count, size_t of, double level) {
  struct tail_share share = {count, of, 0, 1};
  if (count != 0)
    share.least = special_beta_quantile_below(level / 2, (double)count, (double)(of - count) + 1);
  if (count != of)
    share.most = special_beta_quantile_above(level / 2, (double)count + 1, (double)(of - count));
  return share;
}

/* Whether there are enough observations on each side. */
static bool is_enough(struct tail_report *report, const int64_t *values,
                      const struct tail_split *split) {
  report->slow_observed = split->slow;
  report->rest_observed = split->rest;
  if (split->cluster != NULL) {
    struct tail_split collapsed;
    mem_free(tail_split_collapse(&collapsed, split, values));
    report->slow_observed = collapsed.slow;
    report->rest_observed = collapsed.rest;
    tail_split_clear(&collapsed);
  }
  size_t least = split->cluster == NULL ? TAIL_LEAST : TAIL_CLUSTERS;
  return split->slow >= TAIL_LEAST && report->slow_observed >= least &&
         report->rest_observed >= TAIL_LEAST;
}

/* Every how-many-th of a side is replayed. */
static size_t stride_of(size_t count) {
  return count <= TAIL_REPLAYED ? 1 : (count + TAIL_REPLAYED - 1) / TAIL_REPLAYED;
}

static struct tail_share necessary(const struct tail_causes *causes, const struct tail_split *split,
                                   const uint32_t *set, size_t size, double level) {
  size_t seen = 0, of = 0, count = 0, stride = stride_of(split->slow);
  for (size_t i = 0; i < split->requests; i++)
    if (split->sides[i] == TAIL_SLOW && causes->latency[i] > tail_split_threshold(split, i) &&
        seen++ % stride == 0) {
      of++;
      count += causes->replay.without(causes, i, set, size) <= tail_split_threshold(split, i);
    }
  return tail_share_of(count, of, level);
}

struct tail_share tail_necessary(const struct tail_causes *causes, const struct tail_split *split,
                                 uint32_t cause, double level) {
  return necessary(causes, split, &cause, 1, level);
}

static struct tail_share sufficient(const struct tail_causes *causes,
                                    const struct tail_split *split, const uint32_t *set,
                                    size_t size, double level) {
  size_t seen = 0, of = 0, count = 0, stride = stride_of(split->rest), slow_count = 0;
  size_t *slow = mem_alloc(split->slow, sizeof *slow);
  for (size_t i = 0; i < split->requests; i++)
    if (split->sides[i] == TAIL_SLOW)
      slow[slow_count++] = i;
  struct random random = {1};
  for (size_t i = 0; i < split->requests; i++)
    if (split->sides[i] == TAIL_REST && causes->latency[i] <= tail_split_threshold(split, i) &&
        seen++ % stride == 0) {
      size_t other = slow[random_below(&random, slow_count)];
      of++;
      count += causes->replay.with(causes, i, set, size, other) > tail_split_threshold(split, i);
    }
  mem_free(slow);
  return tail_share_of(count, of, level);
}

static struct tail_share above(const struct tail_causes *causes, const struct tail_split *split,
                               enum tail_side side, double level) {
  size_t count = 0;
  for (size_t i = 0; i < split->requests; i++)
    count += split->sides[i] == side && causes->latency[i] > tail_split_threshold(split, i);
  return tail_share_of(count, side == TAIL_SLOW ? split->slow : split->rest, level);
}

static int by_size(const struct tail_difference *x, const struct tail_difference *y) {
  double d = fabs(y->difference) - fabs(x->difference), more = y->difference - x->difference;
  return d != 0 ? (d > 0) - (d < 0) : (more > 0) - (more < 0);
}

static bool both_ways; /* of the comparison */

static int compare(const struct tail_difference *x, const struct tail_difference *y) {
  double d = y->difference - x->difference;
  return both_ways ? by_size(x, y) : (d > 0) - (d < 0);
}

/* The largest first, what is no cause last. */
static int by_difference(const void *a, const void *b) {
  const struct tail_finding *x = a, *y = b;
  int order = compare(&x->difference, &y->difference);
  if (x->other != y->other)
    return x->other ? 1 : -1;
  return order != 0 ? order : (x->cause > y->cause) - (x->cause < y->cause);
}

static int services_by_difference(const void *a, const void *b) {
  const struct tail_service_finding *x = a, *y = b;
  int order = compare(&x->difference, &y->difference);
  return order != 0 ? order : (x->service > y->service) - (x->service < y->service);
}

static void add_findings(struct tail_report *report, const struct tail_causes *causes,
                         const struct tail_split *split, double level) {
  for (uint32_t i = 0; i < causes->causes.count; i++) {
    const struct tail_cause *cause = &causes->causes.data[i];
    vector_push(&report->findings,
                (struct tail_finding){.cause = i,
                                      .difference = tail_difference_of(cause->parts, split, level),
                                      .other = cause->kind == CAUSE_OTHER});
    report->tested += cause->kind != CAUSE_OTHER;
  }
  both_ways = split->both_ways;
  qsort(report->findings.data, report->findings.count, sizeof *report->findings.data,
        by_difference);
}

static void add_services(struct tail_report *report, const struct tail_causes *causes,
                         const struct tail_split *split, double level) {
  for (uint32_t i = 0; i < causes->services.count; i++) {
    int64_t *parts = tail_service_parts(causes, i);
    struct tail_service_finding finding = {.service = i,
                                           .difference = tail_difference_of(parts, split, level)};
    mem_free(tail_service_causes(&finding.causes, causes, i));
    vector_push(&report->services, finding);
    mem_free(parts);
  }
  both_ways = split->both_ways;
  if (report->services.count != 0)
    qsort(report->services.data, report->services.count, sizeof *report->services.data,
          services_by_difference);
}

/* What significant ones are necessary and sufficient for. */
static void replay_findings(struct tail_report *report, const struct tail_causes *causes,
                            const struct tail_split *split, double level) {
  for (size_t i = 0; i < report->findings.count; i++) {
    struct tail_finding *finding = &report->findings.data[i];
    if (!finding->significant)
      continue;
    finding->necessary = tail_necessary(causes, split, finding->cause, level);
    finding->sufficient = sufficient(causes, split, &finding->cause, 1, level);
  }
  for (size_t i = 0; i < report->services.count; i++) {
    struct tail_service_finding *finding = &report->services.data[i];
    if (!finding->significant)
      continue;
    size_t count;
    uint32_t *set = tail_service_causes(&count, causes, finding->service);
    finding->necessary = necessary(causes, split, set, count, level);
    finding->sufficient = sufficient(causes, split, set, count, level);
    mem_free(set);
  }
}

void tail_report_judge(struct tail_report *report, const struct tail_causes *causes,
                       const struct tail_split *split, const struct tail_split *judged,
                       double level) {
  *report = (struct tail_report){.latency = tail_difference_of(causes->latency, split, level)};
  report->enough = is_enough(report, causes->latency, judged);
  enum rank_verdict latency = RANK_UNDECIDED;
  if (split->by_label && report->enough)
    latency = tail_test(&report->course, causes->latency, judged, level);
  report->slower = !split->by_label || latency == RANK_B_SLOWER;
  report->faster = split->both_ways && latency == RANK_A_SLOWER;
  report->slow_above = above(causes, split, TAIL_SLOW, level);
  report->rest_above = above(causes, split, TAIL_REST, level);
  add_findings(report, causes, split, level);
  add_services(report, causes, split, level);
  if (report->enough && (split->both_ways || report->latency.difference > 0))
    tail_significant_find(report, causes, judged, level);
  if (!split->both_ways)
    replay_findings(report, causes, split, level);
  if (report->significant + report->named != 0 && !split->both_ways)
    tail_groups_find(report, causes, split, level);
}

void tail_report_make(struct tail_report *report, const struct tail_causes *causes,
                      const struct tail_split *split, double level) {
  tail_report_judge(report, causes, split, split, level);
}

void tail_report_clear(struct tail_report *report) {
  vector_clear(&report->findings);
  vector_clear(&report->services);
  vector_clear(&report->groups);
  *report = (struct tail_report){0};
}
