/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * When a step happens, and whether the timing rules of lang/model.h allow it then (execution.h).
 */
#include "solver/judge/execution.h"
#include "solver/judge/valuation.h"

static const struct rational *value_of(const struct execution *x, const struct occurrence *o) {
  return x->e.valuation->term(o, x->e.valuation->context);
}

void execution_begin(struct execution *x) {
  const struct action *action = x->step->action;
  const struct rational *clock = world_clock(x->world, action->role, x->step->node);
  rational_set(&x->start, clock);
  if (action->loses) {
    rational_set(&x->start, &x->received->delivered);
  } else if (x->received != NULL) {
    rational_max(&x->start, clock, &x->received->delivered);
  } else if (action->timeout != NULL) {
    const struct occurrence *u = interpreter_execution(x->e.interpreter, action->timeout,
                                                       x->world->step_count, action->cost_count);
    rational_add(&x->start, clock, value_of(x, u));
    if (x->record != NULL)
      x->record->timeout = u;
  } else if (action->timer != NULL) {
    evaluate_time(&x->scratch, &x->e, action->timer);
    rational_max(&x->start, clock, &x->scratch);
  }
  rational_set(&x->end, &x->start);
}

enum step_result execution_read(struct execution *x) {
  if (x->step->action->read == NULL)
    return STEP_TAKEN;
  const struct occurrence *offset = interpreter_read(x->e.interpreter, x->world->step_count);
  const struct rational *value = value_of(x, offset);
  rational_add(&x->read, &x->start, value);
  x->e.read = &x->read;
  if (x->record != NULL) {
    x->record->read = offset;
    rational_set(&x->record->read_at, &x->read);
  }
  bool inside = rational_sign(value) >= 0 && rational_compare(&x->read, &x->end) <= 0;
  return inside ? STEP_TAKEN : STEP_READ_OUTSIDE;
}

/* tM + Queuing(m) into scratch; false without a queueing term. */
static bool latest_start(struct execution *x, const struct world_message *m) {
  const struct occurrence *wait = interpreter_wait(x->e.interpreter, m->message, m->fields);
  if (wait == NULL)
    return false;
  rational_add(&x->scratch, &m->delivered, value_of(x, wait));
  return true;
}

/* Whether a node in the action's slot waits until the message is delivered. */
static bool waits_for(struct execution *x, const struct action *action, int64_t node,
                      const struct world_message *m) {
  if (action->schedule == NULL || action->schedule->timeout == NULL)
    return true;
  const struct valuation *v = x->e.valuation;
  rational_add(&x->scratch, world_clock(x->world, action->role, node),
               v->bare(action->schedule->timeout, v->context));
  return rational_compare(&m->delivered, &x->scratch) <= 0;
}

/* Whether a guard depends on the clock that the step reads: then nobody can say before it whether
 * the step can be taken. */
static bool guards_read(const struct action *action) {
  for (size_t i = 0; i < action->guard_count && action->read != NULL; i++)
    if (evaluate_mentions_read(action->guards[i]))
      return true;
  return false;
}

/* Whether some action could receive the message, for some choice, whatever a clock read shows. */
static bool could_be_received(struct execution *x, const struct world_message *m) {
  struct interpretation e = x->e;
  e.read = NULL;
  const struct model *model = e.interpreter->model;
  for (size_t i = 0; i < model->actions.count; i++) {
    const struct action *action = model->actions.items[i];
    if (action->message != m->message || guards_read(action) || action->loses)
      continue;
    struct step step = {.action = action, .node = m->receiver};
    for (size_t f = 0; f < INDEX_COUNT_MAX; f++)
      step.fields[f] = m->fields[f];
    if (execution_possible(&e, &step) && waits_for(x, action, m->receiver, m))
      return true;
  }
  return false;
}

/* Whether the node could receive a message that was delivered before the one it receives. The
 * bindings of the step's own action are lost. */
static bool was_earlier(struct execution *x) {
  const struct role *role = x->step->action->role;
  size_t cursor = 0;
  for (const struct world_message *m; (m = world_next_ready(x->world, &cursor)) != NULL;) {
    if (m->message->receiver == role && m->receiver == x->step->node &&
        rational_compare(&m->delivered, &x->received->delivered) < 0 && could_be_received(x, m))
      return true;
  }
  return false;
}

/* Whether a message of a higher priority that the node could receive was there when the step
 * starts. The bindings of the step's own action are lost. */
static bool passes_over(struct execution *x) {
  const struct role *role = x->step->action->role;
  size_t cursor = 0;
  for (const struct world_message *m; (m = world_next_ready(x->world, &cursor)) != NULL;) {
    if (m->message->priority > x->received->message->priority && m->message->receiver == role &&
        m->receiver == x->step->node && rational_compare(&m->delivered, &x->start) < 0 &&
        could_be_received(x, m))
      return true;
  }
  return false;
}

static enum step_result receive_in_time(struct execution *x) {
  if (x->received == NULL)
    return STEP_TAKEN;
  const struct action *action = x->step->action;
  if (!waits_for(x, action, x->step->node, x->received))
    return STEP_WAITS_TOO_LONG;
  if (passes_over(x))
    return STEP_PASSES_OVER;
  if (x->e.interpreter->model->timing == TIMING_ADVANCED) {
    const struct rational *arrival = world_arrival(x->world, action->role, x->step->node);
    bool late = rational_compare(arrival, &x->received->delivered) > 0;
    return late || was_earlier(x) ? STEP_OVERTAKES : STEP_TAKEN;
  }
  const struct rational *clock = world_clock(x->world, action->role, x->step->node);
  bool late = latest_start(x, x->received) && rational_compare(clock, &x->scratch) > 0;
  return late ? STEP_WAIT_EXCEEDED : STEP_TAKEN;
}

static bool passes_message(struct execution *x) {
  size_t cursor = 0;
  for (const struct world_message *m; (m = world_next_ready(x->world, &cursor)) != NULL;) {
    if (!latest_start(x, m) || rational_compare(&x->start, &x->scratch) <= 0)
      continue;
    if (could_be_received(x, m))
      return true;
  }
  return false;
}

static bool passes_timer_at(struct execution *x, const struct action *action, int64_t node) {
  struct interpretation e = x->e;
  e.read = NULL;
  struct step step = {.action = action, .node = node};
  if (!execution_possible(&e, &step))
    return false;
  evaluate_time(&x->scratch, &e, action->timer);
  rational_max(&x->scratch, &x->scratch, world_clock(x->world, action->role, node));
  return rational_compare(&x->start, &x->scratch) > 0;
}

static bool passes_timer(struct execution *x) {
  const struct interpreter *in = x->e.interpreter;
  for (size_t i = 0; i < in->model->actions.count; i++) {
    const struct action *action = in->model->actions.items[i];
    if (action->timer == NULL || guards_read(action))
      continue;
    for (int64_t node = 0; node < in->role_sizes[action->role->id]; node++)
      if (passes_timer_at(x, action, node))
        return true;
  }
  return false;
}

/* The bindings of the step's own action are lost. */
static enum step_result in_global_order(struct execution *x) {
  if (rational_compare(&x->world->now, &x->start) > 0)
    return STEP_TOO_EARLY;
  return passes_message(x) || passes_timer(x) ? STEP_TOO_LATE : STEP_TAKEN;
}

enum step_result execution_timing(struct execution *x) {
  if (x->step->action->loses)
    return STEP_TAKEN;
  enum step_result result = receive_in_time(x);
  if (result == STEP_TAKEN && x->e.interpreter->model->timing == TIMING_EAGER)
    result = in_global_order(x);
  return result;
}

static void add_cost(struct execution *x, const struct component *component,
                     const struct occurrence *o, void *context) {
  (void)component;
  (void)context;
  rational_add(&x->end, &x->end, value_of(x, o));
}

void step_window(struct rational *start, struct rational *end, struct world *world,
                 const struct step *step, const struct valuation *valuation) {
  struct interpreter *in = world->interpreter;
  struct execution x = {.world = world, .step = step, .timed = true};
  x.e = (struct interpretation){
      .interpreter = in, .world = world, .valuation = valuation, .bindings = in->scratch};
  rational_init(&x.start);
  rational_init(&x.end);
  rational_init(&x.scratch);
  x.received = step_message(world, step);
  execution_guards(&x.e, step);
  execution_begin(&x);
  execution_costs(&x, add_cost, NULL);
  rational_set(start, &x.start);
  rational_set(end, &x.end);
  rational_clear(&x.start);
  rational_clear(&x.end);
  rational_clear(&x.scratch);
}
