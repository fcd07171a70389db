/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The records of one chunk of a Node.js log, decoded one by one; numbers in them are differences to
 * the record before (docs/node.md). Any bytes give records that are in range, or a refusal.
 * Private to trace/event.
 */
#ifndef TRACE_EVENT_NODE_RECORD_H
#define TRACE_EVENT_NODE_RECORD_H

#include <stdbool.h>

#include "base/slice.h"
#include "trace/event/node_chunk.h"

enum node_kind {
  NODE_STRING,   /* number, text */
  NODE_INIT,     /* id was registered at time; text: number of its type's name */
  NODE_TIMER,    /* the same with a time of `length` ms */
  NODE_RUN,      /* a turn: a callback of id, from time to end */
  NODE_WITHIN,   /* a callback of id within a turn */
  NODE_REQUEST,  /* number was noticed at time; text: its route */
  NODE_RESPONSE, /* number was answered at time, with status */
  NODE_PAUSE,    /* from time to end, kind; text: of what was compiled */
  NODE_PROMISE,  /* a continuation registered at since that ran from time to end */
  NODE_ABORT,    /* number went away */
  NODE_UPGRADE,  /* a connection changed its protocol at time; text: its route */
  NODE_TYPED,    /* id is known since before this file; text: its type */
  NODE_SAMPLE,   /* text: the function that the loop was in at time */
  NODE_ROUTE,    /* number has this route, which is known only now */
  NODE_PEER,     /* text: where the connection id goes to */
  NODE_DELAY,    /* from time to end the loop had no processor for `waited`, or was `stopped` */
  NODE_USE,   /* from time to end the process used `waited` of processors; its memory: number KiB */
  NODE_ASKED, /* id, which is there for long, asked for something at time */
  NODE_GRANT, /* connection id of a pool, asked for at since, was given at time; text: the pool */
  NODE_UNKNOWN, /* text: a package whose pools are not watched, as its version is not known */
};

struct node_record {
  enum node_kind kind;
  uint32_t id, text, code;            /* code: kind of a pause, or status of a response */
  int64_t number;                     /* of a request or a string */
  int64_t time, end, since;           /* ns, CLOCK_MONOTONIC */
  int64_t length;                     /* ms */
  struct slice bytes;                 /* of a string */
  int64_t waited, throttled, stopped; /* ns; throttled is a part of waited */
  bool streamed;                      /* a response among others of its connection */
};

struct node_cursor {
  const unsigned char *at, *end;
  int64_t base, time, id, request;
  bool broken; /* the rest cannot be understood */
};

#define NODE_TIME_MAX ((int64_t)1 << 61)

struct node_cursor node_cursor_make(const struct node_chunk *chunk);

/* The next record; false at the end, or when broken. */
bool node_record_next(struct node_cursor *cursor, struct node_record *record);

#endif
