/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lang/check.h"

#include "lang/checker.h"
#include "lang/expand.h"

static void check_events(struct checker *checker) {
  if (error_count(checker->diagnostics) != 0)
    return;
  for (size_t i = 0; i < checker->bounds.count; i++)
    check_event(checker, checker->bounds.data[i]);
  for (size_t i = 0; i < checker->phases.count; i++)
    check_event(checker, &checker->phases.data[i]->end);
}

static void check_claims(struct checker *checker, const struct ast *ast) {
  for (size_t i = 0; i < ast->declarations.count; i++) {
    const struct declaration *d = ast->declarations.items[i];
    if (d->kind == DECLARATION_ASSUME)
      check_assumption(checker, d);
    else if (d->kind == DECLARATION_ACTION)
      check_action(checker, d);
    else if (d->kind == DECLARATION_INVARIANT)
      check_invariant(checker, d);
    else if (d->kind == DECLARATION_BOUND)
      check_bound(checker, d);
    else if (d->kind == DECLARATION_PHASE)
      check_phase(checker, d);
  }
  check_by_phases(checker, ast);
  check_orders(checker);
  check_events(checker);
  if (error_count(checker->diagnostics) != 0)
    return;
  make_losses(checker);
  make_idle_actions(checker);
}

static void warn_component(struct checker *checker, const struct symbol *symbol) {
  struct diagnostic *d;
  switch (symbol->component->kind) {
  case COMPONENT_STEP:
    d = REPORT(checker, W0502, symbol->span, "component \"%.60s\" is the cost of no action",
               symbol->name);
    diagnostic_hint(d, "give it to an action (\"cost %.60s\") or remove it", symbol->name);
    return;
  case COMPONENT_TIMEOUT:
    d = REPORT(checker, W0502, symbol->span, "no action waits for the timeout \"%.60s\"",
               symbol->name);
    diagnostic_hint(d, "make one wait (\"on timeout %.60s\") or remove it", symbol->name);
    return;
  case COMPONENT_CONSTANT:
    d = REPORT(checker, W0503, symbol->span, "parameter \"%.60s\" is never used", symbol->name);
    diagnostic_hint(d, "remove it");
    return;
  default:
    return;
  }
}

static void warn_symbol(struct checker *checker, const struct symbol *symbol) {
  struct diagnostic *d = NULL;
  if (symbol->kind == SYMBOL_COMPONENT && !symbol->used) {
    warn_component(checker, symbol);
  } else if (symbol->kind == SYMBOL_PARAM && !symbol->used) {
    d = REPORT(checker, W0503, symbol->span, "parameter \"%.60s\" is never used", symbol->name);
    diagnostic_hint(d, "remove it");
  } else if (symbol->kind == SYMBOL_MESSAGE && !checker->message_sent.data[symbol->message->id]) {
    d = REPORT(checker, W0504, symbol->span, "message \"%.60s\" is never sent", symbol->name);
    diagnostic_hint(d, "send it in an action of \"%.60s\", or remove it",
                    symbol->message->sender->name);
  } else if (symbol->kind == SYMBOL_STATE && !symbol->used) {
    d = REPORT(checker, W0505, symbol->span, "state \"%.60s\" is never read", symbol->name);
    diagnostic_hint(d, "remove it");
  }
}

static void check_warnings(struct checker *checker, const struct ast *ast) {
  for (size_t i = 0; i < checker->symbols.count; i++)
    warn_symbol(checker, checker->symbols.data[i]);
  for (size_t i = 0; i < checker->messages.count; i++)
    warn_bucket(checker, checker->messages.data[i]);
  if (checker->bounds.count != 0)
    return;
  struct diagnostic *d =
      REPORT(checker, W0501, ast->name.span, "protocol \"%.60s\" has no bound", ast->name.text);
  diagnostic_hint(d, "say what is to be proved: bound NAME: sent MESSAGE within TIME");
}

#define FILL(checker, list)                                                                        \
  do {                                                                                             \
    (checker)->model->list.count = (checker)->list.count;                                          \
    (checker)->model->list.items =                                                                 \
        arena_copy((checker)->arena, (checker)->list.data, (checker)->list.count, sizeof(void *)); \
  } while (0)

static void fill_model(struct checker *checker) {
  FILL(checker, params);
  FILL(checker, assumptions);
  FILL(checker, enumerations);
  FILL(checker, roles);
  FILL(checker, components);
  FILL(checker, messages);
  FILL(checker, states);
  FILL(checker, actions);
  FILL(checker, invariants);
  FILL(checker, bounds);
  FILL(checker, schedules);
  FILL(checker, phases);
}

static void checker_clear(struct checker *checker) {
  vector_clear(&checker->symbols);
  index_clear(&checker->index);
  vector_clear(&checker->params);
  vector_clear(&checker->assumptions);
  vector_clear(&checker->enumerations);
  vector_clear(&checker->roles);
  vector_clear(&checker->components);
  vector_clear(&checker->messages);
  vector_clear(&checker->states);
  vector_clear(&checker->actions);
  vector_clear(&checker->invariants);
  vector_clear(&checker->bounds);
  vector_clear(&checker->schedules);
  vector_clear(&checker->phases);
  vector_clear(&checker->delays);
  vector_clear(&checker->message_sent);
  vector_clear(&checker->scope);
}

static void check_tree(struct checker *checker, const struct ast *ast) {
  checker->model->name = keep_text(checker, ast->name.text);
  check_names(checker, ast);
  check_declarations(checker, ast);
  check_claims(checker, ast);
  if (error_count(checker->diagnostics) != 0)
    return;
  check_warnings(checker, ast);
  fill_model(checker);
}

struct model *check(const struct ast *ast, const struct source *source,
                    struct diagnostics *diagnostics) {
  if (error_count(diagnostics) != 0) {
    diagnostics_sort(diagnostics);
    return NULL;
  }
  struct model *model = mem_alloc(1, sizeof *model);
  arena_init(&model->arena);
  struct checker checker = {
      .model = model, .source = source, .diagnostics = diagnostics, .arena = &model->arena};
  struct ast *expanded = ast_expand(ast, diagnostics);
  check_tree(&checker, expanded);
  ast_free(expanded);
  checker_clear(&checker);
  diagnostics_sort(diagnostics);
  if (error_count(diagnostics) == 0)
    return model;
  model_free(model);
  return NULL;
}

void model_free(struct model *model) {
  if (model == NULL)
    return;
  for (size_t i = 0; i < model->rationals.count; i++)
    rational_clear(model->rationals.data[i]);
  vector_clear(&model->rationals);
  arena_clear(&model->arena);
  mem_free(model);
}
