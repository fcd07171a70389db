/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/percentiles/observation.h"

#include <inttypes.h>

#include "base/duration.h"
#include "cli/question/percentiles/percentiles.h"
#include "dist/statistics/limits.h"

const char *observation_name(enum observation observation) {
  static const char *const names[] = {"dominated", "within chance", "not dominated", "cannot tell"};
  return names[observation];
}

enum status observation_status(enum observation observation) {
  static const enum status statuses[] = {STATUS_OK, STATUS_OK, STATUS_REFUTED, STATUS_UNKNOWN};
  return statuses[observation];
}

/* Between which values the system's percentile lies, and what follows. The claims are about the
 * system, so they need no assumption on how its components depend on each other. */
void observation_judge(struct percentile *p, const struct percentiles *run,
                       const struct estimate *estimate) {
  const struct sample *sample = &run->observed;
  const struct interval *bound = &p->proved;
  uint64_t real = sample->real, chance = real == 0 ? 0 : estimate->chance;
  p->observed_finite =
      limit_upper(&p->observed_ns, sample, &p->share, 1, 0) && p->observed_ns < SAMPLE_NS_MAX;
  uint64_t lower_ns = limit_lower(sample, &p->share, 1, 0);
  struct level_ends ends = levels_ends(run->observed_levels, sample, &p->share, real, chance);
  p->least_ns = ends.lower_ns;
  p->most_ns = ends.upper_finite ? ends.upper_ns : SAMPLE_NS_MAX;
  p->least_settled = chance == 0 || ends.lower_settled;
  p->most_settled = chance == 0 || ends.upper_settled;
  bool settled =
      estimate->chance == 0 || (p->least_settled && p->most_settled && p->interval.upper_settled);
  bool every = run->is_paired && run->not_within == 0;
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
  else if (p->observed_ns <= bound->upper_ns || lower_ns > bound->upper_ns ||
           lower_ns == p->observed_ns)
    p->observation = OBSERVATION_WITHIN_CHANCE;
  else
    p->why = OBSERVATION_COARSE;
  if (p->observation != OBSERVATION_CANNOT_TELL)
    p->why = OBSERVATION_CLEAR;
}

void observation_pair(struct percentiles *run) {
  const struct sample *values = &run->calculation.draws.values;
  run->is_paired = run->observed_is_column && run->calculation.draws.by_request &&
                   values->series_count == run->observed.series_count;
  for (size_t i = 0; i < values->series_count && run->is_paired; i++) {
    run->exceeding += run->observed.series_lower[i] > values->series[i];
    run->not_within += run->observed.series[i] > values->series[i];
  }
}

void observation_compare(const struct percentiles *run, struct curve *curve) {
  const struct estimate *estimate = &curve->estimate;
  const struct survival *upper =
      estimate->proved.tail != NULL ? &estimate->proved : &estimate->bound[SIDE_UPPER];
  struct serial serial = levels_overall(run->observed_levels);
  compare_curve(&curve->comparison, upper, &run->observed, estimate->chance,
                serial_worth(&serial, run->observed.real));
  curve->settled =
      estimate->chance == 0 || (serial.settled && laws_are_settled(&run->calculation.laws));
}

/* A contradiction outweighs what cannot be told. */
static enum observation worse(enum observation a, enum observation b) {
  if (a == OBSERVATION_NOT_DOMINATED || b == OBSERVATION_NOT_DOMINATED)
    return OBSERVATION_NOT_DOMINATED;
  return a > b ? a : b;
}

enum observation observation_of_curve(const struct percentiles *run, const struct curve *curve) {
  if (curve->settled && curve->comparison.beyond_chance.found)
    return OBSERVATION_NOT_DOMINATED;
  enum observation all = OBSERVATION_DOMINATED;
  for (size_t i = 0; i < run->wanted.count; i++)
    all = worse(all, percentiles_at(run, curve, &run->wanted.data[i].share)->observation);
  return all;
}

/* --- reasons ---------------------------------------------------------------------------------- */

enum { SHORT_SHOWN = 4 };

static bool print_rows(struct text *of_what, struct text *who, const struct percentiles *run,
                       const struct percentile *p) {
  const struct draws *draws = &run->calculation.draws;
  struct serial serial = draws_serial(draws, &p->share);
  text_append(of_what, "requests");
  text_format(who, "these %" PRIu64 " are worth %" PRIu64, draws->values.real,
              serial_worth_upper(&serial, draws->values.real));
  return true;
}

bool observation_print_short(struct text *of_what, struct text *who, const struct percentiles *run,
                             const struct percentile *p) {
  const struct laws *laws = &run->calculation.laws;
  size_t named = 0;
  if (run->calculation.draws.by_request)
    return print_rows(of_what, who, run, p);
  text_append(of_what, "samples of each component");
  for (size_t i = 0; i < laws->entries.count; i++) {
    const struct law_entry *entry = laws->entries.data[i];
    bool is_measured = entry->is_used && entry->compose == NULL && entry->sample.real != 0;
    if (!is_measured || law_entry_worth(entry) >= p->samples_needed || ++named > SHORT_SHOWN)
      continue;
    text_format(who, "%s%s has %" PRIu64, named == 1 ? "" : ", ", entry->name,
                law_entry_worth(entry));
  }
  if (named > SHORT_SHOWN)
    text_format(who, " and %zu more are short of it", named - SHORT_SHOWN);
  return named != 0;
}

static void explain_no_bound(struct text *text, const struct percentiles *run,
                             const struct percentile *p) {
  struct text of_what, who;
  text_init(&of_what);
  text_init(&who);
  text_append(text, "the bound is infinite there");
  if (p->samples_needed != 0 && observation_print_short(&of_what, &who, run, p))
    text_format(text, "; it takes %" PRIu64 " independent %s, and %s", p->samples_needed,
                of_what.data, who.data);
  text_clear(&of_what);
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
    text_append(text,
                "the bound lies inside the bucket that was observed; finer buckets would tell");
    return;
  case OBSERVATION_UNSETTLED:
    text_append(text, "observations drift or depend on each other for too long; a longer run, or "
                      "--exchangeable if their order means nothing, would tell");
    return;
  case OBSERVATION_FEW:
    text_format(text,
                "%" PRIu64 " observations are too few to say where the system's is; it takes "
                "%" PRIu64 " independent ones",
                run->observed.real,
                limit_needed_of(&run->observed, &p->share, run->curves.data[0].estimate.chance));
    return;
  }
}

void observation_both_ends(struct text *text, const struct percentiles *run,
                           const struct percentile *p, const char *name) {
  uint64_t without_ns;
  if (run->unpaired == 0)
    return;
  text_format(text, "; %" PRIu64 " of %" PRIu64 " requests could not be paired: p%s is ",
              run->unpaired, run->observed.total, name);
  if (sample_quantile(&without_ns, &run->paired, &p->share))
    duration_print_upper(text, without_ns);
  else
    text_append(text, "infinite");
  text_append(text, " as observed without them, and ");
  if (p->observed_finite)
    duration_print_upper(text, p->observed_ns);
  else
    text_append(text, "infinite");
  text_append(text,
              " if they never ended; pair them: compare in `where` what tells requests apart");
}

void observation_explain_curve(struct text *text, const struct percentiles *run,
                               const struct curve *curve) {
  enum observation all = observation_of_curve(run, curve);
  if (all == OBSERVATION_NOT_DOMINATED && curve->settled && curve->comparison.beyond_chance.found) {
    text_append(text, "at p");
    excess_print(text, &curve->comparison.beyond_chance);
    text_append(text, " it exceeds the bound");
    return;
  }
  for (size_t i = 0; i < run->wanted.count; i++) {
    const struct percentile *p = percentiles_at(run, curve, &run->wanted.data[i].share);
    if (p->observation != all || all == OBSERVATION_DOMINATED)
      continue;
    text_format(text, "p%s", run->wanted.data[i].text);
    if (all == OBSERVATION_NOT_DOMINATED) {
      text_append(text, " exceeds the bound");
    } else if (all == OBSERVATION_CANNOT_TELL) {
      text_append(text, ": ");
      observation_explain(text, run, p);
    } else {
      text_append(text, " does not contradict the bound");
    }
    return;
  }
}
