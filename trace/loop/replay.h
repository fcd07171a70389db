/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A recorded loop once more, with something changed: what would have happened to each request?
 *
 * Turns (turns.h) are served one at a time. A turn becomes ready when what it waits for has been
 * registered, plus the time of its I/O or timer as recorded; requests arrive when they arrived.
 * Among those that are ready the one is served that comes first in the recorded order of service,
 * which is moved with the time at which each is ready. Between the end of the turn before and its
 * beginning passes what passed in the recording. When a turn becomes shorter, everything it
 * registers moves with it, and everything behind it in the queue moves up.
 *
 * A read that answers several requests, as of a database whose connection they share, is one turn
 * and waits for the first of them. The others do not wait for that one: how much earlier or later
 * each asks than in the recording, compared with it, is how much earlier or later it is answered.
 *
 * What the threads of the pool do (threads.h) waits for a thread, as all else that they are asked
 * for does, and then takes its time.
 *
 * Without a change the result is the recording, to the nanosecond; loop_replay_check says so.
 *
 * What is taken for granted: arrivals do not depend on the answers (an open loop), I/O takes as
 * long as it took, whatever else runs (contention.h has the other reading), and collections happen
 * in the callbacks in which they happened, if those are not removed.
 */
#ifndef TRACE_LOOP_REPLAY_H
#define TRACE_LOOP_REPLAY_H

#include <stdint.h>

#include "trace/event/log.h"

struct event_chains; /* trace/loop/chain.h */
struct loop_threads; /* trace/loop/threads.h */
struct loop_turns;   /* trace/loop/turns.h */

enum { LOOP_PAUSES = EVENT_PAUSE_STOPPED + 1 };

/* What is different. Arrays are of the caller, by row unless said otherwise; NULL: nothing is. */
struct loop_scenario {
  double pause[LOOP_PAUSES];   /* factors of how long a pause takes; 1: as recorded */
  uint32_t rarer[LOOP_PAUSES]; /* only every so-many-th happens; 1: all */
  uint32_t offset;             /* which of them: 0 .. rarer - 1 */
  const uint8_t *unpaused;     /* by pause of the log: 1: it does not happen */
  const double *own;           /* factor of the row's own execution, without pauses */
  const double *gap;           /* by turn: factor of what passes before it although it is ready and
                                  the loop has ended the turn before, without pauses */
  const int64_t *io;           /* ns more between registered and eligible, which stays at least 0 */
  const uint32_t *split;       /* pieces into which the row's own execution falls; 0, 1: one */
  const uint8_t *offload;      /* another thread executes the row; when it is done the loop takes it
                                  up again, and only then what it registers and answers */
  uint32_t processes;          /* behind one port, requests dealt in turn; 0, 1: one */
  const struct loop_threads *threads; /* what the pool's threads did: work that is asked for waits
                                         until one of them is free, and `io` is of how long it then
                                         takes; NULL: of all that it waited */
  double
      lawless;  /* what runs beside or behind removed work, and has no law (after.h, contention.h),
                     takes so much of its time; 1: as recorded */
  int64_t skip; /* ns from the start of a loop: what begins earlier tells nothing of what others
                   take (after.h, contention.h), as code is compiled and connections are made */
};

/* Work is removed where its factor is at most this. What it waited for a processor meanwhile, looks
 * of the recorder, and collections within it go with it. */
#define LOOP_REMOVED 0.1

/* Nothing is different. */
struct loop_scenario loop_scenario_none(void);

/* By pause of the log: what its length is multiplied by, 0 where it does not happen. The caller's,
 * for mem_free. */
double *loop_pause_factors(const struct loop_turns *turns, const struct loop_scenario *scenario);

/* When what happens in the loop begins to tell what others take, ns. */
int64_t loop_counts_from(const struct loop_turns *turns, const struct loop_scenario *scenario,
                         uint32_t loop);

struct loop_replay {
  const struct loop_turns *turns;
  const struct event_chains *chains;
  int64_t *latency; /* ns, by chain; of incomplete ones 0, and of those of which what answers them
                       is over before they come */
  uint64_t stuck;   /* turns that never began: what they waited for did not happen */
};

/* Of the chains that are complete. */
void loop_replay_run(struct loop_replay *replay, const struct loop_turns *turns,
                     const struct event_chains *chains, const struct loop_scenario *scenario);
void loop_replay_clear(struct loop_replay *replay);

/* How many complete chains a replay without change does not reproduce exactly: 0, or the log must
 * not be replayed; with `threads` (or NULL) not so. */
uint64_t loop_replay_check(const struct loop_turns *turns, const struct event_chains *chains,
                           const struct loop_threads *threads);

#endif
