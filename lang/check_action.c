/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Checks an action: its node, trigger, pattern, guard, costs and body (checker.h).
 */
#include "lang/checker.h"

#include <string.h>

/* The acting node: named for a family, called like the role for a single node. */
static struct variable *acting_node(struct checker *checker, const struct declaration *d,
                                    const struct role *role) {
  if (role->count != NULL && d->node.text == NULL) {
    struct diagnostic *report =
        REPORT(checker, E0420, d->role.span, "role \"%.60s\" is a family: name the node that acts",
               role->name);
    diagnostic_hint(report, "write \"action %.60s %.1s.%.60s\"", role->name, role->name,
                    d->name.text);
  } else if (role->count == NULL && d->node.text != NULL) {
    struct diagnostic *report = REPORT(checker, E0420, d->node.span,
                                       "role \"%.60s\" is one node and needs no name", role->name);
    diagnostic_hint(report, "write \"action %.60s.%.60s\"", role->name, d->name.text);
  }
  struct name name = d->node.text != NULL ? d->node : d->role;
  struct variable *node = variable_new(checker, name, type_node(role));
  node->domain = DOMAIN_NONE;
  if (d->node.text != NULL)
    scope_push(checker, node);
  return node;
}

static const struct variable *pattern_variable(struct checker *checker, const struct action *action,
                                               const struct name *name, const struct field *field) {
  for (size_t i = checker->scope.count; i-- > 0;) {
    const struct variable *known = checker->scope.data[i];
    if (strcmp(known->name, name->text) != 0)
      continue;
    if (!type_agrees(&known->type, &field->type)) {
      struct diagnostic *d = REPORT(
          checker, E0305, name->span, "field \"%.60s\" is %s, but \"%.60s\" is %s", field->name,
          type_text(checker, &field->type), name->text, type_text(checker, &known->type));
      diagnostic_note(d, known->span, "\"%.60s\" is declared here", name->text);
    }
    return known;
  }
  (void)action;
  struct variable *made = variable_new(checker, *name, field->type);
  made->domain = DOMAIN_NONE;
  scope_push(checker, made);
  return made;
}

static void check_pattern(struct checker *checker, const struct declaration *d,
                          struct action *action) {
  if (d->message.text == NULL)
    return;
  const struct message *message = find_message(checker, d->message);
  if (message == NULL) { /* so that the body does not complain of every field */
    for (size_t i = 0; i < d->names.count; i++) {
      const struct name *name = d->names.items[i];
      if (scope_find(checker, name->text) == NULL)
        scope_push(checker, variable_new(checker, *name, type_of(TYPE_ERROR)));
    }
    return;
  }
  action->message = message;
  if (message->receiver != NULL && message->receiver != action->role) {
    struct diagnostic *report = REPORT(checker, E0407, d->message.span,
                                       "message \"%.60s\" goes to \"%.60s\", not to \"%.60s\"",
                                       message->name, message->receiver->name, action->role->name);
    diagnostic_note(report, message->span, "declared here");
  }
  if (d->names.count != message->field_count) {
    struct diagnostic *report = REPORT(
        checker, E0302, d->message.span, "message \"%.60s\" has %zu %s, not %zu", message->name,
        message->field_count, message->field_count == 1 ? "field" : "fields", d->names.count);
    diagnostic_note(report, message->span, "declared here");
  }
  action->fields = arena_alloc(checker->arena, d->names.count, sizeof *action->fields);
  static const struct field unknown = {.name = "?"};
  for (size_t i = 0; i < d->names.count; i++)
    action->fields[i] = pattern_variable(checker, action, d->names.items[i],
                                         i < message->field_count ? &message->fields[i] : &unknown);
}

struct terms {
  VECTOR(const struct term *) items;
};

/* The costs of an action, as far as they are read; condition and batch of the one being read. */
struct cost_list {
  struct terms costs, conditions;
  VECTOR(const struct variable *) batches;
  const struct term *condition;
  const struct variable *batch;
};

static void check_cost(struct checker *checker, struct cost_list *list,
                       const struct syntax *syntax);

static void check_cost_choice(struct checker *checker, struct cost_list *list,
                              const struct syntax *syntax) {
  struct type truth = type_of(TYPE_BOOL);
  const struct term *outer = list->condition;
  if (list->batch != NULL) {
    struct diagnostic *d =
        REPORT(checker, E0417, syntax->span, "within the sum of a batch a cost has no condition");
    diagnostic_hint(d, "take the set or range of those that it is charged for");
    return;
  }
  const struct term *test =
      check_typed(checker, syntax_arg(syntax, 0), &truth, "the condition of a cost");
  check_no_time(checker, test);
  const struct term *sides[] = {test, term_pair(checker, TERM_NOT, truth, test->span, test, NULL)};
  for (size_t i = 0; i < 2; i++) {
    list->condition = sides[i];
    if (outer != NULL)
      list->condition = term_pair(checker, TERM_AND, truth, test->span, outer, sides[i]);
    check_cost(checker, list, syntax_arg(syntax, i + 1));
  }
  list->condition = outer;
}

/* sum b in q (C[b]): the occurrences of a batch. */
static void check_cost_batch(struct checker *checker, struct cost_list *list,
                             const struct syntax *syntax) {
  if (list->batch != NULL || syntax->binders.count != 1) {
    struct diagnostic *d =
        REPORT(checker, E0417, syntax->span, "a cost is summed over one variable");
    diagnostic_hint(d, "write sum b in q (C[b])");
    return;
  }
  size_t depth = checker->scope.count;
  const struct variable *batch = check_binders(checker, &syntax->binders)[0];
  if (batch->domain == DOMAIN_INT) {
    REPORT(checker, E0419, list_binder(&syntax->binders, 0)->domain->span,
           "only a quantifier of an invariant can range over all integers");
    checker->scope.count = depth;
    return;
  }
  if (batch->domain == DOMAIN_ROLE && batch->type.kind == TYPE_NODE)
    checker->roles.data[batch->type.role->id]->ordered = true;
  list->batch = batch;
  check_cost(checker, list, syntax_arg(syntax, 0));
  list->batch = NULL;
  checker->scope.count = depth;
}

static bool mentions(const struct term *term, const struct variable *variable) {
  bool found = term->kind == TERM_VARIABLE && term->variable == variable;
  for (size_t i = 0; i < term->count && !found; i++)
    found = mentions(term->args[i], variable);
  return found;
}

/* One index names the member of the batch, the others do not depend on it: so no two members are
 * charged the same occurrence. */
static void check_batch_index(struct checker *checker, const struct variable *batch,
                              const struct term *cost) {
  size_t named = 0, mentioned = 0;
  for (size_t i = 0; i < cost->count; i++) {
    named += cost->args[i]->kind == TERM_VARIABLE && cost->args[i]->variable == batch;
    mentioned += mentions(cost->args[i], batch);
  }
  if (cost->component->repeated || (named == 1 && mentioned == 1))
    return;
  struct diagnostic *d = REPORT(checker, E0417, cost->span,
                                "\"%.60s\" must be one of the indices of %.60s, and in no other",
                                batch->name, cost->component->name);
  diagnostic_note(d, batch->span, "the sum ranges over it");
  diagnostic_hint(d, "a batch costs one occurrence for each member: sum %.60s in ... (C[%.60s])",
                  batch->name, batch->name);
}

static void add_cost(struct cost_list *list, const struct term *cost,
                     const struct term *condition) {
  vector_push(&list->costs.items, cost);
  vector_push(&list->conditions.items, condition);
  vector_push(&list->batches, list->batch);
}

static void refuse_cost(struct checker *checker, const struct syntax *syntax) {
  struct diagnostic *d =
      REPORT(checker, E0417, syntax->span, "a cost is a component, or a sum of components");
  if (syntax->kind == SYNTAX_MUL)
    diagnostic_hint(d, "a batch costs one occurrence for each member: sum b in q (C[b]), or "
                       "sum i in 1..k (Tick) of a repeated one");
  else
    diagnostic_hint(d, "declare a component for this time: component NAME");
}

static void check_cost(struct checker *checker, struct cost_list *list,
                       const struct syntax *syntax) {
  if (syntax->kind == SYNTAX_ADD) {
    check_cost(checker, list, syntax_arg(syntax, 0));
    check_cost(checker, list, syntax_arg(syntax, 1));
    return;
  }
  if (syntax->kind == SYNTAX_ITE) {
    check_cost_choice(checker, list, syntax);
    return;
  }
  if (syntax->kind == SYNTAX_SUM_OVER) {
    check_cost_batch(checker, list, syntax);
    return;
  }
  if (syntax->kind == SYNTAX_INTEGER && strcmp(syntax->name.text, "0") == 0)
    return;
  const struct syntax *base = syntax->kind == SYNTAX_INDEX ? syntax_arg(syntax, 0) : syntax;
  if (base->kind != SYNTAX_NAME) {
    refuse_cost(checker, syntax);
    return;
  }
  const struct component *component = find_component(checker, base->name);
  if (component == NULL)
    return;
  if (component->kind != COMPONENT_STEP) {
    struct diagnostic *d = REPORT(checker, E0417, syntax->span,
                                  "\"%.60s\" is no step, so no action takes it", component->name);
    diagnostic_note(d, component->span, "declared here");
    return;
  }
  symbol_of_kind(checker, SYMBOL_COMPONENT, component->name)->used = true;
  struct term *cost = term_occurrence(checker, component, syntax);
  for (size_t i = 0; i < cost->count; i++)
    check_no_time(checker, cost->args[i]);
  if (list->batch != NULL)
    check_batch_index(checker, list->batch, cost);
  const struct term *condition = list->condition;
  add_cost(list, cost, condition == NULL ? NULL : term_copy(checker, condition, NULL, NULL, 0));
}

static const struct term **keep_terms(struct checker *checker, struct terms *terms, size_t *count) {
  const struct term **kept =
      arena_copy(checker->arena, terms->items.data, terms->items.count, sizeof *kept);
  *count = terms->items.count;
  vector_clear(&terms->items);
  return kept;
}

static void check_costs(struct checker *checker, const struct declaration *d,
                        struct action *action) {
  struct cost_list list = {0};
  size_t conditional = 0, batched = 0, count;
  if (d->cost != NULL)
    check_cost(checker, &list, d->cost);
  else if (action->schedule != NULL)
    add_cost(&list, slot_cost(checker, action), NULL);
  for (size_t i = 0; i < list.batches.count; i++) {
    conditional += list.conditions.items.data[i] != NULL;
    batched += list.batches.data[i] != NULL;
  }
  if (batched != 0)
    action->batches =
        arena_copy(checker->arena, list.batches.data, list.batches.count, sizeof *action->batches);
  vector_clear(&list.batches);
  action->costs = keep_terms(checker, &list.costs, &action->cost_count);
  action->conditions = keep_terms(checker, &list.conditions, &count);
  if (conditional == 0)
    action->conditions = NULL;
}

static void check_body(struct checker *checker, const struct declaration *d,
                       struct action *action) {
  struct type truth = type_of(TYPE_BOOL);
  struct terms guards = {0};
  const struct list *statements = &d->block->statements;
  size_t first = 0;
  if (action->schedule != NULL)
    vector_push(&guards.items, slot_guard(checker, action));
  for (; first < statements->count; first++) {
    const struct statement_syntax *syntax = statements->items[first];
    if (syntax->kind != STATEMENT_SYNTAX_WHEN)
      break;
    const struct term *guard = check_typed(checker, syntax->value, &truth, "a guard");
    check_guard_times(checker, guard);
    vector_push(&guards.items, guard);
  }
  check_costs(checker, d, action);
  action->guards = keep_terms(checker, &guards, &action->guard_count);
  action->body = check_block(checker, statements, first);
  check_block_times(checker, &action->body);
  if (action->schedule == NULL)
    return;
  const struct statement **body = arena_alloc(checker->arena, action->body.count + 1, sizeof *body);
  body[0] = slot_step(checker, action);
  for (size_t i = 0; i < action->body.count; i++)
    body[i + 1] = action->body.statements[i];
  action->body.statements = body;
  action->body.count++;
}

/* How long actions `at any time` wait is a timeout of the protocol that no bound can name. */
static const struct component *any_time(struct checker *checker, struct source_span span) {
  if (checker->model->any_time != NULL)
    return checker->model->any_time;
  struct component *made = arena_alloc(checker->arena, 1, sizeof *made);
  made->name = "any time";
  made->span = span;
  made->id = checker->components.count;
  made->kind = COMPONENT_TIMEOUT;
  made->repeated = true;
  vector_push(&checker->components, made);
  return checker->model->any_time = made;
}

/* A step that starts as soon as its node is free and its guards hold: on a timer that has passed.
 * That it does not start later is a rule of the eager model alone. */
static const struct term *at_once(struct checker *checker, const struct action *action) {
  if (checker->model->timing != TIMING_EAGER) {
    struct diagnostic *d = REPORT(checker, E0454, action->span,
                                  "nothing makes a step start at once in this timing model");
    diagnostic_hint(d, "write \"timing eager\", in which nobody leaves work lying; or leave \"at "
                       "once\" out: then the step may start at once, or never");
  }
  return term_zero_time(checker, action->span);
}

/* on timeout T, on timer E, at any time, at once, reads t */
static void check_trigger(struct checker *checker, const struct declaration *d,
                          struct action *action) {
  struct type time = type_of(TYPE_TIME);
  if (d->timeout.text != NULL)
    action->timeout = find_timeout(checker, d->timeout);
  if (d->any_time)
    action->timeout = any_time(checker, action->span);
  if (d->at_once)
    action->timer = at_once(checker, action);
  if (d->timer != NULL) {
    action->timer = check_typed(checker, d->timer, &time, "a timer");
    check_time_value(checker, action->timer);
  }
  if (d->read.text == NULL)
    return;
  struct variable *read = variable_new(checker, d->read, time);
  read->domain = DOMAIN_NONE;
  scope_push(checker, read);
  action->read = read;
}

/* Whether an action of this kind may choose. Whether a slot is idle may not depend on a choice:
 * only of messages and timers the timing models ask whether any choice is left. */
static bool may_choose(struct checker *checker, const struct declaration *d,
                       const struct action *action) {
  const struct binder *first = list_binder(&d->binders, 0);
  if (d->binders.count > CHOICES_MAX) {
    REPORT(checker, E0453, first->name.span, "a step chooses at most %d values", CHOICES_MAX);
    return false;
  }
  if (action->schedule == NULL)
    return true;
  struct diagnostic *report =
      REPORT(checker, E0453, first->name.span,
             "a step in a slot of a schedule cannot choose \"%.60s\"", first->name.text);
  diagnostic_hint(report, "choose in a step before, which receives a message or starts by itself, "
                          "and keep the choice in the state or send it");
  return false;
}

static void check_choices(struct checker *checker, const struct declaration *d,
                          struct action *action) {
  if (d->binders.count == 0)
    return;
  action->choices = check_binders(checker, &d->binders);
  action->choice_count = may_choose(checker, d, action) ? d->binders.count : 0;
}

static const char *full_name(struct checker *checker, const struct declaration *d) {
  struct text text;
  text_init(&text);
  text_format(&text, "%s.%s", d->role.text, d->name.text);
  const char *kept = keep_text(checker, text_get(&text));
  text_clear(&text);
  return kept;
}

void check_action(struct checker *checker, const struct declaration *d) {
  const struct role *role = find_role(checker, d->role);
  if (role == NULL)
    return;
  if (role->external) {
    struct diagnostic *report = REPORT(checker, E0405, d->role.span,
                                       "role \"%.60s\" is external and takes no steps", role->name);
    diagnostic_note(report, role->span, "declared here");
    return;
  }
  symbol_add(checker, SPACE_ACTION, role, d->name, SYMBOL_OTHER);
  struct action *action = arena_alloc(checker->arena, 1, sizeof *action);
  action->name = full_name(checker, d);
  action->span = (struct source_span){d->role.span.start, d->name.span.end};
  action->id = checker->actions.count;
  action->role = role;
  checker->position = POSITION_ACTION;
  action->node = acting_node(checker, d, role);
  checker->acting = action;
  checker->here = term_variable(checker, action->node, action->node->span);
  check_slot(checker, d, action);
  check_pattern(checker, d, action);
  check_choices(checker, d, action);
  check_trigger(checker, d, action);
  check_body(checker, d, action);
  checker->acting = NULL;
  checker->here = NULL;
  checker->scope.count = 0;
  vector_push(&checker->actions, action);
}
