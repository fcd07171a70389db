/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/throughput/experiment/slowing.h"

static const double runs_least = 0.5; /* of its requests, or of one thread */
static const uint64_t one_ns = 150000000, many_ns = 150000000; /* while workers are learnt */
enum { OPENINGS = SLOWING_EPOCHS / 2 };

static bool is_counted(const struct plan_service *planned) {
  return planned->proxy != NULL || planned->relay != NULL;
}

void slowing_learn(struct window_setting *setting, const struct experiment_plan *plan) {
  for (uint32_t s = 0; s < plan->count; s++)
    if (is_counted(&plan->services[s]))
      setting->holding[s] = HOLDING_LEARN;
}

double slowing_in_flight(const struct profile *profile, uint32_t service) {
  const struct profile_service *known = &profile->services[service];
  return known->calls * profile->throughput * known->work_ns / 1e9;
}

bool slowing_waits(const struct profile *profile, const struct experiment_plan *plan,
                   uint32_t service) {
  const struct processor_share *share = &profile->use.services[service];
  return profile->use.known && share->wanted > 0 && is_counted(&plan->services[service]) &&
         profile->talks.inside[service][0] == '\0' &&
         share->wanted < runs_least * slowing_in_flight(profile, service) &&
         share->thread_wanted < runs_least;
}

/* Lets a service have one request at a time, and then all that have piled up meanwhile. */
static int let_pile_up(struct director_report *report, const struct window_world *world,
                       uint32_t service, uint64_t epoch) {
  int error = 0;
  for (int i = 0; i < 2 * OPENINGS && error == 0; i++) {
    struct director_setting setting = {.epoch = epoch + (uint64_t)i,
                                       .holding = i % 2 == 0 ? HOLDING_ONE : HOLDING_LEARN};
    error = world->set(world->context, service, &setting);
    if (error == 0)
      error = world->wait(world->context, world->now(world->context) +
                                              (i % 2 == 0 ? one_ns : many_ns));
  }
  return error == 0 ? world->ask(world->context, service, report) : error;
}

static int learn_workers(struct profile_service *known, const struct window_world *world,
                         const struct plan_service *planned, uint32_t service, uint64_t epoch) {
  struct director_report report;
  known->held = true;
  known->holders = planned->workers;
  if (planned->workers != 0)
    return 0;
  int error = let_pile_up(&report, world, service, epoch);
  uint32_t workers = (uint32_t)(report.values[POKE_FLAGS] >> POKE_WORKERS);
  known->holders = workers == HOLDING_ALL ? 0 : workers;
  return error;
}

int slowing_choose(struct profile *profile, const struct window_world *world,
                   const struct experiment_plan *plan, uint64_t epoch) {
  int error = 0;
  for (uint32_t s = 0; s < plan->count && error == 0; s++) {
    const struct plan_service *planned = &plan->services[s];
    bool holds = planned->slow == PLAN_SLOW_HOLD ||
                 (planned->slow == PLAN_SLOW_AUTO && slowing_waits(profile, plan, s));
    if (holds && profile->services[s].calls > 0)
      error = learn_workers(&profile->services[s], world, planned, s,
                            epoch + (uint64_t)s * SLOWING_EPOCHS);
  }
  return error;
}
