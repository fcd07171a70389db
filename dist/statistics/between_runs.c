/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/statistics/between_runs.h"

#include <math.h>

#include "base/memory.h"
#include "dist/statistics/few.h"
#include "dist/statistics/serial.h"
#include "dist/statistics/special.h"

static const double normal_limit = 2.5758293035489004; /* exceeded with chance 1/200 */
static const double least_clusters = 12;
enum { SEEN_LEAST = 8 };

/* Runs, or windows of one. */
struct runs {
  const struct sample *runs, *all;
  const struct sample_windows *windows; /* NULL: of runs */
  size_t count;
  double real;     /* observations of all, or of as many runs as are asked about */
  double widening; /* of Student's t, squared */
  double *excess;  /* of windows: room for one each */
  bool settled, wanders;
};

/* So many of a sample are at most ns. */
static uint64_t within(const struct sample *sample, uint64_t ns) {
  return sample->total - sample_count_above(sample, ns);
}

static double total_of(const struct runs *r, size_t i) {
  return (double)(r->windows != NULL ? r->windows->totals[i] : r->runs[i].total);
}

static double within_of(const struct runs *r, size_t i, uint64_t ns) {
  return (double)(r->windows != NULL ? sample_window_within(r->windows, i, ns)
                                     : within(&r->runs[i], ns));
}

/* The first edge that `rank` observations are within; false beyond the last. */
static bool edge_of(uint64_t *ns, const struct sample *sample, uint64_t rank) {
  uint64_t seen = 0;
  for (size_t i = 0; i < sample->count; i++) {
    seen += sample->bins[i].count;
    *ns = sample->bins[i].upper_ns;
    if (seen >= rank)
      return true;
  }
  return false;
}

static bool is_seen(const struct runs *r, double share) {
  return fmin(share, 1 - share) * (double)r->all->total >= SEEN_LEAST;
}

/* By what windows that depend on those before exceed independent ones. */
static double regard_sequence(struct runs *r) {
  if (r->windows == NULL)
    return 1;
  struct serial serial = serial_of_means(r->excess, r->count);
  r->settled = r->settled && serial.settled;
  r->wanders = r->wanders || serial.wanders;
  return serial.inflation;
}

/* The variance of the share within a threshold against that of independent draws; 1 where all or
 * none are within. */
static double inflation_at(struct runs *r, double share) {
  double n = 0, all = 0, squares = 0, count = (double)r->count;
  uint64_t ns = 0;
  if (!edge_of(&ns, r->all, (uint64_t)fmax(1, ceil(share * (double)r->all->total))))
    ns = SAMPLE_NS_MAX - 1; /* what ended at all */
  for (size_t i = 0; i < r->count; i++) {
    n += total_of(r, i);
    all += within_of(r, i, ns);
  }
  double p = n > 0 ? all / n : 0;
  if (p <= 0 || p >= 1)
    return 1;
  for (size_t i = 0; i < r->count; i++) {
    double excess = within_of(r, i, ns) - p * total_of(r, i);
    squares += excess * excess;
    if (r->excess != NULL)
      r->excess[i] = excess;
  }
  return regard_sequence(r) * squares * count / (count - 1) / (n * p * (1 - p));
}

/* Between the share and about where its limit is: `side` 1 for the upper, -1 for the lower. Runs
 * that happen to agree are no better than independent draws. */
static double towards_limit(struct runs *r, double share, double side) {
  double own = fmax(1, inflation_at(r, share)), most = own, n = r->real;
  double distance = normal_limit * sqrt(own * r->widening * share * (1 - share) / n);
  for (double part = 0.25; part <= 1; part += 0.25) {
    double there = share + side * part * distance;
    if (is_seen(r, there))
      most = fmax(most, inflation_at(r, there));
  }
  return most * r->widening;
}

static uint64_t worth_of(const struct runs *r, double inflation) {
  double worth = floor(r->real / fmax(1, inflation));
  return worth < 1 ? 1 : (uint64_t)worth;
}

/* Of windows, few clusters beyond the threshold say as little as in a series (serial.h). */
static bool has_clusters(struct runs *r, double share) {
  double beyond = fmin(share, 1 - share) * (double)r->all->total;
  return r->windows == NULL || beyond / fmax(1, inflation_at(r, share)) >= least_clusters;
}

static struct order_worth worth_at(struct runs *r, size_t level, bool settled) {
  double share = (double)order_level(level) / ORDER_PARTS;
  r->settled = settled && has_clusters(r, share);
  struct order_worth worth = {.upper = worth_of(r, towards_limit(r, share, 1)),
                              .lower = worth_of(r, towards_limit(r, share, -1))};
  worth.settled = r->settled;
  return worth;
}

/* One after the other they move: by the share of each that is within the median of all. */
static bool drift(const struct runs *r) {
  uint64_t *shares = mem_alloc(r->count, sizeof *shares), median = 0;
  bool found = false;
  edge_of(&median, r->all, r->all->total / 2 + 1);
  for (size_t i = 0; i < r->count; i++)
    shares[i] = (uint64_t)(1e9 * within_of(r, i, median) / total_of(r, i));
  if (r->count >= SERIAL_LEAST)
    found = serial_overall(shares, r->count).dependent;
  else if (r->count >= FEW_LEAST)
    found = few_depend(shares, r->count);
  mem_free(shares);
  return found;
}

static size_t nearest_seen(const struct runs *r, size_t level) {
  while (!is_seen(r, (double)order_level(level) / ORDER_PARTS) &&
         order_level(level) != ORDER_PARTS / 2)
    level = order_level(level) > ORDER_PARTS / 2 ? level - 1 : level + 1;
  return level;
}

static void set_order(struct source_order *order, struct runs *r) {
  bool settled = r->windows != NULL || !drift(r);
  uint64_t least = (uint64_t)r->real;
  order_set_independent(order, least);
  for (size_t i = 0; i < ORDER_LEVELS; i++) {
    size_t from = nearest_seen(r, i);
    order->at[i] = worth_at(r, from, settled);
    if (from == i && order->at[i].upper < least)
      least = order->at[i].upper;
    if (from == i && order->at[i].lower < least)
      least = order->at[i].lower;
  }
  for (size_t i = 0; i < ORDER_LEVELS; i++) /* of the body, as of a series (serial.h) */
    settled = settled && (order->at[i].settled || order_level(i) < ORDER_PARTS / 10 ||
                          order_level(i) > ORDER_PARTS / 10 * 9);
  order->all = (struct order_worth){.upper = least, .lower = least, .settled = settled};
  order->wanders = r->wanders;
}

static bool add_run(struct sample *all, const struct sample *run, size_t index,
                    struct text *message) {
  const struct evidence_texts *sources = &run->evidence.sources;
  for (size_t i = 0; i < sources->list.count; i++)
    if (evidence_has_text(&all->evidence.sources, sources->list.data[i])) {
      text_format(message, "run %zu is in a run before it already (%s); name each run once",
                  index + 1, sources->list.data[i]);
      return false;
    }
  if (sample_add_all(all, run))
    return true;
  text_append(message, "the runs count more than 2^63-1 observations");
  return false;
}

static double widening(size_t runs) {
  double t = special_student_quantile_above(0.005, (double)runs - 1) / normal_limit;
  return t * t;
}

void between_runs_predict(struct source_order *order, const struct sample *all,
                          const struct sample *runs, size_t count, size_t then) {
  struct runs r = {.runs = runs,
                   .all = all,
                   .count = count,
                   .real = (double)all->real / (double)count * (double)then,
                   .widening = widening(then)};
  set_order(order, &r);
}

bool between_runs(struct sample *all, const struct sample *runs, size_t count,
                  struct text *message) {
  for (size_t i = 0; i < count; i++)
    if (!add_run(all, &runs[i], i, message))
      return false;
  sample_finish(all);
  struct source_order order;
  between_runs_predict(&order, all, runs, count, count);
  evidence_keep_order(&all->evidence, &order);
  all->evidence.draws = all->real;
  all->evidence.runs = count;
  all->evidence.compared = true;
  return true;
}

/* The observations of a stretch of the series. */
static void fill_stretch(struct sample *run, const struct sample *all, size_t from, size_t to) {
  for (size_t i = from; i < to; i++)
    if (all->series_lower[i] >= SAMPLE_NS_MAX)
      sample_add_beyond(run, 1);
    else
      sample_add_range(run, all->series_lower[i], all->series[i], 1);
  sample_finish(run);
}

void between_stretches(struct sample *all, const size_t *ends, size_t count) {
  if (all->series_count == 0 || ends[count - 1] != all->series_count)
    return;
  struct sample *runs = mem_alloc(count, sizeof *runs);
  for (size_t i = 0; i < count; i++) {
    sample_init(&runs[i]);
    fill_stretch(&runs[i], all, i == 0 ? 0 : ends[i - 1], ends[i]);
  }
  struct source_order order;
  between_runs_predict(&order, all, runs, count, count);
  evidence_keep_order(&all->evidence, &order);
  all->evidence.draws = all->real;
  all->evidence.runs = count;
  all->evidence.compared = true;
  for (size_t i = 0; i < count; i++)
    sample_clear(&runs[i]);
  mem_free(runs);
}

bool between_windows(struct source_order *order, const struct sample *all) {
  const struct sample_windows *windows = all->windows;
  if (windows == NULL || windows->count < SAMPLE_WINDOWS_LEAST || all->real < SERIAL_LEAST)
    return false;
  struct runs r = {.all = all,
                   .windows = windows,
                   .count = windows->count,
                   .real = (double)all->real,
                   .widening = widening(windows->count),
                   .excess = mem_alloc(windows->count, sizeof(double))};
  set_order(order, &r);
  mem_free(r.excess);
  return true;
}
