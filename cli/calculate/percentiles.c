/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/calculate/percentiles.h"

#include <inttypes.h>
#include <math.h>

#include "cli/command.h"
#include "dist/statistics/limits.h"

const char *dependence_name(enum dependence dependence) {
  return dependence == DEPENDENCE_INDEPENDENT ? "independent" : "unknown";
}

/* --- observations ----------------------------------------------------------------------------- */

static uint64_t worth_of(const struct sample *sample, const struct serial *serial) {
  double worth = floor((double)sample->real / serial->inflation);
  return worth < 1 ? 1 : (uint64_t)worth;
}

static struct serial order_of(const struct percentiles *run, const struct rational *share) {
  const struct sample *sample = &run->observed;
  struct serial nothing = {.settled = true, .inflation = 1};
  if (run->options->exchangeable || sample->series_count == 0)
    return nothing;
  return share == NULL ? serial_overall(sample->series, sample->series_count)
                       : serial_at(sample->series, sample->series_count, share_double(share));
}

/* Between which values the system's percentile lies, and what follows. The claims are about the
 * system, so they need no assumption on how its components depend on each other. */
static void judge_observation(struct percentile *p, const struct percentiles *run,
                              const struct estimate *estimate) {
  const struct sample *sample = &run->observed;
  const struct interval *bound = &p->proved;
  struct serial serial = order_of(run, &p->share);
  uint64_t worth = worth_of(sample, &serial), lower_ns = 0;
  uint64_t chance = sample->real == 0 ? 0 : estimate->chance;
  p->observed_finite = limit_upper(&p->observed_ns, sample, &p->share, worth, 0) &&
                       p->observed_ns < SAMPLE_NS_MAX;
  lower_ns = limit_lower(sample, &p->share, worth, 0);
  p->least_ns = limit_lower(sample, &p->share, worth, chance);
  if (!limit_upper(&p->most_ns, sample, &p->share, worth, chance))
    p->most_ns = SAMPLE_NS_MAX;
  bool settled = estimate->chance == 0 || (serial.settled && p->interval.settled);
  bool every = run->is_paired && run->exceeding == 0;
  /* where the bound itself rests on nothing but proofs and measurements, what was observed need not
   * show it again */
  bool sound = run->options->assume_independent || estimate_parts(estimate, &run->calculation) <= 1;
  p->observation = OBSERVATION_CANNOT_TELL;
  p->why = OBSERVATION_FEW;
  if (!bound->upper_finite)
    p->why = OBSERVATION_NO_BOUND;
  else if (!settled)
    p->why = OBSERVATION_UNSETTLED;
  else if (every || p->most_ns <= bound->upper_ns)
    p->observation = OBSERVATION_DOMINATED;
  else if (p->least_ns > bound->upper_ns)
    p->observation = OBSERVATION_NOT_DOMINATED;
  else if (p->most_ns == SAMPLE_NS_MAX)
    p->why = OBSERVATION_FEW;
  else if (p->observed_ns <= bound->upper_ns)
    p->observation = sound ? OBSERVATION_DOMINATED : OBSERVATION_WITHIN_CHANCE;
  else if (lower_ns > bound->upper_ns || lower_ns == p->observed_ns)
    p->observation = OBSERVATION_WITHIN_CHANCE;
  else
    p->why = OBSERVATION_COARSE;
  if (p->observation != OBSERVATION_CANNOT_TELL)
    p->why = OBSERVATION_CLEAR;
}

const char *observation_name(enum observation observation) {
  static const char *const names[] = {"dominated", "within chance", "not dominated", "cannot tell"};
  return names[observation];
}

/* --- percentiles ------------------------------------------------------------------------------ */

static const struct percentile *known(const struct curve *curve, const struct rational *share) {
  for (size_t i = 0; i < curve->percentiles.count; i++)
    if (rational_compare(&curve->percentiles.data[i].share, share) == 0)
      return &curve->percentiles.data[i];
  return NULL;
}

static void find(struct percentiles *run, struct curve *curve, const struct rational *share) {
  if (known(curve, share) != NULL)
    return;
  const struct calculation *calculation = &run->calculation;
  const struct estimate *estimate = &curve->estimate;
  struct percentile p = {0};
  rational_init(&p.share);
  rational_set(&p.share, share);
  p.interval = estimate_at(estimate, calculation, share, true);
  p.proved = estimate_at(estimate, calculation, share, false);
  p.endless = estimate_endless(estimate, calculation, share);
  if (p.endless == ENDLESS_NOT)
    p.samples_needed = estimate_needed(estimate, calculation, share);
  if (run->has_observed)
    judge_observation(&p, run, estimate);
  vector_push(&curve->percentiles, p);
}

/* Requests that took longer than the bound has it for them. */
static void compare_requests(struct percentiles *run) {
  const struct sample *values = &run->calculation.draws.values;
  run->is_paired = run->observed_is_column && run->calculation.draws.by_request &&
                   values->series_count == run->observed.series_count;
  for (size_t i = 0; i < values->series_count && run->is_paired; i++)
    run->exceeding += run->observed.series_lower[i] > values->series[i];
}

void percentiles_find(struct percentiles *run) {
  compare_requests(run);
  for (size_t c = 0; c < run->curves.count; c++) {
    struct curve *curve = &run->curves.data[c];
    for (size_t i = 0; i < run->wanted.count; i++)
      find(run, curve, &run->wanted.data[i].share);
    for (size_t i = 0; i < run->slos.count; i++)
      find(run, curve, &run->slos.data[i].percentile.share);
    if (!run->has_observed)
      continue;
    struct serial serial = order_of(run, NULL);
    const struct survival *upper =
        curve->estimate.proved.tail != NULL ? &curve->estimate.proved
                                            : &curve->estimate.bound[SIDE_UPPER];
    bool settled = serial.settled && laws_are_settled(&run->calculation.laws);
    compare_curve(&curve->comparison, upper, &run->observed, curve->estimate.chance,
                  worth_of(&run->observed, &serial));
    curve->settled = settled || curve->estimate.chance == 0;
  }
}

const struct percentile *percentiles_at(const struct percentiles *run, const struct curve *curve,
                                        const struct rational *share) {
  (void)run;
  const struct percentile *found = known(curve, share);
  if (found == NULL)
    bug("a percentile that nobody asked for");
  return found;
}

/* --- the exit code ---------------------------------------------------------------------------- */

static enum status status_of(enum observation observation) {
  static const enum status statuses[] = {STATUS_OK, STATUS_OK, STATUS_REFUTED, STATUS_UNKNOWN};
  return statuses[observation];
}

/* What holds for any dependence holds for independence too, so the better of the two counts. */
static enum status status_of_slo(const struct percentiles *run, size_t slo) {
  enum status best = STATUS_UNKNOWN;
  bool first = true;
  for (size_t i = 0; i < run->results.count; i++) {
    if (run->results.data[i].slo != slo)
      continue;
    enum status status = slo_status(run->results.data[i].state);
    bool decided = status == STATUS_OK || status == STATUS_REFUTED;
    if (first || decided)
      best = status;
    first = false;
  }
  return best;
}

enum status percentiles_status(const struct percentiles *run) {
  enum status status = STATUS_OK;
  for (size_t i = 0; i < run->slos.count; i++)
    status = status_worst(status, status_of_slo(run, i));
  for (size_t c = 0; c < run->curves.count && run->has_observed; c++) {
    const struct curve *curve = &run->curves.data[c];
    if (curve->settled && curve->comparison.beyond_chance.found)
      status = status_worst(status, STATUS_REFUTED);
    for (size_t i = 0; i < run->wanted.count; i++)
      status = status_worst(
          status,
          status_of(percentiles_at(run, curve, &run->wanted.data[i].share)->observation));
  }
  return status;
}

/* --- texts ------------------------------------------------------------------------------------ */

enum { SHORT_SHOWN = 4 };

void percentiles_print_short(struct text *text, const struct percentiles *run,
                             const struct percentile *p) {
  const struct laws *laws = &run->calculation.laws;
  size_t named = 0;
  for (size_t i = 0; i < laws->entries.count; i++) {
    const struct law_entry *entry = laws->entries.data[i];
    bool is_measured = entry->compose == NULL && entry->sample.real != 0;
    if (!is_measured || law_entry_worth(entry) >= p->samples_needed || ++named > SHORT_SHOWN)
      continue;
    text_format(text, "%s%s has %" PRIu64, named == 1 ? "" : ", ", entry->name,
                law_entry_worth(entry));
  }
  if (named > SHORT_SHOWN)
    text_format(text, " and %zu more are short of it", named - SHORT_SHOWN);
}

static void explain_no_bound(struct text *text, const struct percentiles *run,
                             const struct percentile *p) {
  struct text who;
  text_init(&who);
  percentiles_print_short(&who, run, p);
  text_append(text, "the bound is infinite there");
  if (who.length != 0)
    text_format(text, "; it takes %" PRIu64 " independent samples of each component, and %s",
                p->samples_needed, who.data);
  text_clear(&who);
}

void observation_explain(struct text *text, const struct percentiles *run,
                         const struct percentile *p) {
  switch (p->why) {
  case OBSERVATION_CLEAR:
    return;
  case OBSERVATION_NO_BOUND:
    explain_no_bound(text, run, p);
    return;
  case OBSERVATION_COARSE:
    text_append(text, "the bound lies inside the bucket that was observed; finer buckets would tell");
    return;
  case OBSERVATION_UNSETTLED:
    text_append(text, "observations drift or depend on each other for too long; a longer run, or "
                      "--exchangeable if their order means nothing, would tell");
    return;
  case OBSERVATION_FEW:
    text_format(text,
                "%" PRIu64 " observations are too few to say where the system's is; it takes "
                "%" PRIu64 " independent ones",
                run->observed.real, limit_needed(&p->share, run->curves.data[0].estimate.chance));
    return;
  }
}

void excess_print(struct text *text, const struct excess *excess) {
  struct rational scaled;
  rational_init(&scaled);
  rational_set_integer(&scaled, 10000);
  rational_mul(&scaled, &scaled, &excess->share);
  int64_t hundredths = 0;
  rational_ceil(&hundredths, &scaled);
  text_format(text, "%" PRId64 ".%02" PRId64, hundredths / 100, hundredths % 100);
  rational_clear(&scaled);
}

struct chance percentiles_above(const struct curve *curve, const struct rational *ns) {
  const struct estimate *estimate = &curve->estimate;
  int64_t floor = 0, ceil = 0;
  bool fits = rational_floor(&floor, ns) && rational_ceil(&ceil, ns);
  if (!fits)
    floor = ceil = INT64_MAX;
  struct chance chance = {.lower = survival_tail(&estimate->bound[SIDE_LOWER], (uint64_t)ceil),
                          .upper = survival_tail(&estimate->bound[SIDE_UPPER], (uint64_t)floor)};
  chance.model_based = estimate->proved.tail != NULL &&
                       survival_tail(&estimate->proved, (uint64_t)floor) != chance.upper;
  return chance;
}

void chance_print(struct text *text, uint64_t chance, enum survival_side side) {
  uint64_t unit = SURVIVAL_ONE; /* 10^-digits */
  int digits = 0;
  for (; chance / unit < 1000 && unit > 1; unit /= 10)
    digits++;
  uint64_t mantissa = chance / unit + (side == SIDE_UPPER && chance % unit != 0);
  text_format(text, "%.4g", (double)mantissa / pow(10, digits));
}
