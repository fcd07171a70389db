/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Whether the message that a step takes names what the step is charged.
 */
#include "lang/owner.h"
#include "solver/encode/transition.h"

/* Whether the variable tells the field: it is the field, or the node that receives the message
 * where the field names the other of its pair. */
static bool tells(const struct action *action, const struct variable *variable, size_t field) {
  const struct variable *named = action->fields[field];
  return variable == named ||
         (variable == action->node && action->message->receiver_field == (int)field &&
          role_pairs(action->role, named->type.role));
}

static bool is_field_of(const struct action *action, size_t field, const struct term *index) {
  if (index->kind == TERM_ADD || index->kind == TERM_SUB) {
    bool left = is_field_of(action, field, index->args[0]);
    return left ? index->args[1]->kind == TERM_INT
                : index->kind == TERM_ADD && index->args[0]->kind == TERM_INT &&
                      is_field_of(action, field, index->args[1]);
  }
  if (index->kind == TERM_OWNER || index->kind == TERM_OWNED)
    return role_pairs(index->type.role, index->args[0]->type.role) &&
           is_field_of(action, field, index->args[0]);
  if (index->kind == TERM_INDEX)
    return is_field_of(action, field, index->args[0]);
  return index->kind == TERM_VARIABLE && tells(action, index->variable, field);
}

/* Whether the indices of the cost determine every field of the message: then two messages never
 * give the same occurrence. A constant offset must agree between actions, hence `shape`. */
static bool identifies(const struct action *action, const struct term *cost) {
  for (size_t f = 0; f < action->message->field_count; f++) {
    bool found = false;
    for (size_t i = 0; i < cost->count && !found; i++)
      found = is_field_of(action, f, cost->args[i]);
    if (!found)
      return false;
  }
  return true;
}

/* Same indices up to the names of the variables. */
static bool same_shape(const struct action *a, const struct term *x, const struct action *b,
                       const struct term *y) {
  if (x->kind != y->kind || x->count != y->count || x->integer != y->integer)
    return false;
  if (x->kind == TERM_VARIABLE) {
    bool any = false, same = true;
    for (size_t f = 0; f < a->message->field_count; f++) {
      bool in_a = tells(a, x->variable, f), in_b = tells(b, y->variable, f);
      any = any || in_a;
      same = same && in_a == in_b;
    }
    return any && same;
  }
  for (size_t i = 0; i < x->count; i++)
    if (!same_shape(a, x->args[i], b, y->args[i]))
      return false;
  return true;
}

bool charge_follows_message(const struct model *model, const struct component *component) {
  const struct action *first = NULL;
  const struct term *pattern = NULL;
  for (size_t a = 0; a < model->actions.count; a++) {
    const struct action *action = model->actions.items[a];
    bool charged = false;
    for (size_t c = 0; c < action->cost_count; c++) {
      const struct term *cost = action->costs[c];
      if (cost->component != component)
        continue;
      if (charged || action->message == NULL || action->batches != NULL ||
          !identifies(action, cost))
        return false;
      charged = true;
      if (first == NULL)
        first = action, pattern = cost;
      else if (first->message != action->message || !same_shape(first, pattern, action, cost))
        return false;
    }
  }
  return first != NULL;
}
