/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Messages that wait for their pacer (`paced`): when the loop lets them leave (loop.h).
 */
#include "generate/loop.h"

#include "generate/step.h"

bool is_held(const struct plan_role *plan, const struct message *message) {
  return message->pacer != NULL && message->pacer->holds && message->sender == plan->role;
}

bool role_holds(const struct plan_role *plan) {
  for (size_t i = 0; i < plan->sends.count; i++)
    if (is_held(plan, plan->sends.data[i].message))
      return true;
  return false;
}

void write_hold_members(struct code_writer *w) {
  const struct model *model = w->context->model;
  for (size_t i = 0; i < model->messages.count; i++)
    if (is_held(w->plan, model->messages.items[i]))
      write_line(w, 2,
                 "int64_t next_%s; /* ns, when the bucket has one token, had it room for one */",
                 model->messages.items[i]->name);
}

static void write_held(struct code_writer *w, const struct message *message) {
  const char *name = message->name;
  write_line(w, 2, "if (kind == %s_%s) {", w->context->model->name, name);
  write_line(w, 4, "left = tp_later(end, n->next_%s - limit_%s(params));", name, name);
  put(w, "n->next_%s = tp_sum(tp_later(n->next_%s, end), ", name, name);
  put_value(w, message->pacer->every, LEVEL_OPEN);
  put(w, ");");
  end_line(w, 4, 8);
  write_line(w, 2, "}");
}

void write_release(struct code_writer *w) {
  const struct model *model = w->context->model;
  w->dialect = DIALECT_C;
  for (size_t i = 0; i < model->messages.count; i++)
    if (is_held(w->plan, model->messages.items[i]))
      write_pacer(w, model->messages.items[i]);
  write_line(w, 0, "%s", "");
  write_line(w, 0, "static int64_t release(void *node, int32_t kind, int64_t end) {");
  write_line(w, 2, "struct %s_node *n = node;", w->plan->role->name);
  write_line(w, 2, "const struct %s_params *params = &n->params;", protocol_name(w));
  write_line(w, 2, "int64_t left = end;");
  for (size_t i = 0; i < model->messages.count; i++)
    if (is_held(w->plan, model->messages.items[i]))
      write_held(w, model->messages.items[i]);
  write_line(w, 2, "return left;");
  write_line(w, 0, "}");
}
