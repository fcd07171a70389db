/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * step_glue FILE.tp: C that lets a test call the steps which `tailproof generate` has made of the
 * protocol, through the one interface of tests/generate/glue.h. It carries values from cells into
 * structs and back; names and places come from the generator's plan, what a step does does not.
 */
#include <stdio.h>
#include <stdlib.h>

#include "generate/role.h"
#include "lang/check.h"
#include "lang/parse.h"
#include "lang/source.h"
#include "base/status.h"

static const char *cast_of(const struct type *type) {
  switch (type->kind) {
  case TYPE_BOOL:
    return "(bool)";
  case TYPE_SET:
    return "(tp_set)";
  case TYPE_TIME:
    return "";
  default:
    return "(int32_t)";
  }
}

static void print_states(struct code_writer *w, bool load) {
  for (size_t i = 0; i < w->plan->state_count; i++) {
    const struct state *state = w->plan->states[i];
    const bool map = state->type.kind == TYPE_MAP;
    const struct type *type = map ? state->type.element : &state->type;
    const char *name = plain(w, state->name), *at = map ? "[k]" : "";
    printf("  for (int k = 0; k < %s; k++)\n", map ? "TP_NODES" : "1");
    if (load)
      printf("    self.%s%s = %s%s%scells[%zu][k];\n", name, at,
             type->kind == TYPE_ENUM ? "(enum " : "",
             type->kind == TYPE_ENUM ? plain(w, type->enumeration->name) : cast_of(type),
             type->kind == TYPE_ENUM ? ")" : "", state->id);
    else
      printf("    cells[%zu][k] = (int64_t)self.%s%s;\n", state->id, name, at);
  }
}

/* The message with its fields and receiver; k is the varying field. */
static void print_message(struct code_writer *w, const struct plan_message *send) {
  const struct message *message = send->message;
  const char *name = send_name(w, send);
  if (send->varying < 0)
    printf("  if (out.%s)\n", name);
  else
    printf("  for (int32_t k = 0; k < TP_NODES; k++)\n    if (tp_set_has(out.%s, k))\n", name);
  printf("    glue_send(sent, %zu, (const int64_t[GLUE_FIELDS]){", message->id);
  for (size_t i = 0; i < message->field_count; i++)
    if ((int)i == send->varying)
      printf("k, ");
    else if ((int)i == message->sender_field)
      printf("node, ");
    else
      printf("(int64_t)out.%s_%s, ", name, message->fields[i].name);
  printf("0}, ");
  if (send_has_to(send))
    printf("out.%s_%s);\n", name, receiver_name(send));
  else if (message->receiver_field < 0)
    printf("0);\n");
  else if (message->receiver_field == send->varying)
    printf("k);\n");
  else if (message->receiver_field == message->sender_field)
    printf("node);\n");
  else
    printf("out.%s_%s);\n", name, message->fields[message->receiver_field].name);
}

static size_t field_of(const struct action *action, const struct variable *variable) {
  size_t i = 0;
  while (action->fields[i] != variable)
    i++;
  return i;
}

static void print_call(struct code_writer *w, const struct plan_action *made) {
  const struct action *action = made->action;
  printf("  case %zu:\n    verdict = %s_%s(%s&params", action->id, w->plan->role->name, made->name,
         role_has_state(w) ? "&self, " : "");
  if (role_is_family(w))
    printf(", (int32_t)node");
  if (role_sends(w))
    printf(", &out");
  if (action->timer != NULL)
    printf(", now");
  if (action->read != NULL)
    printf(", read");
  for (size_t i = 0; i < made->field_count; i++)
    printf(", (%s)fields[%zu]", type_name(w, &made->fields[i]->type),
           field_of(action, made->fields[i]));
  printf(");\n    break;\n");
}

static void print_role(struct code_writer *w) {
  const char *role = plain(w, w->plan->role->name);
  const size_t id = w->plan->role->id;
  printf(
      "\nstatic void init_%zu(int64_t *const *cells, int64_t node) {\n  (void)cells, (void)node;\n",
      id);
  if (role_has_state(w)) {
    printf("  struct %s self;\n  %s_init(&self, &params%s);\n", role, w->plan->role->name,
           role_is_family(w) ? ", (int32_t)node" : "");
    print_states(w, false);
  }
  printf("}\n\nstatic int step_%zu(size_t action, const struct glue_call *call, struct glue_sent "
         "*sent) {\n",
         id);
  printf("  int64_t *const *cells = call->cells;\n  const int64_t *fields = call->fields, node = "
         "call->node, now = call->now, "
         "read = call->read;\n  (void)cells, (void)fields, (void)node, (void)now, (void)read, "
         "(void)sent;\n");
  if (role_has_state(w)) {
    printf("  struct %s self;\n", role);
    print_states(w, true);
  }
  if (role_sends(w))
    printf("  struct %s_sends out;\n  memset(&out, 0x55, sizeof out);\n", w->plan->role->name);
  printf("  int verdict = -1;\n  switch (action) {\n");
  for (size_t i = 0; i < w->plan->actions.count; i++)
    print_call(w, &w->plan->actions.data[i]);
  printf("  }\n");
  if (role_has_state(w))
    print_states(w, false);
  for (size_t i = 0; i < w->plan->sends.count; i++)
    print_message(w, &w->plan->sends.data[i]);
  printf("  return verdict;\n}\n");
}

static void print_params(struct code_writer *w, const struct model *model) {
  printf("static struct %s_params params;\n\nvoid glue_params(const int64_t *values, const int64_t "
         "*constants) {\n",
         protocol_name(w));
  printf("  (void)values, (void)constants;\n");
  for (size_t i = 0; i < model->params.count; i++)
    printf("  params.%s = (int32_t)values[%zu];\n", plain(w, model->params.items[i]->name), i);
  for (size_t i = 0; i < model->components.count; i++)
    if (model->components.items[i]->kind == COMPONENT_CONSTANT)
      printf("  params.%s = constants[%zu];\n", plain(w, model->components.items[i]->name), i);
  printf("}\n");
}

static void print_dispatch(const struct model *model) {
  printf(
      "\nvoid glue_init(size_t role, int64_t *const *cells, int64_t node) {\n  switch (role) {\n");
  for (size_t i = 0; i < model->roles.count; i++)
    if (!model->roles.items[i]->external)
      printf("  case %zu: init_%zu(cells, node); break;\n", i, i);
  printf("  }\n}\n\nint glue_step(size_t role, size_t action, const struct glue_call *call, struct "
         "glue_sent *sent) {\n  switch (role) {\n");
  for (size_t i = 0; i < model->roles.count; i++)
    if (!model->roles.items[i]->external)
      printf("  case %zu: return step_%zu(action, call, sent);\n", i, i);
  printf("  }\n  return -1;\n}\n");
}

static void print_protocol(struct plan_context *context) {
  const struct model *model = context->model;
  struct text unused;
  text_init(&unused);
  struct code_writer w;
  writer_init(&w, context, NULL, &unused);
  printf("#include <string.h>\n#include \"tests/generate/glue.h\"\n");
  for (size_t i = 0; i < model->roles.count; i++)
    if (!model->roles.items[i]->external)
      printf("#include \"%s_%s.h\"\n", model->name, model->roles.items[i]->name);
  printf("\n");
  print_params(&w, model);
  writer_clear(&w);
  for (size_t i = 0; i < model->roles.count; i++) {
    struct plan_role plan;
    if (model->roles.items[i]->external)
      continue;
    plan_role_make(&plan, context, model->roles.items[i]);
    writer_init(&w, context, &plan, &unused);
    print_role(&w);
    writer_clear(&w);
    plan_role_clear(&plan);
  }
  print_dispatch(model);
  text_clear(&unused);
}

int main(int argc, char **argv) {
  struct source *source;
  struct diagnostics diagnostics;
  struct text message;
  text_init(&message);
  diagnostics_init(&diagnostics);
  if (argc != 2 || source_load(&source, argv[1], &message) != STATUS_OK) {
    fprintf(stderr, "usage: step_glue FILE.tp: %s\n", text_get(&message));
    return STATUS_USAGE;
  }
  struct ast *ast = parse(source, &diagnostics);
  struct model *model = check(ast, source, &diagnostics);
  if (model == NULL) {
    fprintf(stderr, "step_glue: %s: mistakes\n", argv[1]);
    return STATUS_DATA;
  }
  struct arena arena;
  struct plan_refusal refusal = {0};
  arena_init(&arena);
  text_init(&refusal.text);
  print_protocol(&(struct plan_context){model, ast, &arena, &refusal, false});
  const bool refused = refusal.text.length != 0;
  if (refused)
    fprintf(stderr, "step_glue: %s\n", text_get(&refusal.text));
  text_clear(&refusal.text);
  arena_clear(&arena);
  model_free(model);
  ast_free(ast);
  source_free(source);
  diagnostics_clear(&diagnostics);
  text_clear(&message);
  return refused ? STATUS_DATA : STATUS_OK;
}
