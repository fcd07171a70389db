/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Pauses that a poker's proxy or relay makes up by holding answers (work.h), with a ledger of their
 * own. They are exact, and begin at once.
 */
#include "measure/throughput/poker/work.h"

static const uint64_t pause_most_ns = 1000000000;

bool held_set(struct poker *poker, const struct poke *poke, uint64_t begun) {
  enum holding_mode mode = (enum holding_mode)poke->values[6];
  struct poker_held *held = &poker->held;
  held->settled = begun;
  if (poker->proxy == NULL)
    return mode == HOLDING_OFF;
  if (!proxy_hold(poker->proxy, mode, (uint32_t)poke->values[7], poke->values[8]))
    return false;
  held->on = mode == HOLDING_ON;
  return true;
}

void held_round(struct poker *poker, uint64_t begun) {
  struct poker_held *held = &poker->held;
  if (poker->each_round_ns != 0)
    pause_owe(&held->ledger, 1, poker->each_round_ns);
  else if (begun > held->settled)
    pause_owe(&held->ledger, begun - held->settled, poker->per_request_ns);
  held->settled = begun;
  uint64_t due_ns = pause_due(&held->ledger, 1, pause_most_ns);
  if (due_ns == 0 || !proxy_hold_pause(poker->proxy, due_ns))
    return;
  pause_realise(&held->ledger, due_ns);
  held->pauses++;
}

void held_report(struct poke *poke, const struct poker *poker) {
  struct proxy_held now;
  if (poker->proxy == NULL)
    return;
  proxy_held(poker->proxy, &now);
  uint64_t *values = poke->values;
  values[POKE_OWED_NS] += poker->held.ledger.owed_ns;
  values[POKE_REALISED_NS] += now.paused_ns;
  values[POKE_CARRIED_NS] = values[POKE_OWED_NS] - values[POKE_REALISED_NS];
  values[POKE_PAUSES] += poker->held.pauses;
  if (now.workers == 0)
    return;
  uint64_t us = now.worked_ns / 1000;
  values[POKE_FLAGS] |= (uint64_t)(now.workers < POKE_WORKERS_ALL ? now.workers : POKE_WORKERS_ALL)
                            << POKE_WORKERS |
                        (us < POKE_WORKED_MOST ? us : POKE_WORKED_MOST) << POKE_WORKED_US;
}
