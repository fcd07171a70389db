/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Schedules: the hidden variable `slot`, what it adds to the actions of the role, and the actions
 * of idle slots (model.h says which). */
#include "lang/checker.h"

#include <string.h>

const struct schedule *find_schedule(const struct checker *checker, const struct role *role) {
  for (size_t i = 0; i < checker->schedules.count; i++)
    if (checker->schedules.data[i]->role == role)
      return checker->schedules.data[i];
  return NULL;
}

const struct component *find_timeout(struct checker *checker, struct name name) {
  const struct component *found = find_component(checker, name);
  if (found == NULL)
    return NULL;
  symbol_of_kind(checker, SYMBOL_COMPONENT, found->name)->used = true;
  if (found->kind == COMPONENT_TIMEOUT)
    return found;
  struct diagnostic *d = REPORT(checker, E0444, name.span, "\"%.60s\" is no timeout", found->name);
  diagnostic_note(d, found->span, "declared here");
  diagnostic_hint(d, "declare it: timeout NAME");
  return NULL;
}

static void declare_slot_state(struct checker *checker, struct schedule *schedule,
                               struct source_span span) {
  struct name name = {"slot", span};
  const struct symbol *global = symbol_find(checker, SPACE_GLOBAL, NULL, name.text);
  if (global != NULL) {
    struct diagnostic *d =
        REPORT(checker, E0201, global->span, "\"slot\" is the hidden variable of a schedule");
    diagnostic_note(d, span, "of this schedule");
    diagnostic_hint(d, "choose another name");
  }
  struct symbol *symbol = symbol_add(checker, SPACE_STATE, schedule->role, name, SYMBOL_STATE);
  struct state *state = symbol->state = arena_alloc(checker->arena, 1, sizeof *state);
  symbol->used = true;
  struct name self = {schedule->role->name, span};
  state->name = symbol->name;
  state->hidden = true;
  state->span = span;
  state->id = checker->states.count;
  state->role = schedule->role;
  state->type = type_of(TYPE_INT);
  state->self = variable_new(checker, self, type_node(schedule->role));
  state->initial = term_integer_literal(checker, 0, span);
  vector_push(&checker->states, state);
  schedule->state = state;
}

void check_schedule(struct checker *checker, const struct declaration *d) {
  const struct role *role = find_role(checker, d->role);
  if (role == NULL)
    return;
  const struct schedule *first = find_schedule(checker, role);
  if (role->external || first != NULL) {
    struct diagnostic *report =
        role->external
            ? REPORT(checker, E0442, d->role.span, "role \"%.60s\" is external and takes no steps",
                     role->name)
            : REPORT(checker, E0432, d->role.span, "a second schedule of \"%.60s\"", role->name);
    diagnostic_note(report, role->external ? role->span : first->span, "declared here");
    diagnostic_hint(report, role->external ? "schedule the role that takes the steps"
                                           : "put all slots into one list");
    return;
  }
  struct schedule *made = arena_alloc(checker->arena, 1, sizeof *made);
  made->role = role;
  made->span = d->role.span;
  made->id = checker->schedules.count;
  if (d->names.count > AST_DEPTH) {
    struct diagnostic *report =
        REPORT(checker, E0105, d->role.span, "a schedule has at most %d slots", AST_DEPTH);
    diagnostic_hint(report, "put several actions into one slot");
  }
  made->slots = arena_alloc(checker->arena, d->names.count, sizeof *made->slots);
  for (size_t i = 0; i < d->names.count; i++) {
    const struct name *name = d->names.items[i];
    struct symbol *slot = symbol_of_kind(checker, SYMBOL_COMPONENT, name->text);
    if (slot == NULL || slot->span.start != name->span.start) /* declared twice: reported */
      continue;
    slot->used = true;
    made->slots[made->slot_count++] = slot->component;
  }
  if (d->timeout.text != NULL)
    made->timeout = find_timeout(checker, d->timeout);
  declare_slot_state(checker, made, d->role.span);
  vector_push(&checker->schedules, made);
}

/* Which slot of the schedule has this name; slot_count: none. */
static size_t find_slot(const struct schedule *schedule, const char *name) {
  size_t i = 0;
  while (i < schedule->slot_count && strcmp(schedule->slots[i]->name, name) != 0)
    i++;
  return i;
}

static void unknown_slot(struct checker *checker, const struct declaration *d,
                         const struct role *role) {
  const struct schedule *owner = NULL;
  for (size_t i = 0; i < checker->schedules.count && owner == NULL; i++) {
    const struct schedule *schedule = checker->schedules.data[i];
    if (find_slot(schedule, d->slot.text) < schedule->slot_count)
      owner = schedule;
  }
  struct diagnostic *report;
  if (owner != NULL) {
    report =
        REPORT(checker, E0431, d->slot.span, "\"%.60s\" is a slot of \"%.60s\", not of \"%.60s\"",
               d->slot.text, owner->role->name, role->name);
    diagnostic_note(report, owner->span, "the schedule is declared here");
  } else {
    report = REPORT(checker, E0431, d->slot.span, "role \"%.60s\" has no slot \"%.60s\"",
                    role->name, d->slot.text);
  }
  if (find_schedule(checker, role) == NULL)
    diagnostic_hint(report, "declare its slots: schedule %.60s = [%.60s, ...]", role->name,
                    d->slot.text);
  else
    hint_nearest(checker, report, d->slot.text, 1u << SYMBOL_COMPONENT, NULL);
}

void check_slot(struct checker *checker, const struct declaration *d, struct action *action) {
  const struct schedule *schedule = find_schedule(checker, action->role);
  struct diagnostic *report;
  if (d->slot.text == NULL) {
    if (schedule == NULL)
      return;
    report = REPORT(checker, E0431, d->name.span, "in which slot of \"%.60s\" is \"%.60s\"?",
                    action->role->name, d->name.text);
    diagnostic_note(report, schedule->span, "the role has a schedule");
    diagnostic_hint(report, "write \"in SLOT\" behind the name of the action");
    return;
  }
  size_t slot = schedule == NULL ? 0 : find_slot(schedule, d->slot.text);
  if (schedule == NULL || slot == schedule->slot_count) {
    unknown_slot(checker, d, action->role);
    return;
  }
  action->schedule = schedule;
  action->slot = slot;
  if (d->timeout.text == NULL && d->timer == NULL && !d->any_time && !d->at_once)
    return;
  struct source_span span = d->timer != NULL            ? d->timer->span
                            : d->any_time || d->at_once ? d->name.span
                                                        : d->timeout.span;
  report = REPORT(checker, E0443, span, "an action in a slot waits for no timeout or timer");
  diagnostic_note(report, schedule->span, "the schedule is declared here");
  diagnostic_hint(report, "how long a slot waits for a message is the schedule's own timeout");
}

const struct term *slot_guard(struct checker *checker, const struct action *action) {
  struct source_span span = action->span;
  struct term *slot = term_new(checker, TERM_STATE, type_of(TYPE_INT), span, 1);
  slot->state = action->schedule->state;
  slot->args[0] = term_variable(checker, action->node, span);
  return term_pair(checker, TERM_EQ, type_of(TYPE_BOOL), span, slot,
                   term_integer_literal(checker, (int64_t)action->slot, span));
}

const struct statement *slot_step(struct checker *checker, const struct action *action) {
  struct statement *made = arena_alloc(checker->arena, 1, sizeof *made);
  size_t next = (action->slot + 1) % action->schedule->slot_count;
  made->kind = STATEMENT_ASSIGN;
  made->span = action->span;
  made->state = action->schedule->state;
  made->value = term_integer_literal(checker, (int64_t)next, action->span);
  return made;
}

const struct term *slot_cost(struct checker *checker, const struct action *action) {
  struct term *cost = term_new(checker, TERM_OCCURRENCE, type_of(TYPE_TIME), action->span, 0);
  cost->component = action->schedule->slots[action->slot];
  return cost;
}

/* All of one or more formulas, as a tree that is no deeper than it must be. */
static const struct term *all_of(struct checker *checker, const struct term *const *formulas,
                                 size_t count) {
  if (count == 1)
    return formulas[0];
  return term_pair(checker, TERM_AND, type_of(TYPE_BOOL), formulas[0]->span,
                   all_of(checker, formulas, count / 2),
                   all_of(checker, formulas + count / 2, count - count / 2));
}

/* That an action of the slot is not enabled for the idle action's node and clock read. */
static const struct term *disabled(struct checker *checker, const struct action *action,
                                   const struct action *idle) {
  struct type truth = type_of(TYPE_BOOL);
  const struct variable *from[] = {action->node, action->read};
  const struct variable *to[] = {idle->node, idle->read};
  size_t count = action->read == NULL ? 1 : 2;
  size_t guards = action->guard_count - 1; /* the first is that of the slot */
  if (guards == 0)
    return term_new(checker, TERM_BOOL, truth, action->span, 0);
  const struct term **copies = arena_alloc(checker->arena, guards, sizeof *copies);
  for (size_t i = 0; i < guards; i++)
    copies[i] = term_copy(checker, action->guards[i + 1], from, to, count);
  const struct term *all = all_of(checker, copies, guards);
  return term_pair(checker, TERM_NOT, truth, all->span, all, NULL);
}

static bool is_in_slot(const struct action *action, const struct action *idle) {
  return !action->idle && action->schedule == idle->schedule && action->slot == idle->slot;
}

static const struct variable *idle_read(struct checker *checker, const struct action *idle) {
  for (size_t i = 0; i < checker->actions.count; i++) {
    const struct action *action = checker->actions.data[i];
    if (!is_in_slot(action, idle) || action->read == NULL)
      continue;
    struct name name = {action->read->name, action->read->span};
    return variable_new(checker, name, type_of(TYPE_TIME));
  }
  return NULL;
}

static void idle_guards(struct checker *checker, struct action *idle, bool receives) {
  size_t actions = 0;
  for (size_t i = 0; i < checker->actions.count; i++)
    actions += is_in_slot(checker->actions.data[i], idle);
  const struct term **guards = arena_alloc(checker->arena, actions + 1, sizeof *guards);
  guards[idle->guard_count++] = slot_guard(checker, idle);
  if (!receives)
    idle->read = idle_read(checker, idle);
  for (size_t i = 0; !receives && i < checker->actions.count; i++) {
    const struct action *action = checker->actions.data[i];
    if (is_in_slot(action, idle))
      guards[idle->guard_count++] = disabled(checker, action, idle);
  }
  idle->guards = guards;
}

/* As the user's actions call it. */
static const char *node_name(const struct checker *checker, const struct role *role) {
  for (size_t i = 0; i < checker->actions.count; i++)
    if (checker->actions.data[i]->role == role)
      return checker->actions.data[i]->node->name;
  return role->name;
}

static void make_idle(struct checker *checker, const struct schedule *schedule, size_t slot) {
  const struct component *component = schedule->slots[slot];
  struct name node = {node_name(checker, schedule->role), component->span};
  struct action *idle = hidden_action(checker, schedule->role, "idle", component->name, node);
  idle->schedule = schedule;
  idle->slot = slot;
  idle->idle = true;
  bool receives = false;
  for (size_t i = 0; i < checker->actions.count; i++) {
    const struct action *action = checker->actions.data[i];
    receives |= is_in_slot(action, idle) && action->message != NULL;
  }
  idle->timeout = receives ? schedule->timeout : NULL;
  idle_guards(checker, idle, receives);
  const struct term *cost = slot_cost(checker, idle);
  const struct statement *step = slot_step(checker, idle);
  idle->costs = arena_copy(checker->arena, &cost, 1, sizeof(struct term *));
  idle->cost_count = 1;
  idle->body.statements = arena_copy(checker->arena, &step, 1, sizeof(struct statement *));
  idle->body.count = 1;
  idle->id = checker->actions.count;
  vector_push(&checker->actions, idle);
}

/* In the advanced model messages are taken in the order of their delivery: by one slot. */
static void check_receiving_slots(struct checker *checker, const struct schedule *schedule) {
  const struct action *first = NULL;
  for (size_t i = 0; i < checker->actions.count; i++) {
    const struct action *action = checker->actions.data[i];
    if (action->schedule != schedule || action->message == NULL)
      continue;
    if (first == NULL)
      first = action;
    if (first->slot == action->slot)
      continue;
    struct diagnostic *d =
        REPORT(checker, E0448, action->span, "\"%.60s\" receives in another slot than \"%.60s\"",
               action->name, first->name);
    diagnostic_note(d, first->span, "the first slot that receives");
    diagnostic_hint(d,
                    "in the advanced model a node receives in one slot: take both there and keep "
                    "in the state what the other slot is to do");
    return;
  }
}

void make_idle_actions(struct checker *checker) {
  for (size_t i = 0; i < checker->schedules.count; i++)
    if (checker->model->timing == TIMING_ADVANCED)
      check_receiving_slots(checker, checker->schedules.data[i]);
  for (size_t i = 0; i < checker->schedules.count; i++)
    for (size_t slot = 0; slot < checker->schedules.data[i]->slot_count; slot++)
      make_idle(checker, checker->schedules.data[i], slot);
}

static struct term *wrong_upto(struct checker *checker, struct source_span whole,
                               struct source_span span, const char *message, const char *hint) {
  struct diagnostic *d = REPORT(checker, E0433, span, "%s", message);
  diagnostic_hint(d, "%s", hint);
  return term_error(checker, whole);
}

/* The first `count` slots, each while `k` is larger than its position (NULL: without a choice). */
static struct term *slot_sum(struct checker *checker, const struct schedule *schedule, size_t count,
                             const struct term *k, struct source_span span) {
  struct type time = type_of(TYPE_TIME);
  struct term *sum = NULL;
  for (size_t i = 0; i < count; i++) {
    struct term *part = term_component(checker, schedule->slots[i], span);
    if (k != NULL) {
      struct term *choice = term_new(checker, TERM_ITE, time, span, 3);
      choice->args[0] = term_pair(checker, TERM_GT, type_of(TYPE_BOOL), span,
                                  term_copy(checker, k, NULL, NULL, 0),
                                  term_integer_literal(checker, (int64_t)i, span));
      choice->args[1] = part;
      choice->args[2] = term_zero_time(checker, span);
      part = choice;
    }
    sum = sum == NULL ? part : term_pair(checker, TERM_ADD, time, span, sum, part);
  }
  return sum == NULL ? term_zero_time(checker, span) : sum;
}

struct term *check_upto(struct checker *checker, const struct syntax *syntax) {
  struct type integer = type_of(TYPE_INT);
  struct source_span whole = syntax->span;
  bool allowed = is_formula_position(checker) || checker->position == POSITION_ASSUME ||
                 checker->position == POSITION_EXPRESSION;
  if (is_forbidden(checker, whole, allowed, "the time of slots"))
    return term_error(checker, whole);
  if (syntax->args.count < 1 || syntax->args.count > 2)
    return wrong_upto(checker, whole, whole, "\"upto\" takes a role and perhaps a number of slots",
                      "write upto(ROLE) or upto(ROLE, K)");
  const struct syntax *first = syntax_arg(syntax, 0);
  if (first->kind != SYNTAX_NAME)
    return wrong_upto(checker, whole, first->span, "\"upto\" takes the name of a role",
                      "write upto(ROLE) or upto(ROLE, K)");
  const struct role *role = find_role(checker, first->name);
  if (role == NULL)
    return term_error(checker, whole);
  const struct schedule *schedule = find_schedule(checker, role);
  if (schedule == NULL)
    return wrong_upto(checker, whole, first->span, "this role has no schedule",
                      "declare one: schedule ROLE = [SLOT, ...]");
  if (syntax->args.count == 1)
    return slot_sum(checker, schedule, schedule->slot_count, NULL, whole);
  const struct syntax *second = syntax_arg(syntax, 1);
  if (checker->in_upto)
    return wrong_upto(checker, whole, whole, "\"upto\" cannot stand in another one",
                      "count the slots with states of the node");
  checker->in_upto = true;
  struct term *k = check_typed(checker, second, &integer, "the number of slots");
  checker->in_upto = false;
  if (k->type.kind == TYPE_ERROR)
    return k;
  if (k->kind == TERM_INT && k->integer <= (int64_t)schedule->slot_count)
    return slot_sum(checker, schedule, (size_t)k->integer, NULL, whole);
  if (k->kind == TERM_INT || (k->kind == TERM_NEG && k->args[0]->kind == TERM_INT)) {
    struct diagnostic *d = REPORT(checker, E0433, second->span, "\"%.60s\" has %zu slots",
                                  role->name, schedule->slot_count);
    diagnostic_note(d, schedule->span, "the schedule is declared here");
    diagnostic_hint(d, "the number is 0 to %zu", schedule->slot_count);
    return term_error(checker, whole);
  }
  if (!is_formula_position(checker))
    return wrong_upto(checker, whole, second->span,
                      "only an invariant can leave open how many slots there are",
                      "write a number");
  return slot_sum(checker, schedule, schedule->slot_count, k, whole);
}
