/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "generate/loop.h"

#include "generate/protocol.h"
#include "generate/step.h"

void write_loop_header(struct code_writer *w) {
  const char *protocol = protocol_name(w), *role = w->plan->role->name;
  refuse_loop(w);
  write_line(w, 0, "#ifndef %s_%s_LOOP_H", capital(w, protocol), capital(w, role));
  write_line(w, 0, "#define %s_%s_LOOP_H", capital(w, protocol), capital(w, role));
  write_line(w, 0, "%s", "");
  const bool steps = role_receives(w->plan) || role_acts(w->plan);
  const bool acts = w->plan->actions.count != 0;
  write_line(w, 0,
             steps  ? "#include \"%s_%s_step.h\""
             : acts ? "#include \"%s_%s.h\""
                    : "#include \"%s.h\"",
             protocol, role);
  write_line(w, 0, "#include \"tp_loop.h\"");
  write_linkage(w);
  begin_section(w, kept_text(w, "loop of %s", role));
  if (!steps && acts)
    write_action_numbers(w);
  write_line(w, 0, "%s", "");
  write_line(w, 0, "/* A node, and what its last step sends. */");
  write_line(w, 0, "struct %s_node {", role);
  write_line(w, 2, "struct %s_params params;", protocol);
  if (role_has_state(w))
    write_line(w, 2, "struct %s self;", plain(w, role));
  if (role_is_family(w))
    write_line(w, 2, "int32_t i;");
  if (role_sends(w))
    write_line(w, 2, "struct %s_sends out;", role);
  if (role_takes_turns(w->plan))
    write_line(w, 2, "enum %s_action turn; /* whose it was of the node's own */", role);
  write_rest_members(w);
  write_hold_members(w);
  write_line(w, 0, "};");
  write_line(w, 0, "%s", "");
  write_line(w, 0, "/* The constraint of the file that the parameters break, or NULL. */");
  write_line(w, 0, "const char *%s_%s_wrong(const void *node);", protocol, role);
  write_line(w, 0, "%s", "");
  write_line(w, 0, "extern const struct tp_role %s_%s_role;", protocol, role);
  begin_section(w, "end of file");
  write_linkage_end(w);
  write_line(w, 0, "%s", "");
  write_line(w, 0, "#endif");
}

/* --- tables ----------------------------------------------------------------------------------- */

/* As the recorder has it: "node.Grant", "replica.idle.SLOT". */
static const char *recorded_name(struct code_writer *w, const struct action *action) {
  if (!action->idle)
    return action->name;
  return kept_text(w, "%s.idle.%s", action->role->name,
                   action->schedule->slots[action->slot]->name);
}

static void write_action_table(struct code_writer *w) {
  if (w->plan->actions.count == 0)
    return;
  write_line(w, 0, "%s", "");
  write_line(w, 0, "static const struct tp_action actions[] = {");
  for (size_t i = 0; i < w->plan->actions.count; i++) {
    const struct plan_action *action = &w->plan->actions.data[i];
    if (action->action->cost_count == 0 || has_parts(action->action))
      write_line(w, 4, "[%s] = {\"%s\", NULL},", action_number(w, action),
                 recorded_name(w, action->action));
    else
      write_line(w, 4, "[%s] = {\"%s\", \"%s\"},", action_number(w, action),
                 recorded_name(w, action->action), action->action->costs[0]->component->name);
  }
  write_line(w, 0, "};");
}

static void write_roles(struct code_writer *w) {
  const struct model *model = w->context->model;
  write_line(w, 0, "%s", "");
  put(w, "static const char *const roles[] = {");
  for (size_t i = 0; i < model->roles.count; i++) {
    put(w, "\"%s\"", model->roles.items[i]->name);
    if (i + 1 < model->roles.count)
      put_break(w, ",", 1);
  }
  put(w, "};");
  end_line(w, 0, 4);
}

/* "const struct node_node *n = node;" */
static void write_node(struct code_writer *w, bool constant) {
  write_line(w, 2, "%sstruct %s_node *n = node;", constant ? "const " : "", w->plan->role->name);
}

static void write_count(struct code_writer *w) {
  const struct model *model = w->context->model;
  bool family = false;
  for (size_t i = 0; i < model->roles.count; i++)
    family = family || model->roles.items[i]->count != NULL;
  write_line(w, 0, "%s", "");
  write_line(w, 0, "static int32_t count(const void *node, int32_t role) {");
  if (family)
    write_node(w, true);
  else
    write_line(w, 2, "(void)node, (void)role;");
  w->params = "&n->params";
  for (size_t i = 0; i < model->roles.count; i++) {
    if (model->roles.items[i]->count == NULL)
      continue;
    write_line(w, 2, "if (role == %zu)", i);
    put(w, "return ");
    put_count(w, model->roles.items[i]);
    put(w, ";");
    end_line(w, 4, 8);
  }
  w->params = "params";
  write_line(w, 2, "return 1;");
  write_line(w, 0, "}");
}

/* A number of all parameters and constants. */
static void write_digest(struct code_writer *w) {
  const struct model *model = w->context->model;
  write_line(w, 0, "%s", "");
  write_line(w, 0, "static uint64_t digest(const void *node) {");
  write_node(w, true);
  write_line(w, 2, "uint64_t d = 0;");
  for (size_t i = 0; i < model->params.count; i++)
    write_line(w, 2, "d = d * 1000003 + (uint64_t)n->params.%s;",
               plain(w, model->params.items[i]->name));
  for (size_t i = 0; i < model->components.count; i++)
    if (model->components.items[i]->kind == COMPONENT_CONSTANT)
      write_line(w, 2, "d = d * 1000003 + (uint64_t)n->params.%s;",
                 plain(w, model->components.items[i]->name));
  write_line(w, 2, "(void)n;");
  write_line(w, 2, "return d;");
  write_line(w, 0, "}");
}

/* An `if` for each constraint. */
static void write_constraints(struct code_writer *w) {
  const struct model *model = w->context->model;
  w->dialect = DIALECT_C;
  for (size_t i = 0; i < model->assumptions.count; i++) {
    const struct assumption *assumption = model->assumptions.items[i];
    if (!is_of_parameters(assumption->formula))
      continue;
    put(w, "if (");
    put_truth(w, assumption->formula, true, LEVEL_OPEN);
    put(w, ")");
    end_line(w, 2, 6);
    write_line(w, 4, "return \"%s\";", assumption->text);
  }
  for (size_t i = 0; i < model->roles.count; i++) {
    const struct role *role = model->roles.items[i];
    if (role->count == NULL)
      continue;
    put(w, "if (");
    put_count(w, role);
    put(w, " < 1 || ");
    put_count(w, role);
    put(w, " > TP_NODES)");
    end_line(w, 2, 6);
    write_line(w, 4, "return \"1 to 64 nodes of role %s\";", role->name);
  }
}

static void write_wrong(struct code_writer *w) {
  struct text body, *out = w->out;
  text_init(&body);
  w->out = &body;
  write_constraints(w);
  w->out = out;
  write_line(w, 0, "%s", "");
  write_line(w, 0, "const char *%s_%s_wrong(const void *node) {", protocol_name(w),
             w->plan->role->name);
  if (body.length != 0) {
    write_line(w, 2, "const struct %s_params *params = &((const struct %s_node *)node)->params;",
               protocol_name(w), w->plan->role->name);
    text_append(w->out, text_get(&body));
  } else {
    write_line(w, 2, "(void)node;");
  }
  write_line(w, 2, "return NULL;");
  write_line(w, 0, "}");
  text_clear(&body);
}

/* --- steps ------------------------------------------------------------------------------------ */

static void write_begin(struct code_writer *w) {
  write_line(w, 0, "%s", "");
  write_line(w, 0, "static void begin(void *node) {");
  const bool turns = role_takes_turns(w->plan);
  if (role_has_state(w) || turns || role_is_limited(w->plan) || role_holds(w->plan))
    write_node(w, false);
  else
    write_line(w, 2, "(void)node;");
  if (role_has_state(w))
    write_line(w, 2, "%s_init(&n->self, &n->params%s);", w->plan->role->name,
               role_is_family(w) ? ", n->i" : "");
  if (turns)
    write_line(w, 2, "n->turn = %s;",
               action_number(w, &w->plan->actions.data[w->plan->actions.count - 1]));
  for (size_t i = 0; i < w->context->model->messages.count; i++)
    if (is_limited(w->plan, w->context->model->messages.items[i]) ||
        is_held(w->plan, w->context->model->messages.items[i]))
      write_line(w, 2, "n->next_%s = 0;", w->context->model->messages.items[i]->name);
  write_line(w, 0, "}");
}

/* The call of a dispatcher. */
static void write_call(struct code_writer *w, bool take) {
  const char *role = w->plan->role->name;
  write_line(w, 0, "%s", "");
  write_line(w, 0, "static enum tp_verdict %s {",
             take ? "take(void *node, const struct tp_message *m, int64_t now, struct tp_taken "
                    "*taken)"
                  : "act(void *node, int64_t now, struct tp_taken *taken)");
  if (take ? !role_receives(w->plan) : !role_acts(w->plan)) {
    write_line(w, 2, "(void)node, %s(void)now, (void)taken;", take ? "(void)m, " : "");
    write_line(w, 2, "return TP_DISABLED;");
  } else {
    const bool turns = !take && role_takes_turns(w->plan);
    const bool parts = dispatch_has_parts(w->plan, take), state = parts && role_has_state(w);
    const char *action = turns ? "n->turn" : "action";
    const bool timed = dispatch_needs_time(w->plan, take ? DISPATCH_TAKE : DISPATCH_OWN);
    write_node(w, false);
    if (!timed)
      write_line(w, 2, "(void)now;");
    if (!turns)
      write_line(w, 2, "enum %s_action action;", role);
    if (state)
      write_line(w, 2, "const struct %s before = n->self;", plain(w, role));
    put(w, "enum tp_verdict verdict = %s_%s(%s&n->params", role, take ? "take" : "act",
        role_has_state(w) ? "&n->self, " : "");
    put(w, "%s%s%s, &%s%s);", role_is_family(w) ? ", n->i" : "", timed ? ", now" : "",
        role_sends(w) ? ", &n->out" : "", action, take ? ", m" : "");
    end_line(w, 2, 6);
    write_line(w, 2, parts ? "if (verdict == TP_DONE) {" : "if (verdict == TP_DONE)");
    write_line(w, 4, "taken->action = (int32_t)%s;", action);
    if (parts) {
      put(w, "taken->part_count = charge(taken->parts, n, %s%s, %s);", state ? "&before, " : "",
          action, take ? "m" : "NULL");
      end_line(w, 4, 8);
      write_line(w, 2, "}");
    }
    write_line(w, 2, "return verdict;");
  }
  write_line(w, 0, "}");
}

void put_guards(struct code_writer *w, const struct action *action, size_t indent) {
  if (action->guard_count == 0)
    return;
  put(w, "if (");
  for (size_t i = 0; i < action->guard_count; i++) {
    if (i != 0)
      put_break(w, " &&", 1);
    put_truth(w, action->guards[i], false, action->guard_count == 1 ? LEVEL_OPEN : LEVEL_AND);
  }
  put(w, ")");
  end_line(w, indent, indent + 4);
}

/* When a timer passes whose action is enabled but for it. */
static void write_timer(struct code_writer *w, const struct plan_action *action) {
  const struct action *a = action->action;
  const bool guarded = a->guard_count != 0;
  const size_t indent = role_is_family(w) ? 4 : 2;
  if (role_is_family(w)) {
    write_line(w, 2, "{");
    write_line(w, 4, "const int32_t %s = n->i;", plain(w, a->node->name));
    write_line(w, 4, "(void)%s;", plain(w, a->node->name));
  }
  put_guards(w, a, indent);
  put(w, "due = tp_earlier(due, ");
  put_value(w, a->timer, LEVEL_OPEN);
  put(w, ");");
  end_line(w, guarded ? indent + 2 : indent, indent + 6);
  if (role_is_family(w))
    write_line(w, 2, "}");
}

static void write_due(struct code_writer *w) {
  const char *role = w->plan->role->name;
  write_line(w, 0, "%s", "");
  write_line(w, 0, "static int64_t due(const void *node) {");
  write_node(w, true);
  if (role_has_state(w))
    write_line(w, 2, "const struct %s *self = &n->self;", plain(w, role));
  write_line(w, 2, "const struct %s_params *params = &n->params;", protocol_name(w));
  write_line(w, 2, "int64_t due = INT64_MAX;");
  write_line(w, 2, role_has_state(w) ? "(void)self, (void)params;" : "(void)params;");
  for (size_t i = 0; i < w->plan->actions.count; i++)
    if (w->plan->actions.data[i].action->timer != NULL)
      write_timer(w, &w->plan->actions.data[i]);
  write_line(w, 2, "return due;");
  write_line(w, 0, "}");
}

static void write_valid(struct code_writer *w) {
  write_line(w, 0, "%s", "");
  write_line(w, 0, "static bool valid(const void *node, const struct tp_message *m) {");
  write_node(w, true);
  write_line(w, 2, "return %s_message_valid(m, &n->params);", protocol_name(w));
  write_line(w, 0, "}");
}

/* One message, k being the varying field. */
static void write_drained(struct code_writer *w, const struct plan_message *send) {
  const struct message *message = send->message;
  const char *name = send_name(w, send), *self = role_is_family(w) ? "n->i" : "0";
  const bool one = send->varying < 0;
  if (one)
    write_line(w, 2, "if (n->out.%s) {", name);
  else
    write_line(w, 2, "for (int32_t k = 0; k < TP_NODES; k++) {");
  if (!one) {
    write_line(w, 4, "if (!tp_set_has(n->out.%s, k))", name);
    write_line(w, 6, "continue;");
  }
  put(w, "const struct tp_message m = {.kind = %s_%s", w->context->model->name, message->name);
  for (size_t i = 0; i < message->field_count; i++) {
    put_break(w, ",", 0);
    put(w, ".field[%zu] = ", i);
    if ((int)i == send->varying)
      put(w, "k");
    else if ((int)i == message->sender_field)
      put(w, "%s", self);
    else
      put(w, "(int32_t)n->out.%s_%s", name, message->fields[i].name);
  }
  put(w, "};");
  end_line(w, 4, 8);
  put(w, "tp_loop_send(loop, &m, ");
  if (send_has_to(send))
    put(w, "n->out.%s_%s", name, receiver_name(send));
  else if (message->receiver_field < 0)
    put(w, "0");
  else
    put(w, "m.field[%d]", message->receiver_field);
  put(w, ");");
  end_line(w, 4, 8);
  write_line(w, 2, "}");
}

static void write_drain(struct code_writer *w) {
  write_line(w, 0, "%s", "");
  write_line(w, 0, "static void drain(const void *node, struct tp_loop *loop) {");
  write_node(w, true);
  for (size_t i = 0; i < w->plan->sends.count; i++)
    write_drained(w, &w->plan->sends.data[i]);
  write_line(w, 0, "}");
}

/* Whether times count from the beginning. */
static bool is_dated(const struct model *model) {
  for (size_t i = 0; i < model->actions.count; i++)
    if (model->actions.items[i]->timer != NULL || model->actions.items[i]->read != NULL)
      return true;
  return false;
}

static bool is_timed(const struct model *model) {
  for (size_t i = 0; i < model->actions.count; i++)
    if (rests(model->actions.items[i]))
      return true;
  for (size_t i = 0; i < model->messages.count; i++)
    if (model->messages.items[i]->pacer != NULL)
      return true;
  return is_dated(model);
}

static bool has_schedule(const struct plan_role *plan) {
  for (size_t i = 0; i < plan->actions.count; i++)
    if (plan->actions.data[i].action->schedule != NULL)
      return true;
  return false;
}

/* `parts`: how many components are parts of costs. */
static void write_role_table(struct code_writer *w, size_t parts) {
  const struct model *model = w->context->model;
  const char *protocol = protocol_name(w), *role = w->plan->role->name;
  const size_t priorities = role_priorities(model, w->plan->role);
  write_line(w, 0, "%s", "");
  write_line(w, 0, "const struct tp_role %s_%s_role = {", protocol, role);
  write_line(w, 4, ".protocol = \"%s\",", model->name);
  write_line(w, 4, ".roles = roles,");
  write_line(w, 4, ".role_count = %zu,", model->roles.count);
  write_line(w, 4, ".role = %zu,", w->plan->role->id);
  if (w->plan->actions.count != 0)
    write_line(w, 4, ".actions = actions,");
  write_line(w, 4, ".kinds = kinds,");
  write_line(w, 4, ".action_count = %zu,", w->plan->actions.count);
  write_line(w, 4, ".kind_count = %zu,", model->messages.count);
  if (parts != 0) {
    write_line(w, 4, ".components = components,");
    write_line(w, 4, ".component_count = %zu,", parts);
  }
  if (priorities != 0)
    write_line(w, 4, ".priorities = %zu,", priorities);
  if (model->queueing != NULL)
    write_line(w, 4, ".queueing = \"%s\",", model->queueing->name);
  if (model->timing == TIMING_ADVANCED)
    write_line(w, 4, ".advanced = true,");
  write_line(w, 4, ".begin = begin,");
  write_line(w, 4, ".valid = valid,");
  write_line(w, 4, ".take = take,");
  write_line(w, 4, ".act = act,");
  if (role_has_timers(w->plan))
    write_line(w, 4, ".due = due,");
  if (role_rests(w->plan)) {
    write_line(w, 4, ".rests = rests,");
    write_line(w, 4, ".wake = wake,");
  }
  if (has_schedule(w->plan))
    write_line(w, 4, ".scheduled = true,");
  if (role_rests(w->plan) && role_is_limited(w->plan))
    write_line(w, 4, ".pass = pass,");
  if (role_holds(w->plan))
    write_line(w, 4, ".release = release,");
  if (is_timed(model))
    write_line(w, 4, ".timed = true,");
  if (is_dated(model))
    write_line(w, 4, ".dated = true,");
  if (role_sends(w))
    write_line(w, 4, ".drain = drain,");
  write_line(w, 4, ".count = count,");
  write_line(w, 4, ".digest = digest,");
  write_line(w, 0, "};");
}

void write_loop_body(struct code_writer *w) {
  const char *protocol = protocol_name(w), *role = w->plan->role->name;
  w->dialect = DIALECT_C;
  write_line(w, 0, "#include \"%s_%s_loop.h\"", protocol, role);
  if (!role_receives(w->plan))
    write_line(w, 0, "#include \"%s_message.h\"", protocol);
  write_roles(w);
  write_action_table(w);
  write_kind_table(w);
  write_count(w);
  write_digest(w);
  write_wrong(w);
  write_begin(w);
  write_valid(w);
  const size_t parts = role_has_parts(w->plan) ? write_part_names(w) : 0;
  if (parts != 0)
    write_parts(w);
  write_call(w, true);
  write_call(w, false);
  if (role_has_timers(w->plan))
    write_due(w);
  if (role_rests(w->plan))
    write_resting(w);
  if (role_holds(w->plan))
    write_release(w);
  if (role_sends(w))
    write_drain(w);
  write_role_table(w, parts);
}
