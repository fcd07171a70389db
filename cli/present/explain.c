/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/explain.h"
#include "solver/search/scope.h"
#include "solver/search/tight.h"
#include "solver/verify.h"

#include "show/table.h"
#include "show/wrapped.h"

#include <stdio.h>
#include <string.h>

static char *number(const struct rational *value) {
  struct text text;
  text_init(&text);
  rational_print_short(&text, value);
  return text_take(&text);
}

/* --- JSON ------------------------------------------------------------------------------------- */

static void put_names(struct jsonl *json, const char *key, const char *const *names, size_t count) {
  struct jsonl *list = jsonl_list(json, key);
  for (size_t i = 0; i < count; i++)
    jsonl_item_text(list, names[i]);
}

static void put_number(struct jsonl *json, const char *key, const struct rational *value) {
  char *text = number(value);
  jsonl_text(json, key, text);
  mem_free(text);
}

static void put_slowest(struct jsonl *json, const struct slowest *s, const struct model *model) {
  struct jsonl *slowest = jsonl_inside(json, "slowest");
  struct jsonl *scope = jsonl_inside(slowest, "scope");
  for (size_t i = 0; i < model->params.count; i++)
    jsonl_integer(scope, model->params.items[i]->name, s->scope[i]);
  struct jsonl *constants = jsonl_inside(slowest, "constants_ns");
  for (size_t i = 0; i < s->constants.count; i++)
    put_number(constants, s->constants.data[i].name, &s->constants.data[i].value);
  put_number(slowest, "time", &s->time);
  put_number(slowest, "bound", &s->limit);
  jsonl_flag(slowest, "unit", s->unit);
  jsonl_integer(slowest, "executions", (int64_t)s->tried);
  struct jsonl *list = jsonl_list(slowest, "chain");
  for (size_t i = 0; i < s->chain.count; i++) {
    const struct domino *d = &s->chain.data[i];
    struct jsonl *item = jsonl_item(list);
    jsonl_text(item, "what", d->what);
    jsonl_text(item, "adds", d->adds);
    put_number(item, "takes", &d->amount);
    put_number(item, "until", &d->until);
  }
}

void report_explanation_json(struct jsonl *json, const struct explanation *x,
                             const struct model *model) {
  struct jsonl *inside = jsonl_inside(json, "explanation");
  put_names(inside, "rests_on", x->used.data, x->used.count);
  put_names(inside, "not_needed", x->unused.data, x->unused.count);
  put_names(inside, "assumptions", x->assumptions.data, x->assumptions.count);
  jsonl_integer(inside, "generated", (int64_t)x->generated);
  jsonl_flag(inside, "exact", x->exact);
  if (x->slowest.found)
    put_slowest(inside, &x->slowest, model);
  else
    jsonl_text(inside, "slowest", NULL);
}

/* --- text ------------------------------------------------------------------------------------- */

static void append_names(struct text *text, const char *title, const char *const *names,
                         size_t count) {
  text_append(text, title);
  for (size_t i = 0; i < count; i++)
    text_format(text, "%s%s", i == 0 ? "" : ", ", names[i]);
}

static void print_support(const struct explanation *x) {
  struct text text;
  text_init(&text);
  append_names(&text, "Rests on ", x->used.data, x->used.count);
  if (x->used.count == 0)
    text_append(&text, "no invariant of the file");
  if (x->generated != 0)
    text_format(&text, " (and %zu generated fact%s)", x->generated, x->generated == 1 ? "" : "s");
  if (x->unused.count != 0)
    append_names(&text, "; not needed: ", x->unused.data, x->unused.count);
  text_append(&text, x->exact ? "" : "; this may be more than is needed");
  putchar('\n');
  wrapped_format(2, 4, "%s", text.data);
  text.length = 0;
  append_names(&text, "Uses the assumptions ", x->assumptions.data, x->assumptions.count);
  if (x->assumptions.count != 0)
    wrapped_format(2, 4, "%s", text.data);
  text_clear(&text);
}

static void add_number(struct table *table, const struct rational *value) {
  struct text text;
  text_init(&text);
  rational_print_short(&text, value);
  table_take(table, &text);
}

static void print_chain(const struct slowest *s) {
  struct table table;
  table_init(&table);
  table_column(&table, TABLE_LEFT, "what");
  table_column(&table, TABLE_LEFT, "for");
  table_column(&table, TABLE_RIGHT, "takes");
  table_column(&table, TABLE_RIGHT, "until");
  for (size_t i = 0; i < s->chain.count; i++) {
    const struct domino *d = &s->chain.data[i];
    table_cell(&table, "%s", d->what);
    table_cell(&table, "%s", d->adds);
    add_number(&table, &d->amount);
    add_number(&table, &d->until);
  }
  putchar('\n');
  table_print(stdout, &table, 4);
  table_clear(&table);
}

static void print_slowest(const struct slowest *s, const struct model *model, bool tight) {
  struct text scope;
  text_init(&scope);
  parameters_print(&scope, model, s->scope, &s->constants);
  char *time = number(&s->time), *limit = number(&s->limit);
  wrapped_format(2, 4, "Slowest found: %s of %s %s, with %s%s", time, limit,
                 s->unit ? "units when every bare name is 1" : "ns", scope.data,
                 !s->whole ? ""
                 : tight   ? ": all of the bound"
                           : ": all of the bound, with these parameters");
  if (!s->whole)
    printf("  (of %zu executions tried; slower ones may exist)\n", s->tried);
  if (s->chain.count != 0)
    print_chain(s);
  mem_free(time);
  mem_free(limit);
  text_clear(&scope);
}

static void print_where(const char *title, const struct model *model, const struct tightness *t,
                        enum tight_outcome outcome) {
  struct text scopes;
  text_init(&scopes);
  tightness_print_scopes(&scopes, model, t, outcome);
  wrapped_format(2, 4, "%s with %s", title, scopes.data);
  text_clear(&scopes);
}

static void print_tightness(const struct tightness *t, const struct model *model) {
  bool parameters = model->params.count != 0 || t->number != NULL;
  if (parameters && t->attained != 0)
    print_where("Attained", model, t, TIGHT_ATTAINED);
  if (parameters && t->missed != 0)
    print_where("Attained by no execution", model, t, TIGHT_MISSED);
  if (parameters && t->undecided != 0)
    print_where("Attained by none of the executions tried", model, t, TIGHT_UNDECIDED);
  for (size_t i = 0; i < t->spare.count; i++) {
    struct text term;
    text_init(&term);
    tight_term_print(&term, &t->spare.data[i]);
    wrapped_format(2, 4, "%s", term.data);
    text_clear(&term);
  }
}

void report_explanation_text(const struct bound_report *report, const struct model *model) {
  const struct explanation *x = report->explanation;
  print_support(x);
  print_tightness(&report->tightness, model);
  if (x->slowest.found)
    print_slowest(&x->slowest, model, report->tight);
}
