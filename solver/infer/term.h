/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Making terms: what the inference of invariants builds its candidates from. Terms live in the
 * maker's arena, share what they can, and may share with the model they speak about.
 */
#ifndef SOLVER_INFER_TERM_H
#define SOLVER_INFER_TERM_H

#include "base/vector.h"
#include "lang/model.h"

struct term_maker {
  struct arena *arena;
  size_t variable_count;       /* ids given so far, the model's included */
  const struct rational *zero; /* what TERM_TIME terms made here are worth */
};

struct term *maker_term(struct term_maker *m, enum term_kind kind, enum type_kind type,
                        const struct term *const *args, size_t count);
const struct term *maker_pair(struct term_maker *m, enum term_kind kind, enum type_kind type,
                              const struct term *a, const struct term *b);
const struct term *maker_not(struct term_maker *m, const struct term *a);
const struct term *maker_implies(struct term_maker *m, const struct term *a, const struct term *b);
/* NULL stands for true, in and out. */
const struct term *maker_and(struct term_maker *m, const struct term *a, const struct term *b);
const struct term *maker_at_most(struct term_maker *m, const struct term *a, const struct term *b);
const struct term *maker_integer(struct term_maker *m, int64_t value);
const struct term *maker_zero(struct term_maker *m);

/* A variable over everything that its type holds; made variables are unique. */
struct variable *maker_variable(struct term_maker *m, const char *name, struct type type);
const struct variable *maker_range(struct term_maker *m, const char *name, const struct term *low,
                                   const struct term *high);
const struct term *maker_mention(struct term_maker *m, const struct variable *v);

/* SENT, PENDING, RECEIVED, RECEIVER, TIME_MESSAGE, PACED or DELAY of a message with these fields.
 */
const struct term *maker_message(struct term_maker *m, enum term_kind kind,
                                 const struct message *message, const struct component *component,
                                 const struct term *const *args);
const struct term *maker_clock(struct term_maker *m, const struct term *node);
/* The single node of the role, or a mention of `v` for a family. */
const struct term *maker_role_node(struct term_maker *m, const struct role *role,
                                   const struct variable *v);

/* forall the free variables of the formula. */
const struct term *maker_close(struct term_maker *m, const struct term *formula);

/* Up to the names of bound variables. */
bool term_equal(const struct term *a, const struct term *b);

/* A copy in which each part that equals `from` is `to`, everywhere at once. Binders are made anew,
 * so that the copy may stand inside the original. */
struct replacement {
  const struct term *from, *to;
};
typedef VECTOR(struct replacement) replacements;
const struct term *term_replace(struct term_maker *m, const struct term *t,
                                const struct replacement *list, size_t count);

/* Whether a time is the same in every state: it has no state, variable or clock. */
bool term_is_constant_time(const struct term *t);

/* Whether some part of the term equals `part`. */
bool term_contains(const struct term *t, const struct term *part);

#endif
