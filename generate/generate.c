/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "generate/generate.h"

#include "generate/protocol.h"
#include "generate/role.h"

struct making {
  struct generated *generated;
  const struct generate_request *request;
  struct plan_context *context;
};

static void make_file(const struct making *making, const struct plan_role *plan, const char *ending,
                      void (*write)(struct code_writer *)) {
  struct text text, name;
  struct code_writer writer;
  text_init(&text);
  text_init(&name);
  writer_init(&writer, making->context, plan, &text);
  text_format(&name, "%s%s%s%s", making->request->model->name, plan == NULL ? "" : "_",
              plan == NULL ? "" : plan->role->name, ending);
  text_format(&text, "/* Generated from %s by tailproof generate", making->request->source);
  text_append(&text, plan == NULL ? ": all roles. */\n" : ": role ");
  if (plan != NULL)
    text_format(&text, "%s. */\n", plan->role->name);
  write(&writer);
  writer_clear(&writer);
  struct generated_file file = {text_take(&name), text_take(&text)};
  vector_push(&making->generated->files, file);
}

static void make_role(const struct making *making, const struct role *role) {
  struct plan_role plan;
  plan_role_make(&plan, making->context, role);
  if (making->context->refusal->text.length == 0) {
    make_file(making, &plan, ".h", write_role_header);
    make_file(making, &plan, ".c", write_role_body);
  }
  plan_role_clear(&plan);
}

static void clear_files(struct generated *generated) {
  for (size_t i = 0; i < generated->files.count; i++) {
    mem_free(generated->files.data[i].name);
    mem_free(generated->files.data[i].text);
  }
  vector_clear(&generated->files);
}

bool generate(struct generated *generated, const struct generate_request *request) {
  *generated = (struct generated){0};
  struct arena arena;
  arena_init(&arena);
  struct plan_refusal refusal = {0};
  text_init(&refusal.text);
  struct plan_context context = {request->model, request->ast, &arena, &refusal};
  const struct making making = {generated, request, &context};
  make_file(&making, NULL, ".h", write_protocol);
  for (size_t i = 0; i < request->model->roles.count; i++) {
    const struct role *role = request->model->roles.items[i];
    if (!role->external && (request->role == NULL || request->role == role))
      make_role(&making, role);
  }
  generated->refusal = refusal.text;
  generated->refused_at = refusal.span;
  if (refusal.text.length != 0)
    clear_files(generated);
  arena_clear(&arena);
  return refusal.text.length == 0;
}

void generated_clear(struct generated *generated) {
  clear_files(generated);
  text_clear(&generated->refusal);
}
