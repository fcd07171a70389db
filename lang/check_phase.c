/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Phases, and bounds that are proved by them. */
#include "lang/checker.h"

#include <string.h>

static void check_start(struct checker *checker, const struct declaration *part,
                        struct phase *phase) {
  struct type truth = type_of(TYPE_BOOL);
  checker->position = POSITION_INVARIANT;
  phase->start = check_typed(checker, part->formula, &truth, "the start of a phase");
}

static void check_end(struct checker *checker, const struct declaration *part,
                      struct phase *phase) {
  struct bound *end = &phase->end;
  if (end->expression_text != NULL) {
    struct diagnostic *d =
        REPORT(checker, E0439, part->name.span, "phase \"%.60s\" has two ends", phase->name);
    diagnostic_note(d, end->span, "the first one is here");
    diagnostic_hint(d, "split it into two phases");
    return;
  }
  end->name = phase->name;
  end->span = part->name.span;
  end->id = phase->id;
  check_target(checker, part, end);
  check_expression(checker, part, end);
  if (part->expression != NULL)
    return;
  struct diagnostic *d = REPORT(checker, E0439, part->span, "the end of a phase needs a time");
  diagnostic_hint(d, "only a bound may ask: bound NAME: ... within ?");
}

void check_phase(struct checker *checker, const struct declaration *d) {
  symbol_add(checker, SPACE_PHASE, NULL, d->name, SYMBOL_OTHER);
  struct phase *made = arena_alloc(checker->arena, 1, sizeof *made);
  made->name = keep_text(checker, d->name.text);
  made->span = d->name.span;
  made->id = checker->phases.count;
  vector_push(&checker->phases, made);
  for (size_t i = 0; i < d->parts.count; i++) {
    const struct declaration *part = d->parts.items[i];
    checker->phase = part->kind == DECLARATION_END ? NULL : made;
    if (part->kind == DECLARATION_START)
      check_start(checker, part, made);
    else if (part->kind == DECLARATION_INVARIANT)
      check_invariant(checker, part);
    else
      check_end(checker, part, made);
  }
  checker->phase = NULL;
  if (made->end.expression_text == NULL) {
    struct diagnostic *report =
        REPORT(checker, E0439, d->name.span, "phase \"%.60s\" has no end", made->name);
    diagnostic_hint(report, "say what ends it, and by when: end sent MESSAGE within TIME");
  }
  if (made->id == 0 || made->start != NULL)
    return;
  struct diagnostic *report =
      REPORT(checker, E0439, d->name.span, "phase \"%.60s\" has no start", made->name);
  diagnostic_note(report, checker->phases.data[0]->span, "only the first phase may do without");
  diagnostic_hint(report, "say what holds when it begins: start FORMULA");
}

static bool is_same_event(const struct bound *a, const struct bound *b) {
  if (a->target != b->target || a->message != b->message)
    return false;
  for (size_t i = 0; i < a->arg_count; i++)
    if (!term_is_same(a->args[i], b->args[i]))
      return false;
  return true;
}

static bool is_of_state(const struct term *term) {
  if (term == NULL)
    return false;
  bool found = term->kind == TERM_STATE || (term->kind >= TERM_SENT && term->kind <= TERM_ORDER);
  for (size_t i = 0; i < term->count && !found; i++)
    found = is_of_state(term->args[i]);
  for (size_t i = 0; i < term->variable_count && !found; i++) {
    const struct variable *v = term->variables[i];
    found = is_of_state(v->set) || is_of_state(v->low) || is_of_state(v->high);
  }
  return found;
}

/* Else one message is sent in time, which ends the last phase, and then the state names another. */
static void check_same_message(struct checker *checker, const struct bound *bound) {
  for (size_t i = 0; i < bound->arg_count; i++)
    if (is_of_state(bound->args[i])) {
      struct diagnostic *report =
          REPORT(checker, E0440, bound->args[i]->span,
                 "a bound by phases is about one message, and which one this is changes with the "
                 "state");
      diagnostic_hint(report, "name it by parameters, nodes and values, or remove \"by phases\"");
      return;
    }
}

static void check_last_end(struct checker *checker, const struct declaration *d,
                           const struct bound *bound) {
  const struct phase *last = checker->phases.data[checker->phases.count - 1];
  struct diagnostic *report;
  if (last->end.target == TARGET_WHEN || bound->target == TARGET_WHEN) {
    bool own = bound->target == TARGET_WHEN;
    report = REPORT(checker, E0440, own ? d->target_span : last->end.span,
                    "a bound by phases is about a message: its last phase ends when one was sent "
                    "or delivered");
    diagnostic_note(report, own ? last->end.span : d->name.span,
                    own ? "the last phase ends here" : "this bound is by phases");
    diagnostic_hint(report, "end the last phase with \"sent M\" or \"delivered M\"; only phases "
                            "before it may end with \"when\"");
  } else if (!is_same_event(bound, &last->end)) {
    report = REPORT(checker, E0440, d->target_span,
                    "a bound by phases is about the end of the last phase");
    diagnostic_note(report, last->end.span, "the last phase ends with \"%.60s\"",
                    last->end.target_text);
    diagnostic_hint(report, "make the two the same");
  } else {
    check_same_message(checker, bound);
  }
}

static void check_bound_by_phases(struct checker *checker, const struct declaration *d,
                                  const struct bound *bound) {
  struct diagnostic *report;
  if (checker->phases.count == 0) {
    report = REPORT(checker, E0440, d->name.span, "\"by phases\", but there are no phases");
    diagnostic_hint(report, "declare them: phase NAME { ... }, or remove \"by phases\"");
  } else if (d->binders.count != 0) {
    report = REPORT(checker, E0440, list_binder(&d->binders, 0)->name.span,
                    "a bound by phases is about one event, not one for all nodes");
    diagnostic_hint(report, "remove \"for all\": phases follow one another once");
  } else if (d->from.text != NULL) {
    report = REPORT(checker, E0440, d->from.span, "a bound by phases counts from time 0");
    diagnostic_hint(report, "remove \"from\" or \"by phases\"");
  } else if (d->expression == NULL) {
    report = REPORT(checker, E0440, d->name.span, "a bound by phases needs its time");
    diagnostic_hint(report, "write the sum of what the phases take");
  } else {
    check_last_end(checker, d, bound);
  }
}

void check_by_phases(struct checker *checker, const struct ast *ast) {
  size_t next = 0;
  if (error_count(checker->diagnostics) != 0)
    return;
  for (size_t i = 0; i < ast->declarations.count; i++) {
    const struct declaration *d = ast->declarations.items[i];
    if (d->kind != DECLARATION_BOUND)
      continue;
    const struct bound *bound = checker->bounds.data[next++];
    if (bound->by_phases)
      check_bound_by_phases(checker, d, bound);
  }
}
