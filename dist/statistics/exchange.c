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

/* What was seen, as part of a sentence. Where the series settles, its ups and downs are no drift.
 */
static void describe(struct text *why, const struct exchange *e, const struct ranked *r,
                     bool settled) {
  if (e->correlated)
    text_format(why, "neighbours' ranks have correlation %.3f", e->correlation);
  if (e->clustered)
    text_format(why, "%sthey come in %s (%.0f runs about the median, %.0f expected)",
                why->length == 0 ? "" : ", ",
                e->runs < e->runs_expected ? "clusters" : "alternation", e->runs, e->runs_expected);
  if (e->drifting && settled && (e->correlated || e->clustered))
    text_format(why, "%sslow stretches and fast ones alternate", why->length == 0 ? "" : ", ");
  else if (e->drifting)
    text_format(why, "%sthey drift (mean rank %.0f %% in the first quarter, %.0f %% in the last)",
                why->length == 0 ? "" : ", ", 100 * mean_rank(r, 0, r->count / 4),
                100 * mean_rank(r, r->count - r->count / 4, r->count));
  if (why->length == 0)
    text_format(why, "their extremes come together");
}

static void describe_worth(struct text *worth, const struct sample *sample,
                           const struct serial *serial) {
  if (serial->settled)
    text_format(worth, "all %" PRIu64 " are worth about %" PRIu64 " independent ones", sample->real,
                serial_worth(serial, sample->real));
  else
    text_format(worth,
                "how many independent ones the %" PRIu64
                " are worth cannot be told: measure for longer, under a steady load",
                sample->real);
}

static void warn_of_few(struct source_notes *warnings, const struct sample *sample,
                        const char *path) {
  if (exchange_serial(sample).dependent)
    source_notes_add(warnings,
                     "the %" PRIu64
                     " observations in %s do not look independent: fewer than one in "
                     "20 orders of them have neighbours as much alike, or waves as large; how many "
                     "independent ones they are worth cannot be told from so few: measure for "
                     "longer",
                     sample->real, path);
}

void exchange_warn(struct source_notes *warnings, const struct sample *sample, const char *path) {
  if (sample->series_count < EXCHANGE_LEAST) {
    warn_of_few(warnings, sample, path);
    return;
  }
  struct ranked r;
  ranked_init(&r, sample->series, sample->series_count);
  struct exchange e = judge(&r);
  struct serial serial = exchange_serial(sample);
  if (serial.dependent || e.correlated || e.clustered || e.drifting) {
    struct text why, worth;
    text_init(&why);
    text_init(&worth);
    describe(&why, &e, &r, serial.settled);
    describe_worth(&worth, sample, &serial);
    source_notes_add(warnings, "the observations in %s are not independent: %s; %s", path, why.data,
                     worth.data);
    text_clear(&why);
    text_clear(&worth);
  }
  mem_free(r.ranks);
}

struct serial exchange_serial(const struct sample *sample) {
  struct serial_series *series = serial_series_new(sample->series, sample->series_count);
  struct serial serial = serial_series_overall(series);
  serial_series_free(series);
  return serial;
}

uint64_t exchange_effective_size(const struct sample *sample) {
  struct serial serial = exchange_serial(sample);
  return serial_worth(&serial, sample->real);
}
