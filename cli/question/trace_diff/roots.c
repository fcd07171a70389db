/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `trace diff`, root by root: endpoints differ, and so may how much of each there is.
 */
#include <stdlib.h>

#include "cli/question/trace_diff/trace_diff.h"
#include "dist/statistics/holm.h"
#include "trace/tail/significance.h"

static int by_name(const void *a, const void *b) {
  const struct diff_root *x = a, *y = b;
  if (x->service != y->service)
    return x->service < y->service ? -1 : 1;
  return (x->operation > y->operation) - (x->operation < y->operation);
}

static int by_requests(const void *a, const void *b) {
  const struct diff_root *x = a, *y = b;
  size_t m = x->counts[0] + x->counts[1], n = y->counts[0] + y->counts[1];
  return m != n ? (m < n ? 1 : -1) : by_name(a, b);
}

static struct diff_root root_of(const struct trace_diff *d, uint32_t request) {
  uint32_t row = d->store.requests.data[request].first;
  struct diff_root root = {d->store.service.data[row], d->store.operation.data[row],
                           .compared = false};
  size_t side = request >= d->counts[DIFF_BEFORE];
  root.counts[side] = 1;
  root.sums[side] = (double)span_store_latency(&d->store, &d->store.requests.data[request]);
  return root;
}

static void find_roots(struct trace_diff *d) {
  for (uint32_t i = 0; i < d->store.requests.count; i++)
    vector_push(&d->roots, root_of(d, i));
  qsort(d->roots.data, d->roots.count, sizeof *d->roots.data, by_name);
  size_t kept = 0;
  for (size_t i = 1; i < d->roots.count; i++) {
    struct diff_root *root = &d->roots.data[kept];
    if (by_name(root, &d->roots.data[i]) != 0) {
      d->roots.data[++kept] = d->roots.data[i];
      continue;
    }
    for (size_t side = 0; side < DIFF_SIDES; side++) {
      root->counts[side] += d->roots.data[i].counts[side];
      root->sums[side] += d->roots.data[i].sums[side];
    }
  }
  d->roots.count = kept + 1;
  qsort(d->roots.data, d->roots.count, sizeof *d->roots.data, by_requests);
}

/* The split without the requests of other roots. */
static void split_of(struct tail_split *split, const struct trace_diff *d,
                     const struct diff_root *root) {
  tail_split_init(split, d->split.requests);
  split->both_ways = true;
  for (size_t i = 0; i < split->requests; i++) {
    const struct diff_root other = root_of(d, d->order[i]);
    split->sides[i] = by_name(&other, root) == 0 ? d->split.sides[i] : TAIL_NEITHER;
  }
  tail_split_labelled(split, d->causes.latency);
}

static bool is_enough(const struct diff_root *root) {
  return root->compared && root->counts[DIFF_BEFORE] >= TAIL_LEAST &&
         root->counts[DIFF_AFTER] >= TAIL_LEAST;
}

static bool judge_root(struct diff_root *root, const struct trace_diff *d, double level) {
  struct tail_split split;
  enum tail_course course;
  split_of(&split, d, root);
  enum rank_verdict verdict = tail_test(&course, d->causes.latency, &split, level);
  tail_split_clear(&split);
  double difference = root->difference.difference;
  root->significant =
      (verdict == RANK_B_SLOWER && difference > 0) || (verdict == RANK_A_SLOWER && difference < 0);
  return root->significant;
}

static void compare_root(struct diff_root *root, const struct trace_diff *d) {
  struct tail_split split;
  root->compared = root->counts[DIFF_BEFORE] != 0 && root->counts[DIFF_AFTER] != 0;
  split_of(&split, d, root);
  if (root->compared)
    root->difference = tail_difference_of(d->causes.latency, &split, d->level);
  tail_split_clear(&split);
}

/* Holm's correction: again at a higher level as long as one more is named. */
static void judge_roots(struct trace_diff *d) {
  size_t tests = 0, named = 0;
  for (size_t i = 0; i < d->roots.count; i++)
    tests += is_enough(&d->roots.data[i]);
  for (bool more = true; more && named < tests;) {
    more = false;
    double level = holm_level(d->level_of_kinds, tests, named);
    for (size_t i = 0; i < d->roots.count; i++) {
      struct diff_root *root = &d->roots.data[i];
      if (is_enough(root) && !root->significant && judge_root(root, d, level)) {
        more = true;
        named++;
      }
    }
  }
}

/* Of both sides, each with half the weight. */
static double mean_of(const struct diff_root *root) {
  double sum = 0, sides = 0;
  for (size_t side = 0; side < DIFF_SIDES; side++)
    if (root->counts[side] != 0) {
      sum += root->sums[side] / (double)root->counts[side];
      sides++;
    }
  return sum / sides;
}

/* What the change would be if each root's mean were that of both sides, and its share alone had
 * changed (Kitagawa, JASA 50, 1955). */
static double mix_of(const struct trace_diff *d) {
  double mix = 0;
  for (size_t i = 0; i < d->roots.count; i++) {
    const struct diff_root *root = &d->roots.data[i];
    double more = (double)root->counts[DIFF_AFTER] / (double)d->counts[DIFF_AFTER] -
                  (double)root->counts[DIFF_BEFORE] / (double)d->counts[DIFF_BEFORE];
    mix += more * mean_of(root);
  }
  return mix;
}

void trace_diff_roots(struct trace_diff *d) {
  find_roots(d);
  if (d->roots.count == 1) {
    vector_clear(&d->roots);
    return;
  }
  for (size_t i = 0; i < d->roots.count && i < DIFF_ROOTS; i++)
    compare_root(&d->roots.data[i], d);
  judge_roots(d);
  d->mix = mix_of(d);
}
