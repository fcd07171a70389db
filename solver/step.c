/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/step.h"

#include <string.h>

#include "solver/evaluate.h"

/* A step on its way: what it will add to the world once nothing can go wrong any more. */
struct execution {
  struct evaluation e;
  struct world *world;
  const struct step *step;
  struct record *record; /* or NULL */
  struct world_message *received;
  bool timed;
  struct rational start, end, scratch;
  VECTOR(struct world_message) sent; /* without times */
  VECTOR(struct world_charge) charges;
  enum step_result result;
};

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
  return true;
}

/* Enabled as far as control goes, given that a message to receive is pending at the node. */
static bool guards_hold(const struct evaluation *e, const struct step *step) {
  if (!bind(e->bindings, step))
    return false;
  for (size_t i = 0; i < step->action->guard_count; i++)
    if (!evaluate_holds(e, step->action->guards[i]))
      return false;
  return true;
}

static void list_receives(step_vector *steps, const struct evaluation *e,
                          const struct action *action) {
  for (size_t i = 0; i < e->world->messages.count; i++) {
    const struct world_message *m = &e->world->messages.data[i];
    if (m->message != action->message || m->received)
      continue;
    struct step step = {.action = action, .node = m->receiver};
    memcpy(step.fields, m->fields, sizeof step.fields);
    if (guards_hold(e, &step))
      vector_push(steps, step);
  }
}

void step_list(step_vector *steps, struct world *world) {
  struct interpreter *in = world->interpreter;
  struct evaluation e = {.interpreter = in, .world = world, .bindings = in->scratch};
  for (size_t i = 0; i < in->model->actions.count; i++) {
    const struct action *action = in->model->actions.items[i];
    if (action->message != NULL) {
      list_receives(steps, &e, action);
      continue;
    }
    for (int64_t node = 0; node < in->role_sizes[action->role->id]; node++) {
      struct step step = {.action = action, .node = node};
      if (guards_hold(&e, &step))
        vector_push(steps, step);
    }
  }
}

/* start = tN, or max(tN, tM) with a message, which must not have waited longer than its wait. */
static enum step_result begin_time(struct execution *x) {
  const struct rational *clock = world_clock(x->world, x->step->action->role, x->step->node);
  rational_set(&x->start, clock);
  if (x->received == NULL)
    return STEP_TAKEN;
  rational_max(&x->start, clock, &x->received->delivered);
  const struct occurrence *wait =
      interpreter_wait(x->e.interpreter, x->received->message, x->received->fields);
  if (wait == NULL)
    return STEP_TAKEN;
  const struct valuation *v = x->e.valuation;
  rational_add(&x->scratch, &x->received->delivered, v->term(wait, v->context));
  return rational_compare(clock, &x->scratch) > 0 ? STEP_WAIT_EXCEEDED : STEP_TAKEN;
}

static void fault(struct execution *x, enum step_result result, const char *label) {
  x->result = result;
  if (x->record != NULL)
    x->record->fault = mem_copy_text(label, strlen(label));
}

static bool charges_now(const struct execution *x, const struct occurrence *occurrence) {
  for (size_t i = 0; i < x->charges.count; i++)
    if (x->charges.data[i].occurrence == occurrence)
      return true;
  return false;
}

static void charge(struct execution *x, const struct term *cost) {
  int64_t indices[INDEX_COUNT_MAX];
  for (size_t i = 0; i < cost->count; i++)
    indices[i] = evaluate_scalar(&x->e, cost->args[i]);
  const struct occurrence *o = interpreter_cost(x->e.interpreter, cost->component, indices);
  if (charges_now(x, o) || world_charged(x->world, cost->component, indices)) {
    fault(x, STEP_CHARGED_TWICE, o->label);
    return;
  }
  struct world_charge made = {cost->component, o};
  vector_push(&x->charges, made);
  if (x->record != NULL)
    vector_push(&x->record->costs, o);
  if (x->timed)
    rational_add(&x->end, &x->end, x->e.valuation->term(o, x->e.valuation->context));
}

static void record_assignment(struct execution *x, const struct statement *s, int64_t key,
                              int64_t value) {
  struct text name, printed;
  text_init(&name);
  text_init(&printed);
  text_append(&name, s->state->name);
  if (s->key != NULL) {
    text_append(&name, "[");
    interpreter_print_node(&name, s->state->type.role, key);
    text_append(&name, "]");
  }
  interpreter_print_value(&printed, &s->state->type, value);
  struct record_assignment made = {text_take(&name), text_take(&printed)};
  vector_push(&x->record->assignments, made);
}

static void assign(struct execution *x, const struct statement *s) {
  int64_t value = evaluate_scalar(&x->e, s->value);
  int64_t key = s->key == NULL ? 0 : evaluate_scalar(&x->e, s->key);
  world_cell(x->world, s->state, x->step->node)[key] = value;
  if (x->record != NULL)
    record_assignment(x, s, key, value);
}

static bool sends_now(const struct execution *x, const struct world_message *m) {
  for (size_t i = 0; i < x->sent.count; i++)
    if (x->sent.data[i].message == m->message &&
        memcmp(x->sent.data[i].fields, m->fields, sizeof m->fields) == 0)
      return true;
  return false;
}

struct send {
  struct execution *execution;
  const struct statement *statement;
};

static bool send_one(const struct evaluation *e, void *context) {
  struct execution *x = ((struct send *)context)->execution;
  const struct statement *s = ((struct send *)context)->statement;
  struct world_message m = {.message = s->message};
  for (size_t i = 0; i < s->arg_count; i++)
    m.fields[i] = evaluate_scalar(e, s->args[i]);
  if (s->message->receiver_field >= 0)
    m.receiver = m.fields[s->message->receiver_field];
  else if (s->to != NULL)
    m.receiver = evaluate_scalar(e, s->to);
  if (sends_now(x, &m) || world_message(x->world, s->message, m.fields) != NULL) {
    struct text label;
    text_init(&label);
    interpreter_print_message(&label, s->message, m.fields);
    fault(x, STEP_SENT_TWICE, text_get(&label));
    text_clear(&label);
    return false;
  }
  vector_push(&x->sent, m);
  return true;
}

static void run(struct execution *x, const struct block *block) {
  for (size_t i = 0; i < block->count && x->result == STEP_TAKEN; i++) {
    const struct statement *s = block->statements[i];
    switch (s->kind) {
    case STATEMENT_ASSIGN:
      assign(x, s);
      break;
    case STATEMENT_IF:
      run(x, evaluate_holds(&x->e, s->condition) ? &s->then_block : &s->else_block);
      break;
    case STATEMENT_SEND: {
      struct send send = {x, s};
      evaluate_each(&x->e, s->variables, s->variable_count, send_one, &send);
      break;
    }
    }
  }
}

static void commit_message(struct execution *x, const struct world_message *m) {
  struct world_message *made = world_add_message(x->world, m->message, m->fields, m->receiver);
  const struct occurrence *delay = interpreter_delay(x->e.interpreter, m->message, m->fields);
  if (x->timed) {
    rational_set(&made->sent_at, &x->end);
    rational_add(&made->delivered, &x->end, x->e.valuation->term(delay, x->e.valuation->context));
  }
  if (x->record == NULL)
    return;
  struct record_message sent = {.message = m->message, .receiver = m->receiver, .delay = delay};
  memcpy(sent.fields, m->fields, sizeof sent.fields);
  rational_init(&sent.delivered);
  if (x->timed)
    rational_set(&sent.delivered, &made->delivered);
  vector_push(&x->record->sent, sent);
}

static void commit(struct execution *x) {
  if (x->received != NULL)
    x->received->received = true;
  for (size_t i = 0; i < x->charges.count; i++)
    world_add_charge(x->world, x->charges.data[i].component, x->charges.data[i].occurrence);
  for (size_t i = 0; i < x->sent.count; i++)
    commit_message(x, &x->sent.data[i]);
  if (x->timed)
    rational_set(world_clock(x->world, x->step->action->role, x->step->node), &x->end);
  x->world->step_count++;
}

static void record_outcome(struct execution *x) {
  struct record *record = x->record;
  record->step = *x->step;
  record->result = x->result;
  record->timed = x->timed;
  rational_set(&record->start, &x->start);
  rational_set(&record->end, &x->end);
  if (x->step->action->message == NULL)
    return;
  struct interpreter *in = x->e.interpreter;
  record->wait = interpreter_wait(in, x->step->action->message, x->step->fields);
  record->wait_delay = interpreter_delay(in, x->step->action->message, x->step->fields);
}

static bool is_enabled(struct execution *x) {
  if (x->step->node < 0 || x->step->node >= x->e.interpreter->role_sizes[x->step->action->role->id])
    return false;
  x->received = step_message(x->world, x->step);
  if (x->step->action->message != NULL &&
      (x->received == NULL || x->received->received || x->received->receiver != x->step->node))
    return false;
  return guards_hold(&x->e, x->step);
}

/* Runs the step on the cells; the caller takes them back unless the result is STEP_TAKEN. */
static void execute(struct execution *x) {
  struct interpreter *in = x->e.interpreter;
  bool overflow_before = in->overflow;
  in->overflow = false;
  x->result = STEP_NOT_ENABLED;
  if (is_enabled(x))
    x->result = x->timed ? begin_time(x) : STEP_TAKEN;
  rational_set(&x->end, &x->start);
  const struct action *action = x->step->action;
  for (size_t i = 0; i < action->cost_count && x->result == STEP_TAKEN; i++)
    charge(x, action->costs[i]);
  if (x->result == STEP_TAKEN)
    run(x, &action->body);
  if (in->overflow)
    x->result = STEP_OVERFLOW;
  in->overflow |= overflow_before;
}

enum step_result step_take(struct world *world, const struct step *step,
                           const struct valuation *valuation, struct record *record) {
  struct interpreter *in = world->interpreter;
  if (world->timed != (valuation != NULL))
    bug("a step with times needs a timed world and a valuation");
  struct execution x = {.world = world, .step = step, .record = record, .timed = world->timed};
  x.e = (struct evaluation){in, world, valuation, in->scratch};
  rational_init(&x.start);
  rational_init(&x.end);
  rational_init(&x.scratch);
  size_t bytes = in->cell_count * sizeof *world->cells;
  int64_t *cells = mem_alloc(in->cell_count, sizeof *cells);
  memcpy(cells, world->cells, bytes);
  execute(&x);
  if (x.result == STEP_TAKEN)
    commit(&x);
  else
    memcpy(world->cells, cells, bytes);
  if (record != NULL)
    record_outcome(&x);
  mem_free(cells);
  rational_clear(&x.start);
  rational_clear(&x.end);
  rational_clear(&x.scratch);
  vector_clear(&x.sent);
  vector_clear(&x.charges);
  return x.result;
}
