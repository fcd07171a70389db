/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The contract of an action: when it is enabled, each variable after it, and exactly what it sends
 * (role.h). */
#include <string.h>

#include "generate/role.h"

/* --- clauses ---------------------------------------------------------------------------------- */

/* One clause, from the line; the first of a contract opens it. */
static void end_clause(struct code_writer *w, bool *begun) {
  put(w, ";");
  if (!*begun) {
    struct text line = w->line;
    text_init(&w->line);
    put(w, "/*@ ");
    text_append(&w->line, text_get(&line));
    text_clear(&line);
  }
  end_line(w, *begun ? 4 : 0, 6);
  *begun = true;
}

static void clause(struct code_writer *w, bool *begun, const char *format, const char *a,
                   const char *b) {
  put(w, format, a, b);
  end_clause(w, begun);
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

/* --- predicates ------------------------------------------------------------------------------- */

static void put_enabled(struct code_writer *w, const struct action *action) {
  bool single = action->guard_count + (action->timer != NULL) == 1;
  if (action->timer != NULL) {
    put(w, "now >= ");
    put_value(w, action->timer, LEVEL_SUM);
  }
  for (size_t i = 0; i < action->guard_count; i++) {
    if (i != 0 || action->timer != NULL)
      put_break(w, " &&", 1);
    put_truth(w, action->guards[i], false, single ? LEVEL_OR : LEVEL_AND);
  }
}

static void put_fits(struct code_writer *w, const struct effect_check *check) {
  if (check->when != NULL) {
    put(w, "(");
    put_truth(w, check->when, false, LEVEL_AND);
    put(w, " ==> ");
  }
  put(w, check->value->type.kind == TYPE_TIME ? "tp_time(" : "tp_int(");
  put_value(w, check->value, LEVEL_OPEN);
  put(w, check->when != NULL ? "))" : ")");
}

static void begin_predicate(struct code_writer *w, const struct plan_action *action,
                            const char *what) {
  put(w, "/*@ predicate %s_%s_%s", w->plan->role->name, action->name, what);
  put_logic_parameters(w, action);
  put(w, " =");
  layout_break(&w->line, 0);
}

void write_predicates(struct code_writer *w, const struct plan_action *action) {
  w->dialect = DIALECT_LOGIC;
  if (action_may_be_disabled(action)) {
    begin_predicate(w, action, "enabled");
    put_enabled(w, action->action);
    put(w, "; */");
    end_line(w, 0, 6);
  }
  if (!action_may_not_fit(action))
    return;
  begin_predicate(w, action, "fits");
  for (size_t i = 0; i < action->effect.checks.count; i++) {
    if (i != 0)
      put_break(w, " &&", 1);
    put_fits(w, &action->effect.checks.data[i]);
  }
  put(w, "; */");
  end_line(w, 0, 6);
}

/* --- what is required ------------------------------------------------------------------------- */

static void write_storage(struct code_writer *w, bool *begun) {
  bool state = role_has_state(w), sends = role_sends(w);
  put(w, "requires storage: %s\\valid_read(params)%s", state ? "\\valid(self) && " : "",
      sends ? " && \\valid(out)" : "");
  if (state || sends) {
    put_break(w, " &&", 1);
    put(w, "\\separated(%sparams%s)", state ? "self, " : "", sends ? ", out" : "");
  }
  end_clause(w, begun);
}

static void write_message_clause(struct code_writer *w, const struct plan_action *action,
                                 bool *begun) {
  bool more = false;
  put(w, "requires message: ");
  for (size_t i = 0; i < action->field_count; i++)
    more |= put_valid(w, &action->fields[i]->type, plain(w, action->fields[i]->name), more);
  if (more)
    end_clause(w, begun);
  else
    text_clear(&w->line);
}

static void write_requires(struct code_writer *w, const struct plan_action *action, bool *begun) {
  const struct action *a = action->action;
  write_storage(w, begun);
  clause(w, begun, "requires parameters: %s_valid(params)%s", protocol_name(w), "");
  if (role_has_state(w))
    clause(w, begun, "requires state: %s_valid(self, params)%s", w->plan->role->name, "");
  if (role_is_family(w)) {
    put(w, "requires node: 0 <= %s < ", plain(w, a->node->name));
    put_count(w, w->plan->role);
    end_clause(w, begun);
  }
  if (a->timer != NULL)
    clause(w, begun, "requires clock: tp_time(now)%s%s", "", "");
  if (a->read != NULL)
    clause(w, begun, "requires clock: tp_time(%s)%s", plain(w, a->read->name), "");
  write_message_clause(w, action, begun);
  bool state = role_has_state(w), sends = role_sends(w);
  clause(w, begun, "assigns %s%s",
         state   ? "*self"
         : sends ? "*out"
                 : "\\nothing",
         state && sends ? ", *out" : "");
}

/* --- what is ensured -------------------------------------------------------------------------- */

static void put_arrow(struct code_writer *w, const struct plan_action *action) {
  if (action_may_be_disabled(action) || action_may_not_fit(action))
    put_break(w, "\\result == TP_DONE ==>", 0);
}

static void write_verdict(struct code_writer *w, const struct plan_action *action, bool *begun) {
  bool disabled = action_may_be_disabled(action), range = action_may_not_fit(action);
  clause(w, begun, "ensures verdict: \\result == TP_DONE%s%s",
         disabled ? " || \\result == TP_DISABLED" : "", range ? " || \\result == TP_RANGE" : "");
  if (role_has_state(w))
    clause(w, begun, "ensures state: %s_valid(self, params)%s", w->plan->role->name, "");
  if (role_sends(w))
    clause(w, begun, "ensures sends: %s_sends_valid(out, params)%s", w->plan->role->name, "");
  if (disabled) {
    put_break(w, "ensures enabled: \\result == TP_DISABLED <==>", 0);
    put(w, "!\\old(%s_%s_enabled", w->plan->role->name, action->name);
    put_logic_arguments(w, action);
    put(w, ")");
    end_clause(w, begun);
  }
  if (range) {
    put_break(w, "ensures fits: \\result == TP_RANGE <==>", 0);
    if (disabled) {
      put(w, "\\old(%s_%s_enabled", w->plan->role->name, action->name);
      put_logic_arguments(w, action);
      put(w, ")");
      put_break(w, " &&", 1);
    }
    put(w, "!\\old(%s_%s_fits", w->plan->role->name, action->name);
    put_logic_arguments(w, action);
    put(w, ")");
    end_clause(w, begun);
  }
  if (!disabled && !range)
    return;
  bool state = role_has_state(w), sends = role_sends(w);
  if (!state && !sends)
    return;
  put_break(w, "ensures unchanged: \\result != TP_DONE ==>", 0);
  if (state)
    put(w, "%s_same{Old, Here}(self)", w->plan->role->name);
  if (state && sends)
    put_break(w, " &&", 1);
  if (sends)
    put(w, "%s_sends_nothing(out)", w->plan->role->name);
  end_clause(w, begun);
}

static const char *map_word = "(\\forall integer k; 0 <= k < TP_NODES";

static void put_kept(struct code_writer *w, const char *place) {
  put(w, "%s == \\old(%s)", place, place);
}

static bool is_before(const struct term *element, const struct state *map) {
  return element->kind == TERM_MAP_GET && element->args[0]->kind == TERM_STATE &&
         element->args[0]->state == map;
}

/* One element has changed, and all others are as they were; or whatever each element has become. */
static void put_map(struct code_writer *w, const struct state *map, const struct term *element) {
  const char *name = plain(w, map->name), *all = kept_text(w, "self->%s[k]", name);
  bool one = element->kind == TERM_ITE && is_before(element->args[2], map);
  if (one) {
    const struct term *key = element->args[0]->args[1];
    struct text place;
    text_init(&place);
    text_format(&place, "self->%s[", name);
    struct text line = w->line;
    w->line = place;
    put_value(w, key, LEVEL_OPEN);
    put(w, "]");
    const char *kept = kept_text(w, "%s", text_get(&w->line));
    text_clear(&w->line);
    w->line = line;
    put_equation(w, map->type.element, kept, element->args[1], true);
    put_break(w, " &&", 0);
    put(w, "%s && k != ", map_word);
    put_value(w, key, LEVEL_SUM);
  } else
    put(w, "%s", map_word);
  w->nesting++;
  put_break(w, " ==>", 1);
  if (one || is_before(element, map))
    put_kept(w, all);
  else
    put_equation(w, map->type.element, all, element, true);
  w->nesting--;
  put(w, ")");
}

static void write_variable(struct code_writer *w, const struct plan_action *action,
                           const struct state *state, bool *begun) {
  const char *name = plain(w, state->name), *place = kept_text(w, "self->%s", name);
  const struct term *value = action->effect.values[state->id];
  put(w, "ensures %s: ", name);
  put_arrow(w, action);
  if (state->type.kind == TYPE_MAP)
    put_map(w, state, value);
  else if (effect_keeps(&action->effect, state))
    put_kept(w, place);
  else
    put_equation(w, &state->type, place, value,
                 action_may_be_disabled(action) || action_may_not_fit(action));
  end_clause(w, begun);
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

static void put_condition(struct code_writer *w, const struct plan_action *action,
                          const struct term *when) {
  put_arrow(w, action);
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
  bool arrow = send->when != NULL || action_may_be_disabled(action) || action_may_not_fit(action);
  for (size_t i = 0; i <= message->field_count; i++) {
    bool is_to = i == message->field_count;
    if (is_to ? !send_has_to(slot) : !send_has_field(slot, i))
      continue;
    const char *field = is_to ? receiver_name(slot) : message->fields[i].name;
    const struct term *value = is_to ? send->to : send->args[i];
    struct text place;
    text_init(&place);
    text_format(&place, "out->%s_%s", name, field);
    put(w, "ensures %s_%s: ", name, field);
    put_condition(w, action, send->when);
    put_equation(w, &value->type, text_get(&place), value, arrow);
    end_clause(w, begun);
    text_clear(&place);
  }
}

static void write_sent(struct code_writer *w, const struct plan_action *action,
                       const struct plan_message *slot, bool *begun) {
  const char *name = send_name(w, slot);
  bool none, arrow = action_may_be_disabled(action) || action_may_not_fit(action);
  const struct term *when = when_sent(w, action, slot, &none);
  if (none || slot->varying < 0) {
    put(w, "ensures %s: ", name);
    put_arrow(w, action);
    if (none || when == NULL)
      put(w, none ? (slot->varying < 0 ? "!out->%s" : "tp_empty(out->%s)") : "out->%s", name);
    else {
      struct text place;
      text_init(&place);
      text_format(&place, "out->%s", name);
      put_equivalence(w, text_get(&place), when, arrow);
      text_clear(&place);
    }
    end_clause(w, begun);
  } else if (when != NULL) {
    put(w, "ensures %s_not: ", name);
    put_condition(w, action, term_negated(w->context, when));
    put(w, "tp_empty(out->%s)", name);
    end_clause(w, begun);
  }
  for (size_t i = 0; i < action->effect.sends.count; i++) {
    const struct effect_send *send = &action->effect.sends.data[i];
    if (!is_of(send, slot))
      continue;
    if (slot->varying >= 0) {
      put(w, "ensures %s: ", name);
      put_condition(w, action, send->when);
      put(w, "tp_same(out->%s, ", name);
      put_value(w, sent_set(w, send, slot->varying), LEVEL_OPEN);
      put(w, ")");
      end_clause(w, begun);
    }
    write_sent_fields(w, action, slot, send, begun);
  }
}

void write_contract(struct code_writer *w, const struct plan_action *action) {
  bool begun = false;
  w->dialect = DIALECT_AFTER;
  write_requires(w, action, &begun);
  write_verdict(w, action, &begun);
  for (size_t i = 0; i < w->plan->state_count; i++)
    write_variable(w, action, w->plan->states[i], &begun);
  for (size_t i = 0; i < w->plan->sends.count; i++)
    write_sent(w, action, &w->plan->sends.data[i], &begun);
  write_line(w, 0, "*/");
}

void write_init_contract(struct code_writer *w) {
  bool begun = false;
  w->dialect = DIALECT_LOGIC;
  clause(w, &begun,
         "requires storage: \\valid(self) && \\valid_read(params) && \\separated(self, params)%s%s",
         "", "");
  clause(w, &begun, "requires parameters: %s_valid(params)%s", protocol_name(w), "");
  if (role_is_family(w)) {
    put(w, "requires node: 0 <= %s < ", plain(w, w->plan->states[0]->self->name));
    put_count(w, w->plan->role);
    end_clause(w, &begun);
  }
  clause(w, &begun, "assigns *self%s%s", "", "");
  clause(w, &begun, "ensures state: %s_valid(self, params)%s", w->plan->role->name, "");
  for (size_t i = 0; i < w->plan->state_count; i++) {
    const struct state *state = w->plan->states[i];
    bool map = state->type.kind == TYPE_MAP;
    const char *name = plain(w, state->name);
    struct text place;
    text_init(&place);
    text_format(&place, "self->%s%s", name, map ? "[k]" : "");
    put(w, "ensures %s: ", name);
    if (map)
      put_break(w, "\\forall integer k; 0 <= k < TP_NODES ==>", 1);
    put_equation(w, map ? state->type.element : &state->type, text_get(&place), state->initial,
                 map);
    text_clear(&place);
    end_clause(w, &begun);
  }
  write_line(w, 0, "*/");
}
