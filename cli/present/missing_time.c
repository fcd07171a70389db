/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/missing_time.h"

#include <math.h>
#include <stdio.h>

#include "base/duration.h"
#include "base/jsonl.h"
#include "show/table.h"
#include "show/wrapped.h"
#include "cli/question/percentiles/percentiles.h"

static const char *what_of(enum missing_kind kind) {
  return kind == MISSING_TIME ? "missing time" : "surplus";
}

/* What a part means, and what to do about it. */
static void append_meaning(struct text *text, enum missing_kind kind,
                           const struct missing_column *c) {
  if (!c->part.is_cause && kind == MISSING_TIME && !c->in_bound)
    text_append(text, "was measured, but is in no term of the bound. It goes with a part of the "
                      "missing time, and may be the cause or only slow for the same reason");
  else if (!c->part.is_cause)
    text_append(text, "goes with a part of it, and may be the cause or only slow for the same "
                      "reason");
  else if (kind == MISSING_SURPLUS)
    text_append(text, "is counted by the bound, but requests did not wait for it: look at where "
                      "the protocol waits for it");
  else if (c->in_bound)
    text_append(text, "is counted too few times: look for a second step or message of its kind");
  else
    text_append(text, "was measured, but is in no term of the bound: add it to the protocol where "
                      "requests wait for it");
}

static double percent(double share) {
  return 100 * fmin(1, fmax(0, share));
}

static void print_parts(const struct missing_time *missing) {
  for (size_t p = 0; p < missing->parts.count; p++) {
    const struct missing_column *c = &missing->parts.data[p];
    struct text text;
    text_init(&text);
    append_meaning(&text, missing->kind, c);
    text_format(&text,
                ". It is %.1f %% (%.1f to %.1f %%) of how the %s differs from request to "
                "request.",
                percent(c->part.share), percent(c->part.share_lower), percent(c->part.share_upper),
                what_of(missing->kind));
    wrapped_print(text.data, (size_t)printf("    %s ", c->name), 6);
    text_clear(&text);
  }
}

static void print_beside(const struct missing_time *missing) {
  for (size_t p = 0; p < missing->beside.count; p++) {
    const struct missing_column *c = &missing->beside.data[p];
    struct text text;
    text_init(&text);
    text_format(&text,
                "was measured, but is in no term of the bound, and goes with how much longer those "
                "%zu requests took (%.1f %%, %.1f to %.1f %%): it may run beside a step that the "
                "bound counts, and be the slower of the two in them. Look for a `max`.",
                missing->longer, percent(c->part.share), percent(c->part.share_lower),
                percent(c->part.share_upper));
    wrapped_print(text.data, (size_t)printf("    %s ", c->name), 6);
    text_clear(&text);
  }
}

/* What can be said without a part. */
static void print_nothing(const struct missing_time *missing) {
  if (missing->requests < MISSING_ROWS_LEAST)
    wrapped_format(4, 4, "cannot tell: it takes %d requests or more, and these are %zu.",
                   MISSING_ROWS_LEAST, missing->requests);
  else if (missing->kind == MISSING_TIME)
    wrapped_format(4, 4,
                   "in no column of the table: in a step or message that was not measured, that "
                   "takes equally long in each request, or in a wait for another one of several. "
                   "`tailproof replay` of recorded "
                   "steps and messages names those between which it lies.");
  else
    wrapped_format(4, 4,
                   "no single column goes with it: the bound waits for several steps one "
                   "after the other that run at the same time, or for the slowest of "
                   "several.");
}

/* The steps of which nothing but that the bound lacks them is known. */
static void print_unused(const struct missing_time *missing) {
  if (missing->unused.count == 0)
    return;
  struct text text;
  text_init(&text);
  for (size_t i = 0; i < missing->unused.count; i++)
    text_format(&text, "%s%s", i == 0 ? "" : ", ", missing->unused.data[i]);
  text_format(&text,
              " %s measured, but %s in no term of the bound. Look whether requests wait for %s: "
              "beside a step that the bound counts it makes requests longer without going up and "
              "down with them.",
              missing->unused.count == 1 ? "was" : "were",
              missing->unused.count == 1 ? "is" : "are",
              missing->unused.count == 1 ? "it" : "one of them");
  printf("\n");
  wrapped_format(4, 4, "%s", text_get(&text));
  text_clear(&text);
}

static void take_mean(struct table *table, double ns) {
  struct text text;
  text_init(&text);
  duration_print_nearest(&text, (int64_t)llround(ns));
  table_take(table, &text);
}

static void print_table(const struct percentiles *run) {
  const struct missing_time *missing = &run->missing;
  struct table table;
  table_init(&table);
  table_column(&table, TABLE_LEFT, "");
  table_column(&table, TABLE_RIGHT, "requests");
  table_column(&table, TABLE_RIGHT, missing->kind == MISSING_TIME ? "missing" : "surplus");
  for (size_t p = 0; p < missing->parts.count; p++)
    table_column(&table, TABLE_RIGHT, missing->parts.data[p].name);
  if (missing->parts.count != 0)
    table_column(&table, TABLE_RIGHT, "the rest");
  size_t rows = 0;
  for (size_t i = 0; i < missing->at.count; i++) {
    const struct missing_at *at = &missing->at.data[i];
    if (at->requests == 0)
      continue;
    rows++;
    table_cell(&table, "around p%s", run->wanted.data[at->wanted].text);
    table_cell(&table, "%zu", at->requests);
    take_mean(&table, at->total_ns);
    for (size_t p = 0; p < missing->parts.count; p++)
      take_mean(&table, at->part_ns[p]);
    if (missing->parts.count != 0)
      take_mean(&table, at->rest_ns);
  }
  if (rows != 0)
    printf("\n");
  table_print(stdout, &table, 4);
  table_clear(&table);
}

void missing_time_print_text(const struct percentiles *run) {
  const struct missing_time *missing = &run->missing;
  if (missing->kind == MISSING_NOT)
    return;
  printf("\n");
  if (missing->kind == MISSING_TIME)
    wrapped_format(2, 4,
                   "Where the missing time is (%zu of %zu requests took longer than their "
                   "bound):",
                   missing->longer, missing->requests);
  else
    wrapped_format(2, 4,
                   "Where the bound is too large (no request took longer than its bound, "
                   "most took much less):");
  if (missing->parts.count + missing->beside.count == 0)
    print_nothing(missing);
  print_unused(missing);
  print_parts(missing);
  print_beside(missing);
  print_table(run);
}

static void put_columns(struct jsonl *list, const struct missing_column *columns, size_t count) {
  for (size_t p = 0; p < count; p++) {
    const struct missing_column *c = &columns[p];
    struct jsonl *item = jsonl_item(list);
    jsonl_text(item, "column", c->name);
    jsonl_flag(item, "in_bound", c->in_bound);
    jsonl_flag(item, "cause", c->part.is_cause);
    jsonl_number(item, "share", c->part.share);
    jsonl_number(item, "share_lower", c->part.share_lower);
    jsonl_number(item, "share_upper", c->part.share_upper);
  }
}

static void put_percentiles(struct jsonl *line, const struct percentiles *run) {
  struct jsonl *list = jsonl_list(line, "percentiles");
  for (size_t i = 0; i < run->missing.at.count; i++) {
    const struct missing_at *at = &run->missing.at.data[i];
    struct jsonl *item = jsonl_item(list);
    jsonl_text(item, "p", run->wanted.data[at->wanted].text);
    jsonl_integer(item, "requests", (int64_t)at->requests);
    if (at->requests == 0)
      continue;
    jsonl_integer(item, "mean_ns", llround(at->total_ns));
    jsonl_integer(item, "rest_ns", llround(at->rest_ns));
    struct jsonl *parts = jsonl_list(item, "parts_ns");
    for (size_t p = 0; p < run->missing.parts.count; p++) {
      struct jsonl *part = jsonl_item(parts);
      jsonl_text(part, "column", run->missing.parts.data[p].name);
      jsonl_integer(part, "mean_ns", llround(at->part_ns[p]));
    }
  }
}

void missing_time_print_json(const struct percentiles *run) {
  const struct missing_time *missing = &run->missing;
  if (missing->kind == MISSING_NOT)
    return;
  struct jsonl *line = jsonl_new("missing");
  jsonl_text(line, "what", missing->kind == MISSING_TIME ? "missing" : "surplus");
  jsonl_integer(line, "requests", (int64_t)missing->requests);
  jsonl_integer(line, "longer", (int64_t)missing->longer);
  put_columns(jsonl_list(line, "parts"), missing->parts.data, missing->parts.count);
  put_columns(jsonl_list(line, "beside"), missing->beside.data, missing->beside.count);
  struct jsonl *unused = jsonl_list(line, "unused");
  for (size_t i = 0; i < missing->unused.count; i++)
    jsonl_text(jsonl_item(unused), "column", missing->unused.data[i]);
  put_percentiles(line, run);
  jsonl_print(line);
}
