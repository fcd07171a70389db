/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The file of a theorem while it is printed; for theorem.c and theorem_phases.c only.
 */
#ifndef SOLVER_THEORY_PRINTING_H
#define SOLVER_THEORY_PRINTING_H

#include "solver/prove/certificate.h"
#include "solver/theory/coq.h"

struct theory_printing {
  struct coq coq;
  const struct proof *proof;
  const struct certificate *certificate;
  VECTOR(const struct property *) invariants; /* of the whole execution */
  const char **names;                         /* of them: "i_counted" */
  size_t unasked;                             /* hypotheses of which no solver was asked */
};

/* Appends "Hypothesis NAME : PROPOSITION." under the queries of this text, which show it. */
void printing_hypothesis(struct theory_printing *printing, const char *text, const char *name,
                         const char *proposition);

/* Appends "(conj (conj I PREFIXaSUFFIX) PREFIXbSUFFIX)" of the names, as `each` of Corollary.v is.
 */
void printing_conjunction(struct text *out, const char *prefix, const char *const *names,
                          size_t count, const char *suffix);

/* Appends the head of the bound's theorem, up to "Proof.". */
void printing_statement(struct theory_printing *printing, const struct bound *bound);

/* Where some bound is by phases, else nothing: append what the phases rest on; and the theorem of
 * such a bound. */
void printing_phase_hypotheses(struct theory_printing *printing);
void printing_by_phases(struct theory_printing *printing, const struct property *bound);

#endif
