/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/encode/urgency.h"

#include "solver/encode/fifo.h"

/* What could be done instead of a step: that starts at `start`, or (of the same `node`) takes a
 * message delivered at `taken`. */
struct due {
  const struct action *action;
  const struct symbolic *at;
  smt_term start, node, taken;
};

bool urgency_concerns(const struct action *action) {
  bool mentioned = false;
  for (size_t i = 0; i < action->guard_count && action->read != NULL; i++)
    mentioned = mentioned || term_mentions(action->guards[i], action->read);
  return !mentioned && !action->loses;
}

smt_term urgency_waits_for(struct encoder *e, const struct action *action, smt_term clock,
                           smt_term delivery) {
  if (action->schedule == NULL || action->schedule->timeout == NULL)
    return smt_bool(e->smt, true);
  smt_term limit = encode_bare(e, action->schedule->timeout);
  return smt_le(e->smt, delivery, smt_add(e->smt, clock, limit));
}

bool urgency_is_open(const struct action *action, const struct term *guard) {
  bool open = false;
  for (size_t i = 0; i < action->choice_count && !open; i++)
    open = term_mentions(guard, action->choices[i]);
  return open;
}

/* Whether a guard or the domain of a later choice depends on choice number `index`. */
static bool matters(const struct action *action, size_t index) {
  const struct variable *v = action->choices[index];
  bool found = false;
  for (size_t i = 0; i < action->guard_count && !found; i++)
    found = term_mentions(action->guards[i], v);
  for (size_t i = index + 1; i < action->choice_count && !found; i++) {
    const struct variable *later = action->choices[i];
    found = (later->set != NULL && term_mentions(later->set, v)) ||
            (later->low != NULL && term_mentions(later->low, v)) ||
            (later->high != NULL && term_mentions(later->high, v));
  }
  return found;
}

static smt_term open_guards_hold(struct encoder *e, void *context, smt_term *pattern) {
  (void)pattern;
  const struct due *due = context;
  smt_term all = smt_bool(e->smt, true);
  for (size_t i = 0; i < due->action->guard_count; i++)
    if (urgency_is_open(due->action, due->action->guards[i]))
      all = smt_and2(e->smt, all, encode(e, due->action->guards[i], due->at));
  return all;
}

/* Of a role that nothing depends on only counts whether it has a node: that needs no quantifier. */
smt_term urgency_some_choice(struct encoder *e, const struct action *action,
                             const struct symbolic *at) {
  struct due due = {.action = action, .at = at};
  struct quantified q = {.forall = false, .state = at, .body = open_guards_hold, .context = &due};
  const struct variable **kept = arena_alloc(&e->arena, action->choice_count, sizeof *kept);
  smt_term all = smt_bool(e->smt, true);
  for (size_t i = 0; i < action->choice_count; i++) {
    const struct variable *v = action->choices[i];
    if (v->domain != DOMAIN_ROLE || matters(action, i))
      kept[q.count++] = v;
    else
      all = smt_and2(e->smt, all, encode_is_node(e, &v->type, smt_int(e->smt, 0)));
  }
  q.variables = kept;
  return q.count == 0 ? all : smt_and2(e->smt, all, encode_quantified(e, &q));
}

static smt_term guards_hold(struct encoder *e, const struct due *due) {
  smt_term all = urgency_some_choice(e, due->action, due->at);
  for (size_t i = 0; i < due->action->guard_count; i++)
    if (!urgency_is_open(due->action, due->action->guards[i]))
      all = smt_and2(e->smt, all, encode(e, due->action->guards[i], due->at));
  return all;
}

/* One message with the fields that the environment gives the action's variables. */
static smt_term message_is_due(struct encoder *e, void *context, smt_term *pattern) {
  const struct due *due = context;
  const struct action *action = due->action;
  const struct message *m = action->message;
  struct smt *smt = e->smt;
  smt_term *fields = arena_alloc(&e->arena, m->field_count, sizeof(smt_term));
  bool names_itself = false;
  for (size_t i = 0; i < m->field_count; i++) {
    fields[i] = e->environment[action->fields[i]->id];
    names_itself = names_itself || action->fields[i] == action->node;
  }
  smt_term receiver = symbolic_receiver(e, due->at, m, fields);
  smt_term node = names_itself ? e->environment[action->node->id] : receiver;
  smt_term saved = encoder_let(e, action->node, node);
  smt_term could = smt_and2(smt, smt_equal(smt, node, receiver),
                            encode_in_domain(e, action->node, node, due->at));
  smt_term sent = symbolic_sent(e, due->at, m, fields);
  smt_term delivery = symbolic_delivery(e, due->at, m, fields);
  smt_term clock = symbolic_clock(e, due->at, action->role, node);
  *pattern = due->at->kind == SYMBOLIC_ANY ? sent : NULL;
  smt_term facts[] = {could,
                      sent,
                      smt_not(smt, symbolic_gone(e, due->at, m, fields)),
                      guards_hold(e, due),
                      fifo_is_next(e, due->at, m, fields),
                      urgency_waits_for(e, action, clock, delivery)};
  smt_term due_now = smt_and(smt, facts, sizeof facts / sizeof facts[0]);
  encoder_let(e, action->node, saved);
  if (due->taken != NULL)
    return smt_implies(smt, smt_and2(smt, due_now, smt_equal(smt, node, due->node)),
                       smt_le(smt, due->taken, delivery));
  smt_term wait = encode_occurrence(e, e->model->queueing, m, fields, m->field_count);
  return smt_implies(smt, due_now, smt_le(smt, due->start, smt_add(smt, delivery, wait)));
}

bool urgency_forces_timer(const struct model *model, const struct action *action) {
  return model->timing == TIMING_EAGER && action->timer != NULL && urgency_concerns(action);
}

smt_term urgency_timer_due(struct encoder *e, const struct action *action,
                           const struct symbolic *at, smt_term by) {
  struct due due = {.action = action, .at = at};
  smt_term timer = encode(e, action->timer, at);
  return smt_and2(e->smt, guards_hold(e, &due), smt_le(e->smt, timer, by));
}

static smt_term timer_is_due(struct encoder *e, void *context, smt_term *pattern) {
  (void)pattern;
  const struct due *due = context;
  smt_term node = e->environment[due->action->node->id];
  smt_term clock = symbolic_clock(e, due->at, due->action->role, node);
  smt_term limit = encode_max(e, clock, encode(e, due->action->timer, due->at));
  return smt_implies(e->smt, guards_hold(e, due), smt_le(e->smt, due->start, limit));
}

/* The variables to range over: the message's fields, each once, or the node with the timer. The
 * action may be the one whose step is being encoded: its variables keep their values. */
static smt_term for_action(struct encoder *e, struct due *due) {
  const struct action *action = due->action;
  size_t most = action->message != NULL ? action->message->field_count : 0;
  const struct variable **variables = arena_alloc(&e->arena, most + 1, sizeof *variables);
  size_t count = 0;
  for (size_t i = 0; i < most; i++) {
    bool seen = false;
    for (size_t j = 0; j < i; j++)
      seen = seen || action->fields[j] == action->fields[i];
    if (!seen)
      variables[count++] = action->fields[i];
  }
  if (action->message == NULL)
    variables[count++] = action->node;
  struct quantified q = {.forall = true,
                         .variables = variables,
                         .count = count,
                         .state = due->at,
                         .body = action->message != NULL ? message_is_due : timer_is_due,
                         .context = due};
  return encode_quantified(e, &q);
}

smt_term urgency(struct encoder *e, const struct symbolic *at, smt_term start) {
  smt_term all = smt_bool(e->smt, true);
  for (size_t i = 0; i < e->model->actions.count; i++) {
    const struct action *action = e->model->actions.items[i];
    bool is_message = action->message != NULL && e->model->queueing != NULL;
    if (urgency_concerns(action) && (is_message || action->timer != NULL))
      all = smt_and2(e->smt, all,
                     for_action(e, &(struct due){.action = action, .at = at, .start = start}));
  }
  return all;
}

/* Whether no message of a priority above `above` that the node could receive was delivered before
 * `taken`. */
static smt_term none_before(struct encoder *e, const struct symbolic *at, const struct role *role,
                            smt_term node, smt_term taken, int64_t above) {
  smt_term all = smt_bool(e->smt, true);
  for (size_t i = 0; i < e->model->actions.count; i++) {
    const struct action *action = e->model->actions.items[i];
    struct due due = {.action = action, .at = at, .node = node, .taken = taken};
    if (action->role == role && action->message != NULL && action->message->priority > above &&
        urgency_concerns(action))
      all = smt_and2(e->smt, all, for_action(e, &due));
  }
  return all;
}

smt_term urgency_order(struct encoder *e, const struct symbolic *at, const struct role *role,
                       smt_term node, smt_term delivery) {
  return none_before(e, at, role, node, delivery, -1);
}

smt_term urgency_priority(struct encoder *e, const struct symbolic *at, const struct action *taken,
                          smt_term node, smt_term start) {
  return none_before(e, at, taken->role, node, start, taken->message->priority);
}
