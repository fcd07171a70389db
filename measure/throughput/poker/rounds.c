/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * When a round begins, who hears of it, and what is said to others (work.h).
 */
#include "measure/throughput/pause/priority.h"
#include "measure/throughput/poker/director.h"
#include "measure/throughput/poker/work.h"

#include <errno.h>
#include <string.h>

/* --- counts -------------------------------------------------------------------------------------
 */

/* Asks to be woken when the batch is full; false when it is. */
static bool arm(struct poker *poker) {
  bool never = poker->batch == 0 || poker->by_round || poker->batch > UINT64_MAX - 1 - poker->base;
  return folder_arm(&poker->folder, never ? UINT64_MAX : poker->base + poker->batch);
}

/* --- rounds -------------------------------------------------------------------------------------
 */

/* The others first: they wait for it, this service's own thread does not. */
static void pause_all(struct poker *poker, const struct gossip_send *send) {
  struct poke poke = {.kind = POKE_ROUND, .epoch = send->epoch, .number = send->number};
  for (uint32_t i = 0; i < send->count; i++) {
    struct link *link = links_find(&poker->links, send->links[i]);
    if (link != NULL)
      link_send(link, &poke);
  }
}

static void pause_own(struct poker *poker) {
  if (poker->by_round) {
    if (!poker->follow.on)
      pauser_owe(poker->pauser, poker->per_request_ns);
    return;
  }
  if (poker->held.on) {
    poker->base = poker_count(poker);
    held_round(poker, poker->base);
    return;
  }
  if (poker->each_round_ns != 0) {
    pauser_owe(poker->pauser, poker->each_round_ns);
    return;
  }
  poker->base = poker_count(poker);
  pauser_round(poker->pauser, poker->base, poker->per_request_ns);
}

void poker_begin_round(struct poker *poker) {
  struct gossip_send send;
  gossip_begin(&poker->gossip, &send);
  pause_all(poker, &send);
}

static void begin_rounds(struct poker *poker) {
  struct gossip_send send;
  do {
    if (poker->batch == 0 || poker->by_round || poker_count(poker) - poker->base < poker->batch)
      continue;
    if (gossip_begin(&poker->gossip, &send) == 0)
      poker->batch = 0; /* no number is left in this epoch */
    pause_all(poker, &send);
    pause_own(poker);
  } while (!arm(poker));
}

static void see_neighbours(struct poker *poker) {
  char address[PAGE_NEIGHBOUR_TEXT];
  while (poker->neighbours_seen < PAGE_NEIGHBOURS &&
         folder_neighbour(&poker->folder, poker->neighbours_seen, address)) {
    poker->neighbours_seen++;
    int error = dials_add(&poker->dials, address);
    if (error != 0)
      tell(&poker->teller, "a neighbour that the service names is left out: %s",
           error == ENOSPC ? "there are too many" : "no address");
  }
}

void poker_look(struct poker *poker) {
  if (poker->ending)
    return;
  folder_drain(poker->folder.wake);
  poker_count(poker);
  begin_rounds(poker);
  see_neighbours(poker);
  poker_tell_spoken(poker);
}

/* --- what others say ----------------------------------------------------------------------------
 */

static void answer(struct link *link, enum poke_kind kind, uint64_t epoch, uint64_t number,
                   const char *word) {
  struct poke poke = {.kind = (uint8_t)kind, .epoch = epoch, .number = number};
  memcpy(poke.text, word, strlen(word) + 1);
  link_send(link, &poke);
}

/* One word for what is wrong with a setting; NULL when it can be. */
static const char *fault_of(const struct poke *poke) {
  if (poke->count < 4 || poke->count > 9)
    return "values";
  uint64_t per_request_ns = poke->values[0], least_ns = poke->values[2], most_ns = poke->values[3];
  if (poke->values[4] > PACING_SAVED_MOST || (poke->values[4] != 0 && per_request_ns == 0))
    return "share-out-of-range";
  if (per_request_ns > DIRECTOR_PAUSE_MOST || poke->values[5] > DIRECTOR_PAUSE_MOST)
    return "pause-out-of-range";
  if (most_ns > DIRECTOR_PAUSE_MOST || least_ns > (most_ns != 0 ? most_ns : 1000000000))
    return "limits-out-of-range";
  if (poke->values[6] > HOLDING_ON || poke->values[7] > UINT32_MAX)
    return "holding-out-of-range";
  return NULL;
}

static void set(struct poker *poker, struct link *link, const struct poke *poke) {
  const char *fault = fault_of(poke);
  if (fault == NULL && poke->values[6] != HOLDING_OFF && poker->proxy == NULL)
    fault = "holds-no-answers";
  if (fault == NULL && !gossip_enter(&poker->gossip, poke->epoch))
    fault = "stale";
  if (fault != NULL) {
    answer(link, POKE_REFUSE, poker->gossip.round.epoch, poke->number, fault);
    return;
  }
  poker->base = poker_count(poker);
  pauser_settle(poker->pauser, poker->base);
  if (!held_set(poker, poke, poker->base))
    tell(&poker->teller, "answers cannot be held: the system has no timer left");
  pauser_limits(poker->pauser, poke->values[2], poke->values[3]);
  poker->per_request_ns = poke->values[0];
  poker->batch = poke->values[1];
  poker->each_round_ns = poke->values[5];
  poker->by_round = poke->values[4] != 0;
  if (poker->by_round && !poker->first)
    poker->first = priority_take(PRIORITY_POKER);
  else if (!poker->by_round && poker->first) {
    priority_give_back();
    poker->first = false;
  }
  latencies_take(poker); /* while it is known whose pauses theirs are */
  follow_set(poker, poker->batch != 0 ? poke->values[4] : 0, poke->values[0]);
  begin_rounds(poker);
}

static void hear_round(struct poker *poker, struct link *link, const struct poke *poke) {
  struct gossip_send send;
  enum round_verdict verdict =
      gossip_hear(&poker->gossip, link->number, poke->epoch, poke->number, &send);
  pause_all(poker, &send);
  if (verdict != ROUND_ACCEPTED)
    return;
  pause_own(poker);
  begin_rounds(poker);
}

static void say_join(struct poker *poker, struct link *link) {
  struct poke poke = {
      .kind = POKE_JOIN, .count = 2, .values = {poker->gossip.own.high, poker->gossip.own.low}};
  memcpy(poke.text, poker->where, sizeof poker->where);
  link->joined_here = true;
  link_send(link, &poke);
}

static void hear_join(struct poker *poker, struct link *link, const struct poke *poke) {
  struct gossip_instance peer = {poke->values[0], poke->values[1]};
  struct gossip_send send;
  bool good = poke->count == 2 && (peer.high != 0 || peer.low != 0);
  enum gossip_joined joined =
      good ? gossip_join(&poker->gossip, link->number, &peer, &send) : GOSSIP_SELF;
  if (joined == GOSSIP_KNOWN)
    return;
  if (joined == GOSSIP_SELF || joined == GOSSIP_FULL) {
    if (joined == GOSSIP_FULL)
      answer(link, POKE_REFUSE, 0, poke->number, "too-many-neighbours");
    else if (link->owner != NULL)
      dial_forget(link->owner);
    link_close(link, "");
    return;
  }
  if (joined == GOSSIP_NEW)
    tell(&poker->teller, "%s at %s is a neighbour", link->wire.peer, poke->text);
  if (link->owner != NULL)
    dial_reached(link->owner);
  if (!link->joined_here)
    say_join(poker, link);
  pause_all(poker, &send);
}

void poker_opened(void *of, struct link *link) {
  if (link->owner != NULL)
    say_join(of, link);
}

void poker_message(void *of, struct link *link, const struct poke *poke) {
  struct poker *poker = of;
  if (poker->ending)
    return;
  switch ((enum poke_kind)poke->kind) {
  case POKE_JOIN:
    hear_join(poker, link, poke);
    return;
  case POKE_LEAVE:
    link_close(link, "");
    return;
  case POKE_ROUND:
    hear_round(poker, link, poke);
    return;
  case POKE_SET:
    set(poker, link, poke);
    return;
  case POKE_ASK:
    poker_report(poker, link, poke->number);
    return;
  case POKE_HELLO:
  case POKE_REPORT:
  case POKE_REFUSE:
    return;
  }
}

/* A neighbour that this poker keeps connected to is told of by dial_lost, strangers by their
 * fault. */
void poker_closed(void *of, struct link *link, const char *why) {
  struct poker *poker = of;
  bool joined = gossip_has(&poker->gossip, link->number);
  gossip_leave(&poker->gossip, link->number);
  if (poker->ending)
    return;
  if (link->owner != NULL)
    dial_lost(link->owner, why);
  else if (joined)
    tell(&poker->teller, "%s is a neighbour no more%s%s", link->wire.peer, *why == '\0' ? "" : ": ",
         why);
  else if (*why != '\0')
    tell(&poker->teller, "%s: %s; its connection was closed", link->where, why);
}

void poker_take_leave(struct poker *poker) {
  struct poke leave = {.kind = POKE_LEAVE};
  for (struct link *link = poker->links.first, *next; link != NULL; link = next) {
    next = link->next;
    if (gossip_has(&poker->gossip, link->number))
      link_send(link, &leave);
  }
}
