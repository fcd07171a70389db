/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/search/attack_walk.h"
#include "solver/encode/urgency.h"
#include "solver/judge/valuation.h"

#include <string.h>

static struct interpretation evaluation_of(struct attack *a) {
  return (struct interpretation){
      .interpreter = a->interpreter, .world = a->world, .bindings = a->interpreter->scratch};
}

static const struct arrival *arrival_of(struct attack *a, const struct message *message,
                                        const int64_t *fields) {
  const struct occurrence *delay = interpreter_delay(a->interpreter, message, fields);
  for (size_t i = 0; i < a->arrivals.count; i++)
    if (a->arrivals.data[i].delay == delay)
      return &a->arrivals.data[i];
  bug("a message is received that was never sent");
}

static void require(struct attack *a, smt_term fact) {
  smt_assert(a->smt, fact);
}

/* The later of two times: a number, which the solver reasons about more easily than about a choice
 * between terms. */
static smt_term later(struct attack *a, smt_term x, smt_term y) {
  if (x == y)
    return x;
  smt_term made = smt_fresh(a->smt, "later", smt_sort_real(a->smt));
  require(a, smt_le(a->smt, x, made));
  require(a, smt_le(a->smt, y, made));
  require(a, smt_or2(a->smt, smt_le(a->smt, made, x), smt_le(a->smt, made, y)));
  return made;
}

/* A choice without a name: a real that is at least 0 and at most `most`. */
static smt_term choose(struct attack *a, const struct occurrence *o, smt_term most) {
  smt_term made = smt_fresh(a->smt, "choice", smt_sort_real(a->smt));
  require(a, smt_le(a->smt, smt_real_zero(a->smt), made));
  require(a, smt_le(a->smt, made, most));
  bool is_read = values_component(a->interpreter->model, o) == NULL;
  vector_push(&a->chosen, (struct chosen){o, made, is_read});
  return made;
}

static smt_term execution(struct attack *a, const struct component *component, size_t choice) {
  const struct occurrence *o =
      interpreter_execution(a->interpreter, component, a->world->step_count, choice);
  return choose(a, o, encode_bare(&a->encoder, component));
}

static size_t node_of(struct attack *a, const struct step *step) {
  return interpreter_node(a->interpreter, step->action->role, step->node);
}

static void bind(struct attack *a, const struct step *step) {
  int64_t *bindings = a->interpreter->scratch;
  const struct action *action = step->action;
  bindings[action->node->id] = step->node;
  for (size_t i = 0; action->message != NULL && i < action->message->field_count; i++)
    bindings[action->fields[i]->id] = step->fields[i];
  for (size_t i = 0; i < action->choice_count; i++)
    bindings[action->choices[i]->id] = step->choices[i];
}

/* --- the rules of the timing models ----------------------------------------------------------- */

static smt_term latest_start(struct attack *a, const struct arrival *arrival) {
  const struct occurrence *wait =
      interpreter_wait(a->interpreter, arrival->message, arrival->fields);
  return smt_add(a->smt, arrival->delivered, attack_occurrence(a, wait));
}

static smt_term waits_for(struct attack *a, const struct action *action, smt_term clock,
                          smt_term delivered) {
  if (action->schedule == NULL || action->schedule->timeout == NULL)
    return smt_bool(a->smt, true);
  smt_term most = encode_bare(&a->encoder, action->schedule->timeout);
  return smt_le(a->smt, delivered, smt_add(a->smt, clock, most));
}

static smt_term guards(struct attack *a, const struct step *step) {
  struct interpretation e = evaluation_of(a);
  smt_term all = smt_bool(a->smt, true);
  for (size_t i = 0; i < step->action->guard_count; i++)
    all = smt_and2(a->smt, all, attack_residual(a, &e, step->action->guards[i]));
  return all;
}

/* The listed step is of an action that urgency concerns, and receives. */
static void not_earlier(struct attack *a, smt_term taken, const struct step *step) {
  const struct arrival *arrival = arrival_of(a, step->action->message, step->fields);
  smt_term clock = a->clocks[node_of(a, step)];
  bind(a, step);
  smt_term could =
      smt_and2(a->smt, waits_for(a, step->action, clock, arrival->delivered), guards(a, step));
  require(a, smt_implies(a->smt, could, smt_le(a->smt, taken, arrival->delivered)));
}

/* No message of a priority above `above` that the node could take was there before `taken`. */
static void none_before(struct attack *a, const struct step *step, smt_term taken, int64_t above) {
  step_vector steps = {0};
  step_list_node(&steps, a->world, step->action->role, step->node);
  for (size_t i = 0; i < steps.count; i++) {
    const struct action *action = steps.data[i].action;
    if (action->message != NULL && action->message->priority > above && urgency_concerns(action))
      not_earlier(a, taken, &steps.data[i]);
  }
  vector_clear(&steps);
  bind(a, step);
}

/* The node takes what was delivered first. */
static void in_order(struct attack *a, const struct step *step, smt_term delivered) {
  require(a, smt_le(a->smt, a->waited_for[node_of(a, step)], delivered));
  none_before(a, step, delivered, -1);
}

static smt_term receive(struct attack *a, const struct step *step, smt_term clock) {
  const struct model *model = a->interpreter->model;
  const struct arrival *arrival = arrival_of(a, step->action->message, step->fields);
  smt_term delivered = arrival->delivered;
  require(a, waits_for(a, step->action, clock, delivered));
  if (model->timing == TIMING_ADVANCED)
    in_order(a, step, delivered);
  else if (model->queueing != NULL)
    require(a, smt_le(a->smt, clock, latest_start(a, arrival)));
  a->waited_for[node_of(a, step)] = delivered;
  smt_term start = clock == smt_real_zero(a->smt) ? delivered : later(a, clock, delivered);
  none_before(a, step, start, step->action->message->priority);
  return start;
}

/* The listed step is of an action that urgency concerns. */
static void not_later(struct attack *a, smt_term start, const struct step *step) {
  const struct action *action = step->action;
  smt_term clock = a->clocks[node_of(a, step)];
  smt_term due, limit;
  bind(a, step);
  if (action->message != NULL) {
    const struct arrival *arrival = arrival_of(a, action->message, step->fields);
    due = waits_for(a, action, clock, arrival->delivered);
    limit = latest_start(a, arrival);
  } else {
    struct interpretation e = evaluation_of(a);
    due = smt_bool(a->smt, true);
    limit = later(a, clock, attack_time(a, &e, action->timer));
  }
  due = smt_and2(a->smt, due, guards(a, step));
  require(a, smt_implies(a->smt, due, smt_le(a->smt, start, limit)));
}

static void in_global_order(struct attack *a, smt_term start) {
  require(a, smt_le(a->smt, a->now, start));
  a->now = start;
  smt_term read = a->read;
  a->read = NULL;
  step_vector steps = {0};
  step_list(&steps, a->world);
  for (size_t i = 0; i < steps.count; i++) {
    const struct action *action = steps.data[i].action;
    bool message = action->message != NULL && a->interpreter->model->queueing != NULL;
    if (urgency_concerns(action) && (message || action->timer != NULL))
      not_later(a, start, &steps.data[i]);
  }
  vector_clear(&steps);
  a->read = read;
}

/* --- one step --------------------------------------------------------------------------------- */

static smt_term begin(struct attack *a, const struct step *step) {
  const struct action *action = step->action;
  smt_term clock = a->clocks[node_of(a, step)], start = clock;
  struct interpretation e = evaluation_of(a);
  if (action->message != NULL)
    return receive(a, step, clock);
  if (action->timeout != NULL)
    start = smt_add(a->smt, clock, execution(a, action->timeout, action->cost_count));
  else if (action->timer != NULL)
    start = later(a, clock, attack_time(a, &e, action->timer));
  if (action->timeout != NULL || action->timer != NULL) {
    smt_term *arrival = &a->waited_for[node_of(a, step)];
    bool idle = action->idle;
    *arrival = idle ? start : smt_if(a->smt, smt_lt(a->smt, clock, start), start, *arrival);
  }
  return start;
}

static smt_term cost_term(struct attack *a, const struct occurrence *o) {
  const struct component *component = values_component(a->interpreter->model, o);
  if (!component->repeated)
    return attack_occurrence(a, o);
  return choose(a, o, encode_bare(&a->encoder, component));
}

static smt_term finish(struct attack *a, const struct step_record *record, smt_term start) {
  smt_term end = start;
  for (size_t i = 0; i < record->costs.count; i++)
    end = smt_add(a->smt, end, cost_term(a, record->costs.data[i]));
  return end;
}

static void assign_times(struct attack *a, const struct step_record *record) {
  struct interpretation e = evaluation_of(a);
  a->powers = record->powers.data;
  for (size_t i = 0; i < record->time_assignments.count; i++) {
    const struct statement *s = record->time_assignments.data[i];
    size_t at = a->interpreter->time_offsets[s->state->id] + (size_t)record->step.node;
    a->times[at] = attack_time(a, &e, s->value);
  }
  a->powers = NULL;
}

/* When the pacer lets a message go that the node sends at `end`; *left: when it leaves. */
static smt_term pace(struct attack *a, const struct pacer *pacer, int64_t node, smt_term end,
                     smt_term *left) {
  struct interpretation e = evaluation_of(a);
  smt_term *next = &a->times[a->interpreter->time_offsets[pacer->state->id] + (size_t)node];
  smt_term tolerance = attack_time(a, &e, pacer->tolerance);
  if (pacer->holds)
    *left = later(a, smt_sub(a->smt, *next, tolerance), end);
  else
    require(a, smt_le(a->smt, *next, smt_add(a->smt, end, tolerance)));
  smt_term paced = later(a, *next, end);
  *next = smt_add(a->smt, paced, attack_time(a, &e, pacer->every));
  return paced;
}

static void send_all(struct attack *a, const struct step_record *record, smt_term end) {
  for (size_t i = 0; i < record->sent.count; i++) {
    const struct record_message *sent = &record->sent.data[i];
    struct arrival made = {.delay = sent->delay, .message = sent->message, .end = end};
    const struct pacer *pacer = sent->message->pacer;
    smt_term left = end;
    made.paced = pacer == NULL ? NULL : pace(a, pacer, record->step.node, end, &left);
    made.delivered = smt_add(a->smt, left, attack_occurrence(a, sent->delay));
    memcpy(made.fields, sent->fields, sizeof made.fields);
    vector_push(&a->arrivals, made);
  }
}

/* The step's effects on control are known from `record`; the world is still the one before. */
static void step_times(struct attack *a, const struct step *step,
                       const struct step_record *record) {
  bind(a, step);
  smt_term start = begin(a, step), end = finish(a, record, start);
  a->read = NULL;
  if (step->action->read != NULL) {
    const struct occurrence *o = interpreter_read(a->interpreter, a->world->step_count);
    smt_term offset = choose(a, o, smt_sub(a->smt, end, start));
    a->read = smt_add(a->smt, start, offset);
  }
  require(a, guards(a, step));
  if (a->interpreter->model->timing == TIMING_EAGER) {
    in_global_order(a, start);
    bind(a, step);
  }
  assign_times(a, record);
  a->clocks[node_of(a, step)] = end;
  send_all(a, record, end);
}

bool attack_step(struct attack *a, const struct step *step) {
  struct step_record record;
  record_init(&record);
  struct world *after = world_copy(a->world);
  bool taken = step_take(after, step, NULL, &record) == STEP_TAKEN;
  if (taken && !step->action->loses)
    step_times(a, step, &record);
  world_free(a->world);
  a->world = after;
  record_clear(&record);
  return taken && !a->lost;
}

void attack_begin(struct attack *a) {
  struct interpreter *in = a->interpreter;
  struct arena *arena = &a->encoder.arena;
  a->world = world_new(in, NULL);
  a->clocks = arena_alloc(arena, in->node_count, sizeof(smt_term));
  a->waited_for = arena_alloc(arena, in->node_count, sizeof(smt_term));
  a->times = arena_alloc(arena, in->time_count, sizeof(smt_term));
  for (size_t i = 0; i < in->node_count; i++)
    a->clocks[i] = a->waited_for[i] = smt_real_zero(a->smt);
  a->now = smt_real_zero(a->smt);
  struct interpretation e = evaluation_of(a);
  for (size_t i = 0; i < in->model->states.count; i++) {
    const struct state *state = in->model->states.items[i];
    for (int64_t n = 0; state->type.kind == TYPE_TIME && n < in->role_sizes[state->role->id]; n++) {
      in->scratch[state->self->id] = n;
      a->times[in->time_offsets[i] + (size_t)n] = attack_time(a, &e, state->initial);
    }
  }
}
