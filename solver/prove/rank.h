/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A rank: an integer of a node which steps that take no time make smaller
 * (solver/prove/progress.h).
 */
#ifndef SOLVER_PROVE_RANK_H
#define SOLVER_PROVE_RANK_H

#include "lang/model.h"

struct progress_rank {
  const struct role *role;
  size_t number;               /* in the model, from 1 */
  const struct action *flag;   /* of a flag, else NULL */
  const struct action *timer;  /* of a timer's time, else NULL */
  const struct variable *node; /* that the terms of a value speak of */
  const struct term *more,
      *less; /* of a value: more - less, INT or ENUM; either may be NULL, for 0 */
  const struct state *const *bits; /* instead: how many of these BOOL are true, or (unset) not */
  size_t bit_count;
  bool unset;
};

#endif
