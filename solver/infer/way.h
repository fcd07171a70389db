/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The ways through an action's body: for each combination of branches what was assumed, what is
 * sent, and what its node's state is afterwards, all in terms of the state before.
 */
#ifndef SOLVER_INFER_WAY_H
#define SOLVER_INFER_WAY_H

#include "solver/infer/term.h"

struct way_send {
  const struct statement *statement;
  const struct term **args;
};

struct way {
  VECTOR(const struct term *) conditions;
  VECTOR(struct way_send) sends;
  replacements after; /* a state of the node before: its value afterwards, where one is assigned */
};
typedef VECTOR(struct way) way_vector;

/* At most WAYS_MAX; branches beyond are left out. */
enum { WAYS_MAX = 32 };
void ways_make(way_vector *ways, struct term_maker *m, const struct action *action);
void ways_clear(way_vector *ways);

#endif
