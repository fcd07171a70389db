/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The solver as Z3 has it: what the files of solver/smt that know Z3 share (smt.h).
 */
#ifndef SOLVER_SMT_Z3_STATE_H
#define SOLVER_SMT_Z3_STATE_H

#include "base/vector.h"
#include "solver/smt/smt.h"
#include "solver/smt/term_digest.h"
#include "solver/smt/z3_loaded.h"

struct smt {
  Z3_context context;
  Z3_solver solver;
  Z3_model model;           /* of the last SMT_SAT, or NULL */
  struct smt_effort effort; /* what the solver was last told */
  unsigned seed;
  bool ground;               /* made by smt_new_ground */
  struct smt_effort flavour; /* its strategy and reseed: what the solver was made for, where that
                              * takes a solver of its own; else all 0 */
  VECTOR(smt_term) asserted; /* NULL marks a push */
  /* Of one made by smt_new_ground: what it was asserted before the first push; the first of each
   * level of the solver's; whether `asserted` is yet to be held against it; constants made. */
  VECTOR(smt_term) held;
  VECTOR(size_t) levels;
  bool apart;
  bool flat; /* the solver has all of it without levels, until smt_clear */
  unsigned fresh_count;
  struct term_digests digests;
  bool stale; /* a query ended without an answer: what it learned would burden the next ones */
};

#endif
