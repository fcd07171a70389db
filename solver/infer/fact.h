/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The facts without times that a protocol's text names: what a state variable is, which messages
 * were sent and received, what was charged. Drafts of invariants (solver/infer/clause.h) are made
 * of them.
 *
 * All facts of a model speak of the same few variables: one node of each family, and one integer.
 * So `sent Reply(w)`, `w.done` and `w in served` are about the same w.
 */
#ifndef SOLVER_INFER_FACT_H
#define SOLVER_INFER_FACT_H

#include "solver/infer/term.h"

struct named_fact {
  const struct term *formula; /* BOOL */
  uint64_t about;             /* bit i: mentions facts.variables[i] */
};

enum { FACTS_MAX = 192 };

struct named_facts {
  VECTOR(const struct variable *)
  variables;                       /* at most 64; those that some fact mentions, and others */
  VECTOR(struct named_fact) items; /* at most FACTS_MAX: the first ones, messages' before states' */
};

/* The terms live in the maker's arena. */
void facts_init(struct named_facts *facts, struct term_maker *m, const struct model *model);
void facts_clear(struct named_facts *facts);

#endif
