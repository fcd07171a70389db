/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/runs.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/duration.h"
#include "base/jsonl.h"
#include "show/table.h"
#include "show/wrapped.h"
#include "cli/question/runs/runs.h"

static double error_of(const struct run_kind *kind, uint64_t runs) {
  return runs == 0 ? 0 : kind->spread_ns / sqrt((double)runs);
}

static void take_time(struct table *table, double ns) {
  struct text cell;
  text_init(&cell);
  duration_print_nearest(&cell, (int64_t)llround(ns));
  table_take(table, &cell);
}

void runs_print_text(const struct runs_answer *answer) {
  static const char *const titles[] = {"recorded", "then", "each takes", "error now", "then"};
  struct table table;
  table_init(&table);
  table_column(&table, TABLE_LEFT, "");
  for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
    table_column(&table, TABLE_RIGHT, titles[i]);
  for (size_t i = 0; i < answer->kinds.count; i++) {
    const struct run_kind *kind = &answer->kinds.data[i];
    table_cell(&table, "%s", kind->name);
    table_cell(&table, "%" PRIu64, kind->recorded);
    table_cell(&table, "%" PRIu64, answer->runs.data[i]);
    take_time(&table, kind->mean_ns);
    take_time(&table, error_of(kind, kind->recorded));
    take_time(&table, error_of(kind, answer->runs.data[i]));
  }
  table_print(stdout, &table, 2);
  table_clear(&table);
  const char *percentile = answer->request->percentile;
  printf("\n  In all %.3f s of %s.\n", (double)answer->spent_ns / 1e9, answer->request->budget);
  wrapped_format(2, 2,
                 "The error is the standard error of the %s%s. A prediction: it takes further "
                 "requests to look like those there are.",
                 percentile == NULL ? "mean" : "p", percentile == NULL ? "" : percentile);
}

void runs_print_json(const struct runs_answer *answer) {
  for (size_t i = 0; i < answer->kinds.count; i++) {
    const struct run_kind *kind = &answer->kinds.data[i];
    struct jsonl *line = jsonl_new("run");
    jsonl_text(line, "request", kind->name);
    jsonl_integer(line, "recorded", (int64_t)kind->recorded);
    jsonl_integer(line, "then", (int64_t)answer->runs.data[i]);
    jsonl_number(line, "mean_ns", kind->mean_ns);
    jsonl_number(line, "error_ns", error_of(kind, kind->recorded));
    jsonl_number(line, "error_then_ns", error_of(kind, answer->runs.data[i]));
    jsonl_print(line);
  }
  struct jsonl *line = jsonl_new("runs");
  jsonl_text(line, "p", answer->request->percentile);
  jsonl_seconds(line, "seconds", (double)answer->spent_ns / 1e9);
  jsonl_seconds(line, "budget_seconds", (double)answer->budget_ns / 1e9);
  jsonl_print(line);
}
