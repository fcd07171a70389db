/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/verify/parameters.h"

#include <string.h>

#include "base/memory.h"
#include "base/duration.h"
#include "lang/instantiate.h"

static const struct param *find_param(const struct model *model, const char *name) {
  for (size_t i = 0; i < model->params.count; i++)
    if (strcmp(model->params.items[i]->name, name) == 0)
      return model->params.items[i];
  return NULL;
}

static const struct component *find_time(const struct model *model, const char *name) {
  for (size_t i = 0; i < model->components.count; i++) {
    const struct component *component = model->components.items[i];
    if (component->kind == COMPONENT_CONSTANT && strcmp(component->name, name) == 0)
      return component;
  }
  return NULL;
}

static enum status complain(const struct asker *asker, const struct setting *setting,
                            const char *what) {
  asker_say(asker, SAYING_FAILURE, "--set %s=%s: %s", setting->name, setting->value, what);
  return STATUS_USAGE;
}

static enum status read_integer(int64_t *result, const struct setting *setting,
                                const struct asker *asker) {
  struct rational value;
  rational_init(&value);
  bool good = rational_parse(&value, setting->value) && rational_is_integer(&value) &&
              rational_floor(result, &value);
  rational_clear(&value);
  return good ? STATUS_OK : complain(asker, setting, "give a whole number");
}

static enum status read_time(const struct rational **result, const struct setting *setting,
                             const struct asker *asker) {
  struct rational *value = mem_alloc(1, sizeof *value);
  rational_init(value);
  *result = value;
  return duration_parse(value, setting->value)
             ? STATUS_OK
             : complain(asker, setting,
                        "give a time with its unit (ns, us, ms or s), such as 300ms");
}

static enum status meet_assumptions(const struct parameters *parameters,
                                    const struct asker *asker) {
  struct text message;
  text_init(&message);
  enum status status = assumptions_meet(parameters->model, parameters->values, parameters->given,
                                        parameters->times, &message);
  if (status != STATUS_OK)
    asker_say(asker, SAYING_FAILURE, "%s", text_get(&message));
  text_clear(&message);
  return status;
}

enum status parameters_read(struct parameters *parameters, const struct model *model,
                            const settings *set, const struct asker *asker) {
  *parameters = (struct parameters){.model = model};
  parameters->values = mem_alloc(model->params.count, sizeof *parameters->values);
  parameters->given = mem_alloc(model->params.count, sizeof *parameters->given);
  parameters->times = mem_alloc(model->components.count, sizeof *parameters->times);
  enum status status = STATUS_OK;
  for (size_t i = 0; i < set->count && status == STATUS_OK; i++) {
    const struct setting *setting = &set->data[i];
    const struct param *param = find_param(model, setting->name);
    const struct component *time = find_time(model, setting->name);
    if (param != NULL) {
      status = read_integer(&parameters->values[param->id], setting, asker);
      parameters->given[param->id] = status == STATUS_OK;
    } else if (time != NULL) {
      status = read_time(&parameters->times[time->id], setting, asker);
    } else {
      asker_say(asker, SAYING_FAILURE, "--set %s=%s: protocol %s has no parameter \"%s\"",
                setting->name, setting->value, model->name, setting->name);
      status = STATUS_USAGE;
    }
  }
  return status == STATUS_OK ? meet_assumptions(parameters, asker) : status;
}

void parameters_clear(struct parameters *parameters) {
  for (size_t i = 0; parameters->times != NULL && i < parameters->model->components.count; i++) {
    struct rational *time = (void *)(uintptr_t)parameters->times[i];
    if (time != NULL)
      rational_clear(time);
    mem_free(time);
  }
  mem_free(parameters->values);
  mem_free(parameters->given);
  mem_free(parameters->times);
  *parameters = (struct parameters){0};
}

static bool mentions(const struct term *term, const struct component *component) {
  bool found = term->kind == TERM_BARE && term->component == component;
  for (size_t i = 0; i < term->count && !found; i++)
    found = mentions(term->args[i], component);
  return found;
}

static bool needs(const struct bound *bound, const struct component *component) {
  return component->kind == COMPONENT_CONSTANT && bound->expression != NULL &&
         mentions(bound->expression, component);
}

enum status parameters_need_times(const struct parameters *parameters, const struct bound *bound,
                                  struct text *message) {
  const struct model *model = parameters->model;
  size_t missing = 0;
  for (size_t i = 0; i < model->components.count; i++) {
    const struct component *component = model->components.items[i];
    if (!needs(bound, component) || parameters->times[component->id] != NULL)
      continue;
    text_append(message, missing++ == 0 ? "times of the bound are not given:" : "");
    text_format(message, " --set %s=...", component->name);
  }
  if (missing == 0)
    return STATUS_OK;
  text_append(message, " (with a unit, such as 300ms)");
  return STATUS_USAGE;
}

void parameters_add_times(const struct parameters *parameters, const struct bound *bound,
                          const settings *set, struct ledger *ledger) {
  const struct model *model = parameters->model;
  for (size_t i = 0; i < model->components.count; i++) {
    const struct component *component = model->components.items[i];
    if (needs(bound, component) && parameters->times[component->id] != NULL)
      ledger_note(ledger, LEDGER_MODEL, "the running system's %s is %s (given with --set)",
                  component->name, settings_find(set, component->name));
  }
}
