/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/simulate/next.h"

#include <stdlib.h>

#include "lang/block.h"
#include "base/text.h"
#include "solver/judge/evaluate.h"
#include "solver/simulate/machines.h"

/* A step that may be next. */
struct candidate {
  struct step step;
  struct rational start, due; /* due: when its message came, or it could have started itself */
  bool idle, arrives;
  uint64_t lot;
};

typedef VECTOR(struct candidate) candidates;

bool machines_is_arrival(const struct action *action, const struct message *arriving) {
  return arriving != NULL && action->timeout != NULL && action->schedule == NULL &&
         block_sends(&action->body, arriving);
}

static size_t node_of(const struct machines *m, const struct step *step) {
  return interpreter_node(m->interpreter, step->action->role, step->node);
}

/* --- when ------------------------------------------------------------------------------------- */

/* Until the node's next step it waits for the same time. */
static int64_t timeout_of(struct machines *m, const struct step *step) {
  size_t place = node_of(m, step) * m->interpreter->model->actions.count + step->action->id;
  if (m->timeouts[place] < 0) {
    int64_t ns = 0;
    if (!m->supply->draw(m->supply->context, step->action->timeout, NULL, &ns))
      m->stopped = true;
    m->timeouts[place] = ns;
  }
  return m->timeouts[place];
}

static void forget_timeouts(struct machines *m, const struct step *step) {
  size_t actions = m->interpreter->model->actions.count;
  for (size_t i = 0; i < actions; i++)
    m->timeouts[node_of(m, step) * actions + i] = -1;
}

static void find_timer(struct machines *m, struct candidate *c) {
  struct interpretation e = {.interpreter = m->interpreter,
                             .world = m->world,
                             .valuation = &m->valuation,
                             .bindings = m->interpreter->scratch};
  e.bindings[c->step.action->node->id] = c->step.node;
  evaluate_time(&c->due, &e, c->step.action->timer);
}

/* Whoever sends keeps to the arrivals that the file declares: a request that comes too soon waits
 * at its sender. */
static void hold_back(struct machines *m, struct candidate *c) {
  const struct pacer *pacer = m->arriving->pacer;
  if (pacer == NULL || pacer->holds)
    return;
  struct interpretation e = {.interpreter = m->interpreter,
                             .world = m->world,
                             .valuation = &m->valuation,
                             .bindings = m->interpreter->scratch};
  struct rational earliest;
  rational_init(&earliest);
  evaluate_time(&earliest, &e, pacer->tolerance);
  rational_sub(&earliest, world_time(m->world, pacer->state, c->step.node), &earliest);
  rational_max(&c->start, &c->start, &earliest);
  rational_clear(&earliest);
}

/* False: never. */
static bool find_start(struct machines *m, struct candidate *c) {
  const struct action *action = c->step.action;
  if (action->loses) /* at once, before anybody takes it */
    return true;
  const struct rational *clock = world_clock(m->world, action->role, c->step.node);
  rational_set(&c->due, clock);
  c->arrives = machines_is_arrival(action, m->arriving);
  if (c->arrives) {
    if (m->arrived == m->arrival_count)
      return false;
    rational_set_integer(&c->start, m->arrivals_ns[m->arrived]);
    hold_back(m, c);
  } else if (action->message != NULL) {
    rational_set(&c->due, &step_message(m->world, &c->step)->delivered);
    rational_set(&c->start, &c->due);
  } else if (action->timeout != NULL) {
    rational_set_integer(&c->start, timeout_of(m, &c->step));
    rational_add(&c->start, &c->start, clock);
    rational_set(&c->due, &c->start);
  } else if (action->timer != NULL) {
    find_timer(m, c);
    rational_set(&c->start, &c->due);
  }
  rational_max(&c->start, &c->start, clock);
  struct rational endless;
  rational_init(&endless);
  rational_set_integer(&endless, MACHINES_ENDLESS);
  bool ever = rational_compare(&c->start, &endless) < 0;
  rational_clear(&endless);
  m->endless |= !ever;
  return ever;
}

/* Whether the step is the loss of a message that is lost: the same whenever it is asked. */
static bool is_lost(const struct machines *m, const struct step *step) {
  const struct occurrence *o =
      interpreter_delay(m->interpreter, step->action->message, step->fields);
  struct random die = {m->fate ^ (o->id + 1) * UINT64_C(0x9e3779b97f4a7c15)};
  random_bits(&die);
  return m->losses != NULL &&
         (double)(random_bits(&die) >> 11) * 0x1p-53 < m->losses[step->action->message->id];
}

/* --- which ------------------------------------------------------------------------------------ */

static int compare_candidates(const void *x, const void *y) {
  const struct candidate *a = x, *b = y;
  int order = rational_compare(&a->start, &b->start);
  if (order == 0 && a->idle != b->idle)
    order = a->idle ? 1 : -1;
  const struct message *left = a->step.action->message, *right = b->step.action->message;
  if (order == 0 && left != NULL && right != NULL && left->priority != right->priority)
    order = left->priority > right->priority ? -1 : 1;
  if (order == 0)
    order = rational_compare(&a->due, &b->due);
  if (order == 0)
    order = a->lot < b->lot ? -1 : a->lot > b->lot;
  return order == 0 ? step_compare(&a->step, &b->step) : order;
}

static void list(candidates *all, struct machines *m) {
  step_vector steps = {0};
  step_list(&steps, m->world);
  for (size_t i = 0; i < steps.count && !m->stopped; i++) {
    if (steps.data[i].action->loses && !is_lost(m, &steps.data[i]))
      continue;
    struct candidate c = {
        .step = steps.data[i], .idle = steps.data[i].action->idle, .lot = random_bits(&m->random)};
    rational_init(&c.start);
    rational_init(&c.due);
    bool ever = find_start(m, &c);
    if (ever) {
      vector_push(all, c);
    } else {
      rational_clear(&c.start);
      rational_clear(&c.due);
    }
  }
  vector_clear(&steps);
  if (all->count > 1)
    qsort(all->data, all->count, sizeof *all->data, compare_candidates);
}

static void clear(candidates *all) {
  for (size_t i = 0; i < all->count; i++) {
    rational_clear(&all->data[i].start);
    rational_clear(&all->data[i].due);
  }
  vector_clear(all);
}

/* --- taking it -------------------------------------------------------------------------------- */

static void set_timeout(struct machines *m, const struct candidate *c) {
  const struct action *action = c->step.action;
  if (action->timeout == NULL)
    return;
  const struct occurrence *u = interpreter_execution(m->interpreter, action->timeout,
                                                     m->world->step_count, action->cost_count);
  struct rational value;
  rational_init(&value);
  rational_sub(&value, &c->start, world_clock(m->world, action->role, c->step.node));
  values_set(&m->values, u, &value);
  rational_clear(&value);
}

/* The wait that just ended; what the receiver was busy with before. */
static void set_wait(struct machines *m, const struct step *step, const struct rational *start) {
  const struct world_message *w = step_message(m->world, step);
  const struct occurrence *o =
      w == NULL ? NULL : interpreter_wait(m->interpreter, w->message, w->fields);
  if (o == NULL)
    return;
  struct rational wait;
  rational_init(&wait);
  rational_sub(&wait, start, &w->delivered);
  values_set(&m->values, o, &wait);
  rational_clear(&wait);
}

static void note_arrival(struct machines *m, const struct candidate *c) {
  int64_t start;
  if (!c->arrives || !rational_floor(&start, &c->start))
    return;
  uint64_t late = (uint64_t)(start - m->arrivals_ns[m->arrived]);
  m->late_ns = late > m->late_ns ? late : m->late_ns;
  m->arrived++;
}

static enum step_result take(struct machines *m, const struct candidate *c) {
  set_timeout(m, c);
  m->sender = node_of(m, &c->step);
  rational_set(&m->step_end, &c->start);
  return step_take(m->world, &c->step, &m->valuation, NULL);
}

/* Where the guards need a later reading of the clock: at the end of the step, by what its costs
 * were drawn to be. */
static enum step_result take_late(struct machines *m, const struct candidate *c) {
  struct rational start, end;
  rational_init(&start);
  rational_init(&end);
  rational_set(&m->step_end, &c->start);
  step_window(&start, &end, m->world, &c->step, &m->valuation);
  rational_sub(&end, &end, &start);
  values_set(&m->values, interpreter_read(m->interpreter, m->world->step_count), &end);
  rational_clear(&start);
  rational_clear(&end);
  return take(m, c);
}

static void keep(struct machines *m, const struct candidate *c) {
  vector_push(&m->steps, c->step);
  if (c->step.action->loses)
    return;
  m->here = rational_compare(&m->now, &c->start) < 0 ? 1 : m->here + 1;
  note_arrival(m, c);
  set_wait(m, &c->step, &c->start);
  rational_max(&m->now, &m->now, &c->start);
  forget_timeouts(m, &c->step);
}

static bool is_fault(enum step_result result) {
  return result == STEP_SENT_TWICE || result == STEP_CHARGED_TWICE || result == STEP_OVERFLOW;
}

static void explain(struct machines *m, const struct candidate *c, enum step_result result) {
  struct text text;
  text_init(&text);
  step_print(&text, &c->step);
  text_append(&text, result == STEP_SENT_TWICE ? " sends a message twice"
                     : result == STEP_CHARGED_TWICE
                         ? " charges an occurrence twice"
                         : " computes an integer that needs more than 64 "
                           "bits");
  m->fault = text_take(&text);
}

/* What is sent unasked may wait. */
static bool has_to(const struct action *action) {
  return action->message != NULL || action->timer != NULL || action->schedule != NULL;
}

enum next_result next_step(struct machines *m) {
  candidates all = {0};
  m->held.action = NULL;
  list(&all, m);
  enum next_result result = NEXT_NONE;
  for (size_t i = 0; i < all.count && result == NEXT_NONE && !m->stopped; i++) {
    const struct candidate *c = &all.data[i];
    enum step_result taken = take(m, c);
    if (taken == STEP_NOT_ENABLED && c->step.action->read != NULL)
      taken = take_late(m, c);
    if (taken == STEP_TAKEN) {
      keep(m, c);
      result = NEXT_TAKEN;
    } else if (taken == STEP_TOO_MANY && has_to(c->step.action)) {
      m->held = c->step;
    } else if (is_fault(taken)) {
      explain(m, c, taken);
      result = NEXT_FAULT;
    }
  }
  clear(&all);
  return result;
}
