/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Ranks for the argument that time goes on (progress.h): for each role the flags of its actions,
 * and values that their guards, choices and assignments suggest. Too few leave a bound unknown, no
 * more.
 */
#include <string.h>

#include "solver/prove/progress.h"

/* One role. */
struct finder {
  struct proof *proof;
  const struct role *role;
};

static void add(struct finder *f, struct progress_rank rank) {
  rank.role = f->role;
  rank.number = f->proof->ranks.count + 1;
  vector_push(&f->proof->ranks, rank);
}

static bool is_ours(const struct finder *f, const struct action *action) {
  return action->role == f->role && progress_concerns(f->proof->properties.model, action);
}

/* --- what guards compare ---------------------------------------------------------------------- */

/* A variable that is not the acting node: of a choice, or bound within. */
static bool is_other_variable(const struct term *t, const void *context) {
  const struct action *action = context;
  return t->variable_count != 0 || (t->kind == TERM_VARIABLE && t->variable != action->node);
}

static void from_guard(struct finder *f, const struct action *action, const struct term *t) {
  if (t->kind == TERM_AND || t->kind == TERM_OR) {
    from_guard(f, action, t->args[0]);
    from_guard(f, action, t->args[1]);
  }
  if (t->count != 2 || t->args[0]->type.kind != TYPE_INT ||
      term_has_part(t, is_other_variable, action))
    return;
  bool rising = t->kind == TERM_LT || t->kind == TERM_LE || t->kind == TERM_NE;
  bool falling = t->kind == TERM_GT || t->kind == TERM_GE || t->kind == TERM_NE;
  if (rising)
    add(f, (struct progress_rank){.node = action->node, .more = t->args[1], .less = t->args[0]});
  if (falling)
    add(f, (struct progress_rank){.node = action->node, .more = t->args[0], .less = t->args[1]});
}

/* How far a range reaches from which a step chooses: in an empty one it finds nothing. */
static void from_choices(struct finder *f, const struct action *action) {
  for (size_t i = 0; i < action->choice_count; i++) {
    const struct variable *v = action->choices[i];
    if (v->domain == DOMAIN_RANGE && !term_has_part(v->low, is_other_variable, action) &&
        !term_has_part(v->high, is_other_variable, action))
      add(f, (struct progress_rank){.node = action->node, .more = v->high, .less = v->low});
  }
}

/* --- what steps assign ------------------------------------------------------------------------ */

static bool assigns(const struct block *block, const struct state *state) {
  bool found = false;
  for (size_t i = 0; i < block->count && !found; i++) {
    const struct statement *s = block->statements[i];
    found = (s->kind == STATEMENT_ASSIGN && s->state == state) ||
            (s->kind == STATEMENT_IF &&
             (assigns(&s->then_block, state) || assigns(&s->else_block, state)));
  }
  return found;
}

static const struct action *who_assigns(const struct finder *f, const struct state *state) {
  const struct model *model = f->proof->properties.model;
  for (size_t i = 0; i < model->actions.count; i++)
    if (is_ours(f, model->actions.items[i]) && assigns(&model->actions.items[i]->body, state))
      return model->actions.items[i];
  return NULL;
}

static struct term *make(const struct finder *f, enum term_kind kind, struct type type,
                         const struct term *const *args, size_t count) {
  struct term *t = arena_alloc(&f->proof->arena, 1, sizeof *t);
  t->kind = kind;
  t->type = type;
  t->count = count;
  t->args = arena_copy(&f->proof->arena, args, count, sizeof *args);
  return t;
}

static const struct term *state_of(const struct finder *f, const struct state *state,
                                   const struct variable *node) {
  struct term *here = make(f, TERM_VARIABLE, node->type, NULL, 0);
  here->variable = node;
  struct term *t = make(f, TERM_STATE, state->type, (const struct term *[]){here}, 1);
  t->state = state;
  return t;
}

static const struct term *number(const struct finder *f, int64_t value) {
  struct term *t = make(f, TERM_INT, (struct type){.kind = TYPE_INT}, NULL, 0);
  t->integer = value;
  return t;
}

/* How many are in the set, and how many are not. */
static void from_set(struct finder *f, const struct state *state, const struct variable *node) {
  struct type integer = {.kind = TYPE_INT};
  const struct term *set = state_of(f, state, node);
  const struct term *all = make(f, TERM_ROLE_SET, state->type, NULL, 0);
  const struct term *rest =
      make(f, TERM_DIFFERENCE, state->type, (const struct term *[]){all, set}, 2);
  add(f, (struct progress_rank){.node = node, .more = make(f, TERM_CARDINALITY, integer, &set, 1)});
  add(f,
      (struct progress_rank){.node = node, .more = make(f, TERM_CARDINALITY, integer, &rest, 1)});
}

/* The place of an enumeration's value, and how many come after it. */
static void from_enum(struct finder *f, const struct state *state, const struct variable *node) {
  const struct term *value = state_of(f, state, node);
  const struct term *last = number(f, (int64_t)state->type.enumeration->count - 1);
  add(f, (struct progress_rank){.node = node, .more = value});
  add(f, (struct progress_rank){.node = node, .more = last, .less = value});
}

/* How many keys of the map are true, or (`unset`) are not. */
static const struct term *count_keys(const struct finder *f, const struct state *state,
                                     const struct variable *node, bool unset) {
  struct variable *key = arena_alloc(&f->proof->arena, 1, sizeof *key);
  key->name = "x";
  key->type = (struct type){.kind = TYPE_NODE, .role = state->type.role};
  key->id = f->proof->properties.variable_count++;
  key->domain = DOMAIN_ROLE;
  struct term *here = make(f, TERM_VARIABLE, key->type, NULL, 0);
  here->variable = key;
  const struct term *got[] = {state_of(f, state, node), here};
  const struct term *choice[] = {make(f, TERM_MAP_GET, *state->type.element, got, 2),
                                 number(f, !unset), number(f, unset)};
  const struct term *one = make(f, TERM_ITE, (struct type){.kind = TYPE_INT}, choice, 3);
  struct term *sum = make(f, TERM_SUM_OVER, (struct type){.kind = TYPE_INT}, &one, 1);
  sum->variable_count = 1;
  sum->variables = arena_copy(&f->proof->arena, (const struct variable *[]){key}, 1, sizeof key);
  return sum;
}

static void from_map(struct finder *f, const struct state *state, const struct variable *node) {
  if (state->type.element->kind != TYPE_BOOL)
    return;
  for (int unset = 0; unset <= 1; unset++)
    add(f, (struct progress_rank){.node = node, .more = count_keys(f, state, node, unset)});
}

static void from_states(struct finder *f) {
  const struct model *model = f->proof->properties.model;
  const struct state **bits = arena_alloc(&f->proof->arena, model->states.count, sizeof *bits);
  size_t count = 0;
  for (size_t i = 0; i < model->states.count; i++) {
    const struct state *state = model->states.items[i];
    const struct action *action =
        state->hidden || state->role != f->role ? NULL : who_assigns(f, state);
    if (action == NULL)
      continue;
    if (state->type.kind == TYPE_SET)
      from_set(f, state, action->node);
    if (state->type.kind == TYPE_ENUM)
      from_enum(f, state, action->node);
    if (state->type.kind == TYPE_MAP)
      from_map(f, state, action->node);
    if (state->type.kind == TYPE_BOOL)
      bits[count++] = state;
  }
  for (int unset = 0; count > 1 && unset <= 1; unset++)
    add(f, (struct progress_rank){.bits = bits, .bit_count = count, .unset = unset});
}

void progress_find_ranks(struct proof *proof) {
  const struct model *model = proof->properties.model;
  for (size_t r = 0; r < model->roles.count; r++) {
    struct finder f = {proof, model->roles.items[r]};
    for (size_t i = 0; i < model->actions.count; i++)
      if (is_ours(&f, model->actions.items[i]))
        add(&f, (struct progress_rank){.flag = model->actions.items[i]});
    for (size_t i = 0; i < model->actions.count; i++)
      if (is_ours(&f, model->actions.items[i]) && term_reads_state(model->actions.items[i]->timer))
        add(&f, (struct progress_rank){.timer = model->actions.items[i]});
    for (size_t i = 0; i < model->actions.count; i++)
      for (size_t g = 0;
           is_ours(&f, model->actions.items[i]) && g < model->actions.items[i]->guard_count; g++)
        from_guard(&f, model->actions.items[i], model->actions.items[i]->guards[g]);
    for (size_t i = 0; i < model->actions.count; i++)
      if (is_ours(&f, model->actions.items[i]))
        from_choices(&f, model->actions.items[i]);
    from_states(&f);
  }
}
