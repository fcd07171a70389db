/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The coarse histogram that Prometheus sees: a ladder of upper edges from 1 us to 60 s. A value is
 * counted at the first edge that is at least the value, exactly (nothing is interpolated), and one
 * that was lost beyond all of them.
 */
#ifndef MEASURE_AGENT_LADDER_H
#define MEASURE_AGENT_LADDER_H

#include <stdint.h>

#define LADDER_EDGES 25

struct ladder_edge {
  uint64_t ns;
  const char *seconds; /* the same, as Prometheus writes it */
};

extern const struct ladder_edge ladder_edges[LADDER_EDGES];

struct ladder {
  uint64_t counts[LADDER_EDGES + 1]; /* the last: lost, or above the last edge */
  uint64_t sum_ns;                   /* of those not lost; saturates */
};

void ladder_add(struct ladder *ladder, uint64_t value_ns);
void ladder_add_lost(struct ladder *ladder, uint64_t count);

#endif
