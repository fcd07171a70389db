/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/throughput/experiment/window_judge.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

enum { REQUESTS_LEAST = 50 };
static const double errors_most = 0.01; /* of the answers of a service */
static const double busy_least = 0.98;

__attribute__((format(printf, 2, 3))) static void refuse(struct window *window, const char *format,
                                                         ...) {
  if (!window->good)
    return;
  va_list values;
  va_start(values, format);
  vsnprintf(window->reason, sizeof window->reason, format, values);
  va_end(values);
  window->good = false;
}

static uint64_t grown(const struct judge_reports *reports, uint32_t service,
                      enum poke_report value) {
  uint64_t before = reports->before[service].values[value];
  uint64_t after = reports->after[service].values[value];
  return after > before ? after - before : 0;
}

/* The standard error of the window that so many requests take: by how their number in each part is
 * not the part's share of all, and half a request at each end. */
static uint64_t noise_of(const struct window *window) {
  double requests = (double)window->requests, whole_ns = (double)window->window_ns, square = 0;
  for (uint32_t i = 0; i < window->parts; i++) {
    double share = (double)window->part_ns[i] / whole_ns;
    double odd = (double)window->part_requests[i] - requests * share;
    square += odd * odd;
  }
  double parts = window->parts;
  double error = window->parts < 2 ? 0 : sqrt(square * parts / (parts - 1));
  return (uint64_t)ceil((error + 1) / requests * whole_ns);
}

static double in_flight(const struct director_report *report) {
  uint64_t begun = report->values[POKE_BEGUN], ended = report->values[POKE_ENDED];
  return begun > ended ? (double)(begun - ended) : 0;
}

static void judge_load(struct window *window, const struct experiment_plan *plan) {
  const char *entry = plan->services[plan->entry].name;
  if (window->requests < REQUESTS_LEAST || window->window_ns == 0)
    refuse(window, "only %" PRIu64 " requests at %s; make the window longer or the load heavier",
           window->requests, entry);
  for (uint32_t i = 0; i < window->parts; i++)
    if (window->part_requests[i] == 0)
      refuse(window, "no request for %.0f ms at %s: the load is starved",
             (double)window->part_ns[i] / 1e6, entry);
}

/* Pauses that were had in the window, also the parts of those that its ends cut off. */
static uint64_t paused(const struct judge_reports *reports, uint32_t service) {
  const uint64_t *before = reports->before[service].values, *after = reports->after[service].values;
  uint64_t from = before[POKE_REALISED_NS] + before[POKE_PAUSING_NS];
  uint64_t to = after[POKE_REALISED_NS] + after[POKE_PAUSING_NS];
  return to > from ? to - from : 0;
}

/* The least of what busy services have served; see judge.h. */
static void count_requests(struct window *window, const struct judge_reports *reports,
                           const struct experiment_plan *plan, const struct window_setting *setting,
                           const struct profile *profile) {
  window->limit = PLAN_SERVICES;
  for (uint32_t s = 0; s < plan->count; s++) {
    const struct profile_service *known = &profile->services[s];
    double own_ns = (double)grown(reports, s, POKE_AT_NS);
    double at_most = own_ns * known->workers;
    if (known->calls <= 0 || at_most <= 0 || (double)window->busy_ns[s] < busy_least * at_most)
      continue;
    double served = (double)window->begun[s] / known->calls * (double)window->window_ns / own_ns;
    if (window->limit == PLAN_SERVICES || served < (double)window->requests)
      window->limit = s;
    if (served < (double)window->requests)
      window->requests = (uint64_t)llround(served);
  }
  if (window->limit == PLAN_SERVICES)
    return;
  window->saved_ps = setting->own_ps[window->limit];
  window->paused_ns = paused(reports, window->limit);
  if (window->paused_ns > window->window_ns)
    refuse(window, "%s paused longer than the window was", plan->services[window->limit].name);
}

static void judge_calls(struct window *window, uint32_t service, uint64_t begun,
                        const struct experiment_plan *plan, const struct profile *profile) {
  double usual = profile->services[service].calls;
  double now = (double)window->begun[service] / (double)begun;
  double count = usual * (double)begun, slack = window->limit == PLAN_SERVICES ? 0.01 : 0.1;
  if (count > 0 && fabs(now / usual - 1) > slack + 3 / sqrt(count))
    refuse(window,
           "%s had %.3f calls for each user request instead of %.3f: a queue fills or empties",
           plan->services[service].name, now, usual);
}

/* What was not served is no throughput, and takes another time than what was. */
static void judge_errors(struct window *window, const struct experiment_plan *plan) {
  for (uint32_t s = 0; s < plan->count; s++) {
    double ended = (double)window->ended[s], errors = (double)window->errors[s];
    if (errors > errors_most * ended + 3 * sqrt(errors_most * ended))
      refuse(window,
             "%" PRIu64 " of %" PRIu64 " answers of %s were errors (5xx, 429, cut off or given "
             "up), which are no throughput; see what it says, or give it less load",
             window->errors[s], window->ended[s], plan->services[s].name);
  }
}

static void judge_pauses(struct window *window, const struct judge_reports *reports,
                         uint32_t service, const struct experiment_plan *plan,
                         const struct window_setting *setting) {
  const char *name = plan->services[service].name;
  uint64_t rounds = grown(reports, service, POKE_ROUNDS);
  uint64_t pauses = grown(reports, service, POKE_PAUSES);
  uint64_t late = grown(reports, service, POKE_LATE_PAUSES);
  double wanted = (double)setting->pause_ns[service] * (double)window->begun[service];
  double realised = (double)grown(reports, service, POKE_REALISED_NS);
  if (setting->pause_ns[service] == 0)
    return;
  if (setting->batch[service] == 0 && rounds + 1 + window->rounds / 20 < window->rounds)
    refuse(window, "%s had %" PRIu64 " of %" PRIu64 " rounds: is it everybody's neighbour?", name,
           rounds, window->rounds);
  double each = rounds > 0 ? wanted / (double)rounds : wanted;
  if (fabs(realised - wanted) > 2 * each + 1e6 + 0.05 * wanted)
    refuse(window, "%s paused %.1f ms, and was to pause %.1f ms", name, realised / 1e6,
           wanted / 1e6);
  if (late * 4 > pauses + 4)
    refuse(window, "%" PRIu64 " of %" PRIu64 " pauses of %s were too long: the machine is busy",
           late, pauses, name);
}

/* Whose calls nobody counts has those that the plan states. */
static void state_calls(struct window *window, const struct experiment_plan *plan) {
  for (uint32_t s = 0; s < plan->count; s++) {
    const struct plan_service *planned = &plan->services[s];
    if (planned->calls_stated <= 0)
      continue;
    double by = (double)window->begun[planned->counted_by];
    window->begun[s] = (uint64_t)llround(by * planned->calls_stated);
    window->from[s] =
        (uint64_t)llround((double)window->from[planned->counted_by] * planned->calls_stated);
  }
}

static void take_reports(struct window *window, const struct judge_reports *reports,
                         const struct experiment_plan *plan, const struct window_setting *setting) {
  window->window_ns = grown(reports, plan->entry, POKE_AT_NS);
  window->requests = grown(reports, plan->entry, POKE_BEGUN);
  window->rounds = grown(reports, setting->leader, POKE_ROUNDS);
  window->saved_ps = setting->saved_ps;
  window->paused_ns = 0;
  window->owed_ns = window->realised_ns = window->late = window->pauses = 0;
  for (uint32_t s = 0; s < plan->count; s++) {
    window->from[s] = reports->before[s].values[POKE_BEGUN];
    window->begun[s] = grown(reports, s, POKE_BEGUN);
    window->ended[s] = grown(reports, s, POKE_ENDED);
    window->busy_ns[s] = grown(reports, s, POKE_BUSY_NS);
    window->in_flight[s] = (in_flight(&reports->before[s]) + in_flight(&reports->after[s])) / 2;
    window->at_once[s] = reports->after[s].values[POKE_AT_ONCE];
    window->errors[s] = grown(reports, s, POKE_ERRORS);
    window->flags[s] = reports->after[s].values[POKE_FLAGS];
    window->sees_answers[s] = (reports->after[s].values[POKE_FLAGS] & POKE_SEES_ANSWERS) != 0;
    window->owed_ns += grown(reports, s, POKE_OWED_NS);
    window->realised_ns += grown(reports, s, POKE_REALISED_NS);
    window->late += grown(reports, s, POKE_LATE_PAUSES);
    window->pauses += grown(reports, s, POKE_PAUSES);
  }
  state_calls(window, plan);
}

void judge(struct window *window, const struct judge_reports *reports,
           const struct experiment_plan *plan, const struct window_setting *setting,
           const struct profile *profile) {
  take_reports(window, reports, plan, setting);
  window->good = true;
  window->reason[0] = '\0';
  window->limit = PLAN_SERVICES;
  judge_load(window, plan);
  judge_errors(window, plan);
  window->noise_ns = window->good ? noise_of(window) : window->window_ns;
  uint64_t begun = window->requests;
  if (window->good && profile != NULL)
    count_requests(window, reports, plan, setting, profile);
  for (uint32_t s = 0; s < plan->count && window->good; s++) {
    if (profile != NULL)
      judge_calls(window, s, begun, plan, profile);
    judge_pauses(window, reports, s, plan, setting);
  }
}
