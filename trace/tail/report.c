/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/tail/report.h"

#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "dist/statistics/blocks.h"
#include "dist/statistics/holm.h"
#include "dist/statistics/rank_test.h"
#include "dist/statistics/special.h"
#include "trace/tail/group.h"

/* The part of all values that is called the highest; TAIL_LEAST of them or more. */
static const double TAIL_HIGHEST = 0.05;

struct tail_share tail_share_of(size_t count, size_t of, double level) {
  struct tail_share share = {count, of, 0, 1};
  if (count != 0)
    share.least = special_beta_quantile_below(level / 2, (double)count, (double)(of - count) + 1);
  if (count != of)
    share.most = special_beta_quantile_above(level / 2, (double)count + 1, (double)(of - count));
  return share;
}

/* The values of a side less the least of both; or, with `above`, 1 for those above it and else 0.
 */
static uint64_t *side_of(const int64_t *values, const struct tail_split *split, enum tail_side side,
                         int64_t least, const int64_t *above) {
  uint64_t *out = mem_alloc(split->requests, sizeof *out);
  size_t count = 0;
  for (size_t i = 0; i < split->requests; i++)
    if (split->sides[i] == side)
      out[count++] = above == NULL ? (uint64_t)(values[i] - least) : values[i] > *above;
  return out;
}

/* By blocks of time, what drifts. */
static enum rank_verdict test_blocks(enum tail_course *course, const int64_t *values,
                                     const struct tail_split *split, double alpha,
                                     const int64_t *above) {
  int64_t *both = mem_alloc(split->requests, sizeof *both);
  bool *slow = mem_alloc(split->requests, sizeof *slow);
  size_t count = 0;
  for (size_t i = 0; i < split->requests; i++) {
    if (split->sides[i] == TAIL_NEITHER)
      continue;
    slow[count] = split->sides[i] == TAIL_SLOW;
    both[count++] = above == NULL ? values[i] : values[i] > *above;
  }
  struct blocks_test result = blocks_test(both, slow, count, alpha);
  mem_free(both);
  mem_free(slow);
  *course = result.apart ? TAIL_APART : TAIL_WITHIN;
  return result.verdict;
}

static enum rank_verdict test_ranks(enum tail_course *course, const int64_t *values,
                                    const struct tail_split *split, double alpha,
                                    const int64_t *above) {
  int64_t least = values[0];
  for (size_t i = 0; i < split->requests; i++)
    least = values[i] < least ? values[i] : least;
  uint64_t *rest = side_of(values, split, TAIL_REST, least, above);
  uint64_t *slow = side_of(values, split, TAIL_SLOW, least, above);
  struct rank_test result = rank_test(rest, split->rest, slow, split->slow, alpha);
  mem_free(rest);
  mem_free(slow);
  return result.verdict != RANK_CANNOT_TELL ? result.verdict
                                            : test_blocks(course, values, split, alpha, above);
}

/* The value that the highest of both sides exceed. */
static int64_t highest(const int64_t *values, const struct tail_split *split) {
  int64_t *both = mem_alloc(split->requests, sizeof *both);
  size_t count = 0;
  for (size_t i = 0; i < split->requests; i++)
    if (split->sides[i] != TAIL_NEITHER)
      both[count++] = values[i];
  double part = fmax(TAIL_HIGHEST, (double)TAIL_LEAST / (double)count);
  int64_t above = tail_percentile(both, count, 100 * (1 - part));
  mem_free(both);
  return above;
}

/* Fisher's exact test takes observations for independent, the test of ranks knows what their order
 * shows and is asymptotic: both must agree. Of few clusters, which share nothing, Fisher's alone is
 * asked. */
static enum rank_verdict test_highest(enum tail_course *course, const int64_t *values,
                                      const struct tail_split *split, double alpha) {
  int64_t above = highest(values, split);
  uint64_t slow = 0, all = 0;
  for (size_t i = 0; i < split->requests; i++) {
    slow += split->sides[i] == TAIL_SLOW && values[i] > above;
    all += split->sides[i] != TAIL_NEITHER && values[i] > above;
  }
  if (special_hypergeometric_from(slow, split->slow, split->rest, all) > alpha)
    return RANK_UNDECIDED;
  return split->slow < TAIL_LEAST ? RANK_B_SLOWER
                                  : test_ranks(course, values, split, alpha, &above);
}

static enum rank_verdict test_observations(enum tail_course *course, const int64_t *values,
                                           const struct tail_split *split, double alpha) {
  enum rank_verdict verdict = split->slow < TAIL_LEAST
                                  ? RANK_UNDECIDED
                                  : test_ranks(course, values, split, alpha / 2, NULL);
  return verdict == RANK_UNDECIDED ? test_highest(course, values, split, alpha / 2) : verdict;
}

static enum rank_verdict test(enum tail_course *course, const int64_t *values,
                              const struct tail_split *split, double alpha) {
  *course = TAIL_STEADY;
  if (split->cluster == NULL)
    return test_observations(course, values, split, alpha);
  struct tail_split collapsed;
  int64_t *means = tail_split_collapse(&collapsed, split, values);
  enum rank_verdict verdict = test_observations(course, means, &collapsed, alpha);
  mem_free(means);
  tail_split_clear(&collapsed);
  return verdict;
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

/* Holm's procedure without probabilities: with r named so far, all that pass at level / (m - r) are
 * named, until none is added. */
static void find_significant(struct tail_report *report, const struct tail_causes *causes,
                             const struct tail_split *split, double level) {
  bool more = report->enough && report->latency.difference > 0;
  while (more && report->significant < report->tested) {
    more = false;
    double alpha = holm_level(level, report->tested, report->significant);
    for (size_t i = 0; i < report->findings.count; i++) {
      struct tail_finding *finding = &report->findings.data[i];
      const struct tail_cause *cause = &causes->causes.data[finding->cause];
      if (finding->significant || cause->kind == CAUSE_OTHER || finding->difference.difference <= 0)
        continue;
      if (test(&finding->course, cause->parts, split, alpha) == RANK_B_SLOWER)
        more = finding->significant = true;
    }
    report->significant = 0;
    for (size_t i = 0; i < report->findings.count; i++)
      report->significant += report->findings.data[i].significant;
  }
}

/* Every how-many-th of a side is replayed. */
static size_t stride_of(size_t count) {
  return count <= TAIL_REPLAYED ? 1 : (count + TAIL_REPLAYED - 1) / TAIL_REPLAYED;
}

struct tail_share tail_necessary(const struct tail_causes *causes, const struct tail_split *split,
                                 uint32_t cause, double level) {
  size_t seen = 0, of = 0, count = 0, stride = stride_of(split->slow);
  for (size_t i = 0; i < split->requests; i++)
    if (split->sides[i] == TAIL_SLOW && causes->latency[i] > split->threshold &&
        seen++ % stride == 0) {
      of++;
      count += causes->replay.without(causes, i, &cause, 1) <= split->threshold;
    }
  return tail_share_of(count, of, level);
}

static struct tail_share sufficient(const struct tail_causes *causes,
                                    const struct tail_split *split, uint32_t cause, double level) {
  size_t seen = 0, of = 0, count = 0, stride = stride_of(split->rest), slow_count = 0;
  size_t *slow = mem_alloc(split->slow, sizeof *slow);
  for (size_t i = 0; i < split->requests; i++)
    if (split->sides[i] == TAIL_SLOW)
      slow[slow_count++] = i;
  struct random random = {1};
  for (size_t i = 0; i < split->requests; i++)
    if (split->sides[i] == TAIL_REST && causes->latency[i] <= split->threshold &&
        seen++ % stride == 0) {
      size_t other = slow[random_below(&random, slow_count)];
      of++;
      count += causes->replay.with(causes, i, cause, other) > split->threshold;
    }
  mem_free(slow);
  return tail_share_of(count, of, level);
}

static struct tail_share above(const struct tail_causes *causes, const struct tail_split *split,
                               enum tail_side side, double level) {
  size_t count = 0;
  for (size_t i = 0; i < split->requests; i++)
    count += split->sides[i] == side && causes->latency[i] > split->threshold;
  return tail_share_of(count, side == TAIL_SLOW ? split->slow : split->rest, level);
}

/* The largest first, what is no cause last. */
static int by_difference(const void *a, const void *b) {
  const struct tail_finding *x = a, *y = b;
  double d = y->difference.difference - x->difference.difference;
  if (x->other != y->other)
    return x->other ? 1 : -1;
  return d != 0 ? (d > 0) - (d < 0) : (x->cause > y->cause) - (x->cause < y->cause);
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
  qsort(report->findings.data, report->findings.count, sizeof *report->findings.data,
        by_difference);
}

void tail_report_judge(struct tail_report *report, const struct tail_causes *causes,
                       const struct tail_split *split, const struct tail_split *judged,
                       double level) {
  *report = (struct tail_report){.latency = tail_difference_of(causes->latency, split, level)};
  report->enough = is_enough(report, causes->latency, judged);
  report->slower = !split->by_label || (report->enough && test(&report->course, causes->latency,
                                                               judged, level) == RANK_B_SLOWER);
  report->slow_above = above(causes, split, TAIL_SLOW, level);
  report->rest_above = above(causes, split, TAIL_REST, level);
  add_findings(report, causes, split, level);
  find_significant(report, causes, judged, level);
  for (size_t i = 0; i < report->findings.count; i++) {
    struct tail_finding *finding = &report->findings.data[i];
    if (finding->significant) {
      finding->necessary = tail_necessary(causes, split, finding->cause, level);
      finding->sufficient = sufficient(causes, split, finding->cause, level);
    }
  }
  if (report->significant != 0)
    tail_groups_find(report, causes, split, level);
}

void tail_report_make(struct tail_report *report, const struct tail_causes *causes,
                      const struct tail_split *split, double level) {
  tail_report_judge(report, causes, split, split, level);
}

void tail_report_clear(struct tail_report *report) {
  vector_clear(&report->findings);
  vector_clear(&report->groups);
  *report = (struct tail_report){0};
}
