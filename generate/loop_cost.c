/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a step charges where that is not one component: for the loop, which records each part
 * (loop.h).
 */
#include <string.h>

#include "generate/step.h"
#include "generate/loop.h"
#include "generate/range.h"

/* What a cost is a batch of, or NULL. */
static const struct variable *batch_of(const struct action *action, size_t cost) {
  return action->batches == NULL ? NULL : action->batches[cost];
}

bool has_parts(const struct action *action) {
  return action->cost_count > 1 ||
         (action->cost_count == 1 && action->conditions != NULL && action->conditions[0] != NULL) ||
         (action->cost_count == 1 && batch_of(action, 0) != NULL);
}

bool dispatch_has_parts(const struct plan_role *plan, bool messages) {
  for (size_t i = 0; i < plan->actions.count; i++) {
    const struct action *action = plan->actions.data[i].action;
    if (has_parts(action) && (action->message != NULL) == messages)
      return true;
  }
  return false;
}

bool role_has_parts(const struct plan_role *plan) {
  return dispatch_has_parts(plan, true) || dispatch_has_parts(plan, false);
}

void refuse_parts(struct plan_context *context, const struct action *action) {
  size_t most = 0;
  for (size_t i = 0; i < action->cost_count; i++) {
    const struct variable *batch = batch_of(action, i);
    if (batch != NULL && batch->domain == DOMAIN_RANGE)
      plan_refuse(context, action->span,
                  "this step costs a batch of a range, whose members may be more than a loop has "
                  "place for: let it be one of a role or a set, or leave --loop away, call the "
                  "steps and record them yourself");
    most += batch != NULL ? RANGE_NODES : 1;
  }
  for (size_t i = 0; i < action->cost_count; i++)
    if (action->costs[i]->component->index_count > ARGUMENTS_MOST)
      plan_refuse(context, action->span, "a component has at most %d indices where it is recorded",
                  ARGUMENTS_MOST);
  if (most > COST_PARTS_MOST)
    plan_refuse(context, action->span,
                "a loop records a cost of at most %d components, of which a batch may be %d: leave "
                "--loop away and call the steps",
                COST_PARTS_MOST, RANGE_NODES);
}

/* --- components ------------------------------------------------------------------------------- */

/* Whether the component is one of the costs before this one, of an action up to this. */
static bool is_listed(const struct code_writer *w, size_t action, size_t cost,
                      const struct component *component) {
  for (size_t i = 0; i <= action; i++) {
    const struct action *a = w->plan->actions.data[i].action;
    for (size_t j = 0; has_parts(a) && j < (i == action ? cost : a->cost_count); j++)
      if (a->costs[j]->component == component)
        return true;
  }
  return false;
}

size_t write_part_names(struct code_writer *w) {
  size_t count = 0;
  write_line(w, 0, "%s", "");
  put(w, "static const char *const components[] = {");
  for (size_t i = 0; i < w->plan->actions.count; i++) {
    const struct action *action = w->plan->actions.data[i].action;
    for (size_t j = 0; has_parts(action) && j < action->cost_count; j++) {
      const struct component *component = action->costs[j]->component;
      if (is_listed(w, i, j, component))
        continue;
      if (count++ != 0)
        put_break(w, ",", 1);
      put(w, "\"%s\"", component->name);
    }
  }
  put(w, "};");
  end_line(w, 0, 4);
  return count;
}

/* Its place among the names. */
static size_t number_of(const struct code_writer *w, const struct component *component) {
  size_t count = 0;
  for (size_t i = 0; i < w->plan->actions.count; i++) {
    const struct action *action = w->plan->actions.data[i].action;
    for (size_t j = 0; has_parts(action) && j < action->cost_count; j++) {
      if (action->costs[j]->component == component)
        return count;
      count += !is_listed(w, i, j, action->costs[j]->component);
    }
  }
  return count;
}

/* --- parts ------------------------------------------------------------------------------------ */

/* The heads of what a part stands in: the condition, and the loop over a batch. How far in it is.
 */
static size_t write_part_heads(struct code_writer *w, const struct action *action, size_t cost) {
  const struct term *when = action->conditions == NULL ? NULL : action->conditions[cost];
  const struct variable *batch = batch_of(action, cost);
  size_t indent = 2;
  if (when != NULL) {
    put(w, "if (");
    put_truth(w, when, false, LEVEL_OPEN);
    put(w, ")");
    end_line(w, indent, indent + 4);
    indent += 2;
  }
  if (batch == NULL || batch->domain == DOMAIN_RANGE) /* which is refused */
    return indent;
  const char *name = plain(w, batch->name);
  put(w, "for (int32_t %s = 0; %s < ", name, name);
  put_count(w, batch->type.role);
  put(w, "; %s++)", name);
  end_line(w, indent, indent + 4);
  indent += 2;
  if (batch->domain == DOMAIN_SET) {
    put(w, "if (tp_set_has(");
    put_value(w, batch->set, LEVEL_OPEN);
    put(w, ", %s))", name);
    end_line(w, indent, indent + 4);
    indent += 2;
  }
  return indent;
}

static void write_part(struct code_writer *w, const struct action *action, size_t cost) {
  const struct term *charged = action->costs[cost];
  const size_t indent = write_part_heads(w, action, cost);
  put(w, "parts[count++] = (struct tp_part){.component = %zu", number_of(w, charged->component));
  if (charged->component->index_count != 0) {
    put_break(w, ",", 0);
    put(w, ".indices = %zu", charged->component->index_count);
    put_break(w, ",", 0);
    put(w, ".index = {");
    for (size_t i = 0; i < charged->component->index_count; i++) {
      if (i != 0)
        put_break(w, ",", 1);
      const bool computed = charged->args[i]->kind != TERM_VARIABLE;
      put(w, computed ? "(int32_t)(" : "");
      put_wide(w, charged->args[i], LEVEL_OPEN);
      put(w, computed ? ")" : "");
    }
    put(w, "}");
  }
  put(w, "};");
  end_line(w, indent, indent + 4);
}

/* "const struct follower *self, const struct raft_params *params, int32_t r" */
static void put_parameters(struct code_writer *w, const struct plan_action *action) {
  if (role_has_state(w)) {
    put(w, "const struct %s *self,", plain(w, w->plan->role->name));
    layout_break(&w->line, 2);
  }
  put(w, "const struct %s_params *params", protocol_name(w));
  if (role_is_family(w)) {
    put_break(w, ",", 2);
    put(w, "int32_t %s", plain(w, action->action->node->name));
  }
  for (size_t i = 0; i < action->field_count; i++) {
    put_break(w, ",", 2);
    put(w, "%s %s", type_name(w, &action->fields[i]->type), plain(w, action->fields[i]->name));
  }
}

static void write_parts_of(struct code_writer *w, const struct plan_action *action) {
  struct text body, *out = w->out;
  text_init(&body);
  w->out = &body;
  for (size_t i = 0; i < action->action->cost_count; i++)
    write_part(w, action->action, i);
  w->out = out;
  write_line(w, 0, "%s", "");
  put(w, "static int32_t %s_parts(struct tp_part *parts,", action->name);
  layout_break(&w->line, 2);
  put_parameters(w, action);
  put(w, ") {");
  end_line(w, 0, (size_t)(strchr(text_get(&w->line), '(') - text_get(&w->line)) + 1);
  if (role_has_state(w))
    put_unused(w, text_get(&body), "self");
  put_unused(w, text_get(&body), "params");
  if (role_is_family(w))
    put_unused(w, text_get(&body), plain(w, action->action->node->name));
  for (size_t i = 0; i < action->field_count; i++)
    put_unused(w, text_get(&body), plain(w, action->fields[i]->name));
  end_unused(w);
  write_line(w, 2, "int32_t count = 0;");
  text_append(w->out, text_get(&body));
  write_line(w, 2, "return count;");
  write_line(w, 0, "}");
  text_clear(&body);
}

/* The parts of the step, over the state before it. */
static void write_charge(struct code_writer *w) {
  const char *role = w->plan->role->name;
  write_line(w, 0, "%s", "");
  put(w, "static int32_t charge(struct tp_part *parts,");
  layout_break(&w->line, 2);
  put(w, "const struct %s_node *n,", role);
  layout_break(&w->line, 2);
  if (role_has_state(w)) {
    put(w, "const struct %s *self,", plain(w, role));
    layout_break(&w->line, 2);
  }
  put(w, "enum %s_action action,", role);
  layout_break(&w->line, 2);
  put(w, "const struct tp_message *m) {");
  end_line(w, 0, strlen("static int32_t charge("));
  write_line(w, 2, "(void)m;");
  write_line(w, 2, "switch (action) {");
  for (size_t i = 0; i < w->plan->actions.count; i++) {
    const struct plan_action *action = &w->plan->actions.data[i];
    if (!has_parts(action->action))
      continue;
    write_line(w, 2, "case %s:", action_number(w, action));
    put(w, "return %s_parts(parts, %s&n->params%s", action->name, role_has_state(w) ? "self, " : "",
        role_is_family(w) ? ", n->i" : "");
    for (size_t j = 0; j < action->field_count; j++) {
      put_break(w, ",", 1);
      put_field_argument(w, action, j);
    }
    put(w, ");");
    end_line(w, 4, 8);
  }
  write_line(w, 2, "default:");
  write_line(w, 4, "return 0;");
  write_line(w, 2, "}");
  write_line(w, 0, "}");
}

void write_parts(struct code_writer *w) {
  w->dialect = DIALECT_C;
  for (size_t i = 0; i < w->plan->actions.count; i++)
    if (has_parts(w->plan->actions.data[i].action))
      write_parts_of(w, &w->plan->actions.data[i]);
  write_charge(w);
}
