/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/tell/unused.h"

#include "lang/block.h"

/* Whether what the dead actions are dead by is proved. */
static bool invariants_hold(const struct proof *proof) {
  for (size_t i = 0; i < proof->obligations.count; i++) {
    const struct obligation *o = &proof->obligations.data[i];
    bool of_bound = o->bound != NULL || o->phase != NULL || o->kind == OBLIGATION_DEFERRAL ||
                    (o->property != NULL && o->property->kind == PROPERTY_BOUND);
    if (!o->proved && !of_bound)
      return false;
  }
  return proof->contradiction == NULL && !proof->interrupted;
}

static bool is_sent(const struct model *model, const struct message *message) {
  for (size_t i = 0; i < model->actions.count; i++)
    if (block_sends(&model->actions.items[i]->body, message))
      return true;
  return false;
}

static bool is_watched(const struct model *model, const struct message *message) {
  for (size_t i = 0; i < model->bounds.count; i++)
    if (model->bounds.items[i]->message == message)
      return true;
  for (size_t i = 0; i < model->phases.count; i++)
    if (model->phases.items[i]->end.message == message)
      return true;
  return false;
}

static void warn_of_message(struct diagnostics *queue, const struct model *model,
                            const struct message *message, const bool *never) {
  size_t takers = 0, alive = 0;
  for (size_t i = 0; i < model->actions.count; i++) {
    bool takes = model->actions.items[i]->message == message && !model->actions.items[i]->loses;
    takers += takes;
    alive += takes && !never[i];
  }
  if (alive != 0 || message->receiver->external || !is_sent(model, message) ||
      is_watched(model, message))
    return;
  struct diagnostic *d =
      diagnostics_add(queue, DIAGNOSTIC_W0507, message->span,
                      takers == 0 ? "message \"%.60s\" is never received: no action takes it"
                                  : "message \"%.60s\" is never received: what takes it never acts",
                      message->name);
  diagnostic_hint(d,
                  takers == 0 ? "let an action of \"%.60s\" take it, or make the role external"
                              : "look at the guards of its receiver \"%.60s\"",
                  message->receiver->name);
}

bool *unused_actions(const struct proof *proof) {
  size_t count = proof->properties.model->actions.count;
  bool *never = mem_alloc(count, sizeof *never);
  bool known = proof->dead != NULL && invariants_hold(proof);
  for (size_t i = 0; known && i < count; i++)
    never[i] = proof->dead[i];
  return never;
}

void unused_warn(struct diagnostics *queue, const struct model *model, const bool *never) {
  for (size_t i = 0; i < model->actions.count; i++) {
    const struct action *action = model->actions.items[i];
    if (!never[i] || action->idle)
      continue;
    struct diagnostic *d = diagnostics_add(
        queue, DIAGNOSTIC_W0506, action->span,
        "action \"%.60s\" is never taken: the invariants rule it out", action->name);
    diagnostic_hint(d, "remove it, unless an invariant or a guard is not what is meant");
  }
  for (size_t i = 0; i < model->messages.count; i++)
    warn_of_message(queue, model, model->messages.items[i], never);
}
