/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The body of one message on its way through the proxy: read in one framing, written in another.
 * Pure; bytes may come in any pieces.
 */
#ifndef MEASURE_THROUGHPUT_PROXY_BODY_H
#define MEASURE_THROUGHPUT_PROXY_BODY_H

#include "measure/throughput/proxy/buffer.h"
#include "measure/throughput/proxy/head.h"

#define PROXY_EXTENSION_MAX 4096 /* bytes after a chunk's size; they are not passed on */

enum proxy_body_state {
  PROXY_BODY_SIZE,      /* a chunk's size */
  PROXY_BODY_BLANK,     /* blanks before an extension */
  PROXY_BODY_EXTENSION, /* after the size */
  PROXY_BODY_SIZE_FEED, /* the LF of that line */
  PROXY_BODY_DATA,
  PROXY_BODY_DATA_RETURN, /* the CR, then the LF after a chunk's data */
  PROXY_BODY_DATA_FEED,
  PROXY_BODY_TRAILERS,
  PROXY_BODY_DONE,
};

struct proxy_body {
  enum proxy_framing from, to;
  enum proxy_body_state state;
  uint64_t left;    /* of the body, or of the chunk */
  unsigned digits;  /* of the size so far */
  size_t extension; /* bytes of it so far */
  size_t seen;      /* of the trailers */
  struct proxy_buffer trailers;
  const char *why; /* what is wrong with it; NULL: nothing */
};

/* `to` may be as `from`, or, when that has no length, PROXY_CHUNKED or PROXY_UNTIL_CLOSE. */
void proxy_body_init(struct proxy_body *body, enum proxy_framing from, uint64_t length,
                     enum proxy_framing to);

/* Takes what belongs to the body, adds to `out` what is to be passed on, and returns how much was
 * taken: all, unless the body is done or wrong (`why`). */
size_t proxy_body_take(struct proxy_body *body, const char *bytes, size_t size,
                       struct proxy_buffer *out);

/* The sender has closed the connection: 1 when the body is complete by that, or was. */
bool proxy_body_end(struct proxy_body *body, struct proxy_buffer *out);

static inline bool proxy_body_done(const struct proxy_body *body) {
  return body->state == PROXY_BODY_DONE;
}

void proxy_body_free(struct proxy_body *body);

#endif
