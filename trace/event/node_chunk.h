/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Files of the Node.js recorder as sequences of chunks that are whole. What is damaged or was not
 * written to its end is passed over, and the next whole chunk is looked for. The format is in
 * docs/node.md. Private to trace/event.
 */
#ifndef TRACE_EVENT_NODE_CHUNK_H
#define TRACE_EVENT_NODE_CHUNK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "base/text.h"

enum {
  NODE_FILE_HEADER = 64,
  NODE_CHUNK_HEADER = 64,
  NODE_CHUNK_MOST = 65536, /* header and records */
  NODE_NAME_MOST = 200
};

struct node_file {
  int descriptor;
  int64_t offset, size;
  uint32_t process, thread, part;
  uint32_t run;           /* of that process id in its folder, from 0 */
  uint32_t system_thread; /* of a worker thread, as the system counts; 0: not known */
  uint32_t pool;          /* threads of the process's pool; 0: not known */
  uint32_t under_way;     /* requests when the recording began, which are not in it */
  uint32_t folder;        /* one number for all files of a folder (node_walk.h) */
  uint32_t stopped;       /* why nothing was written after `stopped_at`; 0: all was */
  int64_t stopped_at;     /* ns, CLOCK_MONOTONIC */
  bool has_http2;         /* the recorder records requests by HTTP/2 */
  bool has_asked;         /* and when a compressing stream asks for work */
  char name[NODE_NAME_MOST + 1];
  uint64_t skipped; /* bytes that are no whole chunk */
  unsigned char bytes[NODE_CHUNK_MOST + 4];
};

struct node_chunk {
  bool samples; /* what the loop was in, from the thread beside it; no part of the sequence */
  uint32_t sequence;
  int64_t base, end;         /* ns, CLOCK_MONOTONIC */
  uint64_t records, dropped; /* before it: written, and left out for lack of space */
  const unsigned char *data; /* until the next chunk is read */
  size_t length;
};

/* The first bytes of a file that this can read. */
bool node_file_is(const char *bytes, size_t length);

/* STATUS_NO_INPUT or STATUS_DATA with a message; then there is nothing to close. */
enum status node_file_open(struct node_file *file, const char *path, struct text *message);
void node_file_close(struct node_file *file);

/* The next whole chunk; false at the end. */
bool node_file_next(struct node_file *file, struct node_chunk *chunk);

/* What the recorder writes into a chunk: of `count` little-endian words. */
uint32_t node_checksum(const unsigned char *bytes, size_t count);

#endif
