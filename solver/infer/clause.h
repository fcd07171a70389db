/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Drafts of untimed invariants: clauses that no random execution breaks.
 *
 * A clause has one to three facts (fact.h) or negations of facts, and no part of it holds alone.
 * Drafts are guessed: a proof drops those that are not inductive together (Flanagan and Leino,
 * "Houdini, an annotation assistant for ESC/Java", 2001).
 */
#ifndef SOLVER_INFER_CLAUSE_H
#define SOLVER_INFER_CLAUSE_H

#include "solver/infer/term.h"

/* `given` implies `then`; without `given`: `then`; without `then`: not `given`. Their variables are
 * free, and the same in all drafts. */
struct draft {
  const struct term *given, *then;
  size_t literals[3],
      count; /* fact number / 2, negated when the number is odd; all are not false */
};
typedef VECTOR(struct draft) drafts;

/* Appends at most `most`, shorter clauses first. The terms live in the maker's arena. */
void drafts_make(drafts *list, struct term_maker *m, const struct model *model, size_t most);

/* Drops those that follow from the others by unit propagation: the later ones first. */
void drafts_reduce(drafts *list);

/* Makes one of those that say something of the same case: A implies B and C. */
void drafts_join(drafts *list, struct term_maker *m);

/* As a formula whose variables are quantified and named. */
const struct term *draft_formula(const struct draft *draft, struct term_maker *m,
                                 const struct model *model);

#endif
