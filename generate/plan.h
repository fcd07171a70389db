/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the C of a role consists of: its state, what a step of it can send, and each action as what
 * it does to the state before it. Code and contracts are printed of a plan.
 *
 * An action is executed symbolically: the value of each variable after it, each message with the
 * condition of its sending, and each number that may not fit are terms over the state before. Plans
 * live in the arena.
 */
#ifndef GENERATE_PLAN_H
#define GENERATE_PLAN_H

#include "base/arena.h"
#include "base/text.h"
#include "lang/ast.h"
#include "lang/model.h"

/* What has no meaning in code, or none yet. */
struct plan_refusal {
  struct source_span span;
  struct text text; /* empty: nothing is refused */
};

struct plan_context {
  const struct model *model;
  const struct ast *ast;
  struct arena *arena;
  struct plan_refusal *refusal;
  bool own_state; /* each state has a part that is the user's */
};

/* Keeps the first refusal. */
void plan_refuse(struct plan_context *context, struct source_span span, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A message that one step may send: a flag with its fields or, where some action sends it `for
 * all`, the set of the values of one field. The second of a kind in one step is a number 1 of it.
 */
struct plan_message {
  const struct message *message;
  size_t number;
  int varying; /* the field whose values are a set, or -1 */
};

struct effect_send {
  const struct statement *statement;
  size_t number;
  int varying;
  const struct term *when; /* BOOL; NULL: always */
  const struct term *set;  /* of the varying field; NULL: a single message */
  const struct term **args, *to;
};

/* A number that is stored or sent and may be too large. */
struct effect_check {
  const struct term *when; /* BOOL; NULL: always */
  const struct term *value;
};

struct effect {
  const struct term *
      *values; /* by the id of a state; of a map: of the element at plan_action.key */
  VECTOR(struct effect_send) sends;
  VECTOR(struct effect_check) checks;
};

struct plan_action {
  const struct action *action;
  const char *name;   /* "Collect" */
  const char *source; /* as the file has it; NULL: made by the checker */
  struct effect effect;
  size_t field_count; /* the variables that the message gives values to, but the acting node */
  const struct variable **fields;
};

struct plan_role {
  const struct role *role;
  size_t state_count;
  const struct state **states; /* without ghosts */
  const struct variable *key;  /* of the element of a map */
  VECTOR(struct plan_message) sends;
  VECTOR(struct plan_action) actions;
};

void plan_role_make(struct plan_role *plan, struct plan_context *context, const struct role *role);
void plan_role_clear(struct plan_role *plan);

/* effect.c */
void effect_make(struct effect *effect, struct plan_context *context, const struct plan_role *plan,
                 const struct action *action);
void effect_clear(struct effect *effect);

/* Whether a state variable is as it was. */
bool effect_keeps(const struct effect *effect, const struct state *state);

/* Terms of a plan. */
const struct term *term_made(struct plan_context *context, enum term_kind kind,
                             const struct type *type, const struct term *first,
                             const struct term *second);
const struct term *term_negated(struct plan_context *context, const struct term *term);
const struct term *term_both(struct plan_context *context, const struct term *a,
                             const struct term *b);

#endif
