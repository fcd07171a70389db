/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/throughput/poker/gossip.h"

#include <string.h>

#include "base/invariant.h"

static bool same(const struct gossip_instance *a, const struct gossip_instance *b) {
  return a->high == b->high && a->low == b->low;
}

/* The position of a link; count if it has not joined. */
static uint32_t find(const struct gossip *gossip, uint32_t link) {
  uint32_t i = 0;
  while (i < gossip->count && gossip->links[i].link != link)
    i++;
  return i;
}

/* Whether an earlier link leads to the same poker, so that this one is spare. */
static bool is_spare(const struct gossip *gossip, uint32_t at) {
  for (uint32_t i = 0; i < at; i++)
    if (same(&gossip->links[i].peer, &gossip->links[at].peer))
      return true;
  return false;
}

bool gossip_is_valid(const struct gossip *gossip) {
  for (uint32_t i = 0; i < gossip->count && i < GOSSIP_LINKS; i++)
    if (find(gossip, gossip->links[i].link) != i || same(&gossip->links[i].peer, &gossip->own))
      return false;
  return gossip->count <= GOSSIP_LINKS;
}

void gossip_init(struct gossip *gossip, const struct gossip_instance *own) {
  memset(gossip, 0, sizeof *gossip);
  round_init(&gossip->round);
  gossip->own = *own;
}

int gossip_enter(struct gossip *gossip, uint64_t epoch) {
  return round_enter(&gossip->round, epoch);
}

enum gossip_joined gossip_join(struct gossip *gossip, uint32_t link,
                               const struct gossip_instance *peer, struct gossip_send *send) {
  send->count = 0;
  if (same(peer, &gossip->own))
    return GOSSIP_SELF;
  if (find(gossip, link) < gossip->count)
    return GOSSIP_KNOWN;
  if (gossip->count == GOSSIP_LINKS)
    return GOSSIP_FULL;
  uint32_t at = gossip->count++;
  gossip->links[at] = (struct gossip_link){link, *peer};
  invariant_costly(gossip_is_valid(gossip));
  if (gossip->round.last != 0) {
    send->epoch = gossip->round.epoch;
    send->number = gossip->round.last;
    send->links[send->count++] = link;
  }
  return is_spare(gossip, at) ? GOSSIP_SPARE : GOSSIP_NEW;
}

void gossip_leave(struct gossip *gossip, uint32_t link) {
  uint32_t at = find(gossip, link);
  if (at == gossip->count)
    return;
  gossip->count--;
  memmove(&gossip->links[at], &gossip->links[at + 1],
          (gossip->count - at) * sizeof gossip->links[0]);
  invariant_costly(gossip_is_valid(gossip));
}

bool gossip_has(const struct gossip *gossip, uint32_t link) {
  return find(gossip, link) < gossip->count;
}

/* The latest round, to every poker but the one at position `from` (count: to every one). */
static void to_all_but(const struct gossip *gossip, uint32_t from, struct gossip_send *send) {
  invariant_costly(gossip_is_valid(gossip));
  send->epoch = gossip->round.epoch;
  send->number = gossip->round.last;
  for (uint32_t i = 0; i < gossip->count; i++)
    if (!is_spare(gossip, i) &&
        (from == gossip->count || !same(&gossip->links[i].peer, &gossip->links[from].peer)))
      send->links[send->count++] = gossip->links[i].link;
}

uint64_t gossip_begin(struct gossip *gossip, struct gossip_send *send) {
  send->count = 0;
  uint64_t number = round_begin(&gossip->round);
  if (number == 0)
    return 0;
  gossip->rounds++;
  to_all_but(gossip, gossip->count, send);
  return number;
}

enum round_verdict gossip_hear(struct gossip *gossip, uint32_t link, uint64_t epoch,
                               uint64_t number, struct gossip_send *send) {
  send->count = 0;
  enum round_verdict verdict = round_accept(&gossip->round, epoch, number);
  if (verdict == ROUND_KNOWN && number < gossip->round.last && gossip_has(gossip, link)) {
    *send = (struct gossip_send){gossip->round.epoch, gossip->round.last, 1, {link}};
    return verdict;
  }
  if (verdict != ROUND_ACCEPTED)
    return verdict;
  gossip->rounds++;
  to_all_but(gossip, find(gossip, link), send);
  return verdict;
}
