/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "generate/generate.h"

#include <string.h>

#include "generate/loop.h"
#include "generate/names.h"
#include "generate/protocol.h"
#include "generate/role.h"
#include "generate/step.h"

struct making {
  struct generated *generated;
  const struct generate_request *request;
  struct plan_context *context;
};

static void make_file(const struct making *making, const struct plan_role *plan, const char *ending,
                      void (*write)(struct code_writer *)) {
  struct generated_file file = {.own = write == write_role_template || write == write_own_state ||
                                       write == write_own_predicate,
                                .body = write == write_role_body || write == write_step_body ||
                                        write == write_message_body,
                                .around = write == write_loop_body || write == write_main};
  if (plan != NULL)
    file.span = plan->role->span;
  struct text text, name;
  struct code_writer writer;
  text_init(&text);
  text_init(&name);
  writer_init(&writer, making->context, plan, &text);
  text_format(&name, "%s%s%s%s", making->request->model->name, plan == NULL ? "" : "_",
              plan == NULL ? "" : plan->role->name, ending);
  text_format(&text, "/* Generated from %s by tailproof generate: %s%s. */\n",
              making->request->source, plan == NULL ? "all roles" : "role ",
              plan == NULL ? "" : plan->role->name);
  writer.sections = &file.sections;
  write(&writer);
  writer_clear(&writer);
  file.name = text_take(&name);
  file.text = text_take(&text);
  vector_push(&making->generated->files, file);
}

static bool is_receiver(const struct model *model, const struct role *role) {
  for (size_t i = 0; i < model->messages.count; i++)
    if (model->messages.items[i]->receiver == role)
      return true;
  return false;
}

static void make_loop(const struct making *making, const struct plan_role *plan) {
  make_file(making, plan, "_loop.h", write_loop_header);
  make_file(making, plan, "_loop.c", write_loop_body);
  make_file(making, plan, "_main.c", write_main);
}

/* It takes no steps: its program is there to receive. */
static void make_external(const struct making *making, const struct role *role) {
  struct plan_role plan;
  plan_role_make(&plan, making->context, role);
  make_loop(making, &plan);
  plan_role_clear(&plan);
}

static void make_role(const struct making *making, const struct role *role) {
  struct plan_role plan;
  plan_role_make(&plan, making->context, role);
  if (making->context->refusal->text.length == 0) {
    make_file(making, &plan, ".h", write_role_header);
    const bool own_state = making->request->own_state && plan.state_count != 0;
    make_file(making, &plan, ".c",
              making->request->contracts_only || own_state ? write_role_template : write_role_body);
    if (own_state) {
      make_file(making, &plan, "_own.h", write_own_state);
      make_file(making, &plan, "_own.acsl", write_own_predicate);
    }
    if (role_receives(&plan) || role_acts(&plan)) {
      make_file(making, &plan, "_step.h", write_step_header);
      make_file(making, &plan, "_step.c", write_step_body);
    }
    if (making->request->loop)
      make_loop(making, &plan);
  }
  plan_role_clear(&plan);
}

static void clear_files(struct generated *generated) {
  for (size_t i = 0; i < generated->files.count; i++) {
    struct generated_file *file = &generated->files.data[i];
    mem_free(file->name);
    mem_free(file->text);
    for (size_t j = 0; j < file->sections.count; j++)
      mem_free(file->sections.data[j].name);
    vector_clear(&file->sections);
  }
  vector_clear(&generated->files);
}

/* A node and its pair have one number, but which nodes belong together otherwise no code knows. */
static bool is_refused(struct plan_context *context) {
  for (size_t i = 0; i < context->model->roles.count; i++) {
    const struct role *role = context->model->roles.items[i];
    if (role->each != NULL)
      plan_refuse(context, role->span,
                  "a family of several nodes for each of another, such as %s[%s, ...], has no C; "
                  "name the node of \"%s\" in the fields of messages instead",
                  role->name, role->owner->name, role->owner->name);
  }
  names_refuse(context);
  return context->refusal->text.length != 0;
}

static void make_all(const struct making *making) {
  const struct generate_request *request = making->request;
  make_file(making, NULL, ".h", write_protocol);
  if (request->model->messages.count != 0) {
    make_file(making, NULL, "_message.h", write_message_header);
    make_file(making, NULL, "_message.c", write_message_body);
  }
  for (size_t i = 0; i < request->model->roles.count; i++) {
    const struct role *role = request->model->roles.items[i];
    if (!role->external && (request->role == NULL || request->role == role))
      make_role(making, role);
    else if (role->external && request->role == NULL && request->loop &&
             is_receiver(request->model, role))
      make_external(making, role);
  }
}

bool generate(struct generated *generated, const struct generate_request *request) {
  *generated = (struct generated){0};
  struct arena arena;
  arena_init(&arena);
  struct plan_refusal refusal = {0};
  text_init(&refusal.text);
  struct plan_context context = {request->model, request->ast, &arena, &refusal,
                                 request->own_state};
  const struct making making = {generated, request, &context};
  if (!is_refused(&context)) {
    make_all(&making);
    names_refuse_files(&context, generated);
  }
  generated->refusal = refusal.text;
  generated->refused_at = refusal.span;
  if (refusal.text.length != 0)
    clear_files(generated);
  arena_clear(&arena);
  return refusal.text.length == 0;
}

/* Behind the heading, which has the name of the protocol's file. */
static const char *behind_heading(const char *text) {
  const char *line = strchr(text, '\n');
  return line == NULL ? text : line;
}

bool generated_compare(struct text *out, const struct generated_file *file, const char *text,
                       const char *path) {
  if (file->own || file->body || strcmp(behind_heading(file->text), behind_heading(text)) == 0)
    return true;
  if (file->sections.count == 0) {
    text_format(out, "%s: not what generate writes now\n", path);
    return false;
  }
  bool named = false;
  for (size_t i = 0; i < file->sections.count; i++) {
    const struct generated_section *section = &file->sections.data[i];
    size_t end = i + 1 < file->sections.count ? section[1].offset : strlen(file->text);
    char *part = mem_copy_text(file->text + section->offset, end - section->offset);
    if (strstr(text, part) == NULL) {
      text_format(out, "%s: %s: not what the protocol says now\n", path, section->name);
      named = true;
    }
    mem_free(part);
  }
  if (!named)
    text_format(out, "%s: has more than the protocol says now, or in another order\n", path);
  return false;
}

void generated_clear(struct generated *generated) {
  clear_files(generated);
  text_clear(&generated->refusal);
}
