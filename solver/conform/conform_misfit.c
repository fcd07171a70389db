/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Remembers the earliest event that does not fit, and says what the model would have allowed
 * (inside.h).
 */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "solver/conform/inside.h"

enum { ALLOWED_SHOWN = 12 };

void misfit(struct conform *c, enum conform_verdict verdict, const struct conform_event *event,
            const char *format, ...) {
  if (c->culprit != NULL && c->culprit->start <= event->start)
    return;
  c->culprit = event;
  c->gap = (struct conform_gap){0};
  c->verdict = verdict;
  c->reason.length = c->allowed.length = 0;
  text_append(&c->reason, "");
  text_append(&c->allowed, "");
  va_list arguments;
  va_start(arguments, format);
  text_format_list(&c->reason, format, arguments);
  va_end(arguments);
}

static bool is_listed(const step_vector *steps, const struct step *step) {
  for (size_t i = 0; i < steps->count; i++)
    if (step_compare(&steps->data[i], step) == 0)
      return true;
  return false;
}

/* What the network may do to the node's messages is no step of the node. */
static void keep_own(step_vector *steps) {
  size_t kept = 0;
  for (size_t i = 0; i < steps->count; i++)
    if (!steps->data[i].action->loses)
      steps->data[kept++] = steps->data[i];
  steps->count = kept;
}

void misfit_allowed(struct conform *c, const struct conform_event *event, const struct step *step) {
  if (c->culprit != event)
    return;
  step_vector steps = {0};
  step_list_node(&steps, c->world, event->role, event->node);
  keep_own(&steps);
  bool came = step->action->message == NULL || step_message(c->world, step) != NULL;
  if (came && !is_listed(&steps, step) && strstr(text_get(&c->reason), "receives") == NULL) {
    c->reason.length = 0;
    text_append(&c->reason, "is not enabled");
  }
  for (size_t i = 0; i < steps.count && i < ALLOWED_SHOWN; i++) {
    step_print(&c->allowed, &steps.data[i]);
    text_append(&c->allowed, "\n");
  }
  if (steps.count > ALLOWED_SHOWN)
    text_format(&c->allowed, "... %zu in all\n", steps.count);
  if (steps.count == 0)
    text_append(&c->allowed, "no step\n");
  vector_clear(&steps);
}

static void print_identity(struct text *text, const char *name, const struct conform_event *event,
                           size_t count, const char *brackets) {
  text_append(text, name);
  for (size_t i = 0; i < count; i++)
    text_format(text, "%s%" PRId32, i == 0 ? (brackets[0] == '(' ? "(" : "[") : ", ",
                event->arguments[i]);
  if (count != 0)
    text_append_bytes(text, &brackets[1], 1);
}

void conform_print_event(struct text *text, const struct conform_event *event) {
  size_t given = event->count;
  switch ((enum conform_kind)event->kind) {
  case CONFORM_STEP: {
    struct step step = {.action = event->what.action, .node = event->node};
    size_t known = step_argument_count(step.action);
    for (size_t i = 0; i < given && i < known; i++)
      step_set_argument(&step, i, event->arguments[i]);
    if (event->role == step.action->role)
      step_print(text, &step);
    else
      text_append(text, step.action->name);
    return;
  }
  case CONFORM_SEND:
  case CONFORM_ARRIVAL:
  case CONFORM_WAIT: {
    size_t fields = event->what.message->field_count;
    print_identity(text, event->what.message->name, event, given < fields ? given : fields, "()");
    return;
  }
  case CONFORM_PART:
    print_identity(text, event->what.component->name, event, given, "[]");
    return;
  case CONFORM_REQUEST:
    text_format(text, "the request %s", event->what.text);
    return;
  case CONFORM_BEGINNING:
    text_append(text, "the beginning");
    return;
  case CONFORM_FOREIGN:
    text_append(text, "a record");
    return;
  }
}
