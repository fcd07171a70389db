/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answers of `tailproof percentiles` as findings: a claim for each objective and each
 * observation, a value for each percentile.
 */
#include <inttypes.h>

#include "base/duration.h"
#include "cli/present/findings.h"
#include "cli/question/percentiles/observation.h"

static const char *where_of(const struct percentiles *run, size_t curve) {
  return run->curves.count == 1 ? ""
         : run->curves.data[curve].estimate.dependence == DEPENDENCE_INDEPENDENT
             ? ", if independent"
             : ", for any dependence";
}

static enum finding_kind kind_of(enum status status) {
  return status == STATUS_OK ? FINDING_GOOD : status == STATUS_REFUTED ? FINDING_BAD : FINDING_OPEN;
}

static void put(struct findings *findings, const struct percentiles *run, enum finding_kind kind,
                enum rule_id rule, const struct text *name, const char *verdict,
                const struct text *message) {
  const struct protocol *protocol = &run->calculation.protocol;
  finding_set_place(findings_add(findings, kind, protocol->source->name, rule, text_get(name),
                                 verdict, text_get(message), ""),
                    protocol->source, run->calculation.bound->span);
}

static void add_slo(struct findings *findings, const struct percentiles *run, size_t slo) {
  const struct slo_result *result = percentiles_decisive(run, slo);
  enum status status = slo_status(result->state);
  const char *state = slo_state_name(result->state);
  struct text name, message;
  text_init(&name);
  text_init(&message);
  text_format(&name, "%s: %s", run->calculation.bound->name, run->slos.data[slo].text);
  text_format(&message, "%s is %s: ", run->slos.data[slo].text, state);
  slo_explain(&message, run, result);
  put(findings, run, kind_of(status), status == STATUS_REFUTED ? RULE_BROKEN : RULE_UNDECIDED,
      &name, state, &message);
  text_clear(&name);
  text_clear(&message);
}

static void add_observation(struct findings *findings, const struct percentiles *run, size_t c) {
  enum observation observation = observation_of_curve(run, &run->curves.data[c]);
  enum status status = percentiles_status_of_curve(run, &run->curves.data[c]);
  const char *state = observation_name(observation);
  struct text name, message, why;
  text_init(&name);
  text_init(&message);
  text_init(&why);
  text_format(&name, "%s: observed%s", run->calculation.bound->name, where_of(run, c));
  text_format(&message, "the %" PRIu64 " observations are %s", run->observed.total, state);
  if (observation == OBSERVATION_CANNOT_TELL) {
    message.length = 0;
    text_format(&message, "cannot tell of the %" PRIu64 " observations", run->observed.total);
  }
  observation_explain_curve(&why, run, &run->curves.data[c]);
  if (why.length != 0)
    text_format(&message, ": %s", why.data);
  if (status == STATUS_CONDITIONAL)
    text_append(&message, " (if the draws are independent: their order is not known)");
  put(findings, run, kind_of(status), status == STATUS_REFUTED ? RULE_EXCEEDED : RULE_UNTOLD, &name,
      state, &message);
  text_clear(&name);
  text_clear(&message);
  text_clear(&why);
}

static void append_end(struct text *text, bool finite, uint64_t ns, enum survival_side side) {
  if (!finite)
    text_append(text, "infinite");
  else if (side == SIDE_UPPER)
    duration_print_upper(text, ns);
  else
    duration_print_lower(text, ns);
}

static void add_percentile(struct findings *findings, const struct percentiles *run,
                           const struct wanted *wanted, size_t c) {
  const struct percentile *found = percentiles_at(run, &run->curves.data[c], &wanted->share);
  struct text name, message;
  text_init(&name);
  text_init(&message);
  text_format(&name, "%s: p%s%s", run->calculation.bound->name, wanted->text, where_of(run, c));
  text_append(&message, "at least ");
  append_end(&message, found->interval.lower_finite, found->interval.lower_ns, SIDE_LOWER);
  text_append(&message, ", at most ");
  append_end(&message, found->interval.upper_finite, found->interval.upper_ns, SIDE_UPPER);
  if (found->interval.model_based)
    text_append(&message, " (model-based, not proved)");
  if (run->has_observed) {
    text_append(&message, "; observed ");
    append_end(&message, found->observed_finite, found->observed_ns, SIDE_UPPER);
  }
  put(findings, run, FINDING_VALUE, RULE_COUNT, &name, "", &message);
  text_clear(&name);
  text_clear(&message);
}

void findings_add_percentiles(struct findings *findings, const struct percentiles *run) {
  for (size_t i = 0; i < run->slos.count; i++)
    add_slo(findings, run, i);
  for (size_t c = 0; c < run->curves.count; c++) {
    if (run->has_observed)
      add_observation(findings, run, c);
    for (size_t i = 0; i < run->wanted.count; i++)
      add_percentile(findings, run, &run->wanted.data[i], c);
  }
}
