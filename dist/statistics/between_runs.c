/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/statistics/between_runs.h"

#include <math.h>

#include "base/memory.h"
#include "dist/statistics/few.h"
#include "dist/statistics/serial.h"
#include "dist/statistics/special.h"

static const double normal_limit = 2.5758293035489004; /* exceeded with chance 1/200 */
enum { SEEN_LEAST = 8 };

struct runs {
  const struct sample *runs, *all;
  size_t count;
  double widening; /* of Student's t, squared */
};

/* So many of a sample are at most ns. */
static uint64_t within(const struct sample *sample, uint64_t ns) {
  return sample->total - sample_count_above(sample, ns);
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

/* The variance of the share within a threshold against that of independent draws; 1 where all or
 * none are within. */
static double inflation_at(const struct runs *r, double share) {
  double n = (double)r->all->total, squares = 0, count = (double)r->count;
  uint64_t ns = 0;
  if (!edge_of(&ns, r->all, (uint64_t)fmax(1, ceil(share * n))))
    ns = SAMPLE_NS_MAX - 1; /* what ended at all */
  double p = (double)within(r->all, ns) / n;
  if (p <= 0 || p >= 1)
    return 1;
  for (size_t i = 0; i < r->count; i++) {
    double of = (double)r->runs[i].total;
    double excess = (double)within(&r->runs[i], ns) - p * of;
    squares += excess * excess;
  }
  return squares * count / (count - 1) / (n * p * (1 - p));
}

/* Between the share and about where its limit is: `side` 1 for the upper, -1 for the lower. Runs
 * that happen to agree are no better than independent draws. */
static double towards_limit(const struct runs *r, double share, double side) {
  double own = fmax(1, inflation_at(r, share)), most = own, n = (double)r->all->total;
  double distance = normal_limit * sqrt(own * r->widening * share * (1 - share) / n);
  for (double part = 0.25; part <= 1; part += 0.25) {
    double there = share + side * part * distance;
    if (is_seen(r, there))
      most = fmax(most, inflation_at(r, there));
  }
  return most * r->widening;
}

static uint64_t worth_of(const struct runs *r, double inflation) {
  double worth = floor((double)r->all->real / fmax(1, inflation));
  return worth < 1 ? 1 : (uint64_t)worth;
}

static struct order_worth worth_at(const struct runs *r, size_t level, bool settled) {
  double share = (double)order_level(level) / ORDER_PARTS;
  return (struct order_worth){.upper = worth_of(r, towards_limit(r, share, 1)),
                              .lower = worth_of(r, towards_limit(r, share, -1)),
                              .settled = settled};
}

/* One after the other they move: by the share of each that is within the median of all. */
static bool drift(const struct runs *r) {
  uint64_t *shares = mem_alloc(r->count, sizeof *shares), median = 0;
  bool found = false;
  edge_of(&median, r->all, r->all->total / 2 + 1);
  for (size_t i = 0; i < r->count; i++)
    shares[i] = (uint64_t)(1e9 * (double)within(&r->runs[i], median) / (double)r->runs[i].total);
  if (r->count >= SERIAL_LEAST) {
    struct serial serial = serial_overall(shares, r->count);
    found = serial.dependent;
  } else if (r->count >= FEW_LEAST) {
    found = few_depend(shares, r->count);
  }
  mem_free(shares);
  return found;
}

static size_t nearest_seen(const struct runs *r, size_t level) {
  while (!is_seen(r, (double)order_level(level) / ORDER_PARTS) &&
         order_level(level) != ORDER_PARTS / 2)
    level = order_level(level) > ORDER_PARTS / 2 ? level - 1 : level + 1;
  return level;
}

static void set_order(struct source_order *order, const struct runs *r) {
  bool settled = !drift(r);
  uint64_t least = r->all->real;
  order_set_independent(order, r->all->real);
  for (size_t i = 0; i < ORDER_LEVELS; i++) {
    size_t from = nearest_seen(r, i);
    order->at[i] = worth_at(r, from, settled);
    if (from == i && order->at[i].upper < least)
      least = order->at[i].upper;
    if (from == i && order->at[i].lower < least)
      least = order->at[i].lower;
  }
  order->all = (struct order_worth){.upper = least, .lower = least, .settled = settled};
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

bool between_runs(struct sample *all, const struct sample *runs, size_t count,
                  struct text *message) {
  for (size_t i = 0; i < count; i++)
    if (!add_run(all, &runs[i], i, message))
      return false;
  sample_finish(all);
  double t = special_student_quantile_above(0.005, (double)count - 1) / normal_limit;
  const struct runs r = {runs, all, count, t * t};
  struct source_order order;
  set_order(&order, &r);
  evidence_keep_order(&all->evidence, &order);
  all->evidence.draws = all->real;
  all->evidence.runs = count;
  all->evidence.compared = true;
  return true;
}
