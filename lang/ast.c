/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lang/ast.h"

#include <string.h>

#include "base/memory.h"

struct ast *ast_new(const char *bytes, size_t length) {
  struct ast *ast = mem_alloc(1, sizeof *ast);
  arena_init(&ast->arena);
  ast->bytes = arena_text(&ast->arena, bytes, length);
  ast->length = length;
  return ast;
}

void ast_free(struct ast *ast) {
  if (ast == NULL)
    return;
  arena_clear(&ast->arena);
  mem_free(ast);
}

void list_add(struct arena *arena, struct list *list, const void *item) {
  if (list->count == list->capacity) {
    size_t capacity = list->capacity == 0 ? 4 : 2 * list->capacity;
    void **items = arena_alloc(arena, capacity, sizeof *items);
    if (list->count != 0)
      memcpy(items, list->items, list->count * sizeof *items);
    list->items = items;
    list->capacity = capacity;
  }
  list->items[list->count++] = (void *)(uintptr_t)item;
}

/* Whether the operator goes on with the terms of its first argument: a + b - c, a and b and c. */
static bool continues_chain(const struct syntax *term, const struct syntax *first) {
  bool sum = term->kind == SYNTAX_ADD || term->kind == SYNTAX_SUB;
  if (sum)
    return first->kind == SYNTAX_ADD || first->kind == SYNTAX_SUB;
  bool chain = term->kind == SYNTAX_AND || term->kind == SYNTAX_OR || term->kind == SYNTAX_MUL ||
               term->kind == SYNTAX_INTERSECTION;
  return chain && first->kind == term->kind;
}

static void measure(struct syntax *term, const struct syntax *part, bool chain) {
  unsigned depth = part->depth + !chain;
  term->depth = depth > term->depth ? depth : term->depth;
  term->height = part->height + 1 > term->height ? part->height + 1 : term->height;
}

void ast_measure(struct syntax *term) {
  term->depth = term->height = 1;
  for (size_t i = 0; i < term->args.count; i++) {
    const struct syntax *arg = term->args.items[i];
    measure(term, arg, i == 0 && continues_chain(term, arg));
  }
  for (size_t i = 0; i < term->binders.count; i++)
    measure(term, list_binder(&term->binders, i)->domain, false);
}

struct syntax *ast_term(struct arena *arena, enum syntax_kind kind, struct source_span span,
                        const struct syntax *first, const struct syntax *second) {
  struct syntax *made = arena_alloc(arena, 1, sizeof *made);
  made->kind = kind;
  made->span = span;
  if (first != NULL)
    list_add(arena, &made->args, first);
  if (second != NULL)
    list_add(arena, &made->args, second);
  ast_measure(made);
  return made;
}

static bool same_name(const struct name *a, const struct name *b) {
  return a->text == b->text ||
         (a->text != NULL && b->text != NULL && strcmp(a->text, b->text) == 0);
}

static bool same_list(const struct list *a, const struct list *b,
                      bool (*same)(const void *, const void *)) {
  if (a->count != b->count)
    return false;
  for (size_t i = 0; i < a->count; i++)
    if (!same(a->items[i], b->items[i]))
      return false;
  return true;
}

static bool same_term(const void *left, const void *right);

static bool same_binder(const void *left, const void *right) {
  const struct binder *a = left, *b = right;
  return same_name(&a->name, &b->name) && same_term(a->domain, b->domain);
}

static bool same_term(const void *left, const void *right) {
  const struct syntax *a = left, *b = right;
  if (a == NULL || b == NULL)
    return a == b;
  return a->kind == b->kind && same_name(&a->name, &b->name) &&
         same_list(&a->binders, &b->binders, same_binder) &&
         same_list(&a->args, &b->args, same_term);
}

static bool same_type(const void *left, const void *right) {
  const struct type_syntax *a = left, *b = right;
  if (a == NULL || b == NULL)
    return a == b;
  return a->kind == b->kind && same_name(&a->name, &b->name) && same_type(a->element, b->element);
}

static bool same_item(const void *left, const void *right) {
  const struct item_syntax *a = left, *b = right;
  return same_name(&a->name, &b->name) && same_list(&a->index, &b->index, same_type) &&
         same_type(a->type, b->type) && same_term(a->initial, b->initial) && a->ghost == b->ghost;
}

static bool same_name_item(const void *left, const void *right) {
  return same_name(left, right);
}

static bool same_statement(const void *left, const void *right);

static bool same_block(const struct block_syntax *a, const struct block_syntax *b) {
  if (a == NULL || b == NULL)
    return a == b;
  return same_list(&a->statements, &b->statements, same_statement);
}

static bool same_statement(const void *left, const void *right) {
  const struct statement_syntax *a = left, *b = right;
  return a->kind == b->kind && same_name(&a->name, &b->name) && same_term(a->key, b->key) &&
         same_term(a->value, b->value) && same_list(&a->args, &b->args, same_term) &&
         same_term(a->to, b->to) && same_list(&a->binders, &b->binders, same_binder) &&
         same_block(a->then_block, b->then_block) && same_block(a->else_block, b->else_block);
}

static bool same_side(const struct side_syntax *a, const struct side_syntax *b) {
  return same_name(&a->role, &b->role) && same_name(&a->field, &b->field);
}

static bool same_names(const struct declaration *a, const struct declaration *b) {
  return same_name(&a->name, &b->name) && same_name(&a->role, &b->role) &&
         same_name(&a->node, &b->node) && same_name(&a->message, &b->message) &&
         same_name(&a->over, &b->over) && same_name(&a->slot, &b->slot) &&
         same_name(&a->timeout, &b->timeout) && same_name(&a->read, &b->read) &&
         same_name(&a->from, &b->from) && same_name(&a->priority, &b->priority);
}

static bool same_declaration(const void *left, const void *right) {
  const struct declaration *a = left, *b = right;
  return a->kind == b->kind && same_names(a, b) && a->external == b->external &&
         a->fifo == b->fifo && a->time == b->time && a->by_phases == b->by_phases &&
         a->any_time == b->any_time && a->at_once == b->at_once && a->target == b->target &&
         same_list(&a->parts, &b->parts, same_declaration) && same_term(a->timer, b->timer) &&
         same_term(a->formula, b->formula) && same_list(&a->items, &b->items, same_item) &&
         same_list(&a->names, &b->names, same_name_item) &&
         same_list(&a->binders, &b->binders, same_binder) && same_side(&a->sender, &b->sender) &&
         same_side(&a->receiver, &b->receiver) && same_term(a->cost, b->cost) &&
         same_block(a->block, b->block) && same_list(&a->args, &b->args, same_term) &&
         same_list(&a->from_args, &b->from_args, same_term) && same_term(a->at, b->at) &&
         same_term(a->expression, b->expression) && same_term(a->burst, b->burst);
}

bool ast_equal(const struct ast *a, const struct ast *b) {
  return same_name(&a->name, &b->name) &&
         same_list(&a->declarations, &b->declarations, same_declaration);
}
