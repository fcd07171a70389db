/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/search/relevance.h"

#include "base/memory.h"

struct needed {
  bool *states, *messages; /* by id */
};

static bool is_slot(const struct model *model, const struct state *state) {
  for (size_t i = 0; i < model->schedules.count; i++)
    if (model->schedules.items[i]->state == state)
      return true;
  return false;
}

static void need_term(struct needed *n, const struct term *term) {
  if (term == NULL)
    return;
  if (term->state != NULL)
    n->states[term->state->id] = true;
  if (term->message != NULL)
    n->messages[term->message->id] = true;
  for (size_t i = 0; i < term->variable_count; i++)
    need_term(n, term->variables[i]->set);
  for (size_t i = 0; i < term->count; i++)
    need_term(n, term->args[i]);
}

static void need_block(struct needed *n, const struct block *block) {
  for (size_t i = 0; i < block->count; i++) {
    const struct statement *s = block->statements[i];
    need_term(n, s->value);
    need_term(n, s->condition);
    need_term(n, s->to);
    for (size_t a = 0; a < s->arg_count; a++)
      need_term(n, s->args[a]);
    for (size_t v = 0; v < s->variable_count; v++)
      need_term(n, s->variables[v]->set);
    need_block(n, &s->then_block);
    need_block(n, &s->else_block);
  }
}

static void need_action(struct needed *n, const struct action *action) {
  if (action->message != NULL)
    n->messages[action->message->id] = true;
  for (size_t i = 0; i < action->guard_count; i++)
    need_term(n, action->guards[i]);
  need_term(n, action->timer);
  for (size_t i = 0; i < action->choice_count; i++) {
    need_term(n, action->choices[i]->set);
    need_term(n, action->choices[i]->low);
    need_term(n, action->choices[i]->high);
  }
  for (size_t i = 0; action->batches != NULL && i < action->cost_count; i++)
    if (action->batches[i] != NULL) {
      need_term(n, action->batches[i]->set);
      need_term(n, action->batches[i]->low);
      need_term(n, action->batches[i]->high);
    }
  need_block(n, &action->body);
}

static bool serves(const struct needed *n, const struct model *model, const struct block *block) {
  for (size_t i = 0; i < block->count; i++) {
    const struct statement *s = block->statements[i];
    if (s->kind == STATEMENT_SEND && n->messages[s->message->id])
      return true;
    if (s->kind == STATEMENT_ASSIGN && n->states[s->state->id] && !is_slot(model, s->state))
      return true;
    if (serves(n, model, &s->then_block) || serves(n, model, &s->else_block))
      return true;
  }
  return false;
}

static bool add_serving(bool *relevant, struct needed *n, const struct model *model) {
  bool added = false;
  for (size_t i = 0; i < model->actions.count; i++) {
    if (relevant[i] || !serves(n, model, &model->actions.items[i]->body))
      continue;
    relevant[i] = added = true;
    need_action(n, model->actions.items[i]);
  }
  return added;
}

void relevance(bool *relevant, const struct model *model, const struct bound *bound) {
  for (size_t i = 0; i < model->actions.count; i++)
    relevant[i] = bound == NULL;
  if (bound == NULL)
    return;
  struct needed n = {.states = mem_alloc(model->states.count, sizeof *n.states),
                     .messages = mem_alloc(model->messages.count, sizeof *n.messages)};
  if (bound->target == TARGET_WHEN)
    need_term(&n, bound->formula);
  else
    n.messages[bound->message->id] = true;
  if (bound->from != NULL)
    n.messages[bound->from->id] = true;
  while (add_serving(relevant, &n, model))
    continue;
  mem_free(n.states);
  mem_free(n.messages);
}
