/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where a proved bound comes from: what its proof uses, the slowest execution found and the chain
 * of steps and messages in it.
 */
#ifndef SOLVER_TELL_EXPLAIN_H
#define SOLVER_TELL_EXPLAIN_H

#include "solver/tell/slowest.h"

struct explanation {
  VECTOR(const char *) used, unused; /* the user's invariants, by name */
  VECTOR(const char *) assumptions;  /* used, as written */
  size_t generated;                  /* generated invariants used */
  bool exact;                        /* else `used` may name more than is needed */
  struct slowest slowest;
};

/* The verification was made with these options; `report` is one of its bounds that is proved. The
 * names live as long as the verification. */
struct explanation *explanation_new(const struct verification *verification,
                                    const struct bound_report *report,
                                    const struct verify_options *options);
void explanation_free(struct explanation *explanation);

#endif
