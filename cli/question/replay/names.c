/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/question/replay/names.h"
#include "base/text.h"

static const struct action *find_action(const struct model *model, const char *name) {
  for (size_t i = 0; i < model->actions.count; i++)
    if (!model->actions.items[i]->idle && !model->actions.items[i]->loses &&
        strcmp(model->actions.items[i]->name, name) == 0)
      return model->actions.items[i];
  return NULL;
}

/* "replica.idle.MaybeDecide": the idle step of a slot; its name in the protocol has brackets, which
 * names of stores cannot have. */
static const struct action *find_idle(const struct model *model, const char *name) {
  const char *slot = strstr(name, ".idle.");
  if (slot == NULL)
    return NULL;
  size_t role = (size_t)(slot - name);
  slot += strlen(".idle.");
  for (size_t i = 0; i < model->actions.count; i++) {
    const struct action *action = model->actions.items[i];
    if (action->idle && strlen(action->role->name) == role &&
        strncmp(action->role->name, name, role) == 0 &&
        strcmp(action->schedule->slots[action->slot]->name, slot) == 0)
      return action;
  }
  return NULL;
}

const struct message *recording_message(const struct model *model, const char *name) {
  for (size_t i = 0; i < model->messages.count; i++)
    if (strcmp(model->messages.items[i]->name, name) == 0)
      return model->messages.items[i];
  return NULL;
}

static const struct component *find_component(const struct model *model, const char *name) {
  for (size_t i = 0; i < model->components.count; i++)
    if (model->components.items[i]->kind == COMPONENT_STEP &&
        strcmp(model->components.items[i]->name, name) == 0)
      return model->components.items[i];
  return NULL;
}

static struct recorded_name foreign(const char *what, const char *name, struct arena *arena) {
  struct text text;
  text_init(&text);
  text_format(&text, "is of %s \"%s\", which the protocol does not have", what, name);
  const char *kept = arena_text(arena, text.data, text.length);
  text_clear(&text);
  return (struct recorded_name){CONFORM_FOREIGN, kept};
}

static struct recorded_name named(enum conform_kind kind, const void *what, const char *kind_name,
                                  const char *name, struct arena *arena) {
  if (what == NULL)
    return foreign(kind_name, name, arena);
  return (struct recorded_name){(int)kind, what};
}

struct recorded_name recording_name(const struct model *model, const struct format_name *name,
                                    const char *request, struct arena *arena) {
  const struct recorded_name nothing = {-1, NULL};
  switch ((enum format_kind)name->kind) {
  case FORMAT_ACTION: {
    const struct action *action = find_action(model, name->name);
    return named(CONFORM_STEP, action != NULL ? action : find_idle(model, name->name), "an action",
                 name->name, arena);
  }
  case FORMAT_SEND:
    return named(CONFORM_SEND, recording_message(model, name->name), "a message", name->name,
                 arena);
  case FORMAT_DELAY:
  case FORMAT_ARRIVAL:
    return named(CONFORM_ARRIVAL, recording_message(model, name->name), "a message", name->name,
                 arena);
  case FORMAT_WAIT:
    return named(CONFORM_WAIT, recording_message(model, name->name), "a message", name->name,
                 arena);
  case FORMAT_COMPONENT: {
    const struct component *component = find_component(model, name->name);
    if (strcmp(name->name, RECORDED_BEGINNING) == 0)
      return (struct recorded_name){CONFORM_BEGINNING, NULL};
    return component == NULL ? nothing : (struct recorded_name){CONFORM_PART, component};
  }
  case FORMAT_REQUEST:
    if (request != NULL && strcmp(request, name->name) != 0)
      return nothing;
    return (struct recorded_name){CONFORM_REQUEST,
                                  arena_text(arena, name->name, strlen(name->name))};
  case FORMAT_ROUNDTRIP:
    break;
  }
  return nothing;
}

bool recording_node(const struct interpreter *interpreter, const char *text,
                    const struct role **role, int32_t *index) {
  const struct model *model = interpreter->model;
  size_t length = strcspn(text, "[");
  for (size_t i = 0; i < model->roles.count; i++) {
    const struct role *here = model->roles.items[i];
    if (strlen(here->name) != length || strncmp(here->name, text, length) != 0)
      continue;
    *role = here;
    *index = 0;
    if (here->count == NULL)
      return text[length] == '\0';
    int64_t value = text[length] == '[' ? strtol(text + length + 1, NULL, 10) : -1;
    char plain[FORMAT_TEXT]; /* one node has one name: no sign, blank or leading zero */
    snprintf(plain, sizeof plain, "[%" PRId64 "]", value);
    if (value < 0 || strcmp(text + length, plain) != 0 || value >= interpreter->role_sizes[i])
      return false;
    *index = (int32_t)value;
    return true;
  }
  return false;
}
