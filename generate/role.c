/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * PROTO_ROLE.h: the state of a role, what a step sends, and the functions with their contracts
 * (role.h). */
#include "generate/role.h"

#include <string.h>

const char *send_name(struct code_writer *w, const struct plan_message *send) {
  return send->number == 0 ? plain(w, send->message->name)
                           : kept_text(w, "%s_%zu", send->message->name, send->number + 1);
}

const struct effect_send *send_of(const struct plan_action *action,
                                  const struct statement *statement) {
  for (size_t i = 0; i < action->effect.sends.count; i++)
    if (action->effect.sends.data[i].statement == statement)
      return &action->effect.sends.data[i];
  return NULL;
}

const struct plan_message *plan_of(const struct code_writer *w, const struct effect_send *send) {
  for (size_t i = 0; i < w->plan->sends.count; i++)
    if (w->plan->sends.data[i].message == send->statement->message &&
        w->plan->sends.data[i].number == send->number)
      return &w->plan->sends.data[i];
  return NULL;
}

bool send_has_field(const struct plan_message *send, size_t field) {
  return (int)field != send->varying && (int)field != send->message->sender_field;
}

bool send_has_to(const struct plan_message *send) {
  return send->message->receiver_field < 0 && send->message->receiver->count != NULL;
}

const char *receiver_name(const struct plan_message *send) {
  for (size_t i = 0; i < send->message->field_count; i++)
    if (strcmp(send->message->fields[i].name, "to") == 0)
      return "receiver";
  return "to";
}

bool role_is_family(const struct code_writer *w) {
  return w->plan->role->count != NULL;
}
bool role_has_state(const struct code_writer *w) {
  return w->plan->state_count != 0;
}

bool role_has_map(const struct code_writer *w) {
  for (size_t i = 0; i < w->plan->state_count; i++)
    if (w->plan->states[i]->type.kind == TYPE_MAP)
      return true;
  return false;
}

bool role_sends(const struct code_writer *w) {
  return w->plan->sends.count != 0;
}
bool role_has_own(const struct code_writer *w) {
  return w->context->own_state && role_has_state(w);
}

bool action_may_be_disabled(const struct plan_action *action) {
  return action->action->guard_count != 0 || action->action->timer != NULL;
}

bool action_may_not_fit(const struct plan_action *action) {
  return action->effect.checks.count != 0;
}

/* --- parameters ------------------------------------------------------------------------------- */

static void put_parameter(struct code_writer *w, bool *more, const char *format, const char *a,
                          const char *b) {
  if (*more)
    put_break(w, ",", 2);
  put(w, format, a, b);
  *more = true;
}

/* The parameters of an action's function; of a question about it `out` is none. */
static void put_parameters(struct code_writer *w, const struct plan_action *action, bool asks) {
  const char *role = plain(w, w->plan->role->name), *protocol = protocol_name(w);
  bool more = false;
  if (role_has_state(w))
    put_parameter(w, &more, "%sstruct %s *self", asks ? "const " : "", role);
  put_parameter(w, &more, "const struct %s_params *params%s", protocol, "");
  if (role_is_family(w))
    put_parameter(w, &more, "int32_t %s%s", plain(w, action->action->node->name), "");
  if (!asks && role_sends(w))
    put_parameter(w, &more, "struct %s_sends *out%s", w->plan->role->name, "");
  if (action->action->timer != NULL)
    put_parameter(w, &more, "int64_t now%s%s", "", "");
  if (action->action->read != NULL)
    put_parameter(w, &more, "int64_t %s%s", plain(w, action->action->read->name), "");
  for (size_t i = 0; i < action->field_count; i++)
    put_parameter(w, &more, "%s %s", type_name(w, &action->fields[i]->type),
                  plain(w, action->fields[i]->name));
  put(w, ")");
}

void put_signature(struct code_writer *w, const struct plan_action *action) {
  put(w, "enum tp_verdict %s_%s(", w->plan->role->name, action->name);
  put_parameters(w, action, false);
}

void put_question(struct code_writer *w, const struct plan_action *action) {
  put(w, "static bool %s_%s_ready(", w->plan->role->name, action->name);
  put_parameters(w, action, true);
}

void put_logic_arguments(struct code_writer *w, const struct plan_action *action) {
  put(w, role_has_state(w) ? "(self, params" : "(params");
  if (role_is_family(w))
    put(w, ", %s", plain(w, action->action->node->name));
  if (action->action->timer != NULL)
    put(w, ", now");
  if (action->action->read != NULL)
    put(w, ", %s", plain(w, action->action->read->name));
  for (size_t i = 0; i < action->field_count; i++)
    put(w, ", %s", plain(w, action->fields[i]->name));
  put(w, ")");
}

void put_logic_parameters(struct code_writer *w, const struct plan_action *action) {
  put(w, "(");
  w->nesting++;
  if (role_has_state(w)) {
    put(w, "struct %s *self", plain(w, w->plan->role->name));
    put_break(w, ",", 2);
  }
  put(w, "struct %s_params *params", protocol_name(w));
  bool more = true;
  if (role_is_family(w))
    put_parameter(w, &more, "integer %s%s", plain(w, action->action->node->name), "");
  if (action->action->timer != NULL)
    put_parameter(w, &more, "integer now%s%s", "", "");
  if (action->action->read != NULL)
    put_parameter(w, &more, "integer %s%s", plain(w, action->action->read->name), "");
  for (size_t i = 0; i < action->field_count; i++)
    put_parameter(w, &more, "integer %s%s", plain(w, action->fields[i]->name), "");
  w->nesting--;
  put(w, ")");
}

/* --- state and sends -------------------------------------------------------------------------- */

/* What a member is a name or a set of, or its unit; comments of neighbouring lines are aligned. */
static const char *member_comment(struct code_writer *w, const struct type *type) {
  const char *format = type->kind == TYPE_NODE ? "/* %s */" : "/* of %s */";
  if (type->kind == TYPE_TIME)
    return "/* ns */";
  if (type->kind != TYPE_NODE && type->kind != TYPE_SET && type->kind != TYPE_MAP)
    return NULL;
  return kept_text(w, format, type->role->name);
}

static void write_state_members(struct code_writer *w) {
  struct code_members members = {0};
  for (size_t i = 0; i < w->plan->state_count; i++) {
    const struct state *state = w->plan->states[i];
    put(w, "%s %s%s;", type_name(w, &state->type), plain(w, state->name),
        state->type.kind == TYPE_MAP ? "[TP_NODES]" : "");
    add_member(w, &members, member_comment(w, &state->type));
  }
  if (role_has_own(w)) {
    put(w, "struct %s_own own;", w->plan->role->name);
    add_member(w, &members, "/* not of the protocol */");
  }
  write_members(w, &members);
}

static void write_state_predicate(struct code_writer *w) {
  const char *role = plain(w, w->plan->role->name);
  put(w, "/*@ predicate %s_valid(struct %s *self, struct %s_params *params) =", w->plan->role->name,
      role, protocol_name(w));
  layout_break(&w->line, 0);
  bool more = false;
  for (size_t i = 0; i < w->plan->state_count; i++) {
    struct text place;
    text_init(&place);
    text_format(&place, "self->%s", plain(w, w->plan->states[i]->name));
    more |= put_valid(w, &w->plan->states[i]->type, text_get(&place), more);
    text_clear(&place);
  }
  put(w, more ? "; */" : "\\true; */");
  end_line(w, 0, 6);
}

static void write_state(struct code_writer *w) {
  write_line(w, 0, "%s", "");
  write_line(w, 0, "struct %s {", plain(w, w->plan->role->name));
  write_state_members(w);
  write_line(w, 0, "};");
  write_line(w, 0, "%s", "");
  write_state_predicate(w);
  if (!role_has_own(w))
    return;
  write_line(w, 0, "%s", "");
  write_line(w, 0, "#include \"%s_%s_own.acsl\"", protocol_name(w), w->plan->role->name);
}

static void add_send_members(struct code_writer *w, struct code_members *members,
                             const struct plan_message *send) {
  const struct message *message = send->message;
  const char *name = send_name(w, send);
  put(w, send->varying < 0 ? "bool %s;" : "tp_set %s;", name);
  const char *one = send->varying == message->receiver_field ? "/* to each of these: %s */"
                                                             : "/* one for each of these: %s */";
  add_member(w, members,
             send->varying < 0 ? NULL
                               : kept_text(w, one, message->fields[send->varying].type.role->name));
  for (size_t i = 0; i < message->field_count; i++) {
    if (!send_has_field(send, i))
      continue;
    put(w, "%s %s_%s;", type_name(w, &message->fields[i].type), name, message->fields[i].name);
    add_member(w, members, member_comment(w, &message->fields[i].type));
  }
  if (!send_has_to(send))
    return;
  put(w, "int32_t %s_%s;", name, receiver_name(send));
  add_member(w, members, kept_text(w, "/* %s */", message->receiver->name));
}

static void put_nothing(struct code_writer *w, const struct plan_message *send) {
  put(w, send->varying < 0 ? "!out->%s" : "tp_empty(out->%s)", send_name(w, send));
}

/* What is sent can be encoded: its fields are those of messages. */
bool put_send_valid(struct code_writer *w, const struct plan_message *send, bool more) {
  const struct message *message = send->message;
  const char *name = send_name(w, send);
  struct text place;
  text_init(&place);
  if (send->varying >= 0) {
    text_format(&place, "out->%s", name);
    struct type set = {.kind = TYPE_SET, .role = message->fields[send->varying].type.role};
    more = put_valid(w, &set, text_get(&place), more);
  }
  for (size_t i = 0; i <= message->field_count; i++) {
    bool is_to = i == message->field_count;
    if (is_to ? !send_has_to(send)
              : !send_has_field(send, i) || message->fields[i].type.kind == TYPE_BOOL)
      continue;
    struct type receiver = {.kind = TYPE_NODE, .role = message->receiver};
    if (more)
      put_break(w, " &&", 0);
    put(w, "(");
    put_nothing(w, send);
    put(w, " || ");
    text_clear(&place);
    text_format(&place, "out->%s_%s", name, is_to ? receiver_name(send) : message->fields[i].name);
    more = put_valid(w, is_to ? &receiver : &message->fields[i].type, text_get(&place), false);
    put(w, ")");
  }
  text_clear(&place);
  return more;
}

static void write_sends(struct code_writer *w) {
  const char *role = w->plan->role->name;
  write_line(w, 0, "%s", "");
  write_line(w, 0, "/* What one step sends. */");
  write_line(w, 0, "struct %s_sends {", role);
  struct code_members members = {0};
  for (size_t i = 0; i < w->plan->sends.count; i++)
    add_send_members(w, &members, &w->plan->sends.data[i]);
  write_members(w, &members);
  write_line(w, 0, "};");
  write_line(w, 0, "%s", "");
  put(w, "/*@ predicate %s_sends_nothing(struct %s_sends *out) =", role, role);
  layout_break(&w->line, 0);
  for (size_t i = 0; i < w->plan->sends.count; i++) {
    if (i != 0)
      put_break(w, " &&", 1);
    put_nothing(w, &w->plan->sends.data[i]);
  }
  put(w, ";");
  end_line(w, 0, 6);
  put(w, "predicate %s_sends_valid(struct %s_sends *out,", role, role);
  layout_break(&w->line, 2);
  put(w, "struct %s_params *params) =", protocol_name(w));
  layout_break(&w->line, 0);
  bool more = false;
  for (size_t i = 0; i < w->plan->sends.count; i++)
    more |= put_send_valid(w, &w->plan->sends.data[i], more);
  put(w, more ? ";" : "\\true;");
  end_line(w, 4, 6);
  write_line(w, 0, "*/");
}

/* --- functions -------------------------------------------------------------------------------- */

/* The action as the file has it, which a contract follows; end of comment marks in it are broken.
 */
static void write_source(struct code_writer *w, const struct plan_action *action) {
  write_line(w, 0, "%s", "");
  if (action->source == NULL) {
    const struct action *idle = action->action;
    write_line(w, 0, "/* In slot %s there is nothing to do. */",
               idle->schedule->slots[idle->slot]->name);
    return;
  }
  text_append(w->out, "/* ");
  for (const char *c = action->source; *c != '\0'; c++) {
    text_append_bytes(w->out, c, 1);
    if (*c == '\n')
      text_append(w->out, c[1] == '\n' ? " *" : " * ");
    else if (*c == '*' && c[1] == '/')
      text_append(w->out, " ");
  }
  text_append(w->out, " */\n");
}

static void write_action(struct code_writer *w, const struct plan_action *action) {
  begin_section(w, action->action->name);
  write_source(w, action);
  write_predicates(w, action);
  write_contract(w, action);
  put_signature(w, action);
  put(w, ";");
  end_line(w, 0, (size_t)(strchr(text_get(&w->line), '(') - text_get(&w->line)) + 1);
}

void put_init_signature(struct code_writer *w) {
  put(w, "void %s_init(struct %s *self,", w->plan->role->name, plain(w, w->plan->role->name));
  layout_break(&w->line, 2);
  put(w, "const struct %s_params *params", protocol_name(w));
  if (role_is_family(w)) {
    put_break(w, ",", 2);
    put(w, "int32_t %s", plain(w, w->plan->states[0]->self->name));
  }
  put(w, ")");
}

static void write_init(struct code_writer *w) {
  write_line(w, 0, "%s", "");
  write_init_contract(w);
  put_init_signature(w);
  put(w, ";");
  end_line(w, 0, (size_t)(strchr(text_get(&w->line), '(') - text_get(&w->line)) + 1);
}

void write_role_header(struct code_writer *w) {
  const char *protocol = protocol_name(w), *role = w->plan->role->name;
  write_line(w, 0, "#ifndef %s_%s_H", capital(w, protocol), capital(w, role));
  write_line(w, 0, "#define %s_%s_H", capital(w, protocol), capital(w, role));
  write_line(w, 0, "%s", "");
  write_line(w, 0, "#include \"%s.h\"", protocol);
  if (role_has_own(w))
    write_line(w, 0, "#include \"%s_%s_own.h\"", protocol, role);
  write_linkage(w);
  begin_section(w, kept_text(w, "role %s", role));
  if (role_has_state(w))
    write_state(w);
  if (role_sends(w))
    write_sends(w);
  if (role_has_state(w))
    write_init(w);
  for (size_t i = 0; i < w->plan->actions.count; i++)
    write_action(w, &w->plan->actions.data[i]);
  begin_section(w, "end of file");
  write_linkage_end(w);
  write_line(w, 0, "%s", "");
  write_line(w, 0, "#endif");
}
