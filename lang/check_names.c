/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The first pass: what is declared at top level, so that order does not matter. */
#include "lang/checker.h"

#include <string.h>

static void name_timing(struct checker *checker, const struct declaration *d) {
  static const char *const words[] = {"standard", "advanced", "eager"};
  if (checker->timing != NULL) {
    struct diagnostic *report = REPORT(checker, E0425, d->span, "a second timing model");
    diagnostic_note(report, checker->timing->span, "the first one is given here");
    diagnostic_hint(report, "a protocol has one timing model: remove one of the two");
    return;
  }
  checker->timing = d;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strcmp(d->name.text, words[i]) == 0) {
      checker->model->timing = (enum timing)i;
      return;
    }
  struct diagnostic *report =
      REPORT(checker, E0424, d->name.span, "unknown timing model \"%.60s\"", d->name.text);
  diagnostic_hint(report, "there are standard, advanced and eager");
}

static void check_queueing(struct checker *checker) {
  const struct component *queueing = checker->model->queueing;
  if (queueing == NULL || checker->model->timing != TIMING_ADVANCED)
    return;
  struct diagnostic *d =
      REPORT(checker, E0426, queueing->span, "the advanced timing model has no queueing term");
  diagnostic_note(d, checker->timing->span, "the model is chosen here");
  diagnostic_hint(d, "remove it: how long a message waits follows from the work before it");
}

static void name_component(struct checker *checker, struct name name, enum component_kind kind,
                           bool repeated);

static void name_param(struct checker *checker, const struct declaration *d) {
  if (d->time) {
    name_component(checker, d->name, COMPONENT_CONSTANT, false);
    return;
  }
  struct symbol *symbol = symbol_add(checker, SPACE_GLOBAL, NULL, d->name, SYMBOL_PARAM);
  if (symbol == NULL)
    return;
  struct param *param = symbol->param = arena_alloc(checker->arena, 1, sizeof *param);
  *param = (struct param){symbol->name, symbol->span, checker->params.count};
  vector_push(&checker->params, param);
}

static void name_enumeration(struct checker *checker, const struct declaration *d) {
  struct symbol *symbol = symbol_add(checker, SPACE_GLOBAL, NULL, d->name, SYMBOL_ENUM);
  struct enumeration *made = arena_alloc(checker->arena, 1, sizeof *made);
  made->name = keep_text(checker, d->name.text);
  made->span = d->name.span;
  made->id = checker->enumerations.count;
  made->count = d->names.count;
  made->values = arena_alloc(checker->arena, made->count, sizeof *made->values);
  for (size_t i = 0; i < made->count; i++) {
    const struct name *value = d->names.items[i];
    made->values[i] = keep_text(checker, value->text);
    struct symbol *of_value = symbol_add(checker, SPACE_GLOBAL, NULL, *value, SYMBOL_VALUE);
    if (of_value == NULL)
      continue;
    of_value->enumeration = made;
    of_value->position = (int64_t)i;
  }
  vector_push(&checker->enumerations, made);
  if (symbol != NULL)
    symbol->enumeration = made;
}

static void name_role(struct checker *checker, const struct declaration *d) {
  struct symbol *symbol = symbol_add(checker, SPACE_GLOBAL, NULL, d->name, SYMBOL_ROLE);
  if (symbol == NULL)
    return;
  struct role *role = symbol->role = arena_alloc(checker->arena, 1, sizeof *role);
  role->name = symbol->name;
  role->span = symbol->span;
  role->id = checker->roles.count;
  role->external = d->external;
  vector_push(&checker->roles, role);
}

static void name_component(struct checker *checker, struct name name, enum component_kind kind,
                           bool repeated) {
  struct symbol *symbol = symbol_add(checker, SPACE_GLOBAL, NULL, name, SYMBOL_COMPONENT);
  if (symbol == NULL)
    return;
  struct component *made = symbol->component = arena_alloc(checker->arena, 1, sizeof *made);
  made->name = symbol->name;
  made->span = symbol->span;
  made->id = checker->components.count;
  made->kind = kind;
  made->repeated = repeated;
  vector_push(&checker->components, made);
  if (kind == COMPONENT_DELAY)
    vector_push(&checker->delays, made);
  else if (kind == COMPONENT_QUEUEING)
    checker->model->queueing = made;
}

static void name_components(struct checker *checker, const struct list *names,
                            enum component_kind kind, bool repeated) {
  for (size_t i = 0; i < names->count; i++)
    name_component(checker, *(const struct name *)names->items[i], kind, repeated);
}

static void name_queueing(struct checker *checker, const struct declaration *d) {
  const struct component *first = checker->model->queueing;
  if (first == NULL) {
    name_component(checker, d->name, COMPONENT_QUEUEING, false);
    return;
  }
  struct diagnostic *report = REPORT(checker, E0402, d->name.span, "a second queueing term");
  diagnostic_note(report, first->span, "the first one is declared here");
}

static void name_message(struct checker *checker, const struct declaration *d) {
  struct symbol *symbol = symbol_add(checker, SPACE_GLOBAL, NULL, d->name, SYMBOL_MESSAGE);
  if (symbol == NULL)
    return;
  struct message *made = symbol->message = arena_alloc(checker->arena, 1, sizeof *made);
  made->name = symbol->name;
  made->span = symbol->span;
  made->id = checker->messages.count;
  made->sender_field = made->receiver_field = -1;
  vector_push(&checker->messages, made);
  vector_push(&checker->message_sent, false);
}

void check_names(struct checker *checker, const struct ast *ast) {
  for (size_t i = 0; i < ast->declarations.count; i++) {
    const struct declaration *d = ast->declarations.items[i];
    switch (d->kind) {
    case DECLARATION_PARAM:
      name_param(checker, d);
      break;
    case DECLARATION_ENUM:
      name_enumeration(checker, d);
      break;
    case DECLARATION_ROLE:
      name_role(checker, d);
      break;
    case DECLARATION_COMPONENT:
      for (size_t j = 0; j < d->items.count; j++)
        name_component(checker, ((struct item_syntax *)d->items.items[j])->name, COMPONENT_STEP,
                       false);
      break;
    case DECLARATION_REPEATED:
    case DECLARATION_SCHEDULE: /* its slots */
      name_components(checker, &d->names, COMPONENT_STEP, true);
      break;
    case DECLARATION_TIMEOUT:
      name_components(checker, &d->names, COMPONENT_TIMEOUT, true);
      break;
    case DECLARATION_DELAY:
      name_components(checker, &d->names, COMPONENT_DELAY, false);
      break;
    case DECLARATION_QUEUEING:
      name_queueing(checker, d);
      break;
    case DECLARATION_TIMING:
      name_timing(checker, d);
      break;
    case DECLARATION_MESSAGE:
      name_message(checker, d);
      break;
    case DECLARATION_LET:
      symbol_add(checker, SPACE_GLOBAL, NULL, d->name, SYMBOL_ABBREVIATION);
      break;
    default:
      break;
    }
  }
  check_queueing(checker);
}
