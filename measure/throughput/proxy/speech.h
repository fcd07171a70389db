/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How two sides of a connection speak to each other, as far as is needed to count requests: bytes
 * in, beginnings and ends out. Pure; bytes may come in any pieces, and are never changed.
 *
 * Which protocol it is the first bytes tell. What then turns out not to follow it is counted by
 * turns from there on.
 *
 *   by turns     a request is what the client says after the server has spoken; its end is the
 *                first answer to it, and the rest of the answer is told as `extended`
 *   RESP         Redis, Valkey and the like: commands and answers, pipelined ones too; messages
 *                that nobody asked for are no answers
 *   PostgreSQL   version 3: a query, or a unit up to Sync; its end is ReadyForQuery
 *   MySQL        version 10: a command that has an answer; ended by the answer's first packet
 *   HTTP/2       without TLS: a stream of the client; ended by END_STREAM or RST_STREAM
 *   TLS          by turns: the handshake's are counted too, and HTTP/2 within is counted too low
 */
#ifndef MEASURE_THROUGHPUT_PROXY_SPEECH_H
#define MEASURE_THROUGHPUT_PROXY_SPEECH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "measure/throughput/proxy/resp.h"

enum speech_kind {
  SPEECH_UNKNOWN, /* not enough was said */
  SPEECH_TURNS,
  SPEECH_RESP,
  SPEECH_POSTGRES,
  SPEECH_MYSQL,
  SPEECH_HTTP2,
  SPEECH_TLS,
  SPEECH_KINDS
};

enum speech_end {
  SPEECH_SERVED,
  SPEECH_FAILED, /* the server says that it could not: overload, shutdown, out of memory; what a
                  * request itself is to blame for is served */
  SPEECH_CUT     /* given up or cut off before an answer */
};

/* Times are those that were given with the bytes. Each request begins once and ends once. */
struct speech_calls {
  void *of;
  void (*begun)(void *of, uint64_t at_ns);
  void (*ended)(void *of, uint64_t began_ns, uint64_t at_ns, enum speech_end end);
  void (*extended)(void *of, uint64_t from_ns, uint64_t to_ns); /* more of the last answer */
};

#define SPEECH_OPEN_MOST 65536 /* requests of one connection without an answer; the oldest is cut */
#define SPEECH_OPENING 24      /* bytes that tell which protocol it is */
#define SPEECH_KEPT 96         /* of a message: its head, and what tells an error */

struct speech_open {
  uint64_t began_ns;
  uint32_t stream; /* of HTTP/2 */
};

/* Messages of one direction: a head, then `left` more bytes. */
struct speech_frames {
  uint8_t kept[SPEECH_KEPT];
  size_t have; /* in `kept` */
  size_t head; /* bytes that the head has */
  uint64_t left;
  bool told; /* what is kept has been looked at */
};

struct speech {
  enum speech_kind kind;
  const struct speech_calls *calls; /* the caller's */
  struct speech_open *open;         /* [first .. first + count), the oldest first */
  size_t first, count, room;
  uint8_t opening[SPEECH_OPENING];
  size_t said; /* bytes in `opening` */
  bool by_server;
  bool answered; /* by turns: the server has spoken since the client has */
  uint64_t last_ns;
  struct speech_frames client, server;
  struct resp_reader commands, answers;
  bool started, unit, failed, asked; /* of PostgreSQL and MySQL: see there */
  uint32_t stream;                   /* the last of the client's */
};

/* `calls` must outlive it; all functions in it may be NULL. */
void speech_init(struct speech *speech, const struct speech_calls *calls);

void speech_client(struct speech *speech, const char *bytes, size_t size, uint64_t at_ns);
void speech_server(struct speech *speech, const char *bytes, size_t size, uint64_t at_ns);

/* The server says no more: what is open was cut. */
void speech_cut(struct speech *speech, uint64_t at_ns);

/* The same, as the connection is over. Frees what it holds. */
void speech_close(struct speech *speech, uint64_t at_ns);

/* "RESP", "turns", ... */
const char *speech_name(enum speech_kind kind);

#endif
