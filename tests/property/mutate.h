/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Mutants of a protocol, each with one small change. Most are new texts, made from the spans of the
 * syntax tree; an extra cost or delay is put into the checked model (mutate_model.h), where an
 * action without a cost, an idle one and the terms d(M) of the old delay are no special cases.
 */
#ifndef TESTS_PROPERTY_MUTATE_H
#define TESTS_PROPERTY_MUTATE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lang/check.h"
#include "lang/parse.h"

enum kind {
  DROPPED,    /* a term of a bound dropped, or taken one time less; what is subtracted, twice */
  DEARER,     /* an action takes an extra, unbounded time */
  SLOWER,     /* a message takes an unbounded time instead of its delay; d(M) becomes d */
  GUARD,      /* negated, or true */
  CONDITION,  /* of an `if`: negated, or true */
  ASSIGNMENT, /* removed */
  SEND,       /* removed */
  COST,       /* removed */
  QUORUM,     /* |S| is compared with one more or less; the rank of a kth is one more or less */
  INVARIANT,  /* true instead */
  LOSS,       /* one more message may be lost */
  KINDS
};

static const char *const kind_names[KINDS] = {"dropped",   "dearer",     "slower", "guard",
                                              "condition", "assignment", "send",   "cost",
                                              "quorum",    "invariant",  "loss"};

struct loaded {
  struct source *source;
  struct ast *ast;
  struct model *model; /* NULL: refused */
};

struct mutant {
  enum kind kind;
  size_t spec;       /* which protocol it was made from */
  size_t target;     /* DEARER: an action's id; SLOWER: a message's id */
  char *what, *text; /* owned; text NULL: the model is changed */
  const char *bound; /* the only one in the text; NULL: all are */
  bool strict;       /* DROPPED: wrong if the bound is attained and each of its terms needed */
  bool good;
  char *outcome; /* owned */
};

struct mutants {
  struct mutant *data;
  size_t count, capacity;
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

/* --- texts ------------------------------------------------------------------------------------ */

/* Where mutants come from and go to. */
struct maker {
  const struct loaded *p;
  struct mutants *to;
  size_t spec;
};

static void note_mutant(struct maker *m, struct mutant mutant, struct text *what) {
  for (char *at = what->data; *at != '\0'; at++)
    if (*at == '\n')
      *at = ' ';
  mutant.spec = m->spec;
  mutant.what = text_take(what);
  vector_push(m->to, mutant);
}

/* The text with `span` replaced; of the bounds only `bound` is left, unless it is NULL. */
static char *text_with(const struct loaded *p, struct source_span span, const char *replacement,
                       const char *bound) {
  char *bytes = mem_copy_text(p->source->bytes, p->source->length);
  for (size_t i = 0; bound != NULL && i < p->ast->declarations.count; i++) {
    const struct declaration *d = p->ast->declarations.items[i];
    if (d->kind == DECLARATION_BOUND && strcmp(d->name.text, bound) != 0)
      for (uint32_t k = d->span.start; k < d->span.end; k++)
        bytes[k] = bytes[k] == '\n' ? '\n' : ' ';
  }
  struct text text;
  text_init(&text);
  text_append_bytes(&text, bytes, span.start);
  text_append(&text, replacement);
  text_append(&text, bytes + span.end);
  mem_free(bytes);
  return text_take(&text);
}

static char *slice(const struct maker *m, struct source_span span) {
  return mem_copy_text(m->p->source->bytes + span.start, span.end - span.start);
}

/* `original` becomes `replacement`. */
static void replace(struct maker *m, enum kind kind, struct source_span span,
                    const char *replacement, const char *bound, bool strict) {
  struct text what;
  text_init(&what);
  char *original = slice(m, span);
  struct place place = source_place(m->p->source, span.start);
  text_format(&what, "%s at %zu:%zu: %s => %s", kind_names[kind], place.line, place.column,
              original, replacement[0] == '\0' ? "nothing" : replacement);
  mem_free(original);
  struct mutant mutant = {.kind = kind,
                          .text = text_with(m->p, span, replacement, bound),
                          .bound = bound,
                          .strict = strict};
  note_mutant(m, mutant, &what);
}

/* Around the text of `span`: before, text, behind. */
static void wrap(struct maker *m, enum kind kind, struct source_span span, const char *before,
                 const char *behind, const char *bound) {
  struct text text;
  text_init(&text);
  char *original = slice(m, span);
  text_format(&text, "%s%s%s", before, original, behind);
  replace(m, kind, span, text_get(&text), bound, false);
  mem_free(original);
  text_clear(&text);
}

/* --- bounds ----------------------------------------------------------------------------------- */

/* k*E becomes (k-1)*E. */
static void take_less(struct maker *m, const char *bound, const struct syntax *e, bool strict) {
  const struct syntax *factor = syntax_arg(e, 0);
  long k = factor->kind == SYNTAX_INTEGER ? strtol(factor->name.text, NULL, 10) : 0;
  if (k < 2)
    return;
  char less[32];
  snprintf(less, sizeof less, "%ld", k - 1);
  replace(m, DROPPED, factor->span, less, bound, strict);
}

/* a - b becomes a - b - b. That need not show where there is one request only. */
static void take_twice(struct maker *m, const char *bound, const struct syntax *e) {
  struct text twice;
  text_init(&twice);
  char *whole = slice(m, e->span), *taken = slice(m, syntax_arg(e, 1)->span);
  text_format(&twice, "(%s - (%s))", whole, taken);
  replace(m, DROPPED, e->span, text_get(&twice), bound, false);
  mem_free(whole);
  mem_free(taken);
  text_clear(&twice);
}

/* In a + b + c each of a, b, c; of what is subtracted nothing. Once less in one of several
 * alternatives, such as max(a, b), need not make the bound smaller. */
static void drop_terms(struct maker *m, const char *bound, const struct syntax *e, bool strict) {
  for (size_t drop = 0; e->kind == SYNTAX_ADD && drop < 2; drop++) {
    if (syntax_arg(e, drop)->kind == SYNTAX_ADD)
      continue;
    struct text kept;
    text_init(&kept);
    char *other = slice(m, syntax_arg(e, 1 - drop)->span);
    text_format(&kept, "(%s)", other);
    replace(m, DROPPED, e->span, text_get(&kept), bound, true);
    mem_free(other);
    text_clear(&kept);
  }
  if (e->kind == SYNTAX_SUB) {
    take_twice(m, bound, e);
    drop_terms(m, bound, syntax_arg(e, 0), strict);
    return;
  }
  if (e->kind == SYNTAX_MUL)
    take_less(m, bound, e, strict);
  if (e->kind == SYNTAX_KTH_OVER) {
    wrap(m, QUORUM, syntax_arg(e, 1)->span, "(", ") - 1", bound);
    wrap(m, QUORUM, syntax_arg(e, 1)->span, "(", ") + 1", bound);
  }
  bool same = e->kind == SYNTAX_ADD || e->kind == SYNTAX_MUL || e->kind == SYNTAX_MAX_OVER ||
              e->kind == SYNTAX_SUM_OVER || e->kind == SYNTAX_KTH_OVER;
  bool times = e->kind == SYNTAX_ADD || e->kind == SYNTAX_MAX || e->kind == SYNTAX_MIN;
  size_t count = same && e->kind != SYNTAX_ADD && e->kind != SYNTAX_MUL ? 1 : e->args.count;
  for (size_t i = 0; i < count; i++)
    if (times || (same && (e->kind != SYNTAX_MUL || i == 1)))
      drop_terms(m, bound, syntax_arg(e, i), strict && same);
}

/* --- actions ---------------------------------------------------------------------------------- */

static bool counts_members(const struct syntax *e) {
  bool found = e->kind == SYNTAX_CARDINALITY;
  for (size_t i = 0; i < e->args.count && !found; i++)
    found = counts_members(syntax_arg(e, i));
  return found;
}

static void change_quorums(struct maker *m, const struct syntax *e) {
  if (e->kind == SYNTAX_KTH_OVER) {
    wrap(m, QUORUM, syntax_arg(e, 1)->span, "(", " + 1)", NULL);
    wrap(m, QUORUM, syntax_arg(e, 1)->span, "(", " - 1)", NULL);
    return;
  }
  if (e->kind >= SYNTAX_EQ && e->kind <= SYNTAX_GE) {
    bool left = counts_members(syntax_arg(e, 0)), right = counts_members(syntax_arg(e, 1));
    if (left != right) {
      const struct syntax *size = syntax_arg(e, left ? 1 : 0);
      wrap(m, QUORUM, size->span, "(", " + 1)", NULL);
      wrap(m, QUORUM, size->span, "(", " - 1)", NULL);
    }
    return;
  }
  for (size_t i = 0; i < e->args.count; i++)
    change_quorums(m, syntax_arg(e, i));
}

static void change_block(struct maker *m, const struct block_syntax *block) {
  for (size_t i = 0; block != NULL && i < block->statements.count; i++) {
    const struct statement_syntax *s = block->statements.items[i];
    enum kind kind = s->kind == STATEMENT_SYNTAX_WHEN ? GUARD : CONDITION;
    if (s->kind == STATEMENT_SYNTAX_WHEN || s->kind == STATEMENT_SYNTAX_IF) {
      wrap(m, kind, s->value->span, "not (", ")", NULL);
      replace(m, kind, s->value->span, "true", NULL, false);
      change_quorums(m, s->value);
    } else {
      replace(m, s->kind == STATEMENT_SYNTAX_SEND ? SEND : ASSIGNMENT, s->span, "", NULL, false);
      if (s->kind == STATEMENT_SYNTAX_ASSIGN)
        change_quorums(m, s->value);
    }
    change_block(m, s->then_block);
    change_block(m, s->else_block);
  }
}

/* No cost is also a change where the schedule charges its slot. */
static void remove_cost(struct maker *m, const struct declaration *action) {
  if (action->cost != NULL)
    replace(m, COST, action->cost->span, "0", NULL, false);
  else if (action->slot.text != NULL)
    replace(m, COST, (struct source_span){action->head.end - 1, action->head.end}, "cost 0 {", NULL,
            false);
}

static void change_declaration(struct maker *m, const struct declaration *d) {
  if (d->kind == DECLARATION_ACTION) {
    change_block(m, d->block);
    remove_cost(m, d);
  } else if (d->kind == DECLARATION_INVARIANT) {
    replace(m, INVARIANT, d->formula->span, "true", NULL, false);
  } else if (d->kind == DECLARATION_MESSAGE && d->formula != NULL) {
    wrap(m, LOSS, d->formula->span, "(", " + 1)", NULL);
  } else if (d->kind == DECLARATION_BOUND && d->expression != NULL) {
    drop_terms(m, d->name.text, d->expression, true);
  }
  for (size_t i = 0; i < d->parts.count; i++)
    change_declaration(m, d->parts.items[i]);
}

static void change_target(struct maker *m, enum kind kind, size_t target, const char *name) {
  struct text what;
  text_init(&what);
  text_format(&what, "%s: %s", kind_names[kind], name);
  note_mutant(m, (struct mutant){.kind = kind, .target = target}, &what);
}

/* All mutants of a protocol. */
static void make_mutants(struct mutants *to, const struct loaded *p, size_t spec) {
  struct maker m = {p, to, spec};
  for (size_t i = 0; i < p->ast->declarations.count; i++)
    change_declaration(&m, p->ast->declarations.items[i]);
  for (size_t i = 0; i < p->model->actions.count; i++) /* no step is a loss: it takes no time */
    if (!p->model->actions.items[i]->loses)
      change_target(&m, DEARER, i, p->model->actions.items[i]->name);
  for (size_t i = 0; i < p->model->messages.count; i++)
    change_target(&m, SLOWER, i, p->model->messages.items[i]->name);
}

#endif
