/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answers of `trace fold`, `trace merge` and `trace summary` as documents.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/duration.h"
#include "cli/present/fold.h"
#include "cli/present/order.h"

enum { LISTED_FLOWS = 5, LISTED_PARTS = 10 };

/* --- kinds ------------------------------------------------------------------------------------ */

static const struct object_key folded_keys[] = {KEY("file", TEXT, .marks = MARK_NAMES),
                                                KEY("requests", COUNT),
                                                KEY("flows", COUNT),
                                                KEY("shards", COUNT),
                                                KEY("skipped", COUNT),
                                                {0}};
static const struct object_kind folded_kind = {"folded", "of `trace fold` and `trace merge`",
                                               folded_keys};
const struct object_kind *const folded_kinds[] = {&folded_kind, &assumption_kind, NULL};

static const struct object_key kept_keys[] = {
    KEY("requests", COUNT, .note = "all"), KEY("kept", COUNT, .note = "those that are"), {0}};
static const struct object_kind kept_kind = {"kept", "of `trace summary`", kept_keys};

#define KEYS_OF_PERCENTILE                                                                         \
  KEY("p", TEXT, .marks = MARK_NAMES), KEY("ns", NS, .marks = MARK_UPPER),                         \
      KEY("least_ns", NS, .marks = MARK_LOWER),                                                    \
      KEY("most_ns", NS, .marks = MARK_NULL | MARK_UPPER, .note = "95 %; null: too few requests")

static const struct object_key percentile_keys[] = {KEYS_OF_PERCENTILE, {0}};
static const struct object_kind latency_kind = {"latency_percentile", "of `trace summary`",
                                                percentile_keys};
static const struct object_kind duration_kind = {"duration", NULL, percentile_keys};

static const struct object_key call_keys[] = {KEY("flow", COUNT, .marks = MARK_NAMES),
                                              KEY("call", TEXT, .marks = MARK_NAMES),
                                              KEY("durations", OBJECTS, .objects = &duration_kind),
                                              {0}};
static const struct object_kind call_kind = {"call_durations", "of `trace summary`", call_keys};

#define KEYS_OF_ESTIMATE                                                                           \
  KEY("share", SHARE), KEY("share_least", SHARE, .marks = MARK_LOWER),                             \
      KEY("share_most", SHARE, .marks = MARK_UPPER, .note = "95 %")

static const struct object_key flow_keys[] = {KEY("flow", COUNT, .marks = MARK_NAMES),
                                              KEY("requests", COUNT),
                                              KEY("kept", COUNT),
                                              KEYS_OF_ESTIMATE,
                                              KEY("calls", COUNT),
                                              KEY("root", TEXT, .marks = MARK_NAMES),
                                              {0}};
static const struct object_kind flow_kind = {"flow", "of `trace summary`", flow_keys};

static const struct object_key part_keys[] = {
    KEY("service", TEXT, .marks = MARK_NAMES),
    KEY("operation", TEXT, .marks = MARK_NAMES),
    KEY("of", TEXT, .marks = MARK_NAMES, .words = "work|network|queue"),
    KEYS_OF_ESTIMATE,
    {0}};
static const struct object_kind part_kind = {"part", "of `trace summary`", part_keys};

const struct object_kind *const summary_kinds[] = {&kept_kind,       &latency_kind, &flow_kind,
                                                   &call_kind,       &order_kind,   &part_kind,
                                                   &assumption_kind, NULL};

/* --- that a summary was written --------------------------------------------------------------- */

void folded_document(struct document *document, const struct fold_answer *answer) {
  const struct trace_fold *fold = &answer->fold;
  uint64_t requests = fold_requests(fold);
  struct text text;
  document_init(document, "trace fold", folded_kinds);
  document_title(document, "A summary of traces");
  text_init(&text);
  text_format(&text, "%s: %" PRIu64 " request%s in %zu flow%s, from %zu shard%s", answer->wish->out,
              requests, requests == 1 ? "" : "s", fold->flows.count,
              fold->flows.count == 1 ? "" : "s", fold->shards.count,
              fold->shards.count == 1 ? "" : "s");
  document_take(document, LINES_CLOSE, 0, &text);
  if (answer->skipped != 0)
    document_say(document, LINES_CLOSE, "%zu shard%s counted already", answer->skipped,
                 answer->skipped == 1 ? " was" : "s were");
  struct objects *folded = document_objects(document, &folded_kind);
  objects_add(folded);
  object_text(folded, "file", answer->wish->out);
  object_count(folded, "requests", requests);
  object_count(folded, "flows", fold->flows.count);
  object_count(folded, "shards", fold->shards.count);
  object_count(folded, "skipped", answer->skipped);
  document_ledger(document, &answer->ledger);
}

/* --- what a summary says ---------------------------------------------------------------------- */

static void put_percentile(struct objects *objects, size_t index,
                           const struct fold_percentile *percentile) {
  objects_add(objects);
  object_text(objects, "p", fold_percentile_name(index));
  object_words(objects, "p", "p%s", fold_percentile_name(index));
  object_count(objects, "ns", percentile->ns);
  object_count(objects, "least_ns", percentile->lower_ns);
  if (percentile->finite) {
    object_count(objects, "most_ns", percentile->upper_ns);
  } else {
    object_null(objects, "most_ns");
    object_words(objects, "most_ns", "unknown: too few requests");
  }
}

static void show_latencies(struct document *document, const struct fold_report *report) {
  static const struct object_column columns[] = {
      {.title = "percentile", .key = "p"},
      {.title = "latency", .align = TABLE_RIGHT, .key = "ns"},
      {.title = "with 95 % confidence",
       .align = TABLE_RIGHT,
       .form = COLUMN_RANGE,
       .key = "least_ns",
       .to = "most_ns"},
  };
  struct objects *latencies = document_objects(document, &latency_kind);
  for (size_t i = 0; i < FOLD_PERCENTILES; i++)
    put_percentile(latencies, i, &report->latencies[i]);
  document_table(document, LINES_APART, 2, latencies, columns, sizeof columns / sizeof *columns);
}

static void put_call(struct objects *objects, const char *key, const struct fold_report *report,
                     size_t f, uint32_t position) {
  struct text text;
  text_init(&text);
  flow_call_name(&text, report->view.graph.flows.data[f], position, &report->view.store.names);
  object_text(objects, key, text_get(&text));
  text_clear(&text);
}

static void put_share(struct objects *objects, const struct fold_share *share) {
  object_number(objects, "share", share->share);
  object_number(objects, "share_least", share->lower);
  object_number(objects, "share_most", share->upper);
}

/* At the margin. */
static void say_heading(struct document *document, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void say_heading(struct document *document, const char *format, ...) {
  struct text text;
  va_list arguments;
  text_init(&text);
  va_start(arguments, format);
  text_format_list(&text, format, arguments);
  va_end(arguments);
  document_take(document, LINES_APART, 0, &text);
}

static void say_further(struct document *document, size_t count, size_t listed) {
  document_show(document, SHOWN_BRIEF);
  if (count > listed)
    document_say(document, LINES_CLOSE, "and %zu further (--full lists all)", count - listed);
  document_show(document, SHOWN_ALWAYS);
}

#define SHARE_RANGE                                                                                \
  {                                                                                                \
    .title = "with 95 % confidence", .align = TABLE_RIGHT, .form = COLUMN_RANGE,                   \
    .key = "share_least", .to = "share_most", .decimals = 1                                        \
  }

static void show_flows(struct document *document, const struct fold_report *report) {
  static const struct object_column columns[] = {
      {.title = "requests", .align = TABLE_RIGHT, .key = "requests"},
      {.title = "kept", .align = TABLE_RIGHT, .key = "kept"},
      {.title = "share", .align = TABLE_RIGHT, .key = "share", .decimals = 1},
      SHARE_RANGE,
      {.title = "calls", .align = TABLE_RIGHT, .key = "calls"},
      {.title = "of", .key = "root"},
  };
  size_t count = report->view.flows.count;
  document_section(document, "flows", "The ways in which requests make their calls");
  say_heading(document, "The requests make their calls in %zu way%s:", count,
              count == 1 ? "" : "s");
  struct objects *flows = document_objects(document, &flow_kind);
  for (size_t f = 0; f < count; f++) {
    const struct fold_flow *of = report->view.flows.data[f];
    objects_add(flows);
    object_shown(flows, f < LISTED_FLOWS ? SHOWN_ALWAYS : SHOWN_FULL);
    object_count(flows, "flow", f);
    object_count(flows, "requests", of->requests);
    object_count(flows, "kept", of->kept.count);
    put_share(flows, &report->shares.data[f]);
    object_count(flows, "calls", of->calls);
    put_call(flows, "root", report, f, 0);
  }
  document_table(document, LINES_APART, 2, flows, columns, sizeof columns / sizeof *columns);
  say_further(document, count, LISTED_FLOWS);
}

static void show_parts(struct document *document, const struct fold_report *report) {
  static const struct object_column columns[] = {
      {.title = "", .key = "operation"},
      {.title = "share", .align = TABLE_RIGHT, .key = "share", .decimals = 1},
      SHARE_RANGE,
  };
  const struct span_names *names = &report->view.store.names;
  document_section(document, "parts", "Critical paths");
  say_heading(document, "On critical paths the latency is spent in:");
  struct objects *parts = document_objects(document, &part_kind);
  for (size_t i = 0; i < report->parts.count; i++) {
    const struct fold_part *part = &report->parts.data[i];
    const char *service = names_text(names, part->service);
    objects_add(parts);
    object_shown(parts, i < LISTED_PARTS ? SHOWN_ALWAYS : SHOWN_FULL);
    object_text(parts, "service", service);
    object_text(parts, "operation", names_text(names, part->operation));
    object_words(parts, "operation", "%s%s%s%s", service, part->service == 0 ? "" : "/",
                 names_text(names, part->operation),
                 part->kind == ACTIVITY_NETWORK ? ", network"
                 : part->kind == ACTIVITY_QUEUE ? ", in the queue"
                                                : "");
    object_text(parts, "of",
                part->kind == ACTIVITY_NETWORK ? "network"
                : part->kind == ACTIVITY_QUEUE ? "queue"
                                               : "work");
    put_share(parts, &part->share);
  }
  document_table(document, LINES_APART, 2, parts, columns, sizeof columns / sizeof *columns);
  say_further(document, report->parts.count, LISTED_PARTS);
}

/* --- a flow ----------------------------------------------------------------------------------- */

static void put_calls(struct objects *calls, struct table *table, const struct fold_report *report,
                      size_t f) {
  for (uint32_t p = 0; p < report->view.flows.data[f]->calls; p++) {
    struct sample sample;
    struct text text;
    objects_add(calls);
    object_count(calls, "flow", f);
    put_call(calls, "call", report, f, p);
    struct objects *durations = object_list(calls, "durations");
    sample_init(&sample);
    fold_view_durations(&sample, &report->view, f, p);
    sample_finish(&sample);
    table_cell(table, "%s", object_value(calls, p, "call")->text);
    for (size_t i = 0; i < FOLD_PERCENTILES; i++) {
      struct fold_percentile percentile;
      fold_percentile_of(&percentile, &sample, i);
      put_percentile(durations, i, &percentile);
      text_init(&text);
      duration_print_upper(&text, percentile.ns);
      table_take(table, &text);
    }
    sample_clear(&sample);
  }
}

static void show_calls(struct document *document, const struct fold_report *report, size_t f) {
  struct table table;
  table_init(&table);
  table_column(&table, TABLE_LEFT, "");
  for (size_t i = 0; i < FOLD_PERCENTILES; i++) {
    char title[16];
    snprintf(title, sizeof title, "p%s", fold_percentile_name(i));
    table_column(&table, TABLE_RIGHT, title);
  }
  put_calls(document_objects(document, &call_kind), &table, report, f);
  document_show(document, SHOWN_FULL);
  say_heading(document, "How long the calls of flow %zu take:", f + 1);
  document_grid(document, LINES_APART, 2, &table);
  document_show(document, SHOWN_ALWAYS);
}

static void show_orders(struct document *document, const struct fold_report *report, size_t f) {
  static const struct object_column columns[] = {
      {.title = "starts (or ends)", .key = "after"},
      {.title = "after", .key = "before"},
      {.title = "verdict", .key = "verdict"},
      {.title = "held in", .align = TABLE_RIGHT, .key = "held"},
      {.title = "not in", .align = TABLE_RIGHT, .key = "refuted"},
      {.title = "by chance", .align = TABLE_RIGHT, .key = "by_chance"},
  };
  const struct request_flow *flow = report->view.graph.flows.data[f];
  struct objects *orders = document_objects(document, &order_kind);
  orders_put(orders, flow, f, &report->view.store.names);
  if (flow->orders.count != 0) {
    document_show(document, SHOWN_FULL);
    say_heading(document, "Orders of flow %zu:", f + 1);
  }
  if (orders_undecided(flow) != 0 && f < LISTED_FLOWS) {
    document_show(document, SHOWN_BRIEF);
    say_heading(document, "Undecided orders of flow %zu:", f + 1);
  }
  document_show(document, f < LISTED_FLOWS ? SHOWN_ALWAYS : SHOWN_FULL);
  document_table(document, LINES_APART, 2, orders, columns, sizeof columns / sizeof *columns);
  document_show(document, SHOWN_ALWAYS);
}

void summary_document(struct document *document, const struct fold_report *report,
                      const struct ledger *ledger) {
  document_init(document, "trace summary", summary_kinds);
  document_title(document, "%" PRIu64 " requests", report->requests);
  say_heading(document, "%" PRIu64 " requests:", report->requests);
  struct objects *kept = document_objects(document, &kept_kind);
  objects_add(kept);
  object_count(kept, "requests", report->requests);
  object_count(kept, "kept", report->kept);
  show_latencies(document, report);
  show_flows(document, report);
  show_parts(document, report);
  for (size_t f = 0; f < report->view.flows.count; f++) {
    char id[32];
    snprintf(id, sizeof id, "flow%zu", f);
    document_section(document, id, "Flow %zu", f + 1);
    show_calls(document, report, f);
    show_orders(document, report, f);
  }
  document_ledger(document, ledger);
}
