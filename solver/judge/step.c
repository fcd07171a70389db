/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/judge/step.h"

#include <string.h>

#include "solver/judge/execution.h"

struct world_message *step_message(const struct world *world, const struct step *step) {
  if (step->action->message == NULL)
    return NULL;
  return world_message(world, step->action->message, step->fields);
}

static bool is_variable_before(const struct action *action, size_t index) {
  const struct variable *v = action->fields[index];
  for (size_t i = 0; i < index; i++)
    if (action->fields[i] == v)
      return true;
  return v == action->node;
}

/* Binds node and fields; false when a variable that occurs twice would get two values. */
static bool bind(int64_t *bindings, const struct step *step) {
  const struct action *action = step->action;
  bindings[action->node->id] = step->node;
  for (size_t i = 0; action->message != NULL && i < action->message->field_count; i++) {
    size_t id = action->fields[i]->id;
    if (is_variable_before(action, i) && bindings[id] != step->fields[i])
      return false;
    bindings[id] = step->fields[i];
  }
  for (size_t i = 0; i < action->choice_count; i++)
    bindings[action->choices[i]->id] = step->choices[i];
  return true;
}

/* Whether what the step chooses is in its domains: a step may come from a recording. */
static bool may_choose(const struct interpretation *e, const struct step *step) {
  const struct action *action = step->action;
  bind(e->bindings, step);
  for (size_t i = 0; i < action->choice_count; i++) {
    const struct variable *v = action->choices[i];
    int64_t value = step->choices[i];
    bool range = v->domain == DOMAIN_RANGE;
    int64_t low = range ? evaluate_scalar(e, v->low) : 0;
    int64_t high =
        range ? evaluate_scalar(e, v->high) : e->interpreter->role_sizes[v->type.role->id] - 1;
    bool inside = low <= value && value <= high;
    if (inside && v->domain == DOMAIN_SET)
      inside = ((uint64_t)evaluate_scalar(e, v->set) >> value & 1) != 0;
    if (!inside)
      return false;
  }
  return true;
}

static enum truth guard_holds(const struct interpretation *e, const struct action *action,
                              const struct term *guard) {
  if (e->interpreter->times_guards[action->id])
    return evaluate_truth(e, guard);
  return evaluate_holds(e, guard) ? TRUTH_TRUE : TRUTH_FALSE;
}

/* Of the guards from number `first` on. */
static enum truth guards_from(const struct interpretation *e, const struct step *step,
                              size_t first) {
  if (!bind(e->bindings, step))
    return TRUTH_FALSE;
  enum truth all = TRUTH_TRUE;
  for (size_t i = first; i < step->action->guard_count; i++) {
    enum truth here = guard_holds(e, step->action, step->action->guards[i]);
    if (here == TRUTH_FALSE)
      return TRUTH_FALSE;
    all = here == TRUTH_OPEN ? TRUTH_OPEN : all;
  }
  return all;
}

enum truth execution_guards(const struct interpretation *e, const struct step *step) {
  return guards_from(e, step, 0);
}

/* One step of an action, for every value that it may choose. */
struct choosing {
  struct step step;
  size_t first;      /* guard that counts */
  bool possible;     /* some choice was found whose guards hold */
  step_vector *list; /* gets those whose guards may hold */
  size_t left;       /* choices to be looked at for it */
};

static void set_choices(const struct interpretation *e, struct step *step) {
  for (size_t i = 0; i < step->action->choice_count; i++)
    step->choices[i] = e->bindings[step->action->choices[i]->id];
}

/* Stops at the first. */
static bool try_choice(const struct interpretation *e, void *context) {
  struct choosing *c = context;
  set_choices(e, &c->step);
  c->possible = guards_from(e, &c->step, c->first) == TRUTH_TRUE;
  return !c->possible;
}

static void each_choice(const struct interpretation *e, struct choosing *c,
                        bool (*visit)(const struct interpretation *, void *)) {
  const struct action *action = c->step.action;
  if (bind(e->bindings, &c->step))
    evaluate_each(e, action->choices, action->choice_count, visit, c);
}

static bool is_possible(const struct interpretation *e, const struct step *step, size_t first) {
  struct choosing c = {.step = *step, .first = first};
  each_choice(e, &c, try_choice);
  return c.possible;
}

bool execution_possible(const struct interpretation *e, const struct step *step) {
  return is_possible(e, step, 0);
}

/* The first guard of an action in a slot is that of the slot (lang/model.h). */
bool step_could_take(struct world *world, const struct world_message *m,
                     const struct valuation *valuation) {
  struct interpreter *in = world->interpreter;
  struct interpretation e = {
      .interpreter = in, .world = world, .valuation = valuation, .bindings = in->scratch};
  for (size_t i = 0; i < in->model->actions.count; i++) {
    const struct action *action = in->model->actions.items[i];
    struct step step = {.action = action, .node = m->receiver};
    memcpy(step.fields, m->fields, sizeof step.fields);
    if (action->message == m->message && !action->loses &&
        is_possible(&e, &step, action->schedule != NULL))
      return true;
  }
  return false;
}

enum { CHOICES_LISTED = 256 };

static bool list_choice(const struct interpretation *e, void *context) {
  struct choosing *c = context;
  set_choices(e, &c->step);
  if (execution_guards(e, &c->step) != TRUTH_FALSE)
    vector_push(c->list, c->step);
  return --c->left != 0;
}

/* One step for each choice, of many the first. */
static void list_choices(step_vector *steps, const struct interpretation *e,
                         const struct step *step) {
  struct choosing c = {.step = *step, .list = steps, .left = CHOICES_LISTED};
  each_choice(e, &c, list_choice);
}

/* `role` NULL: of every node. */
static bool is_of(const struct action *action, int64_t acting, const struct role *role,
                  int64_t node) {
  return role == NULL || (action->role == role && acting == node);
}

static void list_receives(step_vector *steps, const struct interpretation *e,
                          const struct action *action, const struct role *role, int64_t node) {
  size_t cursor = 0;
  for (const struct world_message *m; (m = world_next_ready(e->world, &cursor)) != NULL;) {
    if (m->message != action->message || !is_of(action, m->receiver, role, node))
      continue;
    struct step step = {.action = action, .node = m->receiver};
    memcpy(step.fields, m->fields, sizeof step.fields);
    list_choices(steps, e, &step);
  }
}

void step_list_node(step_vector *steps, struct world *world, const struct role *role,
                    int64_t node) {
  struct interpreter *in = world->interpreter;
  struct interpretation e = {.interpreter = in, .world = world, .bindings = in->scratch};
  for (size_t i = 0; i < in->model->actions.count; i++) {
    const struct action *action = in->model->actions.items[i];
    if (role != NULL && action->role != role)
      continue;
    if (action->message != NULL) {
      list_receives(steps, &e, action, role, node);
      continue;
    }
    for (int64_t acting = 0; acting < in->role_sizes[action->role->id]; acting++)
      if (is_of(action, acting, role, node))
        list_choices(steps, &e, &(struct step){.action = action, .node = acting});
  }
}

void step_list(step_vector *steps, struct world *world) {
  step_list_node(steps, world, NULL, 0);
}

static void record_outcome(struct execution *x) {
  struct step_record *record = x->record;
  record->step = *x->step;
  record->result = x->result;
  record->timed = x->timed;
  if (x->timed) {
    rational_set(&record->start, &x->start);
    rational_set(&record->end, &x->end);
  }
  if (x->step->action->message == NULL || x->step->action->loses)
    return;
  struct interpreter *in = x->e.interpreter;
  if (in->model->timing != TIMING_ADVANCED)
    record->wait = interpreter_wait(in, x->step->action->message, x->step->fields);
  record->wait_delay = interpreter_delay(in, x->step->action->message, x->step->fields);
}

/* As far as is known without times. */
static bool is_enabled(struct execution *x) {
  if (x->step->node < 0 || x->step->node >= x->e.interpreter->role_sizes[x->step->action->role->id])
    return false;
  x->received = step_message(x->world, x->step);
  if (x->step->action->message != NULL &&
      (x->received == NULL || x->received->received || x->received->receiver != x->step->node ||
       world_blocked(x->world, x->received)))
    return false;
  return may_choose(&x->e, x->step) && execution_guards(&x->e, x->step) != TRUTH_FALSE;
}

/* Whether guards and timing allow the step, whatever it then does: a fault of a step that cannot be
 * taken is none. */
static enum step_result time_allows(struct execution *x) {
  enum step_result result = execution_read(x);
  if (result == STEP_TAKEN && execution_guards(&x->e, x->step) != TRUTH_TRUE)
    result = STEP_NOT_ENABLED;
  if (result == STEP_TAKEN)
    result = execution_timing(x);
  bind(x->e.bindings, x->step);
  return result;
}

/* Runs the step on the cells; the caller takes them back unless the result is STEP_TAKEN. */
static void execute(struct execution *x) {
  struct interpreter *in = x->e.interpreter;
  bool overflow_before = in->overflow;
  in->overflow = false;
  x->result = STEP_NOT_ENABLED;
  if (is_enabled(x)) {
    x->result = STEP_TAKEN;
    if (x->timed)
      execution_begin(x);
    execution_charge(x);
    enum step_result allowed = x->timed ? time_allows(x) : STEP_TAKEN;
    if (allowed != STEP_TAKEN)
      x->result = allowed;
  }
  if (x->result == STEP_TAKEN)
    execution_run(x);
  if (in->overflow)
    x->result = STEP_OVERFLOW;
  in->overflow |= overflow_before;
}

/* What statements change at once, to be taken back. */
struct saved {
  int64_t *cells;
  struct rational *times;
  size_t next_order;
};

static void save(struct saved *saved, const struct world *world) {
  const struct interpreter *in = world->interpreter;
  saved->next_order = world->next_order;
  saved->cells = mem_alloc(in->cell_count, sizeof *saved->cells);
  memcpy(saved->cells, world->cells, in->cell_count * sizeof *saved->cells);
  size_t times = world->timed ? in->time_count : 0;
  saved->times = mem_alloc(times, sizeof *saved->times);
  for (size_t i = 0; i < times; i++) {
    rational_init(&saved->times[i]);
    rational_set(&saved->times[i], &world->times[i]);
  }
}

static void saved_clear(struct saved *saved, struct world *world, bool restore) {
  const struct interpreter *in = world->interpreter;
  if (restore) {
    world->next_order = saved->next_order;
    memcpy(world->cells, saved->cells, in->cell_count * sizeof *saved->cells);
  }
  for (size_t i = 0; world->timed && i < in->time_count; i++) {
    if (restore)
      rational_set(&world->times[i], &saved->times[i]);
    rational_clear(&saved->times[i]);
  }
  mem_free(saved->cells);
  mem_free(saved->times);
}

static void init_times(struct execution *x) {
  rational_init(&x->start);
  rational_init(&x->end);
  rational_init(&x->read);
  rational_init(&x->scratch);
}

static void clear_times(struct execution *x) {
  rational_clear(&x->start);
  rational_clear(&x->end);
  rational_clear(&x->read);
  rational_clear(&x->scratch);
  for (size_t i = 0; i < x->sent.count; i++)
    if (x->sent.data[i].message->pacer != NULL) {
      rational_clear(&x->sent.data[i].delivered);
      rational_clear(&x->sent.data[i].paced);
    }
}

enum step_result step_take(struct world *world, const struct step *step,
                           const struct valuation *valuation, struct step_record *record) {
  struct interpreter *in = world->interpreter;
  if (world->timed != (valuation != NULL))
    bug("a step with times needs a timed world and a valuation");
  struct execution x = {.world = world, .step = step, .record = record, .timed = world->timed};
  x.e = (struct interpretation){
      .interpreter = in, .world = world, .valuation = valuation, .bindings = in->scratch};
  if (x.timed)
    init_times(&x);
  struct saved saved;
  save(&saved, world);
  execute(&x);
  if (x.result == STEP_TAKEN)
    execution_commit(&x);
  saved_clear(&saved, world, x.result != STEP_TAKEN);
  if (record != NULL)
    record_outcome(&x);
  if (x.timed)
    clear_times(&x);
  vector_clear(&x.sent);
  vector_clear(&x.charges);
  return x.result;
}
