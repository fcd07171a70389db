/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/infer/linear.h"

#include <string.h>

static void add_atom(struct linear *sum, const struct term *atom, int64_t coefficient) {
  for (size_t i = 0; i < sum->parts.count; i++) {
    struct linear_part *part = &sum->parts.data[i];
    if (!term_equal(part->atom, atom))
      continue;
    part->coefficient += coefficient;
    if (part->coefficient == 0) {
      *part = sum->parts.data[sum->parts.count - 1];
      sum->parts.count--;
    }
    return;
  }
  struct linear_part part = {atom, coefficient};
  if (coefficient != 0)
    vector_push(&sum->parts, part);
}

static void add_index(struct linear *sum, struct term_maker *m, const struct term *t,
                      int64_t factor) {
  const struct term *node = t->args[0];
  if (node->kind == TERM_FIRST)
    return;
  if (node->kind != TERM_LAST) {
    add_atom(sum, t, factor);
    return;
  }
  linear_add(sum, m, node->type.role->count, factor);
  sum->constant -= factor;
}

void linear_add(struct linear *sum, struct term_maker *m, const struct term *t, int64_t factor) {
  if (factor == 0)
    return;
  switch (t->kind) {
  case TERM_INT:
    sum->constant += factor * t->integer;
    return;
  case TERM_ADD:
  case TERM_SUB:
    linear_add(sum, m, t->args[0], factor);
    linear_add(sum, m, t->args[1], t->kind == TERM_ADD ? factor : -factor);
    return;
  case TERM_NEG:
    linear_add(sum, m, t->args[0], -factor);
    return;
  case TERM_MUL:
    if (t->args[0]->kind == TERM_INT)
      linear_add(sum, m, t->args[1], factor * t->args[0]->integer);
    else if (t->args[1]->kind == TERM_INT)
      linear_add(sum, m, t->args[0], factor * t->args[1]->integer);
    else
      add_atom(sum, t, factor);
    return;
  case TERM_INDEX:
    add_index(sum, m, t, factor);
    return;
  default:
    add_atom(sum, t, factor);
  }
}

void linear_of(struct linear *sum, struct term_maker *m, const struct term *t) {
  memset(sum, 0, sizeof *sum);
  linear_add(sum, m, t, 1);
}

void linear_clear(struct linear *sum) {
  vector_clear(&sum->parts);
}

int64_t linear_coefficient(const struct linear *sum, const struct term *atom) {
  for (size_t i = 0; i < sum->parts.count; i++)
    if (term_equal(sum->parts.data[i].atom, atom))
      return sum->parts.data[i].coefficient;
  return 0;
}

void linear_remove(struct linear *sum, const struct term *atom) {
  add_atom(sum, atom, -linear_coefficient(sum, atom));
}

static const struct term *scaled(struct term_maker *m, const struct term *atom, int64_t factor) {
  if (factor == 1)
    return atom;
  return maker_pair(m, TERM_MUL, TYPE_INT, maker_integer(m, factor), atom);
}

const struct term *linear_term(struct term_maker *m, const struct linear *sum) {
  const struct term *t = NULL;
  for (size_t i = 0; i < sum->parts.count; i++) { /* what is added comes first */
    const struct linear_part *part = &sum->parts.data[i];
    if (part->coefficient > 0) {
      const struct term *one = scaled(m, part->atom, part->coefficient);
      t = t == NULL ? one : maker_pair(m, TERM_ADD, TYPE_INT, t, one);
    }
  }
  if (t == NULL || sum->constant > 0) {
    const struct term *constant = maker_integer(m, sum->constant);
    t = t == NULL ? constant : maker_pair(m, TERM_ADD, TYPE_INT, t, constant);
  } else if (sum->constant < 0) {
    t = maker_pair(m, TERM_SUB, TYPE_INT, t, maker_integer(m, -sum->constant));
  }
  for (size_t i = 0; i < sum->parts.count; i++) {
    const struct linear_part *part = &sum->parts.data[i];
    if (part->coefficient < 0)
      t = maker_pair(m, TERM_SUB, TYPE_INT, t, scaled(m, part->atom, -part->coefficient));
  }
  return t;
}

const struct term *integer_plus(struct term_maker *m, const struct term *a, int64_t constant) {
  struct linear sum;
  linear_of(&sum, m, a);
  sum.constant += constant;
  const struct term *t = linear_term(m, &sum);
  linear_clear(&sum);
  return t;
}

bool integer_difference(struct term_maker *m, const struct term *a, const struct term *b,
                        int64_t *difference) {
  struct linear sum;
  linear_of(&sum, m, a);
  linear_add(&sum, m, b, -1);
  bool known = sum.parts.count == 0;
  *difference = sum.constant;
  linear_clear(&sum);
  return known;
}

const struct term *integer_tidy(struct term_maker *m, const struct term *t) {
  if (t->variable_count != 0)
    return t;
  const struct term **args = arena_alloc(m->arena, t->count, sizeof(struct term *));
  for (size_t i = 0; i < t->count; i++)
    args[i] = integer_tidy(m, t->args[i]);
  struct term *made = arena_copy(m->arena, t, 1, sizeof *t);
  made->args = args;
  const struct term *choice = t->kind == TERM_ITE ? args[0] : NULL;
  if (choice != NULL && choice->kind == TERM_EQ && term_equal(choice->args[0], choice->args[1]))
    return args[1];
  bool sum = t->kind == TERM_ADD || t->kind == TERM_SUB || t->kind == TERM_NEG ||
             t->kind == TERM_MUL || t->kind == TERM_INDEX;
  return sum && t->type.kind == TYPE_INT ? integer_plus(m, made, 0) : made;
}
