/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which events belong to which request: every request's moments, as a mapping defines them
 * (measure/outside/mapping.h).
 *
 * A moment is the first event of its probe at its place, at or after the moment that it comes
 * after, for which its condition holds. Nothing is guessed: where a condition asks for the thread,
 * the descriptor or the key of another event (==), and an event of that other one's probe with the
 * same value comes in between, the one that follows belongs to the later request if it fits that
 * one, too, and the moment stays without an event. But
 *
 *  - both have it where the condition asks for a position (>=) that both have reached, and where
 * what came before it is one event of both: a batch;
 *  - each has one where requests overlap on what is no thread (a connection): as many events
 * follow, before another request is taken up, as there are requests; they come in the same order.
 *
 * A moment that is `shared` (one flush for several commits) has no such limit.
 *
 * A request of which a moment is missing is *not paired*. It is counted under the first moment that
 * is missing and the reason.
 */
#ifndef MEASURE_OUTSIDE_PAIR_H
#define MEASURE_OUTSIDE_PAIR_H

#include "measure/outside/event.h"
#include "measure/outside/mapping.h"

enum pair_reason {
  PAIR_WHOLE,
  PAIR_NEVER,     /* no such event came while the recording lasted */
  PAIR_LATE,      /* none within the time that a mapping allows; it lasted for longer */
  PAIR_AGAIN,     /* the event that it belongs to came again first */
  PAIR_BACKWARDS, /* a step or a message would end before it begins; `moment` is its number */
  PAIR_REASONS,
};

/* A moment that a request lacks. */
#define PAIR_MISSING UINT64_MAX

struct pair_request {
  enum pair_reason reason;
  uint32_t moment; /* the first that is missing, of a mapping's moments; of BACKWARDS: its step, or
                    * steps + its message */
  bool doubtful;   /* not paired, and it may have ended all the same: its events do not tell */
};

struct pairing; /* owns copies of what it needs of events */

/* Tells the command line of a process; NULL: not known. Valid until the next call. */
struct pair_processes {
  const char *(*command)(void *context, uint32_t pid);
  void *context;
};

/* The mapping and the probes must outlive it. */
struct pairing *pairing_new(const struct outside_mapping *mapping,
                            const struct outside_probe *probes, uint32_t probe_count,
                            struct pair_processes processes);
void pairing_free(struct pairing *pairing);

/* A sink for events in order of time (struct outside_sink). */
bool pairing_take(void *pairing, const struct outside_event *event);

/* Requests are settled while events come, which are let go then. After how many events that is
 * tried at least; without this call it is chosen. It changes nothing of what is found. */
void pairing_settle_every(struct pairing *pairing, size_t events);

/* Call it once, when all events are there. 0, or the errno of what could not be written: settled
 * requests are in a file in $TMPDIR or /var/tmp. */
int pairing_end(struct pairing *pairing);

/* Requests, by their beginning; from here on after pairing_end. */
size_t pairing_count(const struct pairing *pairing);
struct pair_request pairing_request(const struct pairing *pairing, size_t request);

/* When a moment of a request was, CLOCK_MONOTONIC; of a family that of a member. PAIR_MISSING. */
uint64_t pairing_moment(const struct pairing *pairing, size_t request, uint32_t moment,
                        uint32_t member);

/* The member that has a moment of a family first; MAPPING_NONE: no one. */
uint32_t pairing_chosen(const struct pairing *pairing, size_t request, uint32_t moment);

/* How many requests lack this moment first, for this reason. */
uint64_t pairing_lacking(const struct pairing *pairing, uint32_t moment, enum pair_reason reason);

/* How many moments of requests that overlapped were paired in their order. */
uint64_t pairing_ordered(const struct pairing *pairing);

/* Events that count from when their calls began, of which that is not known, or not in time: more
 * than 10 s later. They are nobody's, and what is not paired may have had them. */
uint64_t pairing_uncertain(const struct pairing *pairing);

/* Events of the first moment's probe that were at its place, whatever its condition says of them. */
uint64_t pairing_at_first(const struct pairing *pairing);

/* Events of a probe, and of these those of processes that are no place of the mapping. */
uint64_t pairing_events(const struct pairing *pairing, uint32_t probe);
uint64_t pairing_elsewhere(const struct pairing *pairing, uint32_t probe);

#endif
