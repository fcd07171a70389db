/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/infer/fact.h"

#include <string.h>

struct naming_of_facts {
  struct named_facts *facts;
  struct term_maker *m;
  const struct model *model;
  const struct variable **nodes; /* by role id: of a family, otherwise NULL */
  const struct variable *number;
};

static uint64_t mentioned(const struct named_facts *facts, const struct term *t) {
  uint64_t about = 0;
  for (size_t i = 0; t->kind == TERM_VARIABLE && i < facts->variables.count; i++)
    if (facts->variables.data[i] == t->variable)
      about = (uint64_t)1 << i;
  for (size_t i = 0; i < t->count; i++)
    about |= mentioned(facts, t->args[i]);
  return about;
}

static void add(struct naming_of_facts *n, const struct term *formula) {
  struct named_facts *facts = n->facts;
  for (size_t i = 0; i < facts->items.count; i++)
    if (term_equal(facts->items.data[i].formula, formula))
      return;
  if (facts->items.count < FACTS_MAX)
    vector_push(&facts->items, (struct named_fact){formula, mentioned(facts, formula)});
}

static const struct term *a_node(struct naming_of_facts *n, const struct role *role) {
  return maker_role_node(n->m, role, n->nodes[role->id]);
}

static const struct term *a_number(struct naming_of_facts *n) {
  return maker_mention(n->m, n->number);
}

static const struct term *value_of(struct naming_of_facts *n, const struct type *type,
                                   int64_t value) {
  struct term *t =
      maker_term(n->m, type->kind == TYPE_BOOL ? TERM_BOOL : TERM_ENUM, type->kind, NULL, 0);
  t->type = *type;
  t->integer = value;
  return t;
}

static size_t value_count(const struct type *type) {
  return type->kind == TYPE_BOOL ? 2 : type->kind == TYPE_ENUM ? type->enumeration->count : 1;
}

static const struct term *state_of(struct naming_of_facts *n, const struct state *state,
                                   const struct term *node) {
  struct term *t = maker_term(n->m, TERM_STATE, state->type.kind, &node, 1);
  t->type = state->type;
  t->state = state;
  return t;
}

static const struct term *state_at(struct naming_of_facts *n, const struct state *state) {
  return state_of(n, state, a_node(n, state->role));
}

static const struct term *compare(struct naming_of_facts *n, enum term_kind kind,
                                  const struct term *a, const struct term *b) {
  return maker_pair(n->m, kind, TYPE_BOOL, a, b);
}

/* --- messages and charges -------------------------------------------------------------------- */

/* With `number` for the integers among the fields; of booleans and enumerations with each value. */
static void about_message(struct naming_of_facts *n, const struct message *message,
                          const struct term *number) {
  const struct term **args = arena_alloc(n->m->arena, message->field_count, sizeof *args);
  size_t ways = 1;
  for (size_t i = 0; i < message->field_count; i++)
    ways *= value_count(&message->fields[i].type);
  for (size_t way = 0; way < ways && ways <= 8; way++) {
    size_t rest = way;
    for (size_t i = 0; i < message->field_count; i++) {
      const struct type *type = &message->fields[i].type;
      args[i] = type->kind == TYPE_NODE  ? a_node(n, type->role)
                : type->kind == TYPE_INT ? number
                                         : value_of(n, type, (int64_t)(rest % value_count(type)));
      rest /= value_count(type);
    }
    add(n, maker_message(n->m, TERM_SENT, message, NULL, args));
    if (message->receiver->external)
      continue;
    add(n, maker_message(n->m, TERM_RECEIVED, message, NULL, args));
    if (message->receiver_field < 0 && message->receiver->count != NULL)
      add(n, compare(n, TERM_EQ, maker_message(n->m, TERM_RECEIVER, message, NULL, args),
                     a_node(n, message->receiver)));
  }
}

static bool has_number(const struct message *message) {
  for (size_t i = 0; i < message->field_count; i++)
    if (message->fields[i].type.kind == TYPE_INT)
      return true;
  return false;
}

/* The message with a number that its sender or receiver keeps. */
static void with_own_numbers(struct naming_of_facts *n, const struct message *message) {
  for (size_t i = 0; i < n->model->states.count; i++) {
    const struct state *state = n->model->states.items[i];
    if (state->type.kind == TYPE_INT && !state->hidden &&
        (state->role == message->sender || state->role == message->receiver))
      about_message(n, message, state_at(n, state));
  }
}

static void about_charges(struct naming_of_facts *n, const struct component *component) {
  const struct term **args = arena_alloc(n->m->arena, component->index_count, sizeof *args);
  if (component->kind != COMPONENT_STEP || component->repeated)
    return;
  for (size_t i = 0; i < component->index_count; i++)
    args[i] =
        component->index[i].kind == TYPE_NODE ? a_node(n, component->index[i].role) : a_number(n);
  struct term *t = maker_term(n->m, TERM_CHARGED, TYPE_BOOL, args, component->index_count);
  t->component = component;
  add(n, t);
}

/* --- states ---------------------------------------------------------------------------------- */

/* `value` of a scalar type: what it may be. */
static void about_value(struct naming_of_facts *n, const struct term *value) {
  const struct type *type = &value->type;
  switch (type->kind) {
  case TYPE_BOOL:
    add(n, value);
    return;
  case TYPE_ENUM:
    for (size_t i = 0; i < type->enumeration->count; i++)
      add(n, compare(n, TERM_EQ, value, value_of(n, type, (int64_t)i)));
    return;
  case TYPE_INT:
    add(n, compare(n, TERM_LE, maker_integer(n->m, 0), value));
    add(n, compare(n, TERM_EQ, value, maker_integer(n->m, 0)));
    add(n, compare(n, TERM_LT, a_number(n), value));
    add(n, compare(n, TERM_LE, a_number(n), value));
    return;
  case TYPE_NODE:
    add(n, compare(n, TERM_EQ, value, a_node(n, type->role)));
    return;
  default:
    return;
  }
}

static void about_state(struct naming_of_facts *n, const struct state *state) {
  const struct term *value = state_at(n, state);
  if (state->hidden)
    return;
  if (state->type.kind == TYPE_SET) {
    add(n, compare(n, TERM_IN, a_node(n, state->type.role), value));
  } else if (state->type.kind == TYPE_MAP) {
    struct term *element =
        maker_term(n->m, TERM_MAP_GET, state->type.element->kind,
                   (const struct term *[]){value, a_node(n, state->type.role)}, 2);
    element->type = *state->type.element;
    about_value(n, element);
  } else {
    about_value(n, value);
  }
}

/* Numbers that nodes keep, with each other and with parameters. */
static void about_numbers(struct naming_of_facts *n) {
  const struct model *model = n->model;
  for (size_t i = 0; i < model->states.count; i++) {
    const struct state *a = model->states.items[i];
    if (a->type.kind != TYPE_INT || a->hidden)
      continue;
    for (size_t j = 0; j < model->states.count; j++) {
      const struct state *b = model->states.items[j];
      if (a != b && b->type.kind == TYPE_INT && !b->hidden)
        add(n, compare(n, TERM_LE, state_at(n, a), state_at(n, b)));
    }
    for (size_t j = 0; j < model->params.count; j++) {
      struct term *param = maker_term(n->m, TERM_PARAM, TYPE_INT, NULL, 0);
      param->param = model->params.items[j];
      add(n, compare(n, TERM_LT, state_at(n, a), param));
      add(n, compare(n, TERM_LE, state_at(n, a), param));
    }
  }
}

static bool mentions_size(const struct term *t) {
  bool found = t->kind == TERM_CARDINALITY;
  for (size_t i = 0; i < t->count && !found; i++)
    found = mentions_size(t->args[i]);
  return found;
}

static bool is_of_parameters(const struct term *t) {
  bool all = t->kind != TERM_VARIABLE && t->kind != TERM_STATE && t->kind != TERM_CARDINALITY;
  for (size_t i = 0; i < t->count && all; i++)
    all = is_of_parameters(t->args[i]);
  return all;
}

/* What the sizes of sets are compared with in the text. */
static void about_size(struct naming_of_facts *n, const struct state *set, const struct term *t) {
  bool compares = t->kind >= TERM_EQ && t->kind <= TERM_GE && t->args[0]->type.kind == TYPE_INT;
  for (size_t side = 0; compares && side < 2; side++) {
    const struct term *other = t->args[1 - side];
    if (!mentions_size(t->args[side]) || !is_of_parameters(other))
      continue;
    const struct term *value = state_at(n, set);
    const struct term *size = maker_term(n->m, TERM_CARDINALITY, TYPE_INT, &value, 1);
    add(n, compare(n, TERM_LT, size, other));
    add(n, compare(n, TERM_LE, size, other));
  }
  for (size_t i = 0; i < t->count; i++)
    about_size(n, set, t->args[i]);
}

static void about_block(struct naming_of_facts *n, const struct state *set,
                        const struct block *block) {
  for (size_t i = 0; i < block->count; i++) {
    const struct statement *s = block->statements[i];
    if (s->kind != STATEMENT_IF)
      continue;
    about_size(n, set, s->condition);
    about_block(n, set, &s->then_block);
    about_block(n, set, &s->else_block);
  }
}

static void about_sets(struct naming_of_facts *n) {
  for (size_t i = 0; i < n->model->states.count; i++) {
    const struct state *set = n->model->states.items[i];
    if (set->type.kind != TYPE_SET)
      continue;
    for (size_t a = 0; a < n->model->actions.count; a++) {
      const struct action *action = n->model->actions.items[a];
      if (action->role != set->role)
        continue;
      for (size_t g = 0; g < action->guard_count; g++)
        about_size(n, set, action->guards[g]);
      about_block(n, set, &action->body);
      for (size_t c = 0; action->conditions != NULL && c < action->cost_count; c++)
        if (action->conditions[c] != NULL)
          about_size(n, set, action->conditions[c]);
    }
    struct term *everyone = maker_term(n->m, TERM_ROLE_SET, TYPE_SET, NULL, 0);
    everyone->type = set->type;
    add(n, compare(n, TERM_EQ, state_at(n, set), everyone));
  }
}

static void about_ends(struct naming_of_facts *n, const struct role *role) {
  struct type type = {.kind = TYPE_NODE, .role = role};
  for (int last = 0; last < 2; last++) {
    struct term *end = maker_term(n->m, last != 0 ? TERM_LAST : TERM_FIRST, TYPE_NODE, NULL, 0);
    end->type = type;
    add(n, compare(n, TERM_EQ, a_node(n, role), end));
    for (size_t i = 0; i < n->model->states.count; i++) {
      const struct state *state = n->model->states.items[i];
      if (state->role == role && state->type.kind == TYPE_BOOL)
        add(n, state_of(n, state, end));
    }
  }
}

/* Messages whose number is the position of their sender or receiver, or the one behind it. */
static void with_positions(struct naming_of_facts *n, const struct message *message) {
  const struct role *roles[] = {message->sender, message->receiver};
  for (size_t i = 0; i < 2; i++) {
    if (!roles[i]->ordered || roles[i]->count == NULL)
      continue;
    const struct term *node = a_node(n, roles[i]);
    const struct term *index = maker_term(n->m, TERM_INDEX, TYPE_INT, &node, 1);
    about_message(n, message, index);
    about_message(n, message, maker_pair(n->m, TERM_ADD, TYPE_INT, index, maker_integer(n->m, 1)));
  }
}

/* --- all of them ----------------------------------------------------------------------------- */

static void make_variables(struct naming_of_facts *n) {
  const struct model *model = n->model;
  n->nodes = arena_alloc(n->m->arena, model->roles.count, sizeof *n->nodes);
  n->number = maker_variable(n->m, "k", (struct type){.kind = TYPE_INT});
  vector_push(&n->facts->variables, n->number);
  for (size_t i = 0; i < model->roles.count && n->facts->variables.count < 64; i++) {
    const struct role *role = model->roles.items[i];
    n->nodes[role->id] =
        role->count == NULL
            ? NULL
            : maker_variable(n->m, "i", (struct type){.kind = TYPE_NODE, .role = role});
    if (n->nodes[role->id] != NULL)
      vector_push(&n->facts->variables, n->nodes[role->id]);
  }
}

void facts_init(struct named_facts *facts, struct term_maker *m, const struct model *model) {
  memset(facts, 0, sizeof *facts);
  struct naming_of_facts n = {.facts = facts, .m = m, .model = model};
  make_variables(&n);
  for (size_t i = 0; i < model->messages.count; i++)
    about_message(&n, model->messages.items[i], a_number(&n));
  for (size_t i = 0; i < model->components.count; i++)
    about_charges(&n, model->components.items[i]);
  for (size_t i = 0; i < model->states.count; i++)
    about_state(&n, model->states.items[i]);
  for (int64_t least = 0; least < 2; least++)
    add(&n, compare(&n, TERM_LE, maker_integer(m, least), a_number(&n)));
  about_numbers(&n);
  about_sets(&n);
  for (size_t i = 0; i < model->roles.count; i++)
    if (model->roles.items[i]->ordered && model->roles.items[i]->count != NULL)
      about_ends(&n, model->roles.items[i]);
  for (size_t i = 0; i < model->messages.count; i++)
    if (has_number(model->messages.items[i])) {
      with_own_numbers(&n, model->messages.items[i]);
      with_positions(&n, model->messages.items[i]);
    }
}

void facts_clear(struct named_facts *facts) {
  vector_clear(&facts->variables);
  vector_clear(&facts->items);
}
