/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/encode/cardinality.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "solver/encode/cardinality_function.h"

static struct type node_type(const struct role *role) {
  return (struct type){.kind = TYPE_NODE, .role = role};
}

static struct term *make_intersection(struct encoder *e, const struct term *a,
                                      const struct term *b) {
  struct term *t = arena_alloc(&e->arena, 1, sizeof *t);
  t->kind = TERM_INTERSECTION;
  t->type = a->type;
  t->count = 2;
  t->args = arena_copy(&e->arena, (const struct term *[]){a, b}, 2, sizeof *t->args);
  return t;
}

static smt_term nothing(struct encoder *e, const struct weight *w) {
  return w->addend == NULL ? smt_int(e->smt, 0) : smt_real_zero(e->smt);
}

static smt_term measure(struct encoder *e, const struct weight *w, const struct term *set,
                        const struct symbolic *at);

/* The nodes that `listed`, a TERM_SET, gives one by one, each counted once, of those that are in
 * `base` (or are not); base NULL: all. */
static smt_term cardinality_listed(struct encoder *e, const struct weight *w,
                                   const struct term *listed, const struct term *base, bool in_base,
                                   const struct symbolic *at) {
  struct smt *smt = e->smt;
  smt_term *nodes = arena_alloc(&e->arena, listed->count, sizeof(smt_term));
  smt_term total = nothing(e, w);
  for (size_t i = 0; i < listed->count; i++) {
    nodes[i] = encode(e, listed->args[i], at);
    smt_term counts = smt_bool(smt, true);
    if (base != NULL) {
      smt_term in = encode_member(e, base, nodes[i], at);
      counts = in_base ? in : smt_not(smt, in);
    }
    for (size_t j = 0; j < i; j++)
      counts = smt_and2(smt, counts, smt_not(smt, smt_equal(smt, nodes[i], nodes[j])));
    smt_term more = smt_if(smt, counts, weight_of(e, w, nodes[i]), nothing(e, w));
    total = smt_add(smt, total, more);
  }
  return total;
}

/* The weight may be another one than the measure's, with the same text but variables of its own. */
static smt_term weight_args(struct encoder *e, const struct measure *m, const struct weight *w,
                            smt_term *args) {
  for (size_t i = 0; i < w->free.count; i++)
    args[m->set->count + i] = e->environment[w->free.items[i]->id];
  return cardinality_apply(e, m, args);
}

static smt_term cardinality_opaque(struct encoder *e, const struct weight *w,
                                   const struct term *set, const struct symbolic *at) {
  struct variable_list free = term_free_variables(&e->arena, set);
  const struct symbolic *of = term_reads_state(set) ? at : NULL;
  const struct measure *m = cardinality_of(e, measured_term(e, set, of, &free), w);
  smt_term *args = arena_alloc(&e->arena, m->count, sizeof(smt_term));
  for (size_t i = 0; i < free.count; i++)
    args[i] = e->environment[free.items[i]->id];
  return weight_args(e, m, w, args);
}

/* Of what belongs to a node there are as many for each node of the owner. */
static smt_term cardinality_owned(struct encoder *e, const struct weight *w, const struct term *set,
                                  const struct symbolic *at) {
  const struct measure *m = cardinality_of(e, measured_owned(e, set->type.role), w);
  smt_term *args = arena_alloc(&e->arena, m->count, sizeof(smt_term));
  args[0] = encode(e, set->args[0], at);
  if (w->addend != NULL)
    return weight_args(e, m, w, args);
  if (encoder_is_new(e, m)) {
    struct type owner = node_type(set->type.role->owner);
    smt_term node = smt_fresh(e->smt, "a", m->sorts[0]), f = cardinality_apply(e, m, &node);
    smt_term each = encode(e, set->type.role->each, NULL), zero = smt_int(e->smt, 0);
    smt_term some = smt_and2(e->smt, encode_is_node(e, &owner, node), smt_le(e->smt, zero, each));
    smt_term fact = smt_implies(e->smt, some, smt_equal(e->smt, f, each));
    encoder_assume(e, FACT_SET_OWNED, smt_forall(e->smt, &node, 1, fact, &f, 1));
  }
  return weight_args(e, m, w, args);
}

static bool is_changed(const struct symbolic *at, const struct state *state) {
  for (; at != NULL; at = at->before)
    if (at->kind == SYMBOLIC_ASSIGN && at->state == state)
      return true;
  return false;
}

/* The measure of one side of an intersection under a name of its own, so that the pairs relate the
 * two: f(args) is what the set's form gives, for arguments that are nodes (the form also counts
 * what is none), the same one where set and weight share a variable. A variable of the unknown
 * state has its name. */
static void name_side(struct encoder *e, const struct weight *w, const struct term *set,
                      const struct symbolic *at) {
  if (set->kind == TERM_INTERSECTION ||
      (set->kind == TERM_STATE && (at == NULL || !is_changed(at, set->state))))
    return;
  struct variable_list free = term_free_variables(&e->arena, set);
  size_t count = e->measures.count;
  const struct symbolic *of = term_reads_state(set) ? at : NULL;
  const struct measure *m = cardinality_of(e, measured_term(e, set, of, &free), w);
  if (e->measures.count == count)
    return;
  smt_term *saved = arena_alloc(&e->arena, m->count, sizeof(smt_term));
  smt_term *bound = arena_alloc(&e->arena, m->count, sizeof(smt_term));
  smt_term nodes = smt_bool(e->smt, true);
  for (size_t i = 0; i < m->count; i++) {
    const struct variable *v = i < free.count ? free.items[i] : w->free.items[i - free.count];
    bound[i] = smt_fresh(e->smt, "a", m->sorts[i]);
    saved[i] = encoder_let(e, v, bound[i]);
    nodes = smt_and2(e->smt, nodes, encode_is_node(e, &v->type, bound[i]));
    for (size_t k = 0; k < free.count && i >= free.count; k++)
      if (free.items[k] == v)
        nodes = smt_and2(e->smt, nodes, smt_equal(e->smt, bound[k], bound[i]));
  }
  smt_term named = cardinality_apply(e, m, bound);
  smt_term same = smt_equal(e->smt, named, measure(e, w, set, at));
  same = smt_implies(e->smt, nodes, same);
  encoder_assume(e, FACT_SET_NAMED,
                 smt_forall(e->smt, bound, m->count, same, &named, m->count != 0));
  for (size_t i = m->count; i-- > 0;) {
    const struct variable *v = i < free.count ? free.items[i] : w->free.items[i - free.count];
    encoder_let(e, v, saved[i]);
  }
}

static smt_term cardinality_state(struct encoder *e, const struct weight *w,
                                  const struct state *state, smt_term node,
                                  const struct symbolic *at) {
  if (at->kind == SYMBOLIC_INITIAL) {
    smt_term saved = encoder_let(e, state->self, node);
    smt_term value = measure(e, w, state->initial, at);
    encoder_let(e, state->self, saved);
    return value;
  }
  if (at->kind == SYMBOLIC_ANY) {
    const struct measure *m = cardinality_of(e, measured_state(e, state, at), w);
    smt_term *args = arena_alloc(&e->arena, m->count + 1, sizeof(smt_term));
    args[0] = node;
    return weight_args(e, m, w, args);
  }
  smt_term before = cardinality_state(e, w, state, node, at->before);
  if (at->kind != SYMBOLIC_ASSIGN || at->state != state)
    return before;
  smt_term same =
      state->role->count == NULL ? smt_bool(e->smt, true) : smt_equal(e->smt, node, at->node);
  smt_term *saved = symbolic_enter_set(e, at);
  smt_term value = measure(e, w, at->set, at->before);
  symbolic_leave_set(e, at, saved);
  return smt_if(e->smt, smt_and2(e->smt, at->guard, same), value, before);
}

/* Of A + B or A - B, by what they have in common. */
static smt_term cardinality_by_intersection(struct encoder *e, const struct weight *w,
                                            const struct term *set, const struct symbolic *at) {
  const struct term *a = set->args[0], *b = set->args[1];
  bool sum = set->kind == TERM_UNION;
  if (b->kind == TERM_SET) {
    smt_term changed = cardinality_listed(e, w, b, a, !sum, at);
    smt_term base = measure(e, w, a, at);
    return sum ? smt_add(e->smt, base, changed) : smt_sub(e->smt, base, changed);
  }
  if (sum && a->kind == TERM_SET)
    return smt_add(e->smt, measure(e, w, b, at), cardinality_listed(e, w, a, b, false, at));
  smt_term total = measure(e, w, a, at);
  if (sum)
    total = smt_add(e->smt, total, measure(e, w, b, at));
  return smt_sub(e->smt, total, measure(e, w, make_intersection(e, a, b), at));
}

static smt_term cardinality_intersection(struct encoder *e, const struct weight *w,
                                         const struct term *set, const struct symbolic *at) {
  for (size_t i = 0; i < 2; i++) {
    const struct term *a = set->args[i], *b = set->args[1 - i];
    if (a->kind == TERM_ROLE_SET)
      return measure(e, w, b, at);
    if (a->kind == TERM_SET)
      return cardinality_listed(e, w, a, b, true, at);
  }
  smt_term value = cardinality_opaque(e, w, set, at);
  for (size_t i = 0; i < 2; i++)
    name_side(e, w, set->args[i], at);
  return value;
}

static smt_term measure(struct encoder *e, const struct weight *w, const struct term *set,
                        const struct symbolic *at) {
  const struct role *role = set->type.role;
  switch (set->kind) {
  case TERM_STATE:
    return cardinality_state(e, w, set->state, encode(e, set->args[0], at), at);
  case TERM_ROLE_SET:
    if (role->count == NULL)
      return weight_of(e, w, smt_int(e->smt, 0));
    return role->ordered || w->addend == NULL ? weight_of_role(e, w, role)
                                              : cardinality_opaque(e, w, set, at);
  case TERM_OWNED_SET:
    return cardinality_owned(e, w, set, at);
  case TERM_SET:
    return cardinality_listed(e, w, set, NULL, false, at);
  case TERM_UNION:
  case TERM_DIFFERENCE:
    return cardinality_by_intersection(e, w, set, at);
  case TERM_INTERSECTION:
    return cardinality_intersection(e, w, set, at);
  case TERM_ITE:
    return smt_if(e->smt, encode(e, set->args[0], at), measure(e, w, set->args[1], at),
                  measure(e, w, set->args[2], at));
  default:
    bug("term kind %d is not a set", set->kind);
  }
}

/* With a scope: the nodes one by one; body NULL: each counts 1. */
static smt_term expand_measure(struct encoder *e, const struct term *set,
                               const struct variable *variable, const struct term *body,
                               const struct symbolic *at) {
  struct smt *smt = e->smt;
  int64_t size = 1;
  smt_is_numeral(smt, encode_role_size(e, set->type.role), &size);
  smt_term none = body == NULL ? smt_int(smt, 0) : smt_real_zero(smt), total = none;
  for (int64_t i = 0; i < size; i++) {
    smt_term node = smt_int(smt, i), value = smt_int(smt, 1);
    if (body != NULL) {
      smt_term saved = encoder_let(e, variable, node);
      value = encode(e, body, at);
      encoder_let(e, variable, saved);
    }
    total = smt_add(smt, total, smt_if(smt, encode_member(e, set, node, at), value, none));
  }
  return total;
}

smt_term encode_cardinality(struct encoder *e, const struct term *set, const struct symbolic *at) {
  if (e->scope != NULL)
    return expand_measure(e, set, NULL, NULL, at);
  return measure(e, &weight_one, set, at);
}

static const struct weight *make_weight(struct encoder *e, const struct variable *variable,
                                        const struct term *addend, const struct symbolic *at) {
  struct weight *w = arena_alloc(&e->arena, 1, sizeof *w);
  w->addend = addend;
  w->variable = variable;
  w->state = term_reads_state(addend) ? at : NULL;
  w->free = term_free_but(&e->arena, addend, variable);
  struct text key;
  text_init(&key);
  term_key_context(&key, e, addend, at);
  term_key(&key, addend, variable, &w->free);
  w->key = arena_text(&e->arena, key.data, key.length);
  text_clear(&key);
  return w;
}

smt_term encode_set_sum(struct encoder *e, const struct variable *variable, const struct term *body,
                        const struct symbolic *at) {
  if (e->scope != NULL)
    return expand_measure(e, variable->set, variable, body, at);
  struct smt *smt = e->smt;
  sum_parts parts = {0};
  term_split(&parts, body, variable, NULL, false);
  smt_term total = smt_real_zero(smt);
  for (size_t i = 0; i < parts.count; i++) {
    const struct sum_part *part = &parts.data[i];
    smt_term sum;
    if (term_mentions(part->term, variable))
      sum = measure(e, make_weight(e, variable, part->term, at), variable->set, at);
    else
      sum = encode_product(e, encode_cardinality(e, variable->set, at), part->term, at);
    if (part->factor != NULL)
      sum = smt_mul(smt, encode(e, part->factor, at), sum);
    total = part->negative ? smt_sub(smt, total, sum) : smt_add(smt, total, sum);
  }
  vector_clear(&parts);
  return total;
}

/* Whether several nodes of `role` belong to each of `owner`. */
static bool is_owner(const struct role *owner, const struct role *role) {
  return role->owner == owner && role->each != NULL;
}

/* Whether the first of the variables is the owner's. */
static bool starts_with_owner(const struct variable_list *free, const struct role *role) {
  return free->count != 0 && free->items[0]->type.kind == TYPE_NODE &&
         is_owner(free->items[0]->type.role, role);
}

const struct measured_set *measured_state(struct encoder *e, const struct state *state,
                                          const struct symbolic *at) {
  struct measured_set *set = arena_alloc(&e->arena, 1, sizeof *set);
  struct type node = node_type(state->role);
  *set = (struct measured_set){.role = state->type.role, .owner = state, .at = at};
  set->count = state->role->count != NULL;
  set->by_owner = set->count == 1 && is_owner(state->role, set->role);
  smt_sort sort = encode_sort(e, &node);
  set->sorts = arena_copy(&e->arena, &sort, 1, sizeof sort);
  struct text key;
  text_init(&key);
  text_format(&key, "state %zu", state->id);
  set->key = arena_text(&e->arena, key.data, key.length);
  text_clear(&key);
  return set;
}

/* The predicate says that the node is in the set, for all values of the free variables. */
static void define_predicate(struct encoder *e, const struct measured_set *s,
                             const struct term *set, const struct symbolic *at,
                             const struct variable_list *free) {
  smt_term *saved = arena_alloc(&e->arena, free->count, sizeof(smt_term));
  smt_term *bound = arena_alloc(&e->arena, free->count + 1, sizeof(smt_term));
  for (size_t i = 0; i < free->count; i++) {
    bound[i] = smt_fresh(e->smt, "a", s->sorts[i]);
    saved[i] = encoder_let(e, free->items[i], bound[i]);
  }
  struct type node = node_type(s->role);
  bound[free->count] = smt_fresh(e->smt, "member", encode_sort(e, &node));
  smt_term in = smt_apply(e->smt, s->predicate, bound, free->count + 1);
  smt_term defined = smt_equal(e->smt, in, encode_member(e, set, bound[free->count], at));
  encoder_assume(e, FACT_DEFINITION, smt_forall(e->smt, bound, free->count + 1, defined, &in, 1));
  for (size_t i = 0; i < free->count; i++)
    encoder_let(e, free->items[i], saved[i]);
}

static struct measured_set *make_predicate(struct encoder *e, const struct role *role,
                                           const char *key, const char *name, const smt_sort *args,
                                           size_t count) {
  struct measured_set *set = arena_alloc(&e->arena, 1, sizeof *set);
  struct type node = node_type(role);
  *set = (struct measured_set){
      .key = arena_text(&e->arena, key, strlen(key)), .role = role, .count = count};
  smt_sort *sorts = arena_alloc(&e->arena, count + 1, sizeof(smt_sort));
  for (size_t i = 0; i < count; i++)
    sorts[i] = args[i];
  sorts[count] = encode_sort(e, &node);
  set->sorts = sorts;
  set->predicate = smt_declare(e->smt, name, sorts, count + 1, smt_sort_bool(e->smt));
  return set;
}

const struct measured_set *measured_term(struct encoder *e, const struct term *set,
                                         const struct symbolic *at,
                                         const struct variable_list *free) {
  struct text key;
  text_init(&key);
  text_append(&key, "in ");
  term_key_context(&key, e, set, at);
  term_key(&key, set, NULL, free);
  const struct measured_set *found = NULL;
  for (size_t i = 0; i < e->measures.count && found == NULL; i++)
    if (strcmp(e->measures.data[i]->set->key, key.data) == 0)
      found = e->measures.data[i]->set;
  if (found == NULL) {
    const smt_sort *sorts = encode_sorts(e, free);
    char name[48];
    snprintf(name, sizeof name, "in.%zu", e->name_count++);
    struct measured_set *made =
        make_predicate(e, set->type.role, key.data, name, sorts, free->count);
    made->by_owner = starts_with_owner(free, set->type.role);
    define_predicate(e, made, set, at, free);
    found = made;
  }
  text_clear(&key);
  return found;
}

const struct measured_set *measured_owned(struct encoder *e, const struct role *role) {
  struct text key;
  text_init(&key);
  text_format(&key, "owned %s", role->name);
  const struct measured_set *found = NULL;
  for (size_t i = 0; i < e->measures.count && found == NULL; i++)
    if (strcmp(e->measures.data[i]->set->key, key.data) == 0)
      found = e->measures.data[i]->set;
  if (found == NULL) {
    struct type owner = node_type(role->owner), node = node_type(role);
    smt_sort sort = encode_sort(e, &owner);
    char name[48];
    snprintf(name, sizeof name, "in.%zu", e->name_count++);
    struct measured_set *made = make_predicate(e, role, key.data, name, &sort, 1);
    made->by_owner = role->each != NULL;
    found = made;
    smt_term bound[] = {smt_fresh(e->smt, "a", sort),
                        smt_fresh(e->smt, "member", encode_sort(e, &node))};
    smt_term in = smt_apply(e->smt, found->predicate, bound, 2);
    smt_term owned = smt_equal(e->smt, encode_owner(e, role, bound[1]), bound[0]);
    encoder_assume(e, FACT_DEFINITION,
                   smt_forall(e->smt, bound, 2, smt_equal(e->smt, in, owned), &in, 1));
  }
  text_clear(&key);
  return found;
}

const struct measure *cardinality_of_predicate(struct encoder *e, const struct role *role,
                                               const char *name, const struct variable_list *free) {
  const smt_sort *sorts = encode_sorts(e, free);
  struct measured_set *set = make_predicate(e, role, name, name, sorts, free->count);
  set->by_owner = starts_with_owner(free, role);
  return cardinality_of(e, set, &weight_one);
}
