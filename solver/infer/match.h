/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Equations between what is known and what is not, solved one by one. Known are the formals: the
 * fields of the message sent, the state reached. Unknown are variables and state of the action that
 * brings it about. Addition, subtraction and neighbours are solved. An equation without unknowns
 * becomes a condition.
 */
#ifndef SOLVER_INFER_MATCH_H
#define SOLVER_INFER_MATCH_H

#include "solver/infer/linear.h"

struct match {
  struct term_maker *m;
  const struct term *const *formals; /* mentions of variables */
  size_t formal_count;
  replacements solved;     /* unknown: its value over formals */
  replacements conditions; /* formal or parameter: what it equals */
  bool impossible;
};

void match_init(struct match *match, struct term_maker *m, const struct term *const *formals,
                size_t formal_count);
void match_copy(struct match *match, const struct match *from); /* into an uninitialised one */
void match_clear(struct match *match);

/* a == b */
void match_equal(struct match *match, const struct term *a, const struct term *b);
/* The equations that the formula implies. */
void match_formula(struct match *match, const struct term *formula);

/* The term with what was solved. */
const struct term *match_apply(struct match *match, const struct term *t);
/* Some unknown left in a term, or NULL. */
const struct term *match_open(const struct match *match, const struct term *t);

#endif
