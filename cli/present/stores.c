/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/stores.h"

#include <inttypes.h>

/* --- kinds ------------------------------------------------------------------------------------ */

static const struct object_key store_keys[] = {
    KEY("file", TEXT, .marks = MARK_NAMES),
    KEY("node", TEXT, .marks = MARK_NAMES),
    KEY("host", TEXT, .marks = MARK_NAMES),
    KEY("process", COUNT, .marks = MARK_NAMES | MARK_DIGITS),
    KEY("records", COUNT, .marks = MARK_DIGITS),
    KEY("overwritten", COUNT, .marks = MARK_DIGITS),
    KEY("torn", COUNT, .marks = MARK_DIGITS),
    KEY("refused", COUNT, .marks = MARK_DIGITS),
    KEY("bad_stamps", COUNT, .marks = MARK_DIGITS),
    KEY("closed", FLAG),
    {0}};
static const struct object_kind store_kind = {"store", "of `import`, `merge` and `record`",
                                              store_keys};

static const struct object_key series_keys[] = {
    KEY("name", TEXT, .marks = MARK_NAMES),
    KEY("group", TEXT, .marks = MARK_NAMES | MARK_NULL, .note = "node or host; null for all"),
    KEY("observations", COUNT, .marks = MARK_DIGITS),
    KEY("infinite", COUNT, .marks = MARK_DIGITS),
    KEY("p50_ns", NS, .marks = MARK_DIGITS | MARK_UPPER),
    KEY("p99_ns", NS, .marks = MARK_DIGITS | MARK_UPPER),
    KEY("max_ns", NS, .marks = MARK_DIGITS | MARK_UPPER),
    {0}};
const struct object_kind series_kind = {"series", "of `import`, `merge`, `record` and `load`",
                                        series_keys};

static const struct object_key joint_keys[] = {
    KEY("rows", COUNT, .marks = MARK_DIGITS),
    KEY("occurrences", COUNT),
    KEY("requests", COUNT, .note = "columns"),
    KEY("unfinished", COUNT, .marks = MARK_DIGITS),
    KEY("overwritten", COUNT, .marks = MARK_DIGITS | MARK_NULL,
        .note = "instances; null of a merge"),
    KEY("why_not", TEXT, .marks = MARK_NULL, .note = "null: there is a table"),
    {0}};
static const struct object_kind joint_kind = {"joint", "of `import` and `merge`", joint_keys};

static const struct object_key imported_keys[] = {KEY("folder", TEXT, .marks = MARK_NAMES),
                                                  KEY("stores", COUNT, .note = "how many"),
                                                  KEY("files", COUNT),
                                                  KEY("series", COUNT),
                                                  {0}};
static const struct object_kind imported_kind = {"imported", "of `import` and `merge`",
                                                 imported_keys};

static const struct object_key recorded_keys[] = {KEY("folder", TEXT, .marks = MARK_NAMES),
                                                  KEY("stores", COUNT, .note = "how many"),
                                                  KEY("exit", COUNT, .note = "of the program"),
                                                  KEY("signal", COUNT, .note = "0: none"),
                                                  {0}};
static const struct object_kind recorded_kind = {"recorded", "of `record`", recorded_keys};

const struct object_kind *const imported_kinds[] = {&imported_kind, &store_kind,      &series_kind,
                                                    &joint_kind,    &assumption_kind, NULL};
const struct object_kind *const recorded_kinds[] = {&recorded_kind, &store_kind, &series_kind,
                                                    NULL};

/* --- stores and series ------------------------------------------------------------------------ */

static void put_store(struct objects *stores, const struct gathered_store *store) {
  objects_add(stores);
  object_text(stores, "file", store->path);
  object_text(stores, "node", store->node);
  object_words(stores, "node", "%s%sprocess %" PRIu64, store->node,
               *store->node == '\0' ? "" : ", ", store->process);
  object_text(stores, "host", store->host);
  object_count(stores, "process", store->process);
  object_count(stores, "records", store->records);
  object_count(stores, "overwritten", store->overwritten);
  object_count(stores, "torn", store->torn);
  object_count(stores, "refused", store->refused);
  object_count(stores, "bad_stamps", store->bad_stamps);
  object_flag(stores, "closed", store->closed);
  object_words(stores, "closed", "%s", store->closed ? "" : "not closed");
}

static void show_stores(struct document *document, const struct gather *gather) {
  static const struct object_column columns[] = {
      {.title = "store of", .key = "node"},
      {.title = "records", .align = TABLE_RIGHT, .key = "records"},
      {.title = "overwritten", .align = TABLE_RIGHT, .key = "overwritten"},
      {.title = "torn", .align = TABLE_RIGHT, .key = "torn"},
      {.title = "refused", .align = TABLE_RIGHT, .key = "refused"},
      {.title = "", .key = "closed"},
  };
  struct objects *stores = document_objects(document, &store_kind);
  for (size_t i = 0; i < gather->stores.count; i++)
    put_store(stores, &gather->stores.data[i]);
  document_table(document, LINES_APART, 2, stores, columns, sizeof columns / sizeof *columns);
}

/* share in thousandths; 1000 is the largest. */
static void put_quantile(struct objects *objects, const char *key, const struct sample *sample,
                         int64_t share) {
  struct rational p;
  uint64_t ns = 0;
  rational_init(&p);
  rational_set_fraction(&p, share, 1000);
  bool finite = sample->total != 0 && sample_quantile(&ns, sample, &p);
  rational_clear(&p);
  object_time(objects, key, finite, ns);
  if (sample->total == 0)
    object_words(objects, key, "-");
}

void series_show(struct document *document, const struct gather *gather) {
  static const struct object_column columns[] = {
      {.title = "series", .key = "name"},
      {.title = "count", .align = TABLE_RIGHT, .key = "observations"},
      {.title = "p50 at most", .align = TABLE_RIGHT, .key = "p50_ns"},
      {.title = "p99 at most", .align = TABLE_RIGHT, .key = "p99_ns"},
      {.title = "max", .align = TABLE_RIGHT, .key = "max_ns"},
  };
  struct objects *objects = document_objects(document, &series_kind);
  for (size_t i = 0; i < gather->table.rows.count; i++) {
    const struct series *series = &gather->table.rows.data[i];
    objects_add(objects);
    object_text(objects, "name", series->name);
    object_text(objects, "group", series->group);
    if (series->group != NULL)
      object_words(objects, "name", "%s/%s", series->group, series->name);
    object_count(objects, "observations", series->sample.total);
    object_count(objects, "infinite", series->sample.beyond);
    put_quantile(objects, "p50_ns", &series->sample, 500);
    put_quantile(objects, "p99_ns", &series->sample, 990);
    put_quantile(objects, "max_ns", &series->sample, 1000);
  }
  document_table(document, LINES_APART, 2, objects, columns, sizeof columns / sizeof *columns);
}

/* What the table of joint measurements is, or why there is none. */
static void show_joint(struct document *document, const struct joined *joined) {
  bool has_table = joined->table.length != 0;
  struct text text;
  text_init(&text);
  if (has_table)
    text_format(&text, "joint.csv.gz: %" PRIu64 " row%s, one for each instance; %zu occurrence%s",
                joined->row_count, joined->row_count == 1 ? "" : "s", joined->occurrences,
                joined->occurrences == 1 ? "" : "s");
  else
    text_format(&text, "no joint.csv.gz: %s", text_get(&joined->why));
  if (has_table && joined->requests != 0)
    text_format(&text, ", %zu request%s", joined->requests, joined->requests == 1 ? "" : "s");
  document_take(document, LINES_APART, 2, &text);
  if (!has_table && joined->why.length == 0)
    return;
  struct objects *joint = document_objects(document, &joint_kind);
  objects_add(joint);
  object_count(joint, "rows", joined->row_count);
  object_count(joint, "occurrences", joined->occurrences);
  object_count(joint, "requests", joined->requests);
  object_count(joint, "unfinished", joined->unfinished);
  if (joined->tables.count == 0)
    object_count(joint, "overwritten", joined->cut);
  else
    object_null(joint, "overwritten");
  object_text(joint, "why_not", has_table ? NULL : text_get(&joined->why));
}

/* --- what series rest on ---------------------------------------------------------------------- */

/* Of series i, whether one before said it. */
static bool said_before(const struct gather *gather, size_t i, const char *line) {
  for (size_t k = 0; k < i; k++)
    if (lines_have(&gather->table.rows.data[k].notes, line))
      return true;
  return false;
}

/* "Grant, d.Request: recorded by ...": one line for all that rest on the same. */
static void add_note(struct ledger *ledger, const struct gather *gather, size_t first,
                     const char *line) {
  struct text names;
  text_init(&names);
  for (size_t i = first; i < gather->table.rows.count; i++) {
    const struct series *series = &gather->table.rows.data[i];
    if (series->group == NULL && lines_have(&series->notes, line))
      text_format(&names, "%s%s", names.length == 0 ? "" : ", ", series->name);
  }
  ledger_note(ledger, LEDGER_DATA, "%s: %s", text_get(&names), line);
  text_clear(&names);
}

void series_ledger(struct ledger *ledger, const struct gather *gather) {
  const struct joined *joined = &gather->joined;
  for (size_t i = 0; i < gather->table.rows.count; i++) {
    const struct series *series = &gather->table.rows.data[i];
    for (size_t k = 0; k < series->notes.count && series->group == NULL; k++)
      if (!said_before(gather, i, series->notes.data[k]))
        add_note(ledger, gather, i, series->notes.data[k]);
  }
  for (size_t i = 0; i < joined->notes.count; i++)
    ledger_note(ledger, LEDGER_DATA, "joint.csv.gz: %s", joined->notes.data[i]);
  for (size_t i = 0; i < joined->unpaired.count && joined->table.length != 0; i++)
    ledger_note(ledger, LEDGER_DATA, "joint.csv.gz: %s", joined->unpaired.data[i]);
}

/* --- documents -------------------------------------------------------------------------------- */

void imported_document(struct document *document, const struct gather *gather, const char *folder,
                       struct ledger *ledger) {
  struct text text;
  document_init(document, "import", imported_kinds);
  document_title(document, "Measured series");
  text_init(&text);
  text_format(&text, "%s: %zu series of %zu store%s and %zu file%s", folder,
              gather->table.rows.count, gather->stores.count, gather->stores.count == 1 ? "" : "s",
              gather->files, gather->files == 1 ? "" : "s");
  document_take(document, LINES_CLOSE, 0, &text);
  show_stores(document, gather);
  series_show(document, gather);
  show_joint(document, &gather->joined);
  series_ledger(ledger, gather);
  document_ledger(document, ledger);
  struct objects *imported = document_objects(document, &imported_kind);
  objects_add(imported);
  object_text(imported, "folder", folder);
  object_count(imported, "stores", gather->stores.count);
  object_count(imported, "files", gather->files);
  object_count(imported, "series", gather->table.rows.count);
}

void recorded_document(struct document *document, const struct gather *gather, const char *folder,
                       int code, int by_signal) {
  struct text text;
  document_init(document, "record", recorded_kinds);
  document_title(document, "What was recorded");
  text_init(&text);
  text_format(&text, "tailproof record: %s: %zu store%s", folder, gather->stores.count,
              gather->stores.count == 1 ? "" : "s");
  document_take(document, LINES_CLOSE, 0, &text);
  show_stores(document, gather);
  series_show(document, gather);
  struct objects *recorded = document_objects(document, &recorded_kind);
  objects_add(recorded);
  object_text(recorded, "folder", folder);
  object_count(recorded, "stores", gather->stores.count);
  object_integer(recorded, "exit", code);
  object_integer(recorded, "signal", by_signal);
}

/* --- profiles --------------------------------------------------------------------------------- */

static const struct object_key merged_keys[] = {
    KEY("file", TEXT, .marks = MARK_NAMES),
    KEY("profiles", COUNT),
    KEY("weight", NUMBER),
    KEY("unit", TEXT, .marks = MARK_NAMES),
    KEY("condition", TEXT, .marks = MARK_MAYBE, .note = "what the sum rests on"),
    KEY("left_out", TEXT, .marks = MARK_MAYBE, .note = "of the files, that is not in the sum"),
    KEY("nodes", COUNT, .note = "of the tree of stacks"),
    {0}};
static const struct object_kind merged_kind = {"merged", "of `merge` with profiles", merged_keys};

const struct object_kind *const merged_kinds[] = {&merged_kind, NULL};

/* What the sum rests on, where the files do not say it. */
static const char *condition_of(const struct fleet_answer *answer) {
  const struct stack_profile *profile = &answer->profile;
  return answer->files < 2 && !profile->torn ? NULL
         : profile->unit == STACK_WEIGHTS ? "nobody says what the numbers of these files are; the "
                                            "sum means something only if they are of one unit: "
                                            "say it with --weight"
         : profile->torn                  ? "the end of a file is missing: it was cut off on its "
                                            "way, or its sampler was killed"
         : profile->assumed               ? "the numbers of folded stacks are taken for samples at "
                                            "one rate, which the files do not say; --weight and "
                                            "--rate do"
                                          : NULL;
}

void merged_document(struct document *document, const struct fleet_answer *answer,
                     const char *file) {
  const struct stack_profile *profile = &answer->profile;
  const char *condition = condition_of(answer);
  struct text unit, text;
  document_init(document, "merge", merged_kinds);
  document_title(document, "Profiles added up");
  text_init(&unit);
  text_init(&text);
  stack_unit_append(&unit, profile);
  text_format(&text, "%s: %zu profile%s, of %llu %s in all", file, answer->files,
              answer->files == 1 ? "" : "s", (unsigned long long)profile->total, text_get(&unit));
  document_take(document, LINES_CLOSE, 0, &text);
  if (condition != NULL)
    text_format(&text, "%s: %s", file, condition);
  document_take(document, LINES_CLOSE, 0, &text);
  if (profile->left_out.length != 0)
    text_format(&text, "%s: left out: %s", file, text_get(&profile->left_out));
  document_take(document, LINES_CLOSE, 0, &text);
  struct objects *merged = document_objects(document, &merged_kind);
  objects_add(merged);
  object_text(merged, "file", file);
  object_count(merged, "profiles", answer->files);
  object_number(merged, "weight", (double)profile->total);
  object_text(merged, "unit", text_get(&unit));
  if (condition != NULL)
    object_text(merged, "condition", condition);
  if (profile->left_out.length != 0)
    object_text(merged, "left_out", text_get(&profile->left_out));
  object_count(merged, "nodes", profile->nodes.count - 1);
  text_clear(&unit);
}
