/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/search/relevance.h"

#include "base/memory.h"

static bool is_slot(const struct model *model, const struct state *state) {
  for (size_t i = 0; i < model->schedules.count; i++)
    if (model->schedules.items[i]->state == state)
      return true;
  return false;
}

/* The message that the term says something of, or NULL. */
static const struct message *message_in(const struct needs *n, const struct term *term) {
  return n->but_delays && term->kind == TERM_DELAY ? NULL : term->message;
}

void needs_add_term(struct needs *n, const struct term *term) {
  if (term == NULL)
    return;
  if (term->state != NULL)
    n->states[term->state->id] = true;
  if (message_in(n, term) != NULL)
    n->messages[term->message->id] = true;
  for (size_t i = 0; i < term->variable_count; i++)
    needs_add_term(n, term->variables[i]->set);
  for (size_t i = 0; i < term->count; i++)
    needs_add_term(n, term->args[i]);
}

static void need_block(struct needs *n, const struct block *block) {
  for (size_t i = 0; i < block->count; i++) {
    const struct statement *s = block->statements[i];
    needs_add_term(n, s->value);
    needs_add_term(n, s->condition);
    needs_add_term(n, s->to);
    for (size_t a = 0; a < s->arg_count; a++)
      needs_add_term(n, s->args[a]);
    for (size_t v = 0; v < s->variable_count; v++)
      needs_add_term(n, s->variables[v]->set);
    need_block(n, &s->then_block);
    need_block(n, &s->else_block);
  }
}

void needs_add_action(struct needs *n, const struct action *action) {
  n->actions[action->id] = true;
  if (action->message != NULL)
    n->messages[action->message->id] = true;
  for (size_t i = 0; i < action->guard_count; i++)
    needs_add_term(n, action->guards[i]);
  needs_add_term(n, action->timer);
  for (size_t i = 0; i < action->choice_count; i++) {
    needs_add_term(n, action->choices[i]->set);
    needs_add_term(n, action->choices[i]->low);
    needs_add_term(n, action->choices[i]->high);
  }
  for (size_t i = 0; action->batches != NULL && i < action->cost_count; i++)
    if (action->batches[i] != NULL) {
      needs_add_term(n, action->batches[i]->set);
      needs_add_term(n, action->batches[i]->low);
      needs_add_term(n, action->batches[i]->high);
    }
  need_block(n, &action->body);
}

static void add_effects(struct needs *n, const struct block *block) {
  for (size_t i = 0; i < block->count; i++) {
    const struct statement *s = block->statements[i];
    if (s->kind == STATEMENT_SEND)
      n->messages[s->message->id] = true;
    if (s->kind == STATEMENT_ASSIGN)
      n->states[s->state->id] = true;
    add_effects(n, &s->then_block);
    add_effects(n, &s->else_block);
  }
}

void needs_add_effects(struct needs *n, const struct action *action) {
  if (action->message != NULL)
    n->messages[action->message->id] = true;
  add_effects(n, &action->body);
}

static bool serves(const struct needs *n, const struct block *block) {
  for (size_t i = 0; i < block->count; i++) {
    const struct statement *s = block->statements[i];
    if (s->kind == STATEMENT_SEND && n->messages[s->message->id])
      return true;
    if (s->kind == STATEMENT_ASSIGN && n->states[s->state->id] && !is_slot(n->model, s->state))
      return true;
    if (serves(n, &s->then_block) || serves(n, &s->else_block))
      return true;
  }
  return false;
}

static bool add_serving(struct needs *n) {
  bool added = false;
  for (size_t i = 0; i < n->model->actions.count; i++) {
    const struct action *action = n->model->actions.items[i];
    if (n->actions[i] || !serves(n, &action->body))
      continue;
    added = true;
    needs_add_action(n, action);
  }
  return added;
}

void needs_init(struct needs *n, const struct model *model) {
  *n = (struct needs){.model = model,
                      .states = mem_alloc(model->states.count, sizeof *n->states),
                      .messages = mem_alloc(model->messages.count, sizeof *n->messages),
                      .actions = mem_alloc(model->actions.count, sizeof *n->actions)};
}

void needs_clear(struct needs *n) {
  mem_free(n->states);
  mem_free(n->messages);
  mem_free(n->actions);
}

void needs_close(struct needs *n) {
  while (add_serving(n))
    continue;
}

bool needs_meet(const struct needs *n, const struct term *term) {
  if (term == NULL)
    return false;
  bool meets = (term->state != NULL && n->states[term->state->id]) ||
               (message_in(n, term) != NULL && n->messages[term->message->id]);
  for (size_t i = 0; i < term->variable_count && !meets; i++)
    meets = needs_meet(n, term->variables[i]->set);
  for (size_t i = 0; i < term->count && !meets; i++)
    meets = needs_meet(n, term->args[i]);
  return meets;
}

static bool cover_domains(const struct needs *n, const struct term *term) {
  for (size_t i = 0; i < term->variable_count; i++)
    if (!needs_cover(n, term->variables[i]->set))
      return false;
  return true;
}

bool needs_cover(const struct needs *n, const struct term *term) {
  if (term == NULL)
    return true;
  if (term->state != NULL && !term->state->hidden && !n->states[term->state->id])
    return false;
  if (message_in(n, term) != NULL && !n->messages[term->message->id])
    return false;
  for (size_t i = 0; i < term->count; i++)
    if (!needs_cover(n, term->args[i]))
      return false;
  return cover_domains(n, term);
}

static const struct term *with_args(struct arena *arena, const struct term *t,
                                    const struct term *const *args, size_t count) {
  struct term *made = arena_copy(arena, t, 1, sizeof *t);
  made->args = arena_copy(arena, args, count, sizeof *args);
  made->count = count;
  return made;
}

static const struct term *part_of_and(const struct needs *n, struct arena *arena,
                                      const struct term *t) {
  const struct term **kept = arena_alloc(arena, t->count, sizeof *kept);
  size_t count = 0;
  for (size_t i = 0; i < t->count; i++) {
    const struct term *part = needs_part(n, arena, t->args[i]);
    if (part != NULL)
      kept[count++] = part;
  }
  if (count <= 1)
    return count == 0 ? NULL : kept[0];
  return with_args(arena, t, kept, count);
}

const struct term *needs_part(const struct needs *n, struct arena *arena, const struct term *t) {
  if (needs_cover(n, t))
    return t;
  if (t->kind == TERM_AND)
    return part_of_and(n, arena, t);
  if (t->kind == TERM_IMPLIES && needs_cover(n, t->args[0])) {
    const struct term *args[] = {t->args[0], needs_part(n, arena, t->args[1])};
    return args[1] == NULL ? NULL : with_args(arena, t, args, 2);
  }
  if (t->kind == TERM_FORALL && cover_domains(n, t)) {
    const struct term *body = needs_part(n, arena, t->args[0]);
    return body == NULL ? NULL : with_args(arena, t, &body, 1);
  }
  return NULL;
}

void relevance(bool *relevant, const struct model *model, const struct bound *bound) {
  struct needs n;
  needs_init(&n, model);
  if (bound != NULL && bound->target == TARGET_WHEN)
    needs_add_term(&n, bound->formula);
  else if (bound != NULL)
    n.messages[bound->message->id] = true;
  if (bound != NULL && bound->from != NULL)
    n.messages[bound->from->id] = true;
  needs_close(&n);
  for (size_t i = 0; i < model->actions.count; i++)
    relevant[i] = bound == NULL || n.actions[i];
  needs_clear(&n);
}
