/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lang/expand.h"

#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/vector.h"

/* Abbreviations of abbreviations may double with each step; what no person wrote stops here. */
enum { TERM_LIMIT = 200000 };

/* What a name of an abbreviation's body stands for; innermost first. */
struct meaning {
  const char *name;
  const struct syntax *value;
  size_t terms; /* that the value is made of */
  const struct meaning *outer;
};

struct abbreviation {
  const struct declaration *declaration;
  bool used;
};

struct expander {
  struct ast *made;
  const struct ast *from;
  struct diagnostics *diagnostics;
  VECTOR(struct abbreviation) abbreviations;
  VECTOR(const char *) variables; /* of the tree that is made, those visible here */
  size_t known;                   /* abbreviations that may be used here: the first ones */
  const struct declaration *body; /* the abbreviation whose body this is, or NULL */
  struct source_span use;         /* in the protocol, of the abbreviation that is written out */
  unsigned height;
  size_t terms;
  bool too_large; /* reported */
};

static const struct syntax *expand_term(struct expander *x, const struct syntax *term,
                                        const struct meaning *meanings);

static const struct syntax *error_term(struct expander *x, const struct syntax *term) {
  return ast_term(&x->made->arena, SYNTAX_ERROR, term->span, NULL, NULL);
}

static bool is_variable(const struct expander *x, const char *name) {
  for (size_t i = 0; i < x->variables.count; i++)
    if (strcmp(x->variables.data[i], name) == 0)
      return true;
  return false;
}

static bool names_item(const struct list *items, const char *name) {
  for (size_t i = 0; i < items->count; i++)
    if (strcmp(((const struct item_syntax *)items->items[i])->name.text, name) == 0)
      return true;
  return false;
}

static bool is_declared(const struct expander *x, const char *name) {
  for (size_t i = 0; i < x->from->declarations.count; i++) {
    const struct declaration *d = x->from->declarations.items[i];
    if ((d->name.text != NULL && strcmp(d->name.text, name) == 0) || names_item(&d->items, name))
      return true;
    for (size_t k = 0; k < d->names.count; k++)
      if (strcmp(((const struct name *)d->names.items[k])->text, name) == 0)
        return true;
  }
  return false;
}

/* b, b_2, b_3, ...: the first that nothing is called. */
static const char *new_name(struct expander *x, const char *name) {
  const char *made = name;
  for (int i = 2; is_variable(x, made) || (i > 2 && is_declared(x, made)); i++) {
    struct text text;
    text_init(&text);
    text_format(&text, "%s_%d", name, i);
    made = arena_text(&x->made->arena, text_get(&text), text.length);
    text_clear(&text);
  }
  return made;
}

static struct abbreviation *find_abbreviation(struct expander *x, const char *name) {
  for (size_t i = 0; i < x->abbreviations.count; i++)
    if (strcmp(x->abbreviations.data[i].declaration->name.text, name) == 0)
      return &x->abbreviations.data[i];
  return NULL;
}

/* The arguments of a use, each to be of the parameter's type. */
static bool bind_arguments(struct expander *x, const struct syntax *use,
                           const struct declaration *d, const struct meaning *meanings,
                           struct meaning *bound) {
  if (use->args.count != d->items.count) {
    struct diagnostic *report = diagnostics_add(
        x->diagnostics, DIAGNOSTIC_E0302, use->span, "\"%.60s\" takes %zu argument%s, not %zu",
        d->name.text, d->items.count, d->items.count == 1 ? "" : "s", use->args.count);
    diagnostic_note(report, d->name.span, "declared here");
    return false;
  }
  for (size_t i = 0; i < d->items.count; i++) {
    const struct item_syntax *parameter = d->items.items[i];
    size_t terms = x->terms;
    const struct syntax *argument = expand_term(x, syntax_arg(use, i), meanings);
    struct syntax *value =
        ast_term(&x->made->arena, SYNTAX_ARGUMENT, argument->span, argument, NULL);
    value->name = parameter->name;
    value->type = parameter->type;
    bound[i] = (struct meaning){.name = parameter->name.text,
                                .value = value,
                                .terms = x->terms - terms,
                                .outer = i == 0 ? NULL : &bound[i - 1]};
    x->terms = terms;
  }
  return true;
}

static const struct syntax *expand_use(struct expander *x, const struct syntax *use,
                                       struct abbreviation *abbreviation,
                                       const struct meaning *meanings) {
  const struct declaration *d = abbreviation->declaration;
  size_t known = x->known, position = (size_t)(abbreviation - x->abbreviations.data);
  abbreviation->used = true;
  if (position >= known) {
    struct diagnostic *report = diagnostics_add(
        x->diagnostics, DIAGNOSTIC_E0202, use->span,
        "\"%.60s\" is not known yet: an abbreviation uses those declared before it", d->name.text);
    diagnostic_note(report, d->name.span, "declared here");
    return error_term(x, use);
  }
  struct meaning *bound = arena_alloc(&x->made->arena, d->items.count + 1, sizeof *bound);
  if (!bind_arguments(x, use, d, meanings, bound))
    return error_term(x, use);
  const struct declaration *outer = x->body;
  if (outer == NULL)
    x->use = use->span;
  x->known = position;
  x->body = d;
  const struct syntax *made =
      expand_term(x, d->formula, d->items.count == 0 ? NULL : &bound[d->items.count - 1]);
  x->known = known;
  x->body = outer;
  return made;
}

static bool is_family(const struct expander *x, const char *role) {
  for (size_t i = 0; i < x->from->declarations.count; i++) {
    const struct declaration *d = x->from->declarations.items[i];
    if (d->kind == DECLARATION_ROLE && d->formula != NULL && strcmp(d->name.text, role) == 0)
      return true;
  }
  return false;
}

/* Is it what each node of a family has for itself? Then only the acting node's could be meant. */
static bool is_state_of_family(const struct expander *x, const char *name) {
  for (size_t i = 0; i < x->from->declarations.count; i++) {
    const struct declaration *d = x->from->declarations.items[i];
    if (d->kind == DECLARATION_STATE && names_item(&d->items, name) && is_family(x, d->name.text))
      return true;
  }
  return false;
}

/* A name of a body that is no parameter and nothing that the body binds. */
static bool is_foreign(struct expander *x, const struct syntax *term) {
  const char *name = term->name.text, *whose = x->body->name.text;
  struct diagnostic *report;
  if (is_variable(x, name)) {
    report = diagnostics_add(x->diagnostics, DIAGNOSTIC_E0202, term->span,
                             "unknown name \"%.60s\": it is a variable where \"%.60s\" is used",
                             name, whose);
    diagnostic_hint(report, "make it a parameter: let %.60s(%.60s: ...)", whose, name);
    return true;
  }
  if (!is_state_of_family(x, name))
    return false;
  report = diagnostics_add(x->diagnostics, DIAGNOSTIC_E0202, term->span,
                           "whose state \"%.60s\" is meant depends on where \"%.60s\" is used",
                           name, whose);
  diagnostic_hint(report, "make the node a parameter, and write i.%.60s", name);
  return true;
}

static bool is_too_large(struct expander *x, const struct syntax *term, unsigned height) {
  if (x->abbreviations.count == 0 || (height <= AST_HEIGHT && x->terms <= TERM_LIMIT))
    return false;
  if (!x->too_large) {
    struct diagnostic *report =
        diagnostics_add(x->diagnostics, DIAGNOSTIC_E0105, x->body == NULL ? term->span : x->use,
                        "with its abbreviations written out, this is %s",
                        height > AST_HEIGHT ? "nested too deeply" : "too large");
    diagnostic_hint(report, "the limits are %d levels, and %d terms in a file", AST_HEIGHT,
                    TERM_LIMIT);
  }
  x->too_large = true;
  return true;
}

static const struct syntax *expand_name(struct expander *x, const struct syntax *term,
                                        const struct meaning *meanings) {
  for (const struct meaning *m = meanings; m != NULL; m = m->outer)
    if (strcmp(m->name, term->name.text) == 0) {
      x->terms += m->terms;
      return is_too_large(x, term, x->height + m->value->height) ? error_term(x, term) : m->value;
    }
  struct abbreviation *abbreviation = find_abbreviation(x, term->name.text);
  if (abbreviation != NULL)
    return expand_use(x, term, abbreviation, meanings);
  return x->body != NULL && is_foreign(x, term) ? error_term(x, term) : term;
}

/* Binders from `index` on, then the body of what they belong to: `made` gets both. */
static void expand_binding(struct expander *x, struct syntax *made, const struct syntax *term,
                           size_t index, const struct meaning *meanings) {
  if (index == term->binders.count) {
    list_add(&x->made->arena, &made->args, expand_term(x, syntax_arg(term, 0), meanings));
    return;
  }
  const struct binder *old = list_binder(&term->binders, index);
  struct binder *binder = arena_copy(&x->made->arena, old, 1, sizeof *binder);
  binder->domain = expand_term(x, old->domain, meanings);
  if (x->body != NULL)
    binder->name.text = new_name(x, old->name.text);
  list_add(&x->made->arena, &made->binders, binder);
  vector_push(&x->variables, binder->name.text);
  struct syntax *leaf = ast_term(&x->made->arena, SYNTAX_NAME, old->name.span, NULL, NULL);
  leaf->name = binder->name;
  struct meaning own = {.name = old->name.text, .value = leaf, .outer = meanings};
  expand_binding(x, made, term, index + 1, x->body == NULL ? meanings : &own);
  x->variables.count--;
}

static const struct syntax *expand_parts(struct expander *x, const struct syntax *term,
                                         const struct meaning *meanings) {
  struct syntax *made = arena_copy(&x->made->arena, term, 1, sizeof *made);
  made->args = made->binders = (struct list){0};
  if (term->binders.count != 0)
    expand_binding(x, made, term, 0, meanings);
  for (size_t i = term->binders.count != 0; i < term->args.count; i++)
    list_add(&x->made->arena, &made->args, expand_term(x, syntax_arg(term, i), meanings));
  ast_measure(made);
  return made;
}

static const struct syntax *expand_term(struct expander *x, const struct syntax *term,
                                        const struct meaning *meanings) {
  if (term == NULL)
    return NULL;
  x->height++;
  x->terms++;
  const struct syntax *made;
  struct abbreviation *called =
      term->kind == SYNTAX_CALL ? find_abbreviation(x, term->name.text) : NULL;
  if (is_too_large(x, term, x->height))
    made = error_term(x, term);
  else if (term->kind == SYNTAX_NAME)
    made = expand_name(x, term, meanings);
  else if (called != NULL)
    made = expand_use(x, term, called, meanings);
  else
    made = term->args.count == 0 ? term : expand_parts(x, term, meanings);
  x->height--;
  return made;
}

static struct list expand_terms(struct expander *x, const struct list *terms) {
  struct list made = {0};
  for (size_t i = 0; i < terms->count; i++)
    list_add(&x->made->arena, &made, expand_term(x, terms->items[i], NULL));
  return made;
}

/* Of a statement or a bound: the variables stay visible for what follows. */
static struct list expand_binders(struct expander *x, const struct list *binders) {
  struct list made = {0};
  for (size_t i = 0; i < binders->count; i++) {
    struct binder *binder = arena_copy(&x->made->arena, list_binder(binders, i), 1, sizeof *binder);
    binder->domain = expand_term(x, binder->domain, NULL);
    list_add(&x->made->arena, &made, binder);
    vector_push(&x->variables, binder->name.text);
  }
  return made;
}

static const struct block_syntax *expand_block(struct expander *x,
                                               const struct block_syntax *block);

static const struct statement_syntax *expand_statement(struct expander *x,
                                                       const struct statement_syntax *statement) {
  struct statement_syntax *made = arena_copy(&x->made->arena, statement, 1, sizeof *made);
  size_t variables = x->variables.count;
  made->binders = expand_binders(x, &statement->binders);
  made->key = expand_term(x, statement->key, NULL);
  made->value = expand_term(x, statement->value, NULL);
  made->args = expand_terms(x, &statement->args);
  made->to = expand_term(x, statement->to, NULL);
  x->variables.count = variables;
  made->then_block = expand_block(x, statement->then_block);
  made->else_block = expand_block(x, statement->else_block);
  return made;
}

static const struct block_syntax *expand_block(struct expander *x,
                                               const struct block_syntax *block) {
  if (block == NULL)
    return NULL;
  struct block_syntax *made = arena_copy(&x->made->arena, block, 1, sizeof *made);
  made->statements = (struct list){0};
  for (size_t i = 0; i < block->statements.count; i++)
    list_add(&x->made->arena, &made->statements, expand_statement(x, block->statements.items[i]));
  return made;
}

static struct list expand_items(struct expander *x, const struct list *items) {
  struct list made = {0};
  for (size_t i = 0; i < items->count; i++) {
    struct item_syntax *item = arena_copy(&x->made->arena, items->items[i], 1, sizeof *item);
    item->initial = expand_term(x, item->initial, NULL);
    list_add(&x->made->arena, &made, item);
  }
  return made;
}

static void see_variable(struct expander *x, const struct name *name) {
  if (name->text != NULL)
    vector_push(&x->variables, name->text);
}

/* Is it a parameter, a value, a role, a component or a message? */
static bool is_global(const struct expander *x, const char *name) {
  for (size_t i = 0; i < x->from->declarations.count; i++) {
    const struct declaration *d = x->from->declarations.items[i];
    bool claim = d->kind == DECLARATION_INVARIANT || d->kind == DECLARATION_BOUND ||
                 d->kind == DECLARATION_PHASE || d->kind == DECLARATION_ACTION;
    if ((!claim && d->name.text != NULL && strcmp(d->name.text, name) == 0) ||
        (d->kind == DECLARATION_COMPONENT && names_item(&d->items, name)))
      return true;
    for (size_t k = 0; d->kind != DECLARATION_ACTION && k < d->names.count; k++)
      if (strcmp(((const struct name *)d->names.items[k])->text, name) == 0)
        return true;
  }
  return false;
}

/* from sent M(x, y): a name that means nothing yet is a variable; the ends of a family mean something. */
static void see_new_names(struct expander *x, const struct list *args) {
  for (size_t i = 0; i < args->count; i++) {
    const struct syntax *arg = args->items[i];
    const char *name = arg->kind == SYNTAX_NAME ? arg->name.text : "first";
    if (strcmp(name, "first") != 0 && strcmp(name, "last") != 0 && !is_global(x, name))
      see_variable(x, &arg->name);
  }
}

static const struct declaration *expand_declaration(struct expander *x,
                                                    const struct declaration *d) {
  if (d->kind == DECLARATION_LET)
    return d;
  struct declaration *made = arena_copy(&x->made->arena, d, 1, sizeof *made);
  see_variable(x, &d->node);
  for (size_t i = 0; d->kind == DECLARATION_ACTION && i < d->names.count; i++)
    see_variable(x, d->names.items[i]);
  made->binders = expand_binders(x, &d->binders);
  made->timer = expand_term(x, d->timer, NULL);
  see_variable(x, &d->read);
  see_new_names(x, &d->from_args);
  made->from_args = expand_terms(x, &d->from_args);
  made->at = expand_term(x, d->at, NULL);
  made->formula = expand_term(x, d->formula, NULL);
  made->args = expand_terms(x, &d->args);
  made->expression = expand_term(x, d->expression, NULL);
  made->burst = expand_term(x, d->burst, NULL);
  made->cost = expand_term(x, d->cost, NULL);
  made->block = expand_block(x, d->block);
  made->items = expand_items(x, &d->items);
  made->parts = (struct list){0};
  x->variables.count = 0;
  for (size_t i = 0; i < d->parts.count; i++)
    list_add(&x->made->arena, &made->parts, expand_declaration(x, d->parts.items[i]));
  return made;
}

static void warn_unused(const struct expander *x) {
  for (size_t i = 0; i < x->abbreviations.count && !x->too_large; i++) {
    const struct name *name = &x->abbreviations.data[i].declaration->name;
    if (x->abbreviations.data[i].used)
      continue;
    struct diagnostic *report = diagnostics_add(x->diagnostics, DIAGNOSTIC_W0508, name->span,
                                                "\"%.60s\" is never used", name->text);
    diagnostic_hint(report, "nothing checks what an unused abbreviation says: use it or remove it");
  }
}

struct ast *ast_expand(const struct ast *ast, struct diagnostics *diagnostics) {
  struct ast *made = mem_alloc(1, sizeof *made);
  *made = *ast;
  arena_init(&made->arena);
  made->declarations = (struct list){0};
  struct expander x = {.made = made, .from = ast, .diagnostics = diagnostics};
  for (size_t i = 0; i < ast->declarations.count; i++) {
    const struct declaration *d = ast->declarations.items[i];
    if (d->kind == DECLARATION_LET)
      vector_push(&x.abbreviations, (struct abbreviation){d, false});
  }
  x.known = x.abbreviations.count;
  for (size_t i = 0; i < ast->declarations.count; i++)
    list_add(&made->arena, &made->declarations, expand_declaration(&x, ast->declarations.items[i]));
  warn_unused(&x);
  vector_clear(&x.abbreviations);
  vector_clear(&x.variables);
  return made;
}
