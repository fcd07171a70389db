/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads just enough of the Redis protocol (RESP) that flows by: lines, and in them the question
 * REPLCONF GETACK *, the answer REPLCONF ACK offset, and integer replies.
 */
#ifndef EXAMPLES_REDIS_STREAM_H
#define EXAMPLES_REDIS_STREAM_H

#include <stddef.h>
#include <stdint.h>

enum stream_event {
  STREAM_NOTHING,
  STREAM_QUESTION, /* the last byte of REPLCONF GETACK * */
  STREAM_ACK,      /* the last byte of REPLCONF ACK offset; value is the offset */
  STREAM_NUMBER,   /* the last byte of ":value" */
  STREAM_ERROR,    /* of "-..."; `line` has the text */
};

struct stream {
  char line[128]; /* the current line, cut to what fits; ends with 0 after an event */
  size_t length;
  int state; /* what the lines before were about */
  uint64_t value;
};

void stream_init(struct stream *stream);

/* Takes one byte. */
enum stream_event stream_feed(struct stream *stream, char byte);

#endif
