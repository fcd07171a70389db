/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * ROLE_act of a role whose own actions have their turns (step.h): it asks their guards and then
 * takes one, so that nothing changes between two questions. What step.c writes asks in the same way
 * where one of several actions is to be taken.
 */
#include <string.h>

#include "generate/step.h"

static void end_signature(struct code_writer *w) {
  put(w, " {");
  end_line(w, 0, (size_t)(strchr(text_get(&w->line), '(') - text_get(&w->line)) + 1);
}

/* --- one action ------------------------------------------------------------------------------- */

void put_asking(struct code_writer *w, const struct plan_action *action) {
  put(w, "%s_%s_ready", w->plan->role->name, action->name);
  put_call_arguments(w, action, true);
}

static void put_storage(struct code_writer *w) {
  put(w, "/*@ requires storage: %s\\valid_read(params);",
      role_has_state(w) ? "\\valid_read(self) && " : "");
  end_line(w, 0, 6);
}

void write_question(struct code_writer *w, const struct plan_action *action) {
  w->dialect = DIALECT_LOGIC;
  write_line(w, 0, "%s", "");
  put_storage(w);
  bool begun = true;
  write_given(w, action, &begun);
  write_line(w, 4, "assigns \\nothing;");
  put_break(w, "ensures truth: \\result <==>", 0);
  put(w, "%s_%s_enabled", w->plan->role->name, action->name);
  put_logic_arguments(w, action);
  put(w, ";");
  end_line(w, 4, 6);
  write_line(w, 0, "*/");
  w->dialect = DIALECT_C;
  put_question(w, action);
  end_signature(w);
  struct text body, *out = w->out;
  text_init(&body);
  w->out = &body;
  put(w, "return ");
  put_guard(w, action->action);
  put(w, ";");
  end_line(w, 2, 6);
  w->out = out;
  write_unused(w, action, text_get(&body));
  text_append(w->out, text_get(&body));
  text_clear(&body);
  write_line(w, 0, "}");
}

/* --- turns ------------------------------------------------------------------------------------ */

static void put_ready(struct code_writer *w, bool parameters) {
  put(w, "%s%s_ready(", parameters ? "static bool " : "", w->plan->role->name);
  if (parameters)
    put_common(w, DISPATCH_TRY, "const struct %s *self", "const struct %s_params *params",
               "int32_t ", "int64_t ");
  else
    put_common(w, DISPATCH_TRY, "self", "params", "", "");
  put_break(w, ",", 2);
  put(w, parameters ? "enum %s_action action)" : "(enum %s_action)at)", w->plan->role->name);
}

static void write_ready_contract(struct code_writer *w) {
  bool begun = true;
  w->dialect = DIALECT_LOGIC;
  put_storage(w);
  write_line(w, 4, "requires parameters: %s_valid(params);", protocol_name(w));
  if (role_has_state(w))
    write_line(w, 4, "requires state: %s_valid(self, params);", w->plan->role->name);
  write_own_clause(w, "requires", &begun);
  if (role_is_family(w)) {
    put(w, "requires node: 0 <= i < ");
    put_count(w, w->plan->role);
    put(w, ";");
    end_line(w, 4, 6);
  }
  if (dispatch_needs_time(w->plan, DISPATCH_TRY))
    write_line(w, 4, "requires clock: tp_time(now);");
  write_line(w, 4, "assigns \\nothing;");
  put_break(w, "ensures truth: \\result <==>", 0);
  put_asked_for(w, put_dispatched_when);
  put(w, ";");
  end_line(w, 4, 6);
  write_line(w, 0, "*/");
  w->dialect = DIALECT_C;
}

static void write_ready_cases(struct code_writer *w) {
  write_line(w, 2, "switch (action) {");
  for (size_t i = 0; i < w->plan->actions.count; i++) {
    const struct plan_action *action = dispatched(w->plan, DISPATCH_TRY, i);
    if (action == NULL)
      continue;
    write_line(w, 2, "case %s:", action_number(w, action));
    put(w, "return ");
    if (action_may_be_disabled(action))
      put_asking(w, action);
    else
      put(w, "true");
    put(w, ";");
    end_line(w, 4, 8);
  }
  write_line(w, 2, "default:");
  write_line(w, 4, "return false;");
  write_line(w, 2, "}");
}

/* Whether an action by itself is enabled, by its number. */
static void write_ready(struct code_writer *w) {
  write_line(w, 0, "%s", "");
  write_ready_contract(w);
  put_ready(w, true);
  end_signature(w);
  struct text body, *out = w->out;
  text_init(&body);
  w->out = &body;
  write_ready_cases(w);
  w->out = out;
  if (role_has_state(w))
    put_unused(w, text_get(&body), "self");
  put_unused(w, text_get(&body), "params");
  if (role_is_family(w))
    put_unused(w, text_get(&body), "i");
  if (dispatch_needs_time(w->plan, DISPATCH_TRY))
    put_unused(w, text_get(&body), "now");
  end_unused(w);
  text_append(w->out, text_get(&body));
  text_clear(&body);
  write_line(w, 0, "}");
}

/* How many actions may be asked, and none of them be enabled: all, or those between two around the
 * ring that always are. */
static size_t disabled_most(const struct plan_role *plan) {
  const size_t count = plan->actions.count;
  size_t most = 0, row = 0;
  for (size_t i = 0; i < 2 * count; i++) {
    const struct plan_action *action = dispatched(plan, DISPATCH_TRY, i % count);
    row = action != NULL && !action_may_be_disabled(action) ? 0 : row + 1;
    most = row > most ? row : most;
  }
  return most < count ? most : count;
}

/* What is known when `tried` actions have been asked, up to number `at`. */
static void write_turn_invariants(struct code_writer *w) {
  const size_t count = w->plan->actions.count, most = disabled_most(w->plan);
  w->dialect = DIALECT_LOGIC;
  write_line(w, 2, "/*@ loop invariant tried: 0 <= tried <= %zu && 0 <= last < %zu;", most, count);
  write_line(w, 6,
             "loop invariant at: at == (last + tried < %zu ? last + tried : last + tried - %zu);",
             count, count);
  for (size_t i = 0; i < count; i++) {
    const struct plan_action *action = dispatched(w->plan, DISPATCH_OWN, i);
    if (action == NULL)
      continue;
    const char *number = action_number(w, action);
    put(w, "loop invariant %s: tried > 0 &&", action->name);
    layout_break(&w->line, 1);
    put(w, "(at == %s || tp_passed(last, %s, at))", number, number);
    put_break(w, " ==>", 0);
    put(w, "!");
    put_dispatched_when(w, action);
    put(w, ";");
    end_line(w, 6, 8);
  }
  write_line(w, 6, "loop assigns tried, at;");
  write_line(w, 6, "loop variant %zu - tried; */", most);
  w->dialect = DIALECT_C;
}

static void write_turn_taken(struct code_writer *w, size_t indent) {
  write_line(w, indent, "*action = (enum %s_action)at;", w->plan->role->name);
  put(w, "return %s_try(", w->plan->role->name);
  put_common(w, DISPATCH_TRY, "self", "params", "", "");
  put(w, "%s, *action);", role_sends(w) ? ", out" : "");
  end_line(w, indent, indent + 4);
}

void write_turns(struct code_writer *w) {
  const size_t count = w->plan->actions.count, most = disabled_most(w->plan);
  write_line(w, 2, "const int32_t last = (int32_t)*action;");
  write_line(w, 2, "int32_t at = last;");
  if (most != 0) {
    write_turn_invariants(w);
    write_line(w, 2, "for (int32_t tried = 0; tried < %zu; tried++) {", most);
    write_line(w, 4, "at = at < %zu ? at + 1 : 0;", count - 1);
    put(w, "if (");
    put_ready(w, false);
    put(w, ") {");
    end_line(w, 4, 8);
    write_turn_taken(w, 6);
    write_line(w, 4, "}");
    write_line(w, 2, "}");
  }
  if (most == count) {
    write_send_nothing(w);
    write_line(w, 2, "return TP_DISABLED;");
  } else { /* without a branch, of which one side may be out of reach */
    write_line(w, 2, "at = (at + 1) %% %zu; /* which is always enabled */", count);
    write_turn_taken(w, 2);
  }
}

void write_questions(struct code_writer *w) {
  for (size_t i = 0; i < w->plan->actions.count; i++) {
    const struct plan_action *action = dispatched(w->plan, DISPATCH_OWN, i);
    if (action != NULL && action_may_be_disabled(action))
      write_question(w, action);
  }
  if (disabled_most(w->plan) != 0)
    write_ready(w);
}
