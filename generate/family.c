/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "generate/family.h"

static bool is_collected(const struct type *type, const struct role *role) {
  return (type->kind == TYPE_SET || type->kind == TYPE_MAP) && type->role == role;
}

static bool term_counts(const struct term *term, const struct role *role) {
  if (term == NULL)
    return false;
  bool ring = (term->kind == TERM_NEXT || term->kind == TERM_PREV) && term->type.role == role;
  bool counts = ring || is_collected(&term->type, role);
  for (size_t i = 0; i < term->count && !counts; i++)
    counts = term_counts(term->args[i], role);
  return counts;
}

static bool variable_counts(const struct variable *variable, const struct role *role) {
  return variable != NULL && ((variable->domain == DOMAIN_ROLE && variable->type.role == role) ||
                              (variable->domain == DOMAIN_SET && term_counts(variable->set, role)));
}

static bool block_counts(const struct block *block, const struct role *role) {
  bool counts = false;
  for (size_t i = 0; i < block->count && !counts; i++) {
    const struct statement *s = block->statements[i];
    if (s->kind == STATEMENT_IF) {
      counts = term_counts(s->condition, role) || block_counts(&s->then_block, role) ||
               block_counts(&s->else_block, role);
    } else if (s->kind == STATEMENT_SEND) {
      counts = term_counts(s->to, role);
      for (size_t k = 0; k < s->arg_count && !counts; k++)
        counts = term_counts(s->args[k], role);
      for (size_t k = 0; k < s->variable_count && !counts; k++)
        counts = variable_counts(s->variables[k], role);
    } else if (!s->state->ghost) {
      counts = term_counts(s->key, role) || term_counts(s->value, role);
    }
  }
  return counts;
}

static bool action_counts(const struct action *action, const struct role *role) {
  bool counts = term_counts(action->timer, role) || block_counts(&action->body, role);
  for (size_t i = 0; i < action->guard_count && !counts; i++)
    counts = term_counts(action->guards[i], role);
  for (size_t i = 0; i < action->cost_count && !counts; i++)
    counts = term_counts(action->costs[i], role) ||
             (action->conditions != NULL && term_counts(action->conditions[i], role)) ||
             (action->batches != NULL && variable_counts(action->batches[i], role));
  return counts;
}

int64_t family_most(const struct model *model, const struct role *role) {
  bool counts = role == NULL || role->count == NULL;
  for (size_t i = 0; i < model->states.count && !counts; i++) {
    const struct state *state = model->states.items[i];
    counts =
        !state->ghost && (is_collected(&state->type, role) || term_counts(state->initial, role));
  }
  for (size_t i = 0; i < model->actions.count && !counts; i++)
    counts = action_counts(model->actions.items[i], role);
  return counts ? RANGE_NODES : INT32_MAX;
}
