/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A reverse proxy for HTTP/1.1 that counts requests, for services that cannot be linked with the
 * recording library. It runs on a libuv loop, in one thread; all calls and call-backs happen in the
 * thread of the loop. It is as transparent as RFC 9110 and 9112 allow a gateway to be:
 *
 *  - Each connection of a client has its own connection to the backend, opened at its first request
 *    and kept as long as both sides keep it, so that the backend sees the concurrency that it would
 *    see without the proxy, and answers stay in the order of the requests (pipelining).
 *  - Bodies are streamed both ways, at most about 256 KiB of each is held: who reads slowly stops
 *    who sends. Chunks are framed anew; an answer without a length is chunked for a client of 1.1.
 *  - Fields between neighbours (Connection and what it names, Keep-Alive, Proxy-Connection, TE,
 *    Transfer-Encoding) are not passed on. Upgrade is, when the request asks for it, and so is
 *    CONNECT; they become a tunnel after 101, or 2xx. Requests get a Via field, as the standard
 *    demands.
 *  - What two readers could frame in two ways (request smuggling) is answered 400 and reaches
 *    nobody: Content-Length beside Transfer-Encoding, or more than one; wrong chunks; folded lines;
 *    bare CR or LF; NUL; blanks before the colon. A coding that is not `chunked` is 501, a head of
 *    more than 64 KiB or 256 fields 431.
 *  - A backend that is down, dies before its answer, or answers what is no HTTP/1.1 is 502; none of
 *    an answer for answer_ms is 504. If it dies in the middle, the client's connection is closed
 *    without the end of the body. A request without a body that may be repeated (GET and the like)
 *    is sent once more when the kept connection turns out to be closed.
 *
 * As a *relay* it passes on any bytes of any protocol over TCP unchanged, and counts requests by what
 * it understands of them (measure/throughput/proxy/speech.h): stores, brokers, gRPC. A client's
 * connection is then opened to the backend at once.
 *
 * The heads are read by our own code (measure/throughput/proxy/head.h): Debian 12 has no llhttp
 * library, and http-parser, given up by its authors in 2020, accepts folded lines, bare LF and CR,
 * and takes names that only begin with Transfer-Encoding for it, so that everything it lets through
 * would have to be examined again. It is what the tests compare with instead
 * (tests/property/http.c).
 */
#ifndef MEASURE_PROXY_H
#define MEASURE_PROXY_H

#include <stdint.h>

#include <uv.h>

#include "measure/throughput/proxy/holding.h"
#include "measure/throughput/proxy/speech.h"

#define PROXY_MESSAGE 256
#define PROXY_ADDRESS 80

struct proxy;

/* Each request that was handed to the backend is begun once and ended once, whatever becomes of it:
 * ended when its answer was read from the backend completely (for a tunnel: its head), or failed,
 * or the client went away. Times are CLOCK_MONOTONIC in ns. The calls may not stop the proxy. */
struct proxy_calls {
  void *of;
  void (*begun)(void *of, uint64_t at_ns);
  void (*ended)(void *of, uint64_t began_ns, uint64_t at_ns);
  void (*extended)(void *of, uint64_t from_ns, uint64_t to_ns); /* of a relay: speech.h */
};

/* 0: the value in brackets. */
struct proxy_limits {
  uint64_t connect_ms; /* to reach the backend [10 000] */
  uint64_t answer_ms; /* without a byte moving either way while a request is under way [300 000: the
                       * backend is being paused] */
  uint64_t head_ms;   /* from the first byte of a head to its last [60 000] */
  uint64_t idle_ms;   /* a connection between two requests [120 000]; tunnels: no limit */
  uint32_t connections; /* more wait to be accepted [as many as files can be open] */
};

struct proxy_statistics {
  uint64_t accepted; /* connections */
  uint64_t open;     /* of them, now */
  uint64_t begun, ended;
  uint64_t complete;  /* of those ended: the whole answer was read from the backend */
  uint64_t errors;    /* answers of the backend that say that it did not serve: 5xx and 429; of a
                       * relay SPEECH_FAILED */
  uint64_t refused;   /* requests answered with 4xx, 501 or 505 by the proxy itself; never begun */
  uint64_t failed;    /* answered with 502; of a relay: connections */
  uint64_t timed_out; /* answered with 504; likewise */
  uint64_t unreached; /* of these two, those that were never begun: no connection to the backend */
  uint64_t repeated;  /* sent once more over a fresh connection */
  uint64_t tunnels;
  uint64_t spoken[SPEECH_KINDS]; /* of a relay: connections, as it turns out how they speak; of a
                                  * proxy: refused ones of TLS and of HTTP/2 */
};

/* Listens at, and will connect to, what `where` says: "LISTEN=BACKEND", each HOST:PORT, [V6]:PORT
 * or :PORT (loopback); LISTEN's port may be 0. Names are looked up now; the backend need not run
 * yet. `calls` and `limits` are copied; `limits` may be NULL, and so may calls.begun and .ended.
 * 0; or -1 with a message of one line without a newline and without the option's name (the loop
 * must run once more to let go of what was begun). The process must ignore SIGPIPE. When
 * connections near the limit of open files, the process's soft limit is raised as far as the hard
 * one allows (so start the service before uv_run, and it keeps its own). The loop stays alive until
 * proxy_stop. */
int proxy_start(struct proxy **proxy, uv_loop_t *loop, const char *where,
                const struct proxy_calls *calls, const struct proxy_limits *limits,
                char message[PROXY_MESSAGE]);

/* The same as a relay. */
int proxy_start_relay(struct proxy **proxy, uv_loop_t *loop, const char *where,
                      const struct proxy_calls *calls, const struct proxy_limits *limits,
                      char message[PROXY_MESSAGE]);

/* Where it listens: "127.0.0.1:8080". */
const char *proxy_listens(const struct proxy *proxy);

void proxy_statistics(const struct proxy *proxy, struct proxy_statistics *statistics);

/* From now on answers are held as holding_set says, or not; what is learnt begins with
 * HOLDING_LEARN after HOLDING_OFF. False: the system has no timer. */
bool proxy_hold(struct proxy *proxy, enum holding_mode mode, uint32_t workers, uint64_t own_ns);

/* The service seems to stand for so long, from now on, or from the end of the pause that is on. */
bool proxy_hold_pause(struct proxy *proxy, uint64_t ns);

struct proxy_held {
  uint64_t paused_ns; /* until now, of all pauses */
  uint32_t workers;   /* learnt: holding_workers, and how long one of them has a request */
  uint64_t worked_ns;
};

void proxy_held(const struct proxy *proxy, struct proxy_held *held);

/* Closes everything, answers under way too (they are ended); the loop must run until `stopped`
 * (NULL: none) is called, when the proxy is freed. At most once. NULL: nothing. */
void proxy_stop(struct proxy *proxy, void (*stopped)(void *of), void *of);

#endif
