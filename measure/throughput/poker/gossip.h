/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which round is passed on to whom: the decisions of one poker, without I/O. Rounds flood the graph
 * of neighbours: a poker that accepts one (measure/throughput/core/round.h) passes it on over every
 * link but the one it came from. A link is one connection; two pokers may have several, of which
 * one is used.
 *
 * A message may be lost with its connection. So each side of a new link first sends its latest
 * round (gossip_join). A restarted poker counts rounds from 1 again, and its peers would ignore
 * them; so whoever announces an old round is told the latest. A missed round is not sent again: the
 * pause that it would have been is made at the next round.
 */
#ifndef MEASURE_THROUGHPUT_POKER_GOSSIP_H
#define MEASURE_THROUGHPUT_POKER_GOSSIP_H

#include <stdbool.h>
#include <stdint.h>

#include "measure/throughput/core/round.h"

#define GOSSIP_LINKS 256

/* Drawn at random by each poker when it starts: 128 bits, not both zero. */
struct gossip_instance {
  uint64_t high, low;
};

struct gossip_link {
  uint32_t link; /* the caller's number for it */
  struct gossip_instance peer;
};

struct gossip {
  struct round_state round;
  struct gossip_instance own;
  uint64_t rounds; /* accepted or begun, of all epochs */
  uint32_t count;  /* links[0 .. count-1] are those in use, in the order in which they joined */
  struct gossip_link links[GOSSIP_LINKS];
};

/* What is to be sent: POKE_ROUND (epoch, number) over each of links[0 .. count-1]. */
struct gossip_send {
  uint64_t epoch, number;
  uint32_t count; /* 0: nothing */
  uint32_t links[GOSSIP_LINKS];
};

enum gossip_joined {
  GOSSIP_NEW,   /* a neighbour from now on */
  GOSSIP_SPARE, /* that poker is a neighbour over another link already, which stays in use */
  GOSSIP_SELF,  /* the link leads back to this poker: not taken */
  GOSSIP_FULL,  /* GOSSIP_LINKS are in use: not taken */
  GOSSIP_KNOWN, /* this link has joined before: nothing changes */
};

/* Whether no link has joined twice, and none leads back to this poker. */
bool gossip_is_valid(const struct gossip *gossip);

void gossip_init(struct gossip *gossip, const struct gossip_instance *own);

/* A setting: 1, or 0 when the epoch is not a later one (measure/throughput/core/round.h). */
int gossip_enter(struct gossip *gossip, uint64_t epoch);

/* The poker at the other end of a link says that it is a neighbour. `send`: the latest round, to it
 * alone, if there was one. */
enum gossip_joined gossip_join(struct gossip *gossip, uint32_t link,
                               const struct gossip_instance *peer, struct gossip_send *send);

/* The link is gone, or the poker at its end is no neighbour any more. Unknown links are ignored. */
void gossip_leave(struct gossip *gossip, uint32_t link);

/* Whether the link has joined. */
bool gossip_has(const struct gossip *gossip, uint32_t link);

/* Begins a round: its number, 0 when that cannot be (measure/throughput/core/round.h); `send`: to
 * all. */
uint64_t gossip_begin(struct gossip *gossip, struct gossip_send *send);

/* A round was announced over a link (which need not have joined). After ROUND_ACCEPTED the caller
 * pauses its service, and `send` goes to every neighbour but the one that announced it. If the
 * round is older than ours, `send` holds our latest round, addressed to that link if it has joined;
 * in all other cases there is nothing to send. */
enum round_verdict gossip_hear(struct gossip *gossip, uint32_t link, uint64_t epoch,
                               uint64_t number, struct gossip_send *send);

#endif
