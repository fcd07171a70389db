/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a step does to the world: charges, assignments, sends (execution.h).
 */
#include <string.h>

#include "base/text.h"
#include "solver/judge/execution.h"
#include "solver/judge/valuation.h"
#include "solver/judge/world_index.h"

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

/* A cost that is being charged: for a batch, once for each member. */
struct charging {
  struct execution *x;
  size_t index, rank; /* of the cost; of the member, from 0 */
  execution_pay pay;
  void *context;
};

/* Executions of repeated components are numbered within the step: by cost, and member by member
 * (the number of costs is left to a timeout). */
static const struct occurrence *occurrence_of(const struct charging *c) {
  const struct execution *x = c->x;
  const struct action *action = x->step->action;
  const struct term *cost = action->costs[c->index];
  if (cost->component->repeated) {
    if (!x->timed && x->record == NULL)
      return NULL;
    size_t choice = c->rank * (action->cost_count + 1) + c->index;
    return interpreter_execution(x->e.interpreter, cost->component, x->world->step_count, choice);
  }
  int64_t indices[INDEX_COUNT_MAX];
  for (size_t j = 0; j < cost->count; j++)
    indices[j] = evaluate_scalar(&x->e, cost->args[j]);
  return interpreter_cost(x->e.interpreter, cost->component, indices);
}

static bool pay_member(const struct interpretation *e, void *context) {
  (void)e;
  struct charging *c = context;
  const struct occurrence *o = occurrence_of(c);
  c->rank++;
  if (o != NULL)
    c->pay(c->x, c->x->step->action->costs[c->index]->component, o, c->context);
  return c->x->result == STEP_TAKEN;
}

void execution_costs(struct execution *x, execution_pay pay, void *context) {
  const struct action *action = x->step->action;
  for (size_t i = 0; i < action->cost_count && x->result == STEP_TAKEN; i++) {
    struct charging c = {.x = x, .index = i, .pay = pay, .context = context};
    const struct variable *batch = action->batches == NULL ? NULL : action->batches[i];
    const struct term *condition = action->conditions == NULL ? NULL : action->conditions[i];
    if (condition == NULL || evaluate_holds(&x->e, condition))
      evaluate_each(&x->e, &batch, batch == NULL ? 0 : 1, pay_member, &c);
  }
}

static void charge(struct execution *x, const struct component *component,
                   const struct occurrence *o, void *context) {
  (void)context;
  if (!component->repeated) {
    if (charges_now(x, o) || world_charged(x->world, component, o->indices)) {
      fault(x, STEP_CHARGED_TWICE, o->label);
      return;
    }
    struct world_charge made = {component, o};
    vector_push(&x->charges, made);
  }
  if (x->record != NULL)
    vector_push(&x->record->costs, o);
  if (x->timed)
    rational_add(&x->end, &x->end, x->e.valuation->term(o, x->e.valuation->context));
}

void execution_charge(struct execution *x) {
  execution_costs(x, charge, NULL);
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

static void record_time(struct execution *x, const struct statement *s) {
  struct text printed;
  text_init(&printed);
  if (x->timed)
    rational_print_short(&printed, world_time(x->world, s->state, x->step->node));
  else
    text_append(&printed, "a time");
  struct record_assignment made = {mem_copy_text(s->state->name, strlen(s->state->name)),
                                   text_take(&printed)};
  vector_push(&x->record->assignments, made);
  vector_push(&x->record->time_assignments, s);
}

/* Other factors of an action's times are numbers. */
static void record_powers(struct execution *x, const struct term *term) {
  if (term->kind == TERM_POWER) {
    vector_push(&x->record->powers, evaluate_scalar(&x->e, term));
    return;
  }
  for (size_t i = 0; i < term->count; i++)
    record_powers(x, term->args[i]);
}

static void assign_time(struct execution *x, const struct statement *s) {
  if (x->record != NULL)
    record_powers(x, s->value);
  if (x->timed) {
    evaluate_time(&x->scratch, &x->e, s->value);
    rational_set(world_time(x->world, s->state, x->step->node), &x->scratch);
  }
  if (x->record != NULL)
    record_time(x, s);
}

static void assign(struct execution *x, const struct statement *s) {
  if (s->state->type.kind == TYPE_TIME) {
    assign_time(x, s);
    return;
  }
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

/* Whether the pacer of the message lets the step send it, and when it lets it go; in `delivered`
 * for now when it leaves. */
static bool pace(struct execution *x, struct world_message *m) {
  const struct pacer *pacer = m->message->pacer;
  struct rational *next = world_time(x->world, pacer->state, x->step->node);
  evaluate_time(&x->scratch, &x->e, pacer->tolerance);
  rational_sub(&x->scratch, next, &x->scratch);
  if (!pacer->holds && rational_compare(&x->scratch, &x->end) > 0) {
    x->result = STEP_TOO_MANY;
    return false;
  }
  rational_init(&m->delivered);
  rational_max(&m->delivered, &x->scratch, &x->end);
  rational_init(&m->paced);
  rational_max(&m->paced, next, &x->end);
  evaluate_time(&x->scratch, &x->e, pacer->every);
  rational_add(next, &m->paced, &x->scratch);
  return true;
}

struct send {
  struct execution *execution;
  const struct statement *statement;
};

static bool send_one(const struct interpretation *e, void *context) {
  struct execution *x = ((struct send *)context)->execution;
  const struct statement *s = ((struct send *)context)->statement;
  struct world_message m = {.message = s->message, .order = x->world->next_order};
  for (size_t i = 0; i < s->arg_count; i++)
    m.fields[i] = evaluate_scalar(e, s->args[i]);
  int field = s->message->receiver_field;
  if (field >= 0)
    m.receiver = evaluate_of_role(x->world->interpreter, s->message->fields[field].type.role,
                                  s->message->receiver, m.fields[field]);
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
  if (x->timed && s->message->pacer != NULL && !pace(x, &m))
    return false;
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
      x->world->next_order++;
      break;
    }
    }
  }
}

void execution_run(struct execution *x) {
  run(x, &x->step->action->body);
}

/* When it leaves (*left), is delivered, and what its pacer says. */
static void commit_delivery(struct execution *x, const struct world_message *m,
                            struct world_message *made, const struct occurrence *delay,
                            struct rational *left) {
  bool paced = m->message->pacer != NULL;
  rational_set(&made->sent_at, &x->end);
  rational_set(left, paced ? &m->delivered : &x->end);
  rational_set(&made->delivered, left); /* until the delay is told: who tells it may ask for that */
  rational_add(&made->delivered, left, x->e.valuation->term(delay, x->e.valuation->context));
  if (paced)
    rational_set(&made->paced, &m->paced);
}

static void keep_sent(const struct execution *x, const struct world_message *made,
                      const struct occurrence *delay, const struct rational *left) {
  struct record_message sent = {
      .message = made->message, .receiver = made->receiver, .delay = delay};
  memcpy(sent.fields, made->fields, sizeof sent.fields);
  rational_init(&sent.left);
  rational_init(&sent.delivered);
  if (x->timed) {
    rational_set(&sent.left, left);
    rational_set(&sent.delivered, &made->delivered);
  }
  vector_push(&x->record->sent, sent);
}

static void commit_message(struct execution *x, const struct world_message *m) {
  struct world_message *made = world_add_message(x->world, m->message, m->fields, m->receiver);
  made->order = m->order;
  world_index_sent(x->world, made);
  const struct occurrence *delay = interpreter_delay(x->e.interpreter, m->message, m->fields);
  struct rational left;
  rational_init(&left);
  if (x->timed)
    commit_delivery(x, m, made, delay, &left);
  if (x->record != NULL)
    keep_sent(x, made, delay, &left);
  rational_clear(&left);
}

/* A node that goes on without a message although it waited, or is idle in its slot, had none that
 * it could take. */
static void commit_times(struct execution *x) {
  const struct action *action = x->step->action;
  struct rational *arrival = world_arrival(x->world, action->role, x->step->node);
  struct rational *clock = world_clock(x->world, action->role, x->step->node);
  bool may_wait = action->timeout != NULL || action->timer != NULL;
  rational_set(&x->world->now, &x->start);
  if (x->received != NULL)
    rational_set(arrival, &x->received->delivered);
  else if (may_wait && (action->idle || rational_compare(clock, &x->start) < 0))
    rational_set(arrival, &x->start);
  rational_set(clock, &x->end);
}

void execution_commit(struct execution *x) {
  struct world *world = x->world;
  bool loses = x->step->action->loses;
  if (x->timed && !loses)
    commit_times(x);
  if (x->received != NULL) {
    x->received->received = true;
    x->received->lost = loses;
    world_index_received(world, x->received);
  }
  for (size_t i = 0; i < x->charges.count; i++)
    world_add_charge(world, x->charges.data[i].component, x->charges.data[i].occurrence);
  for (size_t i = 0; i < x->sent.count; i++)
    commit_message(x, &x->sent.data[i]);
  world->step_count++;
}
