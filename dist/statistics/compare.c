/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/statistics/compare.h"

#include <math.h>

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
static bool is_beyond_chance(uint64_t tail, uint64_t rank, uint64_t total, double log_level) {
  double n = (double)total, c = (double)(total - rank + 1) / n;
  double t = (double)tail / (double)SURVIVAL_ONE;
  return t < c && (tail == 0 || n * divergence(c, t) > -log_level);
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

void compare_curve(struct comparison *comparison, const struct survival *law,
                   const struct sample *sample, uint64_t alpha) {
  *comparison = (struct comparison){0};
  rational_init(&comparison->any.share);
  rational_init(&comparison->beyond_chance.share);
  uint64_t places[PLACES_MAX], total = sample->total, rank = 1;
  size_t count = find_places(places, total), next = 0;
  double level = log((double)alpha / (double)SURVIVAL_ONE / (double)(count + 1));
  for (size_t i = 0; i <= sample->count; i++) {
    bool last = i == sample->count;
    uint64_t value = last ? SAMPLE_NS_MAX : sample->bins[i].upper_ns;
    uint64_t tail = tail_from(law, value);
    uint64_t end = rank + (last ? sample->beyond : sample->bins[i].count);
    /* the first of a bin is the hardest; chance is judged at the places agreed on beforehand */
    if (rank < end && exceeds(tail, rank, total))
      note(&comparison->any, rank, total, value);
    for (; next < count && places[next] < end; next++)
      if (alpha != 0 && exceeds(tail, places[next], total) &&
          is_beyond_chance(tail, places[next], total, level))
        note(&comparison->beyond_chance, places[next], total, value);
    rank = end;
  }
  if (alpha == 0 && comparison->any.found) {
    comparison->beyond_chance.found = true;
    comparison->beyond_chance.observed_ns = comparison->any.observed_ns;
    rational_set(&comparison->beyond_chance.share, &comparison->any.share);
  }
}

void comparison_clear(struct comparison *comparison) {
  rational_clear(&comparison->any.share);
  rational_clear(&comparison->beyond_chance.share);
}
