/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/statistics/levels.h"

#include <math.h>

#include "base/memory.h"
#include "dist/statistics/between_runs.h"
#include "dist/statistics/limits.h"
#include "dist/statistics/spectrum.h"
#include "dist/survival/survival.h"

struct levels {
  uint64_t real;                /* observations that were judged */
  struct serial_series *series; /* NULL: none, or too short; then: */
  bool has_order, is_ordered;   /* the latter: an order is known, if only of a few */
  struct serial overall;
  bool has_overall, has[ORDER_LEVELS];
  struct serial at[ORDER_LEVELS];
};

/* --- what the series is worth ----------------------------------------------------------------- */

/* So that serial_worth gives the number back, whatever is rounded. */
static double inflation_for(uint64_t worth, uint64_t real) {
  if (worth >= real)
    return 1;
  double inflation = (double)real / (double)worth;
  while (floor((double)real / inflation) < (double)worth)
    inflation = nextafter(inflation, 1);
  return inflation;
}

struct serial order_serial(const struct order_worth *worth, uint64_t real) {
  struct serial s = serial_independent();
  s.known = true;
  s.settled = worth->settled;
  s.inflation_upper = inflation_for(worth->upper, real);
  s.inflation_lower = inflation_for(worth->lower, real);
  s.inflation = fmax(s.inflation_upper, s.inflation_lower);
  s.dependent = s.inflation > 1 || !s.settled;
  return s;
}

bool levels_tell(const struct sample *sample) {
  return sample_has_order(sample) && (sample->evidence.compared || sample->real >= SERIAL_LEAST);
}

static void take_order(struct levels *levels, const struct source_order *order) {
  levels->has_order = levels->has_overall = true;
  levels->overall = order_serial(&order->all, levels->real);
  levels->overall.wanders = order->wanders;
  for (size_t i = 0; i < ORDER_LEVELS; i++) {
    levels->has[i] = true;
    levels->at[i] = order_serial(&order->at[i], levels->real);
    levels->at[i].wanders = order->wanders;
  }
}

struct levels *levels_new(const struct sample *sample, bool exchangeable) {
  struct levels *levels = mem_alloc(1, sizeof *levels);
  levels->real = sample->real;
  levels->is_ordered = sample_has_order(sample);
  if (exchangeable)
    return levels;
  if (sample->evidence.compared && sample->evidence.order != NULL) {
    take_order(levels, sample->evidence.order); /* of runs, which say more than their series */
  } else if (sample->series_count != 0) {
    levels->series = serial_series_new(sample->series, sample->series_count);
  } else if (sample->evidence.order != NULL) {
    take_order(levels, sample->evidence.order);
  } else {
    struct source_order order;
    if (between_windows(&order, sample))
      take_order(levels, &order);
  }
  return levels;
}

struct levels *levels_of_order(const struct source_order *order, uint64_t real) {
  struct levels *levels = mem_alloc(1, sizeof *levels);
  *levels = (struct levels){.real = real, .is_ordered = true};
  take_order(levels, order);
  return levels;
}

void levels_free(struct levels *levels) {
  if (levels != NULL)
    serial_series_free(levels->series);
  mem_free(levels);
}

struct serial levels_overall(struct levels *levels) {
  if (!levels->has_overall)
    levels->overall = serial_series_overall(levels->series);
  levels->has_overall = true;
  return levels->overall;
}

/* Of a threshold that fewer exceed, or fewer do not, nothing is seen: it has what the nearest has
 * that tells. */
static bool is_seen(const struct levels *levels, size_t i) {
  double share = (double)order_level(i) / ORDER_PARTS;
  return fmin(share, 1 - share) * (double)levels->real >= SPECTRUM_NARROWEST;
}

static struct serial at_level(struct levels *levels, size_t i) {
  if (levels->has[i])
    return levels->at[i];
  size_t from = i;
  while (!is_seen(levels, from) && order_level(from) != ORDER_PARTS / 2)
    from = order_level(from) > ORDER_PARTS / 2 ? from - 1 : from + 1;
  levels->at[i] = from != i
                      ? at_level(levels, from)
                      : serial_series_at(levels->series, (double)order_level(i) / ORDER_PARTS);
  levels->has[i] = true;
  return levels->at[i];
}

static void set_level(struct rational *share, size_t i) {
  rational_set_fraction(share, (int64_t)order_level(i), ORDER_PARTS);
}

/* The first level at or above the share; ORDER_LEVELS when there is none. *exact: at it. */
static size_t level_from(bool *exact, const struct rational *share) {
  struct rational level;
  rational_init(&level);
  size_t low = 0, high = ORDER_LEVELS;
  *exact = false;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    set_level(&level, middle);
    int order = rational_compare(&level, share);
    *exact = *exact || order == 0;
    if (order < 0)
      low = middle + 1;
    else
      high = middle;
  }
  rational_clear(&level);
  return low;
}

static struct serial worse(struct serial a, struct serial b) {
  a.dependent = a.dependent || b.dependent;
  a.settled = a.settled && b.settled;
  a.wanders = a.wanders || b.wanders;
  a.inflation_upper = fmax(a.inflation_upper, b.inflation_upper);
  a.inflation_lower = fmax(a.inflation_lower, b.inflation_lower);
  a.inflation = fmax(a.inflation, b.inflation);
  return a;
}

static struct serial at_share(struct levels *levels, size_t from, bool exact) {
  if (levels->series == NULL && !levels->has_order)
    return serial_independent();
  if (exact || from == 0)
    return at_level(levels, from);
  if (from == ORDER_LEVELS)
    return at_level(levels, from - 1);
  return worse(at_level(levels, from - 1), at_level(levels, from));
}

struct serial levels_at(struct levels *levels, const struct rational *share) {
  bool exact;
  size_t from = level_from(&exact, share);
  return at_share(levels, from, exact);
}

bool levels_order(struct source_order *order, struct levels *levels, uint64_t real) {
  if (!levels->is_ordered)
    return false;
  order_set_independent(order, real);
  if (levels->series == NULL && !levels->has_order)
    return true;
  struct serial all = levels_overall(levels);
  uint64_t worth = serial_worth(&all, real);
  order->all = (struct order_worth){.upper = worth, .lower = worth, .settled = all.settled};
  order->wanders = all.wanders;
  for (size_t i = 0; i < ORDER_LEVELS; i++) {
    struct serial at = at_level(levels, i);
    order->at[i] = (struct order_worth){.upper = serial_worth_upper(&at, real),
                                        .lower = serial_worth_lower(&at, real),
                                        .settled = at.settled};
  }
  return true;
}

/* --- limits ----------------------------------------------------------------------------------- */

struct asking {
  struct levels *levels;
  const struct sample *sample;
  uint64_t count, alpha;
  size_t from;  /* the first level at or above the share */
  bool exact;   /* it is at the share */
  uint64_t own; /* its own limit */
  struct serial serial;
};

static uint64_t upper_of(const struct asking *a, const struct rational *share,
                         const struct serial *serial) {
  uint64_t ns = SAMPLE_NS_MAX;
  return limit_upper(&ns, a->sample, share, serial_worth_upper(serial, a->count), a->alpha)
             ? ns
             : SAMPLE_NS_MAX;
}

static uint64_t lower_of(const struct asking *a, const struct rational *share,
                         const struct serial *serial) {
  return limit_lower(a->sample, share, serial_worth_lower(serial, a->count), a->alpha);
}

static uint64_t quantile(const struct asking *a, const struct rational *share) {
  uint64_t ns = SAMPLE_NS_MAX;
  return sample_quantile(&ns, a->sample, share) ? ns : SAMPLE_NS_MAX;
}

/* The highest level below the share that is settled and has a limit: unsettled ends are not below
 * it. */
static uint64_t settled_below(const struct asking *a) {
  struct rational share;
  uint64_t found = 0;
  rational_init(&share);
  for (size_t i = a->from; i-- > 0 && found == 0;) {
    struct serial serial = at_level(a->levels, i);
    set_level(&share, i);
    uint64_t ns = serial.settled ? upper_of(a, &share, &serial) : SAMPLE_NS_MAX;
    if (ns < SAMPLE_NS_MAX)
      found = ns;
  }
  rational_clear(&share);
  return found;
}

static uint64_t settled_above(const struct asking *a) {
  struct rational share;
  uint64_t found = SAMPLE_NS_MAX;
  rational_init(&share);
  for (size_t i = a->exact ? a->from + 1 : a->from; i < ORDER_LEVELS && found == SAMPLE_NS_MAX;
       i++) {
    struct serial serial = at_level(a->levels, i);
    set_level(&share, i);
    uint64_t ns = serial.settled ? lower_of(a, &share, &serial) : 0;
    if (ns > 0)
      found = ns;
  }
  rational_clear(&share);
  return found;
}

static void find_upper(struct level_ends *ends, const struct asking *a) {
  uint64_t best = a->serial.settled ? a->own : SAMPLE_NS_MAX, any = a->own;
  struct rational share;
  rational_init(&share);
  for (size_t i = a->exact ? a->from + 1 : a->from; i < ORDER_LEVELS; i++) {
    set_level(&share, i);
    if (a->alpha < SURVIVAL_ONE / 2 && quantile(a, &share) >= best)
      break; /* no limit from here on is below it */
    struct serial serial = at_level(a->levels, i);
    uint64_t ns = upper_of(a, &share, &serial);
    any = ns < any ? ns : any;
    best = serial.settled && ns < best ? ns : best;
  }
  rational_clear(&share);
  uint64_t ns = best;
  if (best == SAMPLE_NS_MAX) {
    uint64_t least = settled_below(a);
    ns = any < least ? least : any;
  }
  ends->upper_finite = ns < SAMPLE_NS_MAX;
  ends->upper_ns = ends->upper_finite ? ns : 0;
  ends->upper_settled = best < SAMPLE_NS_MAX || (a->serial.settled && !ends->upper_finite);
}

static void find_lower(struct level_ends *ends, const struct asking *a) {
  uint64_t best = a->serial.settled ? a->own : 0, any = a->own;
  struct rational share;
  rational_init(&share);
  for (size_t i = a->from; i-- > 0;) {
    set_level(&share, i);
    if (a->alpha < SURVIVAL_ONE / 2 && quantile(a, &share) <= best)
      break;
    struct serial serial = at_level(a->levels, i);
    uint64_t ns = lower_of(a, &share, &serial);
    any = ns > any ? ns : any;
    best = serial.settled && ns > best ? ns : best;
  }
  rational_clear(&share);
  ends->lower_ns = best;
  if (best == 0) {
    uint64_t most = settled_above(a);
    ends->lower_ns = any > most ? most : any;
  }
  ends->lower_settled = best > 0 || (a->serial.settled && ends->lower_ns == 0);
}

struct level_ends levels_ends(struct levels *levels, const struct sample *sample,
                              const struct rational *share, uint64_t count, uint64_t alpha) {
  struct asking a = {.levels = levels, .sample = sample, .count = count, .alpha = alpha};
  struct level_ends ends = {.upper_settled = true, .lower_settled = true};
  if (alpha == 0) {
    ends.upper_ns = quantile(&a, share);
    ends.upper_finite = ends.upper_ns < SAMPLE_NS_MAX;
    ends.lower_ns = limit_lower(sample, share, 1, 0);
    return ends;
  }
  a.from = level_from(&a.exact, share);
  a.serial = at_share(levels, a.from, a.exact);
  ends.upper_ns = a.own = upper_of(&a, share, &a.serial);
  ends.upper_finite = a.own < SAMPLE_NS_MAX;
  /* worth what it is, no other level has a better limit */
  if (!a.serial.settled || serial_worth_upper(&a.serial, count) < count)
    find_upper(&ends, &a);
  ends.lower_ns = a.own = lower_of(&a, share, &a.serial);
  if (!a.serial.settled || serial_worth_lower(&a.serial, count) < count)
    find_lower(&ends, &a);
  return ends;
}
