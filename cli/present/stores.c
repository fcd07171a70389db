/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/stores.h"

#include "base/duration.h"

#include <inttypes.h>
#include <string.h>

#include "base/jsonl.h"
#include "show/ledger.h"
#include "show/table.h"

/* false: infinite. share in thousandths; 1000 is the largest. */
static bool quantile(uint64_t *ns, const struct sample *sample, int64_t share) {
  struct rational p;
  rational_init(&p);
  rational_set_fraction(&p, share, 1000);
  bool finite = sample->total != 0 && sample_quantile(ns, sample, &p);
  rational_clear(&p);
  return finite;
}

static const int64_t shares[] = {500, 990, 1000};
enum { SHARES = sizeof shares / sizeof *shares };

static void store_name(struct text *name, const struct gathered_store *store) {
  text_format(name, "%s%sprocess %" PRIu64, store->node, *store->node == '\0' ? "" : ", ",
              store->process);
}

static void series_name(struct text *name, const struct series *series) {
  text_format(name, "%s%s%s", series->group == NULL ? "" : series->group,
              series->group == NULL ? "" : "/", series->name);
}

void summary_print_stores(FILE *out, const struct gather *gather) {
  static const char *const titles[] = {"records", "overwritten", "torn", "refused"};
  struct table table;
  table_init(&table);
  table_column(&table, TABLE_LEFT, "store of");
  for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
    table_column(&table, TABLE_RIGHT, titles[i]);
  table_column(&table, TABLE_LEFT, "");
  for (size_t i = 0; i < gather->stores.count; i++) {
    const struct gathered_store *store = &gather->stores.data[i];
    struct text name;
    text_init(&name);
    store_name(&name, store);
    table_take(&table, &name);
    table_cell(&table, "%" PRIu64, store->records);
    table_cell(&table, "%" PRIu64, store->overwritten);
    table_cell(&table, "%" PRIu64, store->torn);
    table_cell(&table, "%" PRIu64, store->refused);
    table_cell(&table, "%s", store->closed ? "" : "not closed");
  }
  fputc('\n', out);
  table_print(out, &table, 2);
  table_clear(&table);
}

static void add_series(struct table *table, const struct series *series) {
  struct text text;
  text_init(&text);
  series_name(&text, series);
  table_take(table, &text);
  table_cell(table, "%" PRIu64, series->sample.total);
  for (size_t k = 0; k < SHARES; k++) {
    uint64_t ns = 0;
    if (quantile(&ns, &series->sample, shares[k]))
      duration_print_upper(&text, ns);
    else
      text_append(&text, series->sample.total == 0 ? "-" : "infinite");
    table_take(table, &text);
  }
}

void summary_print_series(FILE *out, const struct gather *gather) {
  static const char *const titles[] = {"count", "p50 at most", "p99 at most", "max"};
  struct table table;
  table_init(&table);
  table_column(&table, TABLE_LEFT, "series");
  for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
    table_column(&table, TABLE_RIGHT, titles[i]);
  for (size_t i = 0; i < gather->table.rows.count; i++)
    add_series(&table, &gather->table.rows.data[i]);
  fputc('\n', out);
  table_print(out, &table, 2);
  table_clear(&table);
}

void summary_print_joint(FILE *out, const struct joined *joined) {
  if (joined->table.length == 0) {
    fprintf(out, "\n  no joint.csv.gz: %s\n", text_get(&joined->why));
    return;
  }
  fprintf(out, "\n  joint.csv.gz: %" PRIu64 " row%s, one for each instance; %zu occurrence%s",
          joined->row_count, joined->row_count == 1 ? "" : "s", joined->occurrences,
          joined->occurrences == 1 ? "" : "s");
  if (joined->requests != 0)
    fprintf(out, ", %zu request%s", joined->requests, joined->requests == 1 ? "" : "s");
  fputc('\n', out);
}

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

void summary_print_ledger(const struct gather *gather, bool json) {
  struct ledger ledger;
  ledger_init(&ledger);
  for (size_t i = 0; i < gather->table.rows.count; i++) {
    const struct series *series = &gather->table.rows.data[i];
    for (size_t k = 0; k < series->notes.count && series->group == NULL; k++)
      if (!said_before(gather, i, series->notes.data[k]))
        add_note(&ledger, gather, i, series->notes.data[k]);
  }
  for (size_t i = 0; i < gather->joined.notes.count; i++)
    ledger_note(&ledger, LEDGER_DATA, "joint.csv.gz: %s", gather->joined.notes.data[i]);
  for (size_t i = 0; i < gather->joined.unpaired.count && gather->joined.table.length != 0; i++)
    ledger_note(&ledger, LEDGER_DATA, "joint.csv.gz: %s", gather->joined.unpaired.data[i]);
  if (json)
    ledger_print_json(&ledger);
  else
    ledger_print_text(&ledger, true);
  ledger_clear(&ledger);
}

static void put_number(struct jsonl *json, const char *key, uint64_t value) {
  char digits[24];
  snprintf(digits, sizeof digits, "%" PRIu64, value);
  jsonl_text(json, key, digits);
}

static void print_store(const struct gathered_store *store) {
  struct jsonl *json = jsonl_new("store");
  jsonl_text(json, "file", store->path);
  jsonl_text(json, "node", store->node);
  jsonl_text(json, "host", store->host);
  put_number(json, "process", store->process);
  put_number(json, "records", store->records);
  put_number(json, "overwritten", store->overwritten);
  put_number(json, "torn", store->torn);
  put_number(json, "refused", store->refused);
  put_number(json, "bad_stamps", store->bad_stamps);
  jsonl_flag(json, "closed", store->closed);
  jsonl_print(json);
}

static void print_series(const struct series *series) {
  static const char *const keys[SHARES] = {"p50_ns", "p99_ns", "max_ns"};
  struct jsonl *json = jsonl_new("series");
  jsonl_text(json, "name", series->name);
  jsonl_text(json, "group", series->group);
  put_number(json, "observations", series->sample.total);
  put_number(json, "infinite", series->sample.beyond);
  for (size_t k = 0; k < SHARES; k++) {
    uint64_t ns = 0;
    if (quantile(&ns, &series->sample, shares[k]))
      put_number(json, keys[k], ns);
    else
      jsonl_text(json, keys[k], "infinite");
  }
  jsonl_print(json);
}

static void print_joint(const struct joined *joined) {
  struct jsonl *json = jsonl_new("joint");
  put_number(json, "rows", joined->row_count);
  jsonl_integer(json, "occurrences", (int64_t)joined->occurrences);
  jsonl_integer(json, "requests", (int64_t)joined->requests);
  put_number(json, "unfinished", joined->unfinished);
  if (joined->tables.count == 0)
    put_number(json, "overwritten", joined->cut);
  else
    jsonl_text(json, "overwritten", NULL);
  jsonl_text(json, "why_not", joined->table.length == 0 ? text_get(&joined->why) : NULL);
  jsonl_print(json);
}

void summary_print_json(const struct gather *gather) {
  for (size_t i = 0; i < gather->stores.count; i++)
    print_store(&gather->stores.data[i]);
  for (size_t i = 0; i < gather->table.rows.count; i++)
    print_series(&gather->table.rows.data[i]);
  if (gather->joined.table.length != 0 || gather->joined.why.length != 0)
    print_joint(&gather->joined);
}
