/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answer of `tail` as JSON, an object a line. */
#include <math.h>
#include <stdio.h>

#include "base/jsonl.h"
#include "cli/present/tail.h"
#include "cli/present/tail_hot.h"

static const char *verdict_word(enum tail_verdict verdict) {
  switch (verdict) {
  case TAIL_TOO_FEW:
    return "too few requests";
  case TAIL_NOT_SLOWER:
    return "not slower";
  case TAIL_NO_CAUSE:
    return "no cause";
  case TAIL_ONE:
    return "one request";
  default:
    return "explained";
  }
}

static const char *kind_word(enum cause_kind kind) {
  return kind == CAUSE_NETWORK ? "network" : kind == CAUSE_OTHER ? "other" : "work";
}

/* Without the key where it is not known. */
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

static void add_share(struct jsonl *line, const char *key, const struct tail_share *share) {
  struct jsonl *inside = jsonl_inside(line, key);
  jsonl_integer(inside, "count", (int64_t)share->count);
  jsonl_integer(inside, "of", (int64_t)share->of);
  jsonl_number(inside, "least", share->least);
  jsonl_number(inside, "most", share->most);
}

static void print_cause(const struct tail_answer *a, const struct tail_finding *finding) {
  const struct tail_cause *cause = &a->causes.causes.data[finding->cause];
  struct jsonl *line = jsonl_new("cause");
  jsonl_text(line, "name", cause->name);
  jsonl_text(line, "of", kind_word(cause->kind));
  add_difference(line, &finding->difference);
  jsonl_number(line, "share", finding->difference.difference / a->report.latency.difference);
  if (a->verdict == TAIL_ONE) {
    jsonl_integer(line, "part_ns", cause->parts[a->one]);
    jsonl_integer(line, "usual_ns", cause->usual);
  }
  jsonl_flag(line, "significant", finding->significant);
  if (finding->significant) {
    add_share(line, "necessary", &finding->necessary);
    add_share(line, "sufficient", &finding->sufficient);
  }
  jsonl_print(line);
}

static void print_group(const struct tail_answer *a, const struct tail_group *group) {
  struct jsonl *line = jsonl_new("group"), *names = jsonl_list(line, "causes");
  for (size_t i = 0; i < group->count; i++)
    jsonl_item_text(names, a->causes.causes.data[group->causes[i]].name);
  add_share(line, "share", &group->share);
  jsonl_print(line);
}

static void print_tag(const struct tail_answer *a, const struct tag_finding *finding) {
  struct jsonl *line = jsonl_new("tag");
  jsonl_text(line, "key", names_text(a->names, finding->key));
  jsonl_text(line, "value", names_text(a->names, finding->value));
  jsonl_integer(line, "slow", (int64_t)finding->slow);
  jsonl_integer(line, "rest", (int64_t)finding->rest);
  jsonl_number(line, "by_chance", finding->corrected);
  jsonl_print(line);
}

void tail_print_json(const struct tail_answer *a) {
  for (size_t i = 0; i < a->report.findings.count; i++)
    print_cause(a, &a->report.findings.data[i]);
  for (size_t i = 0; i < a->report.groups.count; i++)
    print_group(a, &a->report.groups.data[i]);
  for (size_t i = 0; i < a->tags.findings.count; i++)
    print_tag(a, &a->tags.findings.data[i]);
  hot_print_json(a->hot);
  struct jsonl *line = jsonl_new("tail");
  jsonl_text(line, "verdict", verdict_word(a->verdict));
  jsonl_integer(line, "requests", (int64_t)a->split.requests);
  jsonl_integer(line, "slow", (int64_t)a->split.slow);
  jsonl_integer(line, "rest", (int64_t)a->split.rest);
  jsonl_integer(line, "threshold_ns", a->split.threshold);
  add_share(line, "slow_above", &a->report.slow_above);
  add_share(line, "rest_above", &a->report.rest_above);
  add_difference(line, &a->report.latency);
  jsonl_integer(line, "causes", (int64_t)a->report.tested);
  jsonl_integer(line, "significant", (int64_t)a->report.significant);
  jsonl_integer(line, "tags_tried", (int64_t)a->tags.tried);
  jsonl_print(line);
}
