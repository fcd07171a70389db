/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The verdict of one bound as text or JSON (verify.h).
 */
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "cli/present/verify.h"
#include "base/duration.h"
#include "base/jsonl.h"
#include "show/terminal.h"
#include "cli/present/execution.h"
#include "cli/present/explain.h"
#include "show/wrapped.h"
#include "solver/search/scope.h"
#include "solver/verify.h"

static void put_scope(struct jsonl *json, const struct model *model, const int64_t *scope) {
  struct jsonl *inside = jsonl_inside(json, "scope");
  for (size_t i = 0; i < model->params.count; i++)
    jsonl_integer(inside, model->params.items[i]->name, scope[i]);
}

static void put_scopes(struct jsonl *json, const char *key, const struct model *model,
                       const struct tightness *t, enum tight_outcome outcome) {
  struct jsonl *list = jsonl_list(json, key);
  for (size_t i = 0; i < t->scopes.count; i++) {
    if (t->scopes.data[i].outcome != outcome)
      continue;
    struct jsonl *item = jsonl_item(list);
    for (size_t p = 0; p < model->params.count; p++)
      jsonl_integer(item, model->params.items[p]->name, t->scopes.data[i].values[p]);
    if (t->scopes.data[i].numbered)
      jsonl_integer(item, t->number, t->scopes.data[i].number);
  }
}

static void put_tightness(struct jsonl *json, const struct bound_report *r,
                          const struct model *model) {
  const struct tightness *t = &r->tightness;
  struct text text;
  text_init(&text);
  tightness_print(&text, model, t);
  struct jsonl *inside = jsonl_inside(json, "tightness");
  jsonl_text(inside, "text", text_get(&text));
  put_scopes(inside, "attained", model, t, TIGHT_ATTAINED);
  put_scopes(inside, "not_attained", model, t, TIGHT_MISSED);
  put_scopes(inside, "not_decided", model, t, TIGHT_UNDECIDED);
  struct jsonl *list = jsonl_list(inside, "not_needed");
  for (size_t i = 0; i < t->spare.count; i++) {
    struct jsonl *item = jsonl_item(list);
    jsonl_text(item, "term", t->spare.data[i].label);
    jsonl_flag(item, "charged", t->spare.data[i].charged);
    jsonl_flag(item, "decided", t->spare.data[i].decided);
  }
  text_clear(&text);
}

static void put_unknown(struct jsonl *json, const struct bound_report *r,
                        const struct source *source) {
  jsonl_text(json, "reason", r->reason);
  if (r->open != NULL)
    jsonl_text(json, "open", r->open);
  if (r->place.end != 0) {
    struct place place = source_place(source, r->place.start);
    jsonl_integer(json, "line", (int64_t)place.line);
    jsonl_integer(json, "column", (int64_t)place.column);
  }
  if (r->induction != NULL)
    jsonl_text(json, "induction", r->induction);
  if (r->scopes != NULL)
    jsonl_text(json, "scopes", r->scopes);
  if (r->hint != NULL)
    jsonl_text(json, "hint", r->hint);
}

static void report_as_json(const struct bound_report *r, const struct model *model,
                           const struct source *source) {
  struct jsonl *json = jsonl_new("bound");
  jsonl_text(json, "file", source->name);
  jsonl_text(json, "protocol", model->name);
  jsonl_text(json, "name", r->bound->name);
  jsonl_text(json, "verdict", verdict_name(r->verdict));
  jsonl_integer(json, "obligations", (int64_t)r->obligations);
  jsonl_integer(json, "failed", (int64_t)r->failed);
  jsonl_seconds(json, "seconds", r->seconds);
  jsonl_flag(json, "reused", r->reused);
  jsonl_integer(json, "obligations_reused", (int64_t)r->obligations_reused);
  jsonl_integer(json, "obligations_asked", (int64_t)r->obligations_asked);
  if (r->reached) {
    struct jsonl *reached = jsonl_inside(json, "reached");
    put_scope(reached, model, r->scope);
    jsonl_integer(reached, "steps", (int64_t)r->reached_steps);
  } else {
    jsonl_text(json, "reached", NULL);
  }
  jsonl_flag(json, "tight", r->tight);
  if (r->verdict == VERDICT_PROVED) {
    put_tightness(json, r, model);
    jsonl_flag(json, "never_later", r->never_later);
  }
  jsonl_text(json, "target", r->bound->target_text);
  jsonl_text(json, "expression", r->bound->expression_text);
  if (r->worst != NULL) {
    jsonl_milliseconds(json, "median_ms", r->median_seconds);
    jsonl_milliseconds(json, "worst_ms", r->worst_seconds);
    jsonl_text(json, "worst", r->worst);
  }
  if (r->verdict == VERDICT_UNKNOWN)
    put_unknown(json, r, source);
  if (r->explanation != NULL)
    report_explanation_json(json, r->explanation, model);
  if (r->verdict == VERDICT_REFUTED) {
    struct jsonl *counter = jsonl_inside(json, "counterexample");
    put_scope(counter, model, r->counter_scope);
    jsonl_text(counter, "time_ns", r->time);
    jsonl_text(counter, "bound_ns", r->limit);
    execution_json(counter, r->execution);
  } else if (r->execution != NULL) {
    put_scope(json, model, r->counter_scope);
    execution_json(json, r->execution);
  }
  jsonl_print(json);
}

static const char *colour_of(enum verdict verdict) {
  static const char *const colours[] = {"\033[32m", "\033[31m", "\033[33m"};
  return terminal_has_colour(STDOUT_FILENO) ? colours[verdict] : "";
}

/* Of a refutation, or what shows why the bound is unknown. */
static void report_execution(const struct bound_report *r, const struct model *model) {
  bool known = parameters_exist(model, &r->execution->constants);
  struct text scope;
  text_init(&scope);
  parameters_print(&scope, model, r->counter_scope, &r->execution->constants);
  putchar('\n');
  if (r->verdict == VERDICT_REFUTED)
    wrapped_format(2, 2, "An execution with %s in which it takes %s ns, the bound being %s ns:",
                   scope.data, r->time, r->limit);
  else
    wrapped_format(2, 2, "An execution%s%s that shows it:", known ? " with " : "",
                   known ? scope.data : "");
  putchar('\n');
  execution_print(r->execution);
  text_clear(&scope);
}

/* How the verdict came about. */
static void append_proof(struct text *text, const struct bound_report *r,
                         const struct model *model) {
  text_format(text, "%zu obligations", r->obligations);
  if (r->failed != 0)
    text_format(text, ", %zu not proved", r->failed);
  text_format(text, ", %.2f s", r->seconds);
  if (r->reached) {
    text_append(text, ", reached with ");
    scope_print(text, model, r->scope);
    text_format(text, " in %zu steps", r->reached_steps);
  }
}

static void report_numbers(const struct bound_report *r, const struct model *model, bool full) {
  struct text text;
  text_init(&text);
  if (r->verdict == VERDICT_PROVED)
    tightness_print(&text, model, &r->tightness);
  else if (r->failed != 0 && !full)
    text_format(&text, "%zu of %zu obligations not proved", r->failed, r->obligations);
  if (full) {
    text_append(&text, text.length == 0 ? "" : "; ");
    append_proof(&text, r, model);
  }
  if (text.length != 0)
    wrapped_print(text.data, (size_t)printf("    "), 4);
  text_clear(&text);
}

/* The reason names the first. */
static void report_open(const struct bound_report *r, bool all) {
  if (r->open == NULL || r->failed < 2)
    return;
  printf(all ? "    open goals:\n" : "    --all-goals lists the %zu goals that are open\n",
         r->failed);
  for (const char *at = r->open; all && *at != '\0'; at += strcspn(at, "\n") + 1)
    printf("      %.*s\n", (int)strcspn(at, "\n"), at);
}

static void report_induction(const struct bound_report *r) {
  if (r->induction == NULL)
    return;
  putchar('\n');
  wrapped_format(2, 2,
                 "The induction fails here (the first state need not be reachable; then an "
                 "invariant is missing):");
  printf("\n%s\n", r->induction);
}

static void report_search(const struct bound_report *r) {
  if (r->worst != NULL)
    wrapped_format(2, 4, "The obligations took %.1f ms (median) to %.1f ms: %s",
                   r->median_seconds * 1e3, r->worst_seconds * 1e3, r->worst);
  if (r->scopes != NULL)
    wrapped_format(2, 4, "A counterexample to induction was looked for with %s", r->scopes);
  if (r->hint != NULL)
    wrapped_format(2, 4, "What might help: in that state %s", r->hint);
}

/* "    TARGET within EXPRESSION", which may be long. */
static void report_claim(const struct bound *bound) {
  wrapped_format(4, 8, "%s within %s", bound->target_text,
                 bound->expression_text == NULL ? "?" : bound->expression_text);
}

static void report_head(const struct bound_report *r, const struct source *source) {
  const char *colour = colour_of(r->verdict);
  printf("%s: %s: %s%s%s", source->name, r->bound->name, colour, verdict_name(r->verdict),
         colour[0] ? "\033[0m" : "");
  if (r->verdict == VERDICT_UNKNOWN)
    printf(": %s", r->reason);
  printf("\n");
}

/* Of sent N from M it is M that can be sent from N, when it comes later. */
static void report_order(const struct bound_report *r) {
  const struct bound *b = r->bound;
  if (!r->never_later)
    return;
  wrapped_format(4, 4,
                 "warning: in no execution that was tried it comes later than what it counts from; "
                 "so the bound says nothing of how long anything takes");
  if (b->target != TARGET_WHEN)
    wrapped_format(4, 4, "if it comes first, write: from sent %s(..) sent %s(..) within ..",
                   b->message->name, b->from->name);
  else
    wrapped_format(4, 4, "write behind \"from\" what comes first");
}

static void report_as_text(const struct bound_report *r, const struct model *model,
                           const struct source *source, const struct report_style *style) {
  report_head(r, source);
  report_claim(r->bound);
  if (r->verdict == VERDICT_UNKNOWN && r->place.end != 0) {
    struct place place = source_place(source, r->place.start);
    printf("    the place is %s:%zu:%zu\n", source->name, place.line, place.column);
  }
  report_numbers(r, model, style->full);
  report_order(r);
  if (r->execution != NULL)
    report_execution(r, model);
  if (r->verdict == VERDICT_UNKNOWN) {
    report_open(r, style->all_goals);
    report_induction(r);
  }
  if (style->explain)
    report_search(r);
  if (r->explanation != NULL)
    report_explanation_text(r, model);
}

void report_bound(const struct bound_report *r, const struct model *model,
                  const struct source *source, const struct report_style *style) {
  if (style->json)
    report_as_json(r, model, source);
  else
    report_as_text(r, model, source, style);
  fflush(stdout);
}

void report_verdict(const struct bound_report *r, const struct model *model,
                    const struct source *source, const struct report_style *style) {
  if (style->json || style->full || r->verdict != VERDICT_PROVED)
    report_bound(r, model, source, style);
  else {
    report_head(r, source);
    report_order(r);
  }
  fflush(stdout);
}
