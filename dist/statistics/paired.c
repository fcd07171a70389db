/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/statistics/paired.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

/* The chance that signed ranks of n pairs add up to each number, 0 .. n (n + 1) / 2; owned. */
static double *rank_chances(size_t n) {
  size_t most = n * (n + 1) / 2;
  double *chances = mem_alloc(most + 1, sizeof *chances);
  chances[0] = 1;
  for (size_t rank = 1; rank <= n; rank++)
    for (size_t sum = rank * (rank + 1) / 2 + 1; sum-- > 0;)
      chances[sum] = (chances[sum] + (sum >= rank ? chances[sum - rank] : 0)) / 2;
  return chances;
}

/* Sets how many averages may be left out at each end; returns what that spends of both sides. */
static double look_set(struct paired_look *look, double available) {
  double *chances = rank_chances(look->pairs);
  double below = chances[0];
  look->possible = 2 * below <= available;
  look->outside = 0;
  while (look->possible && 2 * (below + chances[look->outside + 1]) <= available)
    below += chances[++look->outside];
  mem_free(chances);
  return look->possible ? 2 * below : 0;
}

void paired_plan_make(struct paired_plan *plan, size_t first, size_t step, size_t most,
                      double alpha) {
  double spent = 0;
  plan->count = 0;
  for (size_t pairs = first; plan->count < PAIRED_LOOKS_MAX; pairs += step) {
    bool last = pairs + step / 2 >= most || plan->count == PAIRED_LOOKS_MAX - 1;
    struct paired_look *look = &plan->looks[plan->count++];
    look->pairs = last ? most : pairs;
    spent += look_set(look, alpha * (double)look->pairs / (double)most - spent);
    if (last)
      return;
  }
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

struct paired_interval paired_interval(const double *differences, size_t count,
                                       const struct paired_look *look) {
  size_t averages = count * (count + 1) / 2, at = 0;
  double *walsh = mem_alloc(averages, sizeof *walsh);
  for (size_t i = 0; i < count; i++)
    for (size_t j = i; j < count; j++)
      walsh[at++] = (differences[i] + differences[j]) / 2;
  qsort(walsh, averages, sizeof *walsh, by_value);
  struct paired_interval interval = {.least = -INFINITY,
                                     .value = (walsh[(averages - 1) / 2] + walsh[averages / 2]) / 2,
                                     .most = INFINITY};
  if (look->possible) {
    interval.least = walsh[look->outside];
    interval.most = walsh[averages - 1 - look->outside];
  }
  mem_free(walsh);
  return interval;
}
