/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Terms of generated invariants: made in the candidates' arena, with the variables of an action
 * renamed to variables of a quantifier.
 */
#ifndef SOLVER_PROVE_CANDIDATE_TERM_H
#define SOLVER_PROVE_CANDIDATE_TERM_H

#include "solver/prove/candidate.h"

/* The variables of one action made into variables of a quantifier. */
struct rename {
  const struct variable *from, *to;
};

struct maker {
  struct candidates *c;
  const struct model *model;
  VECTOR(struct rename) renaming; /* of the action at hand */
  const struct action *action;
  const struct variable *owned; /* of the send at hand: one of what belongs to the acting node, and
                                 * so tells that; or NULL */
};

struct term *make_term(struct maker *m, enum term_kind kind, struct type type,
                       const struct term *const *args, size_t count);
const struct term *make_not(struct maker *m, const struct term *a);
const struct term *make_pair(struct maker *m, enum term_kind kind, const struct term *a,
                             const struct term *b);
const struct term *make_fact(struct maker *m, enum term_kind kind, const struct message *message,
                             const struct component *component, const struct term *const *args,
                             size_t count);
const struct term *make_mention(struct maker *m, const struct variable *v);
const struct variable *make_variable(struct maker *m, const char *name, struct type type);
void add_candidate(struct maker *m, const struct term *formula);
const struct variable *renamed(struct maker *m, const struct variable *v);
/* The acting node, said by the message that it receives where that names it by another node. */
const struct term *make_acting(struct maker *m);
const struct term *copy_term(struct maker *m, const struct term *t, const struct term *part,
                             const struct term *replacement);
const struct term **copy_terms(struct maker *m, const struct term *const *terms, size_t count,
                               const struct term *part, const struct term *replacement);

#endif
