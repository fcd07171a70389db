/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/simulate.h"

#include <inttypes.h>
#include <math.h>

static const struct object_key way_keys[] = {
    KEY("sampling", TEXT, .marks = MARK_NAMES, .words = "full|fixed|published|adaptive"),
    KEY("rate", NUMBER, .marks = MARK_NAMES),
    KEY("samples", COUNT),
    KEY("spent", SHARE, .note = "share of the samples of the full rate"),
    KEY("squared_error", NUMBER),
    KEY("relative", NUMBER, .marks = MARK_MAYBE,
        .note = "to that of a fixed rate; not there: no number"),
    KEY("top_error", SHARE),
    KEY("changes", COUNT),
    {0}};
static const struct object_kind way_kind = {"way", "of `profile simulate`", way_keys};

#define WINDOW_VERDICTS "same|changed|too few samples to tell"

static const struct object_key window_keys[] = {KEY("start_ns", NS, .marks = MARK_NAMES),
                                                KEY("rate", COUNT),
                                                KEY("samples", COUNT),
                                                KEY("verdict", TEXT, .words = WINDOW_VERDICTS),
                                                KEY("divergence", NUMBER),
                                                KEY("threshold", NUMBER),
                                                {0}};
static const struct object_kind window_kind = {"sampling_window", "of `profile simulate`",
                                               window_keys};

static const struct object_key pruning_keys[] = {
    KEY("keep", SHARE, .marks = MARK_NAMES),
    KEY("threads", COUNT),
    KEY("held", SHARE),
    KEY("error", SHARE),
    KEY("error_dropped", SHARE),
    KEY("worst", SHARE, .note = "the greatest error of one function"),
    KEY("folded", SHARE),
    KEY("chosen", FLAG, .marks = MARK_NAMES, .note = "the last line: what calibration chose"),
    {0}};
static const struct object_kind pruning_kind = {"pruning", "of `profile simulate`", pruning_keys};

const struct object_kind *const simulate_kinds[] = {&way_kind, &window_kind, &pruning_kind,
                                                    &assumption_kind, NULL};

/* --- ways to sample --------------------------------------------------------------------------- */

static void put_way(struct objects *ways, const struct simulate_way *way) {
  static const char *const kinds[] = {"full", "fixed", "published", "adaptive"};
  objects_add(ways);
  object_text(ways, "sampling", kinds[way->kind]);
  if (way->kind <= SIMULATE_FIXED)
    object_words(ways, "sampling",
                 way->kind == SIMULATE_FULL ? "full rate, %.0f Hz" : "fixed, %.0f Hz", way->rate);
  else if (way->kind == SIMULATE_PUBLISHED)
    object_words(ways, "sampling", "adaptive as published");
  object_number(ways, "rate", way->rate);
  object_count(ways, "samples", way->samples);
  object_number(ways, "spent", way->spent);
  object_number(ways, "squared_error", way->squared);
  object_words(ways, "squared_error", "%.3f %%", 100 * sqrt(fmax(way->squared, 0)));
  if (isfinite(way->relative)) {
    object_number(ways, "relative", way->relative);
    object_words(ways, "relative", "%.2f", fmax(way->relative, 0)); /* below 0 by chance */
  } else
    object_words(ways, "relative", "none to compare with");
  object_number(ways, "top_error", way->top_error);
  object_count(ways, "changes", way->changes);
  if (way->kind < SIMULATE_PUBLISHED)
    object_words(ways, "changes", "%s", "");
}

static void show_ways(struct document *document, const struct simulate_answer *a) {
  static const struct object_column columns[] = {
      {.title = "sampling", .key = "sampling"},
      {.title = "samples", .align = TABLE_RIGHT, .key = "samples"},
      {.title = "of full\nrate's", .align = TABLE_RIGHT, .key = "spent", .decimals = 1},
      {.title = "squared error,\ntimes full rate's",
       .align = TABLE_RIGHT,
       .key = "relative",
       .decimals = 2},
      {.title = "of a share\nin a window", .align = TABLE_RIGHT, .key = "squared_error"},
      {.title = "error of\ntop 50", .align = TABLE_RIGHT, .key = "top_error", .decimals = 2},
      {.title = "changes\nseen", .align = TABLE_RIGHT, .key = "changes"},
  };
  struct objects *ways = document_objects(document, &way_kind);
  for (size_t i = 0; i < a->simulation.ways.count; i++)
    put_way(ways, &a->simulation.ways.data[i]);
  document_table(document, LINES_APART, 4, ways, columns, sizeof columns / sizeof *columns);
}

/* The fixed rate whose number of samples is nearest to what a way took. */
static const struct simulate_way *fixed_like(const struct simulate_answer *a,
                                             const struct simulate_way *way) {
  const struct simulate_way *nearest = NULL;
  for (size_t i = 0; i < a->simulation.ways.count; i++) {
    const struct simulate_way *fixed = &a->simulation.ways.data[i];
    if (fixed->kind == SIMULATE_FIXED &&
        (nearest == NULL || fabs(fixed->spent - way->spent) < fabs(nearest->spent - way->spent)))
      nearest = fixed;
  }
  return nearest;
}

/* The report of `profile` is of the whole run, for which adaption is not made. */
static void say_adaptive(struct document *document, const struct simulate_answer *a) {
  const struct simulate_way *adaptive = NULL;
  for (size_t i = 0; i < a->simulation.ways.count; i++)
    if (a->simulation.ways.data[i].kind == SIMULATE_ADAPTIVE)
      adaptive = &a->simulation.ways.data[i];
  const struct simulate_way *fixed = adaptive == NULL ? NULL : fixed_like(a, adaptive);
  if (fixed == NULL || fixed->top_error >= adaptive->top_error)
    return;
  bool windows = adaptive->squared < fixed->squared;
  document_say(document, LINES_CLOSE,
               "Over the whole run, which is what a report shows, a fixed rate is better: --rate "
               "%.0f has %.2f %% of error in the top 50 with %.1f %% of the samples, --adaptive "
               "%.2f %% with %.1f %%. %s",
               fixed->rate, 100 * fixed->top_error, 100 * fixed->spent, 100 * adaptive->top_error,
               100 * adaptive->spent,
               windows ? "Window by window --adaptive is better."
                       : "Window by window it is, too: there is no reason for --adaptive here.");
}

static void show_course(struct document *document, const struct simulate_answer *a) {
  static const char *const verdicts[] = {"same", "changed", "too few samples to tell"};
  static const struct object_column columns[] = {
      {.title = "window at", .align = TABLE_RIGHT, .key = "start_ns"},
      {.title = "rate", .align = TABLE_RIGHT, .key = "rate"},
      {.title = "samples", .align = TABLE_RIGHT, .key = "samples"},
      {.title = "divergence", .align = TABLE_RIGHT, .key = "divergence", .decimals = 4},
      {.title = "threshold", .align = TABLE_RIGHT, .key = "threshold", .decimals = 4},
      {.title = "", .key = "verdict"},
  };
  struct objects *course = document_objects(document, &window_kind);
  for (size_t i = 0; i < a->simulation.course.count; i++) {
    const struct simulate_window *w = &a->simulation.course.data[i];
    objects_add(course);
    object_shown(course, SHOWN_FULL);
    object_ns(course, "start_ns", w->start);
    object_words(course, "start_ns", "%.3f s", (double)w->start / 1e9);
    object_count(course, "rate", w->rate);
    object_words(course, "rate", "%" PRIu32 " Hz", w->rate);
    object_count(course, "samples", w->samples);
    object_text(course, "verdict", verdicts[w->verdict]);
    object_number(course, "divergence", w->divergence);
    object_number(course, "threshold", w->threshold);
  }
  document_table(document, LINES_APART, 4, course, columns, sizeof columns / sizeof *columns);
}

/* --- leaving out threads ---------------------------------------------------------------------- */

static void put_point(struct objects *points, const struct prune_point *point, bool chosen) {
  objects_add(points);
  object_shown(points, chosen ? SHOWN_PROGRAMS : SHOWN_ALWAYS);
  object_number(points, "keep", point->keep);
  object_words(points, "keep", "%.4g %%", 100 * point->keep);
  object_count(points, "threads", point->kept);
  object_number(points, "held", point->held);
  object_number(points, "error", point->error);
  object_number(points, "error_dropped", point->error_dropped);
  object_number(points, "worst", point->worst);
  object_number(points, "folded", point->folded);
  object_words(points, "folded", "%.1f %%", 100 * (1 - point->folded));
  object_flag(points, "chosen", chosen);
}

static void say_chosen(struct document *document, const struct simulate_answer *a) {
  const struct prune_point *chosen = &a->curve.chosen;
  struct text text;
  text_init(&text);
  text_format(&text,
              "With --keep %.6g%% (%zu of %zu threads) the error of the top 50 is at most %.2f %%: "
              "%.2f %%, and %.1f %% of the frames need not be folded.",
              floor(1e6 * chosen->keep) / 1e4, chosen->kept, a->curve.threads, 100 * a->limit,
              100 * chosen->error, 100 * (1 - chosen->folded));
  if (a->worst.length != 0)
    text_format(&text, " Most is lost of %s: %.2g %% of its total.", text_get(&a->worst),
                100 * chosen->worst);
  document_take(document, LINES_CLOSE, 2, &text);
  text_clear(&text);
}

static void show_curve(struct document *document, const struct simulate_answer *a) {
  static const struct object_column columns[] = {
      {.title = "keep", .align = TABLE_RIGHT, .key = "keep"},
      {.title = "threads", .align = TABLE_RIGHT, .key = "threads"},
      {.title = "error of top 50\nwith all dropped",
       .align = TABLE_RIGHT,
       .key = "error_dropped",
       .decimals = 2},
      {.title = "with only\ncallers dropped", .align = TABLE_RIGHT, .key = "error", .decimals = 2},
      {.title = "worst\nfunction", .align = TABLE_RIGHT, .key = "worst", .decimals = 2},
      {.title = "frames not\nfolded", .align = TABLE_RIGHT, .key = "folded"},
  };
  const struct prune_curve *curve = &a->curve;
  document_section(document, "threads", "Leaving out threads");
  document_say(document, LINES_APART,
               "Leaving out threads: of %zu, the heaviest that hold a share of all samples. Of the "
               "others all is dropped (as published), or only callers, as --keep does.",
               curve->threads);
  struct objects *points = document_objects(document, &pruning_kind);
  for (size_t i = 0; i < curve->points.count; i++)
    put_point(points, &curve->points.data[i], false);
  put_point(points, &curve->chosen, true);
  document_table(document, LINES_CLOSE, 4, points, columns, sizeof columns / sizeof *columns);
  document_say(document, LINES_CLOSE,
               "The error is the mean of the top 50 by self or of the top 50 by total, callers "
               "with them, whichever is greater.");
  say_chosen(document, a);
}

void simulate_document(struct document *document, const struct simulate_answer *a) {
  document_init(document, "profile simulate", simulate_kinds);
  document_title(document, "What other sampling would have shown");
  if (a->timed) {
    document_say(document, LINES_APART,
                 "%" PRIu64 " samples of %zu functions, in %zu windows of %.4g s.",
                 a->simulation.samples, a->simulation.functions, a->simulation.windows,
                 (double)a->options.window / 1e9);
    document_section(document, "ways", "Ways to sample");
    show_ways(document, a);
    say_adaptive(document, a);
    show_course(document, a);
  }
  show_curve(document, a);
  document_ledger(document, &a->ledger);
}
