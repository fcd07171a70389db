/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/compare/compare_tendency.h"

#include "cli/question/compare/compare_operand.h"
#include "dist/statistics/rank_exact.h"
#include "dist/statistics/rank_test.h"

#include <math.h>

/* One edge of what was observed, of every observation. */
struct edges {
  struct rank_series ranks;
  uint64_t *values, *counts; /* of a histogram; owned */
};

static size_t value_count(const struct sample *sample) {
  return sample->count + (sample->beyond != 0);
}

static void take_bins(struct edges *edges, const struct operand *operand, bool upper) {
  const struct sample *sample = &operand->sample;
  size_t count = value_count(sample);
  edges->values = mem_alloc(count, sizeof *edges->values);
  edges->counts = mem_alloc(count, sizeof *edges->counts);
  for (size_t i = 0; i < sample->count; i++) {
    edges->values[i] = upper ? sample->bins[i].upper_ns : sample->bins[i].lower_ns;
    edges->counts[i] = sample->bins[i].count;
  }
  if (sample->beyond != 0) {
    edges->values[count - 1] = SAMPLE_NS_MAX;
    edges->counts[count - 1] = sample->beyond;
  }
  edges->ranks = (struct rank_series){.values = edges->values,
                                      .counts = edges->counts,
                                      .count = count,
                                      .worth = (double)operand_worth(operand)};
}

static struct edges edges_of(const struct operand *operand, bool upper, bool exchangeable) {
  const struct sample *sample = &operand->sample;
  struct edges edges = {0};
  if (exchangeable || sample->series_count != sample->total)
    take_bins(&edges, operand, upper);
  else
    edges.ranks = (struct rank_series){.values = upper ? sample->series : sample->series_lower,
                                       .count = sample->series_count};
  return edges;
}

static void edges_clear(struct edges *edges) {
  mem_free(edges->values);
  mem_free(edges->counts);
}

/* With a's observations at one edge of their buckets and b's at the other. */
static struct rank_test test(const struct operand *a, const struct operand *b, bool b_upper,
                             bool exchangeable, uint64_t alpha) {
  struct edges x = edges_of(a, !b_upper, exchangeable), y = edges_of(b, b_upper, exchangeable);
  double chance = (double)alpha / (double)SURVIVAL_ONE;
  struct rank_test test = rank_test_of(&x.ranks, &y.ranks, chance);
  edges_clear(&x);
  edges_clear(&y);
  return test;
}

static bool are_many(const struct operand *a, const struct operand *b) {
  return a->sample.real >= RANK_TEST_LEAST && b->sample.real >= RANK_TEST_LEAST;
}

uint64_t tendency_alpha(const struct compare *compare, const struct operand *a,
                        const struct operand *b, uint64_t alpha) {
  bool enough =
      are_many(a, b) || (rank_exact_can(a->sample.total, b->sample.total) &&
                         a->sample.real == a->sample.total && b->sample.real == b->sample.total);
  return compare->has_margin || !enough ? 0 : alpha / 2;
}

/* Each observation by itself. */
static struct rank_exact_set set_of(uint64_t edges[2][RANK_EXACT_ALL],
                                    const struct sample *sample) {
  struct rank_exact_set set = {edges[0], edges[1], 0};
  for (size_t i = 0; i < sample->count; i++)
    for (uint64_t k = 0; k < sample->bins[i].count; k++) {
      edges[0][set.count] = sample->bins[i].lower_ns;
      edges[1][set.count++] = sample->bins[i].upper_ns;
    }
  for (uint64_t k = 0; k < sample->beyond; k++)
    edges[0][set.count] = edges[1][set.count] = SAMPLE_NS_MAX, set.count++;
  return set;
}

static void find_exact(struct tendency *found, const struct operand *a, const struct operand *b,
                       double alpha) {
  uint64_t edges[2][2][RANK_EXACT_ALL];
  struct rank_exact_set x = set_of(edges[0], &a->sample), y = set_of(edges[1], &b->sample);
  struct rank_exact exact = rank_exact(&x, &y, alpha);
  found->exact = true;
  found->most = 1;
  found->chance = fmin(1, 2 * fmin(exact.a_slower, exact.b_slower));
  found->factor_least = exact.factor_least;
  found->factor_most = exact.factor_most;
  found->verdict = exact.b_slower <= alpha / 2   ? COMPARED_SLOWER
                   : exact.a_slower <= alpha / 2 ? COMPARED_FASTER
                                                 : COMPARED_NO_DIFFERENCE;
}

struct tendency tendency_find(const struct compare *compare, const struct operand *a,
                              const struct operand *b, uint64_t alpha) {
  bool exchangeable = compare->request->of.exchangeable;
  struct tendency found = {.tested = alpha != 0};
  if (alpha == 0)
    return found;
  if (!are_many(a, b)) {
    find_exact(&found, a, b, (double)alpha / (double)SURVIVAL_ONE);
    return found;
  }
  struct rank_test low = test(a, b, false, exchangeable, alpha);
  struct rank_test high = test(a, b, true, exchangeable, alpha);
  found.least = low.least;
  found.most = high.most;
  if (low.verdict == RANK_CANNOT_TELL || high.verdict == RANK_CANNOT_TELL)
    found.verdict = COMPARED_UNDECIDED;
  else if (low.verdict == RANK_B_SLOWER)
    found.verdict = COMPARED_SLOWER;
  else
    found.verdict = high.verdict == RANK_A_SLOWER ? COMPARED_FASTER : COMPARED_NO_DIFFERENCE;
  return found;
}
