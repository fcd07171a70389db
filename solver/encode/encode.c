/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/encode/encode.h"

#include <string.h>

#include "base/invariant.h"
#include "base/text.h"
#include "solver/encode/cardinality.h"
#include "solver/encode/integer_sum.h"
#include "solver/encode/symbolic.h"

static bool role_is_int(const struct encoder *e, const struct role *role) {
  return role->count == NULL || role->ordered || e->scope != NULL;
}

/* Every name of the protocol goes behind a prefix: alone, a role `Real` or a parameter `select`
 * would be one of SMT-LIB's own names, which other solvers refuse. */
static smt_sort role_sort(struct encoder *e, const struct role *role) {
  while (role->owner != NULL && role->each == NULL) /* a node and its pair are one value */
    role = role->owner;
  struct text name;
  text_init(&name);
  text_format(&name, "role.%s", role->name);
  smt_sort sort = smt_sort_named(e->smt, name.data);
  text_clear(&name);
  return sort;
}

static smt_term encode_param(struct encoder *e, const struct param *param) {
  struct text name;
  text_init(&name);
  text_format(&name, "param.%s", param->name);
  smt_function function = smt_declare(e->smt, name.data, NULL, 0, smt_sort_int(e->smt));
  text_clear(&name);
  return smt_apply(e->smt, function, NULL, 0);
}

smt_sort encode_sort(struct encoder *e, const struct type *type) {
  switch (type->kind) {
  case TYPE_BOOL:
    return smt_sort_bool(e->smt);
  case TYPE_INT:
  case TYPE_ENUM:
    return smt_sort_int(e->smt);
  case TYPE_TIME:
    return smt_sort_real(e->smt);
  case TYPE_NODE:
    return role_is_int(e, type->role) ? smt_sort_int(e->smt) : role_sort(e, type->role);
  case TYPE_ERROR:
  case TYPE_SET:
  case TYPE_MAP:
    break;
  }
  bug("no solver sort for type %d", type->kind);
}

const smt_sort *encode_sorts(struct encoder *e, const struct variable_list *variables) {
  smt_sort *sorts = arena_alloc(&e->arena, variables->count, sizeof *sorts);
  for (size_t i = 0; i < variables->count; i++)
    sorts[i] = encode_sort(e, &variables->items[i]->type);
  return sorts;
}

static smt_term in_range(struct encoder *e, smt_term low, smt_term value, smt_term high) {
  return smt_and2(e->smt, smt_le(e->smt, low, value), smt_le(e->smt, value, high));
}

smt_term encode_is_node(struct encoder *e, const struct type *type, smt_term value) {
  if (type->kind != TYPE_NODE || !role_is_int(e, type->role) || type->role->count == NULL)
    return smt_bool(e->smt, true);
  smt_term one = smt_int(e->smt, 1), zero = smt_int(e->smt, 0);
  return in_range(e, zero, value, smt_sub(e->smt, encode_role_size(e, type->role), one));
}

smt_term encode_in_domain(struct encoder *e, const struct variable *variable, smt_term value,
                          const struct symbolic *state) {
  const struct type *type = &variable->type;
  smt_term zero = smt_int(e->smt, 0), inside = encode_is_node(e, type, value);
  if (type->kind == TYPE_ENUM)
    inside = in_range(e, zero, value, smt_int(e->smt, (int64_t)type->enumeration->count - 1));
  if (variable->domain == DOMAIN_SET)
    inside = smt_and2(e->smt, inside, encode_member(e, variable->set, value, state));
  if (variable->domain == DOMAIN_RANGE)
    inside = in_range(e, encode(e, variable->low, state), value, encode(e, variable->high, state));
  return inside;
}

smt_term encode_fresh(struct encoder *e, const struct variable *variable) {
  const struct type *type = &variable->type;
  smt_term value = smt_int(e->smt, 0);
  if (type->kind != TYPE_NODE || type->role->count != NULL)
    value = smt_fresh(e->smt, variable->name, encode_sort(e, type));
  encoder_let(e, variable, value);
  return value;
}

bool encoder_is_new(struct encoder *e, const void *key) {
  for (size_t i = 0; i < e->described.count; i++)
    if (e->described.data[i] == key)
      return false;
  vector_push(&e->described, key);
  return true;
}

/* What the solver must know of an occurrence, said for all of them, or (with a scope, where there
 * are no quantifiers) for the one at hand. */
static void add_occurrence_axiom(struct encoder *e, smt_function function, smt_term applied,
                                 const smt_sort *domain, size_t count, smt_term bare) {
  smt_term *indices = arena_alloc(&e->arena, count, sizeof(smt_term));
  smt_term occurrence = applied;
  if (!encoder_is_new(e, e->scope == NULL ? (const void *)function : (const void *)applied))
    return;
  if (e->scope == NULL) {
    for (size_t i = 0; i < count; i++)
      indices[i] = smt_fresh(e->smt, "i", domain[i]);
    occurrence = smt_apply(e->smt, function, indices, count);
  }
  smt_term fact = smt_and2(e->smt, smt_le(e->smt, smt_real_zero(e->smt), occurrence),
                           smt_le(e->smt, occurrence, bare));
  if (e->scope == NULL)
    fact = smt_forall(e->smt, indices, count, fact, &occurrence, 1);
  encoder_assume(e, FACT_OCCURRENCE, fact);
}

smt_term encode_bare(struct encoder *e, const struct component *component) {
  struct text name;
  text_init(&name);
  text_format(&name, "bare.%s", component->name);
  smt_function function = smt_declare(e->smt, name.data, NULL, 0, smt_sort_real(e->smt));
  text_clear(&name);
  smt_term bare = smt_apply(e->smt, function, NULL, 0);
  if (encoder_is_new(e, bare))
    encoder_assume(e, FACT_BARE, smt_le(e->smt, smt_real_zero(e->smt), bare));
  return bare;
}

smt_term encode_occurrence(struct encoder *e, const struct component *component,
                           const struct message *message, const smt_term *indices, size_t count) {
  if (message == NULL && count == 0)
    return encode_bare(e, component);
  struct text name;
  text_init(&name);
  text_format(&name, "occurrence.%s.%s", component->name, message ? message->name : "");
  smt_sort *domain = arena_alloc(&e->arena, count, sizeof(smt_sort));
  for (size_t i = 0; i < count; i++)
    domain[i] = encode_sort(e, message ? &message->fields[i].type : &component->index[i]);
  smt_function function = smt_declare(e->smt, name.data, domain, count, smt_sort_real(e->smt));
  text_clear(&name);
  smt_term applied = smt_apply(e->smt, function, indices, count);
  add_occurrence_axiom(e, function, applied, domain, count, encode_bare(e, component));
  return applied;
}

smt_term encode_max(struct encoder *e, smt_term a, smt_term b) {
  return smt_if(e->smt, smt_le(e->smt, b, a), a, b);
}

smt_term encode_min(struct encoder *e, smt_term a, smt_term b) {
  return smt_if(e->smt, smt_le(e->smt, a, b), a, b);
}

static smt_term member(struct encoder *e, const struct term *set, smt_term node,
                       const struct symbolic *state) {
  struct smt *smt = e->smt;
  switch (set->kind) {
  case TERM_OWNED_SET:
    return smt_equal(smt, encode_owner(e, set->type.role, node), encode(e, set->args[0], state));
  case TERM_STATE:
    return symbolic_member(e, state, set->state, encode(e, set->args[0], state), node);
  case TERM_ROLE_SET:
    return smt_bool(smt, true);
  case TERM_SET: {
    smt_term any = smt_bool(smt, false);
    for (size_t i = 0; i < set->count; i++)
      any = smt_or2(smt, any, smt_equal(smt, node, encode(e, set->args[i], state)));
    return any;
  }
  case TERM_UNION:
  case TERM_DIFFERENCE:
  case TERM_INTERSECTION: {
    smt_term a = encode_member(e, set->args[0], node, state);
    smt_term b = encode_member(e, set->args[1], node, state);
    if (set->kind == TERM_UNION)
      return smt_or2(smt, a, b);
    return smt_and2(smt, a, set->kind == TERM_DIFFERENCE ? smt_not(smt, b) : b);
  }
  case TERM_ITE:
    return smt_if(smt, encode(e, set->args[0], state), encode_member(e, set->args[1], node, state),
                  encode_member(e, set->args[2], node, state));
  default:
    bug("term kind %d is not a set", set->kind);
  }
}

smt_term encode_member(struct encoder *e, const struct term *set, smt_term node,
                       const struct symbolic *state) {
  uint64_t balance = e->balance;
  smt_term result = member(e, set, node, state);
  invariant(e->balance == balance);
  return result;
}

smt_term encode_get(struct encoder *e, const struct term *map, smt_term key,
                    const struct symbolic *state) {
  if (map->kind != TERM_STATE)
    bug("term kind %d is not a map", map->kind);
  return symbolic_get(e, state, map->state, encode(e, map->args[0], state), key);
}

static smt_term encode_set_equality(struct encoder *e, const struct term *a, const struct term *b,
                                    const struct symbolic *state) {
  const struct role *role = a->type.role;
  struct variable member = {.type = {.kind = TYPE_NODE, .role = role}, .domain = DOMAIN_ROLE};
  struct smt *smt = e->smt;
  smt_term same = smt_bool(smt, true);
  int64_t size = 1;
  bool expand = role->count == NULL || e->scope != NULL;
  if (e->scope != NULL)
    smt_is_numeral(smt, encode_role_size(e, role), &size);
  for (int64_t i = 0; expand && i < size; i++)
    same = smt_and2(smt, same,
                    smt_equal(smt, encode_member(e, a, smt_int(smt, i), state),
                              encode_member(e, b, smt_int(smt, i), state)));
  if (expand)
    return same;
  smt_term x = smt_fresh(smt, "member", encode_sort(e, &member.type));
  same = smt_equal(smt, encode_member(e, a, x, state), encode_member(e, b, x, state));
  same = smt_implies(smt, encode_in_domain(e, &member, x, state), same);
  return smt_forall(smt, &x, 1, same, NULL, 0);
}

static smt_term *encode_args(struct encoder *e, const struct term *t,
                             const struct symbolic *state) {
  smt_term *args = arena_alloc(&e->arena, t->count, sizeof(smt_term));
  for (size_t i = 0; i < t->count; i++)
    args[i] = encode(e, t->args[i], state);
  return args;
}

static smt_term encode_neighbour(struct encoder *e, const struct term *t,
                                 const struct symbolic *state) {
  struct smt *smt = e->smt;
  const struct role *role = t->type.role;
  if (role->count == NULL)
    return smt_int(smt, 0);
  smt_term node = encode(e, t->args[0], state), one = smt_int(smt, 1), zero = smt_int(smt, 0);
  smt_term last = smt_sub(smt, encode_role_size(e, role), one);
  if (t->kind == TERM_NEXT)
    return smt_if(smt, smt_equal(smt, node, last), zero, smt_add(smt, node, one));
  return smt_if(smt, smt_equal(smt, node, zero), last, smt_sub(smt, node, one));
}

/* What is known from a node; its position and its pair are the same value. */
static smt_term encode_of_node(struct encoder *e, const struct term *t,
                               const struct symbolic *state) {
  if (t->kind == TERM_NEXT || t->kind == TERM_PREV)
    return encode_neighbour(e, t, state);
  smt_term node = encode(e, t->args[0], state);
  return t->kind == TERM_OWNER ? encode_owner(e, t->args[0]->type.role, node) : node;
}

static smt_term encode_message_fact(struct encoder *e, const struct term *t,
                                    const struct symbolic *state) {
  const smt_term *fields = encode_args(e, t, state);
  smt_term sent, gone;
  switch (t->kind) {
  case TERM_SENT:
    return symbolic_sent(e, state, t->message, fields);
  case TERM_RECEIVED:
    gone = symbolic_gone(e, state, t->message, fields);
    return smt_and2(e->smt, gone, smt_not(e->smt, symbolic_lost(e, state, t->message, fields)));
  case TERM_LOST:
    return symbolic_lost(e, state, t->message, fields);
  case TERM_RECEIVER:
    return symbolic_receiver(e, state, t->message, fields);
  case TERM_TIME_MESSAGE:
    return symbolic_delivery(e, state, t->message, fields);
  case TERM_PACED:
    return symbolic_paced(e, state, t->message, fields);
  case TERM_HANDED:
    return symbolic_handed(e, state, t->message, fields);
  case TERM_ORDER:
    return symbolic_order(e, state, t->message, fields);
  default:
    sent = symbolic_sent(e, state, t->message, fields);
    gone = symbolic_gone(e, state, t->message, fields);
    return smt_and2(e->smt, sent, smt_not(e->smt, gone));
  }
}

static smt_term encode_operator(struct encoder *e, const struct term *t,
                                const struct symbolic *state) {
  struct smt *smt = e->smt;
  const smt_term *a = encode_args(e, t, state);
  switch (t->kind) {
  case TERM_NOT:
    return smt_not(smt, a[0]);
  case TERM_AND:
    return smt_and(smt, a, t->count);
  case TERM_OR:
    return smt_or(smt, a, t->count);
  case TERM_IMPLIES:
    return smt_implies(smt, a[0], a[1]);
  case TERM_IFF:
  case TERM_EQ:
    return smt_equal(smt, a[0], a[1]);
  case TERM_NE:
    return smt_not(smt, smt_equal(smt, a[0], a[1]));
  case TERM_LT:
    return smt_lt(smt, a[0], a[1]);
  case TERM_LE:
    return smt_le(smt, a[0], a[1]);
  case TERM_GT:
    return smt_lt(smt, a[1], a[0]);
  case TERM_GE:
    return smt_le(smt, a[1], a[0]);
  case TERM_SUB:
    return smt_sub(smt, a[0], a[1]);
  case TERM_DIV:
    return smt_div(smt, a[0], a[1]);
  case TERM_POWER:
    return encode_power(e, t, state);
  case TERM_NEG:
    return smt_sub(smt, t->type.kind == TYPE_INT ? smt_int(smt, 0) : smt_real_zero(smt), a[0]);
  case TERM_ITE:
    return smt_if(smt, a[0], a[1], a[2]);
  default: {
    smt_term result = a[0];
    for (size_t i = 1; i < t->count; i++)
      result = t->kind == TERM_MAX ? encode_max(e, result, a[i]) : encode_min(e, result, a[i]);
    return result;
  }
  }
}

static smt_term encode_symbol(struct encoder *e, const struct term *t,
                              const struct symbolic *state) {
  struct smt *smt = e->smt;
  switch (t->kind) {
  case TERM_BOOL:
    return smt_bool(smt, t->integer != 0);
  case TERM_TIME:
    return smt_real(smt, &t->value);
  case TERM_PARAM:
    if (e->scope != NULL)
      return smt_int(smt, e->scope[t->param->id]);
    return encode_param(e, t->param);
  case TERM_VARIABLE:
    return e->environment[t->variable->id];
  case TERM_STATE:
    return symbolic_read(e, state, t->state, encode(e, t->args[0], state));
  case TERM_NODE:
  case TERM_FIRST:
    return smt_int(smt, 0);
  case TERM_LAST:
    return smt_sub(smt, encode_role_size(e, t->type.role), smt_int(smt, 1));
  default:
    return smt_int(smt, t->integer);
  }
}

static smt_term encode_sum_over(struct encoder *e, const struct term *t,
                                const struct symbolic *state) {
  const struct variable *v = t->variables[0];
  if (t->type.kind == TYPE_INT)
    return encode_integer_sum(e, t, state);
  if (v->domain == DOMAIN_SET)
    return encode_set_sum(e, v, t->args[0], state);
  smt_term one = smt_int(e->smt, 1);
  bool range = v->domain == DOMAIN_RANGE;
  smt_term low = range ? encode(e, v->low, state) : smt_int(e->smt, 0);
  smt_term high =
      range ? encode(e, v->high, state) : smt_sub(e->smt, encode_role_size(e, v->type.role), one);
  return encode_sum(e, v, low, high, t->args[0], state);
}

static smt_term encode_equality(struct encoder *e, const struct term *t,
                                const struct symbolic *state) {
  if (t->args[0]->type.kind != TYPE_SET)
    return encode_operator(e, t, state);
  smt_term same = encode_set_equality(e, t->args[0], t->args[1], state);
  return t->kind == TERM_EQ ? same : smt_not(e->smt, same);
}

/* What happened, when, and how long it took. */
static smt_term encode_happening(struct encoder *e, const struct term *t,
                                 const struct symbolic *state) {
  switch (t->kind) {
  case TERM_CHARGED:
    return symbolic_charged(e, state, t->component, encode_args(e, t, state));
  case TERM_TIME_NODE:
    return symbolic_clock(e, state, t->args[0]->type.role, encode(e, t->args[0], state));
  case TERM_ARRIVAL:
    return symbolic_arrival(e, state, t->args[0]->type.role, encode(e, t->args[0], state));
  case TERM_NOW:
    return symbolic_now(e, state);
  case TERM_OCCURRENCE:
    return encode_occurrence(e, t->component, NULL, encode_args(e, t, state), t->count);
  case TERM_DELAY:
    return encode_occurrence(e, t->component, t->message, encode_args(e, t, state), t->count);
  case TERM_BARE:
    return encode_bare(e, t->component);
  case TERM_BEGAN:
    return e->began;
  default:
    return encode_message_fact(e, t, state);
  }
}

static smt_term encode_of_collection(struct encoder *e, const struct term *t,
                                     const struct symbolic *state) {
  if (t->kind == TERM_IN)
    return encode_member(e, t->args[1], encode(e, t->args[0], state), state);
  if (t->kind == TERM_MAP_GET)
    return encode_get(e, t->args[0], encode(e, t->args[1], state), state);
  return encode_cardinality(e, t->args[0], state);
}

static smt_term encode_binding(struct encoder *e, const struct term *t,
                               const struct symbolic *state) {
  switch (t->kind) {
  case TERM_FORALL:
  case TERM_EXISTS:
    return encode_quantifier(e, t, state);
  case TERM_SUM_OVER:
    return encode_sum_over(e, t, state);
  case TERM_KTH_OVER:
    return encode_order_statistic(e, t, state);
  default:
    return encode_extremum(e, t, state);
  }
}

static smt_term encode_any(struct encoder *e, const struct term *t, const struct symbolic *state) {
  switch (t->kind) {
  case TERM_BOOL:
  case TERM_INT:
  case TERM_TIME:
  case TERM_ENUM:
  case TERM_PARAM:
  case TERM_VARIABLE:
  case TERM_STATE:
  case TERM_NODE:
  case TERM_FIRST:
  case TERM_LAST:
    return encode_symbol(e, t, state);
  case TERM_NEXT:
  case TERM_PREV:
  case TERM_INDEX:
  case TERM_OWNED:
  case TERM_OWNER:
    return encode_of_node(e, t, state);
  case TERM_IN:
  case TERM_MAP_GET:
  case TERM_CARDINALITY:
    return encode_of_collection(e, t, state);
  case TERM_SENT:
  case TERM_PENDING:
  case TERM_RECEIVED:
  case TERM_LOST:
  case TERM_RECEIVER:
  case TERM_TIME_MESSAGE:
  case TERM_PACED:
  case TERM_HANDED:
  case TERM_ORDER:
  case TERM_CHARGED:
  case TERM_TIME_NODE:
  case TERM_ARRIVAL:
  case TERM_NOW:
  case TERM_OCCURRENCE:
  case TERM_DELAY:
  case TERM_BARE:
  case TERM_BEGAN:
    return encode_happening(e, t, state);
  case TERM_FORALL:
  case TERM_EXISTS:
  case TERM_MAX_OVER:
  case TERM_MIN_OVER:
  case TERM_SUM_OVER:
  case TERM_KTH_OVER:
    return encode_binding(e, t, state);
  case TERM_ADD:
  case TERM_MUL:
    return encode_arithmetic(e, t, state);
  case TERM_EQ:
  case TERM_NE:
    return encode_equality(e, t, state);
  default:
    return encode_operator(e, t, state);
  }
}

smt_term encode(struct encoder *e, const struct term *t, const struct symbolic *state) {
  uint64_t balance = e->balance;
  smt_term result = encode_any(e, t, state);
  invariant(e->balance == balance);
  return result;
}
