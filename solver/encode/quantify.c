/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Quantifiers: unrolled in a small scope, symbolic with a pattern otherwise (encode.h).
 */
#include "base/text.h"
#include "solver/encode/encode.h"

#include "base/invariant.h"

int64_t encode_scope_end(int64_t low, int64_t high) {
  int64_t count;
  bool wide =
      low <= high && (__builtin_sub_overflow(high, low, &count) || count >= SCOPE_VALUES_MAX);
  return wide ? low + SCOPE_VALUES_MAX - 1 : high;
}

void encode_scope_range(struct encoder *e, const struct variable *v, const struct symbolic *state,
                        int64_t *low, int64_t *high) {
  *low = v->type.kind == TYPE_INT ? SCOPE_LEAST : 0;
  *high = SCOPE_MOST;
  int64_t size;
  if (v->type.kind == TYPE_BOOL) {
    *high = 1;
  } else if (v->type.kind == TYPE_NODE) {
    if (!smt_is_numeral(e->smt, encode_role_size(e, v->type.role), &size))
      bug("family of symbolic size in a scope");
    *high = size - 1;
  } else if (v->type.kind == TYPE_ENUM) {
    *high = (int64_t)v->type.enumeration->count - 1;
  } else if (v->domain == DOMAIN_RANGE) {
    smt_is_numeral(e->smt, encode(e, v->low, state), low);
    smt_is_numeral(e->smt, encode(e, v->high, state), high);
    *high = encode_scope_end(*low, *high);
  }
}

smt_term encode_in_scope(struct encoder *e, const struct type *type, smt_term value) {
  int64_t known;
  if (type->kind != TYPE_INT)
    return smt_bool(e->smt, true);
  if (smt_is_numeral(e->smt, value, &known))
    return smt_bool(e->smt, SCOPE_LEAST < known && known < SCOPE_MOST);
  return smt_and2(e->smt, smt_lt(e->smt, smt_int(e->smt, SCOPE_LEAST), value),
                  smt_lt(e->smt, value, smt_int(e->smt, SCOPE_MOST)));
}

static smt_term expand(struct encoder *e, const struct quantified *q, size_t index) {
  if (index == q->count)
    return q->body(e, q->context, &(smt_term){NULL});
  const struct variable *v = q->variables[index];
  smt_term all = smt_bool(e->smt, q->forall);
  int64_t low, high;
  encode_scope_range(e, v, q->state, &low, &high);
  for (int64_t value = low; value <= high; value++) {
    smt_term at = v->type.kind == TYPE_BOOL ? smt_bool(e->smt, value) : smt_int(e->smt, value);
    encoder_let(e, v, at);
    smt_term inside = encode_in_domain(e, v, at, q->state);
    smt_term body = expand(e, q, index + 1);
    all = q->forall ? smt_and2(e->smt, all, smt_implies(e->smt, inside, body))
                    : smt_or2(e->smt, all, smt_and2(e->smt, inside, body));
  }
  return all;
}

/* The same constant whenever the variable is bound: a formula encoded twice is then the same term.
 * Only where the variable is bound already it is a new one. */
static smt_term bind(struct encoder *e, const struct variable *v) {
  if (v->type.kind == TYPE_NODE && v->type.role->count == NULL)
    return encode_fresh(e, v);
  struct text name;
  text_init(&name);
  text_format(&name, "%s@%zu", v->name, v->id);
  smt_function constant = smt_declare(e->smt, name.data, NULL, 0, encode_sort(e, &v->type));
  text_clear(&name);
  smt_term value = smt_apply(e->smt, constant, NULL, 0);
  if (e->environment[v->id] == value)
    return encode_fresh(e, v);
  encoder_let(e, v, value);
  return value;
}

static smt_term quantify(struct encoder *e, const struct quantified *q) {
  smt_term *bound = arena_alloc(&e->arena, q->count, sizeof(smt_term));
  smt_term guard = smt_bool(e->smt, true), pattern = NULL;
  size_t count = 0;
  for (size_t i = 0; i < q->count; i++) {
    const struct variable *v = q->variables[i];
    bool fixed = q->fixed != NULL && q->fixed[i] != NULL;
    smt_term value = fixed ? q->fixed[i] : bind(e, v);
    if (fixed)
      encoder_let(e, v, value);
    else if (v->type.kind != TYPE_NODE || v->type.role->count != NULL)
      bound[count++] = value;
    guard = smt_and2(e->smt, guard, encode_in_domain(e, v, value, q->state));
  }
  smt_term body = q->body(e, q->context, &pattern);
  if (!q->forall)
    return smt_exists(e->smt, bound, count, smt_and2(e->smt, guard, body));
  return smt_forall(e->smt, bound, count, smt_implies(e->smt, guard, body), &pattern,
                    pattern != NULL);
}

smt_term encode_quantified(struct encoder *e, const struct quantified *q) {
  smt_term *saved = arena_alloc(&e->arena, q->count, sizeof(smt_term));
  for (size_t i = 0; i < q->count; i++)
    saved[i] = e->environment[q->variables[i]->id];
  uint64_t balance = e->balance;
  smt_term result = e->scope != NULL ? expand(e, q, 0) : quantify(e, q);
  for (size_t i = 0; i < q->count; i++)
    encoder_let(e, q->variables[i], saved[i]);
  invariant(e->balance == balance);
  return result;
}

struct body {
  const struct term *term;
  const struct symbolic *state;
};

static smt_term encode_body(struct encoder *e, void *context, smt_term *pattern) {
  (void)pattern;
  struct body *body = context;
  return encode(e, body->term, body->state);
}

/* What the variable is equal to, in a formula that says so. */
static const struct term *equal_to(const struct term *t, const struct variable *v) {
  for (size_t i = 0; t->kind == TERM_AND && i < t->count; i++) {
    const struct term *found = equal_to(t->args[i], v);
    if (found != NULL)
      return found;
  }
  for (size_t i = 0; t->kind == TERM_EQ && i < 2; i++) {
    const struct term *side = t->args[i];
    if (side->kind == TERM_INDEX)
      side = side->args[0];
    if (side->kind == TERM_VARIABLE && side->variable == v)
      return t->args[1 - i];
  }
  return NULL;
}

/* Of "some x equals E and has P": that is, E has P. A solver makes no instance for an E that chooses
 * between two values. NULL: no variable is fixed so. */
static const smt_term *find_fixed(struct encoder *e, const struct term *t,
                                  const struct symbolic *state) {
  smt_term *fixed = NULL;
  for (size_t i = 0; e->scope == NULL && t->kind == TERM_EXISTS && i < t->variable_count; i++) {
    const struct variable *v = t->variables[i];
    const struct term *value = equal_to(t->args[0], v);
    bool single = v->type.kind == TYPE_NODE && v->type.role->count == NULL;
    for (size_t k = 0; value != NULL && k < t->variable_count; k++)
      if (term_mentions(value, t->variables[k]))
        value = NULL;
    if (value == NULL || single)
      continue;
    if (fixed == NULL)
      fixed = arena_alloc(&e->arena, t->variable_count, sizeof *fixed);
    fixed[i] = encode(e, value, state);
  }
  return fixed;
}

smt_term encode_quantifier(struct encoder *e, const struct term *t, const struct symbolic *state) {
  struct body body = {t->args[0], state};
  struct quantified q = {.forall = t->kind == TERM_FORALL,
                         .variables = t->variables,
                         .count = t->variable_count,
                         .state = state,
                         .body = encode_body,
                         .context = &body,
                         .fixed = find_fixed(e, t, state)};
  return encode_quantified(e, &q);
}
