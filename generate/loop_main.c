/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * PROTO_ROLE_main.c: a node's program, and what its command line sets (loop.h).
 */
#include "generate/loop.h"

/* Those of this role; or of the others, since nodes of all roles may be given the same settings. */
static size_t write_rest_parameters(struct code_writer *w, bool own) {
  const struct model *model = w->context->model;
  size_t count = 0;
  for (size_t i = 0; i < model->actions.count; i++) {
    const struct action *action = model->actions.items[i];
    if (!is_first_rest(model, action) || (action->role == w->plan->role) != own)
      continue;
    write_line(w, 4, own ? "{\"%s\", NULL, &node.%s}," : "{\"%s\", NULL, NULL},",
               rest_name(model, action), rest_member(w, action));
    count++;
  }
  return count;
}

void write_main(struct code_writer *w) {
  const struct model *model = w->context->model;
  const char *protocol = protocol_name(w), *role = w->plan->role->name;
  size_t count = 0;
  write_line(w, 0, "#include \"%s_%s_loop.h\"", protocol, role);
  write_line(w, 0, "#include \"tp_main.h\"");
  write_line(w, 0, "%s", "");
  write_line(w, 0, "static struct %s_node node%s;", role, role_is_family(w) ? " = {.i = -1}" : "");
  write_line(w, 0, "%s", "");
  write_line(w, 0, "static const struct tp_parameter parameters[] = {");
  for (size_t i = 0; i < model->params.count; i++, count++)
    write_line(w, 4, "{\"%s\", &node.params.%s, NULL},", model->params.items[i]->name,
               plain(w, model->params.items[i]->name));
  for (size_t i = 0; i < model->components.count; i++) {
    const struct component *component = model->components.items[i];
    if (component->kind != COMPONENT_CONSTANT)
      continue;
    write_line(w, 4, "{\"%s\", NULL, &node.params.%s},", component->name,
               plain(w, component->name));
    count++;
  }
  count += write_rest_parameters(w, true) + write_rest_parameters(w, false);
  if (count == 0)
    write_line(w, 4, "{\"\", NULL, NULL},");
  write_line(w, 0, "};");
  write_line(w, 0, "%s", "");
  write_line(w, 0, "int main(int count, char **arguments) {");
  write_line(w, 2, "const struct tp_program program = {");
  write_line(w, 6, "&%s_%s_role, &node, %s, parameters, %zu, %s_%s_wrong};", protocol, role,
             role_is_family(w) ? "&node.i" : "NULL", count, protocol, role);
  write_line(w, 2, "return tp_main(&program, count, arguments);");
  write_line(w, 0, "}");
}
