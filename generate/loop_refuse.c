/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a loop cannot do or record (loop.h).
 */
#include "generate/loop.h"

static void refuse_action_loop(struct code_writer *w, const struct plan_action *action) {
  refuse_parts(w->context, action->action);
  refuse_paced(w->context, w->plan, action);
}

/* Whether the action can be the first of all, at time 0: of a timer that is 0 at the beginning. */
static bool may_begin(const struct action *action) {
  const struct term *timer = action->timer;
  if (timer != NULL && timer->kind == TERM_STATE)
    timer = timer->state->initial;
  return action->message == NULL &&
         (timer == NULL || (timer->kind == TERM_TIME && rational_sign(&timer->value) == 0));
}

/* Time 0 of a recorded execution is the start of its first step. */
static void refuse_late_beginning(struct code_writer *w) {
  const struct model *model = w->context->model;
  const struct action *timed = NULL;
  for (size_t i = 0; i < model->actions.count; i++) {
    if (may_begin(model->actions.items[i]))
      return;
    if (model->actions.items[i]->timer != NULL)
      timed = model->actions.items[i];
  }
  if (timed != NULL)
    plan_refuse(w->context, timed->span,
                "the first step of this protocol is that of a timer, so that no recording shows "
                "when its time began: leave --loop away and call the steps");
}

void refuse_loop(struct code_writer *w) {
  const struct model *model = w->context->model;
  if (model->messages.count == 0)
    plan_refuse(w->context, w->plan->role->span,
                "a loop is for nodes that exchange messages, and this protocol has none: leave "
                "--loop away and call the steps");
  for (size_t i = 0; i < w->plan->actions.count; i++)
    refuse_action_loop(w, &w->plan->actions.data[i]);
  refuse_late_beginning(w);
  for (size_t i = 0; i < model->messages.count; i++) {
    const struct message *message = model->messages.items[i];
    if (message->field_count + names_receiver(message) > ARGUMENTS_MOST)
      plan_refuse(w->context, message->span,
                  "a message has at most %d fields and receivers where it is recorded",
                  ARGUMENTS_MOST);
  }
}
