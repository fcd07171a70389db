/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * When the other services are to pause so that one seems faster, in proportion to what it works:
 * for a call that is to take 60 % of its time, the others stand for 40 % of the time that it works.
 * With their pauses taken out of all times it then works as much faster (the virtual speed-up of
 * causal profiling: Curtsinger and Berger, SOSP 2015, section 3.4, for services that are
 * processes).
 *
 * They pause for a fixed time at once, whenever half of one is owed, so that calls get on average
 * what is theirs. A pause that outlasts the work does not count further than the work went; the
 * rest is owed to the next call.
 *
 * Pure: no clock, no allocation.
 */
#ifndef MEASURE_THROUGHPUT_POKER_PACING_H
#define MEASURE_THROUGHPUT_POKER_PACING_H

#include <stdbool.h>
#include <stdint.h>

#define PACING_MILLION 1000000u
#define PACING_SAVED_MOST 950000u

struct pacing {
  uint64_t saved_ppm; /* of the time of work: 1 .. PACING_SAVED_MOST */
  uint64_t pause_ns;  /* of each pause, more than 0, at most 10 s */
  uint64_t at_ns;     /* the latest step */
  uint64_t until_ns;  /* end of the latest pause */
  int64_t owed;       /* ns, times PACING_MILLION */
};

void pacing_init(struct pacing *pacing, uint64_t saved_ppm, uint64_t pause_ns, uint64_t now_ns);

/* It is `now`, and since the last step the service has worked, or not. True: the others are to
 * pause from now on. */
bool pacing_step(struct pacing *pacing, uint64_t now_ns, bool working);

#endif
