/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The slowest execution that a limited search finds for a bound: the one whose event time is the
 * largest part of the bound. Each execution is tried with every occurrence and every bare name 1;
 * where the bound is known to be attained, also with the times that attain it.
 */
#ifndef SOLVER_TELL_SLOWEST_H
#define SOLVER_TELL_SLOWEST_H

#include "solver/tell/chain.h"
#include "solver/tell/parameters.h"

/* What is searched, all borrowed. */
struct slowest_search {
  const struct model *model;
  const struct bound *bound;
  bool attained;            /* executions are known that attain the bound at some parameters */
  size_t steps;             /* of an execution in which the bound's event happens */
  const volatile int *stop; /* becomes non-zero to end early; may be NULL */
};

struct slowest {
  bool found;
  bool unit;  /* every bare name is 1; else times chosen by the solver */
  bool whole; /* it attains the bound, as in solver/search/attain.h */
  struct rational time, limit;
  int64_t *scope;            /* by param id, owned */
  constant_vector constants; /* none where every bare name is 1 */
  domino_vector chain;
  size_t tried; /* executions */
};

/* The bound has an expression, and its event was reached. */
void slowest_init(struct slowest *slowest, const struct slowest_search *search);
void slowest_clear(struct slowest *slowest);

#endif
