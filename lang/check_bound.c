/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Checks assumptions, invariants and bounds (checker.h).
 */
#include <string.h>

#include "lang/checker.h"
#include "lang/source.h"
#include "lang/term_time.h"

void check_assumption(struct checker *checker, const struct declaration *d) {
  struct type truth = type_of(TYPE_BOOL);
  struct assumption *made = arena_alloc(checker->arena, 1, sizeof *made);
  checker->position = POSITION_ASSUME;
  made->span = d->formula->span;
  made->formula = check_typed(checker, d->formula, &truth, "an assumption");
  made->text = source_slice(checker->source, made->span, checker->arena);
  vector_push(&checker->assumptions, made);
}

void check_invariant(struct checker *checker, const struct declaration *d) {
  struct type truth = type_of(TYPE_BOOL);
  const struct symbol *symbol = symbol_add(checker, SPACE_CLAIM, NULL, d->name, SYMBOL_OTHER);
  struct invariant *made = arena_alloc(checker->arena, 1, sizeof *made);
  checker->position = POSITION_INVARIANT;
  made->name = symbol == NULL ? "" : symbol->name;
  made->span = d->name.span;
  made->id = checker->invariants.count;
  made->formula = check_typed(checker, d->formula, &truth, "an invariant");
  made->timing = term_mentions_time(made->formula);
  made->phase = checker->phase;
  vector_push(&checker->invariants, made);
}

static void check_target_when(struct checker *checker, const struct declaration *d,
                              struct bound *bound) {
  struct type truth = type_of(TYPE_BOOL);
  struct term *node = check_term(checker, d->at);
  if (node->type.kind != TYPE_NODE && node->type.kind != TYPE_ERROR) {
    struct diagnostic *report = REPORT(checker, E0301, d->at->span, "\"at\" takes a node, not %s",
                                       type_text(checker, &node->type));
    if (node->kind == TERM_ROLE_SET)
      diagnostic_hint(report, "write \"bound %.60s for all i in %s: when ... at i\"", d->name.text,
                      node->type.role->name);
    node = term_error(checker, d->at->span);
  }
  bound->node = node;
  checker->here = node->type.kind == TYPE_NODE ? node : NULL;
  /* Without the node, the names of its state would all be unknown. */
  if (checker->here != NULL)
    bound->formula = check_typed(checker, d->formula, &truth, "the event of a bound");
  checker->here = NULL;
}

void check_target(struct checker *checker, const struct declaration *d, struct bound *bound) {
  bound->target = d->target;
  checker->position = POSITION_TARGET;
  if (d->target == TARGET_WHEN) {
    check_target_when(checker, d, bound);
    return;
  }
  bound->message = find_message(checker, d->message);
  if (bound->message == NULL)
    return;
  bound->arg_count = bound->message->field_count;
  bound->args = arena_alloc(checker->arena, bound->arg_count, sizeof *bound->args);
  check_arguments(checker, bound->message, d->message.span, &d->args, bound->args);
}

/* A name that means nothing yet. */
static bool is_new_name(struct checker *checker, const struct syntax *syntax) {
  return syntax->kind == SYNTAX_NAME && scope_find(checker, syntax->name.text) == NULL &&
         symbol_find(checker, SPACE_GLOBAL, NULL, syntax->name.text) == NULL &&
         strcmp(syntax->name.text, "first") != 0 && strcmp(syntax->name.text, "last") != 0;
}

static const struct variable *new_variable(struct checker *checker, struct name name,
                                           struct type type) {
  struct variable *made = variable_new(checker, name, type);
  made->domain = type.kind == TYPE_NODE  ? DOMAIN_ROLE
                 : type.kind == TYPE_INT ? DOMAIN_INT
                                         : DOMAIN_NONE;
  scope_push(checker, made);
  return made;
}

/* from sent M(x, y): a name that is known must match, a new one is bound. */
static void check_from(struct checker *checker, const struct declaration *d, struct bound *bound) {
  if (d->from.text == NULL)
    return;
  const struct message *message = bound->from = find_message(checker, d->from);
  size_t fields = message == NULL ? 0 : message->field_count;
  const struct variable **all =
      arena_alloc(checker->arena, bound->variable_count + d->from_args.count + 1, sizeof *all);
  for (size_t i = 0; i < bound->variable_count; i++)
    all[i] = bound->variables[i];
  bound->variables = all;
  for (size_t i = 0; i < d->from_args.count; i++) {
    const struct syntax *arg = d->from_args.items[i];
    struct type type = i < fields ? message->fields[i].type : type_of(TYPE_ERROR);
    if (is_new_name(checker, arg))
      all[bound->variable_count++] = new_variable(checker, arg->name, type);
  }
  bound->from_args = arena_alloc(checker->arena, fields, sizeof *bound->from_args);
  if (message != NULL)
    check_arguments(checker, message, d->from.span, &d->from_args, bound->from_args);
}

/* What a bound chooses by is the same in every state, and no time: so at given parameters it grows
 * with each of its times, as percentiles need it. */
static void check_choice_of_bound(struct checker *checker, const struct term *condition) {
  if (!term_mentions_time(condition))
    return;
  struct diagnostic *d =
      REPORT(checker, E0416, condition->span, "what a bound chooses by cannot depend on times");
  diagnostic_hint(d, "choose by parameters, numbers, nodes and values; of two times max(A, B) is "
                     "the larger and min(A, B) the smaller");
}

/* Only what counts from a message may subtract: what has passed since an earlier one. */
static void check_shape(struct checker *checker, const struct term *term, bool subtracts) {
  struct diagnostic *d;
  switch (term->kind) {
  case TERM_TIME:
  case TERM_OCCURRENCE:
  case TERM_DELAY:
  case TERM_BARE:
    return;
  case TERM_MUL:
    if (term->args[0]->kind == TERM_NEG && term->args[0]->args[0]->kind == TERM_INT) {
      d = REPORT(checker, E0304, term->args[0]->span, "a time cannot be multiplied by less than 0");
      diagnostic_hint(d, "a bound is never negative");
    }
    check_shape(checker, term->args[1], subtracts);
    return;
  case TERM_KTH_OVER:
    check_shape(checker, term->args[0], subtracts);
    return;
  case TERM_ITE:
    check_choice_of_bound(checker, term->args[0]);
    check_shape(checker, term->args[1], subtracts);
    check_shape(checker, term->args[2], subtracts);
    return;
  case TERM_ADD:
  case TERM_MAX:
  case TERM_MIN:
  case TERM_MAX_OVER:
  case TERM_MIN_OVER:
  case TERM_SUM_OVER:
    for (size_t i = 0; i < term->count; i++)
      check_shape(checker, term->args[i], subtracts);
    return;
  case TERM_SUB:
    for (size_t i = 0; i < term->count && subtracts; i++)
      check_shape(checker, term->args[i], subtracts);
    if (subtracts)
      return;
    break;
  default:
    break;
  }
  d = REPORT(checker, E0416, term->span,
             term->kind == TERM_SUB || term->kind == TERM_NEG
                 ? "a bound cannot subtract times"
                 : "this cannot stand in the expression of a bound");
  diagnostic_hint(d, "bounds are built from +, INT * TIME, max, min, sum, kth and if");
}

void hint_parameter(struct diagnostic *diagnostic, const char *name) {
  diagnostic_hint(
      diagnostic,
      "make \"%.60s\" a parameter (param %.60s : int), with its limits in \"assume\": a "
      "bound holds for every value of its parameters",
      name, name);
}

/* Made of parameters, numbers and variables: the same in every state. */
static bool is_fixed(const struct term *term) {
  if (term->type.kind == TYPE_ERROR)
    return true;
  switch (term->kind) {
  case TERM_INT:
  case TERM_PARAM:
  case TERM_VARIABLE:
  case TERM_INDEX:
  case TERM_ADD:
  case TERM_SUB:
  case TERM_NEG:
  case TERM_MUL:
  case TERM_DIV:
  case TERM_POWER:
  case TERM_MAX:
  case TERM_MIN:
    break;
  default:
    return false;
  }
  bool fixed = true;
  for (size_t i = 0; i < term->count && fixed; i++)
    fixed = is_fixed(term->args[i]);
  return fixed;
}

static void check_bound_variables(struct checker *checker, const struct declaration *d,
                                  struct bound *bound) {
  checker->in_heading = true;
  bound->variable_count = d->binders.count;
  bound->variables = check_binders(checker, &d->binders);
  checker->in_heading = false;
  for (size_t i = 0; i < bound->variable_count; i++) {
    const struct variable *v = bound->variables[i];
    bool range = v->domain == DOMAIN_RANGE;
    if (v->domain == DOMAIN_ROLE || v->type.kind == TYPE_ERROR || v->domain == DOMAIN_INT ||
        (range && is_fixed(v->low) && is_fixed(v->high)))
      continue;
    struct diagnostic *report =
        REPORT(checker, E0423, list_binder(&d->binders, i)->domain->span,
               range ? "the range of a bound depends on the state"
                     : "a bound holds for all nodes of a role, not of a set");
    if (range)
      diagnostic_hint(report, "give its ends as parameters and numbers, and say in the target of "
                              "which values it is");
    else if (v->type.kind == TYPE_NODE)
      diagnostic_hint(report,
                      "take all of \"%.60s\", and say of which nodes it is in the target or "
                      "the invariants",
                      v->type.role->name);
  }
}

void check_expression(struct checker *checker, const struct declaration *d, struct bound *bound) {
  struct type time = type_of(TYPE_TIME);
  bound->target_text = source_slice(checker->source, d->target_span, checker->arena);
  bound->expression_text = "?";
  if (d->expression == NULL)
    return;
  checker->position = POSITION_EXPRESSION;
  bound->expression = check_typed(checker, d->expression, &time, "a bound");
  if (bound->expression->type.kind != TYPE_ERROR)
    check_shape(checker, bound->expression, bound->from != NULL);
  bound->expression_text = source_slice(checker->source, d->expression->span, checker->arena);
}

void check_bound(struct checker *checker, const struct declaration *d) {
  const struct symbol *symbol = symbol_add(checker, SPACE_CLAIM, NULL, d->name, SYMBOL_OTHER);
  struct bound *made = arena_alloc(checker->arena, 1, sizeof *made);
  made->name = symbol == NULL ? "" : symbol->name;
  made->span = d->name.span;
  made->id = checker->bounds.count;
  checker->position = POSITION_TARGET;
  check_bound_variables(checker, d, made);
  check_from(checker, d, made);
  check_target(checker, d, made);
  check_expression(checker, d, made);
  made->by_phases = d->by_phases;
  checker->scope.count = 0;
  vector_push(&checker->bounds, made);
}
