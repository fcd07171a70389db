/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Mutants of every shipped spec. A verifier that says yes to all passes no test here:
 *
 *   dropped    an additive term of a bound is dropped: refuted, because the bounds are tight
 *   dearer     an action that the event needs takes an extra, unbounded time: refuted
 *   changed    a guard negated or made true, an assignment, a send or an invariant removed, a cost
 *              dropped: whatever the verdict, never `proved` when the interpreter, which shares no
 *              code with the encoder, finds an execution that breaks the bound
 *
 * Prints TAP. Arguments: the specs (default: all in specs/).
 */
#include <glob.h>
#include <stdio.h>
#include <string.h>

#include "base/parallel.h"
#include "lang/check.h"
#include "lang/parse.h"
#include "solver/hunt.h"
#include "solver/scope.h"
#include "solver/verify.h"

enum kind { DROPPED, DEARER, CHANGED };
static const char *const kind_names[] = {"dropped", "dearer", "changed"};

struct mutant {
  enum kind kind;
  const char *file;
  char *what, *text;
  const char *bound; /* the one that must be refuted (DROPPED, DEARER); NULL: look at all */
  bool good;
  char *outcome;
};

static VECTOR(struct mutant) mutants;

/* --- one protocol ----------------------------------------------------------------------------- */

struct loaded {
  struct source *source;
  struct ast *ast;
  struct model *model;
};

static bool load(struct loaded *p, const char *name, const char *text, struct text *errors) {
  memset(p, 0, sizeof *p);
  struct diagnostics diagnostics;
  diagnostics_init(&diagnostics);
  p->source = source_from_text(name, text, strlen(text));
  p->ast = parse(p->source, &diagnostics);
  if (error_count(&diagnostics) == 0)
    p->model = check(p->ast, p->source, &diagnostics);
  if (p->model == NULL)
    diagnostics_print(errors, &diagnostics, p->source, false);
  diagnostics_clear(&diagnostics);
  return p->model != NULL;
}

static void unload(struct loaded *p) {
  model_free(p->model);
  ast_free(p->ast);
  source_free(p->source);
}

/* --- making mutants --------------------------------------------------------------------------- */

static void add_mutant(const struct loaded *p, enum kind kind, const char *bound, struct span span,
                       const char *replacement, const char *appended, const char *format,
                       const char *detail) {
  struct text text, what;
  text_init(&text);
  text_init(&what);
  text_append_bytes(&text, p->source->bytes, span.start);
  text_append(&text, replacement);
  text_append_bytes(&text, p->source->bytes + span.end, p->source->length - span.end);
  text_append(&text, appended);
  text_format(&what, "%s ", kind_names[kind]);
  text_append(&what, format);
  text_append(&what, detail);
  struct place place = source_place(p->source, span.start);
  text_format(&what, " at %zu:%zu", place.line, place.column);
  vector_push(&mutants, (struct mutant){.kind = kind,
                                        .file = p->source->name,
                                        .what = text_take(&what),
                                        .text = text_take(&text),
                                        .bound = bound});
}

static char *slice(const struct loaded *p, struct span span) {
  return mem_copy_text(p->source->bytes + span.start, span.end - span.start);
}

/* a + b becomes a, and becomes b. */
static void drop_terms(const struct loaded *p, const char *bound, const struct syntax *e) {
  for (size_t keep = 0; e->kind == SYNTAX_ADD && keep < 2; keep++) {
    char *kept = slice(p, syntax_arg(e, keep)->span);
    char *dropped = slice(p, syntax_arg(e, 1 - keep)->span);
    struct text bracketed;
    text_init(&bracketed);
    text_format(&bracketed, "(%s)", kept);
    add_mutant(p, DROPPED, bound, e->span, bracketed.data, "", "term ", dropped);
    text_clear(&bracketed);
    mem_free(kept);
    mem_free(dropped);
  }
  for (size_t i = 0; i < e->args.count; i++)
    drop_terms(p, bound, syntax_arg(e, i));
}

/* The first component of a cost: of a sum, and of what is charged under a condition. */
static const struct syntax *first_component(const struct syntax *cost) {
  while (cost->kind == SYNTAX_ADD || cost->kind == SYNTAX_ITE)
    cost = syntax_arg(cost, cost->kind == SYNTAX_ADD ? 0 : 1);
  return cost->kind == SYNTAX_INDEX || cost->kind == SYNTAX_NAME ? cost : NULL;
}

/* cost C[i] becomes cost C[i] + Extra[i], for every action on a shortest way to the event. */
static void charge_more(const struct loaded *p, const struct declaration *action,
                        const char *bound) {
  const struct syntax *cost = first_component(action->cost);
  if (cost == NULL)
    return;
  const char *component =
      cost->kind == SYNTAX_INDEX ? syntax_arg(cost, 0)->name.text : cost->name.text;
  const struct item_syntax *declared = NULL;
  for (size_t i = 0; i < p->ast->declarations.count; i++) {
    const struct declaration *d = p->ast->declarations.items[i];
    for (size_t k = 0; d->kind == DECLARATION_COMPONENT && k < d->items.count; k++) {
      const struct item_syntax *item = d->items.items[k];
      if (strcmp(item->name.text, component) == 0)
        declared = item;
    }
  }
  if (declared == NULL)
    return;
  struct text more, declaration;
  text_init(&more);
  text_init(&declaration);
  char *whole = slice(p, cost->span), *types = slice(p, declared->span);
  text_format(&more, "%s + Extra%s", whole, whole + strlen(component));
  text_format(&declaration, "\ncomponent Extra%s\n", types + strlen(component));
  add_mutant(p, DEARER, bound, cost->span, more.data, declaration.data, "action ",
             action->name.text);
  mem_free(whole);
  mem_free(types);
  text_clear(&more);
  text_clear(&declaration);
}

static bool is_on_path(const struct path *path, const char *name) {
  for (size_t i = 0; i < path->steps.count; i++) {
    const char *full = path->steps.data[i].action->name;
    const char *dot = strchr(full, '.');
    if (strcmp(dot == NULL ? full : dot + 1, name) == 0)
      return true;
  }
  return false;
}

static void charge_more_for(const struct loaded *p, const struct bound *bound) {
  struct scopes scopes;
  scopes_init(&scopes, p->model, SCOPE_TWO_FIRST, 8);
  bool found = false;
  for (size_t s = 0; s < scopes.items.count && !found; s++) {
    struct text ignored;
    text_init(&ignored);
    struct interpreter *in = interpreter_new(p->model, scopes.items.data[s], &ignored);
    struct explore_limits limits = {.states_max = 20000, .depth_max = 40};
    struct explored explored;
    explored_init(&explored);
    explore_reach(&explored, in, bound, &limits);
    found = explored.end == EXPLORE_FOUND;
    for (size_t i = 0; found && i < p->ast->declarations.count; i++) {
      const struct declaration *d = p->ast->declarations.items[i];
      if (d->kind == DECLARATION_ACTION && d->cost != NULL &&
          is_on_path(&explored.path, d->name.text))
        charge_more(p, d, bound->name);
    }
    explored_clear(&explored);
    interpreter_free(in);
    text_clear(&ignored);
  }
  scopes_clear(&scopes);
}

static void change_block(const struct loaded *p, const struct block_syntax *block) {
  for (size_t i = 0; block != NULL && i < block->statements.count; i++) {
    const struct statement_syntax *s = block->statements.items[i];
    char *formula = s->value == NULL ? NULL : slice(p, s->value->span);
    struct text negated;
    text_init(&negated);
    if (s->kind == STATEMENT_SYNTAX_WHEN || s->kind == STATEMENT_SYNTAX_IF) {
      text_format(&negated, "not (%s)", formula);
      add_mutant(p, CHANGED, NULL, s->value->span, negated.data, "", "to not ", formula);
      add_mutant(p, CHANGED, NULL, s->value->span, "true", "", "to true ", formula);
    } else {
      char *removed = slice(p, s->span);
      add_mutant(p, CHANGED, NULL, s->span, "", "", "by removing ", removed);
      mem_free(removed);
    }
    text_clear(&negated);
    mem_free(formula);
    change_block(p, s->then_block);
    change_block(p, s->else_block);
  }
}

static void change_declaration(const struct loaded *p, const struct declaration *d) {
  if (d->kind == DECLARATION_ACTION) {
    change_block(p, d->block);
    if (d->cost != NULL) {
      uint32_t from = d->cost->span.start;
      while (strncmp(p->source->bytes + from, "cost", 4) != 0)
        from--;
      add_mutant(p, CHANGED, NULL, (struct span){from, d->cost->span.end}, "", "",
                 "by removing the cost of ", d->name.text);
    }
  } else if (d->kind == DECLARATION_INVARIANT) {
    add_mutant(p, CHANGED, NULL, d->formula->span, "true", "", "invariant to true: ", d->name.text);
  } else if (d->kind == DECLARATION_BOUND) {
    drop_terms(p, d->name.text, d->expression);
  }
}

/* --- judging them ----------------------------------------------------------------------------- */

static const char *broken_by_interpreter(const struct model *model, const struct bound *bound) {
  struct scopes scopes;
  scopes_init(&scopes, model, SCOPE_SMALLEST_FIRST, 6);
  const char *broken = NULL;
  for (size_t s = 0; s < scopes.items.count && broken == NULL; s++) {
    for (int all = 0; all < 2 && broken == NULL; all++) {
      struct text ignored;
      text_init(&ignored);
      struct interpreter *in = interpreter_new(model, scopes.items.data[s], &ignored);
      struct hunt hunt;
      hunt_init(&hunt, in);
      struct explore_limits limits = {.depth_max = 10, .seconds_max = 0.3};
      struct hunt_options random = {
          .seed = 4711 + s, .runs = 300, .steps_max = 40, .seconds_max = 0.3};
      if (all)
        hunt_paths(&hunt, in, bound, &limits, 10, 99);
      else
        hunt_random(&hunt, in, bound, &random);
      if (hunt.verdict != HUNT_NOTHING)
        broken = hunt.verdict == HUNT_EXCEEDED ? "a later event" : "something that happens twice";
      hunt_clear(&hunt);
      interpreter_free(in);
      text_clear(&ignored);
    }
  }
  scopes_clear(&scopes);
  return broken;
}

static void judge_report(struct mutant *m, const struct model *model, const struct bound_report *r,
                         struct text *outcome) {
  bool mine = m->bound == NULL || strcmp(m->bound, r->bound->name) == 0;
  text_format(outcome, "%s%s %s", outcome->length ? ", " : "", r->bound->name,
              verdict_name(r->verdict));
  if (m->kind != CHANGED && mine && r->verdict != VERDICT_REFUTED) {
    m->good = false;
    text_format(outcome, " but must be refuted (%s)", r->reason ? r->reason : "");
  }
  if (r->verdict != VERDICT_PROVED)
    return;
  const char *broken = broken_by_interpreter(model, r->bound);
  if (broken != NULL) {
    m->good = false;
    text_format(outcome, " although the interpreter finds %s", broken);
  }
}

static void judge(size_t index, void *context) {
  (void)context;
  struct mutant *m = &mutants.data[index];
  struct loaded p;
  struct text outcome;
  text_init(&outcome);
  m->good = true;
  if (!load(&p, m->file, m->text, &outcome)) {
    /* a mutant that the checker refuses cannot be proved; one of the other kinds must be legal */
    m->good = m->kind == CHANGED;
  } else {
    struct verify_options how = {.jobs = 1, .limit_ms = 1000, .search_seconds = 4};
    for (size_t i = 0; m->bound != NULL && i < p.model->bounds.count; i++)
      if (strcmp(p.model->bounds.items[i]->name, m->bound) == 0)
        how.only = p.model->bounds.items[i];
    if (m->kind == CHANGED)
      how.search_seconds = 0.3;
    struct verification v;
    verification_init(&v, p.model, &how);
    for (size_t i = 0; i < v.bounds.count; i++)
      judge_report(m, p.model, &v.bounds.data[i], &outcome);
    verification_clear(&v);
  }
  unload(&p);
  m->outcome = text_take(&outcome);
}

static void make_mutants(const char *file) {
  struct text message;
  text_init(&message);
  struct source *source;
  struct loaded *p = mem_alloc(1, sizeof *p); /* mutants refer to names in it: kept to the end */
  if (source_load(&source, file, &message) != STATUS_OK ||
      !load(p, file, source->bytes, &message)) {
    printf("not ok - %s: %s\n", file, text_get(&message));
    return;
  }
  for (size_t i = 0; i < p->ast->declarations.count; i++)
    change_declaration(p, p->ast->declarations.items[i]);
  for (size_t i = 0; i < p->model->bounds.count; i++)
    charge_more_for(p, p->model->bounds.items[i]);
  source_free(source);
  text_clear(&message);
}

static void report(void) {
  size_t counts[3] = {0};
  for (size_t i = 0; i < mutants.count; i++) {
    const struct mutant *m = &mutants.data[i];
    for (char *at = m->what; *at != '\0'; at++)
      if (*at == '\n')
        *at = ' ';
    printf("%s %zu - %s %s\n", m->good ? "ok" : "not ok", i + 1, m->file, m->what);
    printf("# %s\n", m->outcome);
    counts[m->kind]++;
  }
  printf("1..%zu\n# %zu dropped, %zu dearer, %zu changed\n", mutants.count, counts[0], counts[1],
         counts[2]);
}

int main(int argc, char **argv) {
  glob_t found = {0};
  if (argc < 2 && glob("specs/*.tp", 0, NULL, &found) != 0) {
    printf("not ok 1 - no specs found\n");
    return 1;
  }
  for (int i = 1; i < argc; i++)
    make_mutants(argv[i]);
  for (size_t i = 0; argc < 2 && i < found.gl_pathc; i++)
    make_mutants(found.gl_pathv[i]);
  parallel_run(parallel_processors(), mutants.count, judge, NULL);
  report();
  bool good = mutants.count != 0;
  for (size_t i = 0; i < mutants.count; i++)
    good = good && mutants.data[i].good;
  return good ? 0 : 1;
}
