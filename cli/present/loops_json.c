/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answer of `tail` about event logs as JSON, an object a line. */
#include <math.h>
#include <stdio.h>

#include "base/jsonl.h"
#include "cli/present/loops.h"
#include "cli/question/loops/loops.h"

static const char *verdict_word(enum loops_verdict verdict) {
  return verdict == LOOPS_EXPLAINED ? "explained"
         : verdict == LOOPS_TOO_FEW ? "too few requests"
                                    : "no cause";
}

static void add_ns(struct jsonl *line, const char *key, double ns) {
  if (isfinite(ns))
    jsonl_integer(line, key, (int64_t)llround(ns));
}

static void add_difference(struct jsonl *line, const struct tail_difference *d) {
  add_ns(line, "slow_ns", d->slow);
  add_ns(line, "rest_ns", d->rest);
  add_ns(line, "difference_ns", d->difference);
  add_ns(line, "least_ns", d->least);
  add_ns(line, "most_ns", d->most);
}

static void print_percentiles(const struct loops_answer *a, const struct loops_route *route) {
  for (size_t i = 0; i < a->wanted.count; i++) {
    const struct loop_quantile *q = &route->percentiles[i];
    struct jsonl *line = jsonl_new("route_percentile");
    jsonl_text(line, "route", loops_route_name(a, route));
    jsonl_text(line, "p", a->wanted.data[i].text);
    jsonl_integer(line, "ns", (int64_t)q->value_ns);
    jsonl_flag(line, "settled", q->settled);
    if (q->settled) {
      jsonl_integer(line, "lower_ns", (int64_t)q->lower_ns);
      if (q->upper_ns != QUANTILE_INFINITE)
        jsonl_integer(line, "upper_ns", (int64_t)q->upper_ns);
    }
    jsonl_print(line);
  }
}

static void print_parts(const struct loops_answer *a, const struct loops_route *route) {
  const struct loop_judgement *j = &route->judgement;
  for (size_t i = 0; i < j->lines.count; i++) {
    const struct loop_line *part = &j->lines.data[i];
    struct jsonl *line = jsonl_new("route_part");
    jsonl_text(line, "route", loops_route_name(a, route));
    jsonl_text(line, "phase", hold_phase_name(part->phase));
    if (part->cause != EVENT_NONE)
      jsonl_text(line, "name", j->route->causes.causes.data[part->cause].name);
    add_difference(line, &part->difference);
    jsonl_print(line);
  }
}

static void print_cause(const struct loops_answer *a, const struct loops_route *route,
                        const char *kind, size_t rank, uint32_t number) {
  const struct loop_judgement *j = &route->judgement;
  const struct tail_finding *finding = &j->report.findings.data[number];
  struct jsonl *line = jsonl_new(kind);
  jsonl_text(line, "route", loops_route_name(a, route));
  jsonl_integer(line, "rank", (int64_t)rank);
  jsonl_text(line, "name", j->route->causes.causes.data[finding->cause].name);
  add_difference(line, &finding->difference);
  if (j->apart[number] != 0 && j->apart[number] != INT64_MAX)
    jsonl_integer(line, "apart_ns", j->apart[number]);
  struct jsonl *inside = jsonl_inside(line, "necessary");
  jsonl_integer(inside, "count", (int64_t)finding->necessary.count);
  jsonl_integer(inside, "of", (int64_t)finding->necessary.of);
  jsonl_number(inside, "least", finding->necessary.least);
  jsonl_number(inside, "most", finding->necessary.most);
  jsonl_print(line);
}

static void print_causes(const struct loops_answer *a, const struct loops_route *route) {
  const struct loop_judgement *j = &route->judgement;
  for (size_t i = 0; i < j->named.count; i++)
    print_cause(a, route, "cause", i + 1, j->named.data[i]);
  for (size_t i = 0; i < j->ordinary.count; i++)
    print_cause(a, route, "ordinary", i + 1, j->ordinary.data[i]);
}

static void print_route(const struct loops_answer *a, const struct loops_route *route) {
  const struct loop_judgement *j = &route->judgement;
  struct jsonl *line = jsonl_new("route");
  jsonl_text(line, "route", loops_route_name(a, route));
  jsonl_text(line, "verdict", verdict_word(route->verdict));
  jsonl_integer(line, "requests", (int64_t)j->split.requests);
  jsonl_integer(line, "slow", (int64_t)j->split.slow);
  jsonl_integer(line, "slow_stretches", (int64_t)j->report.slow_observed);
  jsonl_integer(line, "threshold_ns", j->split.threshold);
  jsonl_integer(line, "causes", (int64_t)j->report.tested);
  add_difference(line, &j->report.latency);
  jsonl_print(line);
}

void loops_print_json(const struct loops_answer *a) {
  for (size_t i = 0; i < a->routes.count; i++) {
    const struct loops_route *route = &a->routes.data[i];
    print_percentiles(a, route);
    print_parts(a, route);
    print_causes(a, route);
    print_route(a, route);
  }
  struct jsonl *line = jsonl_new("loops");
  jsonl_integer(line, "loops", (int64_t)a->log.loops.count);
  jsonl_integer(line, "requests", (int64_t)a->log.requests.count);
  jsonl_integer(line, "complete", (int64_t)a->chains.states[CHAIN_COMPLETE]);
  jsonl_flag(line, "replays_exactly", a->causes.unfaithful == 0);
  jsonl_print(line);
}
