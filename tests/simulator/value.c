/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/simulator/value.h"

#include <stdlib.h>

#include "tests/simulator/choice.h"

enum { NUMBERS_WATCHED = 12, PAIRS_WATCHED = 4 };

static int64_t unsupported(struct cluster *cluster, const char *what) {
  cluster->mistake = what;
  return 0;
}

void values_of(struct cluster *cluster, const struct term *const *terms, size_t count,
               int64_t *values) {
  if (count > INDICES_MAX)
    bug("more than %d indices", INDICES_MAX);
  for (size_t i = 0; i < count; i++)
    values[i] = value_of(cluster, terms[i]);
}

static bool is_in(const struct cluster *cluster, const struct variable *variable, int64_t set,
                  int64_t value) {
  if (variable->domain == DOMAIN_SET)
    return (set >> value & 1) != 0;
  return variable->domain != DOMAIN_ROLE || value < cluster->sizes[variable->type.role->id];
}

/* Of those that name a message or an occurrence of the run. */
static int64_t largest_number(const struct cluster *cluster) {
  int64_t largest = 0;
  for (size_t i = 0; i < cluster->mails.count; i++)
    for (size_t j = 0; j < cluster->mails.data[i].message->field_count; j++)
      if (cluster->mails.data[i].fields[j] > largest)
        largest = cluster->mails.data[i].fields[j];
  for (size_t i = 0; i < cluster->charges.count; i++)
    for (size_t j = 0; j < cluster->charges.data[i].component->index_count; j++)
      if (cluster->charges.data[i].indices[j] > largest)
        largest = cluster->charges.data[i].indices[j];
  return largest;
}

static void each_value(struct cluster *cluster, size_t count,
                       const struct variable *const *variables,
                       void (*each)(struct cluster *, void *), void *context) {
  const struct variable *variable = variables[0];
  bool pairs = false;
  int64_t low = 0, high = NODES_MAX, set = 0, before = cluster->variables[variable->id];
  if (variable->domain == DOMAIN_RANGE) {
    low = value_of(cluster, variable->low);
    high = value_of(cluster, variable->high);
  } else if (variable->type.kind == TYPE_BOOL || variable->type.kind == TYPE_ENUM) {
    high = variable->type.kind == TYPE_BOOL ? 1 : (int64_t)variable->type.enumeration->count - 1;
  } else if (variable->domain == DOMAIN_SET) {
    set = value_of(cluster, variable->set);
  } else if (variable->domain == DOMAIN_INT && cluster->watching) {
    high = NUMBERS_WATCHED;
  } else if (variable->domain == DOMAIN_INT && cluster->fate == NULL) {
    unsupported(cluster, "a quantifier over all integers");
    return;
  } else if (variable->domain == DOMAIN_INT) {
    pairs = count > 1 || cluster->in_pairs; /* of the last ones: all of them take too long */
    high = largest_number(pairs ? cluster : cluster->fate) + 1;
    low = pairs && high > PAIRS_WATCHED ? high - PAIRS_WATCHED : -1;
  }
  bool outer = cluster->in_pairs;
  cluster->in_pairs = pairs;
  for (int64_t value = low; value <= high; value++) {
    if (!is_in(cluster, variable, set, value))
      continue;
    cluster->variables[variable->id] = value;
    value_each(cluster, count - 1, variables + 1, each, context);
  }
  cluster->in_pairs = outer;
  cluster->variables[variable->id] = before;
}

void value_each(struct cluster *cluster, size_t count, const struct variable *const *variables,
                void (*each)(struct cluster *cluster, void *context), void *context) {
  if (count == 0)
    each(cluster, context);
  else
    each_value(cluster, count, variables, each, context);
}

/* --- terms with binders --- */

struct collection {
  const struct term *body;
  VECTOR(int64_t) values;
};

static void collect(struct cluster *cluster, void *context) {
  struct collection *collection = context;
  vector_push(&collection->values, value_of(cluster, collection->body));
}

static int by_value(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return x < y ? -1 : x > y;
}

static int64_t nth(struct cluster *cluster, const struct collection *sorted, int64_t rank) {
  if (rank < 1)
    return 0;
  if (rank > (int64_t)sorted->values.count)
    return unsupported(cluster, "a rank above the number of members");
  return sorted->values.data[rank - 1];
}

static int64_t sum(const struct collection *collection) {
  int64_t total = 0;
  for (size_t i = 0; i < collection->values.count; i++)
    total += collection->values.data[i];
  return total;
}

static int64_t fold(struct cluster *cluster, const struct term *term,
                    const struct collection *sorted) {
  size_t count = sorted->values.count;
  switch (term->kind) {
  case TERM_MAX_OVER:
    return count == 0 ? 0 : sorted->values.data[count - 1];
  case TERM_MIN_OVER:
    return count == 0 ? 0 : sorted->values.data[0];
  case TERM_SUM_OVER:
    return sum(sorted);
  default:
    return nth(cluster, sorted, value_of(cluster, term->args[1]));
  }
}

struct claim {
  const struct term *body;
  bool wanted, found;
};

static void look(struct cluster *cluster, void *context) {
  struct claim *claim = context;
  claim->found = claim->found || (value_of(cluster, claim->body) != 0) == claim->wanted;
}

/* forall: no value makes it false; exists: some value makes it true. */
static int64_t value_claim(struct cluster *cluster, const struct term *term) {
  struct claim claim = {.body = term->args[0], .wanted = term->kind == TERM_EXISTS};
  value_each(cluster, term->variable_count, term->variables, look, &claim);
  return claim.found == claim.wanted;
}

static int64_t value_over(struct cluster *cluster, const struct term *term) {
  struct collection collection = {.body = term->args[0]};
  value_each(cluster, term->variable_count, term->variables, collect, &collection);
  if (collection.values.count > 0)
    qsort(collection.values.data, collection.values.count, sizeof(int64_t), by_value);
  int64_t value = fold(cluster, term, &collection);
  vector_clear(&collection.values);
  return value;
}

/* --- nodes, sets and what has happened --- */

int64_t node_of_role(struct cluster *cluster, const struct role *from, const struct role *to,
                     int64_t node) {
  int64_t each = from->owner == to && from->each != NULL ? value_of(cluster, from->each) : 1;
  return node / each;
}

static int64_t value_set(struct cluster *cluster, const struct term *term) {
  uint64_t set = 0;
  if (term->kind == TERM_ROLE_SET)
    return (int64_t)((UINT64_C(1) << cluster->sizes[term->type.role->id]) - 1);
  if (term->kind == TERM_OWNED_SET) {
    const struct role *role = term->type.role;
    for (int64_t node = 0; node < cluster->sizes[role->id]; node++)
      if (node_of_role(cluster, role, role->owner, node) == value_of(cluster, term->args[0]))
        set |= UINT64_C(1) << node;
    return (int64_t)set;
  }
  for (size_t i = 0; i < term->count; i++)
    set |= UINT64_C(1) << value_of(cluster, term->args[i]);
  return (int64_t)set;
}

static int64_t value_node(struct cluster *cluster, const struct term *term) {
  int64_t size = cluster->sizes[term->type.role->id];
  switch (term->kind) {
  case TERM_OWNER:
  case TERM_OWNED:
    return node_of_role(cluster, term->args[0]->type.role, term->type.role,
                        value_of(cluster, term->args[0]));
  case TERM_LAST:
    return size - 1;
  case TERM_NEXT:
    return (value_of(cluster, term->args[0]) + 1) % size;
  case TERM_PREV:
    return (value_of(cluster, term->args[0]) + size - 1) % size;
  default:
    return 0;
  }
}

static int64_t clock_of(struct cluster *cluster, const struct role *role, int64_t node) {
  for (size_t i = 0; i < cluster->actors.count; i++)
    if (cluster->actors.data[i].role == role && cluster->actors.data[i].node == node)
      return cluster->actors.data[i].clock_ns;
  return 0; /* of an external */
}

static bool is_lost(const struct cluster *cluster, const struct mail *mail) {
  return mail->doomed && !choices_is_behind(cluster, mail);
}

/* How many of the kind the node has missed. */
static int64_t value_losses(struct cluster *cluster, const struct term *term) {
  int64_t node = value_of(cluster, term->args[0]), count = 0;
  for (size_t i = 0; i < cluster->mails.count; i++) {
    const struct mail *mail = &cluster->mails.data[i];
    count += mail->message == term->state->loses && mail->to == node && is_lost(cluster, mail);
  }
  return count;
}

static int64_t value_message(struct cluster *cluster, const struct term *term) {
  int64_t fields[INDICES_MAX];
  values_of(cluster, term->args, term->count, fields);
  bool in_the_end = term->kind == TERM_DELAY && cluster->fate != NULL;
  const struct mail *mail =
      cluster_mail(in_the_end ? cluster->fate : cluster, term->message, fields);
  switch (term->kind) {
  case TERM_SENT:
    return mail != NULL;
  case TERM_PENDING:
    return mail != NULL && !mail->received && !is_lost(cluster, mail);
  case TERM_LOST:
    return mail != NULL && is_lost(cluster, mail);
  case TERM_RECEIVED:
    return mail != NULL && mail->received;
  case TERM_RECEIVER:
    return mail == NULL ? 0 : mail->to;
  case TERM_TIME_MESSAGE:
    return mail == NULL ? 0 : mail->delivered_ns;
  case TERM_PACED:
    return mail == NULL ? 0 : mail->paced_ns;
  case TERM_HANDED:
    return mail == NULL ? 0 : mail->sent_ns;
  default: /* TERM_DELAY */
    if (mail == NULL)
      return 0;
    return term->component->kind == COMPONENT_QUEUEING ? mail->wait_ns : mail->delay_ns;
  }
}

static int64_t value_occurrence(struct cluster *cluster, const struct term *term) {
  if (term->kind == TERM_BARE || (term->count == 0 && term->kind == TERM_OCCURRENCE))
    return cluster->limits[term->component->id];
  int64_t indices[INDICES_MAX];
  values_of(cluster, term->args, term->count, indices);
  bool in_the_end = term->kind == TERM_OCCURRENCE && cluster->fate != NULL;
  const struct charge *charge =
      cluster_charged(in_the_end ? cluster->fate : cluster, term->component, indices, term->count);
  bool charged = charge != NULL && charge->charged;
  if (term->kind == TERM_CHARGED)
    return charged;
  return charged ? charge->ns : 0;
}

/* --- operators --- */

static int64_t value_logic(struct cluster *cluster, const struct term *term) {
  bool left = value_of(cluster, term->args[0]) != 0;
  switch (term->kind) {
  case TERM_NOT:
    return !left;
  case TERM_AND:
    return left && value_of(cluster, term->args[1]) != 0;
  case TERM_OR:
    return left || value_of(cluster, term->args[1]) != 0;
  case TERM_IMPLIES:
    return !left || value_of(cluster, term->args[1]) != 0;
  case TERM_IFF:
    return left == (value_of(cluster, term->args[1]) != 0);
  default: /* TERM_ITE */
    return value_of(cluster, term->args[left ? 1 : 2]);
  }
}

static int64_t value_extreme(struct cluster *cluster, const struct term *term) {
  int64_t best = value_of(cluster, term->args[0]);
  for (size_t i = 1; i < term->count; i++) {
    int64_t value = value_of(cluster, term->args[i]);
    if (term->kind == TERM_MAX ? value > best : value < best)
      best = value;
  }
  return best;
}

/* x^y; the protocols that are drawn keep it small. */
static int64_t value_power(int64_t x, int64_t y) {
  int64_t power = y < 0 ? 0 : 1;
  for (int64_t i = 0; i < y && i < 62; i++)
    power *= x;
  return power;
}

static int64_t value_binary(struct cluster *cluster, const struct term *term) {
  int64_t x = value_of(cluster, term->args[0]), y = value_of(cluster, term->args[1]);
  switch (term->kind) {
  case TERM_EQ:
    return x == y;
  case TERM_NE:
    return x != y;
  case TERM_LT:
    return x < y;
  case TERM_LE:
    return x <= y;
  case TERM_GT:
    return x > y;
  case TERM_GE:
    return x >= y;
  case TERM_ADD:
    return x + y;
  case TERM_SUB:
    return x - y;
  case TERM_MUL:
    return x * y;
  case TERM_DIV:
    return (x - (x % y + y) % y) / y;
  case TERM_POWER:
    return value_power(x, y);
  case TERM_UNION:
    return x | y;
  case TERM_DIFFERENCE:
    return x & ~y;
  case TERM_INTERSECTION:
    return x & y;
  default: /* TERM_IN */
    return y >> x & 1;
  }
}

static int64_t value_time(struct cluster *cluster, const struct term *term) {
  int64_t up = 0, down = 0;
  if (!rational_ceil(&up, &term->value) || !rational_floor(&down, &term->value) || up != down)
    return unsupported(cluster, "a fraction of a nanosecond");
  return up;
}

/* When the node may send the next message, at the earliest, were there no tolerance. */
static int64_t value_pacer(struct cluster *cluster, const struct term *term) {
  int64_t node = value_of(cluster, term->args[0]);
  for (size_t i = 0; i < cluster->model->messages.count; i++) {
    const struct message *message = cluster->model->messages.items[i];
    if (message->pacer != NULL && message->pacer->state == term->state)
      return choices_paced(cluster, message, node, 0);
  }
  return unsupported(cluster, "a pacer of no message");
}

static int64_t value_cell(struct cluster *cluster, const struct term *term) {
  if (term->kind == TERM_STATE && term->state->hidden && term->state->type.kind == TYPE_TIME)
    return value_pacer(cluster, term);
  if (term->kind == TERM_STATE && term->state->loses != NULL)
    return value_losses(cluster, term);
  const struct term *map = term->kind == TERM_MAP_GET ? term->args[0] : term;
  if (map->kind != TERM_STATE)
    return unsupported(cluster, "a map that is no state variable");
  int64_t key = term->kind == TERM_MAP_GET ? value_of(cluster, term->args[1]) : 0;
  return *cluster_cell(cluster, map->state, value_of(cluster, map->args[0]), key);
}

static int64_t value_other(struct cluster *cluster, const struct term *term) {
  switch (term->kind) {
  case TERM_PARAM:
    return cluster->params[term->param->id];
  case TERM_VARIABLE:
    return cluster->variables[term->variable->id];
  case TERM_TIME:
    return value_time(cluster, term);
  case TERM_INDEX:
    return value_of(cluster, term->args[0]);
  case TERM_NEG:
    return -value_of(cluster, term->args[0]);
  case TERM_CARDINALITY:
    return __builtin_popcountll((unsigned long long)value_of(cluster, term->args[0]));
  case TERM_TIME_NODE:
    return clock_of(cluster, term->args[0]->type.role, value_of(cluster, term->args[0]));
  case TERM_NOW:
    return cluster->now_ns;
  default:
    return unsupported(cluster, "a term that only invariants have");
  }
}

int64_t value_of(struct cluster *cluster, const struct term *term) {
  switch (term->kind) {
  case TERM_BOOL:
  case TERM_INT:
  case TERM_ENUM:
    return term->integer;
  case TERM_STATE:
  case TERM_MAP_GET:
    return value_cell(cluster, term);
  case TERM_NODE:
  case TERM_FIRST:
  case TERM_LAST:
  case TERM_NEXT:
  case TERM_PREV:
  case TERM_OWNER:
  case TERM_OWNED:
    return value_node(cluster, term);
  case TERM_ROLE_SET:
  case TERM_OWNED_SET:
  case TERM_SET:
    return value_set(cluster, term);
  case TERM_SENT:
  case TERM_PENDING:
  case TERM_RECEIVED:
  case TERM_LOST:
  case TERM_RECEIVER:
  case TERM_TIME_MESSAGE:
  case TERM_PACED:
  case TERM_HANDED:
  case TERM_DELAY:
    return value_message(cluster, term);
  case TERM_CHARGED:
  case TERM_OCCURRENCE:
  case TERM_BARE:
    return value_occurrence(cluster, term);
  case TERM_NOT:
  case TERM_AND:
  case TERM_OR:
  case TERM_IMPLIES:
  case TERM_IFF:
  case TERM_ITE:
    return value_logic(cluster, term);
  case TERM_MAX:
  case TERM_MIN:
    return value_extreme(cluster, term);
  case TERM_FORALL:
  case TERM_EXISTS:
    return value_claim(cluster, term);
  case TERM_MAX_OVER:
  case TERM_MIN_OVER:
  case TERM_SUM_OVER:
  case TERM_KTH_OVER:
    return value_over(cluster, term);
  default:
    return term->count == 2 ? value_binary(cluster, term) : value_other(cluster, term);
  }
}
