/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Powers b^k and times b^k * E, of a number b >= 2 and an integer k (encode.h). Each is a function
 * of k that grows by the factor b: so what is said of it is linear, which products of unknowns are
 * not. Lemmas compare two of its values by induction.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "lang/power.h"
#include "solver/encode/encode.h"
#include "solver/encode/symbolic.h"

/* G(free, k) = b^k * E, and 0 for k < 0; E is 1 for integers. As of prefix sums, Z is the same
 * without a trigger. */
struct power_function {
  const char *key;
  int64_t base;
  const struct term *unit;      /* E, or NULL: 1 */
  const struct symbolic *state; /* of an E that reads the state */
  struct variable_list free;    /* of E */
  smt_function power, inner;    /* G, Z */
};

static smt_term apply(struct encoder *e, smt_function function, const smt_term *free, size_t count,
                      smt_term argument) {
  smt_term *args = arena_alloc(&e->arena, count + 1, sizeof(smt_term));
  if (count != 0)
    memcpy(args, free, count * sizeof(smt_term));
  args[count] = argument;
  return smt_apply(e->smt, function, args, count + 1);
}

static smt_term unit_of(struct encoder *e, const struct power_function *f) {
  return f->unit == NULL ? smt_int(e->smt, 1) : encode(e, f->unit, f->state);
}

static smt_term nothing(struct encoder *e, const struct power_function *f) {
  return f->unit == NULL ? smt_int(e->smt, 0) : smt_real_zero(e->smt);
}

static smt_term times_base(struct encoder *e, const struct power_function *f, smt_term value) {
  return smt_mul(e->smt, smt_int(e->smt, f->base), value);
}

/* Constants for the variables of E, put into the environment, with room for two more. */
static smt_term *bind_free(struct encoder *e, const struct power_function *f, smt_term *saved) {
  smt_term *bound = arena_alloc(&e->arena, f->free.count + 2, sizeof(smt_term));
  for (size_t i = 0; i < f->free.count; i++) {
    const struct variable *v = f->free.items[i];
    bound[i] = smt_fresh(e->smt, v->name, encode_sort(e, &v->type));
    saved[i] = encoder_let(e, v, bound[i]);
  }
  return bound;
}

static void restore_free(struct encoder *e, const struct power_function *f, const smt_term *saved) {
  for (size_t i = 0; i < f->free.count; i++)
    encoder_let(e, f->free.items[i], saved[i]);
}

/* Around each argument that occurs: G(0) = E, G(k + 1) = b*G(k) for k >= 0, and 0 below. */
static void define(struct encoder *e, const struct power_function *f) {
  struct smt *smt = e->smt;
  size_t count = f->free.count;
  smt_term *saved = arena_alloc(&e->arena, count, sizeof(smt_term));
  smt_term *bound = bind_free(e, f, saved);
  smt_term zero = smt_int(smt, 0), one = smt_int(smt, 1);
  smt_term k = bound[count] = smt_fresh(smt, "k", smt_sort_int(smt));
  smt_term here = apply(e, f->inner, bound, count, k), p = apply(e, f->power, bound, count, k);
  smt_term after = apply(e, f->inner, bound, count, smt_add(smt, k, one));
  smt_term before = apply(e, f->inner, bound, count, smt_sub(smt, k, one));
  smt_term facts[] = {
      smt_equal(smt, p, here),
      smt_implies(smt, smt_lt(smt, k, zero), smt_equal(smt, here, nothing(e, f))),
      smt_implies(smt, smt_le(smt, zero, k), smt_equal(smt, after, times_base(e, f, here))),
      smt_implies(smt, smt_le(smt, one, k), smt_equal(smt, here, times_base(e, f, before))),
      smt_equal(smt, apply(e, f->inner, bound, count, zero), unit_of(e, f)),
  };
  encoder_assume(e, FACT_POWER_DEFINED,
                 smt_forall(smt, bound, count + 1, smt_and(smt, facts, 5), &p, 1));
  restore_free(e, f, saved);
}

static const struct power_function *find_power(struct encoder *e, int64_t base,
                                               const struct term *unit,
                                               const struct symbolic *state) {
  struct variable_list free = {0};
  struct text key;
  text_init(&key);
  text_format(&key, "%" PRId64 " ", base);
  if (unit != NULL) {
    free = term_free_but(&e->arena, unit, NULL);
    term_key_context(&key, e, unit, state);
    term_key(&key, unit, NULL, &free);
  }
  const struct power_function *found = NULL;
  for (size_t i = 0; i < e->powers.count && found == NULL; i++)
    if (strcmp(e->powers.data[i]->key, key.data) == 0)
      found = e->powers.data[i];
  if (found == NULL) {
    struct power_function *made = arena_alloc(&e->arena, 1, sizeof *made);
    *made = (struct power_function){.base = base, .unit = unit, .free = free};
    made->state = unit != NULL && term_reads_state(unit) ? state : NULL;
    made->key = arena_text(&e->arena, key.data, key.length);
    smt_sort *domain = arena_alloc(&e->arena, free.count + 1, sizeof(smt_sort));
    for (size_t i = 0; i < free.count; i++)
      domain[i] = encode_sort(e, &free.items[i]->type);
    domain[free.count] = smt_sort_int(e->smt);
    smt_sort result = unit == NULL ? smt_sort_int(e->smt) : smt_sort_real(e->smt);
    char name[64];
    size_t number = e->name_count++;
    snprintf(name, sizeof name, "power.%zu", number);
    made->power = smt_declare(e->smt, name, domain, free.count + 1, result);
    snprintf(name, sizeof name, "power.inner.%zu", number);
    made->inner = smt_declare(e->smt, name, domain, free.count + 1, result);
    vector_push(&e->powers, made);
    define(e, made);
    found = made;
  }
  text_clear(&key);
  return found;
}

/* With a scope: power by power, beyond SCOPE_MOST as there. */
static smt_term expand_power(struct encoder *e, int64_t base, smt_term exponent) {
  struct smt *smt = e->smt;
  int64_t number, value = 1;
  if (smt_is_numeral(smt, exponent, &number) && integer_power(&value, base, number))
    return smt_int(smt, value);
  smt_term result = smt_int(smt, 0);
  for (int64_t k = 0; k <= SCOPE_MOST && integer_power(&value, base, k); k++)
    result = smt_if(smt, smt_le(smt, smt_int(smt, k), exponent), smt_int(smt, value), result);
  return result;
}

static smt_term value_at(struct encoder *e, int64_t base, const struct term *unit, smt_term k,
                         const struct symbolic *state) {
  const struct power_function *f = find_power(e, base, unit, state);
  smt_term *args = arena_alloc(&e->arena, f->free.count, sizeof(smt_term));
  for (size_t i = 0; i < f->free.count; i++)
    args[i] = e->environment[f->free.items[i]->id];
  return apply(e, f->power, args, f->free.count, k);
}

smt_term encode_power(struct encoder *e, const struct term *power, const struct symbolic *state) {
  smt_term exponent = encode(e, power->args[1], state);
  int64_t base = power->args[0]->integer;
  return e->scope != NULL ? expand_power(e, base, exponent)
                          : value_at(e, base, NULL, exponent, state);
}

static bool is_power(const struct term *term, const void *context) {
  (void)context;
  return term->kind == TERM_POWER;
}

bool factor_has_power(const struct term *factor) {
  return term_has_part(factor, is_power, NULL);
}

smt_term encode_power_product(struct encoder *e, const struct term *factor, const struct term *unit,
                              const struct symbolic *state) {
  struct smt *smt = e->smt;
  smt_term a, b;
  bool number_left = factor->kind == TERM_MUL && factor->args[0]->kind == TERM_INT;
  bool number_right = factor->kind == TERM_MUL && factor->args[1]->kind == TERM_INT;
  switch (factor_has_power(factor) ? factor->kind : TERM_BOOL) {
  case TERM_POWER:
    return value_at(e, factor->args[0]->integer, unit, encode(e, factor->args[1], state), state);
  case TERM_ADD:
  case TERM_SUB:
    a = encode_power_product(e, factor->args[0], unit, state);
    b = encode_power_product(e, factor->args[1], unit, state);
    return factor->kind == TERM_ADD ? smt_add(smt, a, b) : smt_sub(smt, a, b);
  case TERM_NEG:
    return smt_sub(smt, smt_real_zero(smt), encode_power_product(e, factor->args[0], unit, state));
  case TERM_ITE:
    a = encode_power_product(e, factor->args[1], unit, state);
    b = encode_power_product(e, factor->args[2], unit, state);
    return smt_if(smt, encode(e, factor->args[0], state), a, b);
  case TERM_MUL:
    if (number_left || number_right)
      return smt_mul(smt, smt_int(smt, factor->args[number_left ? 0 : 1]->integer),
                     encode_power_product(e, factor->args[number_left ? 1 : 0], unit, state));
    break;
  default:
    break;
  }
  int64_t number;
  smt_term whole = encode(e, factor, state);
  return smt_is_numeral(smt, whole, &number) ? smt_mul(smt, whole, encode(e, unit, state))
                                             : encode_product(e, whole, unit, state);
}

/* By induction on k, for 0 <= j <= k, as b >= 2 and E >= 0 (the step): E <= G(j) <= G(k), and
 * b*G(j) <= G(k) for j < k. Of integers also j + 1 <= G(j). */
static void add_lemmas(struct encoder *e, const struct power_function *f, smt_terms *goals) {
  struct smt *smt = e->smt;
  if (f->unit != NULL && !time_is_nonnegative(f->unit))
    return;
  size_t count = f->free.count;
  smt_term *saved = arena_alloc(&e->arena, count, sizeof(smt_term));
  smt_term *bound = bind_free(e, f, saved);
  smt_term zero = smt_int(smt, 0), one = smt_int(smt, 1);
  smt_term j = bound[count] = smt_fresh(smt, "j", smt_sort_int(smt));
  smt_term k = bound[count + 1] = smt_fresh(smt, "k", smt_sort_int(smt));
  smt_term low = apply(e, f->power, bound, count, j), high = apply(e, f->power, bound, count, k);
  smt_term unit = unit_of(e, f);
  vector_push(goals, smt_forall(smt, bound, count, smt_le(smt, nothing(e, f), unit), NULL, 0));
  smt_term least = smt_le(smt, f->unit == NULL ? smt_add(smt, j, one) : unit, low);
  smt_term more = smt_implies(smt, smt_lt(smt, j, k), smt_le(smt, times_base(e, f, low), high));
  smt_term ordered = smt_and2(smt, smt_le(smt, zero, j), smt_le(smt, j, k));
  smt_term fact = smt_and2(smt, smt_le(smt, low, high), more);
  encoder_assume(e, FACT_POWER_GROWS,
                 smt_forall(smt, bound, count + 2, smt_implies(smt, ordered, fact),
                            (smt_term[]){low, high}, 2));
  encoder_assume(
      e, FACT_POWER_LEAST,
      smt_forall(smt, bound, count + 1, smt_implies(smt, smt_le(smt, zero, j), least), &low, 1));
  restore_free(e, f, saved);
}

void encoder_power_lemmas(struct encoder *e, size_t from, smt_terms *goals) {
  for (size_t i = from; i < e->powers.count; i++)
    add_lemmas(e, e->powers.data[i], goals);
}
