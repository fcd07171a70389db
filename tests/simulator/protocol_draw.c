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
  hop->family = (enum family)random_below(random, FAMILY_RETURNED);
  if (hop->family == FAMILY_GROUPED)
    hop->first = false;
  if (plan->proof == PROOF_WAITS)
    return;
  hop->gate = GATE_NONE;
  hop->guarded = hop->closes = hop->busy = false;
}

static void draw_simple_hop(struct hop *hop, struct random *random) {
  *hop = (struct hop){.price = (enum price)random_below(random, PRICE_COUNT),
                      .busy = once_in(random, 4),
                      .fifo = once_in(random, 3)};
  if (once_in(random, 3))
    hop->gate = (enum gate)random_below(random, GATE_DEADLINE);
  if (once_in(random, 2))
    hop->pick = (enum pick)random_below(random, PICK_COUNT);
  hop->sized = hop->pick != PICK_NONE && hop->price == PRICE_BATCH;
}

/* What is sent in copies, instead of a choice. */
static void draw_losses(struct plan *plan, struct random *random) {
  for (size_t i = 0; i < plan->hop_count; i++) {
    struct hop *hop = &plan->hops[i];
    if (hop->scatter || hop->ask != ASK_NONE || !once_in(random, plan_family(plan) == NULL ? 2 : 3))
      continue;
    hop->losses = 1 + (unsigned)random_below(random, LOSSES_MAX);
    hop->pick = PICK_NONE;
    hop->sized = false;
    hop->fifo = !once_in(random, 3);
    hop->lack = once_in(random, 3) ? LACK_COPY : LACK_NONE;
  }
}

/* A message that does not wait for the others at its server but for the one under way; or does. */
static void draw_priorities(struct plan *plan, struct random *random) {
  for (size_t i = 0; i < plan->hop_count; i++) {
    struct hop *hop = &plan->hops[i];
    if (plan->timing != TIMING_EAGER || hop->scatter || hop->ask != ASK_NONE || hop->losses != 0 ||
        !once_in(random, 2))
      continue;
    static const enum lack lacks[] = {LACK_NONE, LACK_NONE, LACK_WAIT, LACK_TRAVEL, LACK_OWN};
    hop->rival =
        once_in(random, 2) ? RIVAL_LOWER : (enum rival)(1 + random_below(random, RIVAL_COUNT - 1));
    hop->busy = once_in(random, 3);
    hop->gate = GATE_NONE;
    hop->fifo |= hop->rival == RIVAL_BEFORE;
    hop->lack = lacks[random_below(random, hop->busy ? 5 : 4)];
  }
}

/* Who has answered is counted by a sum. */
static void draw_sums(struct plan *plan, struct random *random) {
  for (size_t i = 0; i < plan->hop_count; i++)
    if (plan->hops[i].scatter && once_in(random, 3)) {
      plan->hops[i].added = true;
      plan->hops[i].ranked = false;
    }
}

/* One of the family is asked. */
static void draw_ask(struct hop *hop, struct random *random) {
  static const enum family families[] = {FAMILY_PLAIN, FAMILY_PAIRED, FAMILY_RETURNED};
  hop->ask = (enum ask)(1 + random_below(random, ASK_COUNT - 1));
  hop->family = families[random_below(random, 3)];
  hop->pick = PICK_NONE;
  hop->sized = false;
}

/* All of it are asked. */
static void draw_simple_scatter(struct plan *plan, struct hop *hop, struct random *random) {
  hop->scatter = true;
  hop->family = (enum family)random_below(random, FAMILY_COUNT);
  if (plan->timing != TIMING_EAGER && hop->family == FAMILY_QUORUM)
    hop->family = FAMILY_SUMMED;
  bool groups =
      hop->family == FAMILY_GROUPED || hop->family == FAMILY_SUMMED || hop->family == FAMILY_QUORUM;
  hop->first =
      plan->timing == TIMING_EAGER && hop == &plan->hops[0] && !groups && once_in(random, 3);
  hop->settles = !hop->first && once_in(random, 3);
  hop->ranked = !groups && once_in(random, 4);
}

/* What makes proofs hard is rare, what is about families and choices is not. */
static void draw_simple(struct plan *plan, struct random *random) {
  *plan = (struct plan){.simple = true, .drop = -1, .queueing = true, .proof = PROOF_WAITS};
  plan->timing = once_in(random, 2) ? TIMING_EAGER : TIMING_STANDARD;
  plan->start = (enum start)random_below(random, START_COUNT);
  if (once_in(random, 3))
    plan->start = START_ANY;
  plan->hop_count = 1 + (size_t)random_below(random, 2);
  for (size_t i = 0; i < plan->hop_count; i++)
    draw_simple_hop(&plan->hops[i], random);
  struct hop *hop = &plan->hops[random_below(random, plan->hop_count)];
  switch (random_below(random, 4)) {
  case 0:
    break;
  case 1:
    draw_ask(hop, random);
    break;
  default:
    draw_simple_scatter(plan, hop, random);
  }
  hop->crossed =
      (hop->family == FAMILY_PAIRED || hop->family == FAMILY_RETURNED) && once_in(random, 2);
}

/* What is left out of which, rarely, so that most can be proved. */
static void draw_lack(struct plan *plan, struct random *random) {
  for (size_t i = 0; i < plan->hop_count; i++) {
    struct hop *hop = &plan->hops[i];
    hop->crowded = (hop->scatter || hop->ask != ASK_NONE) && once_in(random, 2);
    if ((hop->scatter || hop->ask != ASK_NONE) && once_in(random, 4))
      hop->lack = (enum lack)(1 + random_below(random, LACK_SIZE - 1));
    if (hop->sized && once_in(random, 4))
      hop->lack = LACK_SIZE;
  }
}

static void draw_terms(struct plan *plan, struct random *random) {
  int terms = 3 * (int)plan->hop_count + (plan->simple ? 5 : 2);
  plan->lean = (int)random_below(random, (uint64_t)terms);
  if (once_in(random, 3))
    plan->drop = (int)random_below(random, (uint64_t)terms);
}

/* Behind all else, so that it changes nothing else of a seed. */
static void draw_pacers(struct plan *plan, struct random *random) {
  struct stream *stream = &plan->stream;
  if (stream->on && !stream->ahead && once_in(random, 2)) {
    stream->paced = 1 + (unsigned)random_below(random, 2);
    stream->slow = once_in(random, 4);
  }
  for (size_t i = 0; i < plan->hop_count; i++) {
    struct hop *hop = &plan->hops[i];
    if (hop->losses == 0 || !once_in(random, 2))
      continue;
    hop->paced = 1 + (unsigned)random_below(random, 2);
    hop->unpaced = once_in(random, 3);
  }
}

void plan_draw(struct plan *plan, struct random *random) {
  *plan = (struct plan){.drop = -1};
  draw_timing(plan, random);
  if (plan->proof != PROOF_INFERRED && !once_in(random, 2)) /* followed by no inference */
    plan->start = (enum start)random_below(random, START_ANY);
  plan->hop_count = 1 + (size_t)random_below(random, HOPS_MAX);
  for (size_t i = 0; i < plan->hop_count; i++)
    draw_hop(&plan->hops[i], plan, random);
  draw_urgent(plan, random);
  draw_scatter(plan, random);
  draw_terms(plan, random);
  plan->assumed = once_in(random, 4) ? 1 + (unsigned)random_below(random, 1000) : 0;
  if (once_in(random, 6)) {
    stream_draw(&plan->stream, random);
  } else if (once_in(random, 2)) {
    draw_simple(plan, random);
    draw_terms(plan, random);
    draw_lack(plan, random);
    draw_losses(plan, random);
    draw_sums(plan, random);
    draw_priorities(plan, random);
  }
  if (plan->start == START_TIMER && !plan->stream.on && plan->proof != PROOF_INFERRED)
    plan->chooses = (enum timed_choice)random_below(random, TIMED_READY + 1);
  restless_draw(plan, random);
  plan->reads = !plan->stream.on && once_in(random, 4);
  draw_pacers(plan, random);
}
