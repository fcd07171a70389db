/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/statistics/few.h"

#include <math.h>

#include "base/memory.h"
#include "base/random.h"

enum { ORDERS = 999, WAVES = 3, STATISTICS = 3, VALUES_LEAST = 8 };

/* One more than how many orders may look as much like dependence as the series: each statistic has
 * its part of 1/20. */
enum { LEAST_RARE = (ORDERS + 1) / (20 * STATISTICS) };

struct few {
  size_t count;
  double centred[FEW_MOST];      /* ranks less their mean; ties share theirs */
  double waves[WAVES][FEW_MOST]; /* cosines */
};

static void few_init(struct few *few, const uint64_t *series, size_t n) {
  few->count = n;
  for (size_t i = 0; i < n; i++) {
    double rank = 0;
    for (size_t k = 0; k < n; k++)
      rank += (series[k] < series[i]) + 0.5 * (series[k] == series[i]);
    few->centred[i] = rank - 0.5 * (double)n;
    for (size_t j = 0; j < WAVES; j++)
      few->waves[j][i] = cos(acos(-1) * (double)(j + 1) * ((double)i + 0.5) / (double)n);
  }
}

/* At a distance there are fewer pairs. */
static double correlation_at(const struct few *few, const double *x, size_t distance) {
  double sum = 0, n = (double)few->count;
  for (size_t i = distance; i < few->count; i++)
    sum += x[i] * x[i - distance];
  return sum * sqrt(n / (n - (double)distance));
}

static void measure(double statistics[STATISTICS], const struct few *few, const uint32_t *order) {
  size_t n = few->count;
  double x[FEW_MOST] = {0}, waves = 0;
  for (size_t i = 0; i < n; i++)
    x[i] = few->centred[order[i]];
  double sum, at[FEW_MOST / 4 + 2];
  for (size_t distance = 1; distance <= n / 4 + 1; distance++)
    at[distance] = correlation_at(few, x, distance);
  statistics[0] = statistics[2] = at[1] + at[2] / 2;
  for (size_t distance = 2; distance <= n / 4; distance++)
    statistics[2] = fmax(statistics[2], at[distance] + (at[distance - 1] + at[distance + 1]) / 2);
  for (size_t j = 0; j < WAVES; j++) {
    sum = 0;
    for (size_t i = 0; i < n; i++)
      sum += x[i] * few->waves[j][i];
    waves += sum * sum;
  }
  statistics[1] = waves;
}

static size_t divisor_of(size_t a, size_t b) {
  while (b != 0) {
    size_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

/* How often each value stands there has a common divisor. */
static bool stands_several_times(const uint64_t *series, size_t count) {
  size_t values = 0, divisor = 0;
  for (size_t i = 0; i < count; i++) {
    size_t before = 0, times = 0;
    for (size_t k = 0; k < count; k++) {
      before += k < i && series[k] == series[i];
      times += series[k] == series[i];
    }
    values += before == 0;
    divisor = divisor_of(times, divisor);
  }
  return divisor > 1 && values >= VALUES_LEAST;
}

bool few_depend(const uint64_t *series, size_t count) {
  if (count < FEW_LEAST || count > FEW_MOST)
    bug("a short series of %zu", count);
  if (stands_several_times(series, count))
    return true;
  struct few few;
  struct random random = {count}; /* so that an answer is the same each time */
  uint32_t order[FEW_MOST];
  double seen[STATISTICS], other[STATISTICS];
  size_t alike[STATISTICS] = {1, 1, 1}; /* with the series itself */
  few_init(&few, series, count);
  for (size_t i = 0; i < count; i++)
    order[i] = (uint32_t)i;
  measure(seen, &few, order);
  for (size_t k = 0; k < ORDERS; k++) {
    random_shuffle(&random, order, count);
    measure(other, &few, order);
    for (size_t s = 0; s < STATISTICS; s++)
      alike[s] += other[s] >= seen[s] - 1e-9 * fabs(seen[s]); /* ties, as they are added up anew */
  }
  bool rare = false;
  for (size_t s = 0; s < STATISTICS; s++)
    rare = rare || alike[s] <= LEAST_RARE;
  return rare;
}
