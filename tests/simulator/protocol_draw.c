/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/simulator/protocol_parts.h"

static bool once_in(struct random *random, uint64_t count) {
  return random_below(random, count) == 0;
}

static void draw_timing(struct plan *plan, struct random *random) {
  plan->timing = (enum timing)random_below(random, 3);
  plan->queueing = plan->timing != TIMING_ADVANCED && !once_in(random, 3);
  plan->proof = plan->queueing ? PROOF_WAITS : PROOF_CLOCKS;
  if (plan->queueing && once_in(random, 4))
    plan->proof = PROOF_CLOCKS;
  if (plan->timing == TIMING_ADVANCED && once_in(random, 2))
    plan->proof = PROOF_ARRIVALS;
  else if (once_in(random, 6))
    plan->proof = PROOF_INFERRED;
}

static void draw_deadline(struct hop *hop, const struct plan *plan) {
  hop->price = PRICE_NAMED;
  hop->guarded = hop->closes = hop->ticks = false;
  if (plan->proof == PROOF_ARRIVALS || plan->proof == PROOF_INFERRED)
    hop->gate = GATE_NONE;
}

/* What would leave a clock without a bound is only where waits are terms of their own. */
static void draw_hop(struct hop *hop, const struct plan *plan, struct random *random) {
  bool waits = plan->proof == PROOF_WAITS;
  hop->gate = (enum gate)random_below(random, GATE_COUNT);
  hop->price = (enum price)random_below(random, PRICE_COUNT);
  hop->guarded = hop->gate != GATE_NONE && once_in(random, 3);
  hop->busy = once_in(random, plan->proof == PROOF_ARRIVALS ? 2 : 4);
  hop->ticks = waits && once_in(random, 6);
  hop->fifo = once_in(random, 4);
  hop->closes = hop->busy && plan->proof != PROOF_ARRIVALS && once_in(random, 2);
  if (hop->gate == GATE_DEADLINE)
    draw_deadline(hop, plan);
  hop->loop = hop->gate != GATE_DEADLINE && waits && once_in(random, 6);
  if (hop->loop) {
    hop->gate = GATE_NONE;
    hop->guarded = hop->closes = hop->busy = hop->ticks = false;
  }
  if (!hop->loop && plan->proof != PROOF_INFERRED && once_in(random, 3))
    hop->pick = (enum pick)random_below(random, PICK_COUNT);
}

/* From a timer to a deadline everything happens in time, and the bound has a minimum. */
static void draw_urgent(struct plan *plan, struct random *random) {
  struct hop *last = &plan->hops[plan->hop_count - 1];
  if (plan->timing != TIMING_EAGER || plan->proof != PROOF_WAITS || !once_in(random, 3))
    return;
  plan->start = START_TIMER;
  last->gate = GATE_DEADLINE;
  last->loop = false;
  draw_deadline(last, plan);
  for (size_t i = 0; i < plan->hop_count; i++)
    plan->hops[i].guarded = plan->hops[i].closes = plan->hops[i].loop = false;
}

static void draw_scatter(struct plan *plan, struct random *random) {
  struct hop *hop = &plan->hops[once_in(random, 2) ? 0 : random_below(random, plan->hop_count)];
  if (!once_in(random, 4) || hop->loop || hop->gate == GATE_DEADLINE ||
      plan->proof == PROOF_ARRIVALS)
    return;
  hop->scatter = true;
  hop->first = plan->timing == TIMING_EAGER && plan->proof == PROOF_WAITS &&
               hop == &plan->hops[0] && !once_in(random, 3);
  hop->ranked = once_in(random, 2);
  hop->family = (enum family)random_below(random, FAMILY_COUNT);
  if (hop->family == FAMILY_GROUPED)
    hop->first = false;
  if (plan->proof == PROOF_WAITS)
    return;
  hop->gate = GATE_NONE;
  hop->guarded = hop->closes = hop->busy = false;
}

void plan_draw(struct plan *plan, struct random *random) {
  *plan = (struct plan){.drop = -1};
  draw_timing(plan, random);
  if (plan->proof != PROOF_INFERRED && !once_in(random, 2)) /* followed by no inference */
    plan->start = (enum start)random_below(random, START_COUNT);
  plan->hop_count = 1 + (size_t)random_below(random, HOPS_MAX);
  for (size_t i = 0; i < plan->hop_count; i++)
    draw_hop(&plan->hops[i], plan, random);
  draw_urgent(plan, random);
  draw_scatter(plan, random);
  int terms = 3 * (int)plan->hop_count + 2;
  plan->lean = (int)random_below(random, (uint64_t)terms);
  if (once_in(random, 3))
    plan->drop = (int)random_below(random, (uint64_t)terms);
  plan->assumed = once_in(random, 4) ? 1 + (unsigned)random_below(random, 1000) : 0;
  if (once_in(random, 6))
    stream_draw(&plan->stream, random);
}
