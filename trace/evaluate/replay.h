/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Recorded requests again, with what a scenario changes and all else as it was: what one request
 * had in common with itself (a busy machine, a large answer) it keeps. Without a change each
 * latency is the recorded one, exactly.
 *
 * What is drawn anew is drawn for each request by itself, several times over when there are few
 * requests: that is the one place where dependence is lost.
 */
#ifndef TRACE_EVALUATE_REPLAY_H
#define TRACE_EVALUATE_REPLAY_H

#include "trace/evaluate/scenario.h"

struct queue_use;     /* trace/evaluate/queue.h */
struct queue_waiting; /* trace/evaluate/waiting.h */

#define LATENCY_NEVER INT64_MAX /* a measurement says only that it is longer than all it knows */

struct replay_wish {
  const struct scenario *scenario;
  const struct variants *variants; /* of the graph of all requests of the store */
  const struct span_store *store;
  uint64_t seed;
  size_t repetitions; /* of draws; 0: as many as make their error small beside that of the data */
  /* Queues that the requests stood in; NULL: none. Its limits follow those of the changes, and its
   * durations are taken. */
  const struct queue_waiting *waiting;
};

struct replayed {
  VECTOR(int64_t) before; /* ns, by request of the store */
  VECTOR(int64_t) after;  /* the same, one repetition after the other */
  size_t repetitions;
  bool drawn, queued;
  uint64_t draws;     /* how many disjoint sets of draws for a request the files have */
  const char *scarce; /* the file that has so few; NULL: nothing is drawn from files */
  uint64_t shortened; /* durations that had less than was to be taken from them */
  VECTOR(struct queue_use)
  use; /* by change, then by queue that was found; of the last repetition; empty without any */
};

/* False, with nothing but `before`, when calls wait for each other's servers (queue_run). */
bool requests_replay(struct replayed *replayed, const struct replay_wish *request);
void replayed_clear(struct replayed *replayed);

/* Between which latencies each request is, whichever of the undecided orders are waits. */
struct bounded {
  VECTOR(int64_t) least, most; /* ns, as replayed.after */
  uint64_t fed; /* how often it matters that a call may be fed by one that it runs beside (graph.h):
                   `least` and `most` allow for that */
};

/* `waits` and `free` are wishes of the same, with the graphs of both readings or, where nothing is
 * undecided, the same twice; `replayed` what came of them. Each activity takes the reading that is
 * worst for the bound, which is exact: what waits is ready no sooner when what it waits for ends
 * later. Requests that meet a limit have the bounds of the two readings. */
void requests_bound(struct bounded *bounded, const struct replay_wish *waits,
                    const struct replay_wish *free, struct replayed *const replayed[2]);
void bounded_clear(struct bounded *bounded);

/* How many independent requests the answer is worth, when the recorded ones are worth so many: not
 * more than there are sets of draws, and less for the error of drawing. */
uint64_t replayed_worth(const struct replayed *replayed, uint64_t requests);

#endif
