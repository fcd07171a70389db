/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Many runs of one protocol, each from its seed, against some of its bounds. */
#ifndef TESTS_SIMULATOR_SIMULATOR_H
#define TESTS_SIMULATOR_SIMULATOR_H

#include "base/text.h"
#include "lang/model.h"

/* Reads "due", "timers", "messages" or "any". */
bool order_named(int *order, const char *name);

struct simulation {
  uint64_t seed; /* of the first run; the k-th has seed + k */
  size_t runs;
  size_t steps;    /* of one run, at most */
  bool invariants; /* hold the invariants too, in every state */
  int order;       /* an enum order (cluster.h) for all runs; -1: each run draws its own */
};

/* What came of it. `breach` is the timeline of the shortest run that broke a bound, owned; or
 * NULL. */
struct outcome {
  size_t runs;     /* that met the assumptions */
  size_t reached;  /* events of bounds that happened */
  size_t attained; /* exactly at the bound, after more than no time */
  size_t mistakes; /* runs in which the model forbids a step, or has what is not supported */
  const char *mistake;
  size_t breaches; /* runs that broke a bound */
  const struct bound *broken;
  size_t breach_steps;
  uint64_t breach_seed;
  char *breach;
};

/* Holds the bounds for which holds[bound id] is set (and which have an expression). */
void simulate(struct outcome *outcome, const struct model *model, const bool *holds,
              const struct simulation *simulation);
void outcome_clear(struct outcome *outcome);

#endif
