/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What each answered request of an event log waited for: its chain of event instances, from its
 * arrival at the socket to the last byte handed over.
 *
 * Example. A handler reads a file and answers in its callback. Its chain has two links,
 *
 *     source    arrived 0.0, begin 0.4                 it waited 0.4 ms for the loop, ran until ...
 *     readFile  registered 0.5, ready 2.0, begin 7.0   ... 0.5, 1.5 ms of I/O, 5 ms in the queue,
 *               stop 7.1                               0.1 ms until the answer was handed over
 *
 * and 0.4 + 0.1 + 1.5 + 5.0 + 0.1 is its latency, exactly: each link is registered at the moment at
 * which the one before it stops.
 *
 * The chain is walked from the answer back. What an instance followed from is the later of two: the
 * callback that registered it, and the one that released it (resolved its promise). The walk may
 * leave the request, to something that was there before it: a timer that drains a queue, a
 * connection to a database. Then the first instance behind it waits for that, as a link whose
 * `shared` is set; it counts as registered when the request itself last did something: where it
 * awaited what this instance released, or else where its source ended.
 */
#ifndef TRACE_LOOP_CHAIN_H
#define TRACE_LOOP_CHAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/narrow.h"
#include "trace/event/log.h"

/* registered <= ready_low <= ready_high <= begin <= stop; all ns. In three parts:
 *
 *     I/O        ready_low - registered .. ready_high - registered
 *     queue      begin - ready_high     .. begin - ready_low
 *     execution  stop - begin
 *
 * whose sum is stop - registered wherever `ready` was. */
struct event_link {
  uint32_t row; /* of the log */
  bool shared;  /* begun for something else: not registered by this request */
  int64_t registered, ready_low, ready_high, begin;
  int64_t stop; /* the next link is registered, or the answer handed over */
};

enum chain_state {
  CHAIN_COMPLETE,
  CHAIN_ABORTED,   /* EVENT_ABORTED ... */
  CHAIN_OPEN,      /* EVENT_OPEN */
  CHAIN_UPGRADED,  /* EVENT_UPGRADED */
  CHAIN_BROKEN,    /* EVENT_BROKEN */
  CHAIN_NO_SOURCE, /* no row says where the server noticed it */
  CHAIN_NO_SINK,   /* no row says where it was answered */
  CHAIN_LOST,      /* an instance on the way has no record of what it followed from */
  CHAIN_BACKWARDS, /* its times contradict themselves: answered before it was noticed */
  CHAIN_STATES
};

struct event_chain {
  size_t first;            /* of its links, first .. first + count; the source first */
  int64_t arrived, answer; /* ns: the first link is registered, and the last one stops */
  uint32_t request;        /* of log->requests */
  uint32_t count;          /* of its links; 0 unless complete */
  uint8_t state;           /* enum chain_state */
  bool shared;             /* a link is */
};

/* One chain for each request, in their order. Of a link only what the log does not say is kept: a
 * log of 500 MB has a million of them. */
struct event_chains {
  VECTOR(struct event_chain) chains;
  VECTOR(uint32_t) rows;         /* by link: twice the row, and 1 more if it is shared */
  struct narrow since;           /* by link, ns: begin of its row - registered */
  uint64_t states[CHAIN_STATES]; /* how many requests ended so */
  uint64_t shared;               /* complete chains with a shared link */
  uint64_t unseen;    /* complete chains of requests that may have arrived earlier, unseen ... */
  int64_t unseen_max; /* ... by so many ns at most */
};

/* Any log at all: rows that do not exist, circles and times in the wrong order make a chain
 * incomplete, and nothing worse. Takes time in proportion to the rows that are met. */
void event_chains_make(struct event_chains *chains, const struct event_log *log);
void event_chains_clear(struct event_chains *chains);

/* A link of the chain, index < chain->count. The log is the one that the chains were made of. */
struct event_link event_link_at(const struct event_chains *chains, const struct event_log *log,
                                const struct event_chain *chain, uint32_t index);

/* Its row alone. */
uint32_t event_link_row(const struct event_chains *chains, const struct event_chain *chain,
                        uint32_t index);

/* Of a link: how long it was executing, at least in I/O, at least in the queue, and in either of
 * them but nobody knows in which. They add up to stop - registered. */
struct link_parts {
  int64_t io, queue, either, run;
};
struct link_parts event_link_parts(const struct event_link *link);

/* "answered", ..., in the words of a person who reads why a request has no chain. */
const char *chain_state_name(enum chain_state state);

#endif
