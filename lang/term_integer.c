/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The value of an integer term when all parameters are given (instantiate.h).
 */
#include <stdlib.h>

#include "lang/instantiate.h"
#include "lang/power.h"

struct integer_evaluation {
  const struct model *model;
  const int64_t *params;
  int64_t *variables;
  const struct rational *const *times; /* of constants by component id, or NULL */
  int64_t steps;                       /* left, so that a quantifier over a huge range ends */
  bool failed;
};

static int64_t value(struct integer_evaluation *e, const struct term *term);

static int64_t fail(struct integer_evaluation *e) {
  e->failed = true;
  return 0;
}

static int64_t size_of(struct integer_evaluation *e, const struct role *role) {
  int64_t size = role->count == NULL ? 1 : value(e, role->count);
  return size < 0 ? fail(e) : size;
}

/* The node to which this one of `role` belongs. */
static int64_t owner_of(struct integer_evaluation *e, const struct role *role, int64_t node) {
  int64_t each = role->each == NULL ? 1 : value(e, role->each);
  return each < 1 ? fail(e) : node / each;
}

static bool is_member(struct integer_evaluation *e, int64_t node, const struct term *set) {
  switch (set->kind) {
  case TERM_ROLE_SET:
    return true;
  case TERM_OWNED_SET:
    return owner_of(e, set->type.role, node) == value(e, set->args[0]);
  case TERM_SET:
    for (size_t i = 0; i < set->count; i++)
      if (value(e, set->args[i]) == node)
        return true;
    return false;
  case TERM_UNION:
    return is_member(e, node, set->args[0]) || is_member(e, node, set->args[1]);
  case TERM_DIFFERENCE:
    return is_member(e, node, set->args[0]) && !is_member(e, node, set->args[1]);
  case TERM_INTERSECTION:
    return is_member(e, node, set->args[0]) && is_member(e, node, set->args[1]);
  case TERM_ITE:
    return is_member(e, node, set->args[value(e, set->args[0]) != 0 ? 1 : 2]);
  default:
    return fail(e) != 0;
  }
}

static bool is_counted(struct integer_evaluation *e) {
  if (e->steps-- <= 0)
    fail(e);
  return !e->failed;
}

static bool same_set(struct integer_evaluation *e, const struct term *a, const struct term *b) {
  int64_t size = size_of(e, a->type.role);
  for (int64_t node = 0; node < size && is_counted(e); node++)
    if (is_member(e, node, a) != is_member(e, node, b))
      return false;
  return true;
}

static void time_value(struct rational *out, struct integer_evaluation *e, const struct term *term);

static void time_of_two(struct rational *out, struct integer_evaluation *e, const struct term *term,
                        size_t at) {
  struct rational other;
  rational_init(&other);
  time_value(&other, e, term->args[at]);
  if (term->kind == TERM_ADD)
    rational_add(out, out, &other);
  else if (term->kind == TERM_SUB)
    rational_sub(out, out, &other);
  else if (term->kind == TERM_MAX)
    rational_max(out, out, &other);
  else
    rational_min(out, out, &other);
  rational_clear(&other);
}

static void time_product(struct rational *out, struct integer_evaluation *e,
                         const struct term *term) {
  struct rational factor;
  rational_init(&factor);
  rational_set_integer(&factor, value(e, term->args[0]));
  time_value(out, e, term->args[1]);
  rational_mul(out, out, &factor);
  rational_clear(&factor);
}

/* A time over durations and given constants; fails on all others. */
static void time_value(struct rational *out, struct integer_evaluation *e,
                       const struct term *term) {
  bool given = term->kind == TERM_BARE && e->times != NULL && e->times[term->component->id] != NULL;
  switch (term->kind) {
  case TERM_TIME:
    rational_set(out, &term->value);
    return;
  case TERM_BARE:
    if (given && term->component->kind == COMPONENT_CONSTANT)
      rational_set(out, e->times[term->component->id]);
    else
      fail(e);
    return;
  case TERM_MUL:
    time_product(out, e, term);
    return;
  case TERM_ADD:
  case TERM_SUB:
  case TERM_MAX:
  case TERM_MIN:
    time_value(out, e, term->args[0]);
    for (size_t i = 1; i < term->count; i++)
      time_of_two(out, e, term, i);
    return;
  default:
    fail(e);
  }
}

static int compare_times(struct integer_evaluation *e, const struct term *term) {
  struct rational left, right;
  rational_init(&left);
  rational_init(&right);
  time_value(&left, e, term->args[0]);
  time_value(&right, e, term->args[1]);
  int order = rational_compare(&left, &right);
  rational_clear(&left);
  rational_clear(&right);
  return order;
}

static int compare(struct integer_evaluation *e, const struct term *term) {
  const struct term *left = term->args[0], *right = term->args[1];
  if (left->type.kind == TYPE_SET)
    return same_set(e, left, right) ? 0 : 1;
  if (left->type.kind == TYPE_TIME)
    return e->times == NULL ? (int)fail(e) : compare_times(e, term);
  int64_t a = value(e, left), b = value(e, right);
  return (a > b) - (a < b);
}

static int64_t quantified(struct integer_evaluation *e, const struct term *term, size_t binder) {
  if (binder == term->variable_count)
    return value(e, term->args[0]);
  const struct variable *v = term->variables[binder];
  if (v->domain == DOMAIN_INT || e->variables == NULL)
    return fail(e);
  bool range = v->domain == DOMAIN_RANGE, all = term->kind == TERM_FORALL;
  int64_t low = range ? value(e, v->low) : 0;
  int64_t high = range ? value(e, v->high) : size_of(e, v->type.role) - 1;
  for (int64_t i = low; i <= high && is_counted(e); i++) {
    if (v->domain == DOMAIN_SET && !is_member(e, i, v->set))
      continue;
    e->variables[v->id] = i;
    if ((quantified(e, term, binder + 1) != 0) != all)
      return !all;
    if (i == INT64_MAX)
      break;
  }
  return all;
}

static int64_t arithmetic(struct integer_evaluation *e, const struct term *term) {
  int64_t a = value(e, term->args[0]), b = term->count > 1 ? value(e, term->args[1]) : 0, result;
  bool overflow = term->kind == TERM_ADD   ? __builtin_add_overflow(a, b, &result)
                  : term->kind == TERM_SUB ? __builtin_sub_overflow(a, b, &result)
                  : term->kind == TERM_MUL ? __builtin_mul_overflow(a, b, &result)
                                           : __builtin_sub_overflow((int64_t)0, a, &result);
  return overflow ? fail(e) : result;
}

/* Rounded down; the divisor is positive. */
static int64_t quotient(struct integer_evaluation *e, const struct term *term) {
  int64_t a = value(e, term->args[0]), by = term->args[1]->integer;
  return a / by - (a % by < 0);
}

static int64_t power(struct integer_evaluation *e, const struct term *term) {
  int64_t by = value(e, term->args[1]), result;
  return integer_power(&result, term->args[0]->integer, by) ? result : fail(e);
}

static int64_t extreme(struct integer_evaluation *e, const struct term *term) {
  int64_t result = value(e, term->args[0]);
  for (size_t i = 1; i < term->count; i++) {
    int64_t other = value(e, term->args[i]);
    if ((other > result) == (term->kind == TERM_MAX))
      result = other;
  }
  return result;
}

static int64_t cardinality(struct integer_evaluation *e, const struct term *set) {
  int64_t size = size_of(e, set->type.role), count = 0;
  for (int64_t node = 0; node < size && is_counted(e); node++)
    count += is_member(e, node, set);
  return count;
}

/* A node, or its number, that another node determines. */
static int64_t of_node(struct integer_evaluation *e, const struct term *term) {
  int64_t node = value(e, term->args[0]);
  if (term->kind == TERM_INDEX || term->kind == TERM_OWNED)
    return node;
  if (term->kind == TERM_OWNER)
    return owner_of(e, term->args[0]->type.role, node);
  int64_t size = size_of(e, term->type.role);
  if (size == 0)
    return fail(e);
  if (term->kind == TERM_NEXT)
    return node + 1 == size ? 0 : node + 1;
  return node == 0 ? size - 1 : node - 1;
}

static int64_t logic(struct integer_evaluation *e, const struct term *term) {
  bool left = value(e, term->args[0]) != 0;
  switch (term->kind) {
  case TERM_NOT:
    return !left;
  case TERM_AND:
    return left && value(e, term->args[1]) != 0;
  case TERM_OR:
    return left || value(e, term->args[1]) != 0;
  case TERM_IMPLIES:
    return !left || value(e, term->args[1]) != 0;
  default:
    return left == (value(e, term->args[1]) != 0);
  }
}

static int64_t comparison(struct integer_evaluation *e, const struct term *term) {
  int order = compare(e, term);
  switch (term->kind) {
  case TERM_EQ:
    return order == 0;
  case TERM_NE:
    return order != 0;
  case TERM_LT:
    return order < 0;
  case TERM_LE:
    return order <= 0;
  case TERM_GT:
    return order > 0;
  default:
    return order >= 0;
  }
}

static int64_t value(struct integer_evaluation *e, const struct term *term) {
  if (e->failed || term->type.kind == TYPE_TIME)
    return fail(e);
  switch (term->kind) {
  case TERM_BOOL:
  case TERM_INT:
  case TERM_ENUM:
    return term->integer;
  case TERM_PARAM:
    return e->params[term->param->id];
  case TERM_VARIABLE:
    return e->variables == NULL ? fail(e) : e->variables[term->variable->id];
  case TERM_NODE:
  case TERM_FIRST:
    return 0;
  case TERM_LAST:
    return size_of(e, term->type.role) - 1;
  case TERM_NEXT:
  case TERM_PREV:
  case TERM_INDEX:
  case TERM_OWNED:
  case TERM_OWNER:
    return of_node(e, term);
  case TERM_IN:
    return is_member(e, value(e, term->args[0]), term->args[1]);
  case TERM_CARDINALITY:
    return cardinality(e, term->args[0]);
  case TERM_NOT:
  case TERM_AND:
  case TERM_OR:
  case TERM_IMPLIES:
  case TERM_IFF:
    return logic(e, term);
  case TERM_EQ:
  case TERM_NE:
  case TERM_LT:
  case TERM_LE:
  case TERM_GT:
  case TERM_GE:
    return comparison(e, term);
  case TERM_ADD:
  case TERM_SUB:
  case TERM_NEG:
  case TERM_MUL:
    return arithmetic(e, term);
  case TERM_DIV:
  case TERM_POWER:
    return term->kind == TERM_DIV ? quotient(e, term) : power(e, term);
  case TERM_ITE:
    return value(e, term->args[value(e, term->args[0]) != 0 ? 1 : 2]);
  case TERM_FORALL:
  case TERM_EXISTS:
    return quantified(e, term, 0);
  case TERM_MAX:
  case TERM_MIN:
    return extreme(e, term);
  default:
    return fail(e);
  }
}

bool term_is_of_parameters(const struct term *term) {
  bool itself = term->kind == TERM_INT || term->kind == TERM_PARAM || term->kind == TERM_ADD ||
                term->kind == TERM_SUB || term->kind == TERM_NEG || term->kind == TERM_MUL ||
                term->kind == TERM_DIV || term->kind == TERM_POWER || term->kind == TERM_MAX ||
                term->kind == TERM_MIN;
  for (size_t i = 0; i < term->count && itself; i++)
    itself = term_is_of_parameters(term->args[i]);
  return itself;
}

bool term_integer(int64_t *result, const struct model *model, const struct term *term,
                  const int64_t *params, int64_t *variables) {
  return term_integer_given(result, model, term, params, variables, NULL);
}

bool term_integer_given(int64_t *result, const struct model *model, const struct term *term,
                        const int64_t *params, int64_t *variables,
                        const struct rational *const *times) {
  struct integer_evaluation e = {model, params, variables, times, INSTANTIATE_LIMIT, false};
  int64_t found = value(&e, term);
  if (e.failed)
    return false;
  *result = found;
  return true;
}

bool role_size(int64_t *size, const struct model *model, const struct role *role,
               const int64_t *params) {
  struct integer_evaluation e = {model, params, NULL, NULL, INSTANTIATE_LIMIT, false};
  int64_t found = size_of(&e, role);
  if (e.failed)
    return false;
  *size = found;
  return true;
}
