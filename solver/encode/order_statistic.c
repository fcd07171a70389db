/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The k-th smallest value v by counting: at least k members have at most v, fewer than k have less
 * (encode.h). So the k-th fastest of a quorum needs no order of its members. Of a rank that is not
 * between 1 and the number of members nothing is said; that it is between them is an obligation of
 * its own (solver/prove/quorum.c).
 */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "solver/encode/cardinality_function.h"

/* The function v(free) = the k-th smallest body over a domain, and the sets of the members whose
 * body is at most v, and less than v. */
struct order_statistic {
  const char *key;
  const struct term *term;
  const struct symbolic *state; /* NULL when the term does not read the state */
  struct variable_list free;
  smt_function function;
  const struct measure *most, *less;
};

/* Of a rank below 1. */
static smt_term nothing(struct encoder *e, const struct term *t) {
  return t->type.kind == TYPE_INT ? smt_int(e->smt, 0) : smt_real_zero(e->smt);
}

/* The k-th smallest of the values that are inside, all of which are told: the k smallest so far are
 * kept in order, and each value finds its place among them. NULL: some are not told. */
static smt_term select_kth(struct encoder *e, const struct term *t, const smt_term *value,
                           const smt_term *inside, size_t count, smt_term rank) {
  struct smt *smt = e->smt;
  int64_t k;
  size_t members = 0;
  for (size_t i = 0; i < count; i++) {
    if (!smt_is_true(smt, inside[i]) && !smt_is_false(smt, inside[i]))
      return NULL;
    members += smt_is_true(smt, inside[i]);
  }
  if (!smt_is_numeral(smt, rank, &k))
    return NULL;
  if (k < 1 || (size_t)k > members)
    return nothing(e, t);
  smt_term *least = arena_alloc(&e->arena, (size_t)k, sizeof *least);
  for (size_t i = 0, seen = 0; i < count; i++) {
    if (smt_is_false(smt, inside[i]))
      continue;
    smt_term rest = value[i];
    for (size_t j = 0; j < (size_t)k && j <= seen; j++) {
      smt_term least_j = least[j];
      least[j] = j == seen ? rest : encode_min(e, least_j, rest);
      rest = j == seen ? rest : encode_max(e, least_j, rest);
    }
    seen++;
  }
  return least[k - 1];
}

/* With a scope: the k-th smallest, else the smallest body that at least k members do not exceed. */
static smt_term expand(struct encoder *e, const struct term *t, const struct symbolic *state) {
  struct smt *smt = e->smt;
  const struct variable *v = t->variables[0];
  int64_t low, high;
  encode_scope_range(e, v, state, &low, &high);
  size_t count = high < low ? 0 : (size_t)(high - low + 1);
  smt_term *body = arena_alloc(&e->arena, count, sizeof(smt_term));
  smt_term *inside = arena_alloc(&e->arena, count, sizeof(smt_term));
  smt_term saved = e->environment[v->id];
  for (size_t i = 0; i < count; i++) {
    smt_term at = smt_int(smt, low + (int64_t)i);
    encoder_let(e, v, at);
    inside[i] = encode_in_domain(e, v, at, state);
    body[i] = encode(e, t->args[0], state);
  }
  encoder_let(e, v, saved);
  smt_term rank = encode(e, t->args[1], state), zero = smt_int(smt, 0), one = smt_int(smt, 1);
  smt_term told = select_kth(e, t, body, inside, count, rank);
  if (told != NULL)
    return told;
  smt_term result = nothing(e, t), seen = smt_bool(smt, false);
  for (size_t i = 0; i < count; i++) {
    smt_term below = zero;
    for (size_t j = 0; j < count; j++) {
      smt_term counts = smt_and2(smt, inside[j], smt_le(smt, body[j], body[i]));
      below = smt_add(smt, below, smt_if(smt, counts, one, zero));
    }
    smt_term enough = smt_and2(smt, inside[i], smt_le(smt, rank, below));
    smt_term better = smt_if(smt, seen, encode_min(e, result, body[i]), body[i]);
    result = smt_if(smt, enough, better, result);
    seen = smt_or2(smt, seen, enough);
  }
  return smt_if(smt, smt_le(smt, one, rank), result, nothing(e, t));
}

/* |domain|, in the state. */
static smt_term members(struct encoder *e, const struct variable *v, const struct symbolic *state) {
  return v->domain == DOMAIN_SET ? encode_cardinality(e, v->set, state)
                                 : encode_role_size(e, v->type.role);
}

/* The predicate's definition: the node is in the domain and its body is at most (less than) v. */
static void define_set(struct encoder *e, const struct order_statistic *x, const smt_term *args,
                       smt_term value, bool less) {
  struct smt *smt = e->smt;
  const struct variable *v = x->term->variables[0];
  size_t count = x->free.count;
  smt_term *bound = arena_alloc(&e->arena, count + 1, sizeof(smt_term));
  memcpy(bound, args, count * sizeof(smt_term));
  smt_term node = bound[count] = encode_fresh(e, v);
  bool is_family = v->type.role->count != NULL;
  smt_term in = cardinality_member(e, less ? x->less : x->most, args, node);
  smt_term body = encode(e, x->term->args[0], x->state);
  smt_term below = less ? smt_lt(smt, body, value) : smt_le(smt, body, value);
  smt_term defined = smt_and2(smt, encode_in_domain(e, v, node, x->state), below);
  size_t all = count + is_family;
  encoder_assume(e, FACT_DEFINITION,
                 smt_forall(smt, bound, all, smt_equal(smt, in, defined), &in, all != 0));
}

/* By its form: then its k-th smallest value is none either. */
static bool is_never_negative(const struct term *t) {
  switch (t->kind) {
  case TERM_OCCURRENCE:
  case TERM_DELAY:
  case TERM_BARE:
  case TERM_TIME:
    return true;
  case TERM_MUL:
    return t->args[0]->kind == TERM_INT && t->args[0]->integer >= 0 &&
           is_never_negative(t->args[1]);
  case TERM_ITE:
    return is_never_negative(t->args[1]) && is_never_negative(t->args[2]);
  case TERM_MAX_OVER:
  case TERM_MIN_OVER:
  case TERM_SUM_OVER:
    return is_never_negative(t->args[0]);
  case TERM_ADD:
  case TERM_MAX:
  case TERM_MIN:
    for (size_t i = 0; i < t->count; i++)
      if (!is_never_negative(t->args[i]))
        return false;
    return true;
  default:
    return false;
  }
}

/* Of nodes alone: the members of a set are counted one by one where it lists them, and what is no
 * node would be counted as well. */
static void define_value(struct encoder *e, const struct order_statistic *x, const smt_term *args,
                         smt_term value) {
  struct smt *smt = e->smt;
  const struct variable *v = x->term->variables[0];
  smt_term one = smt_int(smt, 1), none = nothing(e, x->term);
  smt_term rank = encode(e, x->term->args[1], x->state);
  smt_term ranks =
      smt_and2(smt, smt_le(smt, one, rank), smt_le(smt, rank, members(e, v, x->state)));
  smt_term node = encode_fresh(e, v);
  smt_term reached = smt_equal(smt, encode(e, x->term->args[0], x->state), value);
  reached = smt_and2(smt, encode_in_domain(e, v, node, x->state), reached);
  smt_term right[] = {
      smt_le(smt, rank, cardinality_apply(e, x->most, args)),
      smt_lt(smt, cardinality_apply(e, x->less, args), rank),
      smt_exists(smt, &node, v->type.role->count != NULL, reached),
  };
  smt_term facts[] = {
      smt_implies(smt, ranks, smt_and(smt, right, 3)),
      smt_implies(smt, smt_lt(smt, rank, one), smt_equal(smt, value, none)),
      is_never_negative(x->term->args[0]) ? smt_le(smt, none, value) : smt_bool(smt, true),
  };
  smt_term nodes = smt_bool(smt, true);
  for (size_t i = 0; i < x->free.count; i++)
    nodes = smt_and2(smt, nodes, encode_is_node(e, &x->free.items[i]->type, args[i]));
  smt_term defined = smt_implies(smt, nodes, smt_and(smt, facts, 3));
  encoder_assume(e, FACT_KTH_VALUE,
                 smt_forall(smt, args, x->free.count, defined, &value, x->free.count != 0));
}

static void define(struct encoder *e, struct order_statistic *x, const smt_sort *domain,
                   size_t index) {
  size_t count = x->free.count;
  const struct role *role = x->term->variables[0]->type.role;
  char name[48];
  snprintf(name, sizeof name, "most.%zu", index);
  x->most = cardinality_of_predicate(e, role, name, &x->free);
  snprintf(name, sizeof name, "less.%zu", index);
  x->less = cardinality_of_predicate(e, role, name, &x->free);
  smt_term *saved = arena_alloc(&e->arena, count, sizeof(smt_term));
  smt_term *args = arena_alloc(&e->arena, count, sizeof(smt_term));
  for (size_t i = 0; i < count; i++) {
    args[i] = smt_fresh(e->smt, "a", domain[i]);
    saved[i] = encoder_let(e, x->free.items[i], args[i]);
  }
  struct variable_list only = term_free_open(&e->arena, x->term, false);
  smt_term *saved_only = arena_alloc(&e->arena, only.count, sizeof(smt_term));
  for (size_t i = 0; i < only.count; i++) {
    saved_only[i] = e->environment[only.items[i]->id];
    encode_fresh(e, only.items[i]);
  }
  smt_term value = smt_apply(e->smt, x->function, args, count);
  const struct variable *v = x->term->variables[0];
  smt_term outside = e->environment[v->id];
  define_set(e, x, args, value, false);
  define_set(e, x, args, value, true);
  define_value(e, x, args, value);
  encoder_let(e, v, outside);
  for (size_t i = 0; i < only.count; i++)
    encoder_let(e, only.items[i], saved_only[i]);
  for (size_t i = 0; i < count; i++)
    encoder_let(e, x->free.items[i], saved[i]);
}

/* Texts that read the same share one function: its own variable and the free ones by their place.
 */
static void write_key(struct text *key, const struct encoder *e, const struct term *t,
                      const struct symbolic *state, const struct variable_list *free) {
  const struct variable *v = t->variables[0];
  term_key_context(key, e, t, state);
  text_format(key, "%s ", v->type.role->name);
  if (v->domain == DOMAIN_SET)
    term_key(key, v->set, v, free);
  term_key(key, t->args[0], v, free);
  term_key(key, t->args[1], v, free);
}

static const struct order_statistic *find(struct encoder *e, const struct term *t,
                                          const struct symbolic *state,
                                          const struct variable_list *free) {
  struct text key;
  text_init(&key);
  write_key(&key, e, t, state, free);
  struct order_statistic *x = NULL;
  for (size_t i = 0; i < e->order_statistics.count && x == NULL; i++)
    if (strcmp(e->order_statistics.data[i]->key, key.data) == 0)
      x = e->order_statistics.data[i];
  if (x == NULL) {
    x = arena_alloc(&e->arena, 1, sizeof *x);
    *x = (struct order_statistic){.term = t, .state = state, .free = *free};
    x->key = arena_text(&e->arena, key.data, key.length);
    const smt_sort *domain = encode_sorts(e, free);
    size_t index = e->name_count++;
    char name[48];
    snprintf(name, sizeof name, "order.%zu", index);
    x->function =
        smt_declare(e->smt, name, domain, free->count,
                    t->type.kind == TYPE_INT ? smt_sort_int(e->smt) : smt_sort_real(e->smt));
    vector_push(&e->order_statistics, x);
    define(e, x, domain, index);
  }
  text_clear(&key);
  return x;
}

smt_term encode_order_statistic(struct encoder *e, const struct term *t,
                                const struct symbolic *state) {
  if (e->scope != NULL)
    return expand(e, t, state);
  struct variable_list free = term_free_open(&e->arena, t, true);
  const struct order_statistic *x = find(e, t, term_seen_state(t, state), &free);
  smt_term *args = arena_alloc(&e->arena, free.count, sizeof(smt_term));
  for (size_t i = 0; i < free.count; i++)
    args[i] = e->environment[free.items[i]->id];
  return smt_apply(e->smt, x->function, args, free.count);
}

bool order_statistic_counts(struct encoder *e, const struct order_statistic *x, smt_term fact) {
  const smt_function functions[] = {x->most->function, x->most->set->predicate, x->less->function,
                                    x->less->set->predicate};
  return smt_mentions(e->smt, fact, functions, sizeof functions / sizeof *functions);
}
