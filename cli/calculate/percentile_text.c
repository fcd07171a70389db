/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/calculate/percentiles.h"
#include "cli/report/ledger.h"

static void print_duration(bool finite, uint64_t ns, enum survival_side side) {
  struct text text;
  text_init(&text);
  if (!finite)
    text_append(&text, "infinite");
  else if (side == SIDE_UPPER)
    report_duration(&text, ns);
  else
    report_duration_lower(&text, ns);
  printf(" %12s", text.data);
  text_clear(&text);
}

/* How the observation at a percentile compares, over all curves. */
static const char *standing(const struct percentiles *run, const bool *dominates) {
  size_t good = 0;
  for (size_t c = 0; c < run->curves.count; c++)
    good += dominates[c];
  return good == run->curves.count ? "dominated"
         : good == 0               ? "NOT DOMINATED"
                                   : "NOT IF INDEPENDENT";
}

static void print_row(const struct percentiles *run, const struct wanted *wanted) {
  struct interval i = {.dominates = true};
  bool dominates[CURVES_MAX], modelled = false;
  printf("  p%-8s", wanted->text);
  for (size_t c = 0; c < run->curves.count; c++) {
    i = percentiles_at(run, &run->curves.data[c], &wanted->share);
    print_duration(i.lower_finite, i.lower_ns, SIDE_LOWER);
    print_duration(i.upper_finite, i.upper_ns, SIDE_UPPER);
    dominates[c] = i.dominates;
    modelled |= i.model_based;
  }
  if (run->has_observed) {
    print_duration(i.observed_finite, i.observed_ns, SIDE_UPPER);
    printf("   %s", standing(run, dominates));
  }
  printf("%s\n", modelled ? "   model-based" : "");
}

static void print_heading(const struct percentiles *run) {
  struct text text;
  text_init(&text);
  ground_print(&text, run->calculation.expression);
  printf("\n  %s is at most\n    %s\n\n", run->calculation.bound->target_text, text.data);
  text_clear(&text);
  if (run->curves.count > 1)
    printf("  %-9s %25s %25s\n", "", "independent", "any dependence");
  printf("  %-9s", "");
  for (size_t c = 0; c < run->curves.count; c++)
    printf(" %12s %12s", "at least", "at most");
  printf("%s\n", run->has_observed ? "     observed" : "");
}

/* What the mark behind a row means. */
static void print_marks(const struct percentiles *run) {
  for (size_t w = 0; w < run->wanted.count; w++)
    for (size_t c = 0; c < run->curves.count; c++)
      if (percentiles_at(run, &run->curves.data[c], &run->wanted.data[w].share).model_based) {
        printf("\n  model-based: `at most` rests on a fitted tail and is not proved.\n");
        return;
      }
}

/* What it would take where a percentile is infinite. */
static void print_needs(const struct percentiles *run) {
  bool first = true;
  for (size_t w = 0; w < run->wanted.count; w++) {
    const struct wanted *wanted = &run->wanted.data[w];
    struct interval i = percentiles_at(run, &run->curves.data[0], &wanted->share);
    if (i.upper_finite || i.samples_needed == 0)
      continue;
    printf("%s  p%s takes %" PRIu64 " samples of each component to be finite.\n", first ? "\n" : "",
           wanted->text, i.samples_needed);
    first = false;
  }
}

static void print_excess(const struct percentiles *run, const struct comparison *comparison,
                         const char *where) {
  bool refuted = comparison->beyond_chance.found;
  const struct excess *excess = refuted ? &comparison->beyond_chance : &comparison->any;
  struct text percentile, duration, level;
  text_init(&percentile);
  text_init(&duration);
  text_init(&level);
  excess_print(&percentile, excess);
  if (excess->observed_ns != SAMPLE_NS_MAX)
    report_duration(&duration, excess->observed_ns);
  else
    text_append(&duration, "infinite");
  rational_print_short(&level, &run->options->confidence);
  if (refuted)
    printf("\n  NOT DOMINATED%s%s at p%s (observed %s) it exceeds the bound.\n"
           "  Some delay is in no measured component, or the assumptions below do not hold.\n",
           where, where[0] == '\0' ? ":" : "", percentile.data, duration.data);
  else
    printf("\n  The %" PRIu64 " observations are dominated%s over the whole curve, as far as they "
           "can tell:\n  the excess at p%s (observed %s) is no more than chance, at confidence "
           "%s.\n",
           run->observed.total, where, percentile.data, duration.data, level.data);
  text_clear(&percentile);
  text_clear(&duration);
  text_clear(&level);
}

static void print_comparison(const struct percentiles *run, const struct curve *curve) {
  const char *where = run->curves.count == 1                        ? ""
                      : curve->dependence == DEPENDENCE_INDEPENDENT ? ", if independent,"
                                                                    : ", for any dependence,";
  if (curve->comparison.any.found || curve->comparison.beyond_chance.found)
    print_excess(run, &curve->comparison, where);
  else
    printf("\n  All %" PRIu64 " observations are dominated%s over the whole curve.\n",
           run->observed.total, where);
}

void percentiles_print_text(const struct percentiles *run) {
  print_heading(run);
  for (size_t i = 0; i < run->wanted.count; i++)
    print_row(run, &run->wanted.data[i]);
  print_marks(run);
  print_needs(run);
  percentiles_print_answers_text(run);
  for (size_t c = 0; c < run->curves.count && run->has_observed; c++)
    print_comparison(run, &run->curves.data[c]);
  ledger_print_text(&run->calculation.ledger);
}
