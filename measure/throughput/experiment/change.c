/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/throughput/experiment/change.h"

#include "measure/throughput/core/predict.h"
#include "measure/throughput/poker/director.h"
#include "measure/yaml/value.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define complain(message, ...) value_complain(message, PLAN_MESSAGE, __VA_ARGS__)

static bool is_known(const struct experiment_plan *plan, const struct profile *profile,
                     uint32_t service, char *message) {
  const struct profile_service *known = &profile->services[service];
  const char *name = plan->services[service].name;
  if (known->calls <= 0)
    return complain(message, "%s: no request reached it; nothing can be said about it", name);
  if (known->work_ns <= 0)
    return complain(message,
                    "%s: how long a call takes was not measured, as only beginnings are counted; "
                    "give `work` in the plan",
                    name);
  if (plan->services[service].resource != NULL && plan->services[service].proxy != NULL &&
      plan->services[service].work_ns == 0)
    return complain(
        message,
        "%s: its time was measured at a proxy, with the waiting of its requests, and is "
        "held against the processors of a resource; give `work` in the plan",
        name);
  if (known->workers == 0)
    return complain(message,
                    "%s: how many workers it has was not measured, as only beginnings are counted; "
                    "give `workers` in the plan",
                    name);
  return true;
}

/* What it can use at one time: its workers, or the processors of its machine. */
static uint32_t at_once(const struct experiment_plan *plan, uint32_t service, uint32_t workers) {
  uint32_t processors = plan->services[service].processors;
  return processors != 0 && processors < workers ? processors : workers;
}

bool change_is_learnt(const struct profile_service *known, const struct plan_service *planned) {
  return known->worked_ns > 0 && known->holders != 0 && planned->work_ns == 0 &&
         planned->workers == 0;
}

double change_time_ns(const struct profile_service *known, const struct plan_service *planned) {
  return change_is_learnt(known, planned) ? known->worked_ns : known->work_ns;
}

uint32_t change_workers(const struct profile_service *known, const struct plan_service *planned) {
  return change_is_learnt(known, planned) ? known->holders : known->workers;
}

/* The time saved for each call, in ns. */
static bool saved_by(double *saved_ns, const struct change_part *part,
                     const struct experiment_plan *plan, const struct profile *profile,
                     char *message) {
  const struct profile_service *known = &profile->services[part->service];
  if (!is_known(plan, profile, part->service, message))
    return false;
  const struct plan_service *planned = &plan->services[part->service];
  uint32_t now = at_once(plan, part->service, change_workers(known, planned));
  uint32_t then = at_once(plan, part->service, part->workers);
  if (part->workers != 0 && then <= now)
    return complain(message, "%s: has %u workers%s already; ask about more than those",
                    plan->services[part->service].name, now,
                    then < part->workers ? " for the processors of its machine" : "");
  double share = part->workers != 0 ? 1 - (double)now / then : part->share_ppm / (double)PLAN_PPM;
  *saved_ns = change_time_ns(known, planned) * share;
  return true;
}

/* Who begins the rounds for a service: itself, if it counts its requests. */
static uint32_t leader_for(const struct experiment_plan *plan, uint32_t service) {
  const struct plan_service *planned = &plan->services[service];
  return planned->calls_stated > 0 ? planned->counted_by : service;
}

bool change_pauses(struct change_pauses *pauses, const struct change *change,
                   const struct experiment_plan *plan, const struct profile *profile,
                   char message[PLAN_MESSAGE]) {
  double part_ns[CHANGE_PARTS], total_ns = 0, most = 0;
  memset(pauses, 0, sizeof *pauses);
  for (uint32_t i = 0; i < change->count; i++) {
    const struct change_part *part = &change->parts[i];
    const struct profile_service *known = &profile->services[part->service];
    double saved_ns = 0;
    if (!saved_by(&saved_ns, part, plan, profile, message))
      return false;
    uint32_t workers = change_workers(known, &plan->services[part->service]);
    part_ns[i] = saved_ns * known->calls / at_once(plan, part->service, workers);
    total_ns += part_ns[i];
    if (part_ns[i] > most) {
      most = part_ns[i];
      pauses->leader = leader_for(plan, part->service);
      pauses->saved_ns = (uint64_t)llround(saved_ns);
    }
  }
  if (total_ns * 1000 > (double)PREDICT_WINDOW_MAX)
    return complain(message, "%s: saves more than can be reckoned with", change->label);
  pauses->saved_ps = (uint64_t)llround(total_ns * 1000);
  for (uint32_t s = 0; s < plan->count; s++) {
    double own_ns = 0;
    for (uint32_t i = 0; i < change->count; i++)
      own_ns += change->parts[i].service == s ? part_ns[i] : 0;
    double owed_ns = total_ns - own_ns;
    pauses->own_ps[s] = (uint64_t)llround(own_ns * 1000);
    double calls = profile->services[s].calls;
    double pause_ns = calls > 0 ? fmax(owed_ns, 0) / calls : 0;
    if (pause_ns > (double)DIRECTOR_PAUSE_MOST)
      return complain(message, "%s: %s is called so rarely that a pause would take %.3g s",
                      change->label, plan->services[s].name, pause_ns / 1e9);
    pauses->pause_ns[s] = (uint64_t)llround(pause_ns);
  }
  return true;
}
