/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "generate/write.h"

#include <ctype.h>
#include <string.h>

#include "generate/names.h"

void writer_init(struct code_writer *w, struct plan_context *context, const struct plan_role *plan,
                 struct text *out) {
  *w = (struct code_writer){.context = context, .plan = plan, .out = out, .params = "params"};
  text_init(&w->line);
}

void writer_clear(struct code_writer *w) {
  text_clear(&w->line);
}

void begin_section(struct code_writer *w, const char *name) {
  const struct generated_section section = {mem_copy_text(name, strlen(name)), w->out->length};
  vector_push(w->sections, section);
}

void put(struct code_writer *w, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  text_format_list(&w->line, format, arguments);
  va_end(arguments);
}

void end_line(struct code_writer *w, size_t indent, size_t continuation) {
  layout_line(w->out, &w->line, indent, continuation);
  text_clear(&w->line);
}

void write_line(struct code_writer *w, size_t indent, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  text_format_list(&w->line, format, arguments);
  va_end(arguments);
  end_line(w, indent, indent + 4);
}

void write_linkage(struct code_writer *w) {
  write_line(w, 0, "%s", "");
  write_line(w, 0, "#ifdef __cplusplus");
  write_line(w, 0, "extern \"C\" {");
  write_line(w, 0, "#endif");
}

void write_linkage_end(struct code_writer *w) {
  write_line(w, 0, "%s", "");
  write_line(w, 0, "#ifdef __cplusplus");
  write_line(w, 0, "}");
  write_line(w, 0, "#endif");
}

void put_break(struct code_writer *w, const char *before, unsigned level) {
  text_append(&w->line, before);
  layout_break(&w->line, w->nesting * 4 + level);
}

const char *kept_text(struct code_writer *w, const char *format, ...) {
  struct text text;
  text_init(&text);
  va_list arguments;
  va_start(arguments, format);
  text_format_list(&text, format, arguments);
  va_end(arguments);
  const char *kept = arena_text(w->context->arena, text.data, text.length);
  text_clear(&text);
  return kept;
}

void add_member(struct code_writer *w, struct code_members *members, const char *comment) {
  const struct code_member member = {arena_text(w->context->arena, w->line.data, w->line.length),
                                     comment};
  text_clear(&w->line);
  vector_push(members, member);
}

/* The widest declaration of the lines around this one that have comments. */
static size_t width_around(const struct code_members *members, size_t at) {
  size_t first = at, width = 0;
  while (first > 0 && members->data[first - 1].comment != NULL)
    first--;
  for (; first < members->count && members->data[first].comment != NULL; first++) {
    size_t length = strlen(members->data[first].declaration);
    width = length > width ? length : width;
  }
  return width;
}

void write_members(struct code_writer *w, struct code_members *members) {
  for (size_t i = 0; i < members->count; i++) {
    const struct code_member *member = &members->data[i];
    if (member->comment == NULL)
      write_line(w, 2, "%s", member->declaration);
    else
      write_line(w, 2, "%-*s %s", (int)width_around(members, i), member->declaration,
                 member->comment);
  }
  vector_clear(members);
}

const char *plain(struct code_writer *w, const char *name) {
  if (!name_is_taken(name))
    return name;
  return kept_text(w, "%s_", name);
}

const char *capital(struct code_writer *w, const char *name) {
  char *copy = arena_text(w->context->arena, name, strlen(name));
  for (char *c = copy; *c != '\0'; c++)
    *c = (char)toupper((unsigned char)*c);
  return copy;
}

const char *protocol_name(struct code_writer *w) {
  return plain(w, w->context->model->name);
}

const char *type_name(struct code_writer *w, const struct type *type) {
  switch (type->kind) {
  case TYPE_BOOL:
    return "bool";
  case TYPE_TIME:
    return "int64_t";
  case TYPE_SET:
    return "tp_set";
  case TYPE_MAP:
    return type_name(w, type->element);
  case TYPE_ENUM:
    break;
  default:
    return "int32_t";
  }
  return kept_text(w, "enum %s", plain(w, type->enumeration->name));
}

const char *parameter_begin(const struct code_writer *w) {
  return w->dialect == DIALECT_STEP ? "\\at(" : w->old ? "\\old(" : "";
}

const char *parameter_end(const struct code_writer *w) {
  return w->dialect == DIALECT_STEP ? ", K)" : w->old ? ")" : "";
}

void put_count(struct code_writer *w, const struct role *role) {
  put(w, "%s%s_%s_COUNT(%s)%s", parameter_begin(w), capital(w, protocol_name(w)),
      capital(w, role->name), w->params, parameter_end(w));
}

bool put_valid(struct code_writer *w, const struct type *type, const char *place, bool more) {
  bool is_map = type->kind == TYPE_MAP;
  if (type->kind == TYPE_BOOL ||
      (is_map && (type->element->kind == TYPE_BOOL || type->element->kind == TYPE_INT)))
    return false;
  if (more)
    put_break(w, " &&", 1);
  if (type->kind == TYPE_SET) {
    put(w, "tp_within(%s, ", place);
    put_count(w, type->role);
    put(w, ")");
  } else if (type->kind == TYPE_MAP) {
    struct text element;
    text_init(&element);
    text_format(&element, "%s[k]", place);
    put(w, "(\\forall integer k; 0 <= k < TP_NODES ==> ");
    put_valid(w, type->element, text_get(&element), false);
    put(w, ")");
    text_clear(&element);
  } else if (type->kind == TYPE_NODE && type->role->count != NULL) {
    put(w, "0 <= %s < ", place);
    put_count(w, type->role);
  } else if (type->kind == TYPE_NODE) {
    put(w, "%s == 0", place);
  } else if (type->kind == TYPE_ENUM) {
    const struct enumeration *e = type->enumeration;
    put(w, "0 <= %s <= %s_%s", place, e->name, e->values[e->count - 1]);
  } else {
    put(w, "%s(%s)", type->kind == TYPE_TIME ? "tp_time" : "tp_int", place);
  }
  return true;
}
