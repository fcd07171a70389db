/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/simulate.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/jsonl.h"
#include "show/table.h"
#include "show/wrapped.h"

static const char *const verdicts[] = {"same", "changed", "too few samples to tell"};

/* --- text ------------------------------------------------------------------------------------- */

static void name_way(struct text *text, const struct simulate_way *way) {
  switch (way->kind) {
  case SIMULATE_FULL:
    text_format(text, "full rate, %.0f Hz", way->rate);
    break;
  case SIMULATE_FIXED:
    text_format(text, "fixed, %.0f Hz", way->rate);
    break;
  case SIMULATE_PUBLISHED:
    text_format(text, "adaptive as published");
    break;
  default:
    text_format(text, "adaptive");
  }
}

static void add_way(struct table *table, const struct simulate_way *way) {
  struct text name;
  text_init(&name);
  name_way(&name, way);
  table_take(table, &name);
  table_cell(table, "%" PRIu64, way->samples);
  table_cell(table, "%.1f %%", 100 * way->spent);
  if (isfinite(way->relative))
    table_cell(table, "%.2f", way->relative);
  else
    table_cell(table, "none to compare with");
  table_cell(table, "%.3f %%", 100 * sqrt(fmax(way->squared, 0)));
  table_cell(table, "%.2f %%", 100 * way->top_error);
  if (way->kind >= SIMULATE_PUBLISHED)
    table_cell(table, "%u", way->changes);
  else
    table_cell(table, "%s", "");
}

static void print_ways(const struct simulate_answer *a) {
  struct table table;
  table_init(&table);
  table_column(&table, TABLE_LEFT, "sampling");
  table_column(&table, TABLE_RIGHT, "samples");
  table_column(&table, TABLE_RIGHT, "of full\nrate's");
  table_column(&table, TABLE_RIGHT, "squared error,\ntimes full rate's");
  table_column(&table, TABLE_RIGHT, "of a share\nin a window");
  table_column(&table, TABLE_RIGHT, "error of\ntop 50");
  table_column(&table, TABLE_RIGHT, "changes\nseen");
  for (size_t i = 0; i < a->simulation.ways.count; i++)
    add_way(&table, &a->simulation.ways.data[i]);
  table_print(stdout, &table, 4);
  table_clear(&table);
}

static void print_course(const struct simulate_answer *a) {
  struct table table;
  table_init(&table);
  table_column(&table, TABLE_RIGHT, "window at");
  table_column(&table, TABLE_RIGHT, "rate");
  table_column(&table, TABLE_RIGHT, "samples");
  table_column(&table, TABLE_RIGHT, "divergence");
  table_column(&table, TABLE_RIGHT, "threshold");
  table_column(&table, TABLE_LEFT, "");
  for (size_t i = 0; i < a->simulation.course.count; i++) {
    const struct simulate_window *w = &a->simulation.course.data[i];
    table_cell(&table, "%.3f s", (double)w->start / 1e9);
    table_cell(&table, "%" PRIu32 " Hz", w->rate);
    table_cell(&table, "%" PRIu32, w->samples);
    table_cell(&table, "%.4f", w->divergence);
    table_cell(&table, "%.4f", w->threshold);
    table_cell(&table, "%s", verdicts[w->verdict]);
  }
  putchar('\n');
  table_print(stdout, &table, 4);
  table_clear(&table);
}

static void add_point(struct table *table, const struct prune_point *point) {
  table_cell(table, "%.4g %%", 100 * point->keep);
  table_cell(table, "%zu", point->kept);
  table_cell(table, "%.2f %%", 100 * point->error_dropped);
  table_cell(table, "%.2f %%", 100 * point->error);
  table_cell(table, "%.1f %%", 100 * (1 - point->folded));
}

static void print_curve(const struct simulate_answer *a) {
  const struct prune_curve *curve = &a->curve;
  struct table table;
  wrapped_format(
      2, 2,
      "Leaving out threads: of %zu, the heaviest that hold a share of all samples. Of the "
      "others all is dropped (as published), or only callers, as --keep does.",
      curve->threads);
  table_init(&table);
  table_column(&table, TABLE_RIGHT, "keep");
  table_column(&table, TABLE_RIGHT, "threads");
  table_column(&table, TABLE_RIGHT, "error of top 50\nwith all dropped");
  table_column(&table, TABLE_RIGHT, "with only\ncallers dropped");
  table_column(&table, TABLE_RIGHT, "frames not\nfolded");
  for (size_t i = 0; i < curve->points.count; i++)
    add_point(&table, &curve->points.data[i]);
  table_print(stdout, &table, 4);
  table_clear(&table);
  wrapped_format(2, 2,
                 "With --keep %.6g%% (%zu thread%s) the error of the top 50 is at most %.2f %%: "
                 "%.2f %%, and %.1f %% of the frames need not be folded.",
                 floor(1e6 * curve->chosen.keep) / 1e4, curve->chosen.kept,
                 curve->chosen.kept == 1 ? "" : "s", 100 * a->limit, 100 * curve->chosen.error,
                 100 * (1 - curve->chosen.folded));
}

void simulate_print_text(const struct simulate_answer *a, bool full) {
  if (a->timed) {
    wrapped_format(2, 2, "%" PRIu64 " samples of %zu functions, in %zu windows of %.4g s.",
                   a->simulation.samples, a->simulation.functions, a->simulation.windows,
                   (double)a->options.window / 1e9);
    putchar('\n');
    print_ways(a);
    if (full)
      print_course(a);
    putchar('\n');
  }
  print_curve(a);
}

/* --- JSON ------------------------------------------------------------------------------------- */

static void print_way(const struct simulate_way *way) {
  static const char *const kinds[] = {"full", "fixed", "published", "adaptive"};
  struct jsonl *line = jsonl_new("way");
  jsonl_text(line, "sampling", kinds[way->kind]);
  jsonl_number(line, "rate", way->rate);
  jsonl_integer(line, "samples", (int64_t)way->samples);
  jsonl_number(line, "spent", way->spent);
  jsonl_number(line, "squared_error", way->squared);
  if (isfinite(way->relative))
    jsonl_number(line, "relative", way->relative);
  jsonl_number(line, "top_error", way->top_error);
  jsonl_integer(line, "changes", way->changes);
  jsonl_print(line);
}

static void print_window(const struct simulate_window *w) {
  struct jsonl *line = jsonl_new("sampling_window");
  jsonl_integer(line, "start_ns", w->start);
  jsonl_integer(line, "rate", w->rate);
  jsonl_integer(line, "samples", w->samples);
  jsonl_text(line, "verdict", verdicts[w->verdict]);
  jsonl_number(line, "divergence", w->divergence);
  jsonl_number(line, "threshold", w->threshold);
  jsonl_print(line);
}

static void print_point(const struct prune_point *point, bool chosen) {
  struct jsonl *line = jsonl_new("pruning");
  jsonl_number(line, "keep", point->keep);
  jsonl_integer(line, "threads", (int64_t)point->kept);
  jsonl_number(line, "held", point->held);
  jsonl_number(line, "error", point->error);
  jsonl_number(line, "error_dropped", point->error_dropped);
  jsonl_number(line, "folded", point->folded);
  jsonl_flag(line, "chosen", chosen);
  jsonl_print(line);
}

void simulate_print_json(const struct simulate_answer *a) {
  for (size_t i = 0; i < a->simulation.ways.count && a->timed; i++)
    print_way(&a->simulation.ways.data[i]);
  for (size_t i = 0; i < a->simulation.course.count && a->timed; i++)
    print_window(&a->simulation.course.data[i]);
  for (size_t i = 0; i < a->curve.points.count; i++)
    print_point(&a->curve.points.data[i], false);
  print_point(&a->curve.chosen, true);
}
