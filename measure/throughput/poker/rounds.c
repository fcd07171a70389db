/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * When a round begins, who hears of it, and what is said to others (work.h).
 */
#include "measure/throughput/pause/priority.h"
#include "measure/throughput/poker/director.h"
#include "measure/throughput/poker/work.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* --- counts -------------------------------------------------------------------------------------
 */

/* Requests begun, with those whose bytes are still in the FIFO. */
static uint64_t count(struct poker *poker) {
  if (poker->folder.count >= 0)
    for (uint64_t more = folder_drain(poker->folder.count); more > 0; more--)
      tailproof_count_begin(poker->counter);
  uint64_t begun = folder_begun(&poker->folder);
  if (begun < poker->base) /* the service has written over its page */
    poker->base = begun;
  return begun;
}

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
  poker->base = count(poker);
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
    if (poker->batch == 0 || poker->by_round || count(poker) - poker->base < poker->batch)
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
  count(poker);
  begin_rounds(poker);
  see_neighbours(poker);
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
  if (poke->count != 4 && poke->count != 5)
    return "values";
  uint64_t per_request_ns = poke->values[0], least_ns = poke->values[2], most_ns = poke->values[3];
  if (poke->values[4] > PACING_SAVED_MOST || (poke->values[4] != 0 && per_request_ns == 0))
    return "share-out-of-range";
  if (per_request_ns > DIRECTOR_PAUSE_MOST)
    return "pause-out-of-range";
  if (most_ns > DIRECTOR_PAUSE_MOST || least_ns > (most_ns != 0 ? most_ns : 1000000000))
    return "limits-out-of-range";
  return NULL;
}

static void set(struct poker *poker, struct link *link, const struct poke *poke) {
  const char *fault = fault_of(poke);
  if (fault == NULL && !gossip_enter(&poker->gossip, poke->epoch))
    fault = "stale";
  if (fault != NULL) {
    answer(link, POKE_REFUSE, poker->gossip.round.epoch, poke->number, fault);
    return;
  }
  poker->base = count(poker);
  pauser_settle(poker->pauser, poker->base);
  pauser_limits(poker->pauser, poke->values[2], poke->values[3]);
  poker->per_request_ns = poke->values[0];
  poker->batch = poke->values[1];
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

/* Time between beginning and end of all requests until now, so the integral over time of how many
 * are in flight (Little, 1961): who is starved for seconds counts, too. Where the service counts,
 * of those that ended. */
static uint64_t busy_ns(const struct poker *poker, uint64_t at_ns) {
  const struct poker_in_flight *now = &poker->in_flight;
  return __atomic_load_n(&poker->folder.page->busy_ns, __ATOMIC_SEQ_CST) + now->count * at_ns -
         now->began_ns;
}

static void report_errors(struct poke *poke, const struct poker *poker) {
  struct proxy_statistics seen;
  if (poker->proxy == NULL)
    return;
  proxy_statistics(poker->proxy, &seen);
  poke->values[POKE_ERRORS] = seen.errors + (seen.ended - seen.complete);
  poke->values[POKE_FLAGS] |= POKE_SEES_ANSWERS;
}

static void report(struct poker *poker, struct link *link, uint64_t number) {
  struct pauser_report now;
  pauser_report(poker->pauser, &now);
  const struct poker_page *page = poker->folder.page;
  struct poke poke = {
      .kind = POKE_REPORT, .count = POKE_ERRORS + 1, .epoch = poker->gossip.round.epoch};
  poke.number = number;
  poke.values[POKE_BEGUN] = count(poker);
  poke.values[POKE_AT_NS] = uv_hrtime(); /* CLOCK_MONOTONIC */
  poke.values[POKE_ENDED] = __atomic_load_n(&page->ended, __ATOMIC_SEQ_CST);
  poke.values[POKE_BUSY_NS] = busy_ns(poker, poke.values[POKE_AT_NS]);
  poke.values[POKE_AT_ONCE] = __atomic_load_n(&page->at_once_most, __ATOMIC_SEQ_CST);
  poke.values[POKE_OWED_NS] = now.ledger.owed_ns;
  poke.values[POKE_REALISED_NS] = now.ledger.realised_ns;
  poke.values[POKE_CARRIED_NS] = (uint64_t)now.ledger.carried_ns;
  poke.values[POKE_ROUNDS] = poker->gossip.rounds;
  poke.values[POKE_PAUSES] = now.pauses;
  poke.values[POKE_LATE_PAUSES] = now.late_pauses;
  poke.values[POKE_STATE] = (uint64_t)now.state;
  uint64_t since_ns = now.pausing_since_ns;
  poke.values[POKE_PAUSING_NS] =
      since_ns != 0 && since_ns < poke.values[POKE_AT_NS] ? poke.values[POKE_AT_NS] - since_ns : 0;
  poke.values[POKE_LOST] = poker->latencies.lost;
  poke.values[POKE_FLAGS] = now.mode == PAUSER_FREEZE ? POKE_FREEZES : 0;
  report_errors(&poke, poker);
  link_send(link, &poke);
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
    report(poker, link, poke->number);
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
