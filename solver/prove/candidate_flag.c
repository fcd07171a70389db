/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/prove/candidate_flag.h"

#include "solver/encode/encode.h"

static const struct type boolean = {.kind = TYPE_BOOL};

static bool is_constant(const struct term *t) {
  return t->kind == TERM_BOOL || t->kind == TERM_ENUM || t->kind == TERM_INT;
}

static bool is_slot(const struct maker *m, const struct state *state) {
  for (size_t i = 0; i < m->model->schedules.count; i++)
    if (m->model->schedules.items[i]->state == state)
      return true;
  return false;
}

/* What the assignments to a state variable have in common. */
struct uses {
  const struct state *state;
  bool constants; /* all are constants */
  bool same;      /* and all the same */
  const struct term *value;
};

static void look_at(struct uses *u, const struct block *block) {
  for (size_t i = 0; i < block->count; i++) {
    const struct statement *s = block->statements[i];
    if (s->kind == STATEMENT_IF) {
      look_at(u, &s->then_block);
      look_at(u, &s->else_block);
    } else if (s->kind == STATEMENT_ASSIGN && s->state == u->state) {
      u->constants = u->constants && is_constant(s->value);
      u->same =
          u->same && u->constants && (u->value == NULL || u->value->integer == s->value->integer);
      u->value = s->value;
    }
  }
}

/* What holds of the state variable once it was given the constant, if it never goes back: it has
 * the value; of an enumeration whose values come in their order, it has none of those before. NULL:
 * nothing. */
static const struct term *what_lasts(struct maker *m, const struct statement *s) {
  struct uses u = {.state = s->state, .constants = true, .same = true};
  for (size_t i = 0; i < m->model->actions.count; i++)
    look_at(&u, &m->model->actions.items[i]->body);
  const struct term *node = make_acting(m);
  struct term *now = make_term(m, TERM_STATE, s->state->type, &node, 1);
  now->state = s->state;
  if (u.same) {
    const struct term *value = copy_term(m, s->value, NULL, NULL);
    return make_pair(m, TERM_EQ, now, value);
  }
  const struct term *all = NULL;
  for (int64_t i = 0; u.constants && s->value->kind == TERM_ENUM && i < s->value->integer; i++) {
    struct term *value = make_term(m, TERM_ENUM, s->value->type, NULL, 0);
    value->integer = i;
    const struct term *passed = make_pair(m, TERM_NE, now, value);
    all = all == NULL ? passed : make_pair(m, TERM_AND, all, passed);
  }
  return all;
}

/* Only a node that the event names (or a single one) is known to be the one that acted. */
static void after_event(struct maker *m, const struct statement *flag, struct term event,
                        const struct term *const *args, size_t count) {
  bool known = m->action->role->count == NULL;
  for (size_t i = 0; i < count; i++)
    known = known || term_mentions(args[i], m->action->node);
  const struct term *lasts = known ? what_lasts(m, flag) : NULL;
  if (lasts == NULL)
    return;
  const struct term **copies = copy_terms(m, args, count, NULL, NULL);
  const struct term *happened =
      make_fact(m, event.kind, event.message, event.component, copies, count);
  add_candidate(m, make_pair(m, TERM_IMPLIES, happened, lasts));
}

static void after_charges(struct maker *m, const struct statement *flag) {
  for (size_t i = 0; i < m->action->cost_count; i++) {
    const struct term *cost = m->action->costs[i];
    bool batch = m->action->batches != NULL && m->action->batches[i] != NULL;
    if (!cost->component->repeated && !batch)
      after_event(m, flag, (struct term){.kind = TERM_CHARGED, .component = cost->component},
                  cost->args, cost->count);
  }
}

static void after_receive(struct maker *m, const struct statement *flag) {
  const struct message *message = m->action->message;
  const struct term *lasts = what_lasts(m, flag);
  if (lasts == NULL)
    return;
  const struct term **args = arena_alloc(&m->c->arena, message->field_count, sizeof *args);
  for (size_t i = 0; i < message->field_count; i++)
    args[i] = copy_term(m, make_mention(m, m->action->fields[i]), NULL, NULL);
  const struct term *event = make_fact(m, TERM_RECEIVED, message, NULL, args, message->field_count);
  if (message->receiver->count != NULL) {
    struct type type = {.kind = TYPE_NODE, .role = message->receiver};
    struct term *receiver = make_term(m, TERM_RECEIVER, type, args, message->field_count);
    receiver->message = message;
    const struct term *node = make_acting(m);
    event = make_pair(m, TERM_AND, event, make_pair(m, TERM_EQ, receiver, node));
  }
  add_candidate(m, make_pair(m, TERM_IMPLIES, event, lasts));
}

/* Everything that a block sends comes with the flags of the block. */
static void with_sends(struct maker *m, const struct statement *flag, const struct block *block) {
  for (size_t i = 0; i < block->count; i++) {
    const struct statement *s = block->statements[i];
    if (s->kind == STATEMENT_SEND)
      after_event(m, flag, (struct term){.kind = TERM_SENT, .message = s->message}, s->args,
                  s->arg_count);
    if (s->kind == STATEMENT_IF) {
      with_sends(m, flag, &s->then_block);
      with_sends(m, flag, &s->else_block);
    }
  }
}

static void from_block(struct maker *m, const struct block *block, bool always) {
  for (size_t i = 0; i < block->count; i++) {
    const struct statement *s = block->statements[i];
    if (s->kind == STATEMENT_IF) {
      from_block(m, &s->then_block, false);
      from_block(m, &s->else_block, false);
    }
    if (s->kind != STATEMENT_ASSIGN || s->key != NULL || !is_constant(s->value) ||
        is_slot(m, s->state))
      continue;
    with_sends(m, s, block);
    if (always)
      after_charges(m, s);
    if (always && m->action->message != NULL)
      after_receive(m, s);
  }
}

void candidate_flags(struct maker *m) {
  from_block(m, &m->action->body, true);
}

static const struct term *about(struct maker *m, enum term_kind kind, const struct message *message,
                                const struct term *const *args) {
  struct term *t = make_term(m, kind, boolean, args, message->field_count);
  t->message = message;
  if (kind == TERM_ORDER)
    t->type.kind = TYPE_INT;
  return t;
}

static bool same_type(const struct type *a, const struct type *b) {
  return a->kind == b->kind && a->role == b->role && a->enumeration == b->enumeration;
}

/* The fields of `first` among those of `second`, type by type in order; false: not all are. */
static bool match_fields(const struct message *first, const struct message *second,
                         const struct term **args, const struct term *const *given) {
  size_t at = 0;
  for (size_t i = 0; i < first->field_count; i++) {
    while (at < second->field_count && !same_type(&first->fields[i].type, &second->fields[at].type))
      at++;
    if (at == second->field_count)
      return false;
    args[i] = given[at++];
  }
  return true;
}

void candidate_fifo(struct maker *m, const struct message *first, const struct message *second) {
  if (first == second || !first->fifo || !second->fifo || first->sender != second->sender ||
      first->receiver != second->receiver)
    return;
  struct arena *arena = &m->c->arena;
  const struct term **given = arena_alloc(arena, second->field_count, sizeof *given);
  const struct term **args = arena_alloc(arena, first->field_count, sizeof *args);
  for (size_t i = 0; i < second->field_count; i++)
    given[i] = make_mention(m, make_variable(m, second->fields[i].name, second->fields[i].type));
  if (!match_fields(first, second, args, given))
    return;
  const struct term *earlier =
      make_pair(m, TERM_LT, about(m, TERM_ORDER, first, args), about(m, TERM_ORDER, second, given));
  const struct term *both = make_pair(m, TERM_AND, about(m, TERM_SENT, first, args), earlier);
  add_candidate(m, make_pair(m, TERM_IMPLIES, about(m, TERM_SENT, second, given), both));
  add_candidate(m, make_pair(m, TERM_IMPLIES, about(m, TERM_RECEIVED, second, given),
                             about(m, TERM_RECEIVED, first, args)));
}

int candidate_number(const struct message *message) {
  int found = -1;
  for (size_t i = 0; message->fifo && i < message->field_count; i++) {
    if (message->fields[i].type.kind != TYPE_INT)
      continue;
    if (found >= 0)
      return -1;
    found = (int)i;
  }
  return found;
}

/* Whether both go to one node, where no field says so. */
static const struct term *same_receiver(struct maker *m, const struct message *message,
                                        const struct term *const *a, const struct term *const *b) {
  if (message->receiver_field >= 0 || message->receiver->count == NULL)
    return NULL;
  struct type type = {.kind = TYPE_NODE, .role = message->receiver};
  struct term *x = make_term(m, TERM_RECEIVER, type, a, message->field_count);
  struct term *y = make_term(m, TERM_RECEIVER, type, b, message->field_count);
  x->message = y->message = message;
  return make_pair(m, TERM_EQ, x, y);
}

void candidate_numbered(struct maker *m, const struct message *message) {
  int number = candidate_number(message);
  if (number < 0)
    return;
  struct arena *arena = &m->c->arena;
  const struct term **low = arena_alloc(arena, message->field_count, sizeof *low);
  const struct term **high = arena_alloc(arena, message->field_count, sizeof *high);
  for (size_t i = 0; i < message->field_count; i++)
    low[i] = high[i] =
        make_mention(m, make_variable(m, message->fields[i].name, message->fields[i].type));
  high[number] = make_mention(m, make_variable(m, "k", message->fields[number].type));
  const struct term *pair = make_pair(m, TERM_AND, about(m, TERM_SENT, message, low),
                                      make_pair(m, TERM_LT, low[number], high[number]));
  const struct term *one_node = same_receiver(m, message, low, high);
  if (one_node != NULL)
    pair = make_pair(m, TERM_AND, pair, one_node);
  const struct term *sent = make_pair(m, TERM_AND, about(m, TERM_SENT, message, high), pair);
  const struct term *received =
      make_pair(m, TERM_AND, about(m, TERM_RECEIVED, message, high), pair);
  add_candidate(m, make_pair(m, TERM_IMPLIES, sent,
                             make_pair(m, TERM_LT, about(m, TERM_ORDER, message, low),
                                       about(m, TERM_ORDER, message, high))));
  const struct term *taken = message->loss == NULL
                                 ? about(m, TERM_RECEIVED, message, low)
                                 : make_pair(m, TERM_OR, about(m, TERM_RECEIVED, message, low),
                                             about(m, TERM_LOST, message, low));
  add_candidate(m, make_pair(m, TERM_IMPLIES, received, taken));
}
