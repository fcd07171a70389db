/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/encode/transition.h"

#include <string.h>

#include "base/text.h"

#include "solver/encode/fifo.h"
#include "solver/encode/urgency.h"

struct transition_run {
  struct encoder *e;
  struct transition *t;
  const struct symbolic *at;
  const struct action *action;
  smt_term node, end;
};

static void require(struct transition_run *x, smt_term fact) {
  x->t->enabled = smt_and2(x->e->smt, x->t->enabled, fact);
}

/* A layer that sets the clock or the arrival time of the acting node, or now. */
static void set_time(struct transition_run *x, enum symbolic_kind kind, smt_term value) {
  x->at = symbolic_push(x->e, (struct symbolic){.kind = kind,
                                                .before = x->at,
                                                .guard = smt_bool(x->e->smt, true),
                                                .role = x->action->role,
                                                .node = x->node,
                                                .value = value});
}

/* An execution without a name: any time up to the bare one. */
static smt_term execution_of(struct transition_run *x, const struct component *component) {
  struct smt *smt = x->e->smt;
  smt_term time = smt_fresh(smt, component->name, smt_sort_real(smt));
  require(x, smt_le(smt, smt_real_zero(smt), time));
  require(x, smt_le(smt, time, encode_bare(x->e, component)));
  return time;
}

/* Any value of each domain, in the state before. In a scope only integers that it knows of. */
static void encode_choices(struct transition_run *x) {
  struct encoder *e = x->e;
  const struct action *action = x->action;
  if (action->choice_count == 0)
    return;
  x->t->choices = arena_alloc(&e->arena, action->choice_count, sizeof(smt_term));
  for (size_t i = 0; i < action->choice_count; i++) {
    const struct variable *v = action->choices[i];
    x->t->choices[i] = encode_fresh(e, v);
    require(x, encode_in_domain(e, v, x->t->choices[i], x->t->before));
    if (e->scope != NULL)
      require(x, encode_in_scope(e, &v->type, x->t->choices[i]));
  }
}

/* What the message needs to be taken, by its receiver or by the network. */
static void require_pending(struct transition_run *x) {
  struct encoder *e = x->e;
  struct smt *smt = e->smt;
  const struct message *m = x->action->message;
  x->t->fields = arena_alloc(&e->arena, m->field_count, sizeof(smt_term));
  for (size_t i = 0; i < m->field_count; i++) {
    const struct variable *v = x->action->fields[i];
    if (e->environment[v->id] == NULL) {
      smt_term value = encode_fresh(e, v);
      require(x, encode_in_domain(e, v, value, x->at));
    }
    x->t->fields[i] = e->environment[v->id];
  }
  require(x, symbolic_sent(e, x->at, m, x->t->fields));
  require(x, smt_not(smt, symbolic_gone(e, x->at, m, x->t->fields)));
  if (m->receiver->count != NULL)
    require(x, smt_equal(smt, x->node, symbolic_receiver(e, x->at, m, x->t->fields)));
  if (m->fifo)
    require(x, fifo_is_next(e, x->at, m, x->t->fields));
}

static void take_message(struct transition_run *x, enum symbolic_kind kind) {
  x->at = symbolic_push(x->e, (struct symbolic){.kind = kind,
                                                .before = x->at,
                                                .guard = smt_bool(x->e->smt, true),
                                                .message = x->action->message,
                                                .args = x->t->fields});
}

static smt_term encode_receive(struct transition_run *x, smt_term clock) {
  struct encoder *e = x->e;
  struct smt *smt = e->smt;
  const struct message *m = x->action->message;
  require_pending(x);
  smt_term delivery = symbolic_delivery(e, x->at, m, x->t->fields);
  require(x, urgency_waits_for(e, x->action, clock, delivery));
  if (e->model->timing == TIMING_ADVANCED) {
    require(x, smt_le(smt, symbolic_arrival(e, x->at, x->action->role, x->node), delivery));
    require(x, urgency_order(e, x->at, x->action->role, x->node, delivery));
    set_time(x, SYMBOLIC_ARRIVAL, delivery);
  } else if (e->model->queueing != NULL) {
    smt_term wait = encode_occurrence(e, e->model->queueing, m, x->t->fields, m->field_count);
    require(x, smt_le(smt, clock, smt_add(smt, delivery, wait)));
  }
  smt_term start = encode_max(e, clock, delivery);
  require(x, urgency_priority(e, x->at, x->action, x->node, start));
  take_message(x, SYMBOLIC_RECEIVE);
  return start;
}

static smt_term *encode_indices(struct transition_run *x, const struct term *cost) {
  smt_term *indices = arena_alloc(&x->e->arena, cost->count, sizeof(smt_term));
  for (size_t i = 0; i < cost->count; i++)
    indices[i] = encode(x->e, cost->args[i], x->t->before);
  return indices;
}

static void charge_once(struct transition_run *x, const struct term *cost, smt_term goal) {
  vector_push(&x->t->once, (struct once){.kind = ONCE_CHARGED,
                                         .component = cost->component,
                                         .span = cost->span,
                                         .goal = goal});
}

/* That what the indices name was not charged yet, where `condition` holds. */
static smt_term not_yet(struct transition_run *x, const struct term *cost, const smt_term *indices,
                        smt_term condition) {
  smt_term charged = symbolic_charged(x->e, x->at, cost->component, indices);
  return smt_implies(x->e->smt, condition, smt_not(x->e->smt, charged));
}

/* A layer that charges what the indices name, or (`batch`) all that the predicate allows for the
 * index at `member`. */
static void push_charge(struct transition_run *x, const struct term *cost, smt_term condition,
                        const smt_term *indices, smt_function batch, size_t member) {
  x->at = symbolic_push(x->e, (struct symbolic){.kind = SYMBOLIC_CHARGE,
                                                .before = x->at,
                                                .guard = condition,
                                                .component = cost->component,
                                                .args = indices,
                                                .batch = batch,
                                                .member = member});
}

/* A named occurrence: charged at most once, where `condition` says that it is charged. */
static smt_term charge_named(struct transition_run *x, const struct term *cost,
                             smt_term condition) {
  struct encoder *e = x->e;
  smt_term *indices = encode_indices(x, cost);
  if (!charge_follows_message(e->model, cost->component))
    charge_once(x, cost, not_yet(x, cost, indices, condition));
  push_charge(x, cost, condition, indices, NULL, 0);
  return encode_occurrence(e, cost->component, NULL, indices, cost->count);
}

/* The sum of `body` over a batch, in the state before. */
static smt_term sum_over_batch(struct transition_run *x, const struct variable *batch,
                               const struct term *body) {
  struct encoder *e = x->e;
  struct term sum = {.kind = TERM_SUM_OVER,
                     .type = {.kind = TYPE_TIME},
                     .span = body->span,
                     .count = 1,
                     .args = arena_copy(&e->arena, &body, 1, sizeof body),
                     .variable_count = 1,
                     .variables = arena_copy(&e->arena, &batch, 1, sizeof batch)};
  return encode(e, arena_copy(&e->arena, &sum, 1, sizeof sum), x->t->before);
}

/* Executions without names, one for each member: any time up to as many bare ones. */
static smt_term executions_of(struct transition_run *x, const struct variable *batch,
                              const struct term *cost) {
  struct encoder *e = x->e;
  struct term bare = {.kind = TERM_BARE,
                      .type = {.kind = TYPE_TIME},
                      .span = cost->span,
                      .component = cost->component};
  smt_term most = sum_over_batch(x, batch, arena_copy(&e->arena, &bare, 1, sizeof bare));
  smt_term time = smt_fresh(e->smt, cost->component->name, smt_sort_real(e->smt));
  require(x, smt_le(e->smt, smt_real_zero(e->smt), time));
  require(x, smt_le(e->smt, time, most));
  return time;
}

/* A predicate that says which values the variable of a batch has. */
static smt_function batch_predicate(struct transition_run *x, const struct variable *batch) {
  struct encoder *e = x->e;
  struct text name;
  text_init(&name);
  text_format(&name, "batch.%zu", e->name_count++);
  smt_sort sort = encode_sort(e, &batch->type);
  smt_function predicate = smt_declare(e->smt, text_get(&name), &sort, 1, smt_sort_bool(e->smt));
  text_clear(&name);
  smt_term value = smt_fresh(e->smt, batch->name, sort), saved = encoder_let(e, batch, value);
  smt_term inside = encode_in_domain(e, batch, value, x->t->before);
  encoder_let(e, batch, saved);
  smt_term is = smt_apply(e->smt, predicate, &value, 1);
  encoder_assume(e, FACT_DEFINITION,
                 smt_forall(e->smt, &value, 1, smt_equal(e->smt, is, inside), &is, 1));
  return predicate;
}

/* With a scope: a layer for each value. */
static void charge_each(struct transition_run *x, const struct variable *batch,
                        const struct term *cost, smt_term condition) {
  struct encoder *e = x->e;
  int64_t low, high;
  encode_scope_range(e, batch, x->t->before, &low, &high);
  for (int64_t i = low; i <= high; i++) {
    smt_term value = smt_int(e->smt, i), saved = encoder_let(e, batch, value);
    smt_term inside = encode_in_domain(e, batch, value, x->t->before);
    push_charge(x, cost, smt_and2(e->smt, condition, inside), encode_indices(x, cost), NULL, 0);
    encoder_let(e, batch, saved);
  }
}

/* A named occurrence for each member: none of them was charged before. */
static smt_term charge_batch(struct transition_run *x, const struct variable *batch,
                             const struct term *cost, smt_term condition) {
  struct encoder *e = x->e;
  smt_term value = encode_fresh(e, batch);
  smt_term *indices = encode_indices(x, cost);
  smt_term inside = encode_in_domain(e, batch, value, x->t->before);
  smt_term goal = not_yet(x, cost, indices, smt_and2(e->smt, condition, inside));
  bool bound = batch->type.kind != TYPE_NODE || batch->type.role->count != NULL;
  if (e->scope == NULL && bound)
    goal = smt_forall(e->smt, &value, 1, goal, NULL, 0);
  charge_once(x, cost, goal);
  if (e->scope != NULL) {
    charge_each(x, batch, cost, condition);
  } else {
    size_t member = 0;
    while (cost->args[member]->kind != TERM_VARIABLE || cost->args[member]->variable != batch)
      member++;
    indices[member] = NULL;
    push_charge(x, cost, condition, indices, batch_predicate(x, batch), member);
  }
  return sum_over_batch(x, batch, cost);
}

static smt_term charge(struct transition_run *x, size_t index) {
  struct smt *smt = x->e->smt;
  const struct term *cost = x->action->costs[index], *when = NULL;
  const struct variable *batch = x->action->batches == NULL ? NULL : x->action->batches[index];
  if (x->action->conditions != NULL)
    when = x->action->conditions[index];
  smt_term condition = when == NULL ? smt_bool(smt, true) : encode(x->e, when, x->t->before);
  smt_term time;
  if (cost->component->repeated)
    time = batch == NULL ? execution_of(x, cost->component) : executions_of(x, batch, cost);
  else
    time =
        batch == NULL ? charge_named(x, cost, condition) : charge_batch(x, batch, cost, condition);
  return smt_if(smt, condition, time, smt_real_zero(smt));
}

static void assign(struct transition_run *x, const struct statement *s, smt_term guard) {
  struct symbolic layer = {
      .kind = SYMBOLIC_ASSIGN, .before = x->at, .guard = guard, .state = s->state, .node = x->node};
  if (s->state->type.kind == TYPE_SET)
    layer.set = s->value;
  else
    layer.value = encode(x->e, s->value, x->at);
  if (s->key != NULL)
    layer.key = encode(x->e, s->key, x->at);
  x->at = symbolic_push(x->e, layer);
}

/* When the pacer lets the message go that the step sends where `guard` holds; *left: when it
 * leaves. Without a pacer that holds it, a step that may not send it cannot be taken. */
static smt_term pace(struct transition_run *x, const struct pacer *pacer, smt_term guard,
                     smt_term *left) {
  struct encoder *e = x->e;
  struct smt *smt = e->smt;
  smt_term next = symbolic_read(e, x->at, pacer->state, x->node);
  smt_term tolerance = encode(e, pacer->tolerance, x->t->before);
  if (pacer->holds) {
    *left = encode_max(e, smt_sub(smt, next, tolerance), x->end);
  } else {
    smt_term may = smt_implies(smt, guard, smt_le(smt, next, smt_add(smt, x->end, tolerance)));
    x->t->may_send = x->t->may_send == NULL ? may : smt_and2(smt, x->t->may_send, may);
  }
  smt_term paced = encode_max(e, next, x->end);
  x->at = symbolic_push(
      e, (struct symbolic){.kind = SYMBOLIC_ASSIGN,
                           .before = x->at,
                           .guard = guard,
                           .state = pacer->state,
                           .node = x->node,
                           .value = smt_add(smt, paced, encode(e, pacer->every, x->t->before))});
  return paced;
}

/* That what the pacer says next is of some message takes the one sent here as that: its name for
 * the solver, which finds by itself only what some formula mentions. */
static void name_sent(struct transition_run *x, const struct message *message,
                      const smt_term *fields) {
  struct encoder *e = x->e;
  smt_term name = smt_fresh(e->smt, "was_sent", smt_sort_bool(e->smt));
  smt_term before = symbolic_sent(e, x->t->before, message, fields);
  encoder_assume(e, FACT_DEFINITION, smt_equal(e->smt, name, before));
}

static void send(struct transition_run *x, const struct statement *s, smt_term guard) {
  struct encoder *e = x->e;
  struct smt *smt = e->smt;
  smt_term *bound = arena_alloc(&e->arena, s->variable_count, sizeof(smt_term));
  smt_term *fields = arena_alloc(&e->arena, s->arg_count, sizeof(smt_term));
  smt_term inside = guard;
  size_t count = 0;
  for (size_t i = 0; i < s->variable_count; i++) {
    const struct variable *v = s->variables[i];
    smt_term value = encode_fresh(e, v);
    if (v->type.kind != TYPE_NODE || v->type.role->count != NULL)
      bound[count++] = value;
    inside = smt_and2(smt, inside, encode_in_domain(e, v, value, x->at));
  }
  for (size_t i = 0; i < s->arg_count; i++)
    fields[i] = encode(e, s->args[i], x->at);
  smt_term goal =
      smt_implies(smt, inside, smt_not(smt, symbolic_sent(e, x->at, s->message, fields)));
  if (e->scope == NULL)
    goal = smt_forall(smt, bound, count, goal, NULL, 0);
  vector_push(
      &x->t->once,
      (struct once){.kind = ONCE_SENT, .message = s->message, .span = s->span, .goal = goal});
  const struct pacer *pacer = s->message->pacer;
  if (pacer != NULL && e->scope == NULL)
    name_sent(x, s->message, fields);
  smt_term left = x->end, paced = pacer == NULL ? NULL : pace(x, pacer, guard, &left);
  x->at = symbolic_push(e, (struct symbolic){.kind = SYMBOLIC_SEND,
                                             .before = x->at,
                                             .guard = guard,
                                             .send = s,
                                             .end = x->end,
                                             .left = left,
                                             .value = paced});
}

static void run_block(struct transition_run *x, const struct block *block, smt_term guard) {
  for (size_t i = 0; i < block->count; i++) {
    const struct statement *s = block->statements[i];
    if (s->kind == STATEMENT_ASSIGN) {
      assign(x, s, guard);
    } else if (s->kind == STATEMENT_SEND) {
      send(x, s, guard);
    } else {
      smt_term condition = encode(x->e, s->condition, x->at);
      run_block(x, &s->then_block, smt_and2(x->e->smt, guard, condition));
      run_block(x, &s->else_block, smt_and2(x->e->smt, guard, smt_not(x->e->smt, condition)));
    }
  }
}

/* The arrival time after a step that waits for a timeout or timer: that the node really waited, or
 * was idle in a slot, shows that nothing was there to be taken. */
static smt_term arrival_after(struct transition_run *x, smt_term clock, smt_term start) {
  if (x->action->idle)
    return start;
  smt_term arrival = symbolic_arrival(x->e, x->at, x->action->role, x->node);
  return smt_if(x->e->smt, smt_lt(x->e->smt, clock, start), start, arrival);
}

/* When the step starts. */
static smt_term encode_start(struct transition_run *x) {
  struct encoder *e = x->e;
  const struct action *action = x->action;
  smt_term clock = symbolic_clock(e, x->at, action->role, x->node), start = clock;
  if (action->message != NULL)
    return encode_receive(x, clock);
  if (action->timeout != NULL)
    start = smt_add(e->smt, clock, execution_of(x, action->timeout));
  if (action->timer != NULL)
    start = encode_max(e, clock, encode(e, action->timer, x->t->before));
  bool waits = action->timeout != NULL || action->timer != NULL;
  if (waits && e->model->timing == TIMING_ADVANCED)
    set_time(x, SYMBOLIC_ARRIVAL, arrival_after(x, clock, start));
  return start;
}

static void encode_eager(struct transition_run *x, smt_term start) {
  struct encoder *e = x->e;
  require(x, smt_le(e->smt, symbolic_now(e, x->t->before), start));
  require(x, urgency(e, x->t->before, start));
  set_time(x, SYMBOLIC_NOW, start);
}

/* What happens to clocks, and when the step starts and ends. */
static void encode_times(struct transition_run *x, smt_term read) {
  struct encoder *e = x->e;
  const struct action *action = x->action;
  smt_term start = x->end = x->t->start = encode_start(x);
  encode_choices(x);
  for (size_t i = 0; i < action->guard_count; i++)
    require(x, encode(e, action->guards[i], x->t->before));
  for (size_t i = 0; i < action->cost_count; i++)
    x->end = smt_add(e->smt, x->end, charge(x, i));
  if (read != NULL)
    require(x, smt_and2(e->smt, smt_le(e->smt, start, read), smt_le(e->smt, read, x->end)));
  if (e->model->timing == TIMING_EAGER)
    encode_eager(x, start);
  set_time(x, SYMBOLIC_CLOCK, x->end);
}

/* The network loses the message: of no node, at no time. */
static void encode_loss(struct transition_run *x) {
  require_pending(x);
  for (size_t i = 0; i < x->action->guard_count; i++)
    require(x, encode(x->e, x->action->guards[i], x->t->before));
  take_message(x, SYMBOLIC_LOSE);
}

/* The clock read is a constant before anything is encoded: guards, timers and assignments may
 * mention it. */
void transition_init(struct transition *t, struct encoder *e, const struct action *action,
                     const struct symbolic *before) {
  memset(t, 0, sizeof *t);
  t->before = before;
  t->enabled = fifo_facts(e, before);
  for (size_t i = 0; action->message != NULL && i < action->message->field_count; i++)
    encoder_let(e, action->fields[i], NULL);
  smt_term read = action->read == NULL ? NULL : encode_fresh(e, action->read);
  struct transition_run x = {.e = e, .t = t, .at = before, .action = action};
  x.node = t->node = encode_fresh(e, action->node);
  require(&x, encode_in_domain(e, action->node, x.node, before));
  if (action->loses)
    encode_loss(&x);
  else
    encode_times(&x, read);
  run_block(&x, &action->body, smt_bool(e->smt, true));
  t->after = x.at;
}

void transition_clear(struct transition *t) {
  vector_clear(&t->once);
}
