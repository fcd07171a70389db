/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The slowest execution that a limited search finds for a bound: the one whose event time is the
 * largest part of the bound. Each execution is tried with every occurrence and every bare name 1;
 * where the bound is known to be attained, also with the times that attain it.
 */
#ifndef SOLVER_TELL_SLOWEST_H
#define SOLVER_TELL_SLOWEST_H

#include "solver/tell/chain.h"
#include "solver/verify.h"

struct slowest {
  bool found;
  bool unit;  /* every bare name is 1; else times chosen by the solver */
  bool whole; /* it attains the bound, as in solver/search/attain.h */
  struct rational time, limit;
  int64_t *scope; /* by param id, owned */
  domino_vector chain;
  size_t tried; /* executions */
};

/* `report` is of a bound with an expression that was reached. */
void slowest_init(struct slowest *slowest, const struct model *model,
                  const struct bound_report *report, const struct verify_options *options);
void slowest_clear(struct slowest *slowest);

#endif
