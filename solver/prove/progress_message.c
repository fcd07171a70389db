/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Messages that are delivered and taken in no time, one for another (progress.h). A delay takes
 * some time in a real system, and so does the wait for a node, unless the assumptions make them 0:
 * only then can messages go round at one moment.
 */
#include "solver/prove/progress.h"

#include "lang/block.h"
#include "solver/prove/zero_time.h"

/* Whether a message of the kind may be there, and have to be taken, when it is sent. */
static bool may_be_at_once(const struct model *model, const struct message *message) {
  bool must_be_taken = model->timing == TIMING_ADVANCED ||
                       (model->timing == TIMING_EAGER && model->queueing != NULL &&
                        zero_component_is_possible(model, model->queueing));
  return must_be_taken && message->delay != NULL &&
         zero_component_is_possible(model, message->delay);
}

static bool is_of(const struct term *t, const void *context) {
  return t->kind == TERM_STATE && t->state == context;
}

static bool has(const struct term *term, const struct state *state) {
  return term != NULL && term_has_part(term, is_of, state);
}

static bool some_has(const struct term *const *terms, size_t count, const struct state *state) {
  bool found = false;
  for (size_t i = 0; i < count && !found; i++)
    found = has(terms[i], state);
  return found;
}

static bool domain_has(const struct variable *const *variables, size_t count,
                       const struct state *state) {
  bool found = false;
  for (size_t i = 0; i < count && !found; i++)
    found =
        variables[i] != NULL && (has(variables[i]->set, state) || has(variables[i]->low, state) ||
                                 has(variables[i]->high, state));
  return found;
}

static bool block_uses(const struct block *block, const struct state *state) {
  bool found = false;
  for (size_t i = 0; i < block->count && !found; i++) {
    const struct statement *s = block->statements[i];
    found = s->state == state || has(s->key, state) || has(s->value, state) ||
            has(s->condition, state) || has(s->to, state) ||
            some_has(s->args, s->arg_count, state) ||
            domain_has(s->variables, s->variable_count, state) ||
            block_uses(&s->then_block, state) || block_uses(&s->else_block, state);
  }
  return found;
}

/* Whether what its steps do depends on the state, or changes it: so may a rank of it. */
static bool uses(const struct action *action, const struct state *state) {
  size_t costs = action->cost_count;
  return has(action->timer, state) || some_has(action->guards, action->guard_count, state) ||
         domain_has(action->choices, action->choice_count, state) ||
         some_has(action->costs, costs, state) ||
         (action->conditions != NULL && some_has(action->conditions, costs, state)) ||
         (action->batches != NULL && domain_has(action->batches, costs, state)) ||
         block_uses(&action->body, state);
}

/* Whether the block assigns what some action of the role uses that waits for a timer. */
static bool arms(const struct model *model, const struct role *role, const struct block *block) {
  bool found = false;
  for (size_t i = 0; i < block->count && !found; i++) {
    const struct statement *s = block->statements[i];
    for (size_t k = 0; s->kind == STATEMENT_ASSIGN && k < model->actions.count && !found; k++) {
      const struct action *action = model->actions.items[k];
      found = action->role == role && action->timer != NULL && uses(action, s->state);
    }
    if (s->kind == STATEMENT_IF)
      found = arms(model, role, &s->then_block) || arms(model, role, &s->else_block);
  }
  return found;
}

/* Whether the node that takes the message may then have to take steps on timers. */
static bool arms_timers(const struct model *model, const struct message *message) {
  bool found = false;
  for (size_t i = 0; i < model->actions.count && !found; i++) {
    const struct action *action = model->actions.items[i];
    found =
        action->message == message && !action->loses && arms(model, action->role, &action->body);
  }
  return found;
}

/* Whether who takes the one may send the other at that moment: in that step, or on a timer. */
static bool leads_to(const struct model *model, const struct message *from,
                     const struct message *to) {
  for (size_t i = 0; i < model->actions.count; i++) {
    const struct action *action = model->actions.items[i];
    bool takes = action->message == from && !action->loses;
    bool follows =
        action->timer != NULL && action->role == from->receiver && arms_timers(model, from);
    if ((takes || follows) && zero_time_is_possible(model, action) &&
        block_sends(&action->body, to))
      return true;
  }
  return false;
}

/* By message id: whether it may come back to itself at one moment. */
static bool *find_circles(struct session *s) {
  const struct model *model = s->proof->properties.model;
  size_t count = model->messages.count;
  bool *reach = arena_alloc(&s->encoder.arena, count * count, sizeof *reach);
  for (size_t i = 0; i < count; i++)
    for (size_t j = 0; j < count; j++)
      reach[i * count + j] = may_be_at_once(model, model->messages.items[i]) &&
                             may_be_at_once(model, model->messages.items[j]) &&
                             leads_to(model, model->messages.items[i], model->messages.items[j]);
  for (size_t k = 0; k < count; k++)
    for (size_t i = 0; i < count; i++)
      for (size_t j = 0; j < count; j++)
        reach[i * count + j] |= reach[i * count + k] && reach[k * count + j];
  bool *circles = arena_alloc(&s->encoder.arena, count, sizeof *circles);
  for (size_t i = 0; i < count; i++)
    circles[i] = reach[i * count + i];
  return circles;
}

void session_add_message_progress_goals(struct session *s) {
  const struct model *model = s->proof->properties.model;
  const bool *circles = find_circles(s);
  for (size_t i = 0; i < model->messages.count; i++) {
    const struct message *m = model->messages.items[i];
    if (!circles[i])
      continue;
    session_begin_goals(s);
    smt_term at_once = zero_component(s, m->delay);
    if (model->timing == TIMING_EAGER)
      at_once = smt_and2(s->smt, at_once, zero_component(s, model->queueing));
    struct obligation o = {.kind = OBLIGATION_PROGRESS, .message = m, .span = m->span};
    session_add_goal(s, o, smt_not(s->smt, at_once), NULL, 0);
  }
}
