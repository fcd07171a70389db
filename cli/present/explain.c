/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/explain.h"

#include <string.h>

#include "cli/present/execution.h"
#include "cli/present/verify.h"
#include "solver/search/scope.h"
#include "solver/search/tight.h"
#include "solver/verify.h"

/* --- for programs ----------------------------------------------------------------------------- */

static const struct object_key domino_keys[] = {
    KEY("what", TEXT), KEY("adds", TEXT), KEY("takes", DECIMAL), KEY("until", DECIMAL), {0}};
const struct object_kind explanation_domino_kind = {"domino", NULL, domino_keys};

static void put_number(struct objects *objects, const char *key, const struct rational *value) {
  struct text text;
  text_init(&text);
  rational_print_short(&text, value);
  object_text(objects, key, text.data);
  object_words(objects, key, "%s", text.data);
  text_clear(&text);
}

static void put_names(struct objects *objects, const char *key, const char *const *names,
                      size_t count) {
  object_texts(objects, key);
  for (size_t i = 0; i < count; i++)
    object_item(objects, key, names[i]);
}

static void put_chain(struct objects *chain, const struct slowest *s) {
  for (size_t i = 0; i < s->chain.count; i++) {
    const struct domino *d = &s->chain.data[i];
    objects_add(chain);
    object_text(chain, "what", d->what);
    object_text(chain, "adds", d->adds);
    put_number(chain, "takes", &d->amount);
    put_number(chain, "until", &d->until);
  }
}

void explanation_put(struct objects *objects, const struct explanation *x,
                     const struct model *model) {
  const struct slowest *s = &x->slowest;
  put_names(objects, "explanation.rests_on", x->used.data, x->used.count);
  put_names(objects, "explanation.not_needed", x->unused.data, x->unused.count);
  put_names(objects, "explanation.assumptions", x->assumptions.data, x->assumptions.count);
  object_count(objects, "explanation.generated", x->generated);
  object_flag(objects, "explanation.exact", x->exact);
  if (!s->found)
    return;
  scope_put(objects, "explanation.slowest.scope", model, s->scope);
  constants_put(objects, "explanation.slowest.constants_ns", &s->constants);
  put_number(objects, "explanation.slowest.time", &s->time);
  put_number(objects, "explanation.slowest.bound", &s->limit);
  object_flag(objects, "explanation.slowest.unit", s->unit);
  object_count(objects, "explanation.slowest.executions", s->tried);
  put_chain(object_list(objects, "explanation.slowest.chain"), s);
}

/* --- for people ------------------------------------------------------------------------------- */

static void append_names(struct text *text, const char *title, const char *const *names,
                         size_t count) {
  text_append(text, title);
  for (size_t i = 0; i < count; i++)
    text_format(text, "%s%s", i == 0 ? "" : ", ", names[i]);
}

static void say_support(struct document *document, const struct explanation *x) {
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
  document_item(document, LINES_APART, 2, &text);
  if (x->assumptions.count != 0)
    append_names(&text, "Uses the assumptions ", x->assumptions.data, x->assumptions.count);
  document_item(document, LINES_CLOSE, 2, &text);
}

static void show_chain(struct document *document, const struct slowest *s) {
  static const struct object_column columns[] = {
      {.title = "what", .key = "what"},
      {.title = "for", .key = "adds"},
      {.title = "takes", .align = TABLE_RIGHT, .key = "takes"},
      {.title = "until", .align = TABLE_RIGHT, .key = "until"},
  };
  struct objects *chain = document_objects(document, &explanation_domino_kind);
  put_chain(chain, s);
  for (size_t i = 0; i < chain->items.count; i++)
    chain->items.data[i].shown = SHOWN_PEOPLE;
  document_table(document, LINES_APART, 4, chain, columns, sizeof columns / sizeof *columns);
}

static char *number(const struct rational *value) {
  struct text text;
  text_init(&text);
  rational_print_short(&text, value);
  return text_take(&text);
}

static void show_slowest(struct document *document, const struct slowest *s,
                         const struct model *model, bool tight) {
  struct text scope, text;
  text_init(&scope);
  text_init(&text);
  parameters_print(&scope, model, s->scope, &s->constants);
  char *time = number(&s->time), *limit = number(&s->limit);
  text_format(&text, "Slowest found: %s of %s %s, with %s%s", time, limit,
              s->unit ? "units when every bare name is 1" : "ns", scope.data,
              !s->whole ? ""
              : tight   ? ": all of the bound"
                        : ": all of the bound, with these parameters");
  document_item(document, LINES_CLOSE, 2, &text);
  if (!s->whole)
    document_say(document, LINES_CLOSE, "(of %zu executions tried; slower ones may exist)",
                 s->tried);
  if (s->chain.count != 0)
    show_chain(document, s);
  mem_free(time);
  mem_free(limit);
  text_clear(&scope);
}

static void say_where(struct document *document, const char *title, const struct model *model,
                      const struct tightness *t, enum tight_outcome outcome) {
  struct text text;
  text_init(&text);
  text_format(&text, "%s with ", title);
  tightness_print_scopes(&text, model, t, outcome);
  document_item(document, LINES_CLOSE, 2, &text);
}

static void say_tightness(struct document *document, const struct tightness *t,
                          const struct model *model) {
  bool parameters = model->params.count != 0 || t->number != NULL;
  if (parameters && t->attained != 0)
    say_where(document, "Attained", model, t, TIGHT_ATTAINED);
  if (parameters && t->missed != 0)
    say_where(document, "Attained by no execution", model, t, TIGHT_MISSED);
  if (parameters && t->undecided != 0)
    say_where(document, "Attained by none of the executions tried", model, t, TIGHT_UNDECIDED);
  for (size_t i = 0; i < t->spare.count; i++) {
    struct text term;
    text_init(&term);
    tight_term_print(&term, &t->spare.data[i]);
    document_item(document, LINES_CLOSE, 2, &term);
  }
}

void explanation_show(struct document *document, const struct bound_report *report,
                      const struct model *model) {
  const struct explanation *x = report->explanation;
  say_support(document, x);
  say_tightness(document, &report->tightness, model);
  if (x->slowest.found)
    show_slowest(document, &x->slowest, model, report->tight);
}
