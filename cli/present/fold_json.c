/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answer of `trace summary` as JSON.
 */
#include "base/jsonl.h"
#include "cli/present/fold.h"
#include "cli/present/order_json.h"

static void put_share(struct jsonl *line, const struct fold_share *share) {
  jsonl_number(line, "share", share->share);
  jsonl_number(line, "share_least", share->lower);
  jsonl_number(line, "share_most", share->upper);
}

static void put_percentile(struct jsonl *line, size_t index,
                           const struct fold_percentile *percentile) {
  jsonl_text(line, "p", fold_percentile_name(index));
  jsonl_integer(line, "ns", (int64_t)percentile->ns);
  jsonl_integer(line, "least_ns", (int64_t)percentile->lower_ns);
  if (percentile->finite)
    jsonl_integer(line, "most_ns", (int64_t)percentile->upper_ns);
  else
    jsonl_text(line, "most_ns", NULL);
}

static void put_call(struct jsonl *line, const char *key, const struct fold_report *report,
                     size_t f, uint32_t position) {
  order_put_call(line, key, report->view.graph.flows.data[f], position, &report->view.store.names);
}

static void print_flow(const struct fold_report *report, size_t f) {
  const struct fold_flow *of = report->view.flows.data[f];
  struct jsonl *line = jsonl_new("flow");
  jsonl_integer(line, "flow", (int64_t)f);
  jsonl_integer(line, "requests", (int64_t)of->requests);
  jsonl_integer(line, "kept", (int64_t)of->kept.count);
  put_share(line, &report->shares.data[f]);
  jsonl_integer(line, "calls", (int64_t)of->calls);
  put_call(line, "root", report, f, 0);
  jsonl_print(line);
}

static void print_calls(const struct fold_report *report, size_t f) {
  const struct fold_flow *of = report->view.flows.data[f];
  for (uint32_t p = 0; p < of->calls; p++) {
    struct jsonl *line = jsonl_new("call_durations");
    jsonl_integer(line, "flow", (int64_t)f);
    put_call(line, "call", report, f, p);
    struct jsonl *list = jsonl_list(line, "durations");
    struct sample sample;
    sample_init(&sample);
    fold_view_durations(&sample, &report->view, f, p);
    sample_finish(&sample);
    for (size_t i = 0; i < FOLD_PERCENTILES; i++) {
      struct fold_percentile percentile;
      fold_percentile_of(&percentile, &sample, i);
      put_percentile(jsonl_item(list), i, &percentile);
    }
    sample_clear(&sample);
    jsonl_print(line);
  }
}

static void print_parts(const struct fold_report *report) {
  for (size_t i = 0; i < report->parts.count; i++) {
    const struct fold_part *part = &report->parts.data[i];
    struct jsonl *line = jsonl_new("part");
    jsonl_text(line, "service", names_text(&report->view.store.names, part->service));
    jsonl_text(line, "operation", names_text(&report->view.store.names, part->operation));
    jsonl_text(line, "of", part->kind == ACTIVITY_NETWORK ? "network" : "work");
    put_share(line, &part->share);
    jsonl_print(line);
  }
}

void fold_print_json(const struct fold_report *report) {
  struct jsonl *line = jsonl_new("kept");
  jsonl_integer(line, "requests", (int64_t)report->requests);
  jsonl_integer(line, "kept", (int64_t)report->kept);
  jsonl_print(line);
  for (size_t i = 0; i < FOLD_PERCENTILES; i++) {
    line = jsonl_new("latency_percentile");
    put_percentile(line, i, &report->latencies[i]);
    jsonl_print(line);
  }
  for (size_t f = 0; f < report->view.flows.count; f++) {
    print_flow(report, f);
    print_calls(report, f);
    orders_print_json(report->view.graph.flows.data[f], f, &report->view.store.names);
  }
  print_parts(report);
}
