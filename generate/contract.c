/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The contract of an action: when it is enabled, each variable after it, and exactly what it sends
 * (role.h). */
#include <string.h>

#include "generate/role.h"

/* --- clauses ---------------------------------------------------------------------------------- */

/* One clause, from the line; the first of a contract opens it. */
void end_clause(struct code_writer *w, bool *begun) {
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

void write_own_clause(struct code_writer *w, const char *keyword, bool *begun) {
  if (role_has_own(w))
    clause(w, begun, "%s own: %s_own_valid(self, params)", keyword, w->plan->role->name);
}

/* --- predicates ------------------------------------------------------------------------------- */

void put_guard(struct code_writer *w, const struct action *action) {
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
    put_guard(w, action->action);
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

/* What is not assigned is as it was. */
static void write_assigns(struct code_writer *w, const struct plan_action *action, bool *begun) {
  bool more = false;
  w->dialect = DIALECT_LOGIC;
  put(w, "assigns ");
  for (size_t i = 0; i < w->plan->state_count; i++) {
    if (effect_keeps(&action->effect, w->plan->states[i]))
      continue;
    if (more)
      put_break(w, ",", 0);
    put_changed(w, action, w->plan->states[i]);
    more = true;
  }
  if (role_has_own(w)) {
    put(w, more ? ", self->own" : "self->own");
    more = true;
  }
  if (role_sends(w))
    put(w, more ? ", *out" : "*out");
  else if (!more)
    put(w, "\\nothing");
  w->dialect = DIALECT_AFTER;
  end_clause(w, begun);
}

void write_given(struct code_writer *w, const struct plan_action *action, bool *begun) {
  const struct action *a = action->action;
  clause(w, begun, "requires parameters: %s_valid(params)%s", protocol_name(w), "");
  if (role_has_state(w))
    clause(w, begun, "requires state: %s_valid(self, params)%s", w->plan->role->name, "");
  write_own_clause(w, "requires", begun);
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
}

static void write_requires(struct code_writer *w, const struct plan_action *action, bool *begun) {
  write_storage(w, begun);
  write_given(w, action, begun);
  write_assigns(w, action, begun);
}

/* --- what is ensured -------------------------------------------------------------------------- */

static void write_unchanged(struct code_writer *w, const struct plan_action *action, bool *begun) {
  bool more = false;
  put_break(w, "ensures unchanged: \\result != TP_DONE ==>", 0);
  w->dialect = DIALECT_LOGIC;
  for (size_t i = 0; i < w->plan->state_count; i++) {
    const struct state *state = w->plan->states[i];
    if (effect_keeps(&action->effect, state))
      continue;
    if (more)
      put_break(w, " &&", 1);
    bool all =
        state->type.kind == TYPE_MAP && only_key(state, action->effect.values[state->id]) == NULL;
    if (all)
      put(w, "(\\forall integer k; 0 <= k < TP_NODES ==> self->%s[k] == \\old(self->%s[k]))",
          plain(w, state->name), plain(w, state->name));
    else {
      put(w, "%s", changed_now(w, action, state));
      put(w, " == \\old(");
      put_changed(w, action, state);
      put(w, ")");
    }
    more = true;
  }
  w->dialect = DIALECT_AFTER;
  if (more && role_sends(w))
    put_break(w, " &&", 1);
  if (role_sends(w))
    put(w, "%s_sends_nothing(out)", w->plan->role->name);
  if (more || role_sends(w))
    end_clause(w, begun);
  else
    text_clear(&w->line);
}

/* Large predicates are said part by part, which provers find easier, as are those of what is sent
 * where an element of a map may be assigned in front of it: of the state what may have changed (all
 * of it without an action), and each set, since behind a call a prover would have to find its
 * members again. */
enum { PARTS_MOST = 6, SENDS_MOST = 3 };

static void write_state_parts(struct code_writer *w, const struct plan_action *action,
                              bool *begun) {
  for (size_t i = 0; i < w->plan->state_count; i++) {
    const struct state *state = w->plan->states[i];
    if (action != NULL && effect_keeps(&action->effect, state) && state->type.kind != TYPE_SET)
      continue;
    put(w, "ensures state: ");
    if (put_valid(w, &state->type, kept_text(w, "self->%s", plain(w, state->name)), false))
      end_clause(w, begun);
    else
      text_clear(&w->line);
  }
}

void write_valid_after(struct code_writer *w, const struct plan_action *action, bool *begun) {
  const char *role = w->plan->role->name;
  if (role_has_state(w) && w->plan->state_count > PARTS_MOST)
    write_state_parts(w, action, begun);
  else if (role_has_state(w))
    clause(w, begun, "ensures state: %s_valid(self, params)%s", role, "");
  write_own_clause(w, "ensures", begun);
  if (role_sends(w) && w->plan->sends.count <= SENDS_MOST && !role_has_map(w)) {
    clause(w, begun, "ensures sends: %s_sends_valid(out, params)%s", role, "");
    return;
  }
  for (size_t i = 0; i < w->plan->sends.count; i++) {
    put(w, "ensures sends: ");
    if (put_send_valid(w, &w->plan->sends.data[i], false))
      end_clause(w, begun);
    else
      text_clear(&w->line);
  }
}

static void write_verdict(struct code_writer *w, const struct plan_action *action, bool *begun) {
  bool disabled = action_may_be_disabled(action), range = action_may_not_fit(action);
  clause(w, begun, "ensures verdict: \\result == TP_DONE%s%s",
         disabled ? " || \\result == TP_DISABLED" : "", range ? " || \\result == TP_RANGE" : "");
  write_valid_after(w, action, begun);
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
  if (disabled || range)
    write_unchanged(w, action, begun);
}

void write_contract(struct code_writer *w, const struct plan_action *action) {
  bool begun = false;
  w->dialect = DIALECT_AFTER;
  write_requires(w, action, &begun);
  write_verdict(w, action, &begun);
  write_effects(w, action, &begun);
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
  if (w->plan->state_count > PARTS_MOST)
    write_state_parts(w, NULL, &begun);
  else
    clause(w, &begun, "ensures state: %s_valid(self, params)%s", w->plan->role->name, "");
  write_own_clause(w, "ensures", &begun);
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
