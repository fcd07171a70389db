/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Times for an execution that is known but for them: given the steps, the solver picks a value for
 * every occurrence so that the bounded event comes later than the bound, or at all (exactly at the
 * bound: solver/search/attain.h).
 * One query over linear real arithmetic, without quantifiers. What comes out is only a suggestion
 * that the interpreter then replays.
 */
#ifndef SOLVER_SEARCH_ATTACK_H
#define SOLVER_SEARCH_ATTACK_H

#include "solver/search/explore.h"
#include "solver/judge/replay.h"

struct values;
struct smt;

/* What one execution after another may be told to. All zero at first; of one thread. */
struct attack_solver {
  struct smt *smt; /* or NULL */
  size_t uses;     /* of it */
};

void attack_solver_clear(struct attack_solver *solver);

enum attack_goal {
  ATTACK_EXCEED, /* event time > bound */
  ATTACK_HAPPEN, /* any times at all that the assumptions and the waits allow */
};

/* Whether values were found and the replay confirms them; `values` (initialised) and `replay`
 * (initialised) then hold them. `path` ends in a state in which the bound's event has happened.
 * `solver` may be NULL. */
bool attack_path(struct values *values, struct replay *replay, struct interpreter *interpreter,
                 const struct bound *bound, const struct path *path, enum attack_goal goal,
                 struct attack_solver *solver);

#endif
