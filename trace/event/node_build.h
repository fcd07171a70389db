/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Records of one loop, in the order of the log, into the columns of an event log. A turn's records
 * stand before it, so they are kept until it comes. Private to trace/event.
 */
#ifndef TRACE_EVENT_NODE_BUILD_H
#define TRACE_EVENT_NODE_BUILD_H

#include "trace/event/log.h"
#include "trace/event/node_messages.h"
#include "trace/event/node_ready.h"
#include "trace/event/node_record.h"
#include "trace/event/node_resource.h"

/* A request that is not answered. */
struct node_open {
  uint32_t number;    /* in the event log, + 1; 0: none */
  int32_t connection; /* it came from; -1: not known */
};

/* The type of timers that run again after so many ns. */
struct node_interval {
  int64_t length;
  uint32_t type; /* name */
};

struct node_build {
  struct event_log *log;
  uint32_t loop;          /* index */
  VECTOR(uint32_t) texts; /* number in the log to name */
  VECTOR(uint8_t)
  classes; /* by name, what a resource of this type waits for, + 1; 0: not yet known */
  struct node_resources resources;
  VECTOR(struct node_interval) intervals;
  VECTOR(struct node_record) pending; /* of the turn that has not come yet */
  VECTOR(struct node_open) open;      /* requests, by number from first_number */
  int64_t first_number;
  uint64_t records, dropped; /* what the next chunk says if nothing is missing */
  struct node_ready *ready;  /* of the process's main thread, else NULL */
  int64_t turn_end;          /* of the last turn */
  struct node_before before; /* the same */
  int64_t arrived;           /* when what the turn has read reached the socket; -1: not known */
  int64_t read;              /* when the loop last read for a turn with a stamp, */
  uint32_t reader;           /* for which resource, */
  uint16_t connection;       /* and of which connection */
  VECTOR(struct node_record) samples; /* of turns that have not come yet */
  VECTOR(struct node_record) delays;  /* all */
  VECTOR(struct node_message) messages;
  bool skimming; /* the last chunk was not read in full */
};

/* Adds a loop to the log. */
void node_build_init(struct node_build *build, struct event_log *log, const struct node_file *file);

/* What the loop was in, of turns that come. */
void node_build_samples(struct node_build *build, const struct node_chunk *chunk);

/* The records of the next chunk. */
void node_build_chunk(struct node_build *build, const struct node_chunk *chunk);

/* Of the next chunk only what later ones need: resources and texts. No rows are made, and requests
 * that are open have no complete chain. */
void node_build_skim(struct node_build *build, const struct node_chunk *chunk);

/* Writes what waits for its end, and releases what the builder holds. */
void node_build_finish(struct node_build *build);

#endif
