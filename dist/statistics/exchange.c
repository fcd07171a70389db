/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/statistics/exchange.h"

#include <inttypes.h>
#include <math.h>

#include "base/memory.h"
#include "base/text.h"
#include "dist/survival/grid.h"

/* Of each test; three of them stay below 1/1000, also where normal approximations are off. */
static const double level = 2e-4;
static const double immaterial = 0.02;

/* A series by ranks: the middle of the ranks of the values that share a cell of the log-linear grid
 * above the least value. Ties that this makes cost power only. */
struct ranked {
  double *ranks; /* owned; 0 to 1 */
  size_t count;
  double mean, square; /* the mean, and the mean square deviation */
};

static size_t cell_of(uint64_t x, uint64_t least) {
  return grid_index_upper(&grid_default, x - least);
}

static void ranked_init(struct ranked *r, const uint64_t *series, size_t n) {
  uint64_t least = UINT64_MAX;
  for (size_t i = 0; i < n; i++)
    if (series[i] < least)
      least = series[i];
  size_t cells = grid_count(&grid_default) + 1;
  double *middle = mem_alloc(cells, sizeof *middle);
  for (size_t i = 0; i < n; i++)
    middle[cell_of(series[i], least)]++;
  double before = 0;
  for (size_t c = 0; c < cells; c++) {
    double here = middle[c];
    middle[c] = (before + here / 2) / (double)n;
    before += here;
  }
  *r = (struct ranked){.ranks = mem_alloc(n, sizeof *r->ranks), .count = n};
  for (size_t i = 0; i < n; i++) {
    r->ranks[i] = middle[cell_of(series[i], least)];
    r->mean += r->ranks[i];
  }
  mem_free(middle);
  r->mean /= (double)n;
  for (size_t i = 0; i < n; i++)
    r->square += (r->ranks[i] - r->mean) * (r->ranks[i] - r->mean);
  r->square /= (double)n;
}

/* The chance that a normal variable is further out than z on either side. */
static double two_sided(double z) {
  return erfc(fabs(z) / sqrt(2));
}

static void judge_correlation(struct exchange *e, const struct ranked *r) {
  double sum = 0, n = (double)r->count;
  for (size_t i = 0; i + 1 < r->count; i++)
    sum += (r->ranks[i] - r->mean) * (r->ranks[i + 1] - r->mean);
  e->correlation = sum / (n * r->square);
  double z = (e->correlation + 1 / n) * sqrt(n);
  e->correlated = two_sided(z) < level && fabs(e->correlation) > immaterial;
}

static void judge_runs(struct exchange *e, const struct ranked *r) {
  double above = 0, n = (double)r->count;
  e->runs = 1;
  for (size_t i = 0; i < r->count; i++) {
    bool high = r->ranks[i] > 0.5;
    above += high;
    e->runs += i > 0 && high != (r->ranks[i - 1] > 0.5);
  }
  double pairs = 2 * above * (n - above);
  e->runs_expected = pairs / n + 1;
  double variance = pairs * (pairs - n) / (n * n * (n - 1));
  if (variance <= 0)
    return;
  double z = (e->runs - e->runs_expected) / sqrt(variance);
  e->clustered = two_sided(z) < level && fabs(e->runs / e->runs_expected - 1) > immaterial;
}

/* The sum of squares of independent normal variables with the variances 1 / (pi j)^2 exceeds x with
 * a chance that the first of them governs: sqrt(2) P(|Z| > pi sqrt(x)) (Zolotarev 1961). */
static double drift_chance(double x) {
  return sqrt(2) * two_sided(acos(-1) * sqrt(x));
}

static void judge_drift(struct exchange *e, const struct ranked *r) {
  double sum = 0, squares = 0, n = (double)r->count;
  for (size_t i = 0; i < r->count; i++) {
    sum += r->ranks[i] - r->mean;
    squares += sum * sum;
  }
  e->drift = squares / (n * n * r->square);
  e->drifting = drift_chance(e->drift) < level;
}

static struct exchange judge(const struct ranked *r) {
  struct exchange e = {.judged = r->square > 0};
  if (e.judged) {
    judge_correlation(&e, r);
    judge_runs(&e, r);
    judge_drift(&e, r);
  }
  return e;
}

struct exchange exchange_judge(const struct sample *sample) {
  if (sample->series_count < EXCHANGE_LEAST)
    return (struct exchange){.judged = false};
  struct ranked ranked;
  ranked_init(&ranked, sample->series, sample->series_count);
  struct exchange e = judge(&ranked);
  mem_free(ranked.ranks);
  return e;
}

/* The mean rank of part of the series, 0 to 1. */
static double mean_rank(const struct ranked *r, size_t from, size_t to) {
  double sum = 0;
  for (size_t i = from; i < to; i++)
    sum += r->ranks[i];
  return sum / (double)(to - from);
}

void exchange_warn(struct source_notes *warnings, const struct sample *sample, const char *path) {
  if (sample->series_count < EXCHANGE_LEAST)
    return;
  struct ranked r;
  ranked_init(&r, sample->series, sample->series_count);
  struct exchange e = judge(&r);
  struct text why;
  text_init(&why);
  if (e.correlated)
    text_format(&why, "neighbours' ranks have correlation %.3f", e.correlation);
  if (e.clustered)
    text_format(&why, "%sthey come in %s (%.0f runs about the median, %.0f expected)",
                why.length == 0 ? "" : ", ", e.runs < e.runs_expected ? "clusters" : "alternation",
                e.runs, e.runs_expected);
  if (e.drifting)
    text_format(&why, "%sthey drift (mean rank %.0f %% in the first quarter, %.0f %% in the last)",
                why.length == 0 ? "" : ", ", 100 * mean_rank(&r, 0, r.count / 4),
                100 * mean_rank(&r, r.count - r.count / 4, r.count));
  if (why.length != 0)
    source_notes_add(warnings,
                     "the observations in %s are not independent: %s; all %" PRIu64
                     " are worth about %" PRIu64 " independent ones",
                     path, why.data, sample->real, exchange_effective_size(sample));
  text_clear(&why);
  mem_free(r.ranks);
}

/* By how much the variance of the means of blocks exceeds that of independent values in [0, 1];
 * 1 unless it does beyond three standard errors of the estimate. `limit` < 0: of the ranks, else of
 * whether they exceed the limit. */
static double inflation(const struct ranked *r, size_t length, double limit) {
  size_t blocks = r->count / length;
  double mean = 0, square = 0, between = 0;
  for (size_t i = 0; i < blocks * length; i++) {
    double x = limit < 0 ? r->ranks[i] : (double)(r->ranks[i] > limit);
    mean += x;
    square += x * x;
  }
  mean /= (double)(blocks * length);
  square = square / (double)(blocks * length) - mean * mean;
  if (blocks < 8 || square <= 0)
    return 1;
  for (size_t b = 0; b < blocks; b++) {
    double sum = 0;
    for (size_t i = b * length; i < (b + 1) * length; i++)
      sum += limit < 0 ? r->ranks[i] : (double)(r->ranks[i] > limit);
    double distance = sum / (double)length - mean;
    between += distance * distance;
  }
  double ratio = between / (double)(blocks - 1) * (double)length / square;
  return ratio > 1 + 3 * sqrt(2 / (double)(blocks - 1)) ? ratio : 1;
}

uint64_t exchange_effective_size(const struct sample *sample) {
  if (sample->series_count < EXCHANGE_LEAST)
    return sample->real;
  struct ranked r;
  ranked_init(&r, sample->series, sample->series_count);
  const double limits[] = {-1, 0.9, 0.99};
  double n = (double)r.count, worst = 1;
  const size_t lengths[] = {(size_t)cbrt(n), (size_t)sqrt(n), r.count / 20};
  for (size_t i = 0; i < 3; i++)
    for (size_t j = 0; j < 3; j++) {
      bool enough = limits[i] < 0 || n * (1 - limits[i]) >= 50;
      if (enough)
        worst = fmax(worst, inflation(&r, lengths[j], limits[i]));
    }
  mem_free(r.ranks);
  double size = floor((double)sample->real / worst);
  return size < 1 ? 1 : (uint64_t)size;
}
