/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How much is in Node.js logs of any size, without keeping it.
 */
#ifndef TRACE_EVENT_NODE_TALLY_H
#define TRACE_EVENT_NODE_TALLY_H

#include "base/status.h"
#include "base/text.h"
#include "base/vector.h"
#include "trace/event/log.h"

enum { NODE_STATES = EVENT_BROKEN + 1 };

struct node_tally {
  char name[201];
  uint32_t process, thread;
  int64_t start, end; /* ns */
  uint64_t dropped;   /* records that are missing */
  uint64_t under_way; /* requests when the recording began: they are not in it */
  uint32_t stopped;   /* why the recording stopped early (trace/event/stopped.h); 0: not */
  int64_t stopped_at; /* ns */
  uint64_t states[NODE_STATES]; /* requests, by enum event_request_state */
};

typedef VECTOR(struct node_tally) node_tallies;

/* Appends one for each loop. STATUS_NO_INPUT or STATUS_DATA with a message. */
enum status node_tally_read(node_tallies *tallies, const char *const *paths, size_t count,
                            struct text *message);

#endif
