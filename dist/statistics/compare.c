/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/statistics/compare.h"

#include <math.h>

#include "base/memory.h"
#include "dist/statistics/edges.h"

/* P(X >= value) of the law, in units of 10^-18. */
static uint64_t tail_from(const struct survival *law, uint64_t value) {
  if (value == SAMPLE_NS_MAX)
    return survival_infinity(law);
  return value == 0 ? SURVIVAL_ONE : survival_tail(law, value - 1);
}

static void note(struct excess *excess, uint64_t rank, uint64_t total, uint64_t value) {
  if (excess->found)
    return;
  excess->found = true;
  excess->observed_ns = value;
  rational_set_fraction(&excess->share, (int64_t)rank, (int64_t)total);
}

/* The law's quantile at rank/total is below the value: P(X >= value) <= 1 - rank/total. */
static bool exceeds(uint64_t tail, uint64_t rank, uint64_t total) {
  return tail != SURVIVAL_ONE &&
         (__extension__(unsigned __int128) tail) * total <=
             (__extension__(unsigned __int128)(total - rank)) * SURVIVAL_ONE;
}

static double divergence(double c, double t) {
  double d = c * log(c / t);
  return c < 1 ? d + (1 - c) * log((1 - c) / (1 - t)) : d;
}

/* Whether total - rank + 1 observations from the value on are more than chance allows. */
static bool is_beyond_chance(uint64_t tail, uint64_t rank, uint64_t total, double worth,
                             double log_level) {
  double c = (double)(total - rank + 1) / (double)total;
  double t = (double)tail / (double)SURVIVAL_ONE;
  return t < c && (tail == 0 || worth * divergence(c, t) > -log_level);
}

enum { PLACES_MAX = 512 };

/* Ranks 1, 2, 3, 4, 6, 8, 12, ... up to the middle, and the same from the other end; rising. */
static size_t find_places(uint64_t *places, uint64_t total) {
  size_t count = 0;
  for (uint64_t step = 1; step <= total / 2; step *= 2) {
    places[count++] = step;
    if (step > 1 && step + step / 2 <= total / 2)
      places[count++] = step + step / 2;
  }
  for (size_t i = count; i > 0; i--)
    places[2 * count - i] = total + 1 - places[i - 1];
  return 2 * count;
}

/* The first rank at which an observation, at the upper edge of its bin, exceeds the law; the first
 * of a bin is the hardest. */
static void find_any(struct excess *any, const struct survival *law, const struct sample *sample) {
  uint64_t rank = 1;
  for (size_t i = 0; i <= sample->count; i++) {
    bool last = i == sample->count;
    uint64_t value = last ? SAMPLE_NS_MAX : sample->bins[i].upper_ns;
    uint64_t count = last ? sample->beyond : sample->bins[i].count;
    if (count != 0 && exceeds(tail_from(law, value), rank, sample->total))
      note(any, rank, sample->total, value);
    rank += count;
  }
}

/* Ranks that are looked at, each with its share of alpha; without alpha every bin's first. */
struct places {
  uint64_t ranks[PLACES_MAX];
  size_t count, next;
  double level; /* natural logarithm; alpha == 0: none */
  bool all;
};

static void judge_bin(struct excess *found, struct places *p, const struct survival *law,
                      const struct sample *sample, uint64_t value, uint64_t rank, uint64_t end,
                      double worth) {
  uint64_t tail = tail_from(law, value), total = sample->total;
  if (p->all && rank < end && exceeds(tail, rank, total))
    note(found, rank, total, value);
  for (; p->next < p->count && p->ranks[p->next] < end; p->next++)
    if (!p->all && exceeds(tail, p->ranks[p->next], total) &&
        is_beyond_chance(tail, p->ranks[p->next], total, worth, p->level))
      note(found, p->ranks[p->next], total, value);
}

/* By lower edges, since an observation certainly is no smaller. */
static void find_beyond(struct excess *found, const struct survival *law,
                        const struct sample *sample, uint64_t alpha, uint64_t worth) {
  struct places p = {.all = alpha == 0};
  p.count = find_places(p.ranks, sample->total);
  p.level = log((double)alpha / (double)SURVIVAL_ONE / (double)(p.count + 1));
  struct sample_bin *bins = edges_by_lower(sample);
  uint64_t rank = 1;
  for (size_t i = 0; i < sample->count; i++) {
    judge_bin(found, &p, law, sample, bins[i].lower_ns, rank, rank + bins[i].count, (double)worth);
    rank += bins[i].count;
  }
  judge_bin(found, &p, law, sample, SAMPLE_NS_MAX, rank, rank + sample->beyond, (double)worth);
  mem_free(bins);
}

void compare_curve(struct comparison *comparison, const struct survival *law,
                   const struct sample *sample, uint64_t alpha, uint64_t worth) {
  *comparison = (struct comparison){0};
  rational_init(&comparison->any.share);
  rational_init(&comparison->beyond_chance.share);
  find_any(&comparison->any, law, sample);
  find_beyond(&comparison->beyond_chance, law, sample, alpha, worth);
}

void comparison_clear(struct comparison *comparison) {
  rational_clear(&comparison->any.share);
  rational_clear(&comparison->beyond_chance.share);
}
