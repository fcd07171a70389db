/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * PROTO_ROLE_step.h and .c (step.h): the first action of a message's kind that is enabled, or none.
 */
#include <string.h>

#include "generate/step.h"

static const struct plan_action *taker(const struct plan_role *plan, size_t i) {
  return plan->actions.data[i].action->message != NULL ? &plan->actions.data[i] : NULL;
}

bool role_receives(const struct plan_role *plan) {
  for (size_t i = 0; i < plan->actions.count; i++)
    if (taker(plan, i) != NULL)
      return true;
  return false;
}

static bool reads_clock(const struct code_writer *w) {
  for (size_t i = 0; i < w->plan->actions.count; i++)
    if (taker(w->plan, i) != NULL && w->plan->actions.data[i].action->read != NULL)
      return true;
  return false;
}

/* The field that gives an argument its value. */
static size_t field_of(const struct plan_action *action, const struct variable *variable) {
  size_t field = 0;
  while (action->action->fields[field] != variable)
    field++;
  return field;
}

static void put_argument(struct code_writer *w, const struct plan_action *action, size_t argument) {
  const struct variable *variable = action->fields[argument];
  size_t field = field_of(action, variable);
  if (variable->type.kind == TYPE_BOOL && w->dialect == DIALECT_C)
    put(w, "m->field[%zu] != 0", field);
  else if (variable->type.kind == TYPE_ENUM && w->dialect == DIALECT_C)
    put(w, "(enum %s)m->field[%zu]", plain(w, variable->type.enumeration->name), field);
  else
    put(w, "m->field[%zu]", field);
}

/* That the message has the kind and the equal fields that the action asks for. */
static void put_pattern(struct code_writer *w, const struct plan_action *action, const char *node) {
  const struct action *a = action->action;
  put(w, "m->kind == %s_%s", w->context->model->name, a->message->name);
  for (size_t i = 0; i < a->message->field_count; i++) {
    size_t first = 0;
    while (a->fields[first] != a->fields[i])
      first++;
    if (a->fields[i] == a->node && role_is_family(w)) {
      put_break(w, " &&", 1);
      put(w, "m->field[%zu] == %s", i, node);
    } else if (first != i) {
      put_break(w, " &&", 1);
      put(w, "m->field[%zu] == m->field[%zu]", i, first);
    }
  }
}

static void put_call_arguments(struct code_writer *w, const struct plan_action *action,
                               bool logic) {
  put(w, role_has_state(w) ? "(self, params" : "(params");
  if (role_is_family(w))
    put(w, ", i");
  if (!logic && role_sends(w))
    put(w, ", out");
  if (action->action->read != NULL)
    put(w, ", now");
  for (size_t i = 0; i < action->field_count; i++) {
    put(w, ", ");
    put_argument(w, action, i);
  }
  put(w, ")");
}

/* "self, params, i, now": the parameters of the dispatcher and its predicate, each behind a comma.
 */
static void put_common(struct code_writer *w, const char *self, const char *params,
                       const char *integer, const char *clock) {
  if (role_has_state(w)) {
    put(w, self, plain(w, w->plan->role->name));
    put_break(w, ",", 2);
  }
  put(w, params, protocol_name(w));
  put_break(w, ",", 2);
  if (role_is_family(w)) {
    put(w, "%si", integer);
    put_break(w, ",", 2);
  }
  if (reads_clock(w)) {
    put(w, "%snow", clock);
    put_break(w, ",", 2);
  }
}

static void put_enabled(struct code_writer *w, const struct plan_action *action) {
  put_pattern(w, action, "i");
  if (!action_may_be_disabled(action))
    return;
  put_break(w, " &&", 1);
  put(w, "%s_%s_enabled", w->plan->role->name, action->name);
  put_call_arguments(w, action, true);
}

/* Some action takes the message now. */
static void write_takes(struct code_writer *w) {
  bool more = false;
  put(w, "/*@ predicate %s_takes(", w->plan->role->name);
  w->nesting++;
  put_common(w, "struct %s *self", "struct %s_params *params", "integer ", "integer ");
  put(w, "struct tp_message *m) =");
  w->nesting--;
  layout_break(&w->line, 0);
  for (size_t i = 0; i < w->plan->actions.count; i++) {
    if (taker(w->plan, i) == NULL)
      continue;
    if (more)
      put_break(w, " ||", 0);
    put(w, "(");
    w->nesting++;
    put_enabled(w, taker(w->plan, i));
    w->nesting--;
    put(w, ")");
    more = true;
  }
  put(w, "; */");
  end_line(w, 0, 6);
}

static void put_take_signature(struct code_writer *w, const char *end) {
  put(w, "enum tp_verdict %s_take(", w->plan->role->name);
  put_common(w, "struct %s *self", "const struct %s_params *params", "int32_t ", "int64_t ");
  if (role_sends(w)) {
    put(w, "struct %s_sends *out", w->plan->role->name);
    put_break(w, ",", 2);
  }
  put(w, "const struct tp_message *m)%s", end);
  end_line(w, 0, (size_t)(strchr(text_get(&w->line), '(') - text_get(&w->line)) + 1);
}

/* --- contract --------------------------------------------------------------------------------- */

static void write_take_requires(struct code_writer *w) {
  const char *role = w->plan->role->name;
  const char *state = role_has_state(w) ? "self, " : "", *sends = role_sends(w) ? ", out" : "";
  put(w, "/*@ requires storage: %s\\valid_read(params) && \\valid_read(m)%s",
      role_has_state(w) ? "\\valid(self) && " : "", role_sends(w) ? " && \\valid(out)" : "");
  put_break(w, " &&", 1);
  put(w, "\\separated(%sparams, m%s);", state, sends);
  end_line(w, 0, 6);
  write_line(w, 4, "requires parameters: %s_valid(params);", protocol_name(w));
  if (role_has_state(w))
    write_line(w, 4, "requires state: %s_valid(self, params);", role);
  if (role_is_family(w)) {
    put(w, "requires node: 0 <= i < ");
    put_count(w, w->plan->role);
    put(w, ";");
    end_line(w, 4, 6);
  }
  if (reads_clock(w))
    write_line(w, 4, "requires clock: tp_time(now);");
  write_line(w, 4, "requires message: tp_message_valid(m) && %s_message(m, params);",
             protocol_name(w));
  write_line(w, 4, "assigns %s%s%s;", role_has_state(w) ? "*self" : "",
             role_has_state(w) && role_sends(w) ? ", " : "",
             role_sends(w)       ? "*out"
             : role_has_state(w) ? ""
                                 : "\\nothing");
}

static void put_step_arguments(struct code_writer *w, const struct plan_action *action) {
  put(w, "(%sparams%s%s%s", role_has_state(w) ? "self, " : "", role_is_family(w) ? ", i" : "",
      role_sends(w) ? ", out" : "", action->action->read != NULL ? ", now" : "");
  for (size_t i = 0; i < action->field_count; i++) {
    put(w, ", ");
    put_argument(w, action, i);
  }
  put(w, ")");
}

/* Earlier actions of the same kind come first. */
static void put_not_before(struct code_writer *w, size_t number) {
  const struct plan_action *action = taker(w->plan, number);
  for (size_t i = 0; i < number; i++) {
    const struct plan_action *other = taker(w->plan, i);
    if (other == NULL || other->action->message != action->action->message)
      continue;
    put_break(w, " &&", 1);
    put(w, "!(");
    put_enabled(w, other);
    put(w, ")");
  }
}

static void write_take_step(struct code_writer *w, size_t number) {
  const struct plan_action *action = taker(w->plan, number);
  put(w, "ensures %s: \\result == TP_DONE && \\old(", action->name);
  w->nesting++;
  put_enabled(w, action);
  put_not_before(w, number);
  w->nesting--;
  put_break(w, ") ==>", 0);
  put(w, "%s_%s_step{Old, Here}", w->plan->role->name, action->name);
  put_step_arguments(w, action);
  put(w, ";");
  end_line(w, 4, 6);
}

static void write_take_contract(struct code_writer *w) {
  const char *role = w->plan->role->name;
  write_take_requires(w);
  write_line(
      w, 4,
      "ensures verdict: \\result == TP_DONE || \\result == TP_DISABLED || \\result == TP_RANGE;");
  bool begun = true;
  write_valid_after(w, NULL, &begun);
  put_break(w, "ensures none: \\result == TP_DISABLED <==>", 0);
  put(w, "!\\old(%s_takes(%sparams, %s%sm));", role, role_has_state(w) ? "self, " : "",
      role_is_family(w) ? "i, " : "", reads_clock(w) ? "now, " : "");
  end_line(w, 4, 6);
  if (role_has_state(w) || role_sends(w)) {
    put_break(w, "ensures unchanged: \\result != TP_DONE ==>", 0);
    put(w, "%s%s%s", role_has_state(w) ? kept_text(w, "%s_same{Old, Here}(self)", role) : "",
        role_has_state(w) && role_sends(w) ? " && " : "",
        role_sends(w) ? kept_text(w, "%s_sends_nothing(out)", role) : "");
    put(w, ";");
    end_line(w, 4, 6);
  }
  for (size_t i = 0; i < w->plan->actions.count; i++)
    if (taker(w->plan, i) != NULL)
      write_take_step(w, i);
  write_line(w, 0, "*/");
}

void write_step_header(struct code_writer *w) {
  const char *protocol = protocol_name(w), *role = w->plan->role->name;
  write_line(w, 0, "#ifndef %s_%s_STEP_H", capital(w, protocol), capital(w, role));
  write_line(w, 0, "#define %s_%s_STEP_H", capital(w, protocol), capital(w, role));
  write_line(w, 0, "%s", "");
  write_line(w, 0, "#include \"%s_%s.h\"", protocol, role);
  write_line(w, 0, "#include \"%s_message.h\"", protocol);
  begin_section(w, kept_text(w, "messages to %s", role));
  write_line(w, 0, "%s", "");
  if (role_has_state(w))
    write_same(w);
  for (size_t i = 0; i < w->plan->actions.count; i++)
    if (taker(w->plan, i) != NULL)
      write_step_predicate(w, taker(w->plan, i));
  w->dialect = DIALECT_LOGIC;
  write_takes(w);
  write_line(w, 0, "%s", "");
  write_line(w, 0,
             "/* Takes the message with the first action of its kind that is enabled. TP_DISABLED: "
             "none is. */");
  write_take_contract(w);
  put_take_signature(w, ";");
  begin_section(w, "end of file");
  write_line(w, 0, "%s", "");
  write_line(w, 0, "#endif");
}

/* --- body ------------------------------------------------------------------------------------- */

static void write_try(struct code_writer *w, const struct plan_action *action) {
  put(w, "if (");
  put_pattern(w, action, "i");
  bool sure = !action_may_be_disabled(action);
  put(w, sure ? ")" : ") {");
  end_line(w, 2, 6);
  put(w, sure ? "return %s_%s" : "enum tp_verdict verdict = %s_%s", w->plan->role->name,
      action->name);
  put_call_arguments(w, action, false);
  put(w, ";");
  end_line(w, 4, 8);
  if (sure)
    return;
  write_line(w, 4, "if (verdict != TP_DISABLED)");
  write_line(w, 6, "return verdict;");
  write_line(w, 2, "}");
}

void write_step_body(struct code_writer *w) {
  w->dialect = DIALECT_C;
  write_line(w, 0, "#include \"%s_%s_step.h\"", protocol_name(w), w->plan->role->name);
  write_line(w, 0, "%s", "");
  put_take_signature(w, " {");
  for (size_t i = 0; i < w->plan->actions.count; i++)
    if (taker(w->plan, i) != NULL)
      write_try(w, taker(w->plan, i));
  write_send_nothing(w);
  write_line(w, 2, "return TP_DISABLED;");
  write_line(w, 0, "}");
}
