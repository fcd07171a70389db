/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answers of `trace fold`, `trace merge` and `trace summary` as text.
 */
#include <inttypes.h>

#include "base/duration.h"
#include "base/jsonl.h"
#include "cli/present/fold.h"
#include "show/table.h"
#include "show/wrapped.h"

enum { LISTED_FLOWS = 5, LISTED_PARTS = 10 };

void fold_print_written(const struct fold_answer *answer, bool json) {
  const struct trace_fold *fold = &answer->fold;
  if (json) {
    struct jsonl *line = jsonl_new("folded");
    jsonl_text(line, "file", answer->wish->out);
    jsonl_integer(line, "requests", (int64_t)fold_requests(fold));
    jsonl_integer(line, "flows", (int64_t)fold->flows.count);
    jsonl_integer(line, "shards", (int64_t)fold->shards.count);
    jsonl_integer(line, "skipped", (int64_t)answer->skipped);
    jsonl_print(line);
    return;
  }
  uint64_t requests = fold_requests(fold);
  printf("%s: %" PRIu64 " request%s in %zu flow%s, from %zu shard%s\n", answer->wish->out, requests,
         requests == 1 ? "" : "s", fold->flows.count, fold->flows.count == 1 ? "" : "s",
         fold->shards.count, fold->shards.count == 1 ? "" : "s");
  if (answer->skipped != 0)
    printf("  %zu shard%s counted already\n", answer->skipped,
           answer->skipped == 1 ? " was" : "s were");
}

static void cell_time(struct table *table, uint64_t ns) {
  struct text text;
  text_init(&text);
  duration_print_upper(&text, ns);
  table_cell(table, "%s", text_get(&text));
  text_clear(&text);
}

static void cell_range(struct table *table, const struct fold_percentile *percentile) {
  struct text text;
  text_init(&text);
  duration_print_lower(&text, percentile->lower_ns);
  text_append(&text, " .. ");
  if (percentile->finite)
    duration_print_upper(&text, percentile->upper_ns);
  else
    text_append(&text, "unknown: too few requests");
  table_cell(table, "%s", text_get(&text));
  text_clear(&text);
}

static void cell_share(struct table *table, const struct fold_share *share) {
  table_cell(table, "%.1f %%", 100 * share->share);
  table_cell(table, "%.1f .. %.1f %%", 100 * share->lower, 100 * share->upper);
}

static void print_latencies(const struct fold_report *report) {
  struct table table;
  table_init(&table);
  table_column(&table, TABLE_LEFT, "percentile");
  table_column(&table, TABLE_RIGHT, "latency");
  table_column(&table, TABLE_RIGHT, "with 95 % confidence");
  for (size_t i = 0; i < FOLD_PERCENTILES; i++) {
    table_cell(&table, "p%s", fold_percentile_name(i));
    cell_time(&table, report->latencies[i].ns);
    cell_range(&table, &report->latencies[i]);
  }
  table_print(stdout, &table, 2);
  table_clear(&table);
}

static void cell_call(struct table *table, const struct fold_report *report, size_t f,
                      uint32_t position) {
  struct text text;
  text_init(&text);
  flow_call_name(&text, report->view.graph.flows.data[f], position, &report->view.store.names);
  table_cell(table, "%s", text_get(&text));
  text_clear(&text);
}

static void print_flows(const struct fold_report *report, bool full) {
  size_t count = report->view.flows.count;
  size_t listed = full || count < LISTED_FLOWS ? count : LISTED_FLOWS;
  printf("\nThe requests make their calls in %zu way%s:\n\n", count, count == 1 ? "" : "s");
  struct table table;
  table_init(&table);
  table_column(&table, TABLE_RIGHT, "requests");
  table_column(&table, TABLE_RIGHT, "kept");
  table_column(&table, TABLE_RIGHT, "share");
  table_column(&table, TABLE_RIGHT, "with 95 % confidence");
  table_column(&table, TABLE_RIGHT, "calls");
  table_column(&table, TABLE_LEFT, "of");
  for (size_t f = 0; f < listed; f++) {
    table_cell(&table, "%" PRIu64, report->view.flows.data[f]->requests);
    table_cell(&table, "%zu", report->view.graph.flows.data[f]->requests.count);
    cell_share(&table, &report->shares.data[f]);
    table_cell(&table, "%zu", report->view.flows.data[f]->calls);
    cell_call(&table, report, f, 0);
  }
  table_print(stdout, &table, 2);
  table_clear(&table);
  if (count > listed)
    printf("  and %zu further (--full lists all)\n", count - listed);
}

static void print_parts(const struct fold_report *report, bool full) {
  const struct span_names *names = &report->view.store.names;
  size_t count = report->parts.count;
  size_t listed = full || count < LISTED_PARTS ? count : LISTED_PARTS;
  printf("\nOn critical paths the latency is spent in:\n\n");
  struct table table;
  table_init(&table);
  table_column(&table, TABLE_LEFT, "");
  table_column(&table, TABLE_RIGHT, "share");
  table_column(&table, TABLE_RIGHT, "with 95 % confidence");
  for (size_t i = 0; i < listed; i++) {
    const struct fold_part *part = &report->parts.data[i];
    table_cell(&table, "%s%s%s%s", names_text(names, part->service), part->service == 0 ? "" : "/",
               names_text(names, part->operation),
               part->kind == ACTIVITY_NETWORK ? ", network" : "");
    cell_share(&table, &part->share);
  }
  table_print(stdout, &table, 2);
  table_clear(&table);
  if (count > listed)
    printf("  and %zu further (--full lists all)\n", count - listed);
}

static const char *verdict_of(const struct order *order) {
  return order->verdict == ORDER_REFUTED     ? "does not wait"
         : order->verdict == ORDER_SUPPORTED ? "waits"
                                             : "undecided";
}

static void cell_chance(struct table *table, const struct order *order) {
  if (order->verdict == ORDER_REFUTED)
    table_cell(table, "%s", "");
  else
    table_cell(table, "%.2g", order->by_chance);
}

/* Undecided orders first matter to who reads little. */
static void print_orders(const struct fold_report *report, size_t f, bool full) {
  const struct request_flow *flow = report->view.graph.flows.data[f];
  struct table table;
  size_t rows = 0;
  table_init(&table);
  table_column(&table, TABLE_LEFT, "starts (or ends)");
  table_column(&table, TABLE_LEFT, "after");
  table_column(&table, TABLE_LEFT, "verdict");
  table_column(&table, TABLE_RIGHT, "held in");
  table_column(&table, TABLE_RIGHT, "not in");
  table_column(&table, TABLE_RIGHT, "by chance");
  for (size_t i = 0; i < flow->orders.count; i++) {
    const struct order *order = &flow->orders.data[i];
    bool is_end = flow->calls.data[order->before].parent == order->after;
    if (!full && order->verdict != ORDER_UNDECIDED)
      continue;
    struct text text;
    text_init(&text);
    flow_call_name(&text, flow, order->after, &report->view.store.names);
    table_cell(&table, "%s%s", is_end ? "the end of " : "", text_get(&text));
    text_clear(&text);
    cell_call(&table, report, f, order->before);
    table_cell(&table, "%s", verdict_of(order));
    table_cell(&table, "%" PRIu64, order->held);
    table_cell(&table, "%" PRIu64, order->refuted);
    cell_chance(&table, order);
    rows++;
  }
  if (rows != 0) {
    printf("\n%s of flow %zu:\n\n", full ? "Orders" : "Undecided orders", f + 1);
    table_print(stdout, &table, 2);
  }
  table_clear(&table);
}

static void print_calls(const struct fold_report *report, size_t f) {
  const struct fold_flow *of = report->view.flows.data[f];
  struct table table;
  table_init(&table);
  table_column(&table, TABLE_LEFT, "");
  for (size_t i = 0; i < FOLD_PERCENTILES; i++) {
    char title[16];
    snprintf(title, sizeof title, "p%s", fold_percentile_name(i));
    table_column(&table, TABLE_RIGHT, title);
  }
  for (uint32_t p = 0; p < of->calls; p++) {
    struct sample sample;
    sample_init(&sample);
    fold_view_durations(&sample, &report->view, f, p);
    sample_finish(&sample);
    cell_call(&table, report, f, p);
    for (size_t i = 0; i < FOLD_PERCENTILES; i++) {
      struct fold_percentile percentile;
      fold_percentile_of(&percentile, &sample, i);
      cell_time(&table, percentile.ns);
    }
    sample_clear(&sample);
  }
  printf("\nHow long the calls of flow %zu take:\n\n", f + 1);
  table_print(stdout, &table, 2);
  table_clear(&table);
}

void fold_print_text(const struct fold_report *report, bool full) {
  size_t count = report->view.flows.count;
  printf("%" PRIu64 " requests:\n\n", report->requests);
  print_latencies(report);
  print_flows(report, full);
  print_parts(report, full);
  for (size_t f = 0; f < count && (full || f < LISTED_FLOWS); f++) {
    if (full)
      print_calls(report, f);
    print_orders(report, f, full);
  }
}
