/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What an experiment predicts of each change, and which service is to be faster first
 * (throughput.h).
 */
#include <math.h>
#include <string.h>

#include "cli/present/throughput.h"
#include "measure/throughput/experiment/estimate.h"
#include "measure/throughput/experiment/sizes.h"

static const struct object_key prediction_keys[] = {
    KEY("change", TEXT, .marks = MARK_NAMES),
    KEY("target", TEXT, .marks = MARK_NAMES | MARK_NULL),
    KEY("level", NUMBER, .marks = MARK_NAMES, .note = "per cent of its time"),
    KEY("saved_ns", NS, .note = "in a call"),
    KEY("saved_each_ns", NUMBER, .note = "for a user request"),
    KEY("windows", COUNT),
    KEY("answer", TEXT, .words = "predicted|between|cannot tell"),
    KEY("refused", TEXT, .marks = MARK_NULL,
        .note = "why it is not predicted, and what would decide it"),
    KEY("remark", TEXT, .marks = MARK_NULL,
        .note = "what contradicts it, where it is the number between two ends near each other"),
    KEY("batch", COUNT, .note = "requests of a round, the larger of two sizes that agree"),
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

static const char *const answers[] = {[ANSWER_CANNOT_TELL] = "cannot tell",
                                      [ANSWER_BETWEEN] = "between",
                                      [ANSWER_PREDICTED] = "predicted"};

static void put_estimate(struct objects *objects, const struct throughput_estimate *known) {
  object_text(objects, "answer", answers[known->answer]);
  if (known->given)
    object_number(objects, "throughput", known->value);
  else
    object_words(objects, "throughput", "-");
  if (known->bounded) {
    object_number(objects, "low", known->low);
    object_number(objects, "high", known->high);
  }
  if (known->measured > 0) {
    object_number(objects, "raw", known->raw);
    object_number(objects, "measured", known->measured);
    object_number(objects, "amplification", known->raw / known->measured);
  }
  if (known->gain_given)
    object_number(objects, "gain", known->gain);
  else
    object_words(objects, "gain", "-");
  if (known->gain_bounded) {
    object_number(objects, "gain_low", known->gain_low);
    object_number(objects, "gain_high", known->gain_high);
  }
}

/* Of both sizes of rounds where these agree. */
static void put_windows(struct objects *objects, const struct experiment *experiment,
                        const struct cell *cell) {
  struct sizes sizes = sizes_of(experiment, cell);
  bool both = sizes.changed == cell && !sizes_differ(&sizes.one->estimate, &sizes.other->estimate);
  object_count(objects, "windows",
               both ? sizes.one->good.count + sizes.other->good.count : cell->good.count);
  object_count(objects, "batch", both ? sizes.one->batch : cell->batch);
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
  object_number(objects, "saved_each_ns", (double)cell->pauses.saved_ps / 1e3);
  object_words(objects, "saved_each_ns", "%.1f us", (double)cell->pauses.saved_ps / 1e6);
  put_windows(objects, experiment, cell);
  object_text(objects, "refused", cell->estimate.given ? NULL : cell->estimate.refused);
  object_text(objects, "remark", cell->estimate.by_ends ? cell->estimate.refused : NULL);
  put_estimate(objects, &cell->estimate);
}

static bool has_reason(const struct cell *cell) {
  return cell->estimate.answer != ANSWER_PREDICTED || cell->estimate.by_ends;
}

static bool same_reason(const struct cell *a, const struct cell *b) {
  return a->estimate.answer == b->estimate.answer &&
         strcmp(a->estimate.refused, b->estimate.refused) == 0;
}

/* Why it is not predicted: changes with the same reason in one line. */
static void say_refusal(struct document *document, const struct experiment *experiment,
                        uint32_t target, size_t first) {
  const struct cell *cell = &experiment->cells.data[first];
  struct text text;
  text_init(&text);
  for (size_t c = first; c < experiment->checks; c++) {
    const struct cell *other = &experiment->cells.data[c];
    if (other->target != target || !has_reason(other) || !same_reason(other, cell))
      continue;
    text_append(&text, text.length == 0 ? "" : ", ");
    if (target == PLAN_SERVICES)
      text_append(&text, other->change.label);
    else
      text_format(&text, "%g %% less", other->level_ppm / 1e4);
  }
  text_format(&text, ": %s%s: %s.", answers[cell->estimate.answer],
              cell->estimate.by_ends ? ", as what is left is narrow" : "", cell->estimate.refused);
  document_item(document, LINES_CLOSE, 4, &text);
}

static void say_refusals(struct document *document, const struct experiment *experiment,
                         uint32_t target) {
  for (size_t c = FIRST_CHANGE; c < experiment->checks; c++) {
    const struct cell *cell = &experiment->cells.data[c];
    bool said = cell->target != target || !has_reason(cell);
    for (size_t before = FIRST_CHANGE; before < c && !said; before++) {
      const struct cell *other = &experiment->cells.data[before];
      said = other->target == target && has_reason(other) && same_reason(other, cell);
    }
    if (!said)
      say_refusal(document, experiment, target, c);
  }
}

/* Of one target, or of the changes that are on no curve. */
static void show_predictions(struct document *document, const struct experiment *experiment,
                             uint32_t target) {
  static const struct object_column columns[] = {
      {.title = "change", .key = "change"},
      {.title = "saved", .align = TABLE_RIGHT, .key = "saved_each_ns"},
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
  for (size_t c = FIRST_CHANGE; c < experiment->checks; c++)
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
  say_refusals(document, experiment, target);
}

/* --- which service first ---------------------------------------------------------------------- */

static void put_rank(struct objects *objects, const struct experiment *experiment,
                     const struct rank *rank, size_t place) {
  objects_add(objects);
  object_text(objects, "service", experiment->plan->services[rank->target].name);
  object_count(objects, "place", place);
  object_words(objects, "place", "%s", "");
  object_flag(objects, "gains", rank->gains);
  if (rank->bounded)
    object_number(objects, "gain_most", rank->most);
  if (rank->best == NULL) {
    if (rank->bounded)
      object_words(objects, "each_us", "cannot tell; at most %.1f %%",
                   ceil(1e3 * fmax(rank->most, 0)) / 10);
    else
      object_words(objects, "each_us", "nothing can be said");
    return;
  }
  const struct throughput_estimate *known = &rank->best->estimate;
  double level = rank->best->level_ppm / 1e4;
  object_number(objects, "level", level);
  object_number(objects, "each_us", rank->each);
  object_number(objects, "each_us_low", rank->each_low);
  if (!rank->gains) {
    object_words(objects, "each_us", "no gain seen; at most %.1f %%",
                 ceil(1e3 * fmax(rank->most, 0)) / 10);
    return;
  }
  object_words(objects, "place", "%zu.", place);
  if (known->gain_given)
    object_words(objects, "each_us",
                 "%g %% less: %+.1f %%, at least %+.1f %%; %+.3g requests/s for each us saved",
                 level, 100 * known->gain, 100 * known->gain_low, rank->each);
  else
    object_words(objects, "each_us", "%g %% less: between %+.1f and %+.1f %%", level,
                 100 * known->gain_low, 100 * known->gain_high);
}

/* Two that limit at the same throughput: less of one of them alone gains nothing. */
static void say_together(struct document *document, const struct experiment *experiment) {
  uint32_t targets[PLAN_SERVICES];
  size_t count = estimate_together(targets, experiment);
  struct text text;
  text_init(&text);
  for (size_t i = 0; i < count && i < CHANGE_PARTS; i++)
    text_format(&text, "%s%s=40%%", i == 0 ? "Several may limit at once: try --together " : ",",
                experiment->plan->services[targets[i]].name);
  if (count != 0)
    document_take(document, LINES_CLOSE, 2, &text);
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
  say_together(document, experiment);
}

void throughput_show_changes(struct document *document, const struct experiment *experiment) {
  for (uint32_t s = 0; s < experiment->plan->count; s++)
    show_predictions(document, experiment, s);
  show_predictions(document, experiment, PLAN_SERVICES);
  show_ranks(document, experiment);
}
