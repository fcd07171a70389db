/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "generate/plan.h"

#include <string.h>

#include "generate/refuse.h"

void plan_refuse(struct plan_context *context, struct source_span span, const char *format, ...) {
  if (context->refusal->text.length != 0)
    return;
  va_list arguments;
  va_start(arguments, format);
  text_format_list(&context->refusal->text, format, arguments);
  va_end(arguments);
  context->refusal->span = span;
}

static void plan_states(struct plan_role *plan, struct plan_context *context) {
  const struct model *model = context->model;
  plan->states = arena_alloc(context->arena, model->states.count, sizeof *plan->states);
  for (size_t i = 0; i < model->states.count; i++)
    if (model->states.items[i]->role == plan->role && !model->states.items[i]->ghost &&
        model->states.items[i]->loses == NULL)
      plan->states[plan->state_count++] = model->states.items[i];
}

/* "Collect" of "primary.Collect"; idle_SLOT of what the checker made for an idle slot. */
static const char *short_name(struct plan_context *context, const struct action *action) {
  const char *name = strchr(action->name, '.') + 1;
  if (!action->idle)
    return name;
  struct text text;
  text_init(&text);
  text_format(&text, "idle_%s", action->schedule->slots[action->slot]->name);
  const char *kept = arena_text(context->arena, text.data, text.length);
  text_clear(&text);
  return kept;
}

static const char *source_text(struct plan_context *context, const struct action *action) {
  const struct list *all = &context->ast->declarations;
  for (size_t i = 0; !action->idle && i < all->count; i++) {
    const struct declaration *d = all->items[i];
    if (d->kind == DECLARATION_ACTION && d->span.start <= action->span.start &&
        action->span.end <= d->span.end)
      return arena_text(context->arena, context->ast->bytes + d->span.start,
                        d->span.end - d->span.start);
  }
  return NULL;
}

static bool is_new_field(const struct plan_action *made, const struct variable *variable) {
  for (size_t i = 0; i < made->field_count; i++)
    if (made->fields[i] == variable)
      return false;
  return variable != made->action->node;
}

static void plan_fields(struct plan_action *made, struct plan_context *context) {
  const struct message *message = made->action->message;
  size_t count = message == NULL ? 0 : message->field_count;
  made->fields = arena_alloc(context->arena, count, sizeof *made->fields);
  for (size_t i = 0; i < count; i++)
    if (is_new_field(made, made->action->fields[i]))
      made->fields[made->field_count++] = made->action->fields[i];
}

static struct plan_message *find_send(struct plan_role *plan, const struct effect_send *send) {
  for (size_t i = 0; i < plan->sends.count; i++)
    if (plan->sends.data[i].message == send->statement->message &&
        plan->sends.data[i].number == send->number)
      return &plan->sends.data[i];
  return NULL;
}

static void plan_send(struct plan_role *plan, struct plan_context *context,
                      const struct effect_send *send) {
  struct plan_message *known = find_send(plan, send);
  if (known == NULL)
    vector_push(&plan->sends,
                (struct plan_message){send->statement->message, send->number, send->varying});
  else if (known->varying < 0)
    known->varying = send->varying;
  else if (send->varying >= 0 && known->varying != send->varying)
    plan_refuse(
        context, send->statement->span,
        "%s is sent \"for all\" values of different fields in different places; give the two "
        "messages different names",
        known->message->name);
}

static void plan_action(struct plan_role *plan, struct plan_context *context,
                        const struct action *action) {
  struct plan_action made = {.action = action,
                             .name = short_name(context, action),
                             .source = source_text(context, action)};
  plan_fields(&made, context);
  refuse_action(context, action);
  effect_make(&made.effect, context, plan, action);
  for (size_t i = 0; i < made.effect.sends.count; i++)
    plan_send(plan, context, &made.effect.sends.data[i]);
  vector_push(&plan->actions, made);
}

void plan_role_make(struct plan_role *plan, struct plan_context *context, const struct role *role) {
  *plan = (struct plan_role){.role = role};
  plan_states(plan, context);
  struct variable *key = arena_alloc(context->arena, 1, sizeof *key);
  key->name = "k";
  key->type.kind = TYPE_NODE;
  plan->key = key;
  for (size_t i = 0; i < context->model->actions.count; i++)
    if (context->model->actions.items[i]->role == role && !context->model->actions.items[i]->loses)
      plan_action(plan, context, context->model->actions.items[i]);
}

void plan_role_clear(struct plan_role *plan) {
  for (size_t i = 0; i < plan->actions.count; i++)
    effect_clear(&plan->actions.data[i].effect);
  vector_clear(&plan->actions);
  vector_clear(&plan->sends);
}
