/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/throughput/inside.h"

#include <stdlib.h>

double sim_draw(struct sim *sim) {
  return (double)(random_bits(&sim->random) >> 11) * 0x1p-53;
}

void sim_plain(struct sim_setting *setting, const struct graph *graph, const double work_us[],
               int workers) {
  *setting = (struct sim_setting){.graph = graph, .connections = 1, .leader = -1};
  setting->most_ns = 1000000000;
  for (int s = 0; s < graph->services; s++) {
    setting->services[s] =
        (struct sim_service){.work_ns = work_us[s] * 1000, .workers = workers, .machine = s};
    setting->processors[s] = workers;
  }
}

struct sim_errors sim_usual_errors(void) {
  return (struct sim_errors){.stop_ns = 10000,
                             .continue_ns = 27000,
                             .late_ns = 30000,
                             .jitter = 1,
                             .offset_ns = 17000,
                             .lead_ns = 47000,
                             .outlier_chance = 0.001,
                             .outlier_ns = 3000000,
                             .gossip_ns = 60000};
}

/* What the ledger has of a service's pauses, and of the one that is on. */
static uint64_t realised(const struct sim *sim, int service) {
  const struct poker *poker = &sim->pokers[service];
  bool now = sim->services[service].stopped && poker->state == PAUSE_STOPPED;
  return poker->ledger.realised_ns + (now ? (uint64_t)(sim->now - poker->since) : 0);
}

static void window_open(struct sim *sim) {
  struct sim_result *result = sim->result;
  sim->phase = SIM_MEASURING;
  sim->window_began = sim->now;
  result->requests = sim->services[0].begun;
  result->rounds = sim->round_number;
  for (int s = 0; s < sim->set->graph->services; s++) {
    result->begun[s] = sim->services[s].begun;
    result->busy_ns[s] = sim->services[s].busy_ns;
    result->realised_ns[s] = realised(sim, s);
  }
}

static void window_close(struct sim *sim) {
  struct sim_result *result = sim->result;
  sim->phase = SIM_OVER;
  result->window_ns = (uint64_t)(sim->now - sim->window_began);
  result->requests = sim->services[0].begun - result->requests;
  result->rounds = sim->round_number - result->rounds;
  for (int s = 0; s < sim->set->graph->services; s++) {
    result->begun[s] = sim->services[s].begun - result->begun[s];
    result->busy_ns[s] = sim->services[s].busy_ns - result->busy_ns[s];
    result->realised_ns[s] = realised(sim, s) - result->realised_ns[s];
  }
}

void sim_boundary(struct sim *sim) {
  uint64_t begun = sim->services[0].begun;
  if (sim->phase == SIM_WARMING && begun >= sim->set->warmup)
    window_open(sim);
  else if (sim->phase == SIM_MEASURING && begun >= sim->result->requests + sim->set->window)
    window_close(sim);
}

static void happen(struct sim *sim, const struct event *event) {
  switch (event->kind) {
  case EVENT_CALL:
    work_arrive(sim, event->what);
    break;
  case EVENT_REPLY:
    work_reply(sim, event->what);
    break;
  case EVENT_DONE:
    work_done(sim, event->what, event->number);
    break;
  case EVENT_WAKE:
    poker_wake(sim, event->what);
    break;
  case EVENT_ROUND:
    poker_hear(sim, event->what, event->number);
    break;
  case EVENT_STOPPED:
    poker_stopped(sim, event->what);
    break;
  case EVENT_TIMER:
    poker_timer(sim, event->what);
    break;
  case EVENT_CONTINUED:
    poker_continued(sim, event->what);
    break;
  }
}

static void set_up(struct sim *sim) {
  const struct sim_setting *set = sim->set;
  for (int s = 0; s < set->graph->services; s++) {
    struct running *running = &sim->services[s];
    running->set = &set->services[s];
    int machine = running->set->machine;
    sim->on[machine][sim->on_count[machine]++] = s;
    sim->idle[machine] = set->processors[machine];
    for (int i = 0; i < SIM_WORKERS; i++)
      running->slots[i].frame = -1;
  }
  poker_meet(sim);
  for (int i = 0; i < set->connections; i++)
    work_request(sim);
}

static void tear_down(struct sim *sim) {
  for (int s = 0; s < sim->set->graph->services; s++) {
    const struct poker *poker = &sim->pokers[s];
    sim->result->ledger[s] = poker->ledger;
    sim->result->counted[s] = poker->counted;
    sim->result->stopped_ns[s] = poker->stopped_ns;
    if (poker->state == PAUSE_CONTINUING) /* the ledger has it already */
      sim->result->stopped_ns[s] += (uint64_t)(sim->now - poker->since);
    sim->result->pauses[s] = poker->pauses;
    free(sim->services[s].waiting.items);
    free(sim->services[s].inbox.items);
  }
  free(sim->free_frames.items);
  free(sim->frames);
  agenda_free(&sim->agenda);
}

void simulate(const struct sim_setting *setting, struct sim_result *result) {
  static struct sim sim; /* large */
  sim = (struct sim){.set = setting, .result = result};
  *result = (struct sim_result){0};
  sim.random = random_seeded(setting->seed, 1);
  set_up(&sim);
  struct event event;
  while (sim.phase != SIM_OVER && agenda_next(&sim.agenda, &event)) {
    sim.now = event.at;
    result->events++;
    happen(&sim, &event);
  }
  tear_down(&sim);
}
