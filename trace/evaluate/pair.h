/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which two activities of a flow depend on each other most: what a law of independent activities
 * leaves out.
 */
#ifndef TRACE_EVALUATE_PAIR_H
#define TRACE_EVALUATE_PAIR_H

#include "trace/evaluate/scenario.h"

/* Looked at are the activities that vary most, in requests evenly taken from all. */
enum { PAIR_ACTIVITIES_MAX = 16, PAIR_REQUESTS_MAX = 4096 };

struct activity_pair {
  uint32_t a, b;      /* positions of the calls whose work it is; a < b */
  double correlation; /* of ranks, -1 to 1 */
};

/* False where none is shown to depend (1 in 1000 for all pairs together), or requests are few. */
bool activity_pair_find(struct activity_pair *pair, const struct flow_variant *variant);

#endif
