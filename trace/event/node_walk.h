/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Files of Node.js logs, loop by loop and chunk by chunk: parts of one log in their order, and of a
 * chunk that was written before it was full only the last writing. Each folder is a recording of
 * its own: in containers most servers are process 1. Private to trace/event.
 */
#ifndef TRACE_EVENT_NODE_WALK_H
#define TRACE_EVENT_NODE_WALK_H

#include "trace/event/node_chunk.h"

/* What is known of a loop when all of its parts were read. */
struct node_walked {
  uint64_t damaged;   /* stretches that are no chunk */
  uint32_t stopped;   /* why its recording stopped early (trace/event/stopped.h); 0: not */
  int64_t stopped_at; /* ns */
};

/* Called for each loop: begin, then its chunks, then finish. */
struct node_visitor {
  void *context;
  /* `path` is of its first part; `bytes` is the size of all loops together. */
  void (*begin)(void *context, const struct node_file *file, const char *path, int64_t bytes);
  void (*chunk)(void *context, const struct node_chunk *chunk);
  void (*finish)(void *context, const struct node_walked *walked);
};

/* STATUS_NO_INPUT or STATUS_DATA with a message when a file is no log or cannot be read. */
enum status node_walk(const char *const *paths, size_t count, const struct node_visitor *visitor,
                      struct text *message);

#endif
