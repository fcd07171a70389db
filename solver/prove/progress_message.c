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

/* Whether it depends on the state when the action can be taken. */
static bool waits_for(const struct action *action, const struct state *state) {
  bool found = term_has_part(action->timer, is_of, state);
  for (size_t i = 0; i < action->guard_count && !found; i++)
    found = term_has_part(action->guards[i], is_of, state);
  for (size_t i = 0; i < action->choice_count && !found; i++) {
    const struct variable *v = action->choices[i];
    found = (v->set != NULL && term_has_part(v->set, is_of, state)) ||
            (v->low != NULL && term_has_part(v->low, is_of, state)) ||
            (v->high != NULL && term_has_part(v->high, is_of, state));
  }
  return found;
}

/* Whether the block assigns what some action of the role waits for that waits for a timer. */
static bool arms(const struct model *model, const struct role *role, const struct block *block) {
  bool found = false;
  for (size_t i = 0; i < block->count && !found; i++) {
    const struct statement *s = block->statements[i];
    for (size_t k = 0; s->kind == STATEMENT_ASSIGN && k < model->actions.count && !found; k++) {
      const struct action *action = model->actions.items[k];
      found = action->role == role && action->timer != NULL && waits_for(action, s->state);
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
