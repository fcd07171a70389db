/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/replay/needed.h"
#include "base/text.h"

enum { TRIED = 64 }; /* values of a parameter that nothing depends on */

/* Marks by id what a term mentions. */
static void mark(bool *needed, const struct term *term) {
  if (term == NULL)
    return;
  if (term->kind == TERM_PARAM)
    needed[term->param->id] = true;
  for (size_t i = 0; i < term->count; i++)
    mark(needed, term->args[i]);
  if (term->kind == TERM_VARIABLE || term->type.role == NULL || term->type.role->count == NULL)
    return;
  mark(needed, term->type.role->count);
}

static void mark_variables(bool *needed, const struct variable *const *variables, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (variables[i]->domain == DOMAIN_SET)
      mark(needed, variables[i]->set);
    if (variables[i]->domain == DOMAIN_RANGE) {
      mark(needed, variables[i]->low);
      mark(needed, variables[i]->high);
    }
  }
}

/* Also the limits of its binders. */
static void mark_all(bool *needed, const struct term *term) {
  if (term == NULL)
    return;
  mark(needed, term);
  mark_variables(needed, term->variables, term->variable_count);
  for (size_t i = 0; i < term->count; i++)
    mark_all(needed, term->args[i]);
}

static void mark_list(bool *needed, const struct term *const *terms, size_t count) {
  for (size_t i = 0; i < count; i++)
    mark_all(needed, terms[i]);
}

static void mark_block(bool *needed, const struct block *block) {
  for (size_t i = 0; i < block->count; i++) {
    const struct statement *s = block->statements[i];
    const struct term *parts[] = {s->key, s->value, s->condition, s->to};
    mark_list(needed, parts, sizeof parts / sizeof *parts);
    mark_list(needed, s->args, s->arg_count);
    mark_variables(needed, s->variables, s->variable_count);
    mark_block(needed, &s->then_block);
    mark_block(needed, &s->else_block);
  }
}

static void mark_execution(bool *needed, const struct model *model) {
  for (size_t i = 0; i < model->roles.count; i++)
    mark_all(needed, model->roles.items[i]->count);
  for (size_t i = 0; i < model->states.count; i++)
    mark_all(needed, model->states.items[i]->initial);
  for (size_t i = 0; i < model->actions.count; i++) {
    const struct action *action = model->actions.items[i];
    mark_list(needed, action->guards, action->guard_count);
    mark_variables(needed, action->choices, action->choice_count);
    mark_list(needed, action->costs, action->cost_count);
    if (action->conditions != NULL)
      mark_list(needed, action->conditions, action->cost_count);
    for (size_t k = 0; action->batches != NULL && k < action->cost_count; k++)
      if (action->batches[k] != NULL)
        mark_variables(needed, &action->batches[k], 1);
    mark_all(needed, action->timer);
    mark_block(needed, &action->body);
  }
}

static enum status check_given(const struct model *model, const struct parameters *parameters,
                               struct text *message) {
  bool *needed = mem_alloc(model->params.count, sizeof *needed);
  mark_execution(needed, model);
  struct text missing;
  text_init(&missing);
  for (size_t i = 0; i < model->params.count; i++)
    if (needed[i] && !parameters->given[i])
      text_format(&missing, " --set %s=...", model->params.items[i]->name);
  for (size_t i = 0; i < model->components.count; i++)
    if (model->components.items[i]->kind == COMPONENT_CONSTANT && parameters->times[i] == NULL)
      text_format(&missing, " --set %s=...", model->components.items[i]->name);
  mem_free(needed);
  enum status status = missing.length == 0 ? STATUS_OK : STATUS_USAGE;
  if (status != STATUS_OK)
    text_format(message, "say what the run was made with:%s", text_get(&missing));
  text_clear(&missing);
  return status;
}

struct interpreter *needed_interpreter(enum status *status, const struct model *model,
                                       struct parameters *parameters, struct text *message) {
  *status = check_given(model, parameters, message);
  if (*status != STATUS_OK)
    return NULL;
  struct text why;
  text_init(&why);
  struct interpreter *made = NULL;
  for (int64_t value = 0; made == NULL && value < TRIED; value++) {
    bool free_one = false;
    for (size_t i = 0; i < model->params.count; i++)
      if (!parameters->given[i]) {
        parameters->values[i] = value;
        free_one = true;
      }
    why.length = 0;
    made = interpreter_new(model, parameters->values, &why);
    if (!free_one)
      break;
  }
  if (made == NULL) {
    text_append(message, text_get(&why));
    *status = STATUS_USAGE;
  }
  text_clear(&why);
  return made;
}

static bool can_judge(const struct model *model, const struct bound *bound,
                      const struct parameters *parameters, struct text *missing) {
  bool *needed = mem_alloc(model->params.count, sizeof *needed);
  mark_all(needed, bound->expression);
  mark_all(needed, bound->formula);
  mark_all(needed, bound->node);
  mark_list(needed, bound->args, bound->arg_count);
  mark_variables(needed, bound->variables, bound->variable_count);
  struct text text;
  text_init(&text);
  for (size_t i = 0; i < model->params.count; i++)
    if (needed[i] && !parameters->given[i])
      text_format(&text, " --set %s=...", model->params.items[i]->name);
  if (text.length != 0)
    text_format(missing, "bound %s is not judged; it needs%s\n", bound->name, text_get(&text));
  bool good = text.length == 0;
  if (good && bound->variable_count > INDEX_COUNT_MAX) {
    text_format(missing, "bound %s is not judged: it is for all of more than %d variables\n",
                bound->name, INDEX_COUNT_MAX);
    good = false;
  }
  text_clear(&text);
  mem_free(needed);
  return good;
}

void needed_bounds(bound_list *bounds, const struct model *model, const struct bound *only,
                   const struct parameters *parameters, struct text *missing) {
  for (size_t i = 0; i < model->bounds.count; i++) {
    const struct bound *bound = model->bounds.items[i];
    if ((only == NULL || only == bound) && can_judge(model, bound, parameters, missing))
      vector_push(bounds, bound);
  }
}
