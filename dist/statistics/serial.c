/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/statistics/serial.h"

#include <math.h>

#include "base/memory.h"
#include "dist/statistics/few.h"
#include "dist/statistics/ordered.h"
#include "dist/statistics/special.h"
#include "dist/statistics/spectrum.h"

static const double test_level = 1e-4;    /* of each test but those of neighbours */
static const double pairs_level = 2.5e-5; /* there is one for each doubling of the tail */
static const double drift_level = 1e-3;
static const double least_worth = 40;
static const double least_means = 8;                   /* each of many observations */
static const double normal_limit = 2.5758293035489004; /* exceeded with chance 1/200 */
static const double least_clusters = 5;                /* fewer settle nothing */
static const double large_part = 1.0 / 16;             /* of a series: matters to all of it */
static const double very_few_clusters = 3;             /* matter sooner */
static const double few_clusters = 8;                  /* fewer get room for more */
enum { FEW = 60, TAILS_MOST = 64 };

/* The `size` most extreme on one side. */
struct tail {
  bool upper, clustered;
  double size, inflation;
};

struct judged {
  struct ordered ordered;
  struct spectrum ranks;
  bool dependent, wanders;
  double copies; /* so often each value stands there, or a multiple of it */
  struct tail tails[TAILS_MOST];
  size_t tail_count;
};

/* The correlation of neighbours is not that of independent values. */
static bool neighbours_correlate(const double *values, size_t n, double mean, double variance) {
  double sum = 0, count = (double)n;
  for (size_t i = 0; i + 1 < n; i++)
    sum += (values[i] - mean) * (values[i + 1] - mean);
  double z = (sum / (count * variance) + 1 / count) * sqrt(count);
  return erfc(fabs(z) / sqrt(2)) < test_level;
}

/* Of a sequence of numbers: its spectrum, and whether it fails a test. */
static bool judge_sequence(struct spectrum *spectrum, const double *values, size_t n) {
  double mean = 0, variance = 0;
  bool varies = false; /* which the rounding of the mean would feign */
  for (size_t i = 0; i < n; i++) {
    mean += values[i] / (double)n;
    varies = varies || values[i] < values[0] || values[i] > values[0];
  }
  for (size_t i = 0; varies && i < n; i++)
    variance += (values[i] - mean) * (values[i] - mean) / (double)n;
  size_t length = spectrum_cell_length(n), count = spectrum_cell_count(n);
  double *cells = mem_alloc(count, sizeof *cells);
  for (size_t i = 0; i < count * length; i++)
    cells[i / length] += values[i] - mean;
  spectrum_init(spectrum, cells, n, variance);
  mem_free(cells);
  return variance > 0 && (neighbours_correlate(values, n, mean, variance) ||
                          spectrum_is_raised(spectrum, test_level));
}

/* More of the set are neighbours than chance makes so. */
static bool is_clustered(struct ordered *ordered, size_t from, size_t to) {
  double size = (double)(to - from);
  size_t pairs = ordered_neighbours(ordered, from, to);
  return pairs > 0 &&
         special_poisson_from(pairs, size * size / (double)ordered->count) < pairs_level;
}

static void add_tail(struct judged *j, bool upper, size_t from, size_t to) {
  if (to - from < SPECTRUM_NARROWEST || j->tail_count == TAILS_MOST)
    return;
  struct spectrum spectrum;
  ordered_spectrum(&spectrum, &j->ordered, from, to);
  bool clustered = is_clustered(&j->ordered, from, to);
  j->tails[j->tail_count++] =
      (struct tail){upper, clustered, (double)(to - from), spectrum_inflation(&spectrum)};
  j->dependent = j->dependent || clustered;
}

static void judged_init(struct judged *j, const uint64_t *series, size_t n) {
  *j = (struct judged){.dependent = false};
  ordered_init(&j->ordered, series, n);
  double *ranks = mem_alloc(n, sizeof *ranks);
  ordered_ranks(&j->ordered, ranks);
  j->dependent = judge_sequence(&j->ranks, ranks, n);
  mem_free(ranks);
  j->wanders = spectrum_rises(&j->ranks, n / 8);
  j->copies = (double)ordered_copies(&j->ordered);
  j->dependent = j->dependent || j->copies > 1;
  for (size_t m = SPECTRUM_NARROWEST; m <= n / 4; m *= 2) {
    add_tail(j, true, ordered_above(&j->ordered, n - m - 1), n);
    add_tail(j, false, 0, ordered_from(&j->ordered, m));
  }
}

static bool is_worth(const struct spectrum *spectrum, double inflation, size_t n, double least) {
  return (double)n / fmax(inflation, spectrum_mean(spectrum, 4)) >= least;
}

/* It is not settled where it drifts, or is worth less than that. */
static void settle(struct serial *s, const struct spectrum *spectrum, double inflation, size_t n,
                   double least) {
  bool drifts = spectrum_drifts(spectrum, drift_level);
  s->drifts = s->drifts || drifts;
  s->settled = s->settled && !drifts && is_worth(spectrum, inflation, n, least);
}

/* A threshold that `above` of n exceed. */
struct threshold {
  double n, above;
};

/* The inflation that leaves room at the threshold for as many clusters as the tail may have when it
 * showed a few. Those above are part of what exceeds it; to fall below it the tail's share of all
 * has to come from elsewhere. */
static double room_for_bursts(const struct tail *tail, const struct threshold *at) {
  double clusters = tail->size / tail->inflation;
  double more = special_poisson_upper(0.005, clusters) - clusters;
  double share = at->above / at->n, rest = 1 - share;
  double shift = more * tail->inflation / at->n * (tail->upper ? rest : share);
  double z = shift / normal_limit;
  return z * z * at->n / (share * rest);
}

/* The room that bursts in the tails beyond the threshold need; a few that matter leave it
 * unsettled. `own`: the inflation without. */
static double regard_bursts(struct serial *s, const struct judged *j, const struct threshold *at,
                            double own) {
  double most = 1;
  for (size_t i = 0; i < j->tail_count; i++) {
    const struct tail *tail = &j->tails[i];
    double clusters = tail->size / tail->inflation;
    double beyond = tail->upper ? at->above : at->n - at->above;
    if (clusters < least_clusters && tail->size >= large_part * at->n)
      s->settled = false;
    if (!tail->clustered || tail->size >= beyond || clusters >= few_clusters)
      continue;
    double room = room_for_bursts(tail, at);
    if (clusters < least_clusters && room > own / (clusters < very_few_clusters ? 4 : 1))
      s->settled = false;
    most = fmax(most, room);
  }
  return most;
}

/* What the least upper tail with FEW says, where the threshold has fewer. */
static double by_lower_threshold(const struct judged *j, size_t above) {
  for (size_t i = 0; above < FEW && i < j->tail_count; i++)
    if (j->tails[i].upper && j->tails[i].size >= FEW)
      return j->tails[i].inflation;
  return 1;
}

/* The first of the order that exceeds the sample's quantile at `share`. */
static size_t first_above(const struct ordered *ordered, double share) {
  double rank = ceil(share * (double)ordered->count);
  size_t last = ordered->count - 1;
  return ordered_above(ordered, rank < 1 ? 0 : rank > (double)last ? last : (size_t)rank - 1);
}

/* The greatest inflation between `own`, at the share, and about where its limit at 99.5 % is:
 * `side` 1 for the upper limit, -1 for the lower. */
static double towards_limit(struct judged *j, double share, double own, double side) {
  double n = (double)j->ordered.count, most = own;
  double distance = normal_limit * sqrt(own * share * (1 - share) / n);
  for (double part = 0.5; part <= 1; part += 0.5) {
    double there = share + side * part * distance;
    if (fmin(there, 1 - there) * n < SPECTRUM_NARROWEST)
      continue;
    struct spectrum spectrum;
    ordered_spectrum(&spectrum, &j->ordered, first_above(&j->ordered, there), j->ordered.count);
    most = fmax(most, spectrum_inflation_safe(&spectrum));
  }
  return most;
}

/* By what the variance may exceed the series' where the limit is: there the bursts beyond the
 * threshold, of which the series shows some, are more. Tails of fewer than FEW say too little, and
 * what is most of those beyond the threshold is in its own spectrum. */
static double more_bursts(const struct judged *j, bool upper, double beyond) {
  double clusters = 0;
  for (size_t i = 0; i < j->tail_count; i++) {
    const struct tail *tail = &j->tails[i];
    if (tail->upper == upper && tail->clustered && tail->size >= FEW && 2 * tail->size <= beyond)
      clusters = fmax(clusters, tail->size / tail->inflation);
  }
  return clusters > 0 ? special_poisson_upper(0.005, clusters) / clusters : 1;
}

static void inflate(struct serial *s, struct judged *j, size_t from,
                    const struct spectrum *spectrum) {
  size_t n = j->ordered.count;
  double own = fmax(spectrum_inflation_safe(spectrum), by_lower_threshold(j, n - from));
  double share = (double)from / (double)n;
  s->inflation_upper = towards_limit(j, share, own, 1);
  s->inflation_lower = towards_limit(j, share, own, -1);
  struct threshold at = {(double)n, (double)(n - from)};
  double room = regard_bursts(s, j, &at, fmax(s->inflation_upper, s->inflation_lower));
  s->inflation_upper = fmax(s->inflation_upper * more_bursts(j, true, at.above), room);
  s->inflation_lower = fmax(s->inflation_lower * more_bursts(j, false, (double)from), room);
  s->inflation = fmax(s->inflation_upper, s->inflation_lower);
  settle(s, spectrum, spectrum_inflation(spectrum), n, least_worth);
}

static struct serial independent(bool known) {
  return (struct serial){
      .known = known, .settled = true, .inflation = 1, .inflation_upper = 1, .inflation_lower = 1};
}

struct serial serial_independent(void) {
  return independent(false);
}

/* `own`: with tests of the threshold alone. */
static struct serial judge_at(struct judged *j, double share, bool own) {
  size_t n = j->ordered.count, from = first_above(&j->ordered, share);
  struct serial s = independent(true);
  struct spectrum spectrum;
  ordered_spectrum(&spectrum, &j->ordered, from, n);
  s.dependent = j->dependent ||
                (own && spectrum.count != 0 &&
                 (is_clustered(&j->ordered, from, n) || spectrum_is_raised(&spectrum, test_level)));
  s.wanders = j->wanders || (s.dependent && spectrum_rises(&spectrum, n / 8));
  if (s.dependent)
    settle(&s, &j->ranks, spectrum_inflation(&j->ranks), n, least_worth);
  if (s.dependent && spectrum.count != 0) /* some exceed it, and some do not */
    inflate(&s, j, from, &spectrum);
  s.inflation_upper = fmax(s.inflation_upper, j->copies);
  s.inflation_lower = fmax(s.inflation_lower, j->copies);
  s.inflation = fmax(s.inflation, j->copies);
  return s;
}

struct serial_series {
  bool is_short, depends; /* is_short: only whether it depends was judged */
  struct judged judged;
};

struct serial_series *serial_series_new(const uint64_t *series, size_t count) {
  if (count < FEW_LEAST)
    return NULL;
  struct serial_series *made = mem_alloc(1, sizeof *made);
  made->is_short = count < SERIAL_LEAST;
  if (made->is_short)
    made->depends = few_depend(series, count);
  else
    judged_init(&made->judged, series, count);
  return made;
}

void serial_series_free(struct serial_series *series) {
  if (series != NULL && !series->is_short)
    ordered_clear(&series->judged.ordered);
  mem_free(series);
}

/* So few do not tell by how much they depend. */
static struct serial judge_short(const struct serial_series *series) {
  struct serial s = independent(true);
  s.dependent = series->depends;
  s.settled = !series->depends;
  return s;
}

struct serial serial_series_at(struct serial_series *series, double share) {
  return series == NULL     ? independent(false)
         : series->is_short ? judge_short(series)
                            : judge_at(&series->judged, share, true);
}

struct serial serial_at(const uint64_t *series, size_t count, double share) {
  if (count < SERIAL_LEAST)
    return independent(false);
  struct serial_series *judged = serial_series_new(series, count);
  struct serial s = serial_series_at(judged, share);
  serial_series_free(judged);
  return s;
}

/* Without those of a side: they are of one threshold. */
static void set_inflation(struct serial *s, double inflation) {
  s->inflation = s->inflation_upper = s->inflation_lower = inflation;
}

static struct serial judge_overall(struct judged *j) {
  static const double shares[] = {0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99};
  struct serial s = independent(true);
  s.dependent = j->dependent;
  s.wanders = j->wanders;
  if (!s.dependent)
    return s;
  size_t count = j->ordered.count;
  double most = fmax(j->copies, spectrum_inflation_safe(&j->ranks));
  settle(&s, &j->ranks, spectrum_inflation(&j->ranks), count, least_worth);
  for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
    if (fmin(shares[i], 1 - shares[i]) * (double)count < FEW)
      continue;
    struct serial at = judge_at(j, shares[i], false);
    most = fmax(most, at.inflation);
    s.settled = s.settled && (at.settled || shares[i] < 0.1 || shares[i] > 0.9);
    s.drifts = s.drifts || (!s.settled && at.drifts);
    s.wanders = s.wanders || at.wanders;
  }
  set_inflation(&s, most);
  return s;
}

struct serial serial_series_overall(struct serial_series *series) {
  return series == NULL     ? independent(false)
         : series->is_short ? judge_short(series)
                            : judge_overall(&series->judged);
}

struct serial serial_overall(const uint64_t *series, size_t count) {
  if (count < SERIAL_LEAST)
    return independent(false);
  struct serial_series *judged = serial_series_new(series, count);
  struct serial s = serial_series_overall(judged);
  serial_series_free(judged);
  return s;
}

/* With as many ordinates as there may be. */
static void spectrum_of(struct spectrum *spectrum, const double *values, size_t n) {
  double mean = 0, variance = 0;
  size_t length = spectrum_cell_length(n), count = spectrum_cell_count(n);
  double *cells = mem_alloc(count, sizeof *cells);
  for (size_t i = 0; i < n; i++)
    mean += values[i] / (double)n;
  for (size_t i = 0; i < n; i++)
    variance += (values[i] - mean) * (values[i] - mean) / (double)n;
  for (size_t i = 0; i < count * length; i++)
    cells[i / length] += values[i] - mean;
  spectrum_init_up_to(spectrum, cells, n, variance, n / 2);
  mem_free(cells);
}

struct serial serial_of_means(const double *values, size_t count) {
  struct serial s = independent(true);
  struct spectrum spectrum;
  spectrum_of(&spectrum, values, count);
  set_inflation(&s, spectrum_inflation_safe(&spectrum));
  s.dependent = s.inflation > 1;
  s.wanders = spectrum_rises(&spectrum, count / 2);
  settle(&s, &spectrum, s.inflation, count, least_means);
  return s;
}

struct serial serial_of(const double *values, size_t count) {
  if (count < SERIAL_LEAST)
    return independent(false);
  struct serial s = independent(true);
  struct spectrum spectrum;
  s.dependent = judge_sequence(&spectrum, values, count);
  s.wanders = spectrum_rises(&spectrum, count / 8);
  if (!s.dependent)
    return s;
  set_inflation(&s, spectrum_inflation_safe(&spectrum));
  settle(&s, &spectrum, spectrum_inflation(&spectrum), count, least_worth);
  return s;
}

static uint64_t worth(double inflation, uint64_t real) {
  double n = floor((double)real / inflation);
  return inflation <= 1 ? real : n < 1 ? 1 : (uint64_t)n;
}

uint64_t serial_worth(const struct serial *serial, uint64_t real) {
  return worth(serial->inflation, real);
}

uint64_t serial_worth_upper(const struct serial *serial, uint64_t real) {
  return worth(serial->inflation_upper, real);
}

uint64_t serial_worth_lower(const struct serial *serial, uint64_t real) {
  return worth(serial->inflation_lower, real);
}
