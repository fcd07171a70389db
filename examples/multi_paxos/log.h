/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A replica's window of the replicated log: what it has accepted (its votes), and what it has heard
 * of the others' votes. Operations are numbered from 0; the window holds LOG_SIZE of them from
 * `start` on, below which all replicas have executed everything.
 */
#ifndef EXAMPLES_MULTI_PAXOS_LOG_H
#define EXAMPLES_MULTI_PAXOS_LOG_H

#include "examples/multi_paxos/packet.h"

#include <stdbool.h>

enum { LOG_SIZE = 4096 };

struct entry {
  bool voted;             /* this replica has accepted `request` in `view` */
  uint32_t view;          /* the latest in which it did */
  struct request request; /* what it accepted */
  uint32_t heard_view;    /* the latest view of which a 2b came */
  uint32_t heard;         /* the replicas whose 2b of that view came, as bits */
  struct request heard_request;
  bool decided; /* heard_request has a quorum, or another replica has said that it was decided */
};

struct log {
  uint64_t start, end; /* operations start .. end - 1 have been voted or heard of, or lie between */
  struct entry entries[LOG_SIZE];
};

/* The entry of an operation, or NULL when it lies outside the window. */
struct entry *log_entry(struct log *log, uint64_t operation);

/* Accepts `request` in `view`; false when it is outside the window. */
bool log_vote(struct log *log, uint64_t operation, uint32_t view, const struct request *request);

/* Another replica (or this one) has accepted it. True when that completed a quorum. */
bool log_hear(struct log *log, uint64_t operation, uint32_t view, const struct request *request,
              unsigned from, unsigned quorum);

/* It was decided. */
void log_decide(struct log *log, uint64_t operation, const struct request *request);

/* Forgets the operations below `start`. */
void log_truncate(struct log *log, uint64_t start);

/* Whether some operation from `from` on, voted for or heard of, is the request of this number. */
bool log_has(struct log *log, uint64_t from, uint64_t request);

#endif
