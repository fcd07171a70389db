/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Heads of HTTP/1.1 messages, read strictly by the grammar of RFC 9112: whatever two readers could
 * take in two ways is refused. Pure: no input or output.
 */
#ifndef MEASURE_THROUGHPUT_PROXY_HEAD_H
#define MEASURE_THROUGHPUT_PROXY_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROXY_HEAD_MAX 65536 /* bytes of a head, with its empty line */
#define PROXY_FIELDS 256
#define PROXY_NAMED 32 /* options of Connection */
#define PROXY_LENGTH_MAX 9223372036854775807u

struct proxy_slice {
  const char *at; /* into the bytes that were read */
  size_t length;
};

struct proxy_field {
  struct proxy_slice name, value;
};

struct proxy_fields {
  size_t count;
  struct proxy_field all[PROXY_FIELDS];
};

enum proxy_method { /* those that framing or repeating depends on */
                    PROXY_METHOD_OTHER,
                    PROXY_METHOD_SAFE, /* may be repeated (RFC 9110, 9.2.2): GET, PUT, DELETE */
                    PROXY_METHOD_HEAD,
                    PROXY_METHOD_OPTIONS,
                    PROXY_METHOD_TRACE,
                    PROXY_METHOD_CONNECT,
};

enum proxy_framing { PROXY_NO_BODY, PROXY_LENGTH, PROXY_CHUNKED, PROXY_UNTIL_CLOSE };

struct proxy_head {
  enum proxy_method method;        /* of a request */
  struct proxy_slice verb, target; /* of a request */
  struct proxy_slice authority;    /* of a request: what Host is to say; empty: no Host was sent */
  struct proxy_slice reason;       /* of an answer */
  unsigned status;                 /* of an answer, 100 .. 999 */
  unsigned minor;                  /* of the version, 0 or 1 (later ones count as 1) */
  enum proxy_framing framing;      /* of what follows */
  uint64_t length;                 /* with PROXY_LENGTH; <= PROXY_LENGTH_MAX */
  bool close, keep_alive;          /* Connection says so */
  bool upgrade;                    /* Connection says so, and there is an Upgrade field */
  bool trailers;                   /* TE says so */
  bool hops_known;                 /* of a request: Max-Forwards is a number, `hops` */
  uint64_t hops;
  size_t named_count;
  struct proxy_slice
      named[PROXY_NAMED]; /* other options of Connection: fields not to be passed on */
  struct proxy_fields fields;
};

/* The length of the head (or trailer section) that begins at `bytes`, with its empty line; 0: it is
 * not complete; -1: a line of it ends in LF without CR. *seen: 0 at first, then what the call
 * before left there, so that nothing is searched twice. */
ptrdiff_t proxy_head_length(const char *bytes, size_t size, size_t *seen);

/* Reads a head as long as proxy_head_length said. 0, or the status to refuse a request with (400,
 * 431, 501, 505) and in *why a phrase without a capital or a full stop. */
unsigned proxy_request_read(struct proxy_head *head, const char *bytes, size_t length,
                            const char **why);

/* Likewise of an answer, whose framing depends on the request's method; 0 or 502. A 2xx to CONNECT
 * and 101 have PROXY_NO_BODY. */
unsigned proxy_answer_read(struct proxy_head *head, const char *bytes, size_t length,
                           enum proxy_method method, const char **why);

/* Fields alone, up to and with the empty line: a trailer section. NULL, or why not. */
const char *proxy_fields_read(struct proxy_fields *fields, const char *bytes, size_t length);

/* Case does not matter. */
bool proxy_slice_is(struct proxy_slice slice, const char *text);

#endif
