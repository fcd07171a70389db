/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The pausers: what the proved core decides, with simulated signals, clocks and messages.
 */
#include "tests/throughput/inside.h"

#include <math.h>

enum { EPOCH = 1 };

/* A delay around its mean. */
static int64_t vary(struct sim *sim, double mean_ns) {
  double factor = 1;
  if (sim->set->errors.jitter > 0)
    factor += sim->set->errors.jitter * (sim_draw(sim) - 0.5);
  return (int64_t)(mean_ns * factor + 0.5);
}

static void later(struct sim *sim, int64_t at, enum event_kind kind, int service, uint64_t number) {
  agenda_add(&sim->agenda,
             (struct event){.at = at, .kind = kind, .what = service, .number = number});
}

static void meet(struct poker *poker, int other) {
  for (int i = 0; i < poker->neighbour_count; i++)
    if (poker->neighbours[i] == other)
      return;
  poker->neighbours[poker->neighbour_count++] = other;
}

/* Neighbours are who calls whom. */
void poker_meet(struct sim *sim) {
  const struct graph *graph = sim->set->graph;
  for (int w = 0; w < graph->ways; w++)
    for (int e = graph->way[w].first; e < graph->way[w].first + graph->way[w].edges; e++) {
      int from = graph->way[w].service, to = graph->way[graph->edges[e].to].service;
      meet(&sim->pokers[from], to);
      meet(&sim->pokers[to], from);
    }
  for (int s = 0; s < graph->services; s++) {
    struct poker *poker = &sim->pokers[s];
    pause_init(&poker->ledger);
    round_init(&poker->round);
    round_enter(&poker->round, EPOCH);
    poker->state = PAUSE_RUNNING;
    poker->wake_at = sim->set->services[s].batch > 0 ? sim->set->services[s].batch : UINT64_MAX;
  }
}

void poker_begun(struct sim *sim, int service) {
  struct poker *poker = &sim->pokers[service];
  if (sim->services[service].begun >= poker->wake_at) {
    poker->wake_at = UINT64_MAX;
    later(sim, sim->now + vary(sim, sim->set->errors.late_ns), EVENT_WAKE, service, 0);
  }
  if (service == 0 && sim->set->leader < 0)
    sim_boundary(sim);
}

static void tell_neighbours(struct sim *sim, int service, uint64_t number) {
  const struct poker *poker = &sim->pokers[service];
  for (int i = 0; i < poker->neighbour_count && !sim->set->alone; i++)
    if (sim->set->errors.gossip_loss <= 0 || sim_draw(sim) >= sim->set->errors.gossip_loss)
      later(sim, sim->now + vary(sim, sim->set->errors.gossip_ns), EVENT_ROUND,
            poker->neighbours[i], number);
}

static void pause_begin(struct sim *sim, int service) {
  struct poker *poker = &sim->pokers[service];
  if (pause_due(&poker->ledger, sim->set->least_ns, sim->set->most_ns) == 0)
    return;
  enum pause_send send;
  poker->state = pause_step(poker->state, PAUSE_ASKED, &send);
  poker->asked_ns = (uint64_t)sim->now;
  poker->pauses++;
  sim->result->twice += poker->paused_in == poker->round.last;
  poker->paused_in = poker->round.last;
  if (send == PAUSE_SEND_STOP)
    later(sim, sim->now + vary(sim, sim->set->errors.stop_ns), EVENT_STOPPED, service, 0);
}

/* A round was begun or accepted. */
static void round_taken(struct sim *sim, int service) {
  struct poker *poker = &sim->pokers[service];
  uint64_t begun = sim->services[service].begun;
  pause_owe(&poker->ledger, begun - poker->counted, sim->set->services[service].pause_ns);
  poker->counted = begun;
  tell_neighbours(sim, service, poker->round.last);
  if (poker->state == PAUSE_RUNNING)
    pause_begin(sim, service);
  else
    poker->again = true;
}

void poker_wake(struct sim *sim, int service) {
  struct poker *poker = &sim->pokers[service];
  poker->wake_at = sim->services[service].begun + sim->set->services[service].batch;
  if (round_begin(&poker->round) == 0)
    return;
  if (service == sim->set->leader) {
    sim->round_number++;
    sim_boundary(sim);
  }
  round_taken(sim, service);
}

void poker_hear(struct sim *sim, int service, uint64_t number) {
  if (round_accept(&sim->pokers[service].round, EPOCH, number) == ROUND_ACCEPTED)
    round_taken(sim, service);
}

void poker_stopped(struct sim *sim, int service) {
  struct poker *poker = &sim->pokers[service];
  const struct sim_errors *errors = &sim->set->errors;
  enum pause_send send;
  poker->state = pause_step(poker->state, PAUSE_HAS_STOPPED, &send);
  poker->since = sim->now;
  work_stop(sim, service);
  uint64_t due = pause_due(&poker->ledger, sim->set->least_ns, sim->set->most_ns);
  int64_t timer = (int64_t)pause_deadline(poker->asked_ns, due, (uint64_t)errors->lead_ns) +
                  vary(sim, errors->late_ns);
  if (errors->outlier_chance > 0 && sim_draw(sim) < errors->outlier_chance)
    timer += (int64_t)(-errors->outlier_ns * log(1 - sim_draw(sim)));
  later(sim, timer > sim->now ? timer : sim->now, EVENT_TIMER, service, 0);
}

void poker_timer(struct sim *sim, int service) {
  struct poker *poker = &sim->pokers[service];
  enum pause_send send;
  poker->state = pause_step(poker->state, PAUSE_DUE, &send);
  pause_realise(&poker->ledger, pause_length(poker->asked_ns, (uint64_t)sim->now,
                                             (uint64_t)sim->set->errors.offset_ns));
  if (send == PAUSE_SEND_CONTINUE)
    later(sim, sim->now + vary(sim, sim->set->errors.continue_ns), EVENT_CONTINUED, service, 0);
}

void poker_continued(struct sim *sim, int service) {
  struct poker *poker = &sim->pokers[service];
  enum pause_send send;
  poker->state = pause_step(poker->state, PAUSE_CONTINUED, &send);
  poker->stopped_ns += (uint64_t)(sim->now - poker->since);
  work_continue(sim, service);
  if (poker->again) {
    poker->again = false;
    pause_begin(sim, service);
  }
}
