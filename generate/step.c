/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * PROTO_ROLE_step.h and .c (step.h): the first enabled action of a message's kind, or of those that
 * need none.
 */
#include <string.h>

#include "generate/step.h"

/* The two dispatchers: of a message that came, and of what the node does by itself. */
enum dispatch { DISPATCH_TAKE, DISPATCH_OWN };

static bool is_own(const struct action *action) {
  return action->message == NULL && action->timeout == NULL && action->timer == NULL &&
         action->read == NULL && !action->idle;
}

/* The i-th action of the role if the dispatcher tries it, or NULL. */
static const struct plan_action *taker(const struct plan_role *plan, enum dispatch dispatch,
                                       size_t i) {
  const struct plan_action *action = &plan->actions.data[i];
  bool tried = dispatch == DISPATCH_OWN ? is_own(action->action) : action->action->message != NULL;
  return tried ? action : NULL;
}

static bool dispatches(const struct plan_role *plan, enum dispatch dispatch) {
  for (size_t i = 0; i < plan->actions.count; i++)
    if (taker(plan, dispatch, i) != NULL)
      return true;
  return false;
}

bool role_receives(const struct plan_role *plan) {
  return dispatches(plan, DISPATCH_TAKE);
}

bool role_acts(const struct plan_role *plan) {
  return dispatches(plan, DISPATCH_OWN);
}

static bool reads_clock(const struct code_writer *w, enum dispatch dispatch) {
  for (size_t i = 0; i < w->plan->actions.count; i++)
    if (taker(w->plan, dispatch, i) != NULL && w->plan->actions.data[i].action->read != NULL)
      return true;
  return false;
}

const char *action_number(struct code_writer *w, const struct plan_action *action) {
  return kept_text(w, "%s_did_%s", w->plan->role->name, action->name);
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

/* "self, params, i, now": the parameters of a dispatcher and its predicate. */
static void put_common(struct code_writer *w, enum dispatch dispatch, const char *self,
                       const char *params, const char *integer, const char *clock) {
  if (role_has_state(w)) {
    put(w, self, plain(w, w->plan->role->name));
    put_break(w, ",", 2);
  }
  put(w, params, protocol_name(w));
  if (role_is_family(w)) {
    put_break(w, ",", 2);
    put(w, "%si", integer);
  }
  if (reads_clock(w, dispatch)) {
    put_break(w, ",", 2);
    put(w, "%snow", clock);
  }
}

static void put_enabled(struct code_writer *w, const struct plan_action *action) {
  if (action->action->message != NULL)
    put_pattern(w, action, "i");
  if (!action_may_be_disabled(action)) {
    put(w, action->action->message != NULL ? "" : "\\true");
    return;
  }
  if (action->action->message != NULL)
    put_break(w, " &&", 1);
  put(w, "%s_%s_enabled", w->plan->role->name, action->name);
  put_call_arguments(w, action, true);
}

/* Some action takes the message now, or is enabled by itself. */
static void write_takes(struct code_writer *w, enum dispatch dispatch) {
  bool more = false;
  put(w, "/*@ predicate %s_%s(", w->plan->role->name, dispatch == DISPATCH_TAKE ? "takes" : "acts");
  w->nesting++;
  put_common(w, dispatch, "struct %s *self", "struct %s_params *params", "integer ", "integer ");
  if (dispatch == DISPATCH_TAKE) {
    put_break(w, ",", 2);
    put(w, "struct tp_message *m");
  }
  put(w, ") =");
  w->nesting--;
  layout_break(&w->line, 0);
  for (size_t i = 0; i < w->plan->actions.count; i++) {
    if (taker(w->plan, dispatch, i) == NULL)
      continue;
    if (more)
      put_break(w, " ||", 0);
    put(w, "(");
    w->nesting++;
    put_enabled(w, taker(w->plan, dispatch, i));
    w->nesting--;
    put(w, ")");
    more = true;
  }
  put(w, "; */");
  end_line(w, 0, 6);
}

static void put_take_signature(struct code_writer *w, enum dispatch dispatch, const char *end) {
  put(w, "enum tp_verdict %s_%s(", w->plan->role->name, dispatch == DISPATCH_TAKE ? "take" : "act");
  put_common(w, dispatch, "struct %s *self", "const struct %s_params *params", "int32_t ",
             "int64_t ");
  if (role_sends(w)) {
    put_break(w, ",", 2);
    put(w, "struct %s_sends *out", w->plan->role->name);
  }
  put_break(w, ",", 2);
  put(w, "enum %s_action *action", w->plan->role->name);
  if (dispatch == DISPATCH_TAKE) {
    put_break(w, ",", 2);
    put(w, "const struct tp_message *m");
  }
  put(w, ")%s", end);
  end_line(w, 0, (size_t)(strchr(text_get(&w->line), '(') - text_get(&w->line)) + 1);
}

/* --- contract --------------------------------------------------------------------------------- */

static void write_take_requires(struct code_writer *w, enum dispatch dispatch) {
  const char *role = w->plan->role->name;
  const char *state = role_has_state(w) ? "self, " : "", *sends = role_sends(w) ? ", out" : "";
  const bool take = dispatch == DISPATCH_TAKE;
  put(w, "/*@ requires storage: %s\\valid_read(params)%s%s",
      role_has_state(w) ? "\\valid(self) && " : "", take ? " && \\valid_read(m)" : "",
      role_sends(w) ? " && \\valid(out)" : "");
  put_break(w, " &&", 1);
  put(w, "\\valid(action)");
  put_break(w, " &&", 1);
  put(w, "\\separated(%sparams%s%s, action);", state, take ? ", m" : "", sends);
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
  if (reads_clock(w, dispatch))
    write_line(w, 4, "requires clock: tp_time(now);");
  if (take)
    write_line(w, 4, "requires message: tp_message_valid(m) && %s_message(m, params);",
               protocol_name(w));
  write_line(w, 4, "assigns %s%s*action;", role_has_state(w) ? "*self, " : "",
             role_sends(w) ? "*out, " : "");
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
static void put_not_before(struct code_writer *w, enum dispatch dispatch, size_t number) {
  const struct plan_action *action = taker(w->plan, dispatch, number);
  for (size_t i = 0; i < number; i++) {
    const struct plan_action *other = taker(w->plan, dispatch, i);
    if (other == NULL || other->action->message != action->action->message)
      continue;
    put_break(w, " &&", 1);
    put(w, "!(");
    put_enabled(w, other);
    put(w, ")");
  }
}

static void write_take_step(struct code_writer *w, enum dispatch dispatch, size_t number) {
  const struct plan_action *action = taker(w->plan, dispatch, number);
  put(w, "ensures %s: \\result == TP_DONE && \\old(", action->name);
  w->nesting++;
  put_enabled(w, action);
  put_not_before(w, dispatch, number);
  w->nesting--;
  put_break(w, ") ==>", 0);
  put(w, "*action == %s && %s_%s_step{Old, Here}", action_number(w, action), w->plan->role->name,
      action->name);
  put_step_arguments(w, action);
  put(w, ";");
  end_line(w, 4, 6);
}

static void write_take_contract(struct code_writer *w, enum dispatch dispatch) {
  const char *role = w->plan->role->name;
  write_take_requires(w, dispatch);
  write_line(
      w, 4,
      "ensures verdict: \\result == TP_DONE || \\result == TP_DISABLED || \\result == TP_RANGE;");
  bool begun = true;
  write_valid_after(w, NULL, &begun);
  put_break(w, "ensures none: \\result == TP_DISABLED <==>", 0);
  const bool take = dispatch == DISPATCH_TAKE;
  put(w, "!\\old(%s_%s(%sparams%s%s%s));", role, take ? "takes" : "acts",
      role_has_state(w) ? "self, " : "", role_is_family(w) ? ", i" : "",
      reads_clock(w, dispatch) ? ", now" : "", take ? ", m" : "");
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
    if (taker(w->plan, dispatch, i) != NULL)
      write_take_step(w, dispatch, i);
  write_line(w, 0, "*/");
}

static void write_action_numbers(struct code_writer *w) {
  write_line(w, 0, "%s", "");
  write_line(w, 0, "/* Which action a step was. */");
  put(w, "enum %s_action {", w->plan->role->name);
  layout_break(&w->line, 0);
  for (size_t i = 0; i < w->plan->actions.count; i++) {
    put(w, "%s", action_number(w, &w->plan->actions.data[i]));
    put_break(w, i + 1 < w->plan->actions.count ? "," : "", 1);
  }
  put(w, "};");
  end_line(w, 0, 2);
}

/* A dispatcher's predicates, contract and declaration. */
static void write_dispatcher(struct code_writer *w, enum dispatch dispatch, const char *comment) {
  w->dialect = DIALECT_C;
  write_line(w, 0, "%s", "");
  for (size_t i = 0; i < w->plan->actions.count; i++)
    if (taker(w->plan, dispatch, i) != NULL)
      write_step_predicate(w, taker(w->plan, dispatch, i));
  w->dialect = DIALECT_LOGIC;
  write_takes(w, dispatch);
  write_line(w, 0, "%s", "");
  write_line(w, 0, "/* %s */", comment);
  write_take_contract(w, dispatch);
  put_take_signature(w, dispatch, ";");
}

void write_step_header(struct code_writer *w) {
  const char *protocol = protocol_name(w), *role = w->plan->role->name;
  write_line(w, 0, "#ifndef %s_%s_STEP_H", capital(w, protocol), capital(w, role));
  write_line(w, 0, "#define %s_%s_STEP_H", capital(w, protocol), capital(w, role));
  write_line(w, 0, "%s", "");
  write_line(w, 0, "#include \"%s_%s.h\"", protocol, role);
  if (role_receives(w->plan))
    write_line(w, 0, "#include \"%s_message.h\"", protocol);
  begin_section(w, kept_text(w, "steps of %s", role));
  write_action_numbers(w);
  if (role_has_state(w)) {
    write_line(w, 0, "%s", "");
    write_same(w);
  }
  if (role_receives(w->plan)) {
    begin_section(w, kept_text(w, "messages to %s", role));
    write_dispatcher(w, DISPATCH_TAKE,
                     "Takes the message with the first action of its kind that is enabled. "
                     "TP_DISABLED: none is.");
  }
  if (role_acts(w->plan)) {
    begin_section(w, kept_text(w, "own steps of %s", role));
    write_dispatcher(w, DISPATCH_OWN,
                     "Takes the first enabled action that waits for no message and no time. "
                     "TP_DISABLED: none is.");
  }
  begin_section(w, "end of file");
  write_line(w, 0, "%s", "");
  write_line(w, 0, "#endif");
}

/* --- body ------------------------------------------------------------------------------------- */

static void write_try(struct code_writer *w, const struct plan_action *action) {
  const bool pattern = action->action->message != NULL, sure = !action_may_be_disabled(action);
  const size_t indent = pattern ? 4 : 2;
  if (pattern) {
    put(w, "if (");
    put_pattern(w, action, "i");
    put(w, ") {");
    end_line(w, 2, 6);
  }
  write_line(w, indent, "*action = %s;", action_number(w, action));
  put(w,
      sure      ? "return %s_%s"
      : pattern ? "enum tp_verdict verdict = %s_%s"
                : "verdict = %s_%s",
      w->plan->role->name, action->name);
  put_call_arguments(w, action, false);
  put(w, ";");
  end_line(w, indent, indent + 4);
  if (!sure) {
    write_line(w, indent, "if (verdict != TP_DISABLED)");
    write_line(w, indent + 2, "return verdict;");
  }
  if (pattern)
    write_line(w, 2, "}");
}

/* An action that is always enabled ends the list of what a node does by itself. */
static void write_tries(struct code_writer *w, enum dispatch dispatch) {
  bool declared = dispatch == DISPATCH_TAKE;
  for (size_t i = 0; i < w->plan->actions.count; i++) {
    const struct plan_action *action = taker(w->plan, dispatch, i);
    if (action == NULL)
      continue;
    if (!declared && action_may_be_disabled(action)) {
      write_line(w, 2, "enum tp_verdict verdict;");
      declared = true;
    }
    write_try(w, action);
    if (dispatch == DISPATCH_OWN && !action_may_be_disabled(action))
      return;
  }
  write_send_nothing(w);
  write_line(w, 2, "return TP_DISABLED;");
}

static void write_dispatch(struct code_writer *w, enum dispatch dispatch) {
  write_line(w, 0, "%s", "");
  put_take_signature(w, dispatch, " {");
  write_tries(w, dispatch);
  write_line(w, 0, "}");
}

void write_step_body(struct code_writer *w) {
  w->dialect = DIALECT_C;
  write_line(w, 0, "#include \"%s_%s_step.h\"", protocol_name(w), w->plan->role->name);
  if (role_receives(w->plan))
    write_dispatch(w, DISPATCH_TAKE);
  if (role_acts(w->plan))
    write_dispatch(w, DISPATCH_OWN);
}
