/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a pacer's time may be, for the proof that a step which must be taken may send
 * (solver/prove/progress.h). Pacers of other messages do without.
 */
#include "solver/prove/candidate_pace.h"

#include "lang/block.h"
#include "lang/owner.h"

static const struct type boolean = {.kind = TYPE_BOOL}, time_type = {.kind = TYPE_TIME};

static bool must_be_sent(const struct model *model, const struct message *message) {
  bool found = false;
  for (size_t i = 0; i < model->actions.count && !found; i++) {
    const struct action *action = model->actions.items[i];
    found = (action->message != NULL || action->timer != NULL || action->schedule != NULL) &&
            block_sends(&action->body, message);
  }
  return found;
}

static const struct term *read(struct maker *m, const struct state *state,
                               const struct term *node) {
  struct term *t = make_term(m, TERM_STATE, state->type, &node, 1);
  t->state = state;
  return t;
}

static const struct term *sum(struct maker *m, const struct term *a, const struct term *b) {
  return make_term(m, TERM_ADD, time_type, (const struct term *[]){a, b}, 2);
}

/* That the node sent the message with these fields, and the pacer's time is one interval later than
 * when it let that go. */
static const struct term *was_last(struct maker *m, const struct message *message,
                                   const struct term *const *fields, const struct term *node) {
  struct term *paced = make_term(m, TERM_PACED, time_type, fields, message->field_count);
  paced->message = message;
  const struct term *last = sum(m, paced, message->pacer->every);
  const struct term *sent = make_fact(m, TERM_SENT, message, NULL, fields, message->field_count);
  const struct term *all = make_pair(
      m, TERM_AND, sent, make_pair(m, TERM_EQ, read(m, message->pacer->state, node), last));
  if (message->sender_field < 0)
    return all;
  const struct term *named = fields[message->sender_field];
  if (named->type.role != message->sender)
    named = make_term(m, role_conversion(named->type.role, message->sender),
                      (struct type){.kind = TYPE_NODE, .role = message->sender}, &named, 1);
  return make_pair(m, TERM_AND, all, make_pair(m, TERM_EQ, named, node));
}

/* It is 0, or a message was the last. */
static void say_last(struct maker *m, const struct message *message, const struct term *node,
                     const struct term *zero) {
  size_t count = message->field_count;
  const struct variable **variables = arena_alloc(&m->c->arena, count, sizeof *variables);
  const struct term **fields = arena_alloc(&m->c->arena, count, sizeof *fields);
  for (size_t i = 0; i < count; i++) {
    variables[i] = make_variable(m, message->fields[i].name, message->fields[i].type);
    fields[i] = make_mention(m, variables[i]);
  }
  const struct term *last = was_last(m, message, fields, node);
  if (count != 0) {
    struct term *some = make_term(m, TERM_EXISTS, boolean, &last, 1);
    some->variable_count = count;
    some->variables = variables;
    last = some;
  }
  const struct term *none = make_pair(m, TERM_LE, read(m, message->pacer->state, node), zero);
  add_candidate(m, make_pair(m, TERM_OR, none, last));
}

void candidate_pace(struct maker *m, const struct message *message) {
  if (message->pacer == NULL || (!message->pacer->holds && !must_be_sent(m->model, message)))
    return;
  struct type type = {.kind = TYPE_NODE, .role = message->sender};
  const struct term *node = message->sender->count == NULL
                                ? make_term(m, TERM_NODE, type, NULL, 0)
                                : make_mention(m, make_variable(m, "i", type));
  struct term *zero = make_term(m, TERM_TIME, time_type, NULL, 0);
  zero->value = m->c->zero;
  say_last(m, message, node, zero);
  for (size_t i = 0; i < m->model->states.count; i++) {
    const struct state *state = m->model->states.items[i];
    if (state->role != message->sender || state->type.kind != TYPE_TIME || state->hidden)
      continue;
    const struct term *timer = read(m, state, node), *next = read(m, message->pacer->state, node);
    add_candidate(m, make_pair(m, TERM_LE, next, timer));
    add_candidate(m, make_pair(m, TERM_LE, next, sum(m, timer, message->pacer->tolerance)));
  }
}
