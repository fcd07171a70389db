/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What `percentiles` says of observations of the whole, held against the bound (percentiles.h).
 */
#include <inttypes.h>
#include <math.h>

#include "base/duration.h"
#include "cli/present/percentiles.h"
#include "cli/question/percentiles/observation.h"
#include "cli/question/percentiles/percentiles.h"

static const struct object_key comparison_keys[] = {
    KEY("bound", TEXT, .marks = MARK_NAMES),
    KEY("dependence", TEXT, .marks = MARK_NAMES, .words = "independent|unknown"),
    KEY("observations", COUNT),
    KEY("observation", TEXT, .words = OBSERVATION_WORDS, .note = "the worst of them"),
    KEY("dominates", FLAG, .note = "no excess beyond chance, and it can be told"),
    KEY("draws_assumed", FLAG,
        .note = "it holds if observations whose order is not known are independent draws"),
    KEY("requests_above", COUNT, .marks = MARK_MAYBE,
        .note = "of rows: how many took longer than their bound"),
    KEY("first_percentile", DECIMAL, .marks = MARK_MAYBE | MARK_UPPER,
        .note = "where there is an excess"),
    KEY("observed_ns", NS, .marks = MARK_MAYBE | MARK_DIGITS | MARK_UPPER),
    KEY("within_chance", FLAG, .marks = MARK_MAYBE),
    {0}};
const struct object_kind comparison_kind = {
    "comparison", "over the whole curve and the percentiles asked for", comparison_keys};

static void say_excess(struct document *document, const struct percentiles *run,
                       const struct excess *excess, bool refuted, const char *where) {
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
  document_take(document, LINES_APART, 2, &text);
  text_clear(&percentile);
  text_clear(&duration);
  text_clear(&level);
  text_clear(&text);
}

/* Where the bound ends: beyond it nothing is said of any observation. */
static void say_all_within(struct document *document, const struct percentiles *run,
                           const struct estimate *estimate, const char *where) {
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
  document_take(document, LINES_APART, 2, &text);
  text_clear(&text);
}

static void say_comparison(struct document *document, const struct percentiles *run,
                           const struct curve *curve) {
  const char *where = run->curves.count == 1 ? ""
                      : curve->estimate.dependence == DEPENDENCE_INDEPENDENT
                          ? ", if independent,"
                          : ", for any dependence,";
  const struct comparison *comparison = &curve->comparison;
  if (comparison->beyond_chance.found && curve->settled)
    say_excess(document, run, &comparison->beyond_chance, true, where);
  else if (comparison->any.found)
    say_excess(document, run, &comparison->any, false, where);
  else
    say_all_within(document, run, &curve->estimate, where);
}

static void put_comparison(struct document *document, const struct percentiles *run,
                           const struct curve *curve) {
  const struct comparison *comparison = &curve->comparison;
  bool refuted = comparison->beyond_chance.found && curve->settled;
  const struct excess *excess = refuted ? &comparison->beyond_chance : &comparison->any;
  enum observation observation = observation_of_curve(run, curve);
  struct objects *objects = document_objects(document, &comparison_kind);
  objects_add(objects);
  object_text(objects, "bound", run->calculation.bound->name);
  object_text(objects, "dependence", dependence_name(curve->estimate.dependence));
  object_count(objects, "observations", run->observed.total);
  object_text(objects, "observation", observation_name(observation));
  object_flag(objects, "dominates", !refuted && observation != OBSERVATION_CANNOT_TELL);
  object_flag(objects, "draws_assumed",
              percentiles_status_of_curve(run, curve) == STATUS_CONDITIONAL);
  if (run->is_paired)
    object_count(objects, "requests_above", run->exceeding);
  if (!excess->found)
    return;
  struct text percentile;
  text_init(&percentile);
  excess_print(&percentile, excess);
  object_text(objects, "first_percentile", percentile.data);
  object_time(objects, "observed_ns", excess->observed_ns != SAMPLE_NS_MAX, excess->observed_ns);
  object_flag(objects, "within_chance", !refuted);
  text_clear(&percentile);
}

/* Request by request, where both come from the same ones. */
static void say_paired(struct document *document, const struct percentiles *run) {
  uint64_t requests = run->observed.total;
  if (run->exceeding == 0)
    document_say(document, LINES_APART,
                 "Each of the %" PRIu64 " requests took no longer than the bound evaluated for it.",
                 requests);
  else
    document_say(document, LINES_APART,
                 "%zu of the %" PRIu64 " requests took longer than the bound evaluated for them: "
                 "some delay is in no column, or the system is not the protocol.",
                 run->exceeding, requests);
}

/* What the comparison with the observation rests on. */
static void say_unordered(struct document *document, const struct percentiles *run) {
  bool conditional = false, wanders = false;
  for (size_t c = 0; c < run->curves.count && run->has_observed; c++) {
    enum status status = percentiles_status_of_curve(run, &run->curves.data[c]);
    conditional |= status == STATUS_CONDITIONAL;
    wanders |= status == STATUS_OF_RUN;
  }
  if (wanders)
    document_say(
        document, LINES_APART,
        "What is said of the observations is of this run alone: its level wanders, more the "
        "longer one looks, so that another run may be at another.");
  if (conditional)
    document_say(
        document, LINES_APART,
        "What is said of the observations holds if the draws are independent: those named below "
        "keep "
        "no order, or are too few to show it. Measure more with what keeps it (.csv, --joint), or "
        "assert it (--exchangeable).");
}

void percentiles_observed(struct document *document, const struct percentiles *run) {
  for (size_t c = 0; c < run->curves.count && run->has_observed; c++) {
    say_comparison(document, run, &run->curves.data[c]);
    put_comparison(document, run, &run->curves.data[c]);
  }
  if (run->is_paired)
    say_paired(document, run);
  say_unordered(document, run);
}
