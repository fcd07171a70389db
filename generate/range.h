/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The least and the largest value that a number of a protocol may have, whatever the state: what is
 * stored is in 32 bits (times: in 62), and how many nodes there are is limited by TP_NODES
 * (steps/tp_set.h).
 */
#ifndef GENERATE_RANGE_H
#define GENERATE_RANGE_H

#include "lang/model.h"

enum { RANGE_NODES = 64 }; /* TP_NODES */

struct number_range {
  int64_t low, high;
  bool known; /* it fits in 64 bits, and so do the numbers it is computed of */
};

/* Of an INT, NODE or TIME term, over the state before a step. */
struct number_range range_of(const struct model *model, const struct term *term);

/* The same range of an INT, no larger than a condition on that state lets it be: x + 1 where x < n.
 */
void range_limit(struct number_range *range, const struct model *model, const struct term *number,
                 const struct term *condition);

/* Whether every such number can be stored (TYPE_INT or TYPE_TIME). */
bool range_is_stored(const struct number_range *range, enum type_kind kind);

/* Whether the term can be computed in 32 bits without looking. */
bool range_is_small(const struct model *model, const struct term *term);

#endif
