/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/throughput.h"

#include <inttypes.h>

static const struct object_key baseline_keys[] = {
    KEY("rounds", FLAG, .marks = MARK_NAMES, .note = "with rounds without pauses"),
    KEY("windows", COUNT),
    KEY("refused", TEXT, .marks = MARK_NULL, .note = "why nothing can be said"),
    KEY("throughput", NUMBER, .marks = MARK_MAYBE),
    KEY("low", NUMBER, .marks = MARK_MAYBE | MARK_LOWER),
    KEY("high", NUMBER, .marks = MARK_MAYBE | MARK_UPPER),
    {0}};
static const struct object_kind baseline_kind = {"baseline", "the application as it is",
                                                 baseline_keys};

static const struct object_key experiment_keys[] = {
    KEY("ended_by", TEXT, .marks = MARK_NULL, .note = "null: all was measured"),
    KEY("windows", COUNT, .note = "that count"),
    KEY("refused_windows", COUNT),
    KEY("noise", SHARE, .note = "relative scatter of a window"),
    {0}};
static const struct object_kind experiment_kind = {"experiment", NULL, experiment_keys};

const struct object_kind *const throughput_kinds[] = {&throughput_profile_kind,
                                                      &throughput_waiting_kind,
                                                      &baseline_kind,
                                                      &throughput_prediction_kind,
                                                      &throughput_rank_kind,
                                                      &experiment_kind,
                                                      NULL};

/* --- as it is --------------------------------------------------------------------------------- */

static void put_baseline(struct objects *objects, const struct cell *cell) {
  const struct throughput_estimate *known = &cell->estimate;
  bool rounds = cell->kind == CELL_ROUNDS;
  objects_add(objects);
  object_shown(objects, known->given ? SHOWN_ALWAYS : SHOWN_PROGRAMS);
  object_flag(objects, "rounds", rounds);
  object_words(objects, "rounds", "%s", rounds ? "rounds without pauses" : "now");
  object_count(objects, "windows", cell->good.count);
  object_text(objects, "refused", known->given ? NULL : known->refused);
  if (!known->given)
    return;
  object_number(objects, "throughput", known->value);
  object_number(objects, "low", known->low);
  object_number(objects, "high", known->high);
}

static void show_baselines(struct document *document, const struct experiment *experiment) {
  static const struct object_column columns[] = {
      {.title = "", .key = "rounds"},
      {.title = "requests/s", .align = TABLE_RIGHT, .key = "throughput", .decimals = -4},
      {.title = "between",
       .align = TABLE_RIGHT,
       .form = COLUMN_RANGE,
       .key = "low",
       .to = "high",
       .decimals = -4},
  };
  const struct throughput_estimate *base = &experiment->cells.data[BASE_CELL].estimate;
  const struct throughput_estimate *rounds = &experiment->cells.data[ROUNDS_CELL].estimate;
  struct objects *objects = document_objects(document, &baseline_kind);
  put_baseline(objects, &experiment->cells.data[BASE_CELL]);
  put_baseline(objects, &experiment->cells.data[ROUNDS_CELL]);
  document_table(document, LINES_APART, 2, objects, columns, sizeof columns / sizeof *columns);
  if (base->given && rounds->given)
    document_say(document, LINES_CLOSE, "Rounds alone change it by %+.1f %%.",
                 100 * (rounds->value / base->value - 1));
}

/* --- what it rests on ------------------------------------------------------------------------- */

static size_t count_windows(const struct experiment *experiment) {
  size_t windows = 0;
  for (size_t c = 0; c < experiment->cells.count; c++)
    windows += experiment->cells.data[c].good.count;
  return windows;
}

/* Answers that were errors count like others: so few that windows were believed. */
static void say_errors(struct document *document, const struct experiment *experiment) {
  uint32_t entry = experiment->plan->entry;
  uint64_t errors = 0;
  bool seen = experiment->first.sees_answers[entry];
  for (size_t c = 0; c < experiment->cells.count; c++)
    for (size_t i = 0; i < experiment->cells.data[c].good.count; i++) {
      const struct window *window = &experiment->cells.data[c].good.data[i];
      seen = seen || window->sees_answers[entry];
      errors += window->errors[entry];
    }
  const char *name = experiment->plan->services[entry].name;
  if (!seen)
    document_say(document, LINES_CLOSE,
                 "Whether %s answered with errors is not known: only a proxy sees answers.", name);
  else if (errors != 0)
    document_say(document, LINES_CLOSE,
                 "%" PRIu64 " answers of %s were errors; they count as requests.", errors, name);
}

static void say_basis(struct document *document, const struct experiment *experiment) {
  struct text text;
  text_init(&text);
  text_format(&text, "%zu windows", count_windows(experiment));
  if (experiment->refused != 0)
    text_format(&text, ", and %zu that were refused", experiment->refused);
  text_format(&text,
              "; one scatters by %.1f %%. Intervals: 95 %%, if that is chance and the services are "
              "what the plan says.",
              100 * experiment->noise);
  document_take(document, LINES_APART, 2, &text);
  say_errors(document, experiment);
  if (experiment->ended_by != NULL)
    document_say(document, LINES_CLOSE, "Ended early, by %s; --journal and --resume go on.",
                 experiment->ended_by);
}

static void put_experiment(struct document *document, const struct experiment *experiment) {
  struct objects *objects = document_objects(document, &experiment_kind);
  objects_add(objects);
  object_text(objects, "ended_by", experiment->ended_by);
  object_count(objects, "windows", count_windows(experiment));
  object_count(objects, "refused_windows", experiment->refused);
  object_number(objects, "noise", experiment->noise);
}

void throughput_document(struct document *document, const struct experiment *experiment,
                         const struct document_page *page) {
  const struct experiment_plan *plan = experiment->plan;
  struct text text;
  document_init(document, "whatif throughput", throughput_kinds);
  document_title(document, "What if a service were faster");
  document_made(document, page);
  text_init(&text);
  text_format(&text, "%s: requests enter at %s", plan->path, plan->services[plan->entry].name);
  document_take(document, LINES_CLOSE, 0, &text);
  throughput_show_services(document, experiment);
  show_baselines(document, experiment);
  document_figures(document, page, experiment, 0);
  throughput_show_changes(document, experiment);
  say_basis(document, experiment);
  put_experiment(document, experiment);
}
