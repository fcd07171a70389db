/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/agent/fleet.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

static uint64_t random_next(struct fleet *fleet) {
  fleet->random ^= fleet->random << 13;
  fleet->random ^= fleet->random >> 7;
  fleet->random ^= fleet->random << 17;
  return fleet->random;
}

/* The seed differs from process to process, or answers to an earlier one would be taken for ours;
 * it is no secret. */
void fleet_init(struct fleet *fleet) {
  memset(fleet, 0, sizeof *fleet);
  if (getrandom(&fleet->random, sizeof fleet->random, 0) != sizeof fleet->random)
    fleet->random = (uint64_t)(uintptr_t)fleet;
  fleet->random |= 1;
}

void fleet_clear(struct fleet *fleet) {
  for (uint32_t i = 0; i < fleet->count; i++)
    free(fleet->peers[i]);
  fleet->count = 0;
}

static struct peer *find_name(const struct fleet *fleet, const char *name) {
  for (uint32_t i = 0; i < fleet->count; i++)
    if (strcmp(fleet->peers[i]->name, name) == 0)
      return fleet->peers[i];
  return NULL;
}

static int compare_peers(const void *a, const void *b) {
  const struct peer *const *left = a, *const *right = b;
  return agent_address_compare(&(*left)->address, &(*right)->address);
}

static bool register_names(struct peer *peer, struct tailproof_store *store, char *message) {
  char series[AGENT_NAME_MAX + 1], name[AGENT_NAME_MAX + 8];
  if (store == NULL)
    return true;
  agent_series(series, peer->name);
  snprintf(name, sizeof name, "rtt.%s", series);
  peer->roundtrip_name = tailproof_component(store, name);
  snprintf(name, sizeof name, "d.%s", series);
  peer->delay_name = tailproof_component(store, name);
  if (peer->roundtrip_name >= 0 && peer->delay_name >= 0)
    return true;
  snprintf(message, AGENT_MESSAGE, "peer %s: %.300s; start the agent again for a new store",
           peer->name, tailproof_error());
  return false;
}

/* The peers of the configuration, all of them new. */
static bool make(struct fleet *made, const struct agent_config *config, int family,
                 struct tailproof_store *store, char *message) {
  for (uint32_t i = 0; i < config->peer_count; i++) {
    const struct agent_peer_config *wanted = &config->peers[i];
    char why[AGENT_MESSAGE];
    struct peer *peer = malloc(sizeof *peer);
    if (peer == NULL) {
      snprintf(message, AGENT_MESSAGE, "there is no memory for peer %s", wanted->name);
      return false;
    }
    peer_init(peer, wanted, (uint32_t)random_next(made));
    made->peers[made->count] = made->by_address[made->count] = peer;
    made->count++;
    if (!agent_address_resolve(&peer->address, wanted->address, wanted->port, family, SOCK_DGRAM,
                               why)) {
      snprintf(message, AGENT_MESSAGE, "peer %s: %.400s", wanted->name, why);
      return false;
    }
    if (!register_names(peer, store, message))
      return false;
  }
  qsort(made->by_address, made->count, sizeof *made->by_address, compare_peers);
  for (uint32_t i = 1; i < made->count; i++)
    if (compare_peers(&made->by_address[i - 1], &made->by_address[i]) == 0) {
      char text[AGENT_ADDRESS_TEXT];
      agent_address_print(text, &made->by_address[i]->address);
      snprintf(message, AGENT_MESSAGE, "peers %s and %s are both at %s; each needs its own address",
               made->by_address[i - 1]->name, made->by_address[i]->name, text);
      return false;
    }
  return true;
}

/* What was measured of the peer of that name goes over to the new one. */
static void inherit(struct peer *peer, const struct peer *old, struct tailproof_writer *writer) {
  struct agent_address address = peer->address;
  struct peer next = *old;
  memcpy(next.host, peer->host, sizeof next.host);
  next.port = peer->port;
  next.address = address;
  if (agent_address_compare(&address, &old->address) != 0) {
    peer_give_up(&next, writer);
    peer_forget_clock(&next);
  }
  *peer = next;
}

bool fleet_configure(struct fleet *fleet, const struct agent_config *config, int family,
                     struct tailproof_store *store, struct tailproof_writer *writer,
                     uint64_t now_ns, char message[AGENT_MESSAGE]) {
  struct fleet made = {.generation = fleet->generation + 1, .random = fleet->random};
  if (!make(&made, config, family, store, message)) {
    fleet_clear(&made);
    return false;
  }
  for (uint32_t i = 0; i < made.count; i++) {
    struct peer *peer = made.peers[i];
    const struct peer *old = find_name(fleet, peer->name);
    if (old != NULL)
      inherit(peer, old, writer);
    if (old == NULL || peer->due_ns > now_ns + 2 * config->period_ns)
      peer->due_ns = now_ns + random_next(&made) % config->period_ns;
  }
  for (uint32_t i = 0; i < fleet->count; i++)
    if (find_name(&made, fleet->peers[i]->name) == NULL)
      peer_give_up(fleet->peers[i], writer);
  fleet_clear(fleet);
  *fleet = made;
  return true;
}

struct peer *fleet_find(const struct fleet *fleet, const struct agent_address *address) {
  uint32_t low = 0, high = fleet->count;
  while (low < high) {
    uint32_t middle = (low + high) / 2;
    int order = agent_address_compare(address, &fleet->by_address[middle]->address);
    if (order == 0)
      return fleet->by_address[middle];
    if (order < 0)
      high = middle;
    else
      low = middle + 1;
  }
  return NULL;
}

void fleet_next_question(struct fleet *fleet, struct peer *peer, uint64_t period_ns,
                         uint64_t now_ns) {
  uint64_t step = period_ns / 2 + random_next(fleet) % period_ns;
  peer->due_ns += step;
  if (peer->due_ns + period_ns <= now_ns) {
    peer->counts.skipped += (now_ns - peer->due_ns) / period_ns;
    peer->due_ns = now_ns + step;
  }
}
