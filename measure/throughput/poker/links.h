/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The connections of a poker, on a libuv loop: those that it accepts and those that it asked for.
 * Each is one `struct wire`. Strangers cost little: whoever has not said one sealed message after
 * the greeting within LINKS_PROVE_MS is let go, and there are at most LINKS_UNPROVEN of those, the
 * oldest of which makes room. A peer that does not read loses its connection when LINKS_BACKLOG
 * bytes wait for it, or when the network has not confirmed anything for LINKS_SILENT_MS.
 *
 * All functions and calls happen in the loop's thread. A link is freed some time after its `closed`
 * call, which is its last.
 */
#ifndef MEASURE_THROUGHPUT_POKER_LINKS_H
#define MEASURE_THROUGHPUT_POKER_LINKS_H

#include "measure/throughput/poker/key.h"
#include "base/address.h"
#include "measure/throughput/poker/wire.h"

#include <uv.h>

#define LINKS_PROVE_MS 5000
#define LINKS_SILENT_MS 10000
#define LINKS_UNPROVEN 64
#define LINKS_MOST 512
#define LINKS_BACKLOG 65536

struct link;
struct links;

struct link_calls {
  void *of;
  void (*opened)(void *of, struct link *link); /* both greetings are there */
  void (*message)(void *of, struct link *link, const struct poke *poke); /* after the greeting */
  /* `why`: one line, "" for an ordinary end. The link must not be used any more. */
  void (*closed)(void *of, struct link *link, const char *why);
};

struct links {
  uv_loop_t *loop;
  const struct poker_key *key;
  const char *name;
  struct link_calls calls;
  uv_tcp_t listener;
  bool listens, closing;
  uint32_t count, numbers;
  uint64_t dropped;   /* because of their backlog */
  struct link *first; /* the latest */
};

struct link {
  struct links *links;
  struct link *next, *previous;
  uint32_t number; /* its own, never given twice */
  void *owner;     /* of who asked for it; NULL for one that was accepted */
  bool connected, proven, closed;
  bool joined_here; /* for the caller: this poker has said POKE_JOIN over it */
  uint64_t born_ms;
  struct wire wire;
  char where[ADDRESS_TEXT]; /* the other end */
  uv_tcp_t tcp;
  uv_connect_t connecting;
  char bytes[4 * WIRE_FRAME];
};

/* Nothing is kept open yet. `key` and `name` are the caller's. */
void links_init(struct links *links, uv_loop_t *loop, const struct poker_key *key, const char *name,
                const struct link_calls *calls);

/* Accepts connections at an address; `where` becomes what it is bound to. 0, or a negative errno
 * value (libuv's are those). */
int links_listen(struct links *links, const struct sockaddr *address, char where[ADDRESS_TEXT]);

/* Asks for a connection; its end, also that of the attempt, is told by `closed`. NULL: there is no
 * memory or no descriptor, or there are too many links. */
struct link *links_connect(struct links *links, const struct sockaddr *address, void *owner);

struct link *links_find(struct links *links, uint32_t number);

/* Sends a message. False when that cannot be; the link may be closed then, after its `closed`. */
bool link_send(struct link *link, struct poke *poke);

/* Calls `closed`. A link that is closed already is left alone. */
void link_close(struct link *link, const char *why);

/* Lets strangers go whose time is over; to be called a few times a second. */
void links_tick(struct links *links);

/* Closes all, and accepts none any more; the loop has to run until the handles are closed. */
void links_close(struct links *links);

#endif
