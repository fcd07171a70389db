/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * PROTO_ROLE.c: the functions of a role (role.h). Each statement of the action is a statement of
 * the function. */
#include <ctype.h>
#include <string.h>

#include "generate/role.h"

/* Whether the line or the text behind `from` mentions the name. */
static bool mentions(const char *text, const char *name) {
  size_t length = strlen(name);
  for (const char *at = text; (at = strstr(at, name)) != NULL; at += length) {
    char before = at == text ? ' ' : at[-1], after = at[length];
    if (!isalnum((unsigned char)before) && before != '_' && before != '>' && before != '.' &&
        !isalnum((unsigned char)after) && after != '_')
      return true;
  }
  return false;
}

void put_unused(struct code_writer *w, const char *body, const char *name) {
  if (!mentions(body, name))
    put(w, "%s(void)%s", w->line.length == 0 ? "" : ", ", name);
}

void end_unused(struct code_writer *w) {
  if (w->line.length == 0)
    return;
  put(w, ";");
  end_line(w, 2, 6);
}

/* --- statements ------------------------------------------------------------------------------- */

static void write_block(struct code_writer *w, const struct plan_action *action,
                        const struct block *block, size_t indent);

static void write_assign(struct code_writer *w, const struct statement *s, size_t indent) {
  bool idle = s->key == NULL && s->value->kind == TERM_STATE && s->value->state == s->state;
  if (s->state->ghost || idle)
    return;
  put(w, "self->%s", plain(w, s->state->name));
  if (s->key != NULL) {
    put(w, "[");
    put_value(w, s->key, LEVEL_OPEN);
    put(w, "]");
  }
  put(w, " = ");
  put_value(w, s->value, LEVEL_OPEN);
  put(w, ";");
  end_line(w, indent, indent + 4);
}

static void write_send_set(struct code_writer *w, const struct statement *s,
                           const struct plan_message *slot, size_t indent) {
  put(w, "out->%s = ", send_name(w, slot));
  if (s->variable_count == 0) {
    put(w, "tp_set_one(");
    put_value(w, s->args[slot->varying], LEVEL_OPEN);
    put(w, ")");
  } else if (s->variables[0]->domain == DOMAIN_SET) {
    put_value(w, s->variables[0]->set, LEVEL_OPEN);
  } else {
    put(w, "tp_set_all(");
    put_count(w, s->variables[0]->type.role);
    put(w, ")");
  }
  put(w, ";");
  end_line(w, indent, indent + 4);
}

static void write_send(struct code_writer *w, const struct plan_action *action,
                       const struct statement *s, size_t indent) {
  const struct plan_message *slot = plan_of(w, send_of(action, s));
  const char *name = send_name(w, slot);
  if (slot->varying >= 0)
    write_send_set(w, s, slot, indent);
  else
    write_line(w, indent, "out->%s = true;", name);
  for (size_t i = 0; i <= s->arg_count; i++) {
    bool is_to = i == s->arg_count;
    if (is_to ? !send_has_to(slot) : !send_has_field(slot, i))
      continue;
    put(w, "out->%s_%s = ", name, is_to ? receiver_name(slot) : slot->message->fields[i].name);
    put_value(w, is_to ? s->to : s->args[i], LEVEL_OPEN);
    put(w, ";");
    end_line(w, indent, indent + 4);
  }
}

/* How many lines of code a block is: ghosts have none. */
static size_t lines_of(const struct code_writer *w, const struct plan_action *action,
                       const struct block *block) {
  struct text out;
  text_init(&out);
  struct code_writer dry = *w;
  dry.out = &out;
  text_init(&dry.line);
  write_block(&dry, action, block, 0);
  size_t lines = 0;
  for (const char *c = text_get(&out); *c != '\0'; c++)
    lines += *c == '\n';
  text_clear(&out);
  text_clear(&dry.line);
  return lines;
}

static void write_if(struct code_writer *w, const struct plan_action *action,
                     const struct statement *s, size_t indent) {
  size_t yes = lines_of(w, action, &s->then_block), no = lines_of(w, action, &s->else_block);
  if (yes == 0 && no == 0)
    return;
  bool braces = yes > 1 || no > 1;
  put(w, "if (");
  put_truth(w, s->condition, yes == 0, LEVEL_OPEN);
  put(w, braces ? ") {" : ")");
  end_line(w, indent, indent + 4);
  write_block(w, action, yes == 0 ? &s->else_block : &s->then_block, indent + 2);
  if (yes != 0 && no != 0) {
    write_line(w, indent, braces ? "} else {" : "else");
    write_block(w, action, &s->else_block, indent + 2);
  }
  if (braces)
    write_line(w, indent, "}");
}

static void write_block(struct code_writer *w, const struct plan_action *action,
                        const struct block *block, size_t indent) {
  for (size_t i = 0; i < block->count; i++) {
    const struct statement *s = block->statements[i];
    if (s->kind == STATEMENT_ASSIGN)
      write_assign(w, s, indent);
    else if (s->kind == STATEMENT_SEND)
      write_send(w, action, s, indent);
    else
      write_if(w, action, s, indent);
  }
}

/* --- actions ---------------------------------------------------------------------------------- */

static void write_guards(struct code_writer *w, const struct action *action) {
  if (action->guard_count == 0 && action->timer == NULL)
    return;
  put(w, "if (");
  if (action->timer != NULL) {
    put(w, "now < ");
    put_value(w, action->timer, LEVEL_SUM);
  }
  for (size_t i = 0; i < action->guard_count; i++) {
    if (i != 0 || action->timer != NULL)
      put_break(w, " ||", 0);
    put_truth(w, action->guards[i], true,
              is_chain(action->guards[i], true, true) ? LEVEL_OR : LEVEL_COMPARISON);
  }
  put(w, ")");
  end_line(w, 2, 6);
  write_line(w, 4, "return TP_DISABLED;");
}

static void write_checks(struct code_writer *w, const struct plan_action *action) {
  for (size_t i = 0; i < action->effect.checks.count; i++) {
    const struct effect_check *check = &action->effect.checks.data[i];
    put(w, "if (");
    if (check->when != NULL) {
      put_truth(w, check->when, false, LEVEL_AND);
      put_break(w, " &&", 1);
    }
    put(w, check->value->type.kind == TYPE_TIME ? "!tp_fits_time(" : "!tp_fits(");
    put_wide(w, check->value, LEVEL_OPEN);
    put(w, "))");
    end_line(w, 2, 6);
    write_line(w, 4, "return TP_RANGE;");
  }
}

void write_send_nothing(struct code_writer *w) {
  for (size_t i = 0; i < w->plan->sends.count; i++)
    write_line(w, 2,
               w->plan->sends.data[i].varying < 0 ? "out->%s = false;" : "out->%s = tp_set_none();",
               send_name(w, &w->plan->sends.data[i]));
}

void write_unused(struct code_writer *w, const struct plan_action *action, const char *body) {
  if (role_has_state(w))
    put_unused(w, body, "self");
  put_unused(w, body, "params");
  if (role_is_family(w))
    put_unused(w, body, plain(w, action->action->node->name));
  if (action->action->read != NULL)
    put_unused(w, body, plain(w, action->action->read->name));
  for (size_t i = 0; i < action->field_count; i++)
    put_unused(w, body, plain(w, action->fields[i]->name));
  end_unused(w);
}

static void write_action_body(struct code_writer *w, const struct plan_action *action) {
  struct text body, *out = w->out;
  text_init(&body);
  w->out = &body;
  write_send_nothing(w);
  write_guards(w, action->action);
  write_checks(w, action);
  write_block(w, action, &action->action->body, 2);
  write_line(w, 2, "return TP_DONE;");
  w->out = out;
  write_unused(w, action, text_get(&body));
  text_append(w->out, text_get(&body));
  text_clear(&body);
}

static void write_action_signature(struct code_writer *w, const struct plan_action *action) {
  write_line(w, 0, "%s", "");
  put_signature(w, action);
  put(w, " {");
  end_line(w, 0, (size_t)(strchr(text_get(&w->line), '(') - text_get(&w->line)) + 1);
}

static void write_action_function(struct code_writer *w, const struct plan_action *action) {
  write_action_signature(w, action);
  write_action_body(w, action);
  write_line(w, 0, "}");
}

/* --- the rest --------------------------------------------------------------------------------- */

static void write_map_init(struct code_writer *w, const struct state *state) {
  const char *name = plain(w, state->name);
  write_line(w, 2, "/*@ loop invariant range: 0 <= i <= TP_NODES;");
  put(w, "loop invariant %s: \\forall integer k; 0 <= k < i ==> ", name);
  struct text place;
  text_init(&place);
  text_format(&place, "self->%s[k]", name);
  w->dialect = DIALECT_LOGIC;
  put_equation(w, state->type.element, text_get(&place), state->initial, true);
  w->dialect = DIALECT_C;
  text_clear(&place);
  put(w, ";");
  end_line(w, 6, 8);
  write_line(w, 6, "loop assigns i, self->%s[0 .. TP_NODES - 1];", name);
  write_line(w, 6, "loop variant TP_NODES - i; */");
  write_line(w, 2, "for (int32_t i = 0; i < TP_NODES; i++)");
  put(w, "self->%s[i] = ", name);
  put_value(w, state->initial, LEVEL_OPEN);
  put(w, ";");
  end_line(w, 4, 8);
}

static void write_init_body(struct code_writer *w) {
  for (size_t i = 0; i < w->plan->state_count; i++) {
    const struct state *state = w->plan->states[i];
    if (state->type.kind == TYPE_MAP) {
      write_map_init(w, state);
      continue;
    }
    put(w, "self->%s = ", plain(w, state->name));
    put_value(w, state->initial, LEVEL_OPEN);
    put(w, ";");
    end_line(w, 2, 6);
  }
}

static void write_init_signature(struct code_writer *w) {
  write_line(w, 0, "%s", "");
  put_init_signature(w);
  put(w, " {");
  end_line(w, 0, (size_t)(strchr(text_get(&w->line), '(') - text_get(&w->line)) + 1);
}

static void write_init_function(struct code_writer *w) {
  write_init_signature(w);
  struct text body, *out = w->out;
  text_init(&body);
  w->out = &body;
  write_init_body(w);
  w->out = out;
  put_unused(w, text_get(&body), "params");
  if (role_is_family(w))
    put_unused(w, text_get(&body), plain(w, w->plan->states[0]->self->name));
  end_unused(w);
  text_append(w->out, text_get(&body));
  text_clear(&body);
  write_line(w, 0, "}");
}

void write_role_body(struct code_writer *w) {
  w->dialect = DIALECT_C;
  write_line(w, 0, "#include \"%s_%s.h\"", protocol_name(w), w->plan->role->name);
  if (role_has_state(w))
    write_init_function(w);
  for (size_t i = 0; i < w->plan->actions.count; i++)
    write_action_function(w, &w->plan->actions.data[i]);
}

static void write_missing(struct code_writer *w, const char *name) {
  write_line(w, 0, "#error \"write the body of %s_%s, and take this line away\"",
             w->plan->role->name, name);
  write_line(w, 0, "}");
}

void write_own_state(struct code_writer *w) {
  const char *protocol = protocol_name(w), *role = w->plan->role->name;
  write_line(w, 0, "#ifndef %s_%s_OWN_H", capital(w, protocol), capital(w, role));
  write_line(w, 0, "#define %s_%s_OWN_H", capital(w, protocol), capital(w, role));
  write_line(w, 0, "%s", "");
  write_line(w, 0, "#include \"tp_step.h\"");
  write_line(w, 0, "%s", "");
  write_line(w, 0, "/* What the functions of %s keep beside the variables of the protocol. */",
             role);
  write_line(w, 0, "struct %s_own {", role);
  write_line(w, 0, "#error \"write the members of struct %s_own, and take this line away\"", role);
  write_line(w, 0, "};");
  write_line(w, 0, "%s", "");
  write_line(w, 0, "#endif");
}

void write_own_predicate(struct code_writer *w) {
  const char *role = w->plan->role->name;
  write_line(w, 0, "%s", "");
  write_line(
      w, 0,
      "/* What is true of self->own between two steps. %s_init brings it about; every step may",
      role);
  write_line(w, 0, " * rely on it, and leaves it true. */");
  write_line(w, 0,
             "/*@ predicate %s_own_valid(struct %s *self, struct %s_params *params) = \\true; */",
             role, plain(w, role), protocol_name(w));
}

void write_role_template(struct code_writer *w) {
  write_line(w, 0, "#include \"%s_%s.h\"", protocol_name(w), w->plan->role->name);
  if (role_has_state(w)) {
    write_init_signature(w);
    write_missing(w, "init");
  }
  for (size_t i = 0; i < w->plan->actions.count; i++) {
    write_action_signature(w, &w->plan->actions.data[i]);
    write_missing(w, w->plan->actions.data[i].name);
  }
}
