/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/throughput/experiment/knee.h"

#include "measure/throughput/experiment/plan.h"
#include "measure/throughput/experiment/talks.h"

#include <math.h>
#include <string.h>

static const double computes_least = 0.8; /* of its work */
static const double waiting_least = 1;    /* calls, on average: somebody waits all the time */
static const double worker_least = 0.7;   /* at work: else nobody is, mostly */

/* Whether the list "redis, web" has the name. */
static bool lists(const char *list, const char *name) {
  size_t length = strlen(name);
  for (const char *at = list; (at = strstr(at, name)) != NULL; at++)
    if ((at == list || at[-1] == ' ') && (at[length] == '\0' || at[length] == ','))
      return true;
  return false;
}

/* Who calls each service; false where one is called by none that is known, or by several. */
static bool find_callers(uint32_t callers[], const struct knee_count counts[],
                         const struct experiment_plan *plan, const struct talks *talks) {
  for (uint32_t s = 0; s < plan->count; s++) {
    uint32_t count = 0;
    callers[s] = plan->count;
    for (uint32_t by = 0; by < plan->count; by++)
      if (by != s && lists(talks->inside[by], plan->services[s].name))
        callers[s] = by, count++;
    bool called = s != plan->entry && counts[s].ended != 0;
    if (counts[s].ended == 0 || (called && count != 1) || (s == plan->entry && count != 0))
      return false;
  }
  return true;
}

/* In flight in the service itself. */
static double own_of(uint32_t service, const uint32_t callers[], const struct knee_count counts[],
                     uint32_t count) {
  double own = counts[service].in_flight;
  for (uint32_t s = 0; s < count; s++)
    if (callers[s] == service)
      own -= counts[s].in_flight;
  return own;
}

bool knee_alone(struct knee_service services[], const struct knee_count counts[], double seconds,
                const struct experiment_plan *plan, const struct talks *talks) {
  uint32_t callers[PLAN_SERVICES];
  memset(services, 0, plan->count * sizeof *services);
  if (!(seconds > 0) || !find_callers(callers, counts, plan, talks))
    return false;
  for (uint32_t s = 0; s < plan->count; s++) {
    double own = own_of(s, callers, counts, plan->count);
    double each_ns = seconds * 1e9 / (double)counts[s].ended;
    double runs = fmax(counts[s].share.all, counts[s].share.wanted);
    services[s].computes_ns = (runs + counts[s].poker) * each_ns;
    services[s].alone_ns = own > 0 ? own * each_ns : 0;
  }
  return true;
}

/* One whole number from at_work to that times what processors may have made of it. */
static uint32_t workers_of(const struct knee_service *known, const struct processor_share *share) {
  double longer = share->all > 0 && share->wanted > share->all ? share->wanted / share->all : 1;
  long least = lround(known->at_work), most = lround(known->at_work * longer);
  bool told = known->waiting >= waiting_least && known->at_work >= worker_least && least == most;
  return told ? (uint32_t)least : 0;
}

void knee_loaded(struct knee_service services[], const struct knee_count counts[], double seconds,
                 const struct experiment_plan *plan, const struct talks *talks) {
  uint32_t callers[PLAN_SERVICES];
  bool known = seconds > 0 && find_callers(callers, counts, plan, talks);
  for (uint32_t s = 0; s < plan->count; s++) {
    struct knee_service *service = &services[s];
    service->at_work = service->waiting = 0;
    service->workers = 0;
    if (!known || !(service->alone_ns > 0))
      continue;
    service->at_work = (double)counts[s].ended / seconds * service->alone_ns / 1e9;
    service->waiting = fmax(own_of(s, callers, counts, plan->count) - service->at_work, 0);
    service->workers = workers_of(service, &counts[s].share);
  }
}

bool knee_computes(const struct knee_service *service) {
  return service->alone_ns > 0 && service->computes_ns >= computes_least * service->alone_ns;
}
