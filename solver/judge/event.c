/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/judge/event.h"

#include <stdlib.h>

#include "solver/judge/limits.h"

static const struct world_message *find_message(const struct interpretation *e,
                                                const struct message *message,
                                                const struct term *const *args) {
  int64_t fields[INDEX_COUNT_MAX];
  for (size_t i = 0; i < message->field_count; i++)
    fields[i] = evaluate_scalar(e, args[i]);
  return world_message(e->world, message, fields);
}

bool event_begun(struct rational *time, const struct world *world, const struct bound *bound,
                 int64_t *bindings) {
  struct interpretation e = {
      .interpreter = world->interpreter, .world = world, .bindings = bindings};
  if (time != NULL)
    rational_set_integer(time, 0);
  if (bound->from == NULL)
    return true;
  const struct world_message *m = find_message(&e, bound->from, bound->from_args);
  if (m != NULL && time != NULL)
    rational_set(time, &m->sent_at);
  return m != NULL;
}

bool event_happened(struct rational *time, const struct world *world, const struct bound *bound,
                    const struct valuation *valuation, int64_t *bindings) {
  struct interpretation e = {.interpreter = world->interpreter,
                             .world = world,
                             .valuation = valuation,
                             .bindings = bindings};
  if (!event_begun(NULL, world, bound, bindings))
    return false;
  if (bound->target != TARGET_WHEN) {
    const struct world_message *m = find_message(&e, bound->message, bound->args);
    if (m != NULL && time != NULL)
      rational_set(time, bound->target == TARGET_SENT ? &m->sent_at : &m->delivered);
    return m != NULL;
  }
  bool before = e.interpreter->overflow;
  e.interpreter->overflow = false;
  bool holds = evaluate_truth(&e, bound->formula) != TRUTH_FALSE && !e.interpreter->overflow;
  e.interpreter->overflow |= before;
  if (!holds)
    return false;
  if (time != NULL)
    rational_set(time,
                 world_clock(world, bound->node->type.role, evaluate_scalar(&e, bound->node)));
  return true;
}

/* --- the values of a bound's variables -------------------------------------------------------- */

/* Of each variable the values that a message which was sent has in the variable's place: no other
 * value can matter, however far the numbers of the world lie apart. */
struct event_values {
  const struct bound *bound;
  bool happened; /* the message of the target was sent, too */
  bool (*visit)(const struct interpretation *, void *);
  void *context;
  size_t at; /* the variable whose values are tried */
};

typedef VECTOR(int64_t) field_values;

static bool visit_values(const struct interpretation *e, void *context);

static size_t place_of(const struct variable *v, const struct term *const *args, size_t count) {
  size_t i = 0;
  while (i < count && (args[i]->kind != TERM_VARIABLE || args[i]->variable->id != v->id))
    i++;
  return i;
}

/* Whether the variables before `at` have the values that stand in their places in m. */
static bool fits(const struct interpretation *e, const struct event_values *values,
                 const struct world_message *m, const struct term *const *args) {
  for (size_t i = 0; i < values->at; i++) {
    const struct variable *v = values->bound->variables[i];
    size_t place = place_of(v, args, m->message->field_count);
    if (place < m->message->field_count && m->fields[place] != e->bindings[v->id])
      return false;
  }
  return true;
}

static int by_value(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

static void add_sent(field_values *found, const struct interpretation *e,
                     const struct event_values *values, size_t place, const struct message *message,
                     const struct term *const *args) {
  for (size_t i = 0; i < e->world->messages.count; i++) {
    const struct world_message *m = &e->world->messages.data[i];
    if (m->message == message && fits(e, values, m, args))
      vector_push(found, m->fields[place]);
  }
  qsort(found->data, found->count, sizeof *found->data, by_value);
}

/* Whether the value is in the variable's range, if it has one. */
static bool is_in_range(const struct interpretation *e, const struct variable *v, int64_t value) {
  return v->domain != DOMAIN_RANGE ||
         (evaluate_scalar(e, v->low) <= value && value <= evaluate_scalar(e, v->high));
}

static bool visit_sent(const struct interpretation *e, struct event_values *values, size_t place,
                       const struct message *message, const struct term *const *args) {
  const struct variable *v = values->bound->variables[values->at];
  field_values found = {0};
  add_sent(&found, e, values, place, message, args);
  size_t at = values->at++;
  bool all = true;
  for (size_t i = 0; all && i < found.count; i++) {
    e->bindings[v->id] = found.data[i];
    if ((i == 0 || found.data[i] != found.data[i - 1]) && is_in_range(e, v, found.data[i]))
      all = visit_values(e, values);
  }
  values->at = at;
  vector_clear(&found);
  return all;
}

static bool visit_next(const struct interpretation *e, void *context) {
  struct event_values *values = context;
  values->at++;
  bool all = visit_values(e, values);
  values->at--;
  return all;
}

static bool visit_values(const struct interpretation *e, void *context) {
  struct event_values *values = context;
  const struct bound *bound = values->bound;
  if (values->at == bound->variable_count)
    return values->visit(e, values->context);
  const struct variable *v = bound->variables[values->at];
  size_t fields = bound->from == NULL ? 0 : bound->from->field_count;
  size_t place = place_of(v, bound->from_args, fields);
  if (place < fields)
    return visit_sent(e, values, place, bound->from, bound->from_args);
  fields = !values->happened || bound->target == TARGET_WHEN ? 0 : bound->message->field_count;
  place = place_of(v, bound->args, fields);
  if (place < fields)
    return visit_sent(e, values, place, bound->message, bound->args);
  return evaluate_each(e, &bound->variables[values->at], 1, visit_next, values);
}

bool event_each_begun(const struct interpretation *e, const struct bound *bound,
                      bool (*visit)(const struct interpretation *, void *), void *context) {
  struct event_values values = {.bound = bound, .visit = visit, .context = context};
  return visit_values(e, &values);
}

bool event_each_happened(const struct interpretation *e, const struct bound *bound,
                         bool (*visit)(const struct interpretation *, void *), void *context) {
  struct event_values values = {
      .bound = bound, .happened = true, .visit = visit, .context = context};
  return visit_values(e, &values);
}

/* --- what has happened ------------------------------------------------------------------------ */

static bool event_missing(const struct interpretation *e, void *context) {
  return !event_happened(NULL, e->world, context, e->valuation, e->bindings);
}

bool event_happened_for_any(const struct world *world, const struct bound *bound,
                            const struct valuation *valuation, int64_t *bindings) {
  struct interpretation e = {.interpreter = world->interpreter,
                             .world = world,
                             .valuation = valuation,
                             .bindings = bindings};
  return !event_each_happened(&e, bound, event_missing, (void *)bound);
}

bool event_limit(struct rational *limit, const struct interpretation *e,
                 const struct bound *bound) {
  bool before = e->interpreter->overflow;
  e->interpreter->overflow = false;
  evaluate_time(limit, e, bound->expression);
  bool known = !e->interpreter->overflow;
  e->interpreter->overflow |= before;
  return known;
}

struct worst {
  const struct bound *bound;
  struct limits limits;
  struct rational *time, *limit;
  struct rational begun, time_here, limit_here, excess, excess_here;
  bool happened;
  int64_t *values; /* of the bound's variables, at the worst */
};

static void keep_worst(struct worst *worst, const struct interpretation *e) {
  rational_set(worst->time, &worst->time_here);
  rational_set(worst->limit, &worst->limit_here);
  rational_set(&worst->excess, &worst->excess_here);
  worst->happened = true;
  for (size_t i = 0; i < worst->bound->variable_count; i++)
    worst->values[i] = e->bindings[worst->bound->variables[i]->id];
}

static bool visit_worst(const struct interpretation *e, void *context) {
  struct worst *worst = context;
  if (!event_happened(&worst->time_here, e->world, worst->bound, e->valuation, e->bindings))
    return true;
  event_begun(&worst->begun, e->world, worst->bound, e->bindings);
  rational_sub(&worst->time_here, &worst->time_here, &worst->begun);
  if (worst->bound->expression != NULL && !limits_at(&worst->limit_here, &worst->limits)) {
    rational_set_integer(&worst->limit_here, 1);
    rational_add(&worst->limit_here, &worst->limit_here, &worst->time_here);
  }
  rational_sub(&worst->excess_here, &worst->time_here, &worst->limit_here);
  if (!worst->happened || rational_compare(&worst->excess_here, &worst->excess) > 0)
    keep_worst(worst, e);
  return true;
}

bool event_worst(struct rational *time, struct rational *limit, const struct world *world,
                 const struct bound *bound, const struct valuation *valuation, int64_t *bindings) {
  struct interpretation e = {.interpreter = world->interpreter,
                             .world = world,
                             .valuation = valuation,
                             .bindings = bindings};
  struct worst worst = {.bound = bound, .time = time, .limit = limit};
  worst.values = mem_alloc(bound->variable_count, sizeof *worst.values);
  rational_init(&worst.begun);
  rational_init(&worst.time_here);
  rational_init(&worst.limit_here); /* stays 0 without an expression */
  rational_init(&worst.excess);
  rational_init(&worst.excess_here);
  limits_init(&worst.limits, bound, &e);
  event_each_happened(&e, bound, visit_worst, &worst);
  limits_clear(&worst.limits);
  for (size_t i = 0; worst.happened && i < bound->variable_count; i++)
    bindings[bound->variables[i]->id] = worst.values[i];
  mem_free(worst.values);
  rational_clear(&worst.begun);
  rational_clear(&worst.time_here);
  rational_clear(&worst.limit_here);
  rational_clear(&worst.excess);
  rational_clear(&worst.excess_here);
  return worst.happened;
}
