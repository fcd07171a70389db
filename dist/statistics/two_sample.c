/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/statistics/two_sample.h"

#include <math.h>

#include "base/memory.h"
#include "dist/statistics/edges.h"
#include "dist/survival/wide.h"

/* k of all the sample counts, as of the draws that the band is for. */
static uint64_t share_up(const struct sample *s, const struct band *band, uint64_t k) {
  return (uint64_t)(((uint128)k * band->n + s->total - 1) / s->total);
}

static uint64_t share_down(const struct sample *s, const struct band *band, uint64_t k) {
  return (uint64_t)((uint128)k * band->n / s->total);
}

/* The point where P(slow >= x) exceeds P(fast >= x) most for certain: only at lower edges of the
 * slow sample can what is certain of it drop. */
static struct two_sample_gap find_gap(const struct sample *slow, const struct band *slow_lower,
                                      const struct sample *fast, const struct band *fast_upper) {
  struct two_sample_gap gap = {.found = false};
  struct sample_bin *bins = edges_by_lower(slow);
  uint64_t reached = slow->total, above = fast->total, widest = 0;
  size_t j = 0;
  for (size_t i = 0; i < slow->count; i++) {
    uint64_t at = bins[i].lower_ns;
    for (; j < fast->count && fast->bins[j].upper_ns < at; j++)
      above -= fast->bins[j].count;
    if (i == 0 || bins[i - 1].lower_ns != at) {
      uint64_t least = band_tail(slow_lower, share_down(slow, slow_lower, reached));
      uint64_t most = band_tail(fast_upper, share_up(fast, fast_upper, above));
      if (least > most && least - most > widest) {
        widest = least - most;
        gap = (struct two_sample_gap){true, at, least, most};
      }
    }
    reached -= bins[i].count;
  }
  mem_free(bins);
  return gap;
}

void compare_samples(struct two_sample *two, const struct sample *a, uint64_t a_worth,
                     const struct sample *b, uint64_t b_worth, uint64_t alpha) {
  if (a_worth == 0 || b_worth == 0 || alpha < 4)
    bug("two samples without observations or risk");
  *two = (struct two_sample){.a = a, .b = b};
  band_init(&two->a_upper, SIDE_UPPER, a_worth, alpha / 4, BAND_BOTH);
  band_init(&two->a_lower, SIDE_LOWER, a_worth, alpha / 4, BAND_BOTH);
  band_init(&two->b_upper, SIDE_UPPER, b_worth, alpha / 4, BAND_BOTH);
  band_init(&two->b_lower, SIDE_LOWER, b_worth, alpha / 4, BAND_BOTH);
  two->a_slower = find_gap(a, &two->a_lower, b, &two->b_upper);
  two->b_slower = find_gap(b, &two->b_lower, a, &two->a_upper);
}

/* The least edge x with a certain P(X > x) <= tail. */
static uint64_t quantile_upper(const struct sample *s, const struct band *upper, uint64_t tail) {
  uint64_t above = s->total;
  if (band_tail(upper, share_up(s, upper, above)) <= tail)
    return 0;
  for (size_t i = 0; i < s->count; i++) {
    above -= s->bins[i].count;
    if (band_tail(upper, share_up(s, upper, above)) <= tail)
      return s->bins[i].upper_ns;
  }
  return SAMPLE_NS_MAX;
}

/* The greatest lower edge x with a certain P(X >= x) > tail: no quantile at `tail` is below it. */
static uint64_t quantile_lower(const struct sample *s, const struct band *lower, uint64_t tail) {
  struct sample_bin *bins = edges_by_lower(s);
  uint64_t reached = s->total, result = 0;
  for (size_t i = 0; i < s->count; i++) {
    if (band_tail(lower, share_down(s, lower, reached)) <= tail)
      break;
    result = bins[i].lower_ns;
    reached -= bins[i].count;
  }
  mem_free(bins);
  return result;
}

static double widen(double x, double by) {
  return x * (1 + by);
}

struct two_sample_quantile compare_quantile(const struct two_sample *two, uint64_t tail) {
  struct two_sample_quantile q;
  q.a.lower_ns = quantile_lower(two->a, &two->a_lower, tail);
  q.a.upper_ns = quantile_upper(two->a, &two->a_upper, tail);
  q.b.lower_ns = quantile_lower(two->b, &two->b_lower, tail);
  q.b.upper_ns = quantile_upper(two->b, &two->b_upper, tail);
  q.verdict = q.b.lower_ns > q.a.upper_ns   ? TWO_SAMPLE_B_SLOWER
              : q.a.lower_ns > q.b.upper_ns ? TWO_SAMPLE_A_SLOWER
                                            : TWO_SAMPLE_UNDECIDED;
  q.ratio_least = q.a.upper_ns == SAMPLE_NS_MAX || q.b.lower_ns == 0
                      ? 0
                      : widen((double)q.b.lower_ns / (double)q.a.upper_ns, -0x1p-50);
  q.ratio_most = q.b.upper_ns == SAMPLE_NS_MAX || q.a.lower_ns == 0
                     ? INFINITY
                     : widen((double)q.b.upper_ns / (double)q.a.lower_ns, 0x1p-50);
  return q;
}

/* The greatest of P(b >= x) - P(a >= x) as far as it can be: what may be of b drops just above its
 * upper edges. */
uint64_t compare_worst(const struct two_sample *two) {
  const struct sample *a = two->a, *b = two->b;
  struct sample_bin *bins = edges_by_lower(a);
  uint64_t reached = a->total, above = b->total, worst = 0;
  size_t i = 0, j = 0;
  while (i < a->count) {
    /* just above the next lower edge of a, where what is certain of it has dropped */
    uint64_t at = bins[i].lower_ns;
    for (; i < a->count && bins[i].lower_ns <= at; i++)
      reached -= bins[i].count;
    for (; j < b->count && b->bins[j].upper_ns <= at; j++)
      above -= b->bins[j].count;
    /* those of a beyond are at its greatest lower edge at least, and no further for certain */
    uint64_t left = i == a->count ? 0 : reached;
    uint64_t most = band_tail(&two->b_upper, share_up(b, &two->b_upper, above));
    uint64_t least = band_tail(&two->a_lower, share_down(a, &two->a_lower, left));
    if (most > least && most - least > worst)
      worst = most - least;
  }
  mem_free(bins);
  /* below all of a, where nothing of it is missing but the margin */
  uint64_t most = band_tail(&two->b_upper, two->b_upper.n);
  uint64_t least = band_tail(&two->a_lower, two->a_lower.n);
  return most > least && most - least > worst ? most - least : worst;
}
