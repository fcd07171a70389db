/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/throughput/experiment/window.h"

#include "measure/throughput/experiment/window_judge.h"
#include "measure/yaml/value.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const uint64_t look_ns = 1000000;        /* between two looks for a round's begin */
static const uint64_t patience_ns = 3000000000; /* for one beyond the window */

/* What a service owes in each round whose calls nobody counts: as many as are usual for the
 * leader's requests in a round. */
static uint64_t each_round_ns(const struct experiment_plan *plan,
                              const struct window_setting *setting, const struct profile *profile,
                              uint32_t service) {
  const struct plan_service *planned = &plan->services[service];
  if (planned->calls_stated <= 0 || profile == NULL || setting->pause_ns[service] == 0)
    return 0;
  double leads = profile->services[setting->leader].calls;
  double rounds = leads > 0 ? (double)setting->batch[setting->leader] / leads : 0;
  double owed = (double)setting->pause_ns[service] * profile->services[service].calls * rounds;
  return (uint64_t)llround(fmin(owed, (double)DIRECTOR_PAUSE_MOST));
}

/* Rounds are begun last by who begins them: whoever does not know the epoch yet would miss one. */
static int set_all(const struct window_world *world, const struct experiment_plan *plan,
                   const struct window_setting *setting, const struct profile *profile) {
  int error = 0;
  for (int begins = 0; begins <= 1; begins++)
    for (uint32_t s = 0; s < plan->count && error == 0; s++) {
      struct director_setting one = {.epoch = setting->epoch,
                                     .per_request_ns = setting->pause_ns[s],
                                     .batch = setting->batch[s],
                                     .each_round_ns = each_round_ns(plan, setting, profile, s),
                                     .holding = setting->holding[s]};
      if (profile != NULL && one.holding != HOLDING_OFF) {
        one.workers = profile->services[s].holders;
        one.own_ns = profile->services[s].own_ns;
      }
      if ((setting->batch[s] != 0) == (begins == 1))
        error = world->set(world->context, s, &one);
    }
  return error;
}

/* Waits until the leader begins a round; *begun is false when it did not in time. */
static int next_round(bool *begun, const struct window_world *world,
                      const struct window_setting *setting, uint64_t limit_ns) {
  struct director_report report;
  int error = world->ask(world->context, setting->leader, &report);
  uint64_t rounds = report.values[POKE_ROUNDS];
  *begun = setting->batch[setting->leader] == 0;
  while (error == 0 && !*begun && world->now(world->context) < limit_ns) {
    error = world->wait(world->context, world->now(world->context) + look_ns);
    if (error == 0)
      error = world->ask(world->context, setting->leader, &report);
    *begun = error == 0 && report.values[POKE_ROUNDS] != rounds;
  }
  return error;
}

/* The entry first: its counts and its time are what is measured. */
static int ask_all(struct director_report reports[], const struct window_world *world,
                   const struct experiment_plan *plan) {
  int error = world->ask(world->context, plan->entry, &reports[plan->entry]);
  for (uint32_t s = 0; s < plan->count && error == 0; s++)
    if (s != plan->entry)
      error = world->ask(world->context, s, &reports[s]);
  return error;
}

/* One part: waits for its end, at a round, and counts the entry's requests in it. */
static int run_part(struct window *window, bool *begun, struct director_report *last,
                    const struct window_world *world, const struct experiment_plan *plan,
                    const struct window_setting *setting, uint64_t until_ns) {
  struct director_report now;
  int error = world->wait(world->context, until_ns);
  if (error == 0)
    error = next_round(begun, world, setting, until_ns + patience_ns);
  if (error == 0)
    error = world->ask(world->context, plan->entry, &now);
  if (error != 0 || !*begun)
    return error;
  window->part_ns[window->parts] = now.values[POKE_AT_NS] - last->values[POKE_AT_NS];
  window->part_requests[window->parts] = now.values[POKE_BEGUN] - last->values[POKE_BEGUN];
  window->parts++;
  *last = now;
  return 0;
}

static int run_parts(struct window *window, bool *begun, const struct judge_reports *reports,
                     const struct window_world *world, const struct experiment_plan *plan,
                     const struct window_setting *setting) {
  struct director_report last = reports->before[plan->entry];
  uint64_t start_ns = world->now(world->context);
  int error = 0;
  for (uint64_t i = 1; i <= WINDOW_PARTS && error == 0 && *begun; i++) {
    uint64_t until_ns = start_ns + plan->window_ns / WINDOW_PARTS * i;
    if (i < WINDOW_PARTS && world->now(world->context) >= until_ns)
      continue; /* a round was longer than the part */
    error = run_part(window, begun, &last, world, plan, setting, until_ns);
  }
  return error;
}

int window_run(struct window *window, const struct window_world *world,
               const struct experiment_plan *plan, const struct window_setting *setting,
               const struct profile *profile) {
  struct judge_reports reports;
  bool begun = true;
  memset(window, 0, sizeof *window);
  memset(&reports, 0, sizeof reports);
  int error = set_all(world, plan, setting, profile);
  uint64_t settled_ns = world->now(world->context) + plan->warmup_ns;
  if (error == 0)
    error = world->wait(world->context, settled_ns);
  if (error == 0)
    error = next_round(&begun, world, setting, settled_ns + plan->window_ns + patience_ns);
  if (error == 0)
    error = ask_all(reports.before, world, plan);
  if (error == 0 && world->look != NULL)
    world->look(world->context);
  if (error == 0)
    error = run_parts(window, &begun, &reports, world, plan, setting);
  if (error == 0)
    error = ask_all(reports.after, world, plan);
  if (error == 0 && world->used != NULL)
    world->used(world->context, &window->use);
  if (error != 0)
    return error;
  judge(window, &reports, plan, setting, profile);
  if (!begun) {
    window->good = false;
    snprintf(window->reason, sizeof window->reason,
             "%s begins no rounds: it is starved, or the batch is too large",
             plan->services[setting->leader].name);
  }
  return 0;
}

bool window_profile(struct profile *profile, const struct window *window,
                    const struct experiment_plan *plan, char message[PLAN_MESSAGE]) {
  memset(profile, 0, sizeof *profile);
  if (window->requests == 0 || window->window_ns == 0)
    return value_complain(message, PLAN_MESSAGE,
                          "%s: no request reached it in %.3g s; does the load run, and does the "
                          "service count its requests?",
                          plan->services[plan->entry].name, (double)window->window_ns / 1e9);
  profile->throughput = (double)window->requests / ((double)window->window_ns / 1e9);
  if (window->ended[plan->entry] != 0) {
    profile->users = (double)window->busy_ns[plan->entry] / (double)window->window_ns;
    profile->users_most = (double)window->at_once[plan->entry];
  }
  for (uint32_t s = 0; s < plan->count; s++) {
    struct profile_service *service = &profile->services[s];
    const struct plan_service *planned = &plan->services[s];
    service->calls = (double)window->begun[s] / (double)window->requests;
    service->work_ns = (double)planned->work_ns;
    if (planned->work_ns == 0 && window->ended[s] != 0)
      service->work_ns = (double)window->busy_ns[s] / (double)window->ended[s];
    service->workers_measured = planned->workers == 0 && window->ended[s] != 0;
    service->workers = service->workers_measured
                           ? (uint32_t)fmin((double)window->at_once[s], UINT32_MAX)
                           : planned->workers;
    if (window->ended[s] != 0)
      service->in_flight = (double)window->busy_ns[s] / (double)window->window_ns;
    if (service->workers != 0)
      service->busy = service->work_ns * (double)window->begun[s] / service->workers /
                      (double)window->window_ns;
  }
  return true;
}

void window_calls(struct profile *profile, const struct window *first, const struct window *last,
                  const struct experiment_plan *plan) {
  uint32_t entry = plan->entry;
  uint64_t users = last->from[entry] + last->begun[entry] - first->from[entry];
  for (uint32_t s = 0; s < plan->count && users != 0; s++)
    profile->services[s].calls =
        (double)(last->from[s] + last->begun[s] - first->from[s]) / (double)users;
}
