/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A bound that counts from each message of a stream, at one number alone.
 */
#ifndef SOLVER_SEARCH_NUMBER_H
#define SOLVER_SEARCH_NUMBER_H

#include "lang/model.h"

/* The first of the bound's variables that is an integer of the messages it counts from: k of `from
 * sent M(k)`; variable_count when there is none. */
size_t bound_number(const struct bound *bound);

struct numbered_bound {
  struct bound bound; /* of `number` alone */
  struct variable variable;
  struct term number;
  const struct variable **variables;
};

/* The bound for one number of such a variable; the bound given must outlive it. */
void numbered_bound_init(struct numbered_bound *numbered, const struct bound *bound,
                         int64_t number);
void numbered_bound_clear(struct numbered_bound *numbered);

#endif
