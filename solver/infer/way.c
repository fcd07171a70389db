/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/infer/way.h"

struct walk {
  struct term_maker *m;
  const struct action *action;
  struct replacement node; /* the acting node: the single one of its role, or itself */
};

static struct way way_copy(const struct way *from) {
  struct way to = {0};
  for (size_t i = 0; i < from->conditions.count; i++)
    vector_push(&to.conditions, from->conditions.data[i]);
  for (size_t i = 0; i < from->sends.count; i++)
    vector_push(&to.sends, from->sends.data[i]);
  for (size_t i = 0; i < from->after.count; i++)
    vector_push(&to.after, from->after.data[i]);
  return to;
}

static const struct term *seen(struct walk *w, const struct way *way, const struct term *t) {
  t = term_replace(w->m, t, &w->node, 1);
  return term_replace(w->m, t, way->after.data, way->after.count);
}

static void assign(struct walk *w, struct way *way, const struct statement *s) {
  if (s->key != NULL)
    return;
  const struct term *node = maker_role_node(w->m, w->action->role, w->action->node);
  struct term *state = maker_term(w->m, TERM_STATE, s->state->type.kind, &node, 1);
  state->type = s->state->type;
  state->state = s->state;
  struct replacement made = {state, seen(w, way, s->value)};
  for (size_t i = 0; i < way->after.count; i++)
    if (way->after.data[i].from->state == s->state) {
      way->after.data[i] = made;
      return;
    }
  vector_push(&way->after, made);
}

static void send(struct walk *w, struct way *way, const struct statement *s) {
  const struct term **args = arena_alloc(w->m->arena, s->arg_count, sizeof(struct term *));
  for (size_t i = 0; i < s->arg_count; i++)
    args[i] = seen(w, way, s->args[i]);
  struct way_send made = {s, args};
  vector_push(&way->sends, made);
}

static void walk_block(struct walk *w, way_vector *ways, const struct block *block);

static void branch(struct walk *w, way_vector *ways, const struct statement *s) {
  way_vector both = {0};
  for (size_t side = 0; side < 2; side++) {
    way_vector one = {0};
    for (size_t i = 0; i < ways->count; i++) {
      struct way way = way_copy(&ways->data[i]);
      const struct term *condition = seen(w, &way, s->condition);
      vector_push(&way.conditions, side == 0 ? condition : maker_not(w->m, condition));
      vector_push(&one, way);
    }
    walk_block(w, &one, side == 0 ? &s->then_block : &s->else_block);
    for (size_t i = 0; i < one.count; i++)
      vector_push(&both, one.data[i]);
    vector_clear(&one);
  }
  ways_clear(ways);
  *ways = both;
}

static void walk_block(struct walk *w, way_vector *ways, const struct block *block) {
  for (size_t b = 0; b < block->count; b++) {
    const struct statement *s = block->statements[b];
    if (s->kind == STATEMENT_IF) {
      if (2 * ways->count <= WAYS_MAX)
        branch(w, ways, s);
      continue;
    }
    for (size_t i = 0; i < ways->count; i++) {
      if (s->kind == STATEMENT_ASSIGN)
        assign(w, &ways->data[i], s);
      else
        send(w, &ways->data[i], s);
    }
  }
}

void ways_make(way_vector *ways, struct term_maker *m, const struct action *action) {
  struct walk walk = {
      m, action, {maker_mention(m, action->node), maker_role_node(m, action->role, action->node)}};
  struct way first = {0};
  if (action->role->count == NULL)
    vector_push(&first.after, walk.node);
  vector_push(ways, first);
  walk_block(&walk, ways, &action->body);
}

void ways_clear(way_vector *ways) {
  for (size_t i = 0; i < ways->count; i++) {
    vector_clear(&ways->data[i].conditions);
    vector_clear(&ways->data[i].sends);
    vector_clear(&ways->data[i].after);
  }
  vector_clear(ways);
}
