/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * PROTO_message.h and .c (step.h). The bytes are the library's business (steps/tp_message.h). */
#include <string.h>

#include "generate/step.h"

enum { FIELDS_MOST = 8 }; /* TP_FIELDS */

static void write_kinds(struct code_writer *w) {
  const struct model *model = w->context->model;
  put(w, "enum %s_kind {", protocol_name(w));
  layout_break(&w->line, 0);
  for (size_t i = 0; i < model->messages.count; i++) {
    const struct message *message = model->messages.items[i];
    if (message->field_count > FIELDS_MOST)
      plan_refuse(w->context, message->span,
                  "a message has at most %d fields where it is sent as bytes", FIELDS_MOST);
    put(w, "%s_%s", model->name, message->name);
    put_break(w, i + 1 < model->messages.count ? "," : "", 1);
  }
  put(w, "};");
  end_line(w, 0, 2);
}

/* In ACSL, or with `c` in C. */
static void put_field_valid(struct code_writer *w, const struct type *type, size_t field, bool c,
                            bool *more) {
  if (*more)
    put_break(w, " &&", 1);
  *more = true;
  put(w, c ? "0 <= m->field[%zu] && m->field[%zu] " : "0 <= m->field[%zu] ", field, field);
  if (type->kind == TYPE_BOOL)
    put(w, "<= 1");
  else if (type->kind == TYPE_ENUM)
    put(w, "<= %s%s_%s", c ? "(int32_t)" : "", type->enumeration->name,
        type->enumeration->values[type->enumeration->count - 1]);
  else if (type->role->count == NULL)
    put(w, "< 1");
  else {
    put(w, "< ");
    put_count(w, type->role);
  }
}

static void put_kind(struct code_writer *w, const struct message *message) {
  bool more = true;
  put(w, "m->kind == %s_%s", w->context->model->name, message->name);
  for (size_t i = 0; i < message->field_count; i++)
    if (message->fields[i].type.kind != TYPE_INT)
      put_field_valid(w, &message->fields[i].type, i, false, &more);
}

static bool has_checks(const struct message *message) {
  for (size_t i = 0; i < message->field_count; i++)
    if (message->fields[i].type.kind != TYPE_INT)
      return true;
  return false;
}

static void put_kinds(struct code_writer *w) {
  const struct model *model = w->context->model;
  w->nesting++;
  for (size_t i = 0; i < model->messages.count; i++) {
    bool parentheses = has_checks(model->messages.items[i]);
    if (i != 0)
      put_break(w, " ||", 0);
    put(w, parentheses ? "(" : "");
    w->nesting += parentheses;
    put_kind(w, model->messages.items[i]);
    w->nesting -= parentheses;
    put(w, parentheses ? ")" : "");
  }
  w->nesting--;
}

static void put_message_signature(struct code_writer *w, const char *end) {
  put(w, "bool %s_message_valid(const struct tp_message *m,", protocol_name(w));
  layout_break(&w->line, 2);
  put(w, "const struct %s_params *params)%s", protocol_name(w), end);
  end_line(w, 0, (size_t)(strchr(text_get(&w->line), '(') - text_get(&w->line)) + 1);
}

void write_message_header(struct code_writer *w) {
  const char *name = protocol_name(w);
  write_line(w, 0, "#ifndef %s_MESSAGE_H", capital(w, name));
  write_line(w, 0, "#define %s_MESSAGE_H", capital(w, name));
  write_line(w, 0, "%s", "");
  write_line(w, 0, "#include \"%s.h\"", name);
  write_line(w, 0, "#include \"tp_message.h\"");
  write_linkage(w);
  begin_section(w, "messages");
  write_line(w, 0, "%s", "");
  write_line(w, 0, "/* The fields of a message are in the order of its declaration. */");
  write_kinds(w);
  write_line(w, 0, "%s", "");
  put(w, "/*@ predicate %s_message(struct tp_message *m, struct %s_params *params) =", name, name);
  layout_break(&w->line, 0);
  put_kinds(w);
  put(w, "; */");
  end_line(w, 0, 6);
  write_line(w, 0, "%s", "");
  write_line(w, 0,
             "/* Whether what tp_message_decode made of bytes is a message of the protocol. */");
  write_line(w, 0, "/*@ requires storage: \\valid_read(m) && \\valid_read(params);");
  write_line(w, 4, "requires parameters: %s_valid(params);", name);
  write_line(w, 4, "assigns \\nothing;");
  write_line(w, 4, "ensures message: \\result <==> %s_message(m, params);", name);
  write_line(w, 0, "*/");
  put_message_signature(w, ";");
  begin_section(w, "end of file");
  write_linkage_end(w);
  write_line(w, 0, "%s", "");
  write_line(w, 0, "#endif");
}

static void write_case(struct code_writer *w, const struct message *message) {
  write_line(w, 2, "case %s_%s:", w->context->model->name, message->name);
  put(w, "return ");
  bool more = false;
  for (size_t i = 0; i < message->field_count; i++)
    if (message->fields[i].type.kind != TYPE_INT)
      put_field_valid(w, &message->fields[i].type, i, true, &more);
  put(w, more ? ";" : "true;");
  end_line(w, 4, 11);
}

void write_message_body(struct code_writer *w) {
  const struct model *model = w->context->model;
  struct text body, *out = w->out;
  text_init(&body);
  write_line(w, 0, "#include \"%s_message.h\"", protocol_name(w));
  write_line(w, 0, "%s", "");
  put_message_signature(w, " {");
  w->out = &body;
  write_line(w, 2, "switch (m->kind) {");
  for (size_t i = 0; i < model->messages.count; i++)
    write_case(w, model->messages.items[i]);
  write_line(w, 2, "default:");
  write_line(w, 4, "return false;");
  write_line(w, 2, "}");
  write_line(w, 0, "}");
  w->out = out;
  if (strstr(text_get(&body), "(params)") == NULL)
    write_line(w, 2, "(void)params;");
  text_append(w->out, text_get(&body));
  text_clear(&body);
}
