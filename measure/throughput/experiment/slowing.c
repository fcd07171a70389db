/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/throughput/experiment/slowing.h"

#include <string.h>

static const double runs_least = 0.5; /* of its requests, or of one thread */
static const double room_most = 0.6;  /* of the processors are busy */
static const double all_least = 0.8;  /* of the users */
static const uint64_t one_ns = 200000000, many_ns = 80000000; /* while workers are learnt */

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
         share->thread_wanted < runs_least && !knee_computes(&profile->knee[service]);
}

/* One that computes, calls nobody, and leaves processors for others, which need none of its: its own
 * time is as exact when it is held, and rounds may be small. */
static bool leaves_room(const struct profile *profile, const struct experiment_plan *plan,
                        uint32_t service) {
  const struct processor_use *use = &profile->use;
  return use->known && is_counted(&plan->services[service]) &&
         profile->talks.inside[service][0] == '\0' && use->busy < room_most * use->count;
}

/* Whether a list of names with commas has this one. */
static bool names(const char *list, const char *name) {
  size_t length = strlen(name);
  for (const char *at = list; (at = strstr(at, name)) != NULL; at += length)
    if ((at == list || at[-1] == ' ' || at[-1] == ',') &&
        (at[length] == '\0' || at[length] == ',' || at[length] == ' '))
      return true;
  return false;
}

double slowing_calls(const struct profile *profile, const struct experiment_plan *plan,
                     uint32_t service) {
  double calls = 0;
  for (uint32_t s = 0; s < plan->count; s++)
    if (s != service && names(profile->talks.inside[service], plan->services[s].name))
      calls += profile->services[s].calls;
  return profile->services[service].calls > 0 ? calls / profile->services[service].calls : 0;
}

/* What of a call is not spent in the calls that it makes: its work when a call comes alone, or else, of
 * calls one after the other, the difference of times; 0: it makes none. */
static uint64_t own_of(const struct profile *profile, const struct experiment_plan *plan,
                       uint32_t service) {
  const struct profile_service *known = &profile->services[service];
  const char *called = profile->talks.inside[service];
  double own_ns = known->work_ns;
  for (uint32_t s = 0; s < plan->count; s++)
    if (s != service && names(called, plan->services[s].name))
      own_ns -= profile->services[s].calls / known->calls * profile->services[s].work_ns;
  if (profile->knee[service].alone_ns > 0)
    own_ns = profile->knee[service].alone_ns;
  return called[0] == '\0' ? 0 : own_ns > 1 ? (uint64_t)own_ns : 1;
}

/* Lets a service have one request at a time, then all that have piled up meanwhile, and so on: cycles
 * of measure/throughput/proxy/holding.h. */
static int let_pile_up(struct director_report *report, const struct window_world *world,
                       uint32_t service, uint64_t epoch) {
  int error = 0;
  for (int i = 0; i < SLOWING_EPOCHS - 1 && error == 0; i++) {
    struct director_setting setting = {.epoch = epoch + (uint64_t)i,
                                       .holding = i % 2 == 0 ? HOLDING_ONE : HOLDING_LEARN};
    error = world->set(world->context, service, &setting);
    if (error == 0)
      error =
          world->wait(world->context, world->now(world->context) + (i % 2 == 0 ? one_ns : many_ns));
  }
  if (error == 0)
    error = world->ask(world->context, service, report);
  struct director_setting none = {.epoch = epoch + SLOWING_EPOCHS - 1};
  return error == 0 ? world->set(world->context, service, &none) : error;
}

/* Where none had to wait for another, that is known of as many as there were: of all users, or it may be
 * otherwise when it is slowed. */
static bool all_at_once(const struct profile *profile, const struct director_report *report) {
  return (double)report->values[POKE_AT_ONCE] >= all_least * profile->users;
}

static int learn_workers(struct profile *profile, const struct window_world *world,
                         const struct plan_service *planned, uint32_t service, uint64_t epoch) {
  struct director_report report;
  struct profile_service *known = &profile->services[service];
  known->held = true;
  known->holders = planned->workers;
  if (known->own_ns != 0)
    return 0;
  int error = let_pile_up(&report, world, service, epoch);
  uint32_t workers = (uint32_t)(report.values[POKE_FLAGS] >> POKE_WORKERS) & POKE_WORKERS_ALL;
  uint64_t worked_us = report.values[POKE_FLAGS] >> POKE_WORKED_US;
  if (workers == POKE_WORKERS_ALL && error == 0 && !all_at_once(profile, &report))
    workers = 0;
  known->held =
      error == 0 && (workers != 0 || planned->workers != 0 || planned->slow == PLAN_SLOW_HOLD);
  if (planned->workers == 0)
    known->holders = workers == POKE_WORKERS_ALL ? 0 : workers;
  if (workers != 0 && workers != POKE_WORKERS_ALL && worked_us < POKE_WORKED_MOST)
    known->worked_ns = 1000 * (double)worked_us;
  return error;
}

int slowing_choose(struct profile *profile, const struct window_world *world,
                   const struct experiment_plan *plan, uint64_t epoch) {
  int error = 0;
  for (uint32_t s = 0; s < plan->count && error == 0; s++) {
    const struct plan_service *planned = &plan->services[s];
    bool holds = planned->slow == PLAN_SLOW_HOLD ||
                 (planned->slow == PLAN_SLOW_AUTO &&
                  (slowing_waits(profile, plan, s) || leaves_room(profile, plan, s)));
    if (!holds || !(profile->services[s].calls > 0))
      continue;
    profile->services[s].own_ns = own_of(profile, plan, s);
    error = learn_workers(profile, world, planned, s, epoch + (uint64_t)s * SLOWING_EPOCHS);
  }
  return error;
}
