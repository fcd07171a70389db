/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/prove/candidate.h"

#include <string.h>

#include "solver/prove/candidate_flag.h"
#include "solver/prove/candidate_pace.h"
#include "solver/encode/encode.h"
#include "lang/owner.h"
#include "lang/term_time.h"

static const struct type boolean = {.kind = TYPE_BOOL};

static const struct term *sent_by(struct maker *m, const struct statement *s) {
  return make_fact(m, TERM_SENT, s->message, NULL, copy_terms(m, s->args, s->arg_count, NULL, NULL),
                   s->arg_count);
}

static const struct term *received_by(struct maker *m) {
  const struct message *message = m->action->message;
  const struct term **args = arena_alloc(&m->c->arena, message->field_count, sizeof *args);
  for (size_t i = 0; i < message->field_count; i++)
    args[i] = copy_term(m, make_mention(m, m->action->fields[i]), NULL, NULL);
  return make_fact(m, TERM_RECEIVED, message, NULL, args, message->field_count);
}

static bool reads_slot(const struct maker *m, const struct term *t) {
  for (size_t i = 0; i < m->model->schedules.count; i++)
    if (t->kind == TERM_STATE && t->state == m->model->schedules.items[i]->state)
      return true;
  for (size_t i = 0; i < t->count; i++)
    if (reads_slot(m, t->args[i]))
      return true;
  return false;
}

/* What a step chooses from a set is in it. Guards about the slot of a schedule or about times hold
 * now and not in a moment: what follows from them does not last, what follows without them may. */
static const struct term *guards(struct maker *m) {
  const struct term *all = NULL;
  for (size_t i = 0; i < m->action->choice_count; i++) {
    const struct variable *v = m->action->choices[i];
    if (v->domain != DOMAIN_SET)
      continue;
    const struct term *in[] = {make_mention(m, renamed(m, v)), copy_term(m, v->set, NULL, NULL)};
    const struct term *member = make_term(m, TERM_IN, boolean, in, 2);
    all = all == NULL ? member : make_pair(m, TERM_AND, all, member);
  }
  for (size_t i = 0; i < m->action->guard_count; i++) {
    const struct term *guard = m->action->guards[i];
    if (reads_slot(m, guard) || term_mentions_time(guard))
      continue;
    const struct term *one = copy_term(m, guard, NULL, NULL);
    all = all == NULL ? one : make_pair(m, TERM_AND, all, one);
  }
  return all;
}

/* The variable of the send that runs over what belongs to the acting node, and so tells it. */
static const struct variable *owned_in(const struct action *action, const struct statement *s) {
  for (size_t i = 0; i < s->variable_count; i++) {
    const struct term *set = s->variables[i]->set;
    if (s->variables[i]->domain == DOMAIN_SET && set->kind == TERM_OWNED_SET &&
        set->args[0]->kind == TERM_VARIABLE && set->args[0]->variable == action->node)
      return s->variables[i];
  }
  return NULL;
}

/* Whether the acting node tells the field: it names the other of its pair. */
static bool told_by_node(const struct action *action, size_t field) {
  return action->message->receiver_field == (int)field &&
         role_pairs(action->role, action->fields[field]->type.role);
}

static bool mentions_all_fields(const struct action *action, const struct statement *s) {
  for (size_t f = 0; f < action->message->field_count; f++) {
    bool found = false;
    for (size_t i = 0; i < s->arg_count; i++)
      found = found || term_mentions(s->args[i], action->fields[f]) ||
              (action->fields[f] == action->node && owned_in(action, s) != NULL) ||
              (told_by_node(action, f) && term_mentions(s->args[i], action->node));
    if (!found)
      return false;
  }
  return true;
}

/* Before a node sends the numbered message, it has sent none of another number either. */
static void before_numbers(struct maker *m, const struct statement *s, const struct term *enabled) {
  int number = candidate_number(s->message);
  if (number < 0)
    return;
  const struct term **args = copy_terms(m, s->args, s->arg_count, NULL, NULL);
  args[number] = make_mention(m, make_variable(m, "k", s->message->fields[number].type));
  const struct term *sent = make_fact(m, TERM_SENT, s->message, NULL, args, s->arg_count);
  add_candidate(m, make_pair(m, TERM_IMPLIES, enabled, make_not(m, sent)));
}

/* `path`: the condition under which the statement is reached, renamed; NULL: always. */
static void from_one_send(struct maker *m, const struct statement *s, const struct term *path) {
  const struct term *sent = sent_by(m, s), *enabled = guards(m);
  if (m->action->message != NULL) {
    if (mentions_all_fields(m->action, s))
      add_candidate(m, make_pair(m, TERM_IMPLIES, sent, received_by(m)));
    if (path == NULL)
      add_candidate(m, make_pair(m, TERM_IMPLIES, received_by(m), sent));
  }
  if (path != NULL)
    add_candidate(m, make_pair(m, TERM_IMPLIES, sent, path));
  if (enabled != NULL)
    add_candidate(m, make_pair(m, TERM_IMPLIES, enabled, make_not(m, sent)));
  if (enabled != NULL)
    before_numbers(m, s, enabled);
}

static void from_send(struct maker *m, const struct statement *s, const struct term *path) {
  m->owned = owned_in(m->action, s);
  if (m->owned == NULL || path == NULL) /* a path is of the node by its name */
    from_one_send(m, s, path);
  m->owned = NULL;
}

/* Whether the message received is known from the node it is received by and `x`. */
static bool determines_fields(const struct action *action, const struct term *x) {
  for (size_t f = 0; f < action->message->field_count; f++)
    if (action->fields[f] != action->node && !term_mentions(x, action->fields[f]))
      return false;
  return true;
}

/* set := set + {x}: its members are those whose message was received. */
static void from_insertion(struct maker *m, const struct statement *s, const struct term *path) {
  const struct term *sum = s->value;
  if (m->action->message == NULL || sum->kind != TERM_UNION || sum->args[0]->kind != TERM_STATE ||
      sum->args[0]->state != s->state || sum->args[1]->kind != TERM_SET)
    return;
  for (size_t i = 0; i < sum->args[1]->count; i++) {
    const struct term *in[] = {copy_term(m, sum->args[1]->args[i], NULL, NULL),
                               copy_term(m, sum->args[0], NULL, NULL)};
    const struct term *member = make_term(m, TERM_IN, boolean, in, 2);
    if (determines_fields(m->action, sum->args[1]->args[i]))
      add_candidate(m, make_pair(m, TERM_IMPLIES, member, received_by(m)));
    if (path == NULL)
      add_candidate(m, make_pair(m, TERM_IMPLIES, received_by(m), member));
  }
}

/* Many occurrences: the cost has a variable that stands for each of them. */
static bool is_batch(const struct action *action, size_t index) {
  return action->batches != NULL && action->batches[index] != NULL;
}

static void from_charge(struct maker *m, size_t index) {
  const struct term *cost = m->action->costs[index], *when = NULL;
  if (cost->component->repeated || is_batch(m->action, index))
    return;
  if (m->action->conditions != NULL && m->action->conditions[index] != NULL)
    when = copy_term(m, m->action->conditions[index], NULL, NULL);
  const struct term *enabled = guards(m);
  if (when != NULL)
    enabled = enabled == NULL ? when : make_pair(m, TERM_AND, enabled, when);
  const struct term *charged =
      make_fact(m, TERM_CHARGED, NULL, cost->component,
                copy_terms(m, cost->args, cost->count, NULL, NULL), cost->count);
  if (enabled != NULL)
    add_candidate(m, make_pair(m, TERM_IMPLIES, enabled, make_not(m, charged)));
}

/* charged C[k] implies sent M(args), where the action charges C[x] and x in args is now k. */
static void from_charge_and_send(struct maker *m, const struct term *cost,
                                 const struct statement *s) {
  if (cost->count != 1 || cost->args[0]->type.kind != TYPE_INT)
    return;
  const struct term *index = cost->args[0];
  const struct term *k = make_mention(m, make_variable(m, "k", index->type));
  const struct term **args = copy_terms(m, s->args, s->arg_count, index, k);
  for (size_t i = 0; i < s->arg_count; i++)
    if (term_reads_state(args[i]))
      return;
  const struct term *charged = make_fact(m, TERM_CHARGED, NULL, cost->component, &k, 1);
  const struct term *sent = make_fact(m, TERM_SENT, s->message, NULL, args, s->arg_count);
  add_candidate(m, make_pair(m, TERM_IMPLIES, charged, sent));
}

static void from_block(struct maker *m, const struct block *block, const struct term *path) {
  for (size_t i = 0; i < block->count; i++) {
    const struct statement *s = block->statements[i];
    if (s->kind == STATEMENT_SEND) {
      from_send(m, s, path);
      for (size_t c = 0; path == NULL && c < m->action->cost_count; c++)
        if (!is_batch(m->action, c))
          from_charge_and_send(m, m->action->costs[c], s);
    } else if (s->kind == STATEMENT_ASSIGN) {
      from_insertion(m, s, path);
    } else {
      const struct term *condition = copy_term(m, s->condition, NULL, NULL);
      const struct term *otherwise = make_not(m, condition);
      from_block(m, &s->then_block,
                 path == NULL ? condition : make_pair(m, TERM_AND, path, condition));
      from_block(m, &s->else_block,
                 path == NULL ? otherwise : make_pair(m, TERM_AND, path, otherwise));
    }
  }
}

static void from_action(struct maker *m, const struct action *action) {
  m->action = action;
  m->renaming.count = 0;
  for (size_t i = 0; i < action->cost_count; i++)
    from_charge(m, i);
  from_block(m, &action->body, NULL);
  candidate_flags(m);
}

static const struct term *make_zero(struct maker *m) {
  struct term *zero = make_term(m, TERM_TIME, (struct type){.kind = TYPE_TIME}, NULL, 0);
  zero->value = m->c->zero;
  return zero;
}

static void from_message(struct maker *m, const struct message *message) {
  const struct term **args = arena_alloc(&m->c->arena, message->field_count, sizeof *args);
  for (size_t i = 0; i < message->field_count; i++)
    args[i] = make_mention(m, make_variable(m, message->fields[i].name, message->fields[i].type));
  size_t n = message->field_count;
  const struct term *sent = make_fact(m, TERM_SENT, message, NULL, args, n);
  const struct term *received = make_fact(m, TERM_RECEIVED, message, NULL, args, n);
  const struct term *delivery = make_fact(m, TERM_TIME_MESSAGE, message, NULL, args, n);
  add_candidate(m, make_pair(m, TERM_IMPLIES, received, sent));
  add_candidate(m, make_pair(m, TERM_IMPLIES, sent, make_pair(m, TERM_LE, make_zero(m), delivery)));
}

static const struct term *make_time(struct maker *m, enum term_kind kind, const struct term *node) {
  return make_term(m, kind, (struct type){.kind = TYPE_TIME}, &node, node != NULL);
}

static const struct term *make_node(struct maker *m, const struct role *role) {
  struct type type = {.kind = TYPE_NODE, .role = role};
  return role->count == NULL ? make_term(m, TERM_NODE, type, NULL, 0)
                             : make_mention(m, make_variable(m, "i", type));
}

static void from_role(struct maker *m, const struct role *role) {
  const struct term *node = make_node(m, role);
  const struct term *clock = make_time(m, TERM_TIME_NODE, node);
  if (role->external)
    return;
  add_candidate(m, make_pair(m, TERM_LE, make_zero(m), clock));
  if (m->model->timing != TIMING_ADVANCED)
    return;
  const struct term *arrival = make_time(m, TERM_ARRIVAL, node);
  add_candidate(m, make_pair(m, TERM_LE, make_zero(m), arrival));
  add_candidate(m, make_pair(m, TERM_LE, arrival, clock));
}

static const struct term *make_number(struct maker *m, size_t value) {
  struct term *t = make_term(m, TERM_INT, (struct type){.kind = TYPE_INT}, NULL, 0);
  t->integer = (int64_t)value;
  return t;
}

/* 0 <= value < end, of integers or what integers stand for. */
static void add_range(struct maker *m, const struct term *value, const struct term *end) {
  const struct term *low = make_pair(m, TERM_LE, make_number(m, 0), value);
  add_candidate(m, make_pair(m, TERM_AND, low, make_pair(m, TERM_LT, value, end)));
}

/* A time state is not negative; a node, a value of an enumeration and a slot are of their kind. */
static void from_state(struct maker *m, const struct state *state) {
  const struct term *node = make_node(m, state->role);
  struct term *value = make_term(m, TERM_STATE, state->type, &node, 1);
  const struct type *type = &state->type;
  value->state = state;
  if (type->kind == TYPE_TIME)
    add_candidate(m, make_pair(m, TERM_LE, make_zero(m), value));
  if (type->kind == TYPE_TIME && !state->hidden && m->model->timing == TIMING_EAGER)
    add_candidate(m, make_pair(m, TERM_LT, make_zero(m), value));
  if (type->kind == TYPE_ENUM)
    add_range(m, value, make_number(m, type->enumeration->count));
  if (type->kind == TYPE_NODE && type->role->ordered && type->role->count != NULL)
    add_range(m,
              make_term(m, TERM_INDEX, (struct type){.kind = TYPE_INT},
                        (const struct term *[]){value}, 1),
              type->role->count);
  for (size_t i = 0; i < m->model->schedules.count; i++)
    if (m->model->schedules.items[i]->state == state)
      add_range(m, value, make_number(m, m->model->schedules.items[i]->slot_count));
}

static void from_model(struct maker *m) {
  const struct model *model = m->model;
  for (size_t i = 0; i < model->messages.count; i++)
    from_message(m, model->messages.items[i]);
  for (size_t i = 0; i < model->messages.count; i++)
    for (size_t j = 0; j < model->messages.count; j++)
      candidate_fifo(m, model->messages.items[i], model->messages.items[j]);
  for (size_t i = 0; i < model->messages.count; i++)
    candidate_numbered(m, model->messages.items[i]);
  for (size_t i = 0; i < model->messages.count; i++)
    candidate_pace(m, model->messages.items[i]);
  for (size_t i = 0; i < model->roles.count; i++)
    from_role(m, model->roles.items[i]);
  for (size_t i = 0; i < model->states.count; i++)
    from_state(m, model->states.items[i]);
  if (model->timing == TIMING_EAGER)
    add_candidate(m, make_pair(m, TERM_LE, make_zero(m), make_time(m, TERM_NOW, NULL)));
  for (size_t i = 0; i < model->actions.count; i++)
    from_action(m, model->actions.items[i]);
}

void candidates_init(struct candidates *c, const struct model *model) {
  memset(c, 0, sizeof *c);
  arena_init(&c->arena);
  rational_init(&c->zero);
  c->variable_count = model->variable_count;
  struct maker maker = {.c = c, .model = model};
  from_model(&maker);
  vector_clear(&maker.renaming);
}

void candidates_clear(struct candidates *c) {
  vector_clear(&c->items);
  rational_clear(&c->zero);
  arena_clear(&c->arena);
}
