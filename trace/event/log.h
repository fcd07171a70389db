/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the event loops of a server did, as columns: each row is one event instance, that is, one
 * run of one callback. All readers of event logs make these columns; chains of requests, what held
 * the loop and what would happen if something changed are computed from them.
 *
 * Example. A handler calls readFile. That registers an instance of FSREQCALLBACK; the kernel has
 * the file 2 ms later (ready); the loop is busy with another request for 5 ms more; then the
 * callback begins, runs 0.1 ms, answers, and ends:
 *
 *     register 0.0    ready 2.0    begin 7.0    end 7.1 ms
 *
 * An asynchronous id is not an instance: the parser of a keep-alive connection is one resource and
 * runs a callback for each request. So an instance is (resource, which of its callbacks).
 *
 * Rows of one loop are in the order of their begin. Callbacks nest: an instance may begin and end
 * within another (`inside`). Instances that registered and never began have begin = EVENT_NEVER and
 * stand at the end of their loop.
 */
#ifndef TRACE_EVENT_LOG_H
#define TRACE_EVENT_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vector.h"
#include "trace/span/names.h"

#define EVENT_NONE UINT32_MAX
#define EVENT_NEVER INT64_MAX
#define EVENT_ROWS_MOST 0x3fffffffU /* rows and pauses: numbers of 30 bits */

/* What an instance waits for between register and ready; readers map the names of resources. */
enum event_class {
  EVENT_OTHER,
  EVENT_SOCKET,  /* a read, an accepted or made connection, a parsed message */
  EVENT_FILE,    /* the file system */
  EVENT_POOL,    /* other work of the thread pool: DNS, zlib, crypto */
  EVENT_TIMER,   /* ready = register + its time */
  EVENT_PROMISE, /* ready when it was resolved */
  EVENT_TICK,    /* nextTick, microtask, immediate: ready at once */
  EVENT_SIGNAL,
  EVENT_PROCESS, /* a child process, a worker thread's message */
  EVENT_PROGRAM, /* the main script */
};

/* When an instance became ready, as an interval: ready_low <= ready_high <= begin, both at least
 * its register. Equal where a clock says it exactly. */
enum event_ready_source {
  EVENT_READY_UNKNOWN, /* low = register, high = begin */
  EVENT_READY_KERNEL,  /* the kernel's receive stamp, or the pool's stamp of completion */
  EVENT_READY_TIMER,   /* computed from the timer's time */
  EVENT_READY_AT_ONCE, /* ready when it was registered, or resolved */
};

/* One thread that runs callbacks: a process, or a worker thread of it. */
struct event_loop {
  uint32_t name;    /* "app.js", "app.js worker 2" */
  uint64_t process; /* id of the process and of the thread in it (0: the main one) */
  uint32_t thread;
  uint32_t run;    /* of a process with that id, from 0: in one folder an id may come again */
  uint32_t folder; /* of the log: one number for those that lie together; others have processes of
                      their own */
  uint32_t first, count; /* its rows */
  int64_t start, end;    /* ns: what the recording covers */
  int64_t unread;     /* ns of it that were not read, since a large log does not fit the memory */
  uint64_t dropped;   /* records for which there was no space; chains that may lack one of them
                         are not complete */
  uint32_t stopped;   /* why its recording stopped before it did (trace/event/stopped.h); 0: not */
  int64_t stopped_at; /* ns */
  int64_t waited, throttled; /* ns: its thread waited for a processor; of that for its quota */
  int64_t halted;            /* ns: it was stopped */
  bool lost_stamps;   /* there are stamps of what was read, but they are damaged and not used */
  bool has_http2;     /* requests by HTTP/2 are recorded as well */
  bool has_asked;     /* a row of a stream that compresses is registered when it asked for work */
  uint32_t pool;      /* threads that do its work with files and keys; 0: not known */
  uint32_t under_way; /* requests when the recording began: they are not in it */
};

enum event_pause_kind {
  EVENT_PAUSE_MINOR,   /* collection of the young generation */
  EVENT_PAUSE_MAJOR,   /* collection of all, that stops the program */
  EVENT_PAUSE_STEP,    /* a step of an incremental collection */
  EVENT_PAUSE_WEAK,    /* callbacks of weak references */
  EVENT_PAUSE_COMPILE, /* of code, as it was loaded */
  EVENT_PAUSE_LOOK,    /* the recorder asked what the loop was in */
  EVENT_PAUSE_MESSAGE, /* deserialisation of a message of another thread */
  /* the loop had no processor: */
  EVENT_PAUSE_WAITING,   /* others had them */
  EVENT_PAUSE_THROTTLED, /* its control group had used up its quota */
  EVENT_PAUSE_STOPPED,   /* the process was stopped, or its machine was */
};

/* What stopped a loop for a while although no callback asked for it; in the order of start. They
 * may nest: paused time is their union. */
struct event_pause {
  uint32_t loop;
  enum event_pause_kind kind;
  int64_t start, end; /* ns */
  uint32_t name;      /* of the file that was compiled, or of where a message came from; 0: not
                         known, or a collection */
};

/* A connection of a pool that the application keeps was asked for, and given in a later turn. */
struct event_grant {
  uint32_t loop;
  uint32_t asker, row;    /* rows in which it was asked for, or EVENT_NONE, and given */
  uint32_t connection;    /* its asynchronous id; 0: not known */
  uint32_t name;          /* "pg's pool (2 of 2 in use)" */
  int64_t asked, granted; /* ns */
};

/* What a process used for a while; of its main loop. */
struct event_use {
  uint32_t loop;
  int64_t start, end; /* ns */
  int64_t processor;  /* ns of processors, all threads of the process together */
  int64_t memory;     /* bytes, at the end */
};

/* What the recorder saw when it looked at a callback that lasted. */
struct event_look {
  uint32_t row;
  uint32_t stack; /* name: functions, the innermost first: "app.js:3:1 spin;app.js:12:3 handler" */
};

/* Why a request has no complete chain; each is counted and shown. */
enum event_request_state {
  EVENT_ANSWERED, /* from the socket to the last byte handed over */
  EVENT_ABORTED,  /* the client went away */
  EVENT_OPEN,     /* not answered when the recording ended */
  EVENT_UPGRADED, /* the connection changed its protocol */
  EVENT_BROKEN,   /* a record that its chain needs was dropped, or is not there */
};

/* One HTTP request as its server saw it. */
struct event_request {
  uint32_t loop;
  uint32_t route;  /* "GET /users/:id": numbers and ids are folded, and what has many values */
  uint32_t source; /* row in which the server noticed it, or EVENT_NONE */
  uint32_t sink;   /* row in which the last byte was handed over, or EVENT_NONE */
  int64_t arrived_low, arrived_high; /* ns: at the socket; equal if the kernel said so */
  int64_t noticed;                   /* ns: the server's parser has read it */
  int64_t responded;                 /* ns: the last byte was handed over; EVENT_NEVER */
  enum event_request_state state;
  uint16_t status; /* 200; 0: none */
  bool is_pattern; /* the route is what a framework matched */
};

/* All columns have one entry by row. */
struct event_log {
  struct span_names names;
  VECTOR(int64_t) registered, ready_low, ready_high, begin, end; /* ns, CLOCK_MONOTONIC */
  VECTOR(uint32_t) resource;                                     /* the asynchronous id */
  VECTOR(uint32_t) type;                                         /* name: "FSREQCALLBACK" */
  VECTOR(uint32_t)
  place;                      /* name: "app.js:12:3 handler" where it was registered, which all
                                 of its callbacks have in common; 0: not known */
  VECTOR(uint32_t) registrar; /* row whose callback registered it, or EVENT_NONE */
  VECTOR(uint32_t)
  releaser;                     /* row that made it ready (resolved the promise), or EVENT_NONE;
                                   the predecessor is the later of both */
  VECTOR(uint32_t) inside;      /* row within which it began, or EVENT_NONE */
  VECTOR(uint8_t) class;        /* enum event_class */
  VECTOR(uint8_t) ready_source; /* enum event_ready_source */
  VECTOR(struct event_loop) loops;
  VECTOR(struct event_pause) pauses;
  VECTOR(struct event_look) looks;       /* in the order of time within a loop */
  VECTOR(struct event_use) uses;         /* in the order of time within a loop */
  VECTOR(struct event_request) requests; /* in the order of `noticed` */
  VECTOR(struct event_grant) grants;
  VECTOR(uint32_t) unknown; /* names: packages whose pools are not watched, each once */
};

void event_log_init(struct event_log *log);
void event_log_clear(struct event_log *log);

/* Releases what only tells which row follows from which: `resource`, `registrar`, `releaser`,
 * `inside`, and `ready_source`. Chains and turns that were made of the log keep what they need. */
void event_log_forget_origins(struct event_log *log);

#endif
