/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answer of `percentiles` as text (percentiles.h): the table, its marks, and what they mean.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/present/percentiles.h"
#include "cli/question/percentiles/observation.h"
#include "base/duration.h"
#include "cli/present/ledger.h"
#include "cli/present/wrapped.h"

static void print_duration(bool finite, uint64_t ns, enum survival_side side) {
  struct text text;
  text_init(&text);
  if (!finite)
    text_append(&text, "infinite");
  else if (side == SIDE_UPPER)
    duration_print_upper(&text, ns);
  else
    duration_print_lower(&text, ns);
  printf(" %12s", text.data);
  text_clear(&text);
}

/* How the observation at a percentile compares, over all curves. */
static const char *standing(const struct percentiles *run, const struct percentile **found) {
  bool differ = false;
  for (size_t c = 1; c < run->curves.count; c++)
    differ |= found[c]->observation != found[0]->observation;
  if (differ && found[0]->observation == OBSERVATION_NOT_DOMINATED)
    return "NOT IF INDEPENDENT";
  if (differ)
    return "dominated if independent";
  return found[0]->observation == OBSERVATION_NOT_DOMINATED
             ? "NOT DOMINATED"
             : observation_name(found[0]->observation);
}

static void print_row(const struct percentiles *run, const struct wanted *wanted) {
  const struct percentile *found[CURVES_MAX];
  bool modelled = false;
  printf("  p%-8s", wanted->text);
  for (size_t c = 0; c < run->curves.count; c++) {
    found[c] = percentiles_at(run, &run->curves.data[c], &wanted->share);
    const struct interval *i = &found[c]->interval;
    print_duration(i->lower_finite, i->lower_ns, SIDE_LOWER);
    print_duration(i->upper_finite, i->upper_ns, SIDE_UPPER);
    modelled |= i->model_based;
  }
  if (run->has_observed) {
    print_duration(found[0]->observed_finite, found[0]->observed_ns, SIDE_UPPER);
    printf("   %s", standing(run, found));
  }
  printf("%s\n", modelled ? "   model-based" : "");
}

static void print_heading(const struct percentiles *run) {
  struct text text;
  text_init(&text);
  expression_print(&text, run->calculation.expression);
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
      if (percentiles_at(run, &run->curves.data[c], &run->wanted.data[w].share)
              ->interval.model_based) {
        printf("\n  model-based: `at most` rests on a fitted tail and is not proved.\n");
        return;
      }
}

static const char *where_of(const struct percentiles *run, size_t curve) {
  return run->curves.count == 1 ? ""
         : run->curves.data[curve].estimate.dependence == DEPENDENCE_INDEPENDENT
             ? " if independent"
             : " for any dependence";
}

/* Where no number of samples would do. */
static void print_endless(const struct percentiles *run, enum endless endless) {
  struct text text, reason;
  text_init(&text);
  text_init(&reason);
  for (size_t w = 0; w < run->wanted.count; w++)
    if (percentiles_at(run, &run->curves.data[0], &run->wanted.data[w].share)->endless == endless)
      text_format(&text, "%sp%s", text.length == 0 ? "" : ", ", run->wanted.data[w].text);
  if (text.length != 0) {
    endless_explain(&reason, &run->calculation, endless);
    printf("\n  %s: infinite with any number of samples:\n  %s.\n", text.data, reason.data);
  }
  text_clear(&reason);
  text_clear(&text);
}

/* What it would take where a percentile is infinite, and who is short of it. */
static void print_needs(const struct percentiles *run) {
  bool first = true;
  print_endless(run, ENDLESS_BEYOND);
  print_endless(run, ENDLESS_GRID);
  for (size_t w = 0; w < run->wanted.count; w++) {
    const struct wanted *wanted = &run->wanted.data[w];
    const struct percentile *p = percentiles_at(run, &run->curves.data[0], &wanted->share);
    if (p->interval.upper_finite || p->samples_needed == 0)
      continue;
    struct text of_what, who;
    text_init(&of_what);
    text_init(&who);
    if (observation_print_short(&of_what, &who, run, p)) {
      text_format(&of_what, " to be finite; %s.", who.data);
      printf("%s  ", first ? "\n" : "");
      size_t column =
          2 + (size_t)printf("p%s takes %" PRIu64 " independent ", wanted->text, p->samples_needed);
      wrapped_print(of_what.data, column, 4);
      first = false;
    }
    text_clear(&of_what);
    text_clear(&who);
  }
}

/* Why percentiles of the observation cannot be told. */
static void print_untold(const struct percentiles *run) {
  for (size_t w = 0; w < run->wanted.count; w++)
    for (size_t c = 0; c < run->curves.count; c++) {
      struct text why;
      text_init(&why);
      const struct percentile *p =
          percentiles_at(run, &run->curves.data[c], &run->wanted.data[w].share);
      if (p->why != OBSERVATION_NO_BOUND || p->samples_needed == 0) /* else it was said above */
        observation_explain(&why, run, p);
      if (why.length != 0) {
        text_append(&why, ".");
        wrapped_print(
            why.data,
            (size_t)printf("  p%s%s cannot tell: ", run->wanted.data[w].text, where_of(run, c)), 4);
      }
      text_clear(&why);
    }
}

static void print_excess(const struct percentiles *run, const struct excess *excess, bool refuted,
                         const char *where) {
  struct text percentile, duration, level;
  text_init(&percentile);
  text_init(&duration);
  text_init(&level);
  excess_print(&percentile, excess);
  if (excess->observed_ns != SAMPLE_NS_MAX)
    duration_print_upper(&duration, excess->observed_ns);
  else
    text_append(&duration, "infinite");
  rational_print_short(&level, &run->request->of.confidence);
  if (refuted)
    printf("\n  NOT DOMINATED%s%s at p%s (observed %s) it exceeds the bound.\n"
           "  Some delay is in no measured component, or the assumptions below do not hold.\n",
           where, where[0] == '\0' ? ":" : "", percentile.data, duration.data);
  else
    printf(
        "\n  The %" PRIu64 " observations are%s within the bound over the whole curve, as far as "
        "they can\n  tell: the excess at p%s (observed %s) is no more than chance, at confidence "
        "%s.\n",
        run->observed.total, where, percentile.data, duration.data, level.data);
  text_clear(&percentile);
  text_clear(&duration);
  text_clear(&level);
}

/* Where the bound ends: beyond it nothing is said of any observation. */
static void print_all_within(const struct percentiles *run, const struct estimate *estimate,
                             const char *where) {
  const struct survival *upper =
      estimate->proved.tail != NULL ? &estimate->proved : &estimate->bound[SIDE_UPPER];
  uint64_t infinite = survival_infinity(upper);
  double reach = floor(1e6 * (100 - 100 * (double)infinite / (double)SURVIVAL_ONE)) / 1e6;
  if (reach <= 0)
    printf("\n  The bound%s is infinite everywhere: it says nothing of what was observed.\n",
           where);
  else if (infinite != 0)
    printf("\n  All observations up to p%.6g are%s within the bound, which is infinite beyond.\n",
           reach, where);
  else
    printf("\n  All %" PRIu64 " observations are%s within the bound over the whole curve.\n",
           run->observed.total, where);
}

static void print_comparison(const struct percentiles *run, const struct curve *curve) {
  const char *where = run->curves.count == 1 ? ""
                      : curve->estimate.dependence == DEPENDENCE_INDEPENDENT
                          ? ", if independent,"
                          : ", for any dependence,";
  const struct comparison *comparison = &curve->comparison;
  if (comparison->beyond_chance.found && curve->settled)
    print_excess(run, &comparison->beyond_chance, true, where);
  else if (comparison->any.found)
    print_excess(run, &comparison->any, false, where);
  else
    print_all_within(run, &curve->estimate, where);
}

/* Request by request, where both come from the same ones. */
static void print_paired(const struct percentiles *run) {
  uint64_t requests = run->observed.total;
  if (run->exceeding == 0)
    printf("\n  Each of the %" PRIu64 " requests took no longer than the bound evaluated for it.\n",
           requests);
  else
    printf("\n  %zu of the %" PRIu64
           " requests took longer than the bound evaluated for them: some "
           "delay is in no\n  column, or the system is not the protocol.\n",
           run->exceeding, requests);
}

/* What independence hides, where rows show that it does not hold. */
static void print_dependence(const struct percentiles *run) {
  const struct dependence_test *test = &run->test;
  if (test->pairs.count == 0 || test->joined)
    return;
  struct text text;
  text_init(&text);
  dependence_print(&text, test);
  text_append(&text, ".");
  printf("\n  NOT INDEPENDENT: ");
  wrapped_print(text.data, strlen("  NOT INDEPENDENT: "), 4);
  text.length = 0;
  for (size_t w = 0; w < run->wanted.count && test->row_by_row.total != 0; w++) {
    uint64_t ns = 0;
    text_format(&text, "%s p%s ",
                w == 0 ? "With their rows taken together the bound has in these samples" : ",",
                run->wanted.data[w].text);
    if (sample_quantile(&ns, &test->row_by_row, &run->wanted.data[w].share))
      duration_print_upper(&text, ns);
    else
      text_append(&text, "infinite");
  }
  text_format(&text, "%sIf the rows belong to one request each, give them with --joint.",
              text.length == 0 ? "" : ". ");
  printf("  ");
  wrapped_print(text.data, 2, 2);
  text_clear(&text);
}

void percentiles_print_text(const struct percentiles *run) {
  print_heading(run);
  for (size_t i = 0; i < run->wanted.count; i++)
    print_row(run, &run->wanted.data[i]);
  print_marks(run);
  print_needs(run);
  if (run->has_observed)
    print_untold(run);
  print_dependence(run);
  percentiles_print_answers_text(run);
  for (size_t c = 0; c < run->curves.count && run->has_observed; c++)
    print_comparison(run, &run->curves.data[c]);
  if (run->is_paired)
    print_paired(run);
  ledger_print_text(&run->calculation.ledger);
}
