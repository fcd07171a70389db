/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/encode/multiple.h"

enum { FACTORS_MAX = 8 };

/* A literal times what neither states nor variables change. */
struct product {
  int64_t literal;
  size_t count;
  smt_term factors[FACTORS_MAX];
  bool other; /* it has other factors, or too many */
};

struct search {
  struct encoder *encoder;
  struct product size;
  struct multiple *multiples;
  size_t count;
};

static bool is_variable(const struct term *t, const void *context) {
  (void)context;
  return t->kind == TERM_VARIABLE;
}

static void multiply(struct encoder *e, struct product *p, const struct term *t) {
  if (t->kind == TERM_MUL) {
    multiply(e, p, t->args[0]);
    multiply(e, p, t->args[1]);
  } else if (t->kind == TERM_INT) {
    p->other = p->other || __builtin_mul_overflow(p->literal, t->integer, &p->literal);
  } else if (p->count < FACTORS_MAX && !term_reads_state(t) &&
             !term_has_part(t, is_variable, NULL)) {
    p->factors[p->count++] = encode(e, t, NULL);
  } else {
    p->other = true;
  }
}

static struct product product_of(struct encoder *e, const struct term *t) {
  struct product p = {.literal = 1};
  multiply(e, &p, t);
  return p;
}

static bool divide_by(struct product *p, smt_term factor) {
  for (size_t i = 0; i < p->count; i++)
    if (p->factors[i] == factor) {
      p->factors[i] = p->factors[--p->count];
      return true;
    }
  return false;
}

/* False when it is no whole multiple. */
static bool divide(struct product *p, const struct product *by) {
  bool whole = !p->other && !by->other && by->literal > 0 && p->literal % by->literal == 0;
  for (size_t i = 0; i < by->count && whole; i++)
    whole = divide_by(p, by->factors[i]);
  if (whole)
    p->literal /= by->literal;
  return whole;
}

static smt_term encoded(struct encoder *e, const struct product *p) {
  smt_term all = smt_int(e->smt, p->literal);
  for (size_t i = 0; i < p->count; i++)
    all = smt_mul(e->smt, all, p->factors[i]);
  return all;
}

static void note(struct search *s, const struct term *t) {
  struct product each = product_of(s->encoder, t);
  if (!divide(&each, &s->size) || s->count == MULTIPLES_MAX)
    return;
  bool known = each.count == 0 && (each.literal == 0 || (each.literal == 1 && s->size.count < 2));
  if (known)
    return;
  struct multiple made = {encoded(s->encoder, &each), encode(s->encoder, t, NULL)};
  for (size_t i = 0; i < s->count; i++)
    if (s->multiples[i].each == made.each && s->multiples[i].all == made.all)
      return;
  s->multiples[s->count++] = made;
}

static bool look(const struct term *t, const void *context) {
  const struct search *s = context;
  bool told = t->kind == TERM_INT && s->size.count == 0 && s->size.literal > 1;
  if (t->type.kind == TYPE_INT && (t->kind == TERM_MUL || told))
    note((struct search *)(uintptr_t)context, t);
  return false;
}

static void look_at(struct search *s, const struct term *t) {
  if (t != NULL)
    term_has_part(t, look, s);
}

size_t encode_multiples(struct encoder *e, const struct role *role, struct multiple *multiples) {
  const struct model *model = e->model;
  struct search s = {.encoder = e, .size = product_of(e, role->count), .multiples = multiples};
  for (size_t i = 0; i < model->invariants.count; i++)
    look_at(&s, model->invariants.items[i]->formula);
  for (size_t i = 0; i < model->assumptions.count; i++)
    look_at(&s, model->assumptions.items[i]->formula);
  for (size_t i = 0; i < model->actions.count; i++)
    for (size_t k = 0; k < model->actions.items[i]->guard_count; k++)
      look_at(&s, model->actions.items[i]->guards[k]);
  for (size_t i = 0; i < model->bounds.count; i++)
    look_at(&s, model->bounds.items[i]->formula);
  return s.count;
}
