/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Objectives, chances above a latency and contributions: read, judged and explained
 * (percentiles.h).
 */
#include <string.h>

#include "base/duration.h"
#include "cli/question/percentiles/observation.h"
#include "cli/question/percentiles/percentiles.h"
#include "cli/question/percentiles/slo_file.h"
#include "dist/statistics/limits.h"

static enum status read_above(struct percentiles *run, const char *text) {
  struct above above = {.text = text};
  rational_init(&above.ns);
  bool good = duration_parse(&above.ns, text);
  vector_push(&run->above, above);
  return good ? STATUS_OK
              : asker_fail(run->request->of.asker, STATUS_USAGE,
                           "unusable time \"%s\"; give a number and its unit, --above 20ms", text);
}

/* The percentile of --contributions gets a row, and is the one that is chosen. */
static enum status read_contributions(struct percentiles *run) {
  const char *text = run->request->contributions;
  if (text == NULL)
    return STATUS_OK;
  if (strchr(text, ',') != NULL)
    return asker_fail(run->request->of.asker, STATUS_USAGE,
                      "--contributions %s: give one percentile", text);
  size_t before = run->wanted.count;
  enum status status = wanted_read(&run->wanted, text, run->request->of.asker);
  run->chosen = before;
  for (size_t i = 0; i < before && status == STATUS_OK; i++)
    if (rational_compare(&run->wanted.data[i].share, &run->wanted.data[before].share) == 0) {
      struct wanted *last = &run->wanted.data[--run->wanted.count];
      mem_free(last->text);
      rational_clear(&last->share);
      run->chosen = i;
      break;
    }
  return status;
}

enum status percentiles_read_questions(struct percentiles *run) {
  const struct percentiles_request *request = run->request;
  enum status status = STATUS_OK;
  for (size_t i = 0; i < request->slo.count && status == STATUS_OK; i++)
    status = slo_read(&run->slos, request->slo.data[i], request->of.asker);
  for (size_t i = 0; i < request->slo_files.count && status == STATUS_OK; i++)
    status = slo_file_read(&run->slos, request->slo_files.data[i], request->of.asker);
  for (size_t i = 0; i < request->above.count && status == STATUS_OK; i++)
    status = read_above(run, request->above.data[i]);
  return status == STATUS_OK ? read_contributions(run) : status;
}

/* --- objectives ------------------------------------------------------------------------------- */

/* For any dependence; made once. */
static enum status need_any(struct percentiles *run) {
  if (run->has_any)
    return STATUS_OK;
  run->has_any = true;
  struct ledger *shown = &run->calculation.ledger, ledger = *shown;
  ledger_init(shown); /* what is only asked is not in the ledger of what is shown */
  enum status status = estimate_make(&run->any, &run->calculation, DEPENDENCE_UNKNOWN);
  ledger_clear(shown);
  *shown = ledger;
  return status;
}

/* An end that is not settled shows nothing. */
static enum slo_state judge_interval(const struct slo *slo, const struct interval *i,
                                     uint64_t chance) {
  bool upper = i->upper_settled || chance == 0, lower = i->lower_settled || chance == 0;
  return slo_judge(slo, i->lower_finite || !lower, lower ? i->lower_ns : 0,
                   i->upper_finite && upper, i->upper_ns);
}

/* What holds if independent is claimed as such: unless the user asserts it, it also holds for any
 * dependence, or the system was observed to keep to it. */
static enum status condition(struct percentiles *run, struct slo_result *result,
                             const struct slo *slo, const struct percentile *p) {
  if (run->request->of.assume_independent) {
    result->basis = SLO_BY_ASSUMPTION;
    return STATUS_OK;
  }
  bool met = result->state == SLO_MET;
  enum status status = need_any(run);
  if (status == STATUS_OK) {
    struct interval i = estimate_at(&run->any, &run->calculation, &p->share, false);
    enum slo_state state = judge_interval(slo, &i, run->any.chance);
    result->any_upper_ns = i.upper_ns;
    result->any_lower_ns = i.lower_ns;
    if (state == result->state)
      result->basis = SLO_BY_ANY;
    else if (met && run->has_observed && p->most_settled && p->most_ns < SAMPLE_NS_MAX &&
             slo_allows(slo, p->most_ns))
      result->basis = SLO_BY_OBSERVATION;
    else if (run->test.pairs.count != 0) {
      result->state = SLO_UNDECIDED;
      result->basis = SLO_NOT_INDEPENDENT;
    } else
      result->state = met ? SLO_MET_IF_INDEPENDENT : SLO_BROKEN_IF_INDEPENDENT;
  }
  return status;
}

/* Slow requests that come together make it hard to say what the next run does, but not that this
 * one broke the objective: its requests are draws of whatever laws there were while it lasted, and
 * limits of draws of one law hold for their mean (Hoeffding 1956). */
static bool run_breaks(uint64_t *lower_ns, const struct percentiles *run, const struct curve *curve,
                       const struct slo *slo) {
  const struct draws *draws = &run->calculation.draws;
  if (!draws->by_request || !curve->estimate.by_draws)
    return false;
  *lower_ns = limit_lower(&draws->values, &slo->percentile.share, draws->values.real,
                          curve->estimate.chance);
  return !slo_allows(slo, *lower_ns);
}

/* What rests on draws whose order nobody knows holds if they are independent, unless the system was
 * observed in order to keep to it. */
static void regard_order(const struct percentiles *run, struct slo_result *result,
                         const struct slo *slo, const struct percentile *p) {
  if (result->state != SLO_MET && result->state != SLO_BROKEN)
    return;
  bool met = result->state == SLO_MET;
  bool unknown =
      result->basis == SLO_BY_OBSERVATION ? run->observed_assumes_draws : run->bound_assumes_draws;
  if (result->basis == SLO_BY_RUN || !unknown)
    return;
  if (met && run->has_observed && !run->observed_assumes_draws && p->most_settled &&
      p->most_ns < SAMPLE_NS_MAX && slo_allows(slo, p->most_ns))
    result->basis = SLO_BY_OBSERVATION;
  else
    result->state = met ? SLO_MET_IF_DRAWS : SLO_BROKEN_IF_DRAWS;
}

/* What rests on one run whose level wanders is so of this run alone, unless it holds on a condition
 * already. */
static void regard_run(const struct percentiles *run, struct slo_result *result) {
  bool observed = result->basis == SLO_BY_OBSERVATION;
  if ((result->state != SLO_MET && result->state != SLO_BROKEN) ||
      !(observed ? run->observed_wanders : run->bound_wanders))
    return;
  result->state = result->state == SLO_MET ? SLO_MET_IN_RUN : SLO_BROKEN_IN_RUN;
}

/* Whether the buckets of the observations are too wide for the limit, so that no number of them
 * decides. */
static void regard_bucket(const struct percentiles *run, struct slo_result *result,
                          const struct slo *slo) {
  const struct draws *draws = &run->calculation.draws;
  if (result->state != SLO_UNDECIDED || !draws->made)
    return;
  const struct rational *share = &slo->percentile.share;
  uint64_t upper_ns = SAMPLE_NS_MAX, lower_ns = limit_lower(&draws->values, share, 1, 0);
  bool finite = limit_upper(&upper_ns, &draws->values, share, 1, 0) && upper_ns < SAMPLE_NS_MAX;
  result->in_bucket =
      slo_judge(slo, lower_ns < SAMPLE_NS_MAX, lower_ns, finite, upper_ns) == SLO_UNDECIDED;
  result->bucket_lower_ns = lower_ns;
  result->bucket_upper_ns = finite ? upper_ns : SAMPLE_NS_MAX;
}

/* By what is proved: a modelled tail meets no objective. What was observed to break it does,
 * whatever the components say. */
static enum status judge(struct percentiles *run, size_t index, size_t c) {
  const struct slo *slo = &run->slos.data[index];
  const struct curve *curve = &run->curves.data[c];
  const struct percentile *p = percentiles_at(run, curve, &slo->percentile.share);
  const struct interval *i = &p->proved;
  struct slo_result result = {.slo = index, .curve = c};
  enum status status = STATUS_OK;
  result.state = judge_interval(slo, i, curve->estimate.chance);
  if (run->has_observed && p->least_settled && !slo_allows(slo, p->least_ns)) {
    result.state = SLO_BROKEN;
    result.basis = SLO_BY_OBSERVATION;
  } else if (result.state == SLO_UNDECIDED && run_breaks(&result.run_lower_ns, run, curve, slo)) {
    result.state = SLO_BROKEN_IN_RUN;
    result.basis = SLO_BY_RUN;
  } else if (result.state != SLO_UNDECIDED &&
             estimate_parts(&curve->estimate, &run->calculation) > 1) {
    status = condition(run, &result, slo, p);
  }
  regard_order(run, &result, slo, p);
  regard_run(run, &result);
  regard_bucket(run, &result, slo);
  vector_push(&run->results, result);
  return status;
}

/* Unless the bound keeps to it: then no component is too slow. */
static enum status improve(struct percentiles *run, struct slo_result *result) {
  const struct slo *slo = &run->slos.data[result->slo];
  const struct curve *curve = &run->curves.data[result->curve];
  const struct interval *i = &percentiles_at(run, curve, &slo->percentile.share)->proved;
  if (i->upper_finite && slo_allows(slo, i->upper_ns))
    return STATUS_OK;
  return improve_for(&result->improvements, &run->calculation, &curve->estimate, slo);
}

/* The largest percentile with a finite bound, as there the tail is what is asked about; the first
 * when there is none. */
static size_t choose(const struct percentiles *run) {
  size_t chosen = 0;
  bool any = false;
  for (size_t w = 0; w < run->wanted.count; w++) {
    const struct rational *share = &run->wanted.data[w].share;
    if (percentiles_at(run, &run->curves.data[0], share)->interval.upper_finite &&
        (!any || rational_compare(share, &run->wanted.data[chosen].share) > 0)) {
      chosen = w;
      any = true;
    }
  }
  return chosen;
}

enum status percentiles_judge(struct percentiles *run) {
  enum status status = STATUS_OK;
  for (size_t i = 0; i < run->slos.count && status == STATUS_OK; i++)
    for (size_t c = 0; c < run->curves.count && status == STATUS_OK; c++)
      status = judge(run, i, c);
  return status;
}

enum status percentiles_answer(struct percentiles *run) {
  enum status status = percentiles_judge(run);
  slo_note_origins(&run->slos, &run->calculation.ledger);
  for (size_t i = 0; i < run->results.count && status == STATUS_OK; i++)
    status = improve(run, &run->results.data[i]);
  if (run->request->contributions == NULL)
    run->chosen = choose(run);
  if (status == STATUS_OK && (run->request->contributions != NULL || run->request->chain))
    status =
        improve_contributions(&run->contributions, &run->calculation, &run->curves.data[0].estimate,
                              &run->wanted.data[run->chosen].share);
  return status;
}

/* --- reasons ---------------------------------------------------------------------------------- */

/* Whether the time is the first above the limit, as of what a bucket does not include. */
static bool is_just_above(const struct slo *slo, uint64_t ns) {
  int64_t limit_ns = 0;
  return !slo->strict && rational_floor(&limit_ns, &slo->limit_ns) && ns == (uint64_t)limit_ns + 1;
}

static void append_ends(struct text *text, const struct slo_result *result,
                        const struct interval *i, const struct slo *slo) {
  bool at_least = !slo_is_met(result->state), at_most = !slo_is_broken(result->state);
  if (at_least && !at_most && i->lower_finite && is_just_above(slo, i->lower_ns)) {
    text_append(text, "above ");
    duration_print_lower(text, i->lower_ns - 1);
  } else if (at_least && i->lower_finite) {
    text_append(text, "at least ");
    duration_print_lower(text, i->lower_ns);
  } else if (at_least) {
    text_append(text, "infinite");
  }
  if (at_most) {
    text_append(text, at_least ? ", at most " : "at most ");
    if (i->upper_finite)
      duration_print_upper(text, i->upper_ns);
    else
      text_append(text, "infinite");
  }
}

static void append_basis(struct text *text, const struct slo_result *result,
                         const struct percentile *p) {
  bool met = slo_is_met(result->state);
  if (result->basis == SLO_BY_ASSUMPTION)
    text_append(text, " if independent, as --assume says");
  if (result->basis == SLO_BY_ANY) {
    text_append(text, met ? " if independent, and at most " : " if independent, and at least ");
    (met ? duration_print_upper : duration_print_lower)(text, met ? result->any_upper_ns
                                                                  : result->any_lower_ns);
    text_append(text, " for any dependence");
  }
  if (result->basis == SLO_BY_OBSERVATION && met) {
    text_append(text, " if independent, and the system was observed to have at most ");
    duration_print_upper(text, p->most_ns);
  }
}

void slo_explain(struct text *text, const struct percentiles *run,
                 const struct slo_result *result) {
  const struct slo *slo = &run->slos.data[result->slo];
  const struct curve *curve = &run->curves.data[result->curve];
  const struct percentile *p = percentiles_at(run, curve, &slo->percentile.share);
  bool met = slo_is_met(result->state);
  if (slo_is_broken(result->state) && result->basis == SLO_BY_OBSERVATION) {
    text_format(text, "the system was observed to have a p%s of at least ", slo->percentile.text);
    duration_print_lower(text, p->least_ns);
    return;
  }
  if (result->basis == SLO_BY_RUN) {
    text_format(text, "p%s is at least ", slo->percentile.text);
    duration_print_lower(text, result->run_lower_ns);
    text_append(text, "; of a run like it, at least ");
    duration_print_lower(text, p->proved.lower_ns);
    return;
  }
  text_format(text, "p%s is ", slo->percentile.text);
  append_ends(text, result, met ? &p->proved : &p->interval, slo);
  append_basis(text, result, p);
  if (result->basis == SLO_NOT_INDEPENDENT)
    text_append(text, " if independent, which they are not");
  if (result->state == SLO_UNDECIDED && p->interval.model_based)
    text_append(text, " by a modelled tail, which decides nothing");
  if (result->state == SLO_UNDECIDED && !p->interval.settled)
    text_append(text, ", but observations drift or depend on each other for too long to promise "
                      "that");
  if (result->state == SLO_UNDECIDED)
    observation_both_ends(text, run, p, slo->percentile.text);
}

void percentiles_clear_questions(struct percentiles *run) {
  slo_clear(&run->slos);
  for (size_t i = 0; i < run->results.count; i++)
    vector_clear(&run->results.data[i].improvements);
  vector_clear(&run->results);
  if (run->has_any)
    estimate_clear(&run->any);
  for (size_t i = 0; i < run->above.count; i++)
    rational_clear(&run->above.data[i].ns);
  vector_clear(&run->above);
  vector_clear(&run->contributions);
}
