/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * PROTO_ROLE_step.h and .c (step.h): the first enabled action of a message's kind, or of those that
 * need none.
 */
#include <string.h>

#include "generate/step.h"

static const char *const dispatcher_names[] = {"take", "act", "try"};

static bool is_own(const struct action *action) {
  return action->message == NULL && action->timeout == NULL && !action->idle;
}

const struct plan_action *dispatched(const struct plan_role *plan, enum dispatcher dispatch,
                                     size_t i) {
  const struct plan_action *action = &plan->actions.data[i];
  bool tried = dispatch == DISPATCH_TAKE ? action->action->message != NULL : is_own(action->action);
  return tried ? action : NULL;
}

static bool dispatches(const struct plan_role *plan, enum dispatcher dispatch) {
  for (size_t i = 0; i < plan->actions.count; i++)
    if (dispatched(plan, dispatch, i) != NULL)
      return true;
  return false;
}

bool role_has_timers(const struct plan_role *plan) {
  for (size_t i = 0; i < plan->actions.count; i++)
    if (plan->actions.data[i].action->timer != NULL)
      return true;
  return false;
}

bool role_receives(const struct plan_role *plan) {
  return dispatches(plan, DISPATCH_TAKE);
}

bool role_acts(const struct plan_role *plan) {
  return dispatches(plan, DISPATCH_OWN);
}

bool role_takes_turns(const struct plan_role *plan) {
  size_t own = 0;
  for (size_t i = 0; i < plan->actions.count; i++)
    if (dispatched(plan, DISPATCH_OWN, i) != NULL && plan->actions.data[i].action->schedule == NULL)
      own++;
  return own > 1;
}

static bool needs_time(const struct action *action) {
  return action->read != NULL || action->timer != NULL;
}

bool dispatch_needs_time(const struct plan_role *plan, enum dispatcher dispatch) {
  for (size_t i = 0; i < plan->actions.count; i++)
    if (dispatched(plan, dispatch, i) != NULL && needs_time(plan->actions.data[i].action))
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

void put_field_argument(struct code_writer *w, const struct plan_action *action, size_t argument) {
  const struct variable *variable = action->fields[argument];
  size_t field = field_of(action, variable);
  if (variable->type.kind == TYPE_BOOL && w->dialect == DIALECT_C)
    put(w, "m->field[%zu] != 0", field);
  else if (variable->type.kind == TYPE_ENUM && w->dialect == DIALECT_C)
    put(w, "(enum %s)m->field[%zu]", plain(w, variable->type.enumeration->name), field);
  else
    put(w, "m->field[%zu]", field);
}

static void put_kind(struct code_writer *w, const struct action *action) {
  put(w, "m->kind == %s_%s", w->context->model->name, action->message->name);
}

/* That the message has the equal fields that the action asks for. True when something was put. */
static bool put_pattern(struct code_writer *w, const struct action *action, bool more) {
  for (size_t i = 0; i < action->message->field_count; i++) {
    size_t first = 0;
    while (action->fields[first] != action->fields[i])
      first++;
    const bool is_node = action->fields[i] == action->node && role_is_family(w);
    if (!is_node && first == i)
      continue;
    if (more)
      put_break(w, " &&", 1);
    put(w, is_node ? "m->field[%zu] == i" : "m->field[%zu] == m->field[%zu]", i, first);
    more = true;
  }
  return more;
}

void put_call_arguments(struct code_writer *w, const struct plan_action *action, bool logic) {
  put(w, role_has_state(w) ? "(self, params" : "(params");
  if (role_is_family(w))
    put(w, ", i");
  if (!logic && role_sends(w))
    put(w, ", out");
  if (action->action->timer != NULL)
    put(w, ", now");
  if (action->action->read != NULL)
    put(w, ", now");
  for (size_t i = 0; i < action->field_count; i++) {
    put(w, ", ");
    put_field_argument(w, action, i);
  }
  put(w, ")");
}

/* "self, params, i, now": the parameters of a dispatcher and its predicate. */
void put_common(struct code_writer *w, enum dispatcher dispatch, const char *self,
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
  if (dispatch_needs_time(w->plan, dispatch)) {
    put_break(w, ",", 2);
    put(w, "%snow", clock);
  }
}

void put_dispatched_when(struct code_writer *w, const struct plan_action *action) {
  if (action->action->message != NULL) {
    put_kind(w, action->action);
    put_pattern(w, action->action, true);
  }
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
static void write_takes(struct code_writer *w, enum dispatcher dispatch) {
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
    if (dispatched(w->plan, dispatch, i) == NULL)
      continue;
    if (more)
      put_break(w, " ||", 0);
    put(w, "(");
    w->nesting++;
    put_dispatched_when(w, dispatched(w->plan, dispatch, i));
    w->nesting--;
    put(w, ")");
    more = true;
  }
  put(w, "; */");
  end_line(w, 0, 6);
}

static void put_take_signature(struct code_writer *w, enum dispatcher dispatch, const char *end) {
  put(w, "enum tp_verdict %s_%s(", w->plan->role->name, dispatcher_names[dispatch]);
  put_common(w, dispatch, "struct %s *self", "const struct %s_params *params", "int32_t ",
             "int64_t ");
  if (role_sends(w)) {
    put_break(w, ",", 2);
    put(w, "struct %s_sends *out", w->plan->role->name);
  }
  put_break(w, ",", 2);
  put(w, dispatch == DISPATCH_TRY ? "enum %s_action action" : "enum %s_action *action",
      w->plan->role->name);
  if (dispatch == DISPATCH_TAKE) {
    put_break(w, ",", 2);
    put(w, "const struct tp_message *m");
  }
  put(w, ")%s", end);
  end_line(w, 0, (size_t)(strchr(text_get(&w->line), '(') - text_get(&w->line)) + 1);
}

/* --- header ----------------------------------------------------------------------------------- */

void write_action_numbers(struct code_writer *w) {
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
static void write_dispatcher(struct code_writer *w, enum dispatcher dispatch, const char *comment) {
  w->dialect = DIALECT_C;
  write_line(w, 0, "%s", "");
  for (size_t i = 0; i < w->plan->actions.count; i++)
    if (dispatched(w->plan, dispatch, i) != NULL)
      write_step_predicate(w, dispatched(w->plan, dispatch, i));
  w->dialect = DIALECT_LOGIC;
  write_takes(w, dispatch);
  if (dispatch == DISPATCH_OWN && role_takes_turns(w->plan)) {
    write_line(w, 0, "%s", "");
    write_line(w, 0,
               "/* Takes this action, if it is one that waits for no message and no timeout, and "
               "enabled. */");
    write_dispatch_contract(w, DISPATCH_TRY);
    put_take_signature(w, DISPATCH_TRY, ";");
  }
  write_line(w, 0, "%s", "");
  write_line(w, 0, "/* %s */", comment);
  write_dispatch_contract(w, dispatch);
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
  write_linkage(w);
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
    const char *timers = role_has_timers(w->plan) ? "\n * Timers up to `now` have passed." : "";
    write_dispatcher(
        w, DISPATCH_OWN,
        kept_text(w,
                  role_takes_turns(w->plan)
                      ? "Takes the next enabled action after *action, in turn, that waits for no "
                        "message and no timeout.\n"
                        " * TP_DISABLED: none is.%s"
                      : "Takes the first enabled action that waits for no message and no timeout. "
                        "TP_DISABLED: none is.%s",
                  timers));
  }
  begin_section(w, "end of file");
  write_linkage_end(w);
  write_line(w, 0, "%s", "");
  write_line(w, 0, "#endif");
}

/* --- body ------------------------------------------------------------------------------------- */

/* "return node_Accept(self, ...);": what is done with the verdict, and the call. */
static void put_call(struct code_writer *w, const char *verdict, const struct plan_action *action) {
  put(w, "%s %s_%s", verdict, w->plan->role->name, action->name);
  put_call_arguments(w, action, false);
  put(w, ";");
}

/* "*action = node_did_Accept; return node_Accept(self, ...);" */
static void write_taken(struct code_writer *w, const struct plan_action *action, size_t indent) {
  write_line(w, indent, "*action = %s;", action_number(w, action));
  put_call(w, "return", action);
  end_line(w, indent, indent + 4);
}

/* The first action from number i on that the dispatcher tries for such messages (NULL: for none);
 * the count of actions: there is none. */
static size_t next_tried(const struct plan_role *plan, enum dispatcher dispatch, size_t i,
                         const struct message *message) {
  while (i < plan->actions.count && (dispatched(plan, dispatch, i) == NULL ||
                                     plan->actions.data[i].action->message != message))
    i++;
  return i;
}

/* Whether a guard is asked before the action is taken: another one behind it may be taken instead.
 * So nothing changes between two of them, which is easier to prove than that nothing has changed.
 */
static bool is_asked(const struct plan_role *plan, enum dispatcher dispatch, size_t i) {
  return dispatched(plan, dispatch, i) != NULL && action_may_be_disabled(&plan->actions.data[i]) &&
         next_tried(plan, dispatch, i + 1, plan->actions.data[i].action->message) <
             plan->actions.count;
}

static void write_asked(struct code_writer *w, enum dispatcher dispatch) {
  for (size_t i = 0; i < w->plan->actions.count; i++)
    if (is_asked(w->plan, dispatch, i))
      write_question(w, &w->plan->actions.data[i]);
}

/* Whether what put_pattern says of action a, it says of action b, too. */
static bool covers(const struct action *a, const struct action *b) {
  for (size_t i = 0; i < a->message->field_count; i++) {
    if (a->fields[i] == a->node && b->fields[i] != b->node)
      return false;
    for (size_t j = 0; j < i; j++)
      if (a->fields[i] == a->fields[j] && b->fields[i] != b->fields[j])
        return false;
  }
  return true;
}

/* Whether one of the actions before, from the first on, is always taken where this one could be. */
static bool is_passed_over(const struct plan_role *plan, enum dispatcher dispatch, size_t first,
                           size_t i) {
  const struct action *action = plan->actions.data[i].action;
  for (size_t j = first; j < i; j = next_tried(plan, dispatch, j + 1, action->message))
    if (action->message != NULL && !is_asked(plan, dispatch, j) &&
        covers(plan->actions.data[j].action, action))
      return true;
  return false;
}

/* The first of the actions from number i on, with one message, that is enabled. False: what follows
 * is never reached. */
static bool write_first(struct code_writer *w, enum dispatcher dispatch, size_t i, size_t indent) {
  const struct message *message = w->plan->actions.data[i].action->message;
  const size_t first = i;
  for (; i < w->plan->actions.count; i = next_tried(w->plan, dispatch, i + 1, message)) {
    const struct plan_action *action = &w->plan->actions.data[i];
    if (is_passed_over(w->plan, dispatch, first, i))
      continue;
    put(w, "if (");
    bool conditional = message != NULL && put_pattern(w, action->action, false);
    if (is_asked(w->plan, dispatch, i)) {
      if (conditional)
        put_break(w, " &&", 1);
      put_asking(w, action);
      conditional = true;
    }
    put(w, ") {");
    if (conditional)
      end_line(w, indent, indent + 4);
    else
      text_clear(&w->line);
    write_taken(w, action, conditional ? indent + 2 : indent);
    if (!conditional)
      return false;
    write_line(w, indent, "}");
  }
  return true;
}

/* --- messages --------------------------------------------------------------------------------- */

static bool is_first_taker(const struct plan_role *plan, size_t i) {
  return dispatched(plan, DISPATCH_TAKE, i) != NULL &&
         next_tried(plan, DISPATCH_TAKE, 0, plan->actions.data[i].action->message) == i;
}

/* Whether the action is the only one that takes messages, of the only kind that the protocol has,
 * and whatever their fields: code behind it would never be reached. */
static bool is_only_taker(struct code_writer *w, size_t i) {
  const struct message *message = w->plan->actions.data[i].action->message;
  const bool has_pattern = put_pattern(w, w->plan->actions.data[i].action, false);
  text_clear(&w->line);
  return w->context->model->messages.count == 1 && !has_pattern &&
         next_tried(w->plan, DISPATCH_TAKE, i + 1, message) == w->plan->actions.count;
}

/* The kinds exclude each other, and an action that is disabled leaves all as it was and sends
 * nothing: so the last one of a kind answers for the whole. */
static void write_kinds(struct code_writer *w) {
  size_t first = 0;
  while (!is_first_taker(w->plan, first))
    first++;
  if (is_only_taker(w, first)) {
    if (w->plan->actions.data[first].action->message->field_count == 0)
      write_line(w, 2, "(void)m;");
    write_taken(w, &w->plan->actions.data[first], 2);
    return;
  }
  write_line(w, 2, "switch (m->kind) {");
  for (size_t i = first; i < w->plan->actions.count; i++) {
    if (!is_first_taker(w->plan, i))
      continue;
    write_line(w, 2, "case %s_%s:", w->context->model->name,
               w->plan->actions.data[i].action->message->name);
    if (write_first(w, DISPATCH_TAKE, i, 4))
      write_line(w, 4, "break;");
  }
  write_line(w, 2, "default:");
  write_line(w, 4, "break;");
  write_line(w, 2, "}");
  write_send_nothing(w);
  write_line(w, 2, "return TP_DISABLED;");
}

/* --- own steps -------------------------------------------------------------------------------- */

/* The only action. */
static void write_only(struct code_writer *w, const struct plan_action *action) {
  if (!action_may_be_disabled(action)) {
    write_taken(w, action, 2);
    return;
  }
  write_line(w, 2, "enum tp_verdict verdict;");
  write_line(w, 2, "*action = %s;", action_number(w, action));
  put_call(w, "verdict =", action);
  end_line(w, 2, 6);
  write_line(w, 2, "if (verdict != TP_DISABLED)");
  write_line(w, 4, "return verdict;");
  write_send_nothing(w);
  write_line(w, 2, "return TP_DISABLED;");
}

/* What a node does by itself, where there is only one such action, or a schedule: at most one is
 * enabled. */
static void write_tries(struct code_writer *w) {
  const size_t first = next_tried(w->plan, DISPATCH_OWN, 0, NULL);
  if (next_tried(w->plan, DISPATCH_OWN, first + 1, NULL) == w->plan->actions.count)
    write_only(w, &w->plan->actions.data[first]);
  else
    write_first(w, DISPATCH_OWN, first, 2);
}

static void write_cases(struct code_writer *w) {
  write_line(w, 2, "switch (action) {");
  for (size_t i = 0; i < w->plan->actions.count; i++) {
    const struct plan_action *action = dispatched(w->plan, DISPATCH_TRY, i);
    if (action == NULL)
      continue;
    write_line(w, 2, "case %s:", action_number(w, action));
    put_call(w, "return", action);
    end_line(w, 4, 8);
  }
  write_line(w, 2, "default:");
  write_line(w, 4, "break;");
  write_line(w, 2, "}");
  write_send_nothing(w);
  write_line(w, 2, "return TP_DISABLED;");
}

static void write_dispatch(struct code_writer *w, enum dispatcher dispatch) {
  const bool turns = dispatch == DISPATCH_OWN && role_takes_turns(w->plan);
  if (turns)
    write_dispatch(w, DISPATCH_TRY);
  write_line(w, 0, "%s", "");
  put_take_signature(w, dispatch, " {");
  if (dispatch == DISPATCH_TRY)
    write_cases(w);
  else if (turns)
    write_turns(w);
  else if (dispatch == DISPATCH_TAKE)
    write_kinds(w);
  else
    write_tries(w);
  write_line(w, 0, "}");
}

void write_step_body(struct code_writer *w) {
  w->dialect = DIALECT_C;
  write_line(w, 0, "#include \"%s_%s_step.h\"", protocol_name(w), w->plan->role->name);
  if (role_acts(w->plan) && role_takes_turns(w->plan))
    write_questions(w);
  if (role_receives(w->plan)) {
    write_asked(w, DISPATCH_TAKE);
    write_dispatch(w, DISPATCH_TAKE);
  }
  if (role_acts(w->plan)) {
    if (!role_takes_turns(w->plan))
      write_asked(w, DISPATCH_OWN);
    write_dispatch(w, DISPATCH_OWN);
  }
}
