/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A replay while it runs (replay.h). Private to trace/loop.
 */
#ifndef TRACE_LOOP_REPLAY_INSIDE_H
#define TRACE_LOOP_REPLAY_INSIDE_H

#include "trace/loop/heap.h"
#include "trace/loop/replay.h"
#include "trace/loop/thread_queue.h"
#include "trace/loop/turns.h"
#include "trace/loop/units.h"

/* How far a unit is. */
enum { WAITS = 3 /* triggers that have not happened */, BEGUN = 4 };

struct replay_server {
  struct heap coming, waiting; /* by when they are eligible; by order */
  int64_t free;
};

/* That a moment of a turn makes another ready. */
struct dependent {
  uint32_t turn : 30; /* EVENT_ROWS_MOST: there are no more */
  uint32_t which : 2; /* of its triggers */
};

struct loop_run {
  const struct loop_turns *turns;
  const struct event_log *log;
  const struct loop_scenario *scenario;
  struct loop_units units;
  int64_t *time;  /* by unit, ns, of the replay: when it is ready, as far as known; or its begin */
  uint8_t *state; /* by unit */
  struct replay_server *servers; /* by loop and process */
  size_t server_count;
  double *pauses;  /* by pause: factor of how long it takes */
  int64_t *longer; /* by piece: ns that it and those before in its turn are longer; NULL: none is */
  uint32_t *dependents_of; /* by turn: where they start */
  struct dependent *dependents;
  struct thread_queue *pools; /* by pool and process */
  size_t pool_count;          /* of both */
};

/* The turn in which a row that triggers another happened, or EVENT_NONE. */
uint32_t run_trigger_of(const struct loop_run *run, const uint32_t *triggers, size_t which);

/* What waits for nothing else any more waits for its server from then on. */
void run_make_ready(struct loop_run *run, uint32_t index, const struct loop_turn *turn);

/* The time in the replay of a recorded moment in or after a unit that began at that time. */
int64_t run_moment_in(const struct loop_run *run, const struct loop_turn *turn,
                      const struct loop_unit *unit, int64_t begin, int64_t moment);

/* What another thread executes hands nothing over until the loop has it back. */
bool run_holds(const struct loop_unit *unit, int64_t moment);

/* ns more that what the turn waits for takes. */
int64_t run_longer_io(const struct loop_run *run, const struct loop_turn *turn);

/* --- the pools (replay_pools.c) --------------------------------------------------------------- */

void run_pools_make(struct loop_run *run);
void run_pools_clear(struct loop_run *run);

/* Asks a pool for what the unit, the first of its turn, waits for; false: it is no work of one. */
bool run_asks(struct loop_run *run, uint32_t index, int64_t time);

/* Goes on to what happens next in a pool; false: nothing does at or before the time. */
bool run_pool_works(struct loop_run *run, int64_t time);

/* --- the end (replay_latency.c) --------------------------------------------------------------- */

void run_take_latencies(struct loop_replay *replay, const struct loop_run *run);

#endif
