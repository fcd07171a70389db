/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sums of two terms and products (encode.h).
 */
#include "solver/encode/encode.h"
#include "lang/instantiate.h"
#include "solver/encode/long_time.h"

/* The factor of a time as k + number: (k + 6) * E is k*E + 6*E, so that all products of E meet in
 * the same k. */
static const struct term *without_number(const struct term *factor, int64_t *number) {
  *number = 0;
  while (factor->kind == TERM_ADD || factor->kind == TERM_SUB) {
    const struct term *left = factor->args[0], *right = factor->args[1];
    bool add = factor->kind == TERM_ADD;
    int64_t part = right->kind == TERM_INT ? right->integer : left->integer, sum;
    if (right->kind != TERM_INT && !(add && left->kind == TERM_INT))
      break;
    if (__builtin_add_overflow(*number, add ? part : -part, &sum))
      break;
    *number = sum;
    factor = right->kind == TERM_INT ? left : right;
  }
  return factor;
}

/* (A - B)*T is A*T - B*T: of two terms over parameters, so that products with each meet those with
 * both. */
static void distribute(struct encoder *e, const struct term *t, const struct term *factor,
                       smt_term product, const struct symbolic *state) {
  bool add = factor->kind == TERM_ADD;
  if ((!add && factor->kind != TERM_SUB) || t->args[1]->kind != TERM_BARE ||
      !term_is_of_parameters(factor) || !encoder_is_new(e, t))
    return;
  smt_term sides[2];
  for (size_t i = 0; i < 2; i++) {
    const struct term *args[] = {factor->args[i], t->args[1]};
    struct term side = *t;
    side.args = arena_copy(&e->arena, args, 2, sizeof *args);
    sides[i] = encode(e, arena_copy(&e->arena, &side, 1, sizeof side), state);
  }
  smt_term both = (add ? smt_add : smt_sub)(e->smt, sides[0], sides[1]);
  encoder_assume(e, FACT_PRODUCT_DISTRIBUTES, smt_equal(e->smt, product, both));
}

static smt_term encode_multiplication(struct encoder *e, const struct term *t,
                                      const struct symbolic *state) {
  smt_term factor = encode(e, t->args[0], state);
  int64_t number;
  if (t->type.kind != TYPE_TIME || smt_is_numeral(e->smt, factor, &number) || e->scope != NULL)
    return smt_mul(e->smt, factor, encode(e, t->args[1], state));
  if (factor_has_power(t->args[0]))
    return encode_power_product(e, t->args[0], t->args[1], state);
  const struct term *symbolic = without_number(t->args[0], &number);
  smt_term product = encode_product(e, encode(e, symbolic, state), t->args[1], state);
  distribute(e, t, symbolic, product, state);
  if (number == 0)
    return product;
  smt_term rest = smt_mul(e->smt, smt_int(e->smt, number), encode(e, t->args[1], state));
  return smt_add(e->smt, product, rest);
}

smt_term encode_arithmetic(struct encoder *e, const struct term *t, const struct symbolic *state) {
  if (t->kind == TERM_MUL)
    return encode_multiplication(e, t, state);
  size_t number = long_times_number(e->long_times, t);
  if (number != LONG_TIME_NONE)
    return encode_long_time(e, number);
  smt_term left = encode(e, t->args[0], state), right = encode(e, t->args[1], state);
  return smt_add(e->smt, left, right);
}
