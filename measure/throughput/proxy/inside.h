/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the files of the proxy share.
 *
 * A *pair* is a client's connection and the one to the backend that belongs to it. Each of the two
 * is a *side*: what was read from it and not yet used (`in`), what is to be written to it (`out`).
 * Call-backs of libuv only move bytes into `in` and out of `out`, note what happened, and call
 * proxy_pair_run, which does what can be done now: the whole of the decisions is there.
 */
#ifndef MEASURE_THROUGHPUT_PROXY_INSIDE_H
#define MEASURE_THROUGHPUT_PROXY_INSIDE_H

#include "measure/throughput/proxy/proxy.h"
#include "measure/throughput/proxy/body.h"
#include "measure/throughput/proxy/buffer.h"
#include "measure/throughput/proxy/head.h"
#include "measure/throughput/proxy/holding.h"

#include <stdbool.h>
#include <sys/socket.h>

#define PROXY_HIGH 65536     /* more in `out`: what comes from the other side waits */
#define PROXY_SPACE 65536    /* one read */
#define PROXY_BACKENDS 8     /* addresses of one name */
#define PROXY_KEPT 4096      /* room that a buffer keeps between two requests */
#define PROXY_LINGER_MS 2000 /* after the last answer: for the client to read it and close */
#define PROXY_LAST_MS 60000  /* for the last answer to leave */

struct proxy_pair;

struct proxy_side {
  uv_tcp_t tcp; /* its data is the side */
  uv_connect_t connect;
  uv_write_t write;
  uv_shutdown_t shutdown;
  struct proxy *proxy;
  struct proxy_pair *pair; /* NULL: given up, waits for its handle to close */
  struct proxy_buffer in, out;
  struct proxy_buffer sent; /* what `write` is about */
  bool connected;
  bool reading;
  bool ended;   /* nothing more can be read from it */
  bool broken;  /* ... because of an error */
  bool writing; /* `write` is under way */
  bool deaf;    /* cannot be written to any more; what is in `out` is dropped */
  bool shut;    /* our half is closed */
};

enum proxy_pair_state {
  PROXY_WAITING,    /* for the head of a request */
  PROXY_CONNECTING, /* a request waits for the backend's connection */
  PROXY_EXCHANGE,   /* a request was handed over */
  PROXY_HELD,       /* its answer is complete, and is held */
  PROXY_TUNNEL,
  PROXY_LAST,   /* what is in the client's `out` is the last */
  PROXY_LINGER, /* it has left; the client is to read it */
  PROXY_DEAD,   /* to be freed */
};

struct proxy_pair {
  struct proxy *proxy;
  struct proxy_pair *next, *previous;
  struct proxy_side *client, *backend; /* backend: NULL when there is none */
  enum proxy_pair_state state;
  bool reset;                  /* with DEAD: the client must not take what it has for complete */
  uint64_t moved_ms, since_ms; /* the last byte either way; when the state, or a head, began */
  uint32_t first, tries;       /* of the backend's addresses: where it began, how many failed */

  /* the request */
  struct proxy_buffer head; /* as passed on; kept until the answer begins */
  size_t seen;              /* of the client's head */
  enum proxy_method method;
  unsigned minor;
  bool keep, upgrade;
  bool repeatable; /* may be sent again */
  bool reused;     /* over a connection that was used before */
  bool begun;      /* counted, and not yet ended */
  uint64_t began_ns;
  struct proxy_body up;

  struct speech speech; /* of a relay */
  uint32_t held;        /* requests whose answers are held (holding.h) */
  size_t heard;         /* of a relay: bytes in the backend's `in` that were counted already */
  uint64_t kept_out_ns; /* since when a request waits until the service may have it; 0: none does */

  /* the answer */
  size_t answer_seen;
  bool answered; /* its head was passed on */
  bool informed; /* or at least that of an interim one */
  bool backend_keeps;
  bool client_keeps;
  struct proxy_body down;
};

struct proxy {
  uv_loop_t *loop;
  uv_tcp_t listener;
  uv_timer_t timer;
  struct proxy_calls calls;
  struct speech_calls heard; /* of a relay: to its pairs' speeches */
  bool relay;
  struct proxy_limits limits;
  struct proxy_statistics statistics;
  struct sockaddr_storage backends[PROXY_BACKENDS];
  uint32_t backend_count;   /* > 0 */
  uint32_t good;            /* the one that answered last */
  char host[PROXY_ADDRESS]; /* of the backend, as given: for requests without Host */
  char listens[PROXY_ADDRESS];
  struct proxy_pair *pairs;
  uint64_t handles; /* that are not closed yet */
  uint64_t most;    /* pairs at once */
  bool waiting;     /* a connection was not accepted yet */
  bool stopping;
  struct holding holding;
  int held_timer; /* -1: there is none */
  uv_poll_t held_poll;
  struct proxy_pair *hears; /* of a relay: the pair whose bytes are counted just now */
  void (*stopped)(void *of);
  void *stopped_of;
  char space[PROXY_SPACE];
};

/* ---- side.c */

/* NULL: no memory. The handle is initialised. */
struct proxy_side *proxy_side_new(struct proxy *proxy, struct proxy_pair *pair);

/* Gives a side up; it is freed when its handle has closed. NULL: nothing. */
void proxy_side_close(struct proxy_side *side, bool reset);

/* Starts or stops reading. */
void proxy_side_listen(struct proxy_side *side, bool on);

/* Writes what can be written of `out`; the rest follows, and then proxy_pair_run is called. */
void proxy_side_flush(struct proxy_side *side);

/* Nothing is left to be written. */
bool proxy_side_drained(const struct proxy_side *side);

/* Closes our half, once drained. */
void proxy_side_shut(struct proxy_side *side);

/* Connects to the address whose turn it is in the pair; false when that cannot even be begun. Later
 * `connected`, or `ended` and `broken`, and proxy_pair_run. */
bool proxy_side_connect(struct proxy_side *side);

/* ---- pair.c */

/* Whether the pair and its neighbours in the list know of each other, and its sides of it. */
bool proxy_pair_is_linked(const struct proxy_pair *pair);

/* Whether all pairs are, and as many as are counted. */
bool proxy_pairs_are_valid(const struct proxy *proxy);

/* Takes over an accepted connection; false: no memory. */
bool proxy_pair_new(struct proxy *proxy, struct proxy_side *client);

/* Does what can be done now; may free the pair. */
void proxy_pair_run(struct proxy_pair *pair);

/* Judges the time that has passed; may free the pair. */
void proxy_pair_tick(struct proxy_pair *pair, uint64_t now_ms);

/* Ends it at once. */
void proxy_pair_free(struct proxy_pair *pair);

/* ---- answer.c: the way back */

/* Passes on what the backend has answered; true when something changed. */
bool proxy_answer_relay(struct proxy_pair *pair);

/* The answer is complete, and may leave; true. */
bool proxy_answer_finish(struct proxy_pair *pair);

/* Answers the client ourselves, if nothing of an answer was sent yet, otherwise breaks the
 * connection; the pair ends. */
void proxy_pair_refuse(struct proxy_pair *pair, unsigned status, const char *why);

/* Counts the end of the request, if it was begun. */
void proxy_pair_count_end(struct proxy_pair *pair, bool complete);

/* Gives up the backend's connection. */
void proxy_pair_leave_backend(struct proxy_pair *pair);

/* Sends the request again over a new connection, if it may be; false: it may not. */
bool proxy_pair_repeat(struct proxy_pair *pair);

/* ---- relay.c: bytes of any protocol */

/* What `heard` has to be. */
struct speech_calls proxy_relay_calls(struct proxy *proxy);

/* Counts what is in the side's `in`, of `size` bytes; false: nothing of it may be passed on yet, as an
 * answer in it is held. Else so many bytes may. */
bool proxy_relay_may_pass(struct proxy_pair *pair, const struct proxy_side *from, size_t *size);

/* ---- held.c: answers that are held */

/* What is due is passed on from the loop. */
void proxy_held_soon(const struct proxy *proxy);

/* Whether the next request is to wait; then the pair is run again when it may be passed on. */
bool proxy_pair_keep_out(struct proxy_pair *pair);

/* A request of the pair has no answer, or nobody who waits for it; HOLDING_NEVER: all of them. */
void proxy_pair_forget(struct proxy_pair *pair, uint64_t began_ns);

/* Closes the timer. */
void proxy_held_close(struct proxy *proxy);

/* ---- where.c */

/* Splits and looks up "LISTEN=BACKEND"; false with a message. */
bool proxy_where(struct proxy *proxy, struct sockaddr_storage *listen, const char *where,
                 char message[PROXY_MESSAGE]);

/* ---- proxy.c */

/* A handle of the proxy has closed. */
void proxy_handle_closed(struct proxy *proxy);

/* A pair was freed: another may be accepted. */
void proxy_pair_gone(struct proxy *proxy);

#endif
