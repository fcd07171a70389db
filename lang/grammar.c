/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lang/grammar.h"

#include <string.h>

void grammar_too_deep(struct parser_state *state, struct source_span span) {
  if (state->too_deep)
    return;
  state->too_deep = true;
  struct diagnostic *d =
      diagnostics_add(state->diagnostics, DIAGNOSTIC_E0105, span,
                      "this is nested too deeply (the limit is %d levels)", AST_DEPTH);
  diagnostic_hint(d, "split it into several invariants, or use a quantifier, max or sum");
}

static void too_long(struct parser_state *state, struct source_span span) {
  if (state->too_deep)
    return;
  state->too_deep = true;
  struct diagnostic *d = diagnostics_add(state->diagnostics, DIAGNOSTIC_E0105, span,
                                         "this has too many terms (the limit is %d)", AST_HEIGHT);
  diagnostic_hint(d, "add up what is alike: sum i in 1..n (C[i]); or split it, with let");
}

static const struct syntax *checked(struct parser_state *state, struct syntax *made) {
  ast_measure(made);
  if (made->depth <= AST_DEPTH && made->height <= AST_HEIGHT)
    return made;
  if (made->depth > AST_DEPTH)
    grammar_too_deep(state, made->span);
  else
    too_long(state, made->span);
  return grammar_leaf(state, SYNTAX_ERROR, (struct name){NULL, made->span});
}

const struct syntax *grammar_leaf(struct parser_state *state, enum syntax_kind kind,
                                  struct name name) {
  struct syntax *made = ast_term(&state->ast->arena, kind, name.span, NULL, NULL);
  made->name = name;
  return made;
}

const struct syntax *grammar_branch(struct parser_state *state, enum syntax_kind kind,
                                    struct source_span span, const struct syntax *first,
                                    const struct syntax *second) {
  return checked(state, ast_term(&state->ast->arena, kind, span, first, second));
}

const struct syntax *grammar_node(struct parser_state *state, enum syntax_kind kind,
                                  struct source_span span, struct name name, struct list args) {
  if (kind == SYNTAX_CALL && args.count == 0) /* M() is M */
    kind = SYNTAX_NAME;
  struct syntax *made = ast_term(&state->ast->arena, kind, span, NULL, NULL);
  made->name = name;
  made->args = args;
  return checked(state, made);
}

const struct syntax *grammar_field(struct parser_state *state, struct source_span span,
                                   const struct syntax *base, struct name name) {
  struct syntax *made = ast_term(&state->ast->arena, SYNTAX_FIELD, span, base, NULL);
  made->name = name;
  return checked(state, made);
}

const struct syntax *grammar_subscript(struct parser_state *state, struct source_span span,
                                       const struct syntax *base, struct list keys) {
  struct syntax *made = ast_term(&state->ast->arena, SYNTAX_INDEX, span, base, NULL);
  for (size_t i = 0; i < keys.count; i++)
    list_add(&state->ast->arena, &made->args, keys.items[i]);
  return checked(state, made);
}

const struct syntax *grammar_choice(struct parser_state *state, struct source_span span,
                                    const struct syntax *test, const struct syntax *yes,
                                    const struct syntax *no) {
  struct syntax *made = ast_term(&state->ast->arena, SYNTAX_ITE, span, test, yes);
  list_add(&state->ast->arena, &made->args, no);
  return checked(state, made);
}

const struct syntax *grammar_binding(struct parser_state *state, enum syntax_kind kind,
                                     struct source_span span, struct list binders,
                                     const struct syntax *body) {
  struct syntax *made = ast_term(&state->ast->arena, kind, span, body, NULL);
  made->binders = binders;
  return checked(state, made);
}

const struct syntax *grammar_kth(struct parser_state *state, struct source_span span,
                                 const struct syntax *rank, const struct binder *binder,
                                 const struct syntax *body) {
  struct syntax *made = ast_term(&state->ast->arena, SYNTAX_KTH_OVER, span, body, rank);
  made->binders = grammar_binder_list(state, binder);
  return checked(state, made);
}

const struct binder *grammar_bind(struct parser_state *state, struct name name,
                                  const struct syntax *domain) {
  struct binder *made = arena_alloc(&state->ast->arena, 1, sizeof *made);
  *made = (struct binder){name, domain};
  return made;
}

struct list grammar_binder_list(struct parser_state *state, const struct binder *binder) {
  struct list list = {0};
  list_add(&state->ast->arena, &list, binder);
  return list;
}

struct name grammar_duration(struct parser_state *state, struct name name) {
  size_t digits = strspn(name.text, "0123456789.");
  const char *unit = name.text + digits + strspn(name.text + digits, " \t");
  struct text text;
  text_init(&text);
  text_append_bytes(&text, name.text, digits);
  text_format(&text, " %s", unit);
  name.text = arena_text(&state->ast->arena, text_get(&text), text.length);
  text_clear(&text);
  return name;
}

struct type_syntax *grammar_type(struct parser_state *state, enum type_syntax_kind kind,
                                 struct source_span span, struct name name) {
  struct type_syntax *made = arena_alloc(&state->ast->arena, 1, sizeof *made);
  *made = (struct type_syntax){.kind = kind, .span = span, .name = name};
  return made;
}

struct item_syntax *grammar_item(struct parser_state *state, struct source_span span,
                                 struct name name) {
  struct item_syntax *made = arena_alloc(&state->ast->arena, 1, sizeof *made);
  *made = (struct item_syntax){.span = span, .name = name};
  return made;
}

void grammar_add_name(struct parser_state *state, struct list *list, struct name name) {
  list_add(&state->ast->arena, list, arena_copy(&state->ast->arena, &name, 1, sizeof(struct name)));
}

struct statement_syntax *grammar_statement(struct parser_state *state,
                                           enum statement_syntax_kind kind,
                                           struct source_span span) {
  struct statement_syntax *made = arena_alloc(&state->ast->arena, 1, sizeof *made);
  made->kind = kind;
  made->span = span;
  made->depth = 1;
  return made;
}

static unsigned block_depth(const struct block_syntax *block) {
  unsigned depth = 0;
  for (size_t i = 0; block != NULL && i < block->statements.count; i++) {
    const struct statement_syntax *inner = block->statements.items[i];
    depth = inner->depth > depth ? inner->depth : depth;
  }
  return depth;
}

void grammar_measure_statement(struct statement_syntax *statement) {
  unsigned then_depth = block_depth(statement->then_block);
  unsigned else_depth = block_depth(statement->else_block);
  statement->depth = 1 + (then_depth > else_depth ? then_depth : else_depth);
}

void grammar_add_statement(struct parser_state *state, struct list *list,
                           struct statement_syntax *statement) {
  if (statement->depth > AST_DEPTH)
    grammar_too_deep(state, (struct source_span){statement->span.start, statement->span.start + 1});
  else
    list_add(&state->ast->arena, list, statement);
}

struct declaration *grammar_declare(struct parser_state *state, enum declaration_kind kind,
                                    struct name name) {
  struct declaration *made = arena_alloc(&state->ast->arena, 1, sizeof *made);
  made->kind = kind;
  made->name = name;
  return made;
}

struct declaration *grammar_names(struct parser_state *state, enum declaration_kind kind,
                                  struct name name, struct list names) {
  struct declaration *made = grammar_declare(state, kind, name);
  made->names = names;
  return made;
}

struct list grammar_params(struct parser_state *state, const struct list *names, bool time,
                           enum syntax_kind comparison, const struct syntax *term) {
  struct list params = {0};
  for (size_t i = 0; i < names->count; i++) {
    const struct name *name = names->items[i];
    struct declaration *made = grammar_declare(state, DECLARATION_PARAM, *name);
    made->time = time;
    made->span = name->span;
    if (term != NULL) {
      const struct syntax *left = grammar_leaf(state, SYNTAX_NAME, *name);
      struct source_span span = {name->span.start, term->span.end};
      made->formula = grammar_branch(state, comparison, span, left, term);
    }
    list_add(&state->ast->arena, &params, made);
  }
  return params;
}

void grammar_external(const struct list *roles) {
  for (size_t i = 0; i < roles->count; i++)
    ((struct declaration *)roles->items[i])->external = true;
}

void grammar_send_over(const struct list *messages, const struct channel_syntax *channel) {
  for (size_t i = 0; i < messages->count; i++) {
    struct declaration *message = messages->items[i];
    message->sender = channel->from;
    message->receiver = channel->to;
    message->over = channel->over;
    message->fifo = channel->fifo;
    message->formula = channel->loses;
    message->expression = channel->paced.every;
    message->burst = channel->paced.burst;
    message->priority = channel->priority;
  }
}

void grammar_add_listed(struct parser_state *state, struct list *declarations,
                        const struct list *listed, struct source_span span) {
  for (size_t i = 0; i < listed->count; i++) {
    struct declaration *one = listed->items[i];
    one->joined = i != 0;
    if (i == 0)
      one->span.start = span.start;
    if (i + 1 == listed->count)
      one->span.end = span.end;
    list_add(&state->ast->arena, declarations, one);
  }
}

struct declaration *grammar_let(struct parser_state *state, struct name name,
                                struct list parameters, const struct syntax *body) {
  struct declaration *made = grammar_declare(state, DECLARATION_LET, name);
  made->items = parameters;
  made->formula = body;
  return made;
}

struct declaration *grammar_schedule(struct parser_state *state, struct name role,
                                     struct list slots, struct name timeout) {
  struct declaration *made = grammar_names(state, DECLARATION_SCHEDULE, (struct name){0}, slots);
  made->role = role;
  made->timeout = timeout;
  return made;
}

struct declaration *grammar_arrivals(struct parser_state *state, struct name message,
                                     const struct syntax *every, bool jitter,
                                     const struct syntax *most) {
  struct declaration *made = grammar_declare(state, DECLARATION_ARRIVALS, (struct name){0});
  made->message = message;
  made->expression = every;
  made->formula = most;
  made->time = jitter;
  return made;
}

struct declaration *grammar_target(struct parser_state *state, enum target_kind kind,
                                   const struct syntax *message) {
  struct declaration *made = grammar_declare(state, DECLARATION_BOUND, (struct name){0});
  made->target = kind;
  made->message = message->name;
  made->args = message->args;
  return made;
}

struct declaration *grammar_when(struct parser_state *state, const struct syntax *formula,
                                 const struct syntax *at, const struct syntax *more) {
  struct declaration *made = grammar_declare(state, DECLARATION_BOUND, (struct name){0});
  made->target = TARGET_WHEN;
  made->formula = formula;
  if (more != NULL)
    made->formula =
        grammar_branch(state, SYNTAX_AND, (struct source_span){formula->span.start, more->span.end},
                       formula, more);
  made->at = at;
  return made;
}
