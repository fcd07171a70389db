/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/runs.h"

#include <math.h>

#include "base/duration.h"
#include "cli/question/runs/runs.h"

static const struct object_key run_keys[] = {
    KEY("request", TEXT, .marks = MARK_NAMES),
    KEY("recorded", COUNT),
    KEY("then", COUNT),
    KEY("mean_ns", NUMBER),
    KEY("error_ns", NUMBER),
    KEY("error_then_ns", NUMBER, .note = "standard errors"),
    {0}};
static const struct object_kind run_kind = {"run", "of `plan --traces`", run_keys};

static const struct object_key runs_keys[] = {
    KEY("p", TEXT, .marks = MARK_NAMES | MARK_NULL, .note = "null: the mean"),
    KEY("seconds", SECONDS),
    KEY("budget_seconds", SECONDS),
    {0}};
static const struct object_kind runs_kind = {"runs", "of `plan --traces`", runs_keys};

const struct object_kind *const runs_kinds[] = {&runs_kind, &run_kind, &assumption_kind, NULL};

static double error_of(const struct run_kind *kind, uint64_t runs) {
  return runs == 0 ? 0 : kind->spread_ns / sqrt((double)runs);
}

/* To be read as a time, and not as the number that programs get. */
static void put_time(struct objects *objects, const char *key, double ns) {
  struct text text;
  text_init(&text);
  duration_print_nearest(&text, (int64_t)llround(ns));
  object_number(objects, key, ns);
  object_words(objects, key, "%s", text_get(&text));
  text_clear(&text);
}

static void show_kinds(struct document *document, const struct runs_answer *answer) {
  static const struct object_column columns[] = {
      {.title = "", .key = "request"},
      {.title = "recorded", .align = TABLE_RIGHT, .key = "recorded"},
      {.title = "then", .align = TABLE_RIGHT, .key = "then"},
      {.title = "each takes", .align = TABLE_RIGHT, .key = "mean_ns"},
      {.title = "error now", .align = TABLE_RIGHT, .key = "error_ns"},
      {.title = "then", .align = TABLE_RIGHT, .key = "error_then_ns"},
  };
  struct objects *runs = document_objects(document, &run_kind);
  for (size_t i = 0; i < answer->kinds.count; i++) {
    const struct run_kind *kind = &answer->kinds.data[i];
    objects_add(runs);
    object_text(runs, "request", kind->name);
    object_count(runs, "recorded", kind->recorded);
    object_count(runs, "then", answer->runs.data[i]);
    put_time(runs, "mean_ns", kind->mean_ns);
    put_time(runs, "error_ns", error_of(kind, kind->recorded));
    put_time(runs, "error_then_ns", error_of(kind, answer->runs.data[i]));
  }
  document_table(document, LINES_APART, 2, runs, columns, sizeof columns / sizeof *columns);
}

void runs_document(struct document *document, const struct runs_answer *answer) {
  const char *percentile = answer->request->percentile;
  document_init(document, "plan", runs_kinds);
  document_title(document, "Which requests to run more often");
  show_kinds(document, answer);
  document_say(document, LINES_APART, "In all %.3f s of %s.", (double)answer->spent_ns / 1e9,
               answer->request->budget);
  document_say(document, LINES_CLOSE,
               "The error is the standard error of the %s%s. A prediction: it takes further "
               "requests to look like those there are.",
               percentile == NULL ? "mean" : "p", percentile == NULL ? "" : percentile);
  struct objects *objects = document_objects(document, &runs_kind);
  objects_add(objects);
  object_text(objects, "p", percentile);
  object_number(objects, "seconds", (double)answer->spent_ns / 1e9);
  object_number(objects, "budget_seconds", (double)answer->budget_ns / 1e9);
  document_ledger(document, &answer->ledger);
}
