/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/simulate/machines.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "solver/judge/evaluate.h"
#include "solver/judge/event.h"
#include "solver/judge/limits.h"
#include "solver/judge/replay.h"
#include "solver/judge/world_index.h"
#include "solver/simulate/next.h"

/* How often a run looks whether all that began has ended; and for how many steps more than it took
 * to the first event the others are waited for. */
enum { LOOK_EVERY = 64, LOOK_FURTHER = 100 };

/* So many steps at one moment are taken for steps without end. */
enum { STANDS_AFTER = 1000 };

/* --- times ------------------------------------------------------------------------------------ */

static size_t channel_of(const struct machines *m, const struct occurrence *delay,
                         const struct message *message) {
  const struct interpreter *in = m->interpreter;
  int field = message->receiver_field;
  int64_t node = field < 0 ? 0
                           : evaluate_of_role(in, message->fields[field].type.role,
                                              message->receiver, delay->indices[field]);
  return m->sender * in->node_count + interpreter_node(in, message->receiver, node);
}

static const struct message *message_of(const struct model *model, const struct occurrence *o) {
  for (size_t i = 0; i < model->messages.count; i++)
    if (o->message != NULL && strcmp(model->messages.items[i]->name, o->message) == 0)
      return model->messages.items[i];
  return NULL;
}

/* When the message leaves whose delay is asked for: a pacer may hold it beyond the end of its step.
 */
static const struct rational *leaving_of(const struct machines *m, const struct occurrence *o,
                                         const struct message *message) {
  return message->pacer != NULL && message->pacer->holds
             ? &world_message(m->world, message, o->indices)->delivered
             : &m->step_end;
}

/* What would overtake on a FIFO channel comes when the one before it does. */
static void hold_back(struct machines *m, const struct occurrence *o, struct rational *value) {
  const struct message *message = message_of(m->interpreter->model, o);
  if (message == NULL || !message->fifo)
    return;
  const struct rational *left = leaving_of(m, o, message);
  struct rational *last = &m->delivered[channel_of(m, o, message)], at;
  rational_init(&at);
  rational_add(&at, left, value);
  if (rational_compare(&at, last) < 0)
    rational_sub(value, last, left);
  else
    rational_set(last, &at);
  rational_clear(&at);
}

static void draw_value(struct machines *m, const struct component *component,
                       const struct occurrence *o) {
  struct rational value;
  rational_init(&value);
  int64_t ns = 0;
  if (component != NULL && !m->supply->draw(m->supply->context, component, o, &ns))
    m->stopped = true;
  rational_set_integer(&value, ns);
  if (component != NULL && component->kind == COMPONENT_DELAY)
    hold_back(m, o, &value);
  values_set(&m->values, o, &value);
  rational_clear(&value);
}

/* A wait that is not over is as long as it takes; a clock is read at once unless said otherwise. */
static const struct rational *term_value(const struct occurrence *o, void *context) {
  struct machines *m = context;
  const struct component *component = values_component(m->interpreter->model, o);
  if (!values_is_set(&m->values, o)) {
    if (component != NULL && component->kind == COMPONENT_QUEUEING)
      return &m->wait_unknown;
    draw_value(m, component, o);
  }
  const struct rational *value = values_term(&m->values, o);
  if (component != NULL && component->kind == COMPONENT_STEP)
    rational_add(&m->step_end, &m->step_end, value);
  return value;
}

static const struct rational *bare_value(const struct component *component, void *context) {
  struct machines *m = context;
  return values_bare(&m->values, component);
}

void machines_init(struct machines *m) {
  const struct interpreter *in = m->interpreter;
  size_t nodes = in->node_count, actions = in->model->actions.count;
  values_init(&m->values, in->model);
  m->valuation = (struct valuation){term_value, bare_value, m};
  m->steps = (step_vector){0};
  m->world = NULL;
  m->fault = NULL;
  m->why = NULL;
  rational_init(&m->step_end);
  rational_init(&m->now);
  rational_init(&m->wait_unknown);
  rational_set_integer(&m->wait_unknown, INT64_MAX);
  m->timeouts = mem_alloc(nodes * actions, sizeof *m->timeouts);
  m->delivered = mem_alloc(nodes * nodes, sizeof *m->delivered);
  for (size_t i = 0; i < nodes * nodes; i++)
    rational_init(&m->delivered[i]);
}

static void forget_world(struct machines *m) {
  if (m->world != NULL)
    world_free(m->world);
  m->world = NULL;
}

void machines_clear(struct machines *m) {
  size_t nodes = m->interpreter->node_count;
  forget_world(m);
  values_clear(&m->values);
  vector_clear(&m->steps);
  mem_free(m->fault);
  mem_free(m->why);
  rational_clear(&m->step_end);
  rational_clear(&m->now);
  rational_clear(&m->wait_unknown);
  mem_free(m->timeouts);
  for (size_t i = 0; i < nodes * nodes; i++)
    rational_clear(&m->delivered[i]);
  mem_free(m->delivered);
}

/* --- an execution ----------------------------------------------------------------------------- */

static void fix_bare(struct machines *m, const struct component *component) {
  const struct rational *value = m->supply->bare(m->supply->context, component);
  if (value != NULL)
    values_fix_bare(&m->values, component, value);
}

static void begin(struct machines *m, uint64_t seed) {
  const struct model *model = m->interpreter->model;
  size_t nodes = m->interpreter->node_count;
  forget_world(m);
  values_reset(&m->values);
  m->steps.count = 0;
  mem_free(m->fault);
  mem_free(m->why);
  m->fault = m->why = NULL;
  m->here = 0;
  m->random = (struct random){seed};
  m->fate = ~seed;
  m->arrived = 0;
  m->late_ns = 0;
  m->stopped = m->endless = false;
  m->first_happened = SIZE_MAX;
  rational_set_integer(&m->now, 0);
  for (size_t i = 0; i < nodes * model->actions.count; i++)
    m->timeouts[i] = -1;
  for (size_t i = 0; i < nodes * nodes; i++)
    rational_set_integer(&m->delivered[i], 0);
  for (size_t i = 0; i < model->components.count; i++)
    if (model->components.items[i]->kind == COMPONENT_CONSTANT)
      fix_bare(m, model->components.items[i]);
  for (size_t i = 0; i < model->schedules.count; i++)
    if (model->schedules.items[i]->timeout != NULL)
      fix_bare(m, model->schedules.items[i]->timeout);
  m->world = world_new(m->interpreter, &m->valuation);
  world_index_begin(m->world);
}

/* Every message has waited at least until the latest step began. */
static void end_waits(struct machines *m) {
  struct rational wait;
  rational_init(&wait);
  for (size_t i = 0; i < m->world->messages.count; i++) {
    const struct world_message *w = &m->world->messages.data[i];
    const struct occurrence *o = interpreter_wait(m->interpreter, w->message, w->fields);
    if (o == NULL || w->received || values_is_set(&m->values, o))
      continue;
    rational_sub(&wait, &m->now, &w->delivered);
    if (rational_sign(&wait) > 0)
      values_set(&m->values, o, &wait);
  }
  rational_clear(&wait);
}

struct counting {
  const struct bound *bound;
  size_t happened, open;
};

static bool visit_choice(const struct interpretation *e, void *context) {
  struct counting *counting = context;
  const struct bound *bound = counting->bound;
  if (event_happened(NULL, e->world, bound, e->valuation, e->bindings))
    counting->happened++;
  else if (event_begun(NULL, e->world, bound, e->bindings))
    counting->open++;
  return true;
}

static struct interpretation interpretation_of(struct machines *m, int64_t *bindings) {
  return (struct interpretation){.interpreter = m->interpreter,
                                 .world = m->world,
                                 .valuation = &m->valuation,
                                 .bindings = bindings};
}

static struct counting count_choices(struct machines *m) {
  const struct bound *bound = m->bound;
  int64_t *bindings = mem_alloc(m->interpreter->model->variable_count, sizeof *bindings);
  struct interpretation e = interpretation_of(m, bindings);
  struct counting counting = {.bound = bound};
  event_each_begun(&e, bound, visit_choice, &counting);
  mem_free(bindings);
  return counting;
}

/* A state passes; of messages the others may still be sent, or never. */
static bool is_over(struct machines *m, const struct counting *counting) {
  if (counting->happened == 0)
    return false;
  if (m->first_happened == SIZE_MAX)
    m->first_happened = m->steps.count;
  return counting->open == 0 || m->bound->target == TARGET_WHEN ||
         m->steps.count >= 2 * m->first_happened + LOOK_FURTHER;
}

/* Whether each message tells all the bound's variables, so that no two choices of them are of one.
 */
static bool tells_all(const struct bound *bound, const struct term *const *args, size_t count) {
  bool all = true;
  for (size_t i = 0; i < bound->variable_count && all; i++) {
    all = false;
    for (size_t j = 0; j < count; j++)
      all |= args[j]->kind == TERM_VARIABLE && args[j]->variable == bound->variables[i];
  }
  return all;
}

/* Whether too few messages were sent for so many requests to have happened; to be known without
 * going through all of them. */
static bool is_too_soon(const struct machines *m) {
  const struct bound *bound = m->bound;
  if (world_index_count(m->world, bound->from) < m->requests &&
      tells_all(bound, bound->from_args, bound->from->field_count))
    return true;
  return bound->target != TARGET_WHEN &&
         world_index_count(m->world, bound->message) < m->requests &&
         tells_all(bound, bound->args, bound->message->field_count);
}

/* Whether everything that is to begin has happened. Without arrivals requests begin for ever: those
 * that began first are to have ended. */
static bool is_done(struct machines *m) {
  bool stream = m->bound->from != NULL;
  if (m->arrived < m->arrival_count || (stream && m->steps.count % LOOK_EVERY != 0))
    return false;
  if (stream && m->arriving == NULL && is_too_soon(m))
    return false;
  struct counting counting = count_choices(m);
  if (!stream)
    return is_over(m, &counting);
  if (m->arriving != NULL)
    return counting.open == 0;
  if (counting.happened < m->requests)
    return false;
  machines_requests first = {0};
  machines_show(&first, m);
  bool all = true;
  for (size_t i = 0; i < first.count; i++)
    all &= first.data[i].happened;
  vector_clear(&first);
  return all;
}

/* "c.Expire was taken 1204 times at 200 ns", of the steps that were the last ones for long. */
static void tell_round(struct text *text, const struct machines *m) {
  const struct step *last = &m->steps.data[m->steps.count - 1];
  step_print(text, last);
  text_format(text, " is the last of %zu steps at ", m->here);
  rational_print_short(text, &m->now);
  text_append(text, " ns, behind which no time passes");
}

static void tell_held(struct text *text, const struct machines *m) {
  step_print(text, &m->held);
  text_append(text,
              " would have to send sooner than the arrivals allow, and is never taken, since ");
  rational_print_short(text, &m->now);
  text_append(text, " ns");
}

/* Whether no time passes any more, and why. */
static bool stands(struct machines *m, enum machines_end end) {
  bool round = end == MACHINES_LIMITED && m->here >= STANDS_AFTER;
  bool held = end == MACHINES_AT_REST && m->held.action != NULL;
  if (!round && !held)
    return false;
  struct text text;
  text_init(&text);
  (round ? tell_round : tell_held)(&text, m);
  m->why = text_take(&text);
  return true;
}

enum machines_end machines_run(struct machines *m, uint64_t seed) {
  begin(m, seed);
  enum machines_end end = MACHINES_LIMITED;
  while (m->steps.count < m->steps_max) {
    if (is_done(m)) {
      end = MACHINES_DONE;
      break;
    }
    enum next_result next = next_step(m);
    if (m->stopped || next != NEXT_TAKEN) {
      end = m->stopped ? MACHINES_STOPPED : next == NEXT_NONE ? MACHINES_AT_REST : MACHINES_FAULT;
      break;
    }
  }
  end_waits(m);
  return stands(m, end) ? MACHINES_STANDS : end;
}

void machines_judge(struct replay *replay, struct machines *m) {
  struct valuation valuation = values_valuation(&m->values);
  replay->brief = true;
  replay_run(replay, m->interpreter, m->bound, m->steps.data, m->steps.count, &valuation);
}

/* --- what it shows ---------------------------------------------------------------------------- */

struct showing {
  struct machines *machines;
  machines_requests *requests;
  struct valuation valuation;
  struct limits limits;
  struct rational begun, time, limit;
};

/* Rounded up; what never ends stays far above MACHINES_ENDLESS / 2. */
static int64_t whole(const struct rational *value) {
  int64_t ns;
  return rational_ceil(&ns, value) ? ns : INT64_MAX;
}

static bool show_choice(const struct interpretation *e, void *context) {
  struct showing *showing = context;
  const struct bound *bound = showing->machines->bound;
  if (!event_begun(&showing->begun, e->world, bound, e->bindings))
    return true;
  struct machines_request request = {.begun_ns = whole(&showing->begun)};
  request.happened = event_happened(&showing->time, e->world, bound, e->valuation, e->bindings);
  if (request.happened) {
    rational_sub(&showing->time, &showing->time, &showing->begun);
    request.time_ns = whole(&showing->time);
  }
  if (bound->expression != NULL) {
    bool known = limits_at(&showing->limit, &showing->limits);
    request.limit_ns = known ? whole(&showing->limit) : INT64_MAX;
  }
  vector_push(showing->requests, request);
  return true;
}

/* All choices from `first` on become one, of those that have happened. */
static void merge(machines_requests *requests, size_t first) {
  struct machines_request all = {0};
  for (size_t i = first; i < requests->count; i++) {
    const struct machines_request *one = &requests->data[i];
    if (!one->happened)
      continue;
    all.happened = true;
    all.time_ns = one->time_ns > all.time_ns ? one->time_ns : all.time_ns;
    all.limit_ns = one->limit_ns > all.limit_ns ? one->limit_ns : all.limit_ns;
  }
  requests->count = first;
  vector_push(requests, all);
}

struct placed {
  struct machines_request request;
  size_t place;
};

static int by_beginning(const void *a, const void *b) {
  const struct placed *x = a, *y = b;
  int order =
      (x->request.begun_ns > y->request.begun_ns) - (x->request.begun_ns < y->request.begun_ns);
  return order != 0 ? order : (x->place > y->place) - (x->place < y->place);
}

/* In the order of beginning; what began at once stays as it is. */
static void put_in_order(machines_requests *requests, size_t first) {
  size_t count = requests->count - first;
  struct placed *all = mem_alloc(count, sizeof *all);
  for (size_t i = 0; i < count; i++)
    all[i] = (struct placed){requests->data[first + i], i};
  if (count > 1)
    qsort(all, count, sizeof *all, by_beginning);
  for (size_t i = 0; i < count; i++)
    requests->data[first + i] = all[i].request;
  mem_free(all);
}

void machines_show(machines_requests *requests, struct machines *m) {
  size_t first = requests->count;
  int64_t *bindings = mem_alloc(m->interpreter->model->variable_count, sizeof *bindings);
  struct showing showing = {
      .machines = m, .requests = requests, .valuation = values_valuation(&m->values)};
  struct interpretation e = interpretation_of(m, bindings);
  e.valuation = &showing.valuation;
  rational_init(&showing.begun);
  rational_init(&showing.time);
  rational_init(&showing.limit);
  limits_init(&showing.limits, m->bound, &e);
  event_each_begun(&e, m->bound, show_choice, &showing);
  limits_clear(&showing.limits);
  rational_clear(&showing.begun);
  rational_clear(&showing.time);
  rational_clear(&showing.limit);
  mem_free(bindings);
  if (m->bound->from == NULL)
    merge(requests, first);
  else
    put_in_order(requests, first);
  if (m->bound->from != NULL && m->arriving == NULL && requests->count - first > m->requests)
    requests->count = first + m->requests;
}
