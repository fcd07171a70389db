/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a poker has counted, how, and its report of that (work.h).
 */
#include "measure/throughput/poker/work.h"

uint64_t poker_count(struct poker *poker) {
  if (poker->folder.count >= 0)
    for (uint64_t more = folder_drain(poker->folder.count); more > 0; more--)
      tailproof_count_begin(poker->counter);
  uint64_t begun = folder_begun(&poker->folder);
  if (begun < poker->base) /* the service has written over its page */
    poker->base = begun;
  return begun;
}

void poker_tell_spoken(struct poker *poker) {
  struct proxy_statistics seen;
  if (poker->proxy == NULL)
    return;
  proxy_statistics(poker->proxy, &seen);
  for (enum speech_kind kind = SPEECH_TURNS; kind < SPEECH_KINDS; kind++) {
    if (seen.spoken[kind] == 0 || (poker->spoken_told >> kind & 1) != 0)
      continue;
    poker->spoken_told |= (uint32_t)1 << kind;
    if (poker->options->relay != NULL)
      tell(&poker->teller, "requests are counted by %s", speech_name(kind));
    else
      tell(&poker->teller,
           "a client speaks %s, which the proxy does not read: refused; give --relay instead",
           kind == SPEECH_TLS ? "TLS" : speech_name(kind));
  }
}

/* Whether all that a relay has met says in its answers when it could not serve. */
static bool understands_answers(const struct proxy_statistics *seen) {
  return seen->spoken[SPEECH_TURNS] + seen->spoken[SPEECH_TLS] + seen->spoken[SPEECH_HTTP2] == 0;
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
  poke->values[POKE_ERRORS] = seen.errors + (seen.ended - seen.complete) + seen.unreached;
  for (int kind = SPEECH_TURNS; kind < SPEECH_KINDS; kind++)
    if (seen.spoken[kind] != 0)
      poke->values[POKE_FLAGS] |= (uint64_t)1 << (POKE_SPOKEN + kind);
  if (poker->options->relay != NULL)
    poke->values[POKE_FLAGS] |= POKE_RELAYS;
  if (poker->options->relay == NULL || understands_answers(&seen))
    poke->values[POKE_FLAGS] |= POKE_SEES_ANSWERS;
}

void poker_report(struct poker *poker, struct link *link, uint64_t number) {
  struct pauser_report now;
  pauser_report(poker->pauser, &now);
  const struct poker_page *page = poker->folder.page;
  struct poke poke = {
      .kind = POKE_REPORT, .count = POKE_ERRORS + 1, .epoch = poker->gossip.round.epoch};
  poke.number = number;
  poke.values[POKE_BEGUN] = poker_count(poker);
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
  held_report(&poke, poker);
  link_send(link, &poke);
}
