/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/judge/event.h"

#include "solver/judge/evaluate.h"

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
  if (evaluate_truth(&e, bound->formula) == TRUTH_FALSE)
    return false;
  if (time != NULL)
    rational_set(time,
                 world_clock(world, bound->node->type.role, evaluate_scalar(&e, bound->node)));
  return true;
}

static bool event_missing(const struct interpretation *e, void *context) {
  return !event_happened(NULL, e->world, context, e->valuation, e->bindings);
}

bool event_happened_for_any(const struct world *world, const struct bound *bound,
                            const struct valuation *valuation, int64_t *bindings) {
  struct interpretation e = {.interpreter = world->interpreter,
                             .world = world,
                             .valuation = valuation,
                             .bindings = bindings};
  return !evaluate_each(&e, bound->variables, bound->variable_count, event_missing, (void *)bound);
}

struct worst {
  const struct bound *bound;
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
  if (worst->bound->expression != NULL)
    evaluate_time(&worst->limit_here, e, worst->bound->expression);
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
  evaluate_each(&e, bound->variables, bound->variable_count, visit_worst, &worst);
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
