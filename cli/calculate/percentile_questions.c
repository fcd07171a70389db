/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "cli/duration.h"
#include "cli/calculate/percentiles.h"

static enum status read_above(struct percentiles *run, const char *text) {
  struct above above = {.text = text};
  rational_init(&above.ns);
  bool good = duration_parse(&above.ns, text);
  vector_push(&run->above, above);
  if (!good)
    fprintf(
        stderr,
        "tailproof percentiles: unusable time \"%s\"; give a number and its unit, --above 20ms\n",
        text);
  return good ? STATUS_OK : STATUS_USAGE;
}

/* The percentile of --contributions gets a row, and is the one that is chosen. */
static enum status read_contributions(struct percentiles *run) {
  const char *text = run->options->contributions;
  if (text == NULL)
    return STATUS_OK;
  if (strchr(text, ',') != NULL) {
    fprintf(stderr, "tailproof percentiles: --contributions %s: give one percentile\n", text);
    return STATUS_USAGE;
  }
  size_t before = run->wanted.count;
  enum status status = wanted_read(&run->wanted, "percentiles", text);
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
  const struct options *options = run->options;
  enum status status = STATUS_OK;
  for (size_t i = 0; i < options->slo.count && status == STATUS_OK; i++)
    status = slo_read(&run->slos, options->slo.data[i]);
  for (size_t i = 0; i < options->above.count && status == STATUS_OK; i++)
    status = read_above(run, options->above.data[i]);
  return status == STATUS_OK ? read_contributions(run) : status;
}

/* What is proved, without modelled tails. */
static bool proved_upper(uint64_t *ns, const struct curve *curve, const struct rational *share) {
  const struct survival *upper =
      curve->proved.tail != NULL ? &curve->proved : &curve->bound[SIDE_UPPER];
  uint64_t tail = 0;
  survival_tail_of_side(&tail, share, SIDE_UPPER);
  return survival_quantile(ns, upper, tail);
}

/* By what is proved: a modelled tail meets no objective. */
static enum status judge(struct percentiles *run, size_t index, size_t c) {
  const struct slo *slo = &run->slos.data[index];
  const struct curve *curve = &run->curves.data[c];
  struct interval i = percentiles_at(run, curve, &slo->percentile.share);
  uint64_t upper_ns = 0;
  bool finite = proved_upper(&upper_ns, curve, &slo->percentile.share);
  struct slo_result result = {.slo = index, .curve = c};
  result.state = slo_judge(slo, i.lower_finite, i.lower_ns, finite, upper_ns);
  enum status status = STATUS_OK;
  if (result.state != SLO_MET)
    status = improve_for(&result.improvements, &run->calculation, curve->dependence, slo);
  vector_push(&run->results, result);
  return status;
}

/* The largest percentile with a finite bound, as there the tail is what is asked about; the first
 * when there is none. */
static size_t choose(const struct percentiles *run) {
  size_t chosen = 0;
  bool any = false;
  for (size_t w = 0; w < run->wanted.count; w++) {
    const struct rational *share = &run->wanted.data[w].share;
    if (percentiles_at(run, &run->curves.data[0], share).upper_finite &&
        (!any || rational_compare(share, &run->wanted.data[chosen].share) > 0)) {
      chosen = w;
      any = true;
    }
  }
  return chosen;
}

enum status percentiles_answer(struct percentiles *run) {
  enum status status = STATUS_OK;
  for (size_t i = 0; i < run->slos.count && status == STATUS_OK; i++)
    for (size_t c = 0; c < run->curves.count && status == STATUS_OK; c++)
      status = judge(run, i, c);
  if (run->options->contributions == NULL)
    run->chosen = choose(run);
  if (status == STATUS_OK && (run->options->contributions != NULL || run->options->plot != NULL))
    status = improve_contributions(
        &run->contributions, &run->calculation, run->curves.data[0].dependence,
        &run->curves.data[0].bound[SIDE_UPPER], &run->wanted.data[run->chosen].share);
  return status;
}

void slo_explain(struct text *text, const struct percentiles *run,
                 const struct slo_result *result) {
  const struct slo *slo = &run->slos.data[result->slo];
  const struct curve *curve = &run->curves.data[result->curve];
  struct interval i = percentiles_at(run, curve, &slo->percentile.share);
  if (result->state == SLO_MET) /* met by what is proved, so that is what it says */
    i.upper_finite = proved_upper(&i.upper_ns, curve, &slo->percentile.share);
  text_format(text, "p%s is ", slo->percentile.text);
  if (result->state != SLO_MET && i.lower_finite) {
    text_append(text, "at least ");
    report_duration_lower(text, i.lower_ns);
  } else if (result->state != SLO_MET) {
    text_append(text, "infinite");
  }
  if (result->state == SLO_MET || result->state == SLO_UNDECIDED) {
    text_append(text, result->state == SLO_MET ? "at most " : ", at most ");
    if (i.upper_finite)
      report_duration(text, i.upper_ns);
    else
      text_append(text, "infinite");
  }
  if (result->state == SLO_UNDECIDED && i.model_based)
    text_append(text, " by a modelled tail, which decides nothing");
}

void percentiles_clear_questions(struct percentiles *run) {
  slo_clear(&run->slos);
  for (size_t i = 0; i < run->results.count; i++)
    vector_clear(&run->results.data[i].improvements);
  vector_clear(&run->results);
  for (size_t i = 0; i < run->above.count; i++)
    rational_clear(&run->above.data[i].ns);
  vector_clear(&run->above);
  vector_clear(&run->contributions);
}
