/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Whether what was measured as a service's work is more than that: time in which its requests
 * waited. A share of it that is saved is then another time than the share of the work.
 */
#ifndef MEASURE_THROUGHPUT_EXPERIMENT_WAITING_H
#define MEASURE_THROUGHPUT_EXPERIMENT_WAITING_H

#include "measure/throughput/experiment/window.h"

enum waiting {
  WAITING_NONE,     /* none that could be told, or the plan states the work */
  WAITING_PROXY,    /* counted by a proxy, to which waiting in the service looks like work */
  WAITING_TOGETHER, /* as long as a neighbour's calls, and grows and shrinks by as much */
  WAITING_BUSY, /* as long as a neighbour's calls, and both are busy all the time, as measured */
};

/* Of service s. `windows`: those without pauses, `count` of them; such that know no busy time (of a
 * journal) say nothing. *neighbour is set for the last two. */
enum waiting waiting_of(uint32_t *neighbour, const struct experiment_plan *plan,
                        const struct profile *profile, const struct window *const *windows,
                        size_t count, uint32_t s);

#endif
