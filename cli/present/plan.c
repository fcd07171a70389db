/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/plan.h"

#include <inttypes.h>

#include "base/duration.h"

static const struct object_key planned_keys[] = {
    KEY("component", TEXT, .marks = MARK_NAMES),
    KEY("samples", COUNT, .marks = MARK_DIGITS),
    KEY("then", COUNT, .marks = MARK_DIGITS),
    KEY("times", NUMBER, .note = "`then` for each of `samples`"),
    KEY("seconds", SECONDS),
    {0}};
static const struct object_kind planned_kind = {"planned", "of `plan`", planned_keys};

static const struct object_key plan_keys[] = {
    KEY("bound", TEXT, .marks = MARK_NAMES),
    KEY("p", TEXT, .marks = MARK_NAMES),
    KEY("now_ns", NS, .marks = MARK_DIGITS | MARK_UPPER),
    KEY("then_ns", NS, .marks = MARK_DIGITS | MARK_UPPER),
    KEY("then_least_ns", NS, .marks = MARK_MAYBE | MARK_DIGITS | MARK_LOWER),
    KEY("then_most_ns", NS, .marks = MARK_MAYBE | MARK_DIGITS | MARK_UPPER,
        .note = "as far as the present samples know their tail"),
    KEY("limit_ns", NS, .marks = MARK_DIGITS | MARK_UPPER, .note = "with samples without end"),
    KEY("reached", FLAG),
    KEY("seconds", SECONDS),
    KEY("needed_seconds", SECONDS, .marks = MARK_MAYBE),
    {0}};
static const struct object_kind plan_kind = {"plan", NULL, plan_keys};

const struct object_kind *const plan_kinds[] = {&plan_kind, &planned_kind, &assumption_kind, NULL};

static void append_value(struct text *text, uint64_t ns) {
  if (ns == PLAN_INFINITE)
    text_append(text, "infinite");
  else
    duration_print_upper(text, ns);
}

static void put_time(struct objects *objects, const char *key, uint64_t ns) {
  object_time(objects, key, ns != PLAN_INFINITE, ns);
}

static void show_components(struct document *document, const struct sampling_plan *plan) {
  static const struct object_column columns[] = {
      {.title = "", .key = "component"},
      {.title = "samples now", .align = TABLE_RIGHT, .key = "samples"},
      {.title = "then", .align = TABLE_RIGHT, .key = "then"},
      {.title = "times", .align = TABLE_RIGHT, .key = "times", .decimals = 2},
      {.title = "more time", .align = TABLE_RIGHT, .key = "seconds", .decimals = 3},
  };
  struct objects *planned = document_objects(document, &planned_kind);
  for (size_t i = 0; i < plan->count; i++) {
    const struct plan_component *c = &plan->components[i];
    objects_add(planned);
    object_text(planned, "component", c->name);
    object_count(planned, "samples", c->samples);
    object_count(planned, "then", c->then);
    object_number(planned, "times", (double)c->then / (double)c->samples);
    object_number(planned, "seconds", (double)c->spent_ns / 1e9);
  }
  document_table(document, LINES_APART, 2, planned, columns, sizeof columns / sizeof *columns);
}

static void say_values(struct document *document, const struct planning *p) {
  const struct sampling_plan *plan = &p->plan;
  struct text text;
  text_init(&text);
  text_format(&text, "p%s at most: now ", p->wanted.data[0].text);
  append_value(&text, plan->now.value_ns);
  text_append(&text, "; then, predicted, ");
  append_value(&text, plan->then.value_ns);
  text_append(&text, "; with samples without end ");
  append_value(&text, plan->limit.value_ns);
  document_item(document, LINES_APART, 2, &text);
}

static void say_spread(struct document *document, const struct planning *p) {
  struct text text;
  if (!p->has_spread)
    return;
  text_init(&text);
  text_append(&text, "As far as the present samples know their tail, it will be between ");
  duration_print_lower(&text, p->spread.lower_ns);
  text_append(&text, " and ");
  append_value(&text, p->spread.upper_finite ? p->spread.upper_ns : PLAN_INFINITE);
  text_append(&text, ".");
  document_take(document, LINES_CLOSE, 2, &text);
}

static void put_plan(struct document *document, const struct planning *p) {
  const struct sampling_plan *plan = &p->plan;
  struct objects *objects = document_objects(document, &plan_kind);
  objects_add(objects);
  object_text(objects, "bound", p->calculation.bound->name);
  object_text(objects, "p", p->wanted.data[0].text);
  put_time(objects, "now_ns", plan->now.value_ns);
  put_time(objects, "then_ns", plan->then.value_ns);
  if (p->has_spread) {
    put_time(objects, "then_least_ns", p->spread.lower_ns);
    put_time(objects, "then_most_ns", p->spread.upper_finite ? p->spread.upper_ns : PLAN_INFINITE);
  }
  put_time(objects, "limit_ns", plan->limit.value_ns);
  object_flag(objects, "reached", plan->reached);
  object_number(objects, "seconds", (double)plan->spent_ns / 1e9);
  if (plan->needed_ns != 0)
    object_number(objects, "needed_seconds", (double)plan->needed_ns / 1e9);
}

void plan_document(struct document *document, const struct planning *p) {
  const struct sampling_plan *plan = &p->plan;
  document_init(document, "plan", plan_kinds);
  document_title(document, "What to measure for p%s of %s", p->wanted.data[0].text,
                 p->calculation.bound->name);
  say_values(document, p);
  show_components(document, plan);
  document_say(document, LINES_APART, "In all %.3f s of %s.", (double)plan->spent_ns / 1e9,
               p->request->budget);
  if (!plan->reached && plan->needed_ns != 0)
    document_say(document, LINES_CLOSE, "NOT REACHED in that time; %.0f s would do.",
                 (double)plan->needed_ns / 1e9);
  else if (!plan->reached)
    document_say(document, LINES_CLOSE,
                 "NOT REACHED, and not by more samples of these components.");
  document_say(document, LINES_CLOSE,
               "A prediction: it takes further samples to look like those there are.");
  say_spread(document, p);
  put_plan(document, p);
  document_ledger(document, &p->calculation.ledger);
}
