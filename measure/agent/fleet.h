/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * All peers of an agent, found by place or by address. The fleet owns its peers.
 */
#ifndef MEASURE_AGENT_FLEET_H
#define MEASURE_AGENT_FLEET_H

#include "measure/agent/peer.h"

struct fleet {
  uint32_t count;
  struct peer *peers[AGENT_PEERS_MAX];      /* as the configuration lists them */
  struct peer *by_address[AGENT_PEERS_MAX]; /* sorted */
  uint64_t generation;                      /* grows when the peers change */
  uint64_t random;                          /* state of a generator; not 0 */
};

/* Without peers. */
void fleet_init(struct fleet *fleet);
void fleet_clear(struct fleet *fleet);

/* Makes the fleet that of the configuration: peers of the same name keep what was measured (their
 * clock is forgotten and their questions are given up when the address is another one), others come
 * and go. `family` is that of the socket. Names are registered with the store, which may be NULL.
 * False with `message`, and nothing has changed but names in the store. */
bool fleet_configure(struct fleet *fleet, const struct agent_config *config, int family,
                     struct tailproof_store *store, struct tailproof_writer *writer,
                     uint64_t now_ns, char message[AGENT_MESSAGE]);

/* NULL: no peer has it. */
struct peer *fleet_find(const struct fleet *fleet, const struct agent_address *address);

/* Moves the peer's next question by half to one and a half periods, so that questions keep no step
 * with anything periodic (RFC 2330, 11.1). */
void fleet_next_question(struct fleet *fleet, struct peer *peer, uint64_t period_ns,
                         uint64_t now_ns);

#endif
