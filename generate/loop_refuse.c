/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a loop cannot do or record (loop.h).
 */
#include "generate/loop.h"

static void refuse_action_loop(struct code_writer *w, const struct plan_action *action) {
  refuse_parts(w->context, action->action);
  refuse_limited(w->context, w->plan, action);
  refuse_order(w->context, w->plan, action);
}

void refuse_loop(struct code_writer *w) {
  const struct model *model = w->context->model;
  if (model->messages.count == 0)
    plan_refuse(w->context, w->plan->role->span,
                "a loop is for nodes that exchange messages, and this protocol has none: leave "
                "--loop away and call the steps");
  for (size_t i = 0; i < w->plan->actions.count; i++)
    refuse_action_loop(w, &w->plan->actions.data[i]);
  for (size_t i = 0; i < model->messages.count; i++) {
    const struct message *message = model->messages.items[i];
    if (message->field_count + names_receiver(message) > ARGUMENTS_MOST)
      plan_refuse(w->context, message->span,
                  "a message has at most %d fields and receivers where it is recorded",
                  ARGUMENTS_MOST);
  }
}
