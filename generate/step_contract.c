/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The contracts of dispatchers (step.h).
 */
#include "generate/step.h"

static void write_take_requires(struct code_writer *w, enum dispatcher dispatch) {
  const char *role = w->plan->role->name;
  const char *state = role_has_state(w) ? "self, " : "", *sends = role_sends(w) ? ", out" : "";
  const bool take = dispatch == DISPATCH_TAKE;
  put(w, "/*@ requires storage: %s\\valid_read(params)%s%s",
      role_has_state(w) ? "\\valid(self) && " : "", take ? " && \\valid_read(m)" : "",
      role_sends(w) ? " && \\valid(out)" : "");
  if (dispatch != DISPATCH_TRY) {
    put_break(w, " &&", 1);
    put(w, "\\valid(action)");
  }
  if (dispatch != DISPATCH_TRY || *state != '\0' || *sends != '\0') {
    put_break(w, " &&", 1);
    put(w, "\\separated(%sparams%s%s%s);", state, take ? ", m" : "", sends,
        dispatch != DISPATCH_TRY ? ", action" : "");
  } else {
    put(w, ";");
  }
  end_line(w, 0, 6);
  write_line(w, 4, "requires parameters: %s_valid(params);", protocol_name(w));
  if (role_has_state(w))
    write_line(w, 4, "requires state: %s_valid(self, params);", role);
  bool begun = true;
  write_own_clause(w, "requires", &begun);
  if (role_is_family(w)) {
    put(w, "requires node: 0 <= i < ");
    put_count(w, w->plan->role);
    put(w, ";");
    end_line(w, 4, 6);
  }
  if (dispatch_needs_time(w->plan, dispatch))
    write_line(w, 4, "requires clock: tp_time(now);");
  if (take)
    write_line(w, 4, "requires message: tp_message_valid(m) && %s_message(m, params);",
               protocol_name(w));
}

static void write_take_assigns(struct code_writer *w, enum dispatcher dispatch) {
  const char *state = role_has_state(w) ? "*self" : NULL, *sends = role_sends(w) ? "*out" : NULL;
  if (dispatch != DISPATCH_TRY)
    write_line(w, 4, "assigns %s%s%s%s*action;", state != NULL ? state : "",
               state != NULL ? ", " : "", sends != NULL ? sends : "", sends != NULL ? ", " : "");
  else
    write_line(w, 4, "assigns %s%s%s;",
               state != NULL   ? state
               : sends != NULL ? sends
                               : "\\nothing",
               state != NULL && sends != NULL ? ", " : "",
               state != NULL && sends != NULL ? sends : "");
}

static void put_step_arguments(struct code_writer *w, const struct plan_action *action) {
  put(w, "(%sparams%s%s%s", role_has_state(w) ? "self, " : "", role_is_family(w) ? ", i" : "",
      role_sends(w) ? ", out" : "", action->action->read != NULL ? ", now" : "");
  for (size_t i = 0; i < action->field_count; i++) {
    put(w, ", \\old(");
    put_field_argument(w, action, i);
    put(w, ")");
  }
  put(w, ")");
}

/* Earlier actions of the same kind come first. */
static void put_not_before(struct code_writer *w, enum dispatcher dispatch, size_t number) {
  const struct plan_action *action = dispatched(w->plan, dispatch, number);
  for (size_t i = 0; i < number; i++) {
    const struct plan_action *other = dispatched(w->plan, dispatch, i);
    if (other == NULL || other->action->message != action->action->message)
      continue;
    put_break(w, " &&", 1);
    put(w, "!(");
    put_dispatched_when(w, other);
    put(w, ")");
  }
}

static void write_take_step(struct code_writer *w, enum dispatcher dispatch, size_t number) {
  const struct plan_action *action = dispatched(w->plan, dispatch, number);
  put(w, "ensures %s: \\result == TP_DONE && \\old(", action->name);
  w->nesting++;
  put_dispatched_when(w, action);
  put_not_before(w, dispatch, number);
  w->nesting--;
  put_break(w, ") ==>", 0);
  put(w, "*action == %s", action_number(w, action));
  put_break(w, " &&", 1);
  put(w, "%s_%s_step{Old, Here}", w->plan->role->name, action->name);
  put_step_arguments(w, action);
  put(w, ";");
  end_line(w, 4, 6);
}

static void put_own_enabled(struct code_writer *w, const struct plan_action *action) {
  put(w, "\\old(");
  w->nesting++;
  put_dispatched_when(w, action);
  w->nesting--;
  put(w, ")");
}

/* The step is the one asked for. */
static void write_try_step(struct code_writer *w, const struct plan_action *action) {
  put(w, "ensures %s: \\result == TP_DONE && action == %s", action->name, action_number(w, action));
  put_break(w, " ==>", 0);
  put(w, "%s_%s_step{Old, Here}", w->plan->role->name, action->name);
  put_step_arguments(w, action);
  put(w, ";");
  end_line(w, 4, 6);
}

/* The step is the one named, and none whose turn was before it was enabled. */
static void write_turn_step(struct code_writer *w, const struct plan_action *action) {
  const char *number = action_number(w, action);
  put(w, "ensures %s: \\result == TP_DONE && *action == %s", action->name, number);
  put_break(w, " ==>", 0);
  put_own_enabled(w, action);
  put_break(w, " &&", 1);
  put(w, "%s_%s_step{Old, Here}", w->plan->role->name, action->name);
  put_step_arguments(w, action);
  put(w, ";");
  end_line(w, 4, 6);
  put(w, "ensures %s_turn: \\result == TP_DONE &&", action->name);
  layout_break(&w->line, 1);
  put(w, "tp_passed(\\old(*action), %s, *action)", number);
  put_break(w, " ==>", 0);
  put(w, "!");
  put_own_enabled(w, action);
  put(w, ";");
  end_line(w, 4, 6);
}

static void write_turn_named(struct code_writer *w) {
  bool more = false;
  put(w, "ensures named: \\result == TP_DONE ==>");
  layout_break(&w->line, 0);
  for (size_t i = 0; i < w->plan->actions.count; i++) {
    if (dispatched(w->plan, DISPATCH_OWN, i) == NULL)
      continue;
    if (more)
      put_break(w, " ||", 1);
    put(w, "*action == %s", action_number(w, &w->plan->actions.data[i]));
    more = true;
  }
  put(w, ";");
  end_line(w, 4, 6);
}

void put_asked_for(struct code_writer *w, put_condition *condition) {
  bool more = false;
  w->nesting++;
  for (size_t i = 0; i < w->plan->actions.count; i++) {
    const struct plan_action *action = dispatched(w->plan, DISPATCH_TRY, i);
    if (action == NULL)
      continue;
    if (more)
      put_break(w, " ||", 0);
    put(w, "(action == %s && ", action_number(w, action));
    condition(w, action);
    put(w, ")");
    more = true;
  }
  w->nesting--;
}

static void write_take_none(struct code_writer *w, enum dispatcher dispatch) {
  const char *role = w->plan->role->name;
  const bool take = dispatch == DISPATCH_TAKE;
  put_break(w, "ensures none: \\result == TP_DISABLED <==>", 0);
  if (dispatch != DISPATCH_TRY) {
    put(w, "!\\old(%s_%s(%sparams%s%s%s));", role, take ? "takes" : "acts",
        role_has_state(w) ? "self, " : "", role_is_family(w) ? ", i" : "",
        dispatch_needs_time(w->plan, dispatch) ? ", now" : "", take ? ", m" : "");
    end_line(w, 4, 6);
    return;
  }
  put(w, "!(");
  put_asked_for(w, put_own_enabled);
  put(w, ");");
  end_line(w, 4, 6);
}

void write_dispatch_contract(struct code_writer *w, enum dispatcher dispatch) {
  const char *role = w->plan->role->name;
  const bool turns = dispatch == DISPATCH_OWN && role_takes_turns(w->plan);
  write_take_requires(w, dispatch);
  if (turns)
    write_line(w, 4, "requires turn: 0 <= *action < %zu;", w->plan->actions.count);
  write_take_assigns(w, dispatch);
  write_line(
      w, 4,
      "ensures verdict: \\result == TP_DONE || \\result == TP_DISABLED || \\result == TP_RANGE;");
  bool begun = true;
  write_valid_after(w, NULL, &begun);
  write_take_none(w, dispatch);
  if (role_has_state(w) || role_sends(w)) {
    put_break(w, "ensures unchanged: \\result != TP_DONE ==>", 0);
    put(w, "%s%s%s", role_has_state(w) ? kept_text(w, "%s_same{Old, Here}(self)", role) : "",
        role_has_state(w) && role_sends(w) ? " && " : "",
        role_sends(w) ? kept_text(w, "%s_sends_nothing(out)", role) : "");
    put(w, ";");
    end_line(w, 4, 6);
  }
  if (turns) {
    write_line(w, 4, "ensures turn: 0 <= *action < %zu;", w->plan->actions.count);
    write_turn_named(w);
  }
  for (size_t i = 0; i < w->plan->actions.count; i++) {
    const struct plan_action *action = dispatched(w->plan, dispatch, i);
    if (action == NULL)
      continue;
    if (dispatch == DISPATCH_TRY)
      write_try_step(w, action);
    else if (turns)
      write_turn_step(w, action);
    else
      write_take_step(w, dispatch, i);
  }
  write_line(w, 0, "*/");
}
