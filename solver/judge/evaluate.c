/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lang/power.h"
#include "solver/judge/evaluate.h"

enum { INTEGERS_MARGIN = 3 };

static int64_t integer_add(const struct interpretation *e, int64_t a, int64_t b) {
  int64_t result;
  e->interpreter->overflow |= __builtin_add_overflow(a, b, &result);
  return result;
}

static int64_t integer_sub(const struct interpretation *e, int64_t a, int64_t b) {
  int64_t result;
  e->interpreter->overflow |= __builtin_sub_overflow(a, b, &result);
  return result;
}

static int64_t integer_mul(const struct interpretation *e, int64_t a, int64_t b) {
  int64_t result;
  e->interpreter->overflow |= __builtin_mul_overflow(a, b, &result);
  return result;
}

static int64_t role_size(const struct interpretation *e, const struct term *term) {
  return e->interpreter->role_sizes[term->type.role->id];
}

static uint64_t everyone(int64_t size) {
  return size == FAMILY_SIZE_MAX ? UINT64_MAX : (UINT64_C(1) << size) - 1;
}

static void evaluate_args(int64_t *values, const struct interpretation *e,
                          const struct term *term) {
  for (size_t i = 0; i < term->count; i++)
    values[i] = evaluate_scalar(e, term->args[i]);
}

static struct world_message *message_of(const struct interpretation *e, const struct term *term) {
  int64_t fields[INDEX_COUNT_MAX];
  evaluate_args(fields, e, term);
  return world_message(e->world, term->message, fields);
}

static int64_t message_predicate(const struct interpretation *e, const struct term *term) {
  const struct world_message *m = message_of(e, term);
  switch (term->kind) {
  case TERM_SENT:
    return m != NULL;
  case TERM_PENDING:
    return m != NULL && !m->received;
  case TERM_RECEIVED:
    return m != NULL && m->received && !m->lost;
  case TERM_LOST:
    return m != NULL && m->lost;
  case TERM_ORDER:
    return m == NULL ? 0 : (int64_t)m->order;
  default:
    return m == NULL ? 0 : m->receiver;
  }
}

static int64_t charged(const struct interpretation *e, const struct term *term) {
  int64_t indices[INDEX_COUNT_MAX];
  evaluate_args(indices, e, term);
  return world_charged(e->world, term->component, indices);
}

static int64_t set_of_nodes(const struct interpretation *e, const struct term *term) {
  uint64_t members = 0;
  for (size_t i = 0; i < term->count; i++)
    members |= UINT64_C(1) << evaluate_scalar(e, term->args[i]);
  return (int64_t)members;
}

static int64_t set_operation(const struct interpretation *e, const struct term *term) {
  uint64_t a = (uint64_t)evaluate_scalar(e, term->args[0]);
  uint64_t b = (uint64_t)evaluate_scalar(e, term->args[1]);
  if (term->kind == TERM_UNION)
    return (int64_t)(a | b);
  return (int64_t)(term->kind == TERM_DIFFERENCE ? a & ~b : a & b);
}

static int compare_times(const struct interpretation *e, const struct term *a,
                         const struct term *b) {
  struct rational x, y;
  rational_init(&x);
  rational_init(&y);
  evaluate_time(&x, e, a);
  evaluate_time(&y, e, b);
  int order = rational_compare(&x, &y);
  rational_clear(&x);
  rational_clear(&y);
  return order;
}

static int64_t comparison(const struct interpretation *e, const struct term *term) {
  int order;
  if (term->args[0]->type.kind == TYPE_TIME) {
    order = compare_times(e, term->args[0], term->args[1]);
  } else {
    int64_t a = evaluate_scalar(e, term->args[0]), b = evaluate_scalar(e, term->args[1]);
    order = a < b ? -1 : a > b;
  }
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

static int64_t connective(const struct interpretation *e, const struct term *term) {
  bool a = evaluate_holds(e, term->args[0]);
  switch (term->kind) {
  case TERM_NOT:
    return !a;
  case TERM_AND:
    return a && evaluate_holds(e, term->args[1]);
  case TERM_OR:
    return a || evaluate_holds(e, term->args[1]);
  case TERM_IMPLIES:
    return !a || evaluate_holds(e, term->args[1]);
  default:
    return a == evaluate_holds(e, term->args[1]);
  }
}

static int64_t arithmetic(const struct interpretation *e, const struct term *term) {
  int64_t a = evaluate_scalar(e, term->args[0]);
  if (term->kind == TERM_NEG)
    return integer_sub(e, 0, a);
  int64_t b = evaluate_scalar(e, term->args[1]);
  if (term->kind == TERM_ADD)
    return integer_add(e, a, b);
  return term->kind == TERM_SUB ? integer_sub(e, a, b) : integer_mul(e, a, b);
}

/* The largest q with q * by <= a, found without the rounding of C's division. */
static int64_t quotient(const struct interpretation *e, const struct term *term) {
  int64_t a = evaluate_scalar(e, term->args[0]), by = evaluate_scalar(e, term->args[1]);
  int64_t rest = a % by < 0 ? a % by + by : a % by;
  return a >= INT64_MIN + rest ? (a - rest) / by : a / by - 1;
}

/* Of one that does not fit nothing is known: overflow. */
static int64_t power(const struct interpretation *e, const struct term *term) {
  int64_t result = 0;
  if (!integer_power(&result, term->args[0]->integer, evaluate_scalar(e, term->args[1])))
    e->interpreter->overflow = true;
  return result;
}

static int64_t extreme(const struct interpretation *e, const struct term *term) {
  int64_t best = evaluate_scalar(e, term->args[0]);
  for (size_t i = 1; i < term->count; i++) {
    int64_t value = evaluate_scalar(e, term->args[i]);
    if (term->kind == TERM_MAX ? value > best : value < best)
      best = value;
  }
  return best;
}

static int64_t neighbour(const struct interpretation *e, const struct term *term) {
  int64_t size = role_size(e, term), node = evaluate_scalar(e, term->args[0]);
  return (node + (term->kind == TERM_NEXT ? 1 : size - 1)) % size;
}

static bool body_holds(const struct interpretation *e, void *context) {
  return evaluate_holds(e, context);
}

static bool body_fails(const struct interpretation *e, void *context) {
  return !evaluate_holds(e, context);
}

static int64_t quantified(const struct interpretation *e, const struct term *term) {
  bool forall = term->kind == TERM_FORALL;
  bool all = evaluate_each(e, term->variables, term->variable_count,
                           forall ? body_holds : body_fails, (void *)term->args[0]);
  return all == forall;
}

struct standing {
  const struct term *body;
  int64_t candidate;     /* how many values are less, and at most as large? */
  int64_t less, at_most; /* so far */
};

static bool compare_to_candidate(const struct interpretation *e, void *context) {
  struct standing *s = context;
  int64_t value = evaluate_scalar(e, s->body);
  s->less += value < s->candidate;
  s->at_most += value <= s->candidate;
  return true;
}

/* The k-th smallest is the value that less than k are below, and k at least not above. Below rank 1
 * it is 0, and of a rank beyond the number of members, which has no specified value, the largest.
 */
static int64_t ranked(const struct interpretation *e, const struct term *term) {
  const struct variable *v = term->variables[0];
  int64_t size = e->interpreter->role_sizes[v->type.role->id];
  int64_t rank = evaluate_scalar(e, term->args[1]), result = 0;
  rank = rank < size ? rank : size;
  for (int64_t node = 0; node < size && rank >= 1; node++) {
    e->bindings[v->id] = node;
    struct standing of = {.body = term->args[0], .candidate = evaluate_scalar(e, term->args[0])};
    evaluate_each(e, term->variables, 1, compare_to_candidate, &of);
    if (of.less < rank && rank <= of.at_most)
      result = of.candidate;
  }
  return result;
}

/* Of integers, over a role. */
static int64_t summed(const struct interpretation *e, const struct term *term) {
  const struct variable *v = term->variables[0];
  int64_t size = e->interpreter->role_sizes[v->type.role->id], sum = 0;
  for (int64_t node = 0; node < size; node++) {
    e->bindings[v->id] = node;
    sum = integer_add(e, sum, evaluate_scalar(e, term->args[0]));
  }
  return sum;
}

int64_t evaluate_of_role(const struct interpreter *interpreter, const struct role *from,
                         const struct role *to, int64_t node) {
  if (from->owner != to || from->each == NULL)
    return node;
  return node / (interpreter->role_sizes[from->id] / interpreter->role_sizes[to->id]);
}

/* The nodes that belong to one stand side by side. */
static int64_t owned(const struct interpretation *e, const struct term *term) {
  const struct role *role = term->type.role;
  int64_t each = role_size(e, term) / e->interpreter->role_sizes[role->owner->id];
  return (int64_t)(everyone(each) << (each * evaluate_scalar(e, term->args[0])));
}

/* What has operands: sets, connectives, comparisons, arithmetic. */
static int64_t operation(const struct interpretation *e, const struct term *term) {
  switch (term->kind) {
  case TERM_ROLE_SET:
    return (int64_t)everyone(role_size(e, term));
  case TERM_OWNED_SET:
    return owned(e, term);
  case TERM_SET:
    return set_of_nodes(e, term);
  case TERM_UNION:
  case TERM_DIFFERENCE:
  case TERM_INTERSECTION:
    return set_operation(e, term);
  case TERM_IN:
    return (evaluate_scalar(e, term->args[1]) >> evaluate_scalar(e, term->args[0])) & 1;
  case TERM_CARDINALITY:
    return __builtin_popcountll((uint64_t)evaluate_scalar(e, term->args[0]));
  case TERM_NOT:
  case TERM_AND:
  case TERM_OR:
  case TERM_IMPLIES:
  case TERM_IFF:
    return connective(e, term);
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
    return quotient(e, term);
  case TERM_POWER:
    return power(e, term);
  case TERM_ITE:
    return evaluate_scalar(e, term->args[evaluate_holds(e, term->args[0]) ? 1 : 2]);
  case TERM_MAX:
  case TERM_MIN:
    return extreme(e, term);
  default:
    bug("a term of kind %d is no scalar", (int)term->kind);
  }
}

int64_t evaluate_scalar(const struct interpretation *e, const struct term *term) {
  switch (term->kind) {
  case TERM_BOOL:
  case TERM_INT:
  case TERM_ENUM:
    return term->integer;
  case TERM_PARAM:
    return e->interpreter->params[term->param->id];
  case TERM_VARIABLE:
    return e->bindings[term->variable->id];
  case TERM_STATE:
    return *world_cell(e->world, term->state, evaluate_scalar(e, term->args[0]));
  case TERM_NODE:
  case TERM_FIRST:
    return 0;
  case TERM_LAST:
    return role_size(e, term) - 1;
  case TERM_NEXT:
  case TERM_PREV:
    return neighbour(e, term);
  case TERM_INDEX:
  case TERM_OWNED:
    return evaluate_scalar(e, term->args[0]);
  case TERM_OWNER:
    return evaluate_of_role(e->interpreter, term->args[0]->type.role, term->type.role,
                            evaluate_scalar(e, term->args[0]));
  case TERM_MAP_GET:
    return evaluate_map(e, term->args[0])[evaluate_scalar(e, term->args[1])];
  case TERM_SENT:
  case TERM_PENDING:
  case TERM_RECEIVED:
  case TERM_LOST:
  case TERM_RECEIVER:
  case TERM_ORDER:
    return message_predicate(e, term);
  case TERM_CHARGED:
    return charged(e, term);
  case TERM_FORALL:
  case TERM_EXISTS:
    return quantified(e, term);
  case TERM_KTH_OVER:
    return ranked(e, term);
  case TERM_SUM_OVER:
    return summed(e, term);
  default:
    return operation(e, term);
  }
}

bool evaluate_holds(const struct interpretation *e, const struct term *term) {
  return evaluate_scalar(e, term) != 0;
}

const int64_t *evaluate_map(const struct interpretation *e, const struct term *term) {
  if (term->kind == TERM_ITE)
    return evaluate_map(e, term->args[evaluate_holds(e, term->args[0]) ? 1 : 2]);
  if (term->kind != TERM_STATE)
    bug("a term of kind %d is no map", (int)term->kind);
  return world_cell(e->world, term->state, evaluate_scalar(e, term->args[0]));
}

/* So many values of a range are tried, and more where there are many messages: ranges that count
 * what has happened are no longer than that. One with more raises overflow when it comes to their
 * end: what was found among the first is right, what was not found is not known. */
enum { RANGE_VALUES_MAX = 4096, RANGE_VALUES_EACH = 64 };

int64_t evaluate_range_max(const struct interpretation *e) {
  if (e->world == NULL)
    return INT64_MAX;
  size_t known = e->world->messages.count + e->world->charges.count;
  return (int64_t)(RANGE_VALUES_MAX + RANGE_VALUES_EACH * known);
}

static bool visit_range(const struct interpretation *e, const struct variable *const *variables,
                        size_t count, int64_t low, int64_t high,
                        bool (*visit)(const struct interpretation *, void *), void *context) {
  int64_t tried = 0, most = evaluate_range_max(e);
  for (int64_t value = low; value <= high; value++, tried++) {
    if (tried == most) {
      e->interpreter->overflow = true;
      break;
    }
    e->bindings[variables[0]->id] = value;
    if (!evaluate_each(e, variables + 1, count - 1, visit, context))
      return false;
    if (value == INT64_MAX)
      break;
  }
  return true;
}

static bool visit_set(const struct interpretation *e, const struct variable *const *variables,
                      size_t count, bool (*visit)(const struct interpretation *, void *),
                      void *context) {
  uint64_t members = (uint64_t)evaluate_scalar(e, variables[0]->set);
  for (int64_t node = 0; node < FAMILY_SIZE_MAX; node++)
    if ((members >> node & 1) != 0 && !visit_range(e, variables, count, node, node, visit, context))
      return false;
  return true;
}

bool evaluate_each(const struct interpretation *e, const struct variable *const *variables,
                   size_t count, bool (*visit)(const struct interpretation *, void *),
                   void *context) {
  if (count == 0)
    return visit(e, context);
  const struct variable *v = variables[0];
  int64_t low = 0, high = 0;
  switch (v->domain) {
  case DOMAIN_SET:
    return visit_set(e, variables, count, visit, context);
  case DOMAIN_ROLE:
    high = e->interpreter->role_sizes[v->type.role->id] - 1;
    break;
  case DOMAIN_RANGE:
    low = evaluate_scalar(e, v->low);
    high = evaluate_scalar(e, v->high);
    break;
  case DOMAIN_INT:
    world_integers(e->world, &low, &high);
    low = integer_sub(e, low, INTEGERS_MARGIN);
    high = integer_add(e, high, INTEGERS_MARGIN);
    break;
  case DOMAIN_NONE: /* all values there are, in generated invariants */
    if (v->type.kind == TYPE_BOOL)
      high = 1;
    else if (v->type.kind == TYPE_ENUM)
      high = (int64_t)v->type.enumeration->count - 1;
    else
      bug("variable %s has no domain", v->name);
    break;
  }
  return visit_range(e, variables, count, low, high, visit, context);
}
