/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What an action does, as clauses of its contract, or as the parts of a relation between two states
 * (role.h). */
#include <string.h>

#include "generate/role.h"

/* --- clauses and parts ------------------------------------------------------------------------ */

/* Whether a clause begins with "the step was taken ==>". */
static bool has_arrow(const struct code_writer *w, const struct plan_action *action) {
  return w->dialect != DIALECT_STEP &&
         (action_may_be_disabled(action) || action_may_not_fit(action));
}

static void begin_effect(struct code_writer *w, const struct plan_action *action, const bool *begun,
                         const char *label) {
  if (w->dialect == DIALECT_STEP) {
    if (*begun)
      put_break(w, " &&", 0);
    w->nesting++;
    w->part = w->line.length;
    return;
  }
  put(w, "ensures %s: ", label);
  if (has_arrow(w, action))
    put_break(w, "\\result == TP_DONE ==>", 0);
}

/* A part of a relation gets parentheses where it is more than one comparison. */
static void end_part(struct code_writer *w) {
  const char *part = kept_text(w, "%s", text_get(&w->line) + w->part);
  w->nesting--;
  if (strstr(part, "==>") == NULL && strstr(part, "||") == NULL)
    return;
  const char *before = arena_text(w->context->arena, text_get(&w->line), w->part);
  text_clear(&w->line);
  put(w, "%s(%s)", before, part);
}

static void end_effect(struct code_writer *w, bool *begun) {
  if (w->dialect == DIALECT_STEP) {
    end_part(w);
    *begun = true;
  } else {
    end_clause(w, begun);
  }
}

/* A place after the step. */
static const char *now(struct code_writer *w, const char *format, const char *name) {
  const char *place = kept_text(w, format, name);
  return w->dialect == DIALECT_STEP ? kept_text(w, "\\at(%s, L)", place) : place;
}

/* <==> binds weaker than ==>, so that it needs parentheses behind one. */
static void put_equivalence(struct code_writer *w, const char *place, const struct term *value,
                            bool behind_arrow) {
  put(w, behind_arrow ? "(%s" : "%s", place);
  w->nesting += behind_arrow;
  put_break(w, " <==>", 0);
  w->nesting++;
  put_truth(w, value, false, LEVEL_OR);
  w->nesting--;
  w->nesting -= behind_arrow;
  put(w, behind_arrow ? ")" : "");
}

void put_equation(struct code_writer *w, const struct type *type, const char *place,
                  const struct term *value, bool behind_arrow) {
  if (type->kind == TYPE_BOOL) {
    if (value->kind == TERM_BOOL) {
      put(w, "%s%s", value->integer != 0 ? "" : "!", place);
      return;
    }
    put_equivalence(w, place, value, behind_arrow);
    return;
  }
  if (value->kind == TERM_ITE) {
    for (int i = 1; i <= 2; i++) {
      put(w, "(");
      w->nesting++;
      put_truth(w, value->args[0], i == 2, LEVEL_AND);
      put_break(w, " ==>", 0);
      put_equation(w, type, place, value->args[i], true);
      w->nesting--;
      put(w, ")");
      if (i == 1)
        put_break(w, " &&", 0);
    }
    return;
  }
  if (type->kind == TYPE_SET && value->kind == TERM_SET && value->count == 0) {
    put(w, "tp_empty(%s)", place);
    return;
  }
  bool same = type->kind == TYPE_SET && value->kind != TERM_STATE;
  put(w, same ? "tp_same(%s," : "%s ==", place);
  layout_break(&w->line, w->nesting * 4 + 2);
  put_value(w, value, same ? LEVEL_OPEN : LEVEL_SUM);
  put(w, same ? ")" : "");
}

/* --- what changes ----------------------------------------------------------------------------- */

static bool is_before(const struct term *element, const struct state *map) {
  return element->kind == TERM_MAP_GET && element->args[0]->kind == TERM_STATE &&
         element->args[0]->state == map;
}

/* The one key at which an action changes a map; NULL: there are several, or none. */
const struct term *only_key(const struct state *map, const struct term *element) {
  return element->kind == TERM_ITE && element->args[0]->kind == TERM_EQ &&
                 is_before(element->args[2], map)
             ? element->args[0]->args[1]
             : NULL;
}

/* What of the state an action may change: "self->x", "self->map[key]", "self->map[0 .. TP_NODES -
 * 1]". */
void put_changed(struct code_writer *w, const struct plan_action *action,
                 const struct state *state) {
  put(w, "self->%s", plain(w, state->name));
  if (state->type.kind != TYPE_MAP)
    return;
  const struct term *key = only_key(state, action->effect.values[state->id]);
  if (key == NULL) {
    put(w, "[0 .. TP_NODES - 1]");
    return;
  }
  put(w, "[");
  put_value(w, key, LEVEL_OPEN);
  put(w, "]");
}

/* The same in what holds after the function: the key is still that of the state before. */
const char *changed_now(struct code_writer *w, const struct plan_action *action,
                        const struct state *state) {
  struct text line = w->line;
  enum dialect dialect = w->dialect;
  text_init(&w->line);
  w->dialect = dialect == DIALECT_STEP ? dialect : DIALECT_AFTER;
  put_changed(w, action, state);
  const char *kept = now(w, "%s", text_get(&w->line));
  text_clear(&w->line);
  w->line = line;
  w->dialect = dialect;
  return kept;
}

static void write_variable(struct code_writer *w, const struct plan_action *action,
                           const struct state *state, bool *begun) {
  const struct term *value = action->effect.values[state->id];
  const char *name = plain(w, state->name);
  bool arrow = has_arrow(w, action);
  begin_effect(w, action, begun, name);
  if (state->type.kind != TYPE_MAP) {
    put_equation(w, &state->type, now(w, "self->%s", name), value, arrow);
  } else if (only_key(state, value) != NULL) {
    put_equation(w, state->type.element, changed_now(w, action, state), value->args[1], true);
  } else {
    put(w, "(\\forall integer k; 0 <= k < TP_NODES");
    w->nesting++;
    put_break(w, " ==>", 1);
    put_equation(w, state->type.element, now(w, "self->%s[k]", name), value, true);
    w->nesting--;
    put(w, ")");
  }
  end_effect(w, begun);
}

/* The sends of an action that a slot of the sends stands for: each with its condition. */
static bool is_of(const struct effect_send *send, const struct plan_message *slot) {
  return send->statement->message == slot->message && send->number == slot->number;
}

/* NULL: always; *none: never. */
static const struct term *when_sent(struct code_writer *w, const struct plan_action *action,
                                    const struct plan_message *slot, bool *none) {
  const struct term *when = NULL;
  *none = true;
  for (size_t i = 0; i < action->effect.sends.count; i++) {
    const struct effect_send *send = &action->effect.sends.data[i];
    if (!is_of(send, slot))
      continue;
    if (!*none && when == NULL)
      return NULL;
    when = *none || send->when == NULL
               ? send->when
               : term_made(w->context, TERM_OR, &send->when->type, when, send->when);
    *none = false;
  }
  return when;
}

static void put_condition(struct code_writer *w, const struct term *when) {
  if (when == NULL)
    return;
  put_truth(w, when, false, LEVEL_AND);
  put_break(w, " ==>", 0);
}

/* The set of a `for all`, or of the one value that a single send has. */
static const struct term *sent_set(struct code_writer *w, const struct effect_send *send,
                                   int varying) {
  if (send->set != NULL)
    return send->set;
  const struct term *value = send->args[varying];
  struct type set = {.kind = TYPE_SET, .role = value->type.role};
  return term_made(w->context, TERM_SET, &set, value, NULL);
}

static void write_sent_fields(struct code_writer *w, const struct plan_action *action,
                              const struct plan_message *slot, const struct effect_send *send,
                              bool *begun) {
  const char *name = send_name(w, slot);
  const struct message *message = slot->message;
  bool arrow = send->when != NULL || has_arrow(w, action);
  for (size_t i = 0; i <= message->field_count; i++) {
    bool is_to = i == message->field_count;
    if (is_to ? !send_has_to(slot) : !send_has_field(slot, i))
      continue;
    const char *field = is_to ? receiver_name(slot) : message->fields[i].name;
    const struct term *value = is_to ? send->to : send->args[i];
    const char *member = kept_text(w, "%s_%s", name, field);
    begin_effect(w, action, begun, member);
    put_condition(w, send->when);
    put_equation(w, &value->type, now(w, "out->%s", member), value, arrow);
    end_effect(w, begun);
  }
}

static void write_sent(struct code_writer *w, const struct plan_action *action,
                       const struct plan_message *slot, bool *begun) {
  const char *name = send_name(w, slot);
  bool none, arrow = has_arrow(w, action);
  const struct term *when = when_sent(w, action, slot, &none);
  const char *place = now(w, "out->%s", name);
  if (none || slot->varying < 0) {
    begin_effect(w, action, begun, name);
    if (none)
      put(w, slot->varying < 0 ? "!%s" : "tp_empty(%s)", place);
    else if (when == NULL)
      put(w, "%s", place);
    else
      put_equivalence(w, place, when, arrow);
    end_effect(w, begun);
  } else if (when != NULL) {
    begin_effect(w, action, begun, kept_text(w, "%s_not", name));
    put_condition(w, term_negated(w->context, when));
    put(w, "tp_empty(%s)", place);
    end_effect(w, begun);
  }
  for (size_t i = 0; i < action->effect.sends.count; i++) {
    const struct effect_send *send = &action->effect.sends.data[i];
    if (!is_of(send, slot))
      continue;
    if (slot->varying >= 0) {
      begin_effect(w, action, begun, name);
      put_condition(w, send->when);
      put(w, "tp_same(%s, ", place);
      put_value(w, sent_set(w, send, slot->varying), LEVEL_OPEN);
      put(w, ")");
      end_effect(w, begun);
    }
    write_sent_fields(w, action, slot, send, begun);
  }
}

/* What stays as it was. A contract says it besides `assigns` where the role has a map or a part of
 * the user's, or is large: provers would have to find out for each variable, in front of each call,
 * that it is not the element, or in the part, that is assigned. */
static void write_kept(struct code_writer *w, const struct plan_action *action,
                       const struct state *state, bool *begun) {
  const char *name = plain(w, state->name);
  const struct term *key = only_key(state, action->effect.values[state->id]);
  bool kept = effect_keeps(&action->effect, state), map = state->type.kind == TYPE_MAP;
  if (!kept && key == NULL)
    return;
  if (w->dialect == DIALECT_STEP)
    begin_effect(w, action, begun, name);
  else
    put(w, "ensures %s: ", name);
  if (map) {
    put(w, "\\forall integer k; 0 <= k < TP_NODES");
    if (key != NULL) {
      put(w, " && k != ");
      put_value(w, key, LEVEL_SUM);
    }
    put_break(w, " ==>", 1);
  }
  const char *place = kept_text(w, map ? "self->%s[k]" : "self->%s", name);
  put(w, w->dialect == DIALECT_STEP ? "\\at(%s, L) == \\at(%s, K)" : "%s == \\old(%s)", place,
      place);
  end_effect(w, begun);
}

/* Variables, messages that it sends and actions of a role that is not large. */
enum { SMALL_MOST = 9 };

static bool is_large(const struct plan_role *plan) {
  return plan->state_count + plan->sends.count + plan->actions.count > SMALL_MOST;
}

/* Whether what is assigned lies at an index or in a part of the user's, or much else does not. */
static bool says_kept(const struct code_writer *w) {
  return w->dialect != DIALECT_STEP && (role_has_map(w) || role_has_own(w) || is_large(w->plan));
}

static void write_parameter_kept(struct code_writer *w, const char *name, bool *begun) {
  name = plain(w, name);
  put(w, "ensures parameters: params->%s == \\old(params->%s)", name, name);
  end_clause(w, begun);
}

static void write_parameters_kept(struct code_writer *w, bool *begun) {
  const struct model *model = w->context->model;
  for (size_t i = 0; i < model->params.count; i++)
    write_parameter_kept(w, model->params.items[i]->name, begun);
  for (size_t i = 0; i < model->components.count; i++)
    if (model->components.items[i]->kind == COMPONENT_CONSTANT)
      write_parameter_kept(w, model->components.items[i]->name, begun);
}

void write_effects(struct code_writer *w, const struct plan_action *action, bool *begun) {
  if (says_kept(w))
    write_parameters_kept(w, begun);
  w->old = says_kept(w);
  for (size_t i = 0; i < w->plan->state_count; i++) {
    if (!effect_keeps(&action->effect, w->plan->states[i]))
      write_variable(w, action, w->plan->states[i], begun);
    if (w->dialect == DIALECT_STEP || says_kept(w))
      write_kept(w, action, w->plan->states[i], begun);
  }
  for (size_t i = 0; i < w->plan->sends.count; i++)
    write_sent(w, action, &w->plan->sends.data[i], begun);
  w->old = false;
}

/* --- relations -------------------------------------------------------------------------------- */

static void put_relation(struct code_writer *w, const struct plan_action *action, const char *self,
                         const char *params, const char *out, const char *integer) {
  put(w, "(");
  w->nesting++;
  if (role_has_state(w)) {
    put(w, self, plain(w, w->plan->role->name));
    put_break(w, ",", 2);
  }
  put(w, params, protocol_name(w));
  if (role_is_family(w)) {
    put_break(w, ",", 2);
    put(w, "%s%s", integer, plain(w, action->action->node->name));
  }
  if (role_sends(w)) {
    put_break(w, ",", 2);
    put(w, out, w->plan->role->name);
  }
  if (action->action->read != NULL) {
    put_break(w, ",", 2);
    put(w, "%s%s", integer, plain(w, action->action->read->name));
  }
  for (size_t i = 0; i < action->field_count; i++) {
    put_break(w, ",", 2);
    put(w, "%s%s", integer, plain(w, action->fields[i]->name));
  }
  w->nesting--;
  put(w, ")");
}

void write_step_predicate(struct code_writer *w, const struct plan_action *action) {
  bool begun = false;
  w->dialect = DIALECT_STEP;
  put(w, "/*@ predicate %s_%s_step{K, L}", w->plan->role->name, action->name);
  put_relation(w, action, "struct %s *self", "struct %s_params *params", "struct %s_sends *out",
               "integer ");
  put(w, " =");
  layout_break(&w->line, 0);
  w->nesting++;
  write_effects(w, action, &begun);
  w->nesting--;
  put(w, begun ? "; */" : "\\true; */");
  end_line(w, 0, 6);
}

void write_same(struct code_writer *w) {
  put(w, "/*@ predicate %s_same{K, L}(struct %s *self) =", w->plan->role->name,
      plain(w, w->plan->role->name));
  layout_break(&w->line, 0);
  for (size_t i = 0; i < w->plan->state_count; i++) {
    const struct state *state = w->plan->states[i];
    bool map = state->type.kind == TYPE_MAP;
    const char *place = kept_text(w, map ? "self->%s[k]" : "self->%s", plain(w, state->name));
    if (i != 0)
      put_break(w, " &&", 1);
    put(w,
        map ? "(\\forall integer k; 0 <= k < TP_NODES ==> \\at(%s, K) == \\at(%s, L))"
            : "\\at(%s, K) == \\at(%s, L)",
        place, place);
  }
  put(w, "; */");
  end_line(w, 0, 6);
}
