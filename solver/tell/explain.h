/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where a proved bound comes from: what its proof uses, the slowest execution found and the chain
 * of steps and messages in it.
 */
#ifndef SOLVER_TELL_EXPLAIN_H
#define SOLVER_TELL_EXPLAIN_H

#include "solver/tell/slowest.h"

struct proof;
struct proof_options;

struct explanation {
  VECTOR(const char *) used, unused; /* the user's invariants, by name */
  VECTOR(const char *) assumptions;  /* used, as written */
  size_t generated;                  /* generated invariants used */
  bool exact;                        /* else `used` may name more than is needed */
  struct slowest slowest;
};

/* The proof was made with these options; the bound to search for is one that it proves. The names
 * live as long as the proof and its model. */
struct explanation *explanation_new(const struct proof *proof, const struct proof_options *options,
                                    const struct slowest_search *search);
void explanation_free(struct explanation *explanation);

#endif
