/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a node does when it has rested: actions on timeouts, at any time, and idle slots; and the
 * limits on arrivals, which such actions keep (loop.h).
 */
#include "generate/loop.h"

#include <string.h>

#include "generate/step.h"

bool rests(const struct action *action) {
  return action->timeout != NULL || action->idle;
}

bool role_rests(const struct plan_role *plan) {
  for (size_t i = 0; i < plan->actions.count; i++)
    if (rests(plan->actions.data[i].action))
      return true;
  return false;
}

/* --- how long --------------------------------------------------------------------------------- */

const char *rest_member(struct code_writer *w, const struct action *action) {
  if (action->timeout == NULL)
    return NULL;
  if (action->timeout != w->context->model->any_time)
    return kept_text(w, "timeout_%s", action->timeout->name);
  const char *name = action->name; /* "client.Ask" */
  return kept_text(w, "rest_%s", name + strlen(action->role->name) + 1);
}

const char *rest_name(const struct model *model, const struct action *action) {
  return action->timeout == model->any_time ? action->name : action->timeout->name;
}

bool is_first_rest(const struct model *model, const struct action *action) {
  if (action->timeout == NULL)
    return false;
  for (size_t i = 0; i < action->id && action->timeout != model->any_time; i++)
    if (model->actions.items[i]->timeout == action->timeout &&
        model->actions.items[i]->role == action->role)
      return false;
  return true;
}

void write_rest_members(struct code_writer *w) {
  const struct model *model = w->context->model;
  for (size_t i = 0; i < w->plan->actions.count; i++) {
    const struct action *action = w->plan->actions.data[i].action;
    if (!is_first_rest(model, action))
      continue;
    if (action->timeout == model->any_time)
      write_line(w, 2, "int64_t %s; /* ns between the step before and %s */",
                 rest_member(w, action), w->plan->actions.data[i].name);
    else
      write_line(w, 2, "int64_t %s; /* ns, how long the node waits */", rest_member(w, action));
  }
  for (size_t i = 0; i < model->messages.count; i++)
    if (is_limited(w->plan, model->messages.items[i]))
      write_line(w, 2, "int64_t next_%s; /* ns, when the next one of many would be on time */",
                 model->messages.items[i]->name);
}

/* --- limits on arrivals ----------------------------------------------------------------------- */

bool is_limited(const struct plan_role *plan, const struct message *message) {
  return message->pacer != NULL && !message->pacer->holds && message->sender == plan->role;
}

bool role_is_limited(const struct plan_role *plan) {
  for (size_t i = 0; i < plan->sends.count; i++)
    if (is_limited(plan, plan->sends.data[i].message))
      return true;
  return false;
}

void refuse_limited(struct plan_context *context, const struct plan_role *plan,
                    const struct plan_action *action) {
  for (size_t i = 0; i < action->effect.sends.count; i++) {
    const struct effect_send *send = &action->effect.sends.data[i];
    const struct message *message = send->statement->message;
    if (!is_limited(plan, message))
      continue;
    if (action->action->timeout == NULL)
      plan_refuse(context, action->action->span,
                  "this step sends %s, whose arrivals have a limit, and a loop holds back only "
                  "steps `on timeout` or `at any time` to keep to it: let one of these send it, or "
                  "leave --loop away and call the steps",
                  message->name);
    else if (send->number != 0)
      plan_refuse(context, action->action->span,
                  "this step sends %s, whose arrivals have a limit, in two places, and a loop "
                  "holds it back for one: let two steps send them, or leave --loop away and call "
                  "the steps",
                  message->name);
  }
}

/* A line for each limit that the action keeps: it starts no earlier. */
static void write_limits(struct code_writer *w, const struct plan_action *action) {
  for (size_t i = 0; i < action->effect.sends.count; i++) {
    const struct message *message = action->effect.sends.data[i].statement->message;
    if (!is_limited(w->plan, message))
      continue;
    put(w, "start = tp_later(start, n->next_%s - limit_%s(&n->params));", message->name,
        message->name);
    end_line(w, 2, 6);
  }
}

/* In ns, at most TP_TIME_MAX. */
static void put_limit(struct code_writer *w, const struct term *tolerance) {
  if (tolerance->kind != TERM_MUL) {
    put_value(w, tolerance, LEVEL_OPEN);
    return;
  }
  put(w, "tp_product(");
  put_wide(w, tolerance->args[0], LEVEL_OPEN);
  put(w, ", ");
  put_value(w, tolerance->args[1], LEVEL_OPEN);
  put(w, ")");
}

void write_pacer(struct code_writer *w, const struct message *message) {
  write_line(w, 0, "%s", "");
  write_line(w, 0, "/* %s %s %s: how much too early one may be. */",
             message->pacer->holds ? "paced" : "arrivals", message->name, message->pacer->text);
  write_line(w, 0, "static int64_t limit_%s(const struct %s_params *params) {", message->name,
             protocol_name(w));
  write_line(w, 2, "(void)params;");
  put(w, "return ");
  put_limit(w, message->pacer->tolerance);
  put(w, ";");
  end_line(w, 2, 6);
  write_line(w, 0, "}");
}

/* What was sent by a step that ended. */
static void write_pass(struct code_writer *w) {
  write_line(w, 0, "%s", "");
  write_line(w, 0, "static void pass(void *node, int64_t end) {");
  write_line(w, 2, "struct %s_node *n = node;", w->plan->role->name);
  write_line(w, 2, "const struct %s_params *params = &n->params;", protocol_name(w));
  write_line(w, 2, "(void)params;");
  for (size_t i = 0; i < w->plan->sends.count; i++) {
    const struct message *message = w->plan->sends.data[i].message;
    if (!is_limited(w->plan, message) || w->plan->sends.data[i].number != 0)
      continue;
    write_line(w, 2, "if (n->out.%s)", message->name);
    put(w, "n->next_%s = tp_later(n->next_%s, end) + ", message->name, message->name);
    put_value(w, message->pacer->every, LEVEL_SUM);
    put(w, ";");
    end_line(w, 4, 8);
  }
  write_line(w, 0, "}");
}

/* --- steps ------------------------------------------------------------------------------------ */

/* When the action starts, of a node that is free at `free`. */
static void write_start(struct code_writer *w, const struct plan_action *action) {
  const char *member = rest_member(w, action->action);
  write_line(w, 0, "%s", "");
  write_line(w, 0, "static int64_t start_%s(const struct %s_node *n, int64_t free) {", action->name,
             w->plan->role->name);
  if (member == NULL) {
    write_line(w, 2, "(void)n;");
    write_line(w, 2, "return free;");
  } else {
    write_line(w, 2, "int64_t start = free + n->%s;", member);
    write_limits(w, action);
    write_line(w, 2, "return start;");
  }
  write_line(w, 0, "}");
}

static void write_rest(struct code_writer *w, const struct plan_action *action) {
  const struct action *a = action->action;
  write_line(w, 2, "{");
  write_line(w, 4, "const int64_t start = start_%s(n, free);", action->name);
  if (role_is_family(w)) {
    write_line(w, 4, "const int32_t %s = n->i;", plain(w, a->node->name));
    write_line(w, 4, "(void)%s;", plain(w, a->node->name));
  }
  if (a->read != NULL) {
    write_line(w, 4, "const int64_t %s = start;", plain(w, a->read->name));
    write_line(w, 4, "(void)%s;", plain(w, a->read->name));
  }
  put_guards(w, a, 4);
  write_line(w, a->guard_count != 0 ? 6 : 4, "due = tp_earlier(due, start);");
  write_line(w, 2, "}");
}

static void write_rests(struct code_writer *w) {
  const char *role = w->plan->role->name;
  write_line(w, 0, "%s", "");
  write_line(w, 0, "static int64_t rests(const void *node, int64_t free) {");
  write_line(w, 2, "const struct %s_node *n = node;", role);
  if (role_has_state(w))
    write_line(w, 2, "const struct %s *self = &n->self;", plain(w, role));
  write_line(w, 2, "const struct %s_params *params = &n->params;", protocol_name(w));
  write_line(w, 2, "int64_t due = INT64_MAX;");
  write_line(w, 2, role_has_state(w) ? "(void)self, (void)params;" : "(void)params;");
  for (size_t i = 0; i < w->plan->actions.count; i++)
    if (rests(w->plan->actions.data[i].action))
      write_rest(w, &w->plan->actions.data[i]);
  write_line(w, 2, "return due;");
  write_line(w, 0, "}");
}

static void write_woken(struct code_writer *w, const struct plan_action *action) {
  const struct action *a = action->action;
  const char *role = w->plan->role->name;
  const bool parts = has_parts(a), state = parts && role_has_state(w);
  write_line(w, 2, "if (start_%s(n, free) <= now) {", action->name);
  if (state)
    write_line(w, 4, "const struct %s before = n->self;", plain(w, role));
  put(w, "enum tp_verdict verdict = %s_%s(%s&n->params%s%s%s);", role, action->name,
      role_has_state(w) ? "&n->self, " : "", role_is_family(w) ? ", n->i" : "",
      role_sends(w) ? ", &n->out" : "", a->read != NULL ? ", now" : "");
  end_line(w, 4, 8);
  write_line(w, 4, parts ? "if (verdict == TP_DONE) {" : "if (verdict == TP_DONE)");
  write_line(w, 6, "taken->action = (int32_t)%s;", action_number(w, action));
  if (parts) {
    put(w, "taken->part_count = charge(taken->parts, n, %s%s, NULL);", state ? "&before, " : "",
        action_number(w, action));
    end_line(w, 6, 10);
    write_line(w, 4, "}");
  }
  write_line(w, 4, "if (verdict != TP_DISABLED)");
  write_line(w, 6, "return verdict;");
  write_line(w, 2, "}");
}

static void write_wake(struct code_writer *w) {
  write_line(w, 0, "%s", "");
  write_line(w, 0,
             "static enum tp_verdict wake(void *node, int64_t free, int64_t now, struct tp_taken "
             "*taken) {");
  write_line(w, 2, "struct %s_node *n = node;", w->plan->role->name);
  for (size_t i = 0; i < w->plan->actions.count; i++)
    if (rests(w->plan->actions.data[i].action))
      write_woken(w, &w->plan->actions.data[i]);
  write_line(w, 2, "return TP_DISABLED;");
  write_line(w, 0, "}");
}

void write_resting(struct code_writer *w) {
  const struct model *model = w->context->model;
  w->dialect = DIALECT_C;
  for (size_t i = 0; i < model->messages.count; i++)
    if (role_is_limited(w->plan) && is_limited(w->plan, model->messages.items[i]))
      write_pacer(w, model->messages.items[i]);
  for (size_t i = 0; i < w->plan->actions.count; i++)
    if (rests(w->plan->actions.data[i].action))
      write_start(w, &w->plan->actions.data[i]);
  write_rests(w);
  write_wake(w);
  if (role_is_limited(w->plan))
    write_pass(w);
}
