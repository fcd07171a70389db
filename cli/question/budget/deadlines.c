/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/budget/deadlines.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cli/question/budget/parts.h"
#include "cli/question/verify/parameters.h"
#include "lang/instantiate.h"

/* Whether the term is one of bounds: it reads no state, clock or message. */
static bool is_of_bounds(const struct term *term) {
  switch (term->kind) {
  case TERM_STATE:
  case TERM_MAP_GET:
  case TERM_SENT:
  case TERM_PENDING:
  case TERM_RECEIVED:
  case TERM_LOST:
  case TERM_RECEIVER:
  case TERM_CHARGED:
  case TERM_TIME_MESSAGE:
  case TERM_TIME_NODE:
  case TERM_ARRIVAL:
  case TERM_PLACEHOLDER:
  case TERM_NOW:
  case TERM_PACED:
  case TERM_HANDED:
  case TERM_BEGAN:
  case TERM_ORDER:
  case TERM_SUB:
  case TERM_ITE:
    return false;
  default:
    break;
  }
  for (size_t i = 0; i < term->count; i++)
    if (!is_of_bounds(term->args[i]))
      return false;
  return true;
}

/* "forall ... sent M(...) implies time(M(...)) <= EXPRESSION" as a bound of M. */
static bool as_bound(struct bound *bound, const struct invariant *invariant) {
  const struct term *term = invariant->formula;
  *bound = (struct bound){.name = invariant->name, .target = TARGET_DELIVERED};
  if (invariant->phase != NULL)
    return false;
  if (term->kind == TERM_FORALL) {
    bound->variable_count = term->variable_count;
    bound->variables = term->variables;
    term = term->args[0];
  }
  if (term->kind != TERM_IMPLIES || term->args[0]->kind != TERM_SENT ||
      term->args[1]->kind != TERM_LE || term->args[1]->args[0]->kind != TERM_TIME_MESSAGE)
    return false;
  bound->message = term->args[0]->message;
  bound->arg_count = term->args[0]->count;
  bound->args = term->args[0]->args;
  bound->expression = term->args[1]->args[1];
  return term->args[1]->args[0]->message == bound->message && is_of_bounds(bound->expression);
}

static size_t part_called(const struct budget *b, char *name) {
  size_t g = 0;
  while (g < b->parts.count && strcmp(b->parts.data[g].name, name) != 0)
    g++;
  mem_free(name);
  return g;
}

static bool is_delay_of(const struct budget *b, const struct occurrence *occurrence,
                        const char *message) {
  if (message == NULL || occurrence->message == NULL || strcmp(occurrence->message, message) != 0)
    return false;
  const struct model *model = b->calculation.protocol.model;
  for (size_t i = 0; i < model->components.count; i++)
    if (strcmp(model->components.items[i]->name, occurrence->component) == 0)
      return model->components.items[i]->kind == COMPONENT_DELAY;
  return false;
}

static bool is_in(const struct expression_table *table, const struct occurrence *occurrence) {
  for (size_t i = 0; i < table->occurrences.count; i++)
    if (strcmp(table->occurrences.data[i]->label, occurrence->label) == 0)
      return true;
  return false;
}

/* A message that is late. */
struct budget_lateness {
  const char *message;
  int64_t extra;                        /* so much longer than promised its delay is; or, ... */
  const struct expression_table *spent; /* where not NULL: these occurrences take no time, and the
                                         * delay takes `extra` in all */
};

static int64_t time_of(const struct budget *b, size_t part, const struct occurrence *occurrence,
                       const struct budget_lateness *late) {
  int64_t limit = (int64_t)b->parts.data[part].promise.limit_ns;
  if (late == NULL)
    return limit;
  if (is_delay_of(b, occurrence, late->message))
    return late->spent != NULL ? late->extra : limit + late->extra;
  return late->spent != NULL && is_in(late->spent, occurrence) ? 0 : limit;
}

/* The value with each occurrence at its part's limit, but for what is late; false: nothing is
 * promised of one. */
static bool value_at(struct rational *value, const struct budget *b,
                     const struct expression *expression, const struct expression_table *table,
                     const struct budget_lateness *late) {
  size_t count = table->occurrences.count;
  struct rational *terms = mem_alloc(count + 1, sizeof *terms);
  bool promised = true;
  for (size_t i = 0; i < count; i++) {
    const struct occurrence *occurrence = table->occurrences.data[i];
    size_t g = part_called(b, part_name(occurrence, &b->request->groups));
    rational_init(&terms[i]);
    promised &= g < b->parts.count;
    if (promised)
      rational_set_integer(&terms[i], time_of(b, g, occurrence, late));
  }
  if (promised)
    expression_value(value, expression, terms, NULL, NULL);
  for (size_t i = 0; i < count; i++)
    rational_clear(&terms[i]);
  mem_free(terms);
  return promised;
}

static bool is_met(const struct budget *b, const struct budget_lateness *late) {
  struct rational value;
  rational_init(&value);
  bool good = value_at(&value, b, b->calculation.expression, &b->calculation.table, late);
  int order = rational_compare(&value, &b->slos.data[0].limit_ns);
  rational_clear(&value);
  return good && (b->slos.data[0].strict ? order < 0 : order <= 0);
}

/* The greatest `extra` with which the objective is met; -1: any, or none. */
static int64_t most_extra(const struct budget *b, struct budget_lateness late) {
  int64_t good = 0, bad = INT64_MAX / 4;
  late.extra = bad;
  bool any = is_met(b, &late);
  late.extra = good;
  if (any || !is_met(b, &late))
    return -1;
  while (bad - good > 1) {
    late.extra = good + (bad - good) / 2;
    *(is_met(b, &late) ? &good : &bad) = late.extra;
  }
  return good;
}

/* When it is too late for the message, which has come after `timeout` ns if all that the invariant
 * has, `before`, is as promised. It may come later by what the bound has left. But the invariant may
 * be far from the earliest time: then the message is late only because its own delay is, and all
 * before it took no time. So it is never later than what is left of the objective for that delay. */
static int64_t until_of(const struct budget *b, const char *message, int64_t timeout,
                        const struct expression_table *before) {
  int64_t slack = most_extra(b, (struct budget_lateness){.message = message});
  int64_t most = most_extra(b, (struct budget_lateness){.message = message, .spent = before});
  if (slack < 0 || most < 0 || timeout > INT64_MAX / 4)
    return -1;
  return timeout + slack < most ? timeout + slack : most;
}

static struct budget_deadline *deadline_of(struct budget *b, const struct message *message) {
  for (size_t i = 0; i < b->deadlines.count; i++)
    if (b->deadlines.data[i].message == message->name)
      return &b->deadlines.data[i];
  return NULL;
}

/* Of several invariants on one message the one with the earliest time. */
static void keep(struct budget *b, const struct message *message, int64_t timeout, int64_t until) {
  struct budget_deadline *known = deadline_of(b, message);
  struct budget_deadline own = {message->name, (uint64_t)timeout, (uint64_t)until};
  if (until < timeout)
    return;
  if (known == NULL)
    vector_push(&b->deadlines, own);
  else if (own.timeout_ns < known->timeout_ns)
    *known = own;
}

static void add(struct budget *b, const struct bound *bound, const struct parameters *values) {
  struct expression_table table;
  const struct expression *expression = NULL;
  struct text unused;
  struct rational value;
  int64_t ns = 0;
  expression_table_init(&table);
  text_init(&unused);
  rational_init(&value);
  if (bound_instantiate_at(&expression, &table, b->calculation.protocol.model, bound, NULL,
                           values->values, values->given, values->times, &unused) == STATUS_OK &&
      value_at(&value, b, expression, &table, NULL) && rational_ceil(&ns, &value))
    keep(b, bound->message, ns, until_of(b, bound->message->name, ns, &table));
  rational_clear(&value);
  text_clear(&unused);
  expression_table_clear(&table);
}

static int by_time(const void *left, const void *right) {
  const struct budget_deadline *a = left, *b = right;
  return a->timeout_ns < b->timeout_ns ? -1 : a->timeout_ns > b->timeout_ns;
}

void deadlines_find(struct budget *b) {
  const struct model *model = b->calculation.protocol.model;
  struct parameters values;
  const struct asker nobody = {0};
  if (b->request->each || b->calculation.stream != NULL)
    return;
  if (parameters_read(&values, model, &b->request->of.set, &nobody) == STATUS_OK)
    for (size_t i = 0; i < model->invariants.count; i++) {
      struct bound bound;
      const struct invariant *invariant = model->invariants.items[i];
      if (!invariant->hidden && as_bound(&bound, invariant))
        add(b, &bound, &values);
    }
  parameters_clear(&values);
  if (b->deadlines.count != 0)
    qsort(b->deadlines.data, b->deadlines.count, sizeof *b->deadlines.data, by_time);
}
