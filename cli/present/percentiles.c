/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answer of `percentiles` as a document (percentiles.h): the table, its marks, and what they
 * mean.
 */
#include <inttypes.h>

#include "base/duration.h"
#include "cli/present/evidence.h"
#include "cli/present/missing_time.h"
#include "cli/present/percentiles.h"
#include "cli/question/percentiles/observation.h"
#include "cli/question/percentiles/percentiles.h"

/* --- kinds ------------------------------------------------------------------------------------ */

#define WAYS "convolution|draws|requests"
#define MAYBE_TIME(side) (MARK_MAYBE | MARK_DIGITS | (side))

static const struct object_key percentile_keys[] = {
    KEY("bound", TEXT, .marks = MARK_NAMES),
    KEY("p", TEXT, .marks = MARK_NAMES),
    KEY("dependence", TEXT, .marks = MARK_NAMES, .words = "independent|unknown"),
    KEY("lower_ns", NS, .marks = MARK_DIGITS | MARK_LOWER),
    KEY("upper_ns", NS, .marks = MARK_DIGITS | MARK_UPPER),
    KEY("model_based", FLAG, .marks = MARK_NAMES | MARK_MAYBE, .note = "with `--tail gpd`"),
    KEY("lower_by", TEXT, .marks = MARK_MAYBE, .words = WAYS),
    KEY("upper_by", TEXT, .marks = MARK_MAYBE, .words = WAYS, .note = "of a finite end"),
    KEY("settled", FLAG, .marks = MARK_NAMES, .note = "false: no confidence can be promised"),
    KEY("samples_needed", COUNT, .marks = MARK_MAYBE | MARK_DIGITS),
    KEY("endless", TEXT, .marks = MARK_MAYBE, .words = "beyond|grid",
        .note = "`beyond`: too many observations without an end"),
    KEY("observed_ns", NS, .marks = MAYBE_TIME(MARK_UPPER)),
    KEY("observed_lower_ns", NS, .marks = MAYBE_TIME(MARK_LOWER)),
    KEY("observed_upper_ns", NS, .marks = MAYBE_TIME(MARK_UPPER),
        .note = "the interval of the system's"),
    KEY("observation", TEXT, .marks = MARK_MAYBE, .words = OBSERVATION_WORDS),
    KEY("dominates", FLAG, .marks = MARK_MAYBE, .note = "it is `dominated`"),
    {0}};
static const struct object_kind percentile_kind = {"percentile", NULL, percentile_keys};

static const struct object_key grid_keys[] = {
    KEY("shape", TEXT, .words = "log|linear"),
    KEY("step_ns", NS, .marks = MARK_MAYBE),
    KEY("points", COUNT),
    KEY("slack", NUMBER, .marks = MARK_UPPER, .note = "predicted, relative"),
    {0}};
static const struct object_kind grid_kind = {"grid", NULL, grid_keys};

/* A line of the table: of one percentile what all curves say. */
static const struct object_key line_keys[] = {KEY("p", TEXT),
                                              KEY("lower0", NS, .marks = MARK_LOWER),
                                              KEY("upper0", NS, .marks = MARK_UPPER),
                                              KEY("lower1", NS, .marks = MARK_LOWER),
                                              KEY("upper1", NS, .marks = MARK_UPPER),
                                              KEY("observed", NS, .marks = MARK_UPPER),
                                              KEY("standing", TEXT),
                                              KEY("mark", TEXT),
                                              {0}};
static const struct object_kind line_kind = {"line", NULL, line_keys};

const struct object_kind *const percentiles_kinds[] = {
    &percentile_kind,   &comparison_kind, &missing_kind,  &above_kind,      &slo_kind,
    &contribution_kind, &grid_kind,       &evidence_kind, &assumption_kind, NULL};

/* --- the table -------------------------------------------------------------------------------- */

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

static void put_line(struct objects *lines, const struct percentiles *run,
                     const struct wanted *wanted) {
  static const char *const ends[CURVES_MAX][2] = {{"lower0", "upper0"}, {"lower1", "upper1"}};
  const struct percentile *found[CURVES_MAX];
  bool modelled = false;
  objects_add(lines);
  object_shown(lines, SHOWN_PEOPLE);
  object_words(lines, "p", "p%s", wanted->text);
  for (size_t c = 0; c < run->curves.count; c++) {
    found[c] = percentiles_at(run, &run->curves.data[c], &wanted->share);
    const struct interval *i = &found[c]->interval;
    object_time(lines, ends[c][0], i->lower_finite, i->lower_ns);
    object_time(lines, ends[c][1], i->upper_finite, i->upper_ns);
    modelled |= i->model_based;
  }
  if (run->has_observed) {
    object_time(lines, "observed", found[0]->observed_finite, found[0]->observed_ns);
    object_text(lines, "standing", standing(run, found));
  }
  object_text(lines, "mark", modelled ? "model-based" : "");
}

static void show_lines(struct document *document, const struct percentiles *run) {
  static const struct object_column columns[] = {
      {.title = "", .key = "p"},
      {.title = "at least", .align = TABLE_RIGHT, .key = "lower0"},
      {.title = "at most", .align = TABLE_RIGHT, .key = "upper0"},
      {.title = "any dependence\nat least", .align = TABLE_RIGHT, .key = "lower1"},
      {.title = "any dependence\nat most", .align = TABLE_RIGHT, .key = "upper1"},
      {.title = "observed", .align = TABLE_RIGHT, .key = "observed"},
      {.title = "", .key = "standing"},
      {.title = "", .key = "mark"},
  };
  struct objects *lines = document_objects(document, &line_kind);
  for (size_t i = 0; i < run->wanted.count; i++)
    put_line(lines, run, &run->wanted.data[i]);
  document_table(document, LINES_APART, 2, lines, columns, sizeof columns / sizeof *columns);
  if (run->curves.count == 2) {
    document_column_title(document, 1, "independent\nat least");
    document_column_title(document, 2, "independent\nat most");
  }
}

static void put_percentile(struct objects *objects, const struct percentiles *run,
                           const struct wanted *wanted, const struct curve *curve) {
  static const char *const ways[] = {"convolution", "draws", "requests"};
  const struct percentile *p = percentiles_at(run, curve, &wanted->share);
  const struct interval *i = &p->interval;
  objects_add(objects);
  object_text(objects, "bound", run->calculation.bound->name);
  object_text(objects, "p", wanted->text);
  object_text(objects, "dependence", dependence_name(curve->estimate.dependence));
  object_time(objects, "lower_ns", i->lower_finite, i->lower_ns);
  object_time(objects, "upper_ns", i->upper_finite, i->upper_ns);
  if (curve->estimate.proved.tail != NULL)
    object_flag(objects, "model_based", i->model_based);
  if (i->lower_finite)
    object_text(objects, "lower_by", ways[i->lower_way]);
  if (i->upper_finite)
    object_text(objects, "upper_by", ways[i->upper_way]);
  object_flag(objects, "settled", i->settled);
  if (p->samples_needed != 0)
    object_count(objects, "samples_needed", p->samples_needed);
  if (p->endless != ENDLESS_NOT)
    object_text(objects, "endless", endless_name(p->endless));
  if (run->has_observed) {
    object_time(objects, "observed_ns", p->observed_finite, p->observed_ns);
    object_time(objects, "observed_lower_ns", p->least_ns < SAMPLE_NS_MAX, p->least_ns);
    object_time(objects, "observed_upper_ns", p->most_ns < SAMPLE_NS_MAX, p->most_ns);
    object_text(objects, "observation", observation_name(p->observation));
    object_flag(objects, "dominates", p->observation == OBSERVATION_DOMINATED);
  }
}

static void put_percentiles(struct document *document, const struct percentiles *run) {
  struct objects *objects = document_objects(document, &percentile_kind);
  for (size_t i = 0; i < run->wanted.count; i++)
    for (size_t c = 0; c < run->curves.count; c++)
      put_percentile(objects, run, &run->wanted.data[i], &run->curves.data[c]);
}

/* What is calculated, and with what confidence. */
static void say_heading(struct document *document, const struct percentiles *run) {
  struct text text;
  text_init(&text);
  document_say(document, LINES_APART, "%s is at most", run->calculation.bound->target_text);
  expression_print(&text, run->calculation.expression);
  document_code(document, 4, &text);
  if (rational_sign(&run->request->of.confidence) == 0)
    return;
  rational_print_short(&text, &run->request->of.confidence);
  document_say(document, LINES_CLOSE, "and so, with confidence %s:", text.data);
  text_clear(&text);
}

/* What the mark behind a row means. */
static void say_marks(struct document *document, const struct percentiles *run) {
  for (size_t w = 0; w < run->wanted.count; w++)
    for (size_t c = 0; c < run->curves.count; c++)
      if (percentiles_at(run, &run->curves.data[c], &run->wanted.data[w].share)
              ->interval.model_based) {
        document_say(document, LINES_APART,
                     "model-based: `at most` rests on a fitted tail and is not proved.");
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
static void say_endless(struct document *document, const struct percentiles *run,
                        enum endless endless) {
  struct text text;
  text_init(&text);
  for (size_t w = 0; w < run->wanted.count; w++)
    if (percentiles_at(run, &run->curves.data[0], &run->wanted.data[w].share)->endless == endless)
      text_format(&text, "%sp%s", text.length == 0 ? "" : ", ", run->wanted.data[w].text);
  if (text.length != 0) {
    text_append(&text, ": infinite with any number of samples: ");
    endless_explain(&text, &run->calculation, endless);
    text_append(&text, ".");
    document_take(document, LINES_APART, 2, &text);
  }
  text_clear(&text);
}

/* What it would take where a percentile is infinite, and who is short of it. */
static void say_needs(struct document *document, const struct percentiles *run) {
  enum lines lines = LINES_APART;
  say_endless(document, run, ENDLESS_BEYOND);
  say_endless(document, run, ENDLESS_GRID);
  for (size_t w = 0; w < run->wanted.count; w++) {
    const struct wanted *wanted = &run->wanted.data[w];
    const struct percentile *p = percentiles_at(run, &run->curves.data[0], &wanted->share);
    if (p->interval.upper_finite || p->samples_needed == 0)
      continue;
    struct text of_what, who, text;
    text_init(&of_what);
    text_init(&who);
    text_init(&text);
    if (observation_print_short(&of_what, &who, run, p)) {
      text_format(&text, "p%s takes %" PRIu64 " independent %s to be finite; %s.", wanted->text,
                  p->samples_needed, of_what.data, who.data);
      document_item(document, lines, 2, &text);
      lines = LINES_CLOSE;
    }
    text_clear(&of_what);
    text_clear(&who);
  }
}

/* Why percentiles of the observation cannot be told. */
static void say_untold(struct document *document, const struct percentiles *run) {
  for (size_t w = 0; w < run->wanted.count; w++)
    for (size_t c = 0; c < run->curves.count; c++) {
      struct text why, text;
      text_init(&why);
      text_init(&text);
      const struct percentile *p =
          percentiles_at(run, &run->curves.data[c], &run->wanted.data[w].share);
      if (p->why != OBSERVATION_NO_BOUND || p->samples_needed == 0) /* else it was said above */
        observation_explain(&why, run, p);
      if (why.length != 0)
        text_format(&text, "p%s%s cannot tell: %s.", run->wanted.data[w].text, where_of(run, c),
                    why.data);
      document_item(document, LINES_CLOSE, 2, &text);
      text_clear(&why);
    }
}

/* What independence hides, where rows show that it does not hold. */
static void say_dependence(struct document *document, const struct percentiles *run) {
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
  document_take(document, LINES_APART, 2, &text);
  text_clear(&text);
}

/* Only where something is decided. */
static void say_scope(struct document *document, const struct percentiles *run) {
  bool decided = false;
  for (size_t i = 0; i < run->results.count; i++)
    decided |= slo_status(run->results.data[i].state) != STATUS_UNKNOWN;
  if (decided && run->one_run)
    document_say(document, LINES_APART,
                 "Limits are of one run: what differs from run to run, or wanders more slowly than "
                 "a run lasts, is not in them%s.",
                 run->request->of.joint.count == 0 && run->request->of.stream == NULL
                     ? "; further runs show it (--run DIR)"
                     : "");
}

/* --- all of it -------------------------------------------------------------------------------- */

static void put_grid(struct document *document, const struct percentiles *run) {
  const struct grid_choice *choice = &run->calculation.grid;
  bool linear = grid_is_linear(&choice->grid);
  struct objects *grid = document_objects(document, &grid_kind);
  objects_add(grid);
  object_text(grid, "shape", linear ? "linear" : "log");
  if (linear)
    object_ns(grid, "step_ns", INT64_C(1) << choice->grid.shift);
  object_count(grid, "points", grid_count(&choice->grid));
  object_number(grid, "slack", choice->slack);
}

static void put_evidence(struct document *document, const struct percentiles *run) {
  const struct laws *laws = &run->calculation.laws;
  struct objects *objects = document_objects(document, &evidence_kind);
  for (size_t i = 0; i < laws->entries.count; i++) {
    const struct law_entry *entry = laws->entries.data[i];
    if (entry->compose == NULL && entry->path != NULL && entry->sample.total != 0)
      evidence_put(objects, entry->path, &entry->sample, &entry->serial);
  }
  if (!run->has_observed)
    return;
  struct serial serial = levels_overall(run->observed_levels);
  evidence_put(objects, "observed", &run->observed, &serial);
}

void percentiles_document(struct document *document, const struct percentiles *run,
                          const struct document_page *page) {
  document_init(document, "percentiles", percentiles_kinds);
  document_title(document, "Percentiles of %s", run->calculation.bound->name);
  document_made(document, page);
  say_heading(document, run);
  document_figures(document, page, run, 0);
  document_section(document, "percentiles", "Percentiles");
  show_lines(document, run);
  put_percentiles(document, run);
  say_marks(document, run);
  say_needs(document, run);
  if (run->has_observed)
    say_untold(document, run);
  say_dependence(document, run);
  percentiles_answers(document, run);
  say_scope(document, run);
  percentiles_observed(document, run);
  missing_time_document(document, run);
  put_grid(document, run);
  put_evidence(document, run);
  document_figures(document, page, run, 1);
  document_ledger(document, &run->calculation.ledger);
}
