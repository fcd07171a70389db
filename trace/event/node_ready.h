/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * When what an event loop read became ready, and when it wrote to a connection: the stamps that
 * measure/node/preload.c writes beside the log of a process, in their order. Private to
 * trace/event.
 */
#ifndef TRACE_EVENT_NODE_READY_H
#define TRACE_EVENT_NODE_READY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vector.h"

enum { NODE_READY_BLOCK = 4096 };

/* What the loop has read until a moment. Times in ns, CLOCK_MONOTONIC; `when` 0: nothing. */
struct node_stamp {
  int64_t when;  /* the loop read it */
  int64_t ready; /* it was there; -1: not known */
  uint16_t connection;
};

struct node_ready {
  int descriptor; /* -1: no file */
  bool damaged;   /* there is one, of which nothing is used */
  uint64_t next, count, capacity;
  unsigned char block[NODE_READY_BLOCK];
  uint64_t block_first, block_count;
  struct node_stamp socket, pool; /* the last of each kind */
  VECTOR(int64_t) sent;           /* by connection: when it was last written to; 0: never */
};

/* Opens PID.tpr beside a log, PID+RUN.tpr of a later run, or PID-TID.tpr of a worker thread (`thread` 0: the main one). Without
 * a file, or with one that is damaged, there are no stamps. */
void node_ready_open(struct node_ready *ready, const char *log_path, uint32_t process, uint32_t run,
                     uint32_t thread);
void node_ready_close(struct node_ready *ready);

/* Goes on to what was read and written at or before the moment. */
void node_ready_advance(struct node_ready *ready, int64_t moment);

/* When the loop next reads a connection whose data has a stamp, between two moments; -1: it does
 * not. This goes on to nothing. */
int64_t node_ready_next_read(struct node_ready *ready, int64_t from, int64_t to);

#endif
