/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * When the answers of a service are passed on so that it seems to stand in pauses, though nothing
 * stops it: for services that wait for a timer, a disk or another host, which no stop would hold up.
 *
 * A request that takes so long in the service is answered when as much time has gone by on the clock
 * of measure/throughput/core/hold.h. Until then the worker that it stands for is not free for another: of requests that
 * come while all workers have one the first is begun when the first is answered. The service itself
 * has its requests at once, and works them off as it would; the time of each is counted from when one
 * of its workers was free for it, in the order in which they came: one that is answered before a
 * worker is thought to have it changes places with the first.
 *
 * How many workers there are is learnt in cycles: one request at a time (HOLDING_ONE), then all that
 * have piled up (HOLDING_LEARN), then one at a time again, until nobody is left. Pure; no
 * clock, no I/O. Moments are CLOCK_MONOTONIC in ns, never 0 nor before those of earlier calls.
 */
#ifndef MEASURE_THROUGHPUT_PROXY_HOLDING_H
#define MEASURE_THROUGHPUT_PROXY_HOLDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vector.h"
#include "measure/throughput/core/hold.h"

#define HOLDING_NEVER UINT64_MAX
#define HOLDING_ALL UINT32_MAX /* workers for all requests that there can be */
#define HOLDING_INSIDE 1024    /* requests in the service at one time that are told apart */
#define HOLDING_CYCLES 3       /* of which the median counts */
#define HOLDING_ALONE 255      /* times of requests that are kept */

enum holding_mode {
  HOLDING_OFF,   /* nothing is held or learnt */
  HOLDING_LEARN, /* nothing is held */
  HOLDING_ONE,   /* likewise, and the service is to have one request at a time (holding_is_full) */
  HOLDING_ON,
};

struct holding_request {
  void *who;           /* the caller's */
  uint64_t began_ns;   /* the moment; with `who` its name */
  uint64_t arrived;    /* on the clock */
  uint64_t started_ns; /* the moment at which a worker of the service had it; 0: none has */
  uint64_t paused_ns;  /* pauses until then */
  uint64_t work_ns;    /* that it takes on the clock, once it is answered */
  uint64_t freed, end; /* on the clock: a worker was free for it; it is over */
  bool alone;          /* in the service when it came */
  bool has_worker;     /* on the clock: `freed` is known */
  bool answered;       /* by the service; with has_worker, `end` is known */
};

struct holding {
  enum holding_mode mode;
  struct hold_clock clock;
  uint32_t workers; /* HOLDING_ALL: for all */
  uint64_t own_ns;  /* of a request that it works itself; HOLDING_NEVER: all of the time */
  VECTOR(struct holding_request) requests; /* in the order in which they came */

  /* learnt */
  uint64_t hop_ns; /* of a request, in which no worker has it: on its way there and back */
  uint32_t learnt; /* workers: holding_workers */
  double found[HOLDING_CYCLES], hops_ns[HOLDING_CYCLES]; /* in the latest cycles; 0: nothing */
  uint32_t inside;                                       /* requests in the service */
  uint64_t since_ns;
  uint64_t closed_ns; /* HOLDING_ONE: until this moment none is let in */
  uint32_t cycles;    /* that have ended; what was before the first end is none */
  bool counting;      /* since all were let in, until at most one was left */
  bool draining;      /* the cycle ends with the next request that leaves nobody behind */
  uint64_t times_ns[HOLDING_INSIDE + 1],
      ended[HOLDING_INSIDE + 1];                 /* in the cycle, with so many inside */
  uint64_t alone_count, alone_ns[HOLDING_ALONE]; /* the latest of those that were alone */
};

void holding_init(struct holding *holding);
void holding_clear(struct holding *holding);

/* From now on. Requests that are under way are held, or not, from their answer on; what was learnt
 * is forgotten, unless `keeps`. `workers` 0: HOLDING_ALL; `own_ns` 0: HOLDING_NEVER. */
void holding_set(struct holding *holding, enum holding_mode mode, uint32_t workers, uint64_t own_ns,
                 bool keeps, uint64_t now_ns);

/* A pause of that much begins; false when the clock can go no further. */
bool holding_pause(struct holding *holding, uint64_t now_ns, uint64_t ns);

/* Whether a request that comes is to wait before it is passed on: with HOLDING_ONE while another is in
 * the service, and twice as long after it, so that more come than pass; or as all workers of a
 * service that itself calls others (own_ns) have one: else it would call them too soon. */
bool holding_is_full(const struct holding *holding, uint64_t now_ns);

/* A request is passed on to the service. */
void holding_begin(struct holding *holding, void *who, uint64_t now_ns);

/* Whether the service has a request of `who`. */
bool holding_has(const struct holding *holding, const void *who);

/* The service has answered it: true when the answer is held, until holding_next names it. */
bool holding_answer(struct holding *holding, const void *who, uint64_t began_ns, uint64_t now_ns);

/* It was given up: nobody waits for it any more; HOLDING_NEVER: all requests of `who`. */
void holding_forget(struct holding *holding, const void *who, uint64_t began_ns, uint64_t now_ns);

/* A held answer that is due: true, with its request; false: none, and the moment of the next
 * (HOLDING_NEVER: none is held). */
bool holding_next(struct holding *holding, uint64_t now_ns, struct holding_request *due,
                  uint64_t *next_ns);

/* How many requests the service works on at one time, as it was learnt: 0: no cycle has ended, or it is
 * not clear, as where requests hinder one another; HOLDING_ALL: none has waited for another. By
 * Little's law (1961): the time of a request that is alone, times the number of requests, is what
 * workers have worked, of which at most so many do at one time. The median of cycles counts. */
uint32_t holding_workers(const struct holding *holding);

/* The median time of a request that is alone in the service, as it was learnt; 0: too few were. */
uint64_t holding_alone_ns(const struct holding *holding);

#endif
