/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What `whatif latency` knows of the thread pool of event loops (trace/loop/threads.h), where a
 * change is of work that the pool does.
 *
 * Its threads share the processors with the loop, so what the loop ran and read beside removed work
 * takes what others of its kind take. A percentile is not told where that is not known well enough:
 * where the readings that are left differ by more than 5 % (to p90; beyond, 15 %), or where it would
 * be less by that if what has no law took half as long. Where a change removes callbacks that ask the
 * pool, and says nothing of that work, it is not told if it differs by as much without the work.
 */
#ifndef CLI_QUESTION_LOOPS_THREADS_H
#define CLI_QUESTION_LOOPS_THREADS_H

#include <stddef.h>
#include <stdint.h>

#include "trace/loop/threads.h"

struct event_chains;  /* trace/loop/chain.h */
struct loop_changes;  /* trace/loop/changes.h */
struct loop_scenario; /* trace/loop/replay.h */
struct loops_whatif;  /* cli/question/loops/whatif.h */

/* Of both readings. */
struct loops_threads {
  enum loop_threads_state state; /* unless it is LOOP_THREADS_KNOWN no percentile is told */
  uint64_t changed;              /* pieces of the pool's work that take another time */
  uint64_t contradicted;         /* that were done before a thread can have begun with them */
  uint64_t orphaned; /* that removed callbacks ask for, for others; no change is of them */
  uint32_t orphan_type, orphan_route; /* names: of one of them */
};

#define LOOPS_LAWLESS_LEFT 0.5

enum loops_untold {
  LOOPS_TOLD,
  LOOPS_UNTOLD_THREADS, /* the state */
  LOOPS_UNTOLD_READINGS,
  LOOPS_UNTOLD_LAWLESS,
  LOOPS_UNTOLD_ORPHANED, /* whether they go with the callbacks */
};

/* What the threads did, unless a replay with that does not reproduce the log. */
void loops_threads_make(struct loop_threads *threads, const struct loop_turns *turns,
                        const struct event_chains *chains);

/* What the scenario changes of it. Files alone are I/O where it is not known how many threads there
 * are. */
void loops_threads_find(struct loops_threads *found, const struct loop_threads *threads,
                        const struct loop_turns *turns, const struct loop_scenario *scenario);

/* Keys, names and what is compressed that removed callbacks ask for, and that only removed ones take
 * up: takes them away as well, ns by row; NULL: there are none. For mem_free. */
int64_t *loops_threads_orphaned(struct loops_threads *found, const struct loop_threads *threads,
                                const struct loop_turns *turns, const struct loop_changes *changes);

/* Whether the percentile is told, and why not; once all quantiles are there. */
enum loops_untold loops_untold(const struct loops_whatif *answer, size_t percentile);

#endif
