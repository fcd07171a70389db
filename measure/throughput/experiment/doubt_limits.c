/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Contradictions of a prediction with what processors, threads and quotas can do, and with Little's
 * law at each service.
 */
#include "measure/throughput/experiment/doubt_inside.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const double full_least = 0.9;   /* of the processors: others wait for them */
static const double thread_least = 0.9; /* of a service's processor time: all its work */
static const double thread_worth = 0.2; /* of a processor: less limits nothing that is asked */
/* By so much threads and processors are misjudged: work takes less when busy, as a loop that reads
 * more requests at a time. A prediction that needs more than a thread is doubted earlier than an end
 * is drawn: at a tenth more, and of what is idle now three tenths of that share. */
static const double thread_slack = 0.05, thread_open = 0.1, thread_idle = 0.3;
static const double processors_slack = 0.1;
/* Of what is in flight, and standard errors of a count, by which two ways to see it may differ. */
static const double flight_slack = 0.25, flight_errors = 4;
static const double throttled_least = 0.02; /* of the time: a quota is felt */

/* The first reason is the one that is said. */
void doubt_say(struct doubt_verdict *verdict, const char *format, ...) {
  va_list values;
  va_start(values, format);
  if (verdict->why[0] == '\0')
    vsnprintf(verdict->why, verdict->room, format, values);
  va_end(values);
}

bool doubt_is_changed(const struct change *change, uint32_t service) {
  for (uint32_t i = 0; i < change->count; i++)
    if (change->parts[i].service == service)
      return true;
  return false;
}

/* --- in flight -------------------------------------------------------------------------------- */

/* Rate times time of those that ended is how many are in flight (Little, 1961), unless some never end
 * while others pass them, or more and more are. Then the time is not what a call takes. */
void doubt_flight(struct doubt_verdict *verdict) {
  const struct experiment *experiment = verdict->experiment;
  for (uint32_t s = 0; s < experiment->plan->count; s++) {
    const struct profile_service *known = &experiment->profile.services[s];
    double most = fmax(known->in_flight, known->counted);
    if (known->moments == 0 || !(known->in_flight > 0) ||
        fabs(known->in_flight - known->counted) <=
            flight_slack * most + flight_errors * sqrt((most + 1) / known->moments))
      continue;
    verdict->large = verdict->small = true;
    doubt_say(
        verdict,
        "%s has %.3g calls in flight by their rate and time, and %.3g as counted: some wait while "
        "others pass them, or a queue grows; give the load fewer users, or a longer `warmup`",
        experiment->plan->services[s].name, known->in_flight, known->counted);
  }
}

/* --- processors ------------------------------------------------------------------------------- */

/* With the change there would be more of everything else, and the machine may be full; where it is
 * full now, it is the processors that limit, of which a faster service leaves some to all others. */
void doubt_processors(struct doubt_verdict *verdict) {
  const struct processor_use *use = &verdict->experiment->profile.use;
  double each = use->known ? law_needed(verdict->experiment, verdict->cell) / verdict->now : 0;
  if (!(each > 0))
    return;
  double ceiling = use->count / each * (1 + processors_slack);
  verdict->ceiling = fmin(verdict->ceiling, ceiling);
  double needed = verdict->cell->estimate.value * each + use->outside.all;
  needed = fmax(needed, use->busy);
  if (needed < full_least * use->count)
    return;
  verdict->crowded = true;
  doubt_say(
      verdict,
      "%.2g of %.0f processors are busy then or now (%.2g outside of the experiment), so what "
      "pauses "
      "and what runs waits for them; give the services more processors",
      fmin(needed, use->count), use->count, use->outside.all);
}

/* --- threads ---------------------------------------------------------------------------------- */

/* Whether it serves requests is known, or else only that it may: then there is no upper end. */
static void doubt_thread(struct doubt_verdict *verdict, const struct processor_share *share,
                         bool serves, const char *what, const char *name) {
  double ceiling = share->thread > 0 ? verdict->now / share->thread : INFINITY;
  double reach = ceiling * (1 + thread_slack);
  if (share->thread < thread_worth)
    return;
  if (serves)
    verdict->ceiling =
        fmin(verdict->ceiling, ceiling * (1 + thread_open + thread_idle * (1 - share->thread)));
  if (verdict->cell->estimate.value <= reach)
    return;
  verdict->large = true;
  doubt_say(
      verdict,
      "it would be %.0f requests/s, but a thread of %s%s (%s) is busy for %.0f %% and can serve "
      "%.0f; put what requests wait for into the plan",
      verdict->cell->estimate.value, what, name, share->name, 100 * share->thread, ceiling);
}

/* Whether a service talks to the process outside of the plan whose thread is the busiest of these. */
static bool serves_plan(const struct doubt_verdict *verdict) {
  const struct profile *profile = &verdict->experiment->profile;
  char named[sizeof profile->use.outside.name + 3];
  snprintf(named, sizeof named, "(%s)", profile->use.outside.name);
  for (uint32_t s = 0; s < verdict->experiment->plan->count; s++)
    if (strstr(profile->talks.outside[s], named) != NULL)
      return true;
  return false;
}

void doubt_threads(struct doubt_verdict *verdict) {
  const struct experiment_plan *plan = verdict->experiment->plan;
  const struct processor_use *use = &verdict->experiment->profile.use;
  if (!use->known)
    return;
  for (uint32_t s = 0; s < plan->count; s++) {
    const struct processor_share *share = &use->services[s];
    if (!doubt_is_changed(&verdict->cell->change, s) && share->thread >= thread_least * share->all)
      doubt_thread(verdict, share, true, "service ", plan->services[s].name);
    doubt_thread(verdict, &use->pokers[s], true, "the poker of ", plan->services[s].name);
  }
  doubt_thread(verdict, &use->load, true, "the load", "");
  doubt_thread(verdict, &use->outside, serves_plan(verdict), "what is outside of the plan", "");
}

/* --- quotas ----------------------------------------------------------------------------------- */

/* Who uses up its quota waits for the next period; while it is paused it uses none, so that after a
 * pause there is more of it than there would be. */
void doubt_quotas(struct doubt_verdict *verdict) {
  const struct experiment_plan *plan = verdict->experiment->plan;
  const struct processor_use *use = &verdict->experiment->profile.use;
  for (uint32_t s = 0; s < plan->count; s++) {
    const struct processor_share *share = &use->services[s];
    if (!use->known || share->throttled < throttled_least)
      continue;
    verdict->large = verdict->small = true;
    doubt_say(
        verdict,
        "%s is stopped by the processor quota of its cgroup for %.0f %% of the time, and gets "
        "it back in pauses; give it a larger quota (cpu.max), or none",
        plan->services[s].name, 100 * share->throttled);
  }
}
