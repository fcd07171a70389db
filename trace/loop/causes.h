/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Requests of an event log as causes of their latency (trace/tail/causes.h), route by route. A
 * cause is
 *
 *   wait    I/O of a kind, registered at a position of the source
 *   pool    waiting for a thread of the pool while other work than files holds most (pool.h)
 *   connection   waiting for a connection of a pool of the application's (granted.h)
 *   own     the request's own execution of a callback
 *   held    a callback of something else that held the loop while the request was in the queue: of
 *           no request (a timer), or so long that it makes a usual request half as slow as the slow
 *           ones are, or as slow as ten usual ones
 *   pause   collections of a kind, or compilation, in the queue and while executing
 *
 * A callback is told by what it waits for in people's words (trace/event/word.h), by the route of
 * the request that it works for, and by where it was registered if the log says that of all of
 * them. Which functions run in it is no part of that: the recorder looks at some of its runs and
 * sees another one each time. They are its details (seen.h), and each run of it counts.
 *
 * Short callbacks of other requests that were in front are no cause but load, which is a part of
 * the latency, as are what lies between callbacks and what nobody knows to be I/O or queue.
 *
 * What the latency would have been without a cause is found by replaying the whole loop (replay.h)
 *
 *   wait, own   with none of its waits (callbacks) longer than their median
 *   held        with these callbacks executed by another thread
 *   pool        without these waits for a thread
 *   pause       with none of these pauses
 *
 * so that all requests behind move up. Requests that were in the queue in the same busy stretch of
 * the loop, or while no thread of the pool was free, are delayed by the same things: they are one
 * `cluster`.
 */
#ifndef TRACE_LOOP_CAUSES_H
#define TRACE_LOOP_CAUSES_H

#include "trace/event/log.h"
#include "trace/loop/held.h"
#include "trace/tail/causes.h"

struct text;

enum loop_cause_kind {
  LOOP_WAIT,
  LOOP_POOL,
  LOOP_CONNECTION,
  LOOP_OWN,
  LOOP_HELD,
  LOOP_PAUSE,
  LOOP_LOAD,    /* callbacks of other requests, each short */
  LOOP_BETWEEN, /* no recorded callback */
  LOOP_EITHER,  /* I/O or queue */
};

/* Names are of the log; 0: none. */
struct loop_cause {
  enum loop_cause_kind kind;
  uint32_t place;
  uint32_t type;  /* the first that has its word (loop_causes.words) */
  uint32_t route; /* OWN, HELD, POOL: of the request that the callback, or the work, is for */
  enum event_pause_kind pause;
  uint32_t threads; /* POOL: so many the pool has */
};

/* Of a route, in the order of arrival. */
struct loop_route {
  const struct loop_causes *all;
  uint32_t route;          /* name */
  VECTOR(uint32_t) chains; /* its complete ones; a request of `causes` each */
  int64_t threshold;       /* ns: slow is what takes longer */
  struct tail_causes causes;
  uint32_t *cluster;           /* by request: what is delayed by the same things has one number */
  VECTOR(uint32_t) kinds;      /* by cause of `causes`: index of loop_causes.causes */
  VECTOR(uint8_t) first_phase; /* by cause: in which it was met first */
  VECTOR(int64_t *)
  phases; /* [cause * HOLD_PHASES + phase][request], ns: what the cause's parts
             consist of; NULL: nothing, or all of them are of the first phase (loop_route_phase) */
};

struct loop_replays; /* what was replayed already */

struct loop_causes {
  const struct event_log *log;
  const struct event_chains *chains;
  struct loop_turns turns;
  struct loop_pool pool;
  struct loop_granted granted;
  uint32_t *words;       /* by name: the first type of the log that people call the same */
  int64_t *own;          /* ns, by row: of own execution */
  int64_t longest_short; /* ns: longer callbacks of requests hold the loop, others are load */
  VECTOR(struct loop_cause) causes;
  VECTOR(struct loop_route) routes; /* with a complete chain; most requests first */
  uint64_t unfaithful; /* chains that a replay without change does not reproduce: then nothing is
                          replayed, and parts are taken away instead */
  struct loop_replays *replays;
};

/* The turns, and the routes with their chains, latencies and thresholds: `percent` (99; 0: none) or
 * `threshold_ns` say what is slow, of each route by itself. Log and chains must outlive the causes,
 * and the causes must not be moved. */
void loop_causes_begin(struct loop_causes *causes, const struct event_log *log,
                       const struct event_chains *chains, double percent, int64_t threshold_ns);

/* And then the causes, which need no origins any more (event_log_forget_origins). */
void loop_causes_fill(struct loop_causes *causes);

/* Both. */
void loop_causes_make(struct loop_causes *causes, const struct event_log *log,
                      const struct event_chains *chains, double percent, int64_t threshold_ns);
void loop_causes_clear(struct loop_causes *causes);

/* ns, by request: what a cause of the route adds in a phase; NULL: nothing. */
const int64_t *loop_route_phase(const struct loop_route *route, uint32_t cause,
                                enum hold_phase phase);

/* "held by request GET /report", "runs promise of GET /all" */
void loop_cause_say(struct text *text, const struct event_log *log, const struct loop_cause *cause);

/* Appends a callback as causes say it: "request GET /report", "file of GET /page", "file at
 * app.js:9:3 of GET /page". Names are of the log; 0: none. */
void loop_callback_say(struct text *text, const struct event_log *log, uint32_t type,
                       uint32_t place, uint32_t route);

/* "full collection" */
const char *loop_pause_name(enum event_pause_kind kind);

/* By name of the log: the number of the first name that is a type which people call the same; 0:
 * the name is no type. For mem_free. */
uint32_t *loop_words(const struct event_log *log);

/* What the row would be as a cause of that kind, which is not PAUSE or none. `words` are of
 * loop_words. */
struct loop_cause loop_cause_of_row(const struct event_log *log, const uint32_t *words,
                                    const uint32_t *owner, enum loop_cause_kind kind, uint32_t row);

/* Whether the latency consists of it without it being a cause. */
bool loop_cause_is_none(const struct loop_cause *cause);

#endif
