/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Charges that follow a message (solver/encode/charge.c), where each field of it is an index and a
 * number, as values of proofs/theory/Once.v. */
#include <inttypes.h>

#include "solver/theory/coq.h"

static const struct term *without_index(const struct term *t) {
  while (t->kind == TERM_INDEX)
    t = t->args[0];
  return t;
}

static bool is_variable(const struct term *t, const struct variable *v) {
  t = without_index(t);
  return t->kind == TERM_VARIABLE && t->variable == v;
}

static bool offset_of(int64_t *offset, const struct term *t, const struct variable *v) {
  t = without_index(t);
  *offset = 0;
  if (is_variable(t, v))
    return true;
  if (t->kind != TERM_ADD && t->kind != TERM_SUB)
    return false;
  bool left = is_variable(t->args[0], v);
  if (!left && (t->kind == TERM_SUB || !is_variable(t->args[1], v)))
    return false;
  const struct term *number = t->args[left ? 1 : 0];
  *offset = t->kind == TERM_SUB ? -number->integer : number->integer;
  return number->kind == TERM_INT;
}

static bool place_of(size_t *place, int64_t *offset, const struct term *cost,
                     const struct variable *v) {
  for (*place = 0; *place < cost->count; ++*place)
    if (offset_of(offset, cost->args[*place], v))
      return true;
  return false;
}

static const struct term *first_charge(const struct action **action, const struct model *model,
                                       const struct component *component) {
  for (size_t a = 0; a < model->actions.count; a++) {
    *action = model->actions.items[a];
    for (size_t c = 0; c < (*action)->cost_count; c++)
      if ((*action)->costs[c]->component == component)
        return (*action)->costs[c];
  }
  return NULL;
}

bool coq_follows(struct coq *q, const struct model *model, const struct component *component) {
  const struct action *action;
  const struct term *cost = first_charge(&action, model, component);
  if (cost == NULL)
    return false;
  struct text places;
  text_init(&places);
  size_t found = 0;
  for (size_t i = 0; i < action->message->field_count; i++) {
    size_t place;
    int64_t offset;
    if (!place_of(&place, &offset, cost, action->fields[i]))
      break;
    text_format(&places, "%s(%zu%%nat, (%" PRId64 ")%%Z)", i == 0 ? "" : "; ", place, offset);
    found++;
  }
  bool fits = found == action->message->field_count;
  if (fits && q != NULL)
    text_format(q->out, "{| component_of := %s; by_message := %s; at_indices := [%s] |}",
                q->names[COQ_COMPONENT][component->id], q->names[COQ_MESSAGE][action->message->id],
                text_get(&places));
  text_clear(&places);
  return fits;
}
