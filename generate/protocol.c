/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "generate/protocol.h"

#include "generate/family.h"

bool is_of_parameters(const struct term *term) {
  if (term->kind == TERM_BARE && term->component->kind != COMPONENT_CONSTANT)
    return false;
  if (term->kind == TERM_OCCURRENCE || term->kind == TERM_DELAY || term->variable_count != 0)
    return false;
  for (size_t i = 0; i < term->count; i++)
    if (!is_of_parameters(term->args[i]))
      return false;
  return true;
}

static void write_parameters(struct code_writer *w) {
  const struct model *model = w->context->model;
  struct code_members members = {0};
  for (size_t i = 0; i < model->params.count; i++) {
    put(w, "int32_t %s;", plain(w, model->params.items[i]->name));
    add_member(w, &members, NULL);
  }
  for (size_t i = 0; i < model->components.count; i++)
    if (model->components.items[i]->kind == COMPONENT_CONSTANT) {
      put(w, "int64_t %s;", plain(w, model->components.items[i]->name));
      add_member(w, &members, "/* ns */");
    }
  if (members.count == 0) {
    put(w, "char unused;");
    add_member(w, &members, "/* the protocol has no parameter */");
  }
  write_line(w, 0, "struct %s_params {", protocol_name(w));
  write_members(w, &members);
  write_line(w, 0, "};");
}

static void write_counts(struct code_writer *w) {
  const struct model *model = w->context->model;
  size_t before = w->out->length;
  w->params = "(params)";
  for (size_t i = 0; i < model->roles.count; i++) {
    const struct role *role = model->roles.items[i];
    if (role->count == NULL)
      continue;
    put(w, "#define %s_%s_COUNT(params) ", capital(w, protocol_name(w)), capital(w, role->name));
    put_value(w, role->count, LEVEL_UNARY);
    end_line(w, 0, 4);
  }
  w->params = "params";
  if (w->out->length != before)
    write_line(w, 0, "%s", "");
}

static void put_and(struct code_writer *w, bool *more) {
  if (*more)
    put_break(w, " &&", 1);
  *more = true;
}

static void write_valid(struct code_writer *w) {
  const struct model *model = w->context->model;
  bool more = false;
  w->dialect = DIALECT_LOGIC;
  put(w, "/*@ predicate %s_valid(struct %s_params *params) =", protocol_name(w), protocol_name(w));
  layout_break(&w->line, 0);
  for (size_t i = 0; i < model->params.count; i++) {
    put_and(w, &more);
    put(w, "tp_int(params->%s)", plain(w, model->params.items[i]->name));
  }
  for (size_t i = 0; i < model->components.count; i++)
    if (model->components.items[i]->kind == COMPONENT_CONSTANT) {
      put_and(w, &more);
      put(w, "0 <= params->%s <= TP_TIME_MAX", plain(w, model->components.items[i]->name));
    }
  for (size_t i = 0; i < model->roles.count; i++)
    if (model->roles.items[i]->count != NULL) {
      put_and(w, &more);
      put(w, "1 <= ");
      put_count(w, model->roles.items[i]);
      put(w, family_most(model, model->roles.items[i]) == RANGE_NODES ? " <= TP_NODES"
                                                                      : " <= TP_INT_MAX");
    }
  for (size_t i = 0; i < model->assumptions.count; i++)
    if (is_of_parameters(model->assumptions.items[i]->formula)) {
      put_and(w, &more);
      put_truth(w, model->assumptions.items[i]->formula, false, LEVEL_AND);
    }
  put(w, more ? "; */" : "\\true; */");
  end_line(w, 0, 6);
}

static void write_enumeration(struct code_writer *w, const struct enumeration *enumeration) {
  write_line(w, 0, "%s", "");
  put(w, "enum %s {", plain(w, enumeration->name));
  layout_break(&w->line, 0);
  for (size_t i = 0; i < enumeration->count; i++) {
    put(w, "%s_%s", enumeration->name, enumeration->values[i]);
    put_break(w, i + 1 < enumeration->count ? "," : "", 1);
  }
  put(w, "};");
  end_line(w, 0, 2);
}

void write_protocol(struct code_writer *w) {
  const char *name = protocol_name(w);
  const struct model *model = w->context->model;
  write_line(w, 0, "#ifndef %s_H", capital(w, name));
  write_line(w, 0, "#define %s_H", capital(w, name));
  write_line(w, 0, "%s", "");
  write_line(w, 0, "#include \"tp_step.h\"");
  begin_section(w, "parameters and enumerations");
  for (size_t i = 0; i < model->enumerations.count; i++)
    write_enumeration(w, model->enumerations.items[i]);
  write_line(w, 0, "%s", "");
  write_parameters(w);
  write_line(w, 0, "%s", "");
  write_counts(w);
  write_valid(w);
  write_line(w, 0, "%s", "");
  write_line(w, 0, "#endif");
}
