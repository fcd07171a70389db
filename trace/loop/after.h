/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Callbacks that ran directly behind work that a change removes. They took other times than they
 * would have taken without it.
 *
 * Example. After a full collection the first handler takes 5 ms where others take 0.2: caches are
 * cold, and compiled code is gone. Behind a report 20 requests have come together, and each takes
 * half as long as one that comes alone, because the one before left the caches warm.
 *
 * Work is removed where at most a tenth of it is left (LOOP_REMOVED). What it leaves behind are the
 * callbacks that begin after it, until the loop takes its next break (LOOP_BREAK_NS); and of work
 * in the thread pool, which shares the processors with the loop, also those that begin while it is
 * under way. They are compared with all other callbacks of their kind: of the same resource, source
 * position and route, as many callbacks away from the request's source. Without the work the
 * shortest of them takes what the shortest of the others take, and so on by rank. So the law is
 * that of the others, and the callback that answers stays the longest of its request. The same is
 * done with the gaps before turns: those of an idle loop, and those from one turn to the next. The
 * gap before a turn of which all is removed goes with it, and is no measure of others.
 *
 * Where the scenario has the threads of the pool, callbacks and gaps count with what they waited for
 * a processor, as those threads may have had it.
 */
#ifndef TRACE_LOOP_AFTER_H
#define TRACE_LOOP_AFTER_H

#include <stdint.h>

struct loop_scenario; /* trace/loop/replay.h */
struct loop_turns;    /* trace/loop/turns.h */

enum { AFTER_OTHERS = 20 }; /* callbacks of one kind that make a law; else they stay as recorded */

struct loop_after {
  uint64_t callbacks;            /* are left behind, of kinds with a law */
  uint64_t lawless;              /* and of others */
  int64_t recorded_ns, other_ns; /* those with a law and gaps before them: as recorded, as others */
  double *own;                   /* by row: factor of own execution, the scenario's included */
  double *gap;                   /* by turn: factor of the gap before it */
  uint8_t *unpaused;             /* by pause: 1: it does not happen, the scenario's included */
};

void loop_after_make(struct loop_after *after, const struct loop_turns *turns,
                     const struct loop_scenario *scenario);
void loop_after_clear(struct loop_after *after);

#endif
