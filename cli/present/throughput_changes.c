/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What an experiment predicts of each change, and which service is to be faster first
 * (throughput.h).
 */
#include <math.h>

#include "cli/present/throughput.h"
#include "measure/throughput/experiment/estimate.h"

static const struct object_key prediction_keys[] = {
    KEY("change", TEXT, .marks = MARK_NAMES),
    KEY("target", TEXT, .marks = MARK_NAMES | MARK_NULL),
    KEY("level", NUMBER, .marks = MARK_NAMES, .note = "per cent of its time"),
    KEY("saved_ns", NS, .note = "in a call"),
    KEY("saved_each_ns", NUMBER, .note = "for a user request"),
    KEY("windows", COUNT),
    KEY("refused", TEXT, .marks = MARK_NULL, .note = "why; null: it is not, and has"),
    KEY("throughput", NUMBER, .marks = MARK_MAYBE),
    KEY("low", NUMBER, .marks = MARK_MAYBE | MARK_LOWER),
    KEY("high", NUMBER, .marks = MARK_MAYBE | MARK_UPPER),
    KEY("raw", NUMBER, .marks = MARK_MAYBE, .note = "before the curve was made monotone"),
    KEY("measured", NUMBER, .marks = MARK_MAYBE),
    KEY("amplification", NUMBER, .marks = MARK_MAYBE),
    KEY("gain", SHARE, .marks = MARK_MAYBE),
    KEY("gain_low", SHARE, .marks = MARK_MAYBE | MARK_LOWER),
    KEY("gain_high", SHARE, .marks = MARK_MAYBE | MARK_UPPER),
    {0}};
const struct object_kind throughput_prediction_kind = {"prediction", "of `whatif throughput`",
                                                       prediction_keys};

static const struct object_key rank_keys[] = {
    KEY("service", TEXT, .marks = MARK_NAMES),
    KEY("place", COUNT),
    KEY("gains", FLAG),
    KEY("level", NUMBER, .marks = MARK_MAYBE,
        .note = "of the best; this and what follows where "
                "something can be said"),
    KEY("each_us", NUMBER, .marks = MARK_MAYBE),
    KEY("each_us_low", NUMBER, .marks = MARK_MAYBE | MARK_LOWER,
        .note = "requests/s for each us saved"),
    KEY("gain_most", SHARE, .marks = MARK_MAYBE | MARK_UPPER),
    {0}};
const struct object_kind throughput_rank_kind = {"rank", "of `whatif throughput`", rank_keys};

/* --- predictions ------------------------------------------------------------------------------ */

static void put_estimate(struct objects *objects, const struct throughput_estimate *known) {
  if (!known->given) {
    object_words(objects, "throughput", "-");
    return;
  }
  object_number(objects, "throughput", known->value);
  object_number(objects, "low", known->low);
  object_number(objects, "high", known->high);
  object_number(objects, "raw", known->raw);
  object_number(objects, "measured", known->measured);
  object_number(objects, "amplification", known->raw / known->measured);
  if (!known->gain_given) {
    object_words(objects, "gain", "-");
    return;
  }
  object_number(objects, "gain", known->gain);
  object_number(objects, "gain_low", known->gain_low);
  object_number(objects, "gain_high", known->gain_high);
}

static void put_prediction(struct objects *objects, const struct experiment *experiment,
                           const struct cell *cell) {
  const struct experiment_plan *plan = experiment->plan;
  bool on_curve = cell->target < plan->count;
  objects_add(objects);
  object_text(objects, "change", cell->change.label);
  if (on_curve)
    object_words(objects, "change", "%g %% less", cell->level_ppm / 1e4);
  object_text(objects, "target", on_curve ? plan->services[cell->target].name : NULL);
  object_number(objects, "level", cell->level_ppm / 1e4);
  object_count(objects, "saved_ns", cell->pauses.saved_ns);
  if (on_curve)
    object_words(objects, "saved_ns", "%.1f us", (double)cell->pauses.saved_ns / 1e3);
  else
    object_words(objects, "saved_ns", "%s", "");
  object_number(objects, "saved_each_ns", (double)cell->pauses.saved_ps / 1e3);
  object_count(objects, "windows", cell->good.count);
  object_text(objects, "refused", cell->estimate.given ? NULL : cell->estimate.refused);
  put_estimate(objects, &cell->estimate);
}

/* Why there is no estimate, below the table. */
static void say_refusal(struct document *document, const struct cell *cell) {
  bool judged = cell->good.count != 0 || !cell->possible;
  struct text text;
  text_init(&text);
  if (cell->target == PLAN_SERVICES)
    text_append(&text, cell->change.label);
  else
    text_format(&text, "%g %% less", cell->level_ppm / 1e4);
  text_format(&text, ": %s%s.",
              judged               ? "cannot be predicted: "
              : cell->refused != 0 ? "no window could be believed: "
                                   : "",
              cell->estimate.refused);
  document_item(document, LINES_CLOSE, 4, &text);
}

/* Of one target, or of the changes that are on no curve. */
static void show_predictions(struct document *document, const struct experiment *experiment,
                             uint32_t target) {
  static const struct object_column columns[] = {
      {.title = "change", .key = "change"},
      {.title = "saved", .align = TABLE_RIGHT, .key = "saved_ns"},
      {.title = "requests/s", .align = TABLE_RIGHT, .key = "throughput", .decimals = -4},
      {.title = "between",
       .align = TABLE_RIGHT,
       .form = COLUMN_RANGE,
       .key = "low",
       .to = "high",
       .decimals = -4},
      {.title = "gain", .align = TABLE_RIGHT, .key = "gain", .decimals = 1},
      {.title = "between",
       .align = TABLE_RIGHT,
       .form = COLUMN_RANGE,
       .key = "gain_low",
       .to = "gain_high",
       .decimals = 1},
  };
  struct objects *objects = document_objects(document, &throughput_prediction_kind);
  for (size_t c = FIRST_CHANGE; c < experiment->cells.count; c++)
    if (experiment->cells.data[c].target == target)
      put_prediction(objects, experiment, &experiment->cells.data[c]);
  if (objects->items.count == 0)
    return;
  if (target == PLAN_SERVICES)
    document_say(document, LINES_APART, "With a change:");
  else
    document_say(document, LINES_APART,
                 "If %s were faster:", experiment->plan->services[target].name);
  document_table(document, LINES_CLOSE, 4, objects, columns, sizeof columns / sizeof *columns);
  for (size_t c = FIRST_CHANGE; c < experiment->cells.count; c++)
    if (experiment->cells.data[c].target == target && !experiment->cells.data[c].estimate.given)
      say_refusal(document, &experiment->cells.data[c]);
}

/* --- which service first ---------------------------------------------------------------------- */

static void put_rank(struct objects *objects, const struct experiment *experiment,
                     const struct rank *rank, size_t place) {
  objects_add(objects);
  object_text(objects, "service", experiment->plan->services[rank->target].name);
  object_count(objects, "place", place);
  object_words(objects, "place", "%s", "");
  object_flag(objects, "gains", rank->gains);
  if (rank->best == NULL) {
    object_words(objects, "each_us", "nothing can be said");
    return;
  }
  object_number(objects, "level", rank->best->level_ppm / 1e4);
  object_number(objects, "each_us", rank->each);
  object_number(objects, "each_us_low", rank->each_low);
  object_number(objects, "gain_most", rank->most);
  if (!rank->gains) {
    object_words(objects, "each_us", "no gain seen; at most %.1f %%",
                 ceil(1e3 * fmax(rank->most, 0)) / 10);
    return;
  }
  object_words(objects, "place", "%zu.", place);
  object_words(
      objects, "each_us",
      "%+.3g requests/s for each us saved in a call, at least %+.3g (%g %% less: %+.1f %%)",
      rank->each, rank->each_low, rank->best->level_ppm / 1e4, 100 * rank->best->estimate.gain);
}

static void show_ranks(struct document *document, const struct experiment *experiment) {
  static const struct object_column columns[] = {
      {.title = "", .align = TABLE_RIGHT, .key = "place"},
      {.title = "", .key = "service"},
      {.title = "", .key = "each_us"},
  };
  struct rank ranks[PLAN_SERVICES];
  size_t count = estimate_ranks(ranks, experiment);
  struct objects *objects = document_objects(document, &throughput_rank_kind);
  for (size_t i = 0; i < count; i++)
    put_rank(objects, experiment, &ranks[i], i + 1);
  if (count == 0)
    return;
  document_say(document, LINES_APART, "Which service first:");
  document_table(document, LINES_CLOSE, 2, objects, columns, sizeof columns / sizeof *columns);
}

void throughput_show_changes(struct document *document, const struct experiment *experiment) {
  for (uint32_t s = 0; s < experiment->plan->count; s++)
    show_predictions(document, experiment, s);
  show_predictions(document, experiment, PLAN_SERVICES);
  show_ranks(document, experiment);
}
