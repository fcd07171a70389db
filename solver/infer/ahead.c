/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/infer/ahead.h"

#include "solver/encode/encode.h"
#include "solver/infer/edge.h"
#include "solver/infer/time.h"

struct making {
  relations *list;
  struct flow flow; /* for making terms alone */
};

/* --- what the costs of numbers low to high are together ----------------------------------------
 */

/* NULL: nothing, or (*known false) not by the number alone. */
static const struct term *cost_of(struct flow *flow, const struct action *action,
                                  const struct term *own, const struct term *number, bool *known) {
  const struct term *all = NULL;
  for (size_t i = 0; i < action->cost_count; i++) {
    struct replacement with = {own, number};
    const struct term *cost = integer_tidy(flow->m, action->costs[i]);
    cost = term_replace(flow->m, cost, &with, 1);
    *known = *known && action->conditions == NULL && action->batches == NULL &&
             !cost->component->repeated && cost->count == 1 && term_equal(cost->args[0], number);
    all = time_plus(flow->m, all, cost);
  }
  return all;
}

static const struct term *ranging(struct term_maker *m, enum term_kind kind,
                                  const struct variable *v, const struct term *body) {
  struct term *t = maker_term(m, kind, TYPE_TIME, &body, 1);
  t->variable_count = 1;
  t->variables = arena_copy(m->arena, &v, 1, sizeof v);
  return t;
}

/* sum i in low..high of the costs of the action, whose own number is `own`. */
static const struct term *costs_between(struct flow *flow, const struct action *action,
                                        const struct term *own, const struct term *low,
                                        const struct term *high) {
  const struct variable *i = maker_range(flow->m, "i", low, high);
  bool known = true;
  const struct term *cost = cost_of(flow, action, own, maker_mention(flow->m, i), &known);
  return cost == NULL || !known ? NULL : ranging(flow->m, TERM_SUM_OVER, i, cost);
}

static const struct term *plus(struct flow *flow, const struct term *a, const struct term *b) {
  return b == NULL ? a : maker_pair(flow->m, TERM_ADD, TYPE_TIME, a, b);
}

static const struct term *message_term(struct flow *flow, enum term_kind kind,
                                       const struct message *message, const struct term *number) {
  return maker_message(flow->m, kind, message, kind == TERM_DELAY ? message->delay : NULL, &number);
}

/* max j in first + 1..last (time(M(j)) + the work from j to `done`) */
static const struct term *busy_until(struct flow *flow, const struct ahead *ahead,
                                     const struct term *last, const struct term *done) {
  struct term_maker *m = flow->m;
  const struct variable *j = maker_range(m, "j", integer_plus(m, ahead->first, 1), last);
  const struct term *number = maker_mention(m, j);
  const struct term *own = maker_mention(m, ahead->work->fields[0]);
  const struct term *work = costs_between(flow, ahead->work, own, number, done);
  return ranging(m, TERM_MAX_OVER, j,
                 plus(flow, message_term(flow, TERM_TIME_MESSAGE, ahead->message, number), work));
}

/* --- candidates ------------------------------------------------------------------------------ */

/* The value that the only statement about a state of the kind gives it, in the action's terms. */
static const struct statement *assigned(const struct action *action, enum type_kind type) {
  for (size_t i = 0; i < action->body.count; i++) {
    const struct statement *s = action->body.statements[i];
    if (s->kind == STATEMENT_ASSIGN && s->key == NULL && s->state->type.kind == type)
      return s;
  }
  return NULL;
}

static void say(struct making *k, const struct term *formula, struct relation says) {
  relation_add(k->list, k->flow.m, k->flow.model, formula, says);
}

static void about_work(struct making *k, const struct ahead *ahead, const struct state *kept) {
  struct flow *flow = &k->flow;
  struct term_maker *m = flow->m;
  const struct term *node = maker_role_node(m, kept->role, NULL);
  const struct term *done = flow_state(flow, kept, node), *clock = maker_clock(m, node);
  const struct term *some = maker_pair(m, TERM_GT, TYPE_BOOL, done, ahead->first);
  const struct term *none = maker_pair(m, TERM_LE, TYPE_BOOL, done, ahead->first);
  say(k, maker_implies(m, none, maker_at_most(m, clock, maker_zero(m))), (struct relation){0});
  say(k, maker_implies(m, some, maker_at_most(m, clock, busy_until(flow, ahead, done, done))),
      (struct relation){.ahead = ahead});
}

/* The sender's clock, and each sending, by what it has spent; and that they are sent in order. */
static void about_sending(struct making *k, const struct ahead *ahead, const struct state *count,
                          const struct term *own) {
  struct flow *flow = &k->flow;
  struct term_maker *m = flow->m;
  const struct term *node = maker_role_node(m, count->role, NULL);
  const struct term *low = integer_plus(m, ahead->first, 1);
  struct variable *v = maker_variable(m, "k", (struct type){.kind = TYPE_INT});
  const struct term *number = maker_mention(m, v);
  const struct term *sent = message_term(flow, TERM_SENT, ahead->message, number);
  const struct term *at = maker_pair(m, TERM_SUB, TYPE_TIME,
                                     message_term(flow, TERM_TIME_MESSAGE, ahead->message, number),
                                     message_term(flow, TERM_DELAY, ahead->message, number));
  const struct term *spent = costs_between(flow, ahead->send, own, low, number);
  const struct term *all =
      costs_between(flow, ahead->send, own, low, flow_state(flow, count, node));
  if (spent == NULL || all == NULL)
    return;
  say(k, maker_pair(m, TERM_EQ, TYPE_BOOL, maker_clock(m, node), all), (struct relation){0});
  say(k, maker_implies(m, sent, maker_pair(m, TERM_EQ, TYPE_BOOL, at, spent)),
      (struct relation){.spaced = ahead});
}

static const struct term *first_of(struct term_maker *m, const struct state *state) {
  struct replacement self = {maker_mention(m, state->self), maker_role_node(m, state->role, NULL)};
  return term_replace(m, state->initial, &self, 1);
}

/* Whether the action counts up by one and sends the message with the new number. */
static bool counts(struct making *k, const struct action *a, const struct message *message) {
  const struct statement *s = assigned(a, TYPE_INT);
  int64_t step = 0;
  const struct term *node = maker_mention(k->flow.m, a->node);
  bool plain = a->message == NULL && a->timer == NULL && a->timeout == NULL &&
               a->schedule == NULL && a->role == message->sender && a->role->count == NULL;
  if (!plain || s == NULL)
    return false;
  for (size_t i = 0; i < a->body.count; i++)
    if (a->body.statements[i]->kind == STATEMENT_SEND &&
        a->body.statements[i]->message == message) {
      struct replacement single = {node, maker_role_node(k->flow.m, a->role, NULL)};
      const struct term *value = term_replace(k->flow.m, s->value, &single, 1);
      const struct term *state = flow_state(&k->flow, s->state, single.to);
      return integer_difference(k->flow.m, value, state, &step) && step == 1;
    }
  return false;
}

static void about_message(struct making *k, const struct message *message) {
  struct term_maker *m = k->flow.m;
  const struct model *model = k->flow.model;
  struct ahead found = {.message = message};
  const struct state *kept = NULL, *count = NULL;
  for (size_t i = 0; i < model->actions.count; i++) {
    const struct action *a = model->actions.items[i];
    const struct statement *s = assigned(a, TYPE_INT);
    if (a->message == message && !a->loses && s != NULL && s->value->kind == TERM_VARIABLE &&
        s->value->variable == a->fields[0]) {
      found.work = a;
      kept = s->state;
    } else if (counts(k, a, message)) {
      found.send = a;
      count = s->state;
    }
  }
  bool known = true;
  if (found.work == NULL)
    return;
  found.first = first_of(m, kept);
  cost_of(&k->flow, found.work, maker_mention(m, found.work->fields[0]),
          maker_mention(m, found.work->fields[0]), &known);
  if (!known)
    return;
  const struct ahead *ahead = arena_copy(m->arena, &found, 1, sizeof found);
  about_work(k, ahead, kept);
  if (count == NULL)
    return;
  const struct term *node = maker_mention(m, found.send->node);
  const struct term *own = integer_plus(m, flow_state(&k->flow, count, node), 1);
  about_sending(k, ahead, count, own);
}

void ahead_relations(relations *list, struct term_maker *m, const struct model *model) {
  struct making k = {.list = list, .flow = {.m = m, .model = model}};
  for (size_t i = 0; i < model->messages.count && model->timing == TIMING_ADVANCED; i++) {
    const struct message *message = model->messages.items[i];
    if (message->field_count == 1 && message->fields[0].type.kind == TYPE_INT &&
        message->pacer == NULL && message->receiver->count == NULL && !message->receiver->external)
      about_message(&k, message);
  }
}

/* --- times ----------------------------------------------------------------------------------- */

static const struct ahead *held(const struct flow *flow, const struct message *message,
                                bool spaced) {
  for (size_t i = 0; i < flow->held->count; i++) {
    const struct relation *r = &flow->held->data[i];
    const struct ahead *ahead = spaced ? r->spaced : r->ahead;
    if (ahead != NULL && ahead->message == message)
      return ahead;
  }
  return NULL;
}

bool ahead_is_known(const struct flow *flow, const struct message *message) {
  return held(flow, message, false) != NULL;
}

const struct term *ahead_start(struct flow *flow, const struct unknown *u) {
  const struct ahead *ahead = held(flow, u->message, false);
  if (ahead == NULL || u->message != flow->from)
    return NULL;
  return busy_until(flow, ahead, u->formals[0], integer_plus(flow->m, u->formals[0], -1));
}

/* d(M(j)) less what passed from sending j to sending k. */
static const struct term *since(struct flow *flow, const struct ahead *spaced,
                                const struct term *number, const struct bound *bound) {
  struct term_maker *m = flow->m;
  const struct term *delay = message_term(flow, TERM_DELAY, bound->from, number);
  const struct statement *s = assigned(spaced->send, TYPE_INT);
  const struct term *node = maker_mention(m, spaced->send->node);
  const struct term *own = integer_plus(m, flow_state(flow, s->state, node), 1);
  const struct term *passed =
      costs_between(flow, spaced->send, own, integer_plus(m, number, 1), bound->from_args[0]);
  return passed == NULL ? NULL : maker_pair(m, TERM_SUB, TYPE_TIME, delay, passed);
}

const struct term *ahead_since_sent(struct flow *flow, const struct bound *bound,
                                    const struct term *time) {
  struct term_maker *m = flow->m;
  const struct ahead *spaced = held(flow, bound->from, true);
  if (spaced == NULL || time == NULL)
    return NULL;
  if (time->kind == TERM_ADD) {
    for (size_t i = 0; i < 2; i++) {
      const struct term *part = ahead_since_sent(flow, bound, time->args[i]);
      if (part != NULL)
        return maker_pair(m, TERM_ADD, TYPE_TIME, i == 0 ? part : time->args[0],
                          i == 0 ? time->args[1] : part);
    }
    return NULL;
  }
  if (time->kind != TERM_MAX_OVER || time->variables[0]->domain != DOMAIN_RANGE)
    return NULL;
  const struct term *number = maker_mention(m, time->variables[0]);
  struct replacement with = {message_term(flow, TERM_TIME_MESSAGE, bound->from, number),
                             since(flow, spaced, number, bound)};
  if (with.to == NULL)
    return NULL;
  struct term *made = arena_copy(m->arena, time, 1, sizeof *time);
  const struct term *body = term_replace(m, time->args[0], &with, 1);
  made->args = arena_copy(m->arena, &body, 1, sizeof body);
  return made;
}
