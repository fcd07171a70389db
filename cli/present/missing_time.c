/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/missing_time.h"

#include <math.h>

#include "base/duration.h"
#include "cli/question/percentiles/percentiles.h"

/* --- kinds ------------------------------------------------------------------------------------ */

static const struct object_key column_keys[] = {
    KEY("column", TEXT, .marks = MARK_NAMES),
    KEY("in_bound", FLAG),
    KEY("cause", FLAG, .note = "else it only goes with it"),
    KEY("share", SHARE),
    KEY("share_lower", SHARE, .marks = MARK_LOWER),
    KEY("share_upper", SHARE, .marks = MARK_UPPER),
    {0}};
static const struct object_kind column_kind = {"column", NULL, column_keys};

static const struct object_key unused_keys[] = {KEY("column", TEXT, .marks = MARK_NAMES), {0}};
static const struct object_kind unused_kind = {"unused", NULL, unused_keys};

static const struct object_key part_keys[] = {
    KEY("column", TEXT, .marks = MARK_NAMES), KEY("mean_ns", NS), {0}};
static const struct object_kind part_kind = {"part", NULL, part_keys};

static const struct object_key at_keys[] = {KEY("p", TEXT, .marks = MARK_NAMES),
                                            KEY("requests", COUNT),
                                            KEY("mean_ns", NS, .marks = MARK_MAYBE),
                                            KEY("rest_ns", NS, .marks = MARK_MAYBE),
                                            KEY("parts_ns", OBJECTS, .marks = MARK_MAYBE,
                                                .note = "all three unless `requests` is 0",
                                                .objects = &part_kind),
                                            {0}};
static const struct object_kind at_kind = {"percentile", NULL, at_keys};

static const struct object_key missing_keys[] = {
    KEY("what", TEXT, .words = "missing|surplus"),
    KEY("requests", COUNT),
    KEY("longer", COUNT),
    KEY("parts", OBJECTS, .objects = &column_kind),
    KEY("beside", OBJECTS, .note = "of those that took longer alone", .objects = &column_kind),
    KEY("unused", OBJECTS, .note = "in no term of the bound, where nothing is named",
        .objects = &unused_kind),
    KEY("percentiles", OBJECTS, .objects = &at_kind),
    {0}};
const struct object_kind missing_kind = {
    "missing", "where requests took longer than their bounds, or much less", missing_keys};

/* --- for people ------------------------------------------------------------------------------- */

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

static void say_parts(struct document *document, const struct missing_time *missing) {
  for (size_t p = 0; p < missing->parts.count; p++) {
    const struct missing_column *c = &missing->parts.data[p];
    struct text text;
    text_init(&text);
    text_format(&text, "%s ", c->name);
    append_meaning(&text, missing->kind, c);
    text_format(&text,
                ". It is %.1f %% (%.1f to %.1f %%) of how the %s differs from request to "
                "request.",
                percent(c->part.share), percent(c->part.share_lower), percent(c->part.share_upper),
                what_of(missing->kind));
    document_item(document, LINES_CLOSE, 4, &text);
  }
  for (size_t p = 0; p < missing->beside.count; p++) {
    const struct missing_column *c = &missing->beside.data[p];
    struct text text;
    text_init(&text);
    text_format(&text,
                "%s was measured, but is in no term of the bound, and goes with how much longer "
                "those %zu requests took (%.1f %%, %.1f to %.1f %%): it may run beside a step that "
                "the bound counts, and be the slower of the two in them. Look for a `max`.",
                c->name, missing->longer, percent(c->part.share), percent(c->part.share_lower),
                percent(c->part.share_upper));
    document_item(document, LINES_CLOSE, 4, &text);
  }
}

/* What can be said without a part. */
static void say_nothing(struct document *document, const struct missing_time *missing) {
  struct text text;
  text_init(&text);
  if (missing->requests < MISSING_ROWS_LEAST)
    text_format(&text, "cannot tell: it takes %d requests or more, and these are %zu.",
                MISSING_ROWS_LEAST, missing->requests);
  else if (missing->kind == MISSING_TIME)
    text_append(&text,
                "in no column of the table: in a step or message that was not measured, that takes "
                "equally long in each request, or in a wait for another one of several. "
                "`tailproof replay` of recorded steps and messages names those between which it "
                "lies.");
  else
    text_append(&text, "no single column goes with it: the bound waits for several steps one after "
                       "the other that run at the same time, or for the slowest of several.");
  document_take(document, LINES_CLOSE, 4, &text);
}

/* The steps of which nothing but that the bound lacks them is known. */
static void say_unused(struct document *document, const struct missing_time *missing) {
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
  document_take(document, LINES_APART, 4, &text);
}

static void take_mean(struct table *table, double ns) {
  struct text text;
  text_init(&text);
  duration_print_nearest(&text, (int64_t)llround(ns));
  table_take(table, &text);
}

static void show_table(struct document *document, const struct percentiles *run) {
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
  for (size_t i = 0; i < missing->at.count; i++) {
    const struct missing_at *at = &missing->at.data[i];
    if (at->requests == 0)
      continue;
    table_cell(&table, "around p%s", run->wanted.data[at->wanted].text);
    table_cell(&table, "%zu", at->requests);
    take_mean(&table, at->total_ns);
    for (size_t p = 0; p < missing->parts.count; p++)
      take_mean(&table, at->part_ns[p]);
    if (missing->parts.count != 0)
      take_mean(&table, at->rest_ns);
  }
  document_grid(document, LINES_APART, 4, &table);
}

/* --- for programs ----------------------------------------------------------------------------- */

static void put_columns(struct objects *list, const struct missing_column *columns, size_t count) {
  for (size_t p = 0; p < count; p++) {
    const struct missing_column *c = &columns[p];
    objects_add(list);
    object_text(list, "column", c->name);
    object_flag(list, "in_bound", c->in_bound);
    object_flag(list, "cause", c->part.is_cause);
    object_number(list, "share", c->part.share);
    object_number(list, "share_lower", c->part.share_lower);
    object_number(list, "share_upper", c->part.share_upper);
  }
}

static void put_percentiles(struct objects *list, const struct percentiles *run) {
  for (size_t i = 0; i < run->missing.at.count; i++) {
    const struct missing_at *at = &run->missing.at.data[i];
    objects_add(list);
    object_text(list, "p", run->wanted.data[at->wanted].text);
    object_count(list, "requests", at->requests);
    if (at->requests == 0)
      continue;
    object_mean(list, "mean_ns", at->total_ns);
    object_mean(list, "rest_ns", at->rest_ns);
    struct objects *parts = object_list(list, "parts_ns");
    for (size_t p = 0; p < run->missing.parts.count; p++) {
      objects_add(parts);
      object_text(parts, "column", run->missing.parts.data[p].name);
      object_mean(parts, "mean_ns", at->part_ns[p]);
    }
  }
}

static void put_missing(struct document *document, const struct percentiles *run) {
  const struct missing_time *missing = &run->missing;
  struct objects *objects = document_objects(document, &missing_kind);
  objects_add(objects);
  object_text(objects, "what", missing->kind == MISSING_TIME ? "missing" : "surplus");
  object_count(objects, "requests", missing->requests);
  object_count(objects, "longer", missing->longer);
  put_columns(object_list(objects, "parts"), missing->parts.data, missing->parts.count);
  put_columns(object_list(objects, "beside"), missing->beside.data, missing->beside.count);
  struct objects *unused = object_list(objects, "unused");
  for (size_t i = 0; i < missing->unused.count; i++) {
    objects_add(unused);
    object_text(unused, "column", missing->unused.data[i]);
  }
  put_percentiles(object_list(objects, "percentiles"), run);
}

void missing_time_document(struct document *document, const struct percentiles *run) {
  const struct missing_time *missing = &run->missing;
  if (missing->kind == MISSING_NOT)
    return;
  document_section(document, "missing", "%s",
                   missing->kind == MISSING_TIME ? "Missing time" : "Surplus");
  if (missing->kind == MISSING_TIME)
    document_say(document, LINES_APART,
                 "Where the missing time is (%zu of %zu requests took longer than their bound):",
                 missing->longer, missing->requests);
  else
    document_say(document, LINES_APART,
                 "Where the bound is too large (no request took longer than its bound, most took "
                 "much less):");
  if (missing->parts.count + missing->beside.count == 0)
    say_nothing(document, missing);
  say_unused(document, missing);
  say_parts(document, missing);
  show_table(document, run);
  put_missing(document, run);
}
