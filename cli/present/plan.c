/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/plan.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/duration.h"
#include "base/jsonl.h"
#include "show/table.h"
#include "show/wrapped.h"

static void append_value(struct text *text, uint64_t ns) {
  if (ns == PLAN_INFINITE)
    text_append(text, "infinite");
  else
    duration_print_upper(text, ns);
}

static void print_components(const struct sampling_plan *plan) {
  static const char *const titles[] = {"samples now", "then", "times", "more time"};
  struct table table;
  table_init(&table);
  table_column(&table, TABLE_LEFT, "");
  for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
    table_column(&table, TABLE_RIGHT, titles[i]);
  for (size_t i = 0; i < plan->count; i++) {
    const struct plan_component *c = &plan->components[i];
    table_cell(&table, "%s", c->name);
    table_cell(&table, "%" PRIu64, c->samples);
    table_cell(&table, "%" PRIu64, c->then);
    table_cell(&table, "%.2f", (double)c->then / (double)c->samples);
    table_cell(&table, "%.3f s", (double)c->spent_ns / 1e9);
  }
  table_print(stdout, &table, 2);
  table_clear(&table);
}

static void print_spread(const struct planning *p) {
  if (!p->has_spread)
    return;
  struct text least, most;
  text_init(&least);
  text_init(&most);
  duration_print_lower(&least, p->spread.lower_ns);
  append_value(&most, p->spread.upper_finite ? p->spread.upper_ns : PLAN_INFINITE);
  wrapped_format(2, 2,
                 "As far as the present samples know their tail, it will be between %s and %s.",
                 least.data, most.data);
  text_clear(&least);
  text_clear(&most);
}

void plan_print_text(const struct planning *p) {
  const struct sampling_plan *plan = &p->plan;
  struct text now, then, limit;
  text_init(&now);
  text_init(&then);
  text_init(&limit);
  append_value(&now, plan->now.value_ns);
  append_value(&then, plan->then.value_ns);
  append_value(&limit, plan->limit.value_ns);
  putchar('\n');
  wrapped_format(2, 4, "p%s at most: now %s; then, predicted, %s; with samples without end %s",
                 p->wanted.data[0].text, now.data, then.data, limit.data);
  putchar('\n');
  print_components(plan);
  printf("\n  In all %.3f s of %s.\n", (double)plan->spent_ns / 1e9, p->request->budget);
  if (!plan->reached && plan->needed_ns != 0)
    printf("  NOT REACHED in that time; %.0f s would do.\n", (double)plan->needed_ns / 1e9);
  else if (!plan->reached)
    wrapped_format(2, 2, "NOT REACHED, and not by more samples of these components.");
  wrapped_format(2, 2, "A prediction: it takes further samples to look like those there are.");
  print_spread(p);
  text_clear(&now);
  text_clear(&then);
  text_clear(&limit);
}

static void add_number(struct jsonl *line, const char *key, uint64_t value) {
  char digits[24];
  snprintf(digits, sizeof digits, "%" PRIu64, value);
  jsonl_text(line, key, value == PLAN_INFINITE ? "infinite" : digits);
}

void plan_print_json(const struct planning *p) {
  const struct sampling_plan *plan = &p->plan;
  for (size_t i = 0; i < plan->count; i++) {
    const struct plan_component *c = &plan->components[i];
    struct jsonl *line = jsonl_new("planned");
    jsonl_text(line, "component", c->name);
    add_number(line, "samples", c->samples);
    add_number(line, "then", c->then);
    jsonl_seconds(line, "seconds", (double)c->spent_ns / 1e9);
    jsonl_print(line);
  }
  struct jsonl *line = jsonl_new("plan");
  jsonl_text(line, "bound", p->calculation.bound->name);
  jsonl_text(line, "p", p->wanted.data[0].text);
  add_number(line, "now_ns", plan->now.value_ns);
  add_number(line, "then_ns", plan->then.value_ns);
  if (p->has_spread) {
    add_number(line, "then_least_ns", p->spread.lower_ns);
    add_number(line, "then_most_ns", p->spread.upper_finite ? p->spread.upper_ns : PLAN_INFINITE);
  }
  add_number(line, "limit_ns", plan->limit.value_ns);
  jsonl_flag(line, "reached", plan->reached);
  jsonl_seconds(line, "seconds", (double)plan->spent_ns / 1e9);
  if (plan->needed_ns != 0)
    jsonl_seconds(line, "needed_seconds", (double)plan->needed_ns / 1e9);
  jsonl_print(line);
}
