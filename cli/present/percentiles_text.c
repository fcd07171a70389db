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
#include "show/ledger.h"
#include "cli/present/missing_time.h"
#include "show/wrapped.h"
#include "show/table.h"
#include "cli/question/percentiles/percentiles.h"

static void add_duration(struct table *table, bool finite, uint64_t ns, enum survival_side side) {
  struct text text;
  text_init(&text);
  if (!finite)
    text_append(&text, "infinite");
  else if (side == SIDE_UPPER)
    duration_print_upper(&text, ns);
  else
    duration_print_lower(&text, ns);
  table_take(table, &text);
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

static void add_row(struct table *table, const struct percentiles *run,
                    const struct wanted *wanted) {
  const struct percentile *found[CURVES_MAX];
  bool modelled = false;
  table_cell(table, "p%s", wanted->text);
  for (size_t c = 0; c < run->curves.count; c++) {
    found[c] = percentiles_at(run, &run->curves.data[c], &wanted->share);
    const struct interval *i = &found[c]->interval;
    add_duration(table, i->lower_finite, i->lower_ns, SIDE_LOWER);
    add_duration(table, i->upper_finite, i->upper_ns, SIDE_UPPER);
    modelled |= i->model_based;
  }
  if (run->has_observed) {
    add_duration(table, found[0]->observed_finite, found[0]->observed_ns, SIDE_UPPER);
    table_cell(table, "%s", standing(run, found));
  }
  table_cell(table, "%s", modelled ? "model-based" : "");
}

static void print_rows(const struct percentiles *run) {
  static const char *const titles[][2] = {
      {"at least", "at most"},
      {"independent\nat least", "independent\nat most"},
      {"any dependence\nat least", "any dependence\nat most"},
  };
  struct table table;
  table_init(&table);
  table_column(&table, TABLE_LEFT, "");
  for (size_t c = 0; c < run->curves.count; c++) {
    const char *const *of_curve = titles[run->curves.count == 1 ? 0 : c + 1];
    table_column(&table, TABLE_RIGHT, of_curve[0]);
    table_column(&table, TABLE_RIGHT, of_curve[1]);
  }
  if (run->has_observed) {
    table_column(&table, TABLE_RIGHT, "observed");
    table_column(&table, TABLE_LEFT, "");
  }
  table_column(&table, TABLE_LEFT, "");
  for (size_t i = 0; i < run->wanted.count; i++)
    add_row(&table, run, &run->wanted.data[i]);
  table_print(stdout, &table, 2);
  table_clear(&table);
}

/* What is calculated, and with what confidence. */
static void print_heading(const struct percentiles *run) {
  struct text text;
  text_init(&text);
  putchar('\n');
  wrapped_format(2, 4, "%s is at most", run->calculation.bound->target_text);
  expression_print(&text, run->calculation.expression);
  wrapped_format(4, 6, "%s", text.data);
  if (rational_sign(&run->request->of.confidence) != 0) {
    text.length = 0;
    rational_print_short(&text, &run->request->of.confidence);
    printf("  and so, with confidence %s:\n\n", text.data);
  } else
    putchar('\n');
  text_clear(&text);
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

/* A paragraph of its own. */
static void say(const char *sentence) {
  putchar('\n');
  wrapped_format(2, 2, "%s", sentence);
}

/* Where no number of samples would do. */
static void print_endless(const struct percentiles *run, enum endless endless) {
  struct text text;
  text_init(&text);
  for (size_t w = 0; w < run->wanted.count; w++)
    if (percentiles_at(run, &run->curves.data[0], &run->wanted.data[w].share)->endless == endless)
      text_format(&text, "%sp%s", text.length == 0 ? "" : ", ", run->wanted.data[w].text);
  if (text.length != 0) {
    text_append(&text, ": infinite with any number of samples: ");
    endless_explain(&text, &run->calculation, endless);
    text_append(&text, ".");
    say(text.data);
  }
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
  struct text percentile, duration, level, text;
  text_init(&percentile);
  text_init(&duration);
  text_init(&level);
  text_init(&text);
  excess_print(&percentile, excess);
  if (excess->observed_ns != SAMPLE_NS_MAX)
    duration_print_upper(&duration, excess->observed_ns);
  else
    text_append(&duration, "infinite");
  rational_print_short(&level, &run->request->of.confidence);
  if (refuted)
    text_format(&text,
                "NOT DOMINATED%s%s at p%s (observed %s) it exceeds the bound. Some delay is in no "
                "measured component, or the assumptions below do not hold.",
                where, where[0] == '\0' ? ":" : "", percentile.data, duration.data);
  else
    text_format(&text,
                "The %" PRIu64 " observations are%s within the bound over the whole curve, as far "
                "as they can tell: the excess at p%s (observed %s) is no more than chance, at "
                "confidence %s.",
                run->observed.total, where, percentile.data, duration.data, level.data);
  say(text.data);
  text_clear(&percentile);
  text_clear(&duration);
  text_clear(&level);
  text_clear(&text);
}

/* Where the bound ends: beyond it nothing is said of any observation. */
static void print_all_within(const struct percentiles *run, const struct estimate *estimate,
                             const char *where) {
  const struct survival *upper =
      estimate->proved.tail != NULL ? &estimate->proved : &estimate->bound[SIDE_UPPER];
  uint64_t infinite = survival_infinity(upper);
  double reach = floor(1e6 * (100 - 100 * (double)infinite / (double)SURVIVAL_ONE)) / 1e6;
  struct text text;
  text_init(&text);
  if (reach <= 0)
    text_format(&text, "The bound%s is infinite everywhere: it says nothing of what was observed.",
                where);
  else if (infinite != 0)
    text_format(&text,
                "All observations up to p%.6g are%s within the curve of the bound, which holds at "
                "all points together and is infinite beyond.",
                reach, where);
  else
    text_format(&text, "All %" PRIu64 " observations are%s within the bound over the whole curve.",
                run->observed.total, where);
  say(text.data);
  text_clear(&text);
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
  struct text text;
  text_init(&text);
  if (run->exceeding == 0)
    text_format(&text,
                "Each of the %" PRIu64 " requests took no longer than the bound evaluated for it.",
                requests);
  else
    text_format(&text,
                "%zu of the %" PRIu64 " requests took longer than the bound evaluated for them: "
                "some delay is in no column, or the system is not the protocol.",
                run->exceeding, requests);
  say(text.data);
  text_clear(&text);
}

/* What independence hides, where rows show that it does not hold. */
static void print_dependence(const struct percentiles *run) {
  const struct dependence_test *test = &run->test;
  if (test->pairs.count == 0 || test->joined)
    return;
  struct text text;
  text_init(&text);
  text_append(&text, "NOT INDEPENDENT, as the warning below says.");
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
  text_append(&text, test->row_by_row.total != 0 ? "." : "");
  say(text.data);
  text_clear(&text);
}

/* What the comparison with the observation rests on. */
static void print_unordered(const struct percentiles *run) {
  bool conditional = false;
  for (size_t c = 0; c < run->curves.count && run->has_observed; c++)
    conditional |= percentiles_status_of_curve(run, &run->curves.data[c]) == STATUS_CONDITIONAL;
  if (conditional)
    say("What is said of the observations holds if the draws are independent: the order of those "
        "named below is not known. Measure with what keeps it (.csv, --joint), or assert it "
        "(--exchangeable).");
}

void percentiles_print_text(const struct percentiles *run, bool full) {
  print_heading(run);
  print_rows(run);
  print_marks(run);
  print_needs(run);
  if (run->has_observed)
    print_untold(run);
  print_dependence(run);
  percentiles_print_answers_text(run, full);
  for (size_t c = 0; c < run->curves.count && run->has_observed; c++)
    print_comparison(run, &run->curves.data[c]);
  if (run->is_paired)
    print_paired(run);
  print_unordered(run);
  missing_time_print_text(run);
  ledger_print_text(&run->calculation.ledger, full);
}
