/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/candidate.h"

#include <stdio.h>
#include <string.h>

#include "solver/encode.h"

static const struct type boolean = {.kind = TYPE_BOOL};

/* The variables of one action made into variables of a quantifier. */
struct rename {
  const struct variable *from, *to;
};

struct maker {
  struct candidates *c;
  const struct model *model;
  VECTOR(struct rename) renaming;
  const struct action *action;
};

static struct term *make_term(struct maker *m, enum term_kind kind, struct type type,
                              const struct term *const *args, size_t count) {
  struct term *t = arena_alloc(&m->c->arena, 1, sizeof *t);
  t->kind = kind;
  t->type = type;
  t->count = count;
  t->args = arena_copy(&m->c->arena, args, count, sizeof *args);
  return t;
}

static const struct term *make_not(struct maker *m, const struct term *a) {
  return make_term(m, TERM_NOT, boolean, &a, 1);
}

static const struct term *make_pair(struct maker *m, enum term_kind kind, const struct term *a,
                                    const struct term *b) {
  return make_term(m, kind, boolean, (const struct term *[]){a, b}, 2);
}

static const struct term *make_fact(struct maker *m, enum term_kind kind,
                                    const struct message *message,
                                    const struct component *component,
                                    const struct term *const *args, size_t count) {
  struct type type = {.kind = kind == TERM_TIME_MESSAGE ? TYPE_TIME : TYPE_BOOL};
  struct term *t = make_term(m, kind, type, args, count);
  t->message = message;
  t->component = component;
  return t;
}

static const struct term *make_mention(struct maker *m, const struct variable *v) {
  struct term *t = make_term(m, TERM_VARIABLE, v->type, NULL, 0);
  t->variable = v;
  return t;
}

static const struct variable *make_variable(struct maker *m, const char *name, struct type type) {
  struct variable *v = arena_alloc(&m->c->arena, 1, sizeof *v);
  v->name = name;
  v->type = type;
  v->id = m->c->variable_count++;
  v->domain = type.kind == TYPE_NODE  ? DOMAIN_ROLE
              : type.kind == TYPE_INT ? DOMAIN_INT
                                      : DOMAIN_NONE;
  return v;
}

/* forall free variables of the formula. */
static void add(struct maker *m, const struct term *formula) {
  struct variable_list free = term_free_variables(&m->c->arena, formula);
  if (free.count != 0) {
    struct term *all = make_term(m, TERM_FORALL, boolean, &formula, 1);
    all->variable_count = free.count;
    all->variables = free.items;
    formula = all;
  }
  char name[32];
  snprintf(name, sizeof name, "generated.%zu", m->c->items.count + 1);
  struct invariant *made = arena_alloc(&m->c->arena, 1, sizeof *made);
  made->name = arena_text(&m->c->arena, name, strlen(name));
  made->id = m->c->items.count;
  made->formula = formula;
  vector_push(&m->c->items, made);
}

static const struct variable *renamed(struct maker *m, const struct variable *v) {
  for (size_t i = 0; i < m->renaming.count; i++)
    if (m->renaming.data[i].from == v)
      return m->renaming.data[i].to;
  struct rename made = {v, make_variable(m, v->name, v->type)};
  vector_push(&m->renaming, made);
  return made.to;
}

/* From here on; a binder may be copied more than once, each time with variables of its own. */
static void rename_to(struct maker *m, const struct variable *from, const struct variable *to) {
  for (size_t i = 0; i < m->renaming.count; i++)
    if (m->renaming.data[i].from == from) {
      m->renaming.data[i].to = to;
      return;
    }
  struct rename made = {from, to};
  vector_push(&m->renaming, made);
}

static bool is_same_term(const struct term *a, const struct term *b) {
  if (a->kind != b->kind || a->count != b->count || a->integer != b->integer ||
      a->variable != b->variable || a->state != b->state || a->param != b->param)
    return false;
  for (size_t i = 0; i < a->count; i++)
    if (!is_same_term(a->args[i], b->args[i]))
      return false;
  return true;
}

static const struct term *copy(struct maker *m, const struct term *t, const struct term *part,
                               const struct term *replacement);

/* Binders are renamed like everything else, and so is what their domains mention: a variable of
 * the action left in a domain would be bound by the invariant and lose its value in the step. */
static const struct variable **copy_binders(struct maker *m, const struct term *t,
                                            const struct term *part,
                                            const struct term *replacement) {
  const struct variable **made = arena_alloc(&m->c->arena, t->variable_count, sizeof *made);
  for (size_t i = 0; i < t->variable_count; i++) {
    const struct variable *from = t->variables[i];
    struct variable *to = arena_copy(&m->c->arena, from, 1, sizeof *from);
    to->id = m->c->variable_count++;
    to->set = from->set == NULL ? NULL : copy(m, from->set, part, replacement);
    to->low = from->low == NULL ? NULL : copy(m, from->low, part, replacement);
    to->high = from->high == NULL ? NULL : copy(m, from->high, part, replacement);
    rename_to(m, from, to);
    made[i] = to;
  }
  return made;
}

/* A copy with the action's variables renamed, and with every part that equals `part` (may be NULL)
 * replaced. */
static const struct term *copy(struct maker *m, const struct term *t, const struct term *part,
                               const struct term *replacement) {
  if (part != NULL && is_same_term(t, part))
    return replacement;
  struct term *made = arena_copy(&m->c->arena, t, 1, sizeof *t);
  if (t->kind == TERM_VARIABLE)
    made->variable = renamed(m, t->variable);
  if (t->variable_count != 0)
    made->variables = copy_binders(m, t, part, replacement);
  made->args = arena_alloc(&m->c->arena, t->count, sizeof *made->args);
  for (size_t i = 0; i < t->count; i++)
    made->args[i] = copy(m, t->args[i], part, replacement);
  return made;
}

static const struct term **copy_all(struct maker *m, const struct term *const *terms, size_t count,
                                    const struct term *part, const struct term *replacement) {
  const struct term **made = arena_alloc(&m->c->arena, count, sizeof *made);
  for (size_t i = 0; i < count; i++)
    made[i] = copy(m, terms[i], part, replacement);
  return made;
}

static const struct term *sent_by(struct maker *m, const struct statement *s) {
  return make_fact(m, TERM_SENT, s->message, NULL, copy_all(m, s->args, s->arg_count, NULL, NULL),
                   s->arg_count);
}

static const struct term *received_by(struct maker *m) {
  const struct message *message = m->action->message;
  const struct term **args = arena_alloc(&m->c->arena, message->field_count, sizeof *args);
  for (size_t i = 0; i < message->field_count; i++)
    args[i] = make_mention(m, renamed(m, m->action->fields[i]));
  return make_fact(m, TERM_RECEIVED, message, NULL, args, message->field_count);
}

static const struct term *guards(struct maker *m) {
  const struct term *all = NULL;
  for (size_t i = 0; i < m->action->guard_count; i++) {
    const struct term *one = copy(m, m->action->guards[i], NULL, NULL);
    all = all == NULL ? one : make_pair(m, TERM_AND, all, one);
  }
  return all;
}

static bool mentions_all_fields(const struct action *action, const struct statement *s) {
  for (size_t f = 0; f < action->message->field_count; f++) {
    bool found = false;
    for (size_t i = 0; i < s->arg_count; i++)
      found = found || term_mentions(s->args[i], action->fields[f]);
    if (!found)
      return false;
  }
  return true;
}

/* `path`: the condition under which the statement is reached, renamed; NULL: always. */
static void from_send(struct maker *m, const struct statement *s, const struct term *path) {
  const struct term *sent = sent_by(m, s), *enabled = guards(m);
  if (m->action->message != NULL) {
    if (mentions_all_fields(m->action, s))
      add(m, make_pair(m, TERM_IMPLIES, sent, received_by(m)));
    if (path == NULL)
      add(m, make_pair(m, TERM_IMPLIES, received_by(m), sent));
  }
  if (path != NULL)
    add(m, make_pair(m, TERM_IMPLIES, sent, path));
  if (enabled != NULL)
    add(m, make_pair(m, TERM_IMPLIES, enabled, make_not(m, sent)));
}

/* set := set + {x}: its members are those whose message was received. */
static void from_insertion(struct maker *m, const struct statement *s, const struct term *path) {
  const struct term *sum = s->value;
  if (m->action->message == NULL || path != NULL || sum->kind != TERM_UNION ||
      sum->args[0]->kind != TERM_STATE || sum->args[0]->state != s->state ||
      sum->args[1]->kind != TERM_SET)
    return;
  for (size_t i = 0; i < sum->args[1]->count; i++) {
    const struct term *in[] = {copy(m, sum->args[1]->args[i], NULL, NULL),
                               copy(m, sum->args[0], NULL, NULL)};
    const struct term *member = make_term(m, TERM_IN, boolean, in, 2);
    add(m, make_pair(m, TERM_IMPLIES, member, received_by(m)));
    add(m, make_pair(m, TERM_IMPLIES, received_by(m), member));
  }
}

static void from_charge(struct maker *m, const struct term *cost) {
  const struct term *enabled = guards(m);
  const struct term *charged =
      make_fact(m, TERM_CHARGED, NULL, cost->component,
                copy_all(m, cost->args, cost->count, NULL, NULL), cost->count);
  if (enabled != NULL)
    add(m, make_pair(m, TERM_IMPLIES, enabled, make_not(m, charged)));
}

/* charged C[k] implies sent M(args), where the action charges C[x] and x in args is now k. */
static void from_charge_and_send(struct maker *m, const struct term *cost,
                                 const struct statement *s) {
  if (cost->count != 1 || cost->args[0]->type.kind != TYPE_INT)
    return;
  const struct term *index = cost->args[0];
  const struct term *k = make_mention(m, make_variable(m, "k", index->type));
  const struct term **args = copy_all(m, s->args, s->arg_count, index, k);
  for (size_t i = 0; i < s->arg_count; i++)
    if (term_reads_state(args[i]))
      return;
  const struct term *charged = make_fact(m, TERM_CHARGED, NULL, cost->component, &k, 1);
  const struct term *sent = make_fact(m, TERM_SENT, s->message, NULL, args, s->arg_count);
  add(m, make_pair(m, TERM_IMPLIES, charged, sent));
}

static void from_block(struct maker *m, const struct block *block, const struct term *path) {
  for (size_t i = 0; i < block->count; i++) {
    const struct statement *s = block->statements[i];
    if (s->kind == STATEMENT_SEND) {
      from_send(m, s, path);
      for (size_t c = 0; path == NULL && c < m->action->cost_count; c++)
        from_charge_and_send(m, m->action->costs[c], s);
    } else if (s->kind == STATEMENT_ASSIGN) {
      from_insertion(m, s, path);
    } else {
      const struct term *condition = copy(m, s->condition, NULL, NULL);
      const struct term *otherwise = make_not(m, condition);
      from_block(m, &s->then_block,
                 path == NULL ? condition : make_pair(m, TERM_AND, path, condition));
      from_block(m, &s->else_block,
                 path == NULL ? otherwise : make_pair(m, TERM_AND, path, otherwise));
    }
  }
}

static void from_action(struct maker *m, const struct action *action) {
  m->action = action;
  m->renaming.count = 0;
  for (size_t i = 0; i < action->cost_count; i++)
    from_charge(m, action->costs[i]);
  from_block(m, &action->body, NULL);
}

static const struct term *make_zero(struct maker *m) {
  struct term *zero = make_term(m, TERM_TIME, (struct type){.kind = TYPE_TIME}, NULL, 0);
  zero->value = m->c->zero;
  return zero;
}

static void from_message(struct maker *m, const struct message *message) {
  const struct term **args = arena_alloc(&m->c->arena, message->field_count, sizeof *args);
  for (size_t i = 0; i < message->field_count; i++)
    args[i] = make_mention(m, make_variable(m, message->fields[i].name, message->fields[i].type));
  size_t n = message->field_count;
  const struct term *sent = make_fact(m, TERM_SENT, message, NULL, args, n);
  const struct term *received = make_fact(m, TERM_RECEIVED, message, NULL, args, n);
  const struct term *delivery = make_fact(m, TERM_TIME_MESSAGE, message, NULL, args, n);
  add(m, make_pair(m, TERM_IMPLIES, received, sent));
  add(m, make_pair(m, TERM_IMPLIES, sent, make_pair(m, TERM_LE, make_zero(m), delivery)));
}

static void from_role(struct maker *m, const struct role *role) {
  struct type type = {.kind = TYPE_NODE, .role = role};
  const struct term *node = role->count == NULL ? make_term(m, TERM_NODE, type, NULL, 0)
                                                : make_mention(m, make_variable(m, "i", type));
  struct type time = {.kind = TYPE_TIME};
  const struct term *clock = make_term(m, TERM_TIME_NODE, time, &node, 1);
  if (!role->external)
    add(m, make_pair(m, TERM_LE, make_zero(m), clock));
}

void candidates_init(struct candidates *c, const struct model *model) {
  memset(c, 0, sizeof *c);
  arena_init(&c->arena);
  rational_init(&c->zero);
  c->variable_count = model->variable_count;
  struct maker maker = {.c = c, .model = model};
  for (size_t i = 0; i < model->messages.count; i++)
    from_message(&maker, model->messages.items[i]);
  for (size_t i = 0; i < model->roles.count; i++)
    from_role(&maker, model->roles.items[i]);
  for (size_t i = 0; i < model->actions.count; i++)
    from_action(&maker, model->actions.items[i]);
  vector_clear(&maker.renaming);
}

void candidates_clear(struct candidates *c) {
  vector_clear(&c->items);
  rational_clear(&c->zero);
  arena_clear(&c->arena);
}
