/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/infer/choice.h"

#include "solver/encode/encode.h"

struct choosing {
  relations *list;
  struct term_maker *m;
  const struct model *model;
  const struct action *action;
};

static bool is_chosen(const struct action *action, const struct term *value) {
  for (size_t i = 0; i < action->choice_count; i++)
    if (term_mentions(value, action->choices[i]))
      return true;
  return false;
}

/* Sent once for each value of a variable, it is not chosen. */
static void about_send(struct choosing *c, const struct statement *send) {
  const struct message *message = send->message;
  const struct term **one = arena_alloc(c->m->arena, message->field_count, sizeof *one),
                    **other = arena_alloc(c->m->arena, message->field_count, sizeof *other);
  const struct term *same = NULL;
  for (size_t i = 0; i < message->field_count; i++) {
    struct type type = message->fields[i].type;
    one[i] = other[i] = maker_mention(c->m, maker_variable(c->m, message->fields[i].name, type));
    if (!is_chosen(c->action, send->args[i]))
      continue;
    other[i] = maker_mention(c->m, maker_variable(c->m, "other", type));
    same = maker_and(c->m, same, maker_pair(c->m, TERM_EQ, TYPE_BOOL, one[i], other[i]));
  }
  if (same == NULL || send->variable_count != 0)
    return;
  const struct term *both = maker_and(c->m, maker_message(c->m, TERM_SENT, message, NULL, one),
                                      maker_message(c->m, TERM_SENT, message, NULL, other));
  relation_add(c->list, c->m, c->model, maker_implies(c->m, both, same), (struct relation){0});
}

static void about_block(struct choosing *c, const struct block *block) {
  for (size_t i = 0; i < block->count; i++) {
    const struct statement *at = block->statements[i];
    if (at->kind == STATEMENT_IF) {
      about_block(c, &at->then_block);
      about_block(c, &at->else_block);
    } else if (at->kind == STATEMENT_SEND) {
      about_send(c, at);
    }
  }
}

void choice_relations(relations *list, struct term_maker *m, const struct model *model) {
  for (size_t i = 0; i < model->actions.count; i++) {
    struct choosing c = {list, m, model, model->actions.items[i]};
    if (c.action->choice_count != 0)
      about_block(&c, &c.action->body);
  }
}
