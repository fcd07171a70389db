/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/throughput/whatif.h"

#include "measure/throughput/core/predict.h"

int at_once_of(const struct sim_setting *setting, int service) {
  const struct sim_service *s = &setting->services[service];
  if (s->locked_ns > 0 && s->locked_ns >= s->work_ns)
    return 1;
  int processors = setting->processors[s->machine];
  return s->workers < processors ? s->workers : processors;
}

double saved_at(const struct sim_setting *setting, const double calls[], int service,
                const struct change *change) {
  double now = at_once_of(setting, service), work = setting->services[service].work_ns;
  double then = change->workers[service] > 0 ? change->workers[service] : now;
  return calls[service] * (work / now - (work - change->saved_ns[service]) / then);
}

static void apply(struct sim_setting *setting, const struct change *change) {
  for (int s = 0; s < setting->graph->services; s++) {
    struct sim_service *service = &setting->services[s];
    double whole = service->work_ns;
    service->work_ns -= change->saved_ns[s];
    if (whole > 0)
      service->locked_ns *= service->work_ns / whole;
    if (change->workers[s] > 0)
      service->workers = setting->processors[service->machine] = change->workers[s];
  }
}

static double throughput(const struct sim_result *result) {
  return 1e9 * (double)result->requests / (double)result->window_ns;
}

double truth(const struct sim_setting *setting, const struct change *change) {
  struct sim_setting changed = *setting;
  struct sim_result result;
  apply(&changed, change);
  simulate(&changed, &result);
  return throughput(&result);
}

void pause_for(struct sim_setting *setting, const double calls[], const struct change *change,
               uint64_t batch) {
  double all = 0;
  int machine = -1;
  setting->leader = -1;
  for (int s = 0; s < setting->graph->services && change->machine_runs; s++)
    if (change->saved_ns[s] > 0)
      machine = setting->services[s].machine;
  for (int s = 0; s < setting->graph->services; s++)
    all += saved_at(setting, calls, s, change);
  for (int s = 0; s < setting->graph->services; s++) {
    struct sim_service *service = &setting->services[s];
    double others = all - saved_at(setting, calls, s, change);
    if (service->machine == machine)
      others = 0;
    service->pause_ns = calls[s] > 0 && others > 0.5 ? (uint64_t)(others / calls[s] + 0.5) : 0;
    bool changed = change->saved_ns[s] > 0 || change->workers[s] > 0;
    if (changed && setting->leader < 0)
      setting->leader = s;
    service->batch = s == setting->leader || setting->alone ? batch : 0;
  }
}

/* Who limits the run: of those that were at work or paused nearly all the time, the one that has
 * served the fewest user requests; -1 when there is none. */
static int busiest(const struct sim_setting *setting, const double calls[],
                   const struct sim_result *run) {
  int least = -1;
  for (int s = 0; s < setting->graph->services; s++) {
    double busy_ns = (double)run->busy_ns[s] / at_once_of(setting, s) + (double)run->realised_ns[s];
    if (busy_ns > 0.98 * (double)run->window_ns &&
        (least < 0 || (double)run->begun[s] / calls[s] < (double)run->begun[least] / calls[least]))
      least = s;
  }
  return least;
}

static double predict_from(uint64_t window_ns, double requests, double saved_ns) {
  struct predict_run run = {.window_ns = window_ns,
                            .requests = (uint64_t)(requests + 0.5),
                            .saved_ps = (uint64_t)(saved_ns * 1000 + 0.5)};
  uint64_t low, high;
  if (!predict_window(&run, &low, &high))
    return 0;
  return 2e9 * (double)run.requests / ((double)low + (double)high);
}

void predict(const struct sim_setting *setting, const double calls[], const struct change *change,
             uint64_t batch, struct prediction *prediction) {
  struct sim_setting paused = *setting;
  struct sim_result *run = &prediction->run;
  double saved_ns = 0;
  pause_for(&paused, calls, change, batch);
  for (int s = 0; s < setting->graph->services; s++)
    saved_ns += saved_at(setting, calls, s, change);
  simulate(&paused, run);
  prediction->by_entry = predict_from(run->window_ns, (double)run->requests, saved_ns);
  prediction->throughput = prediction->by_entry;
  int limit = prediction->limit = busiest(setting, calls, run);
  if (limit >= 0 && run->realised_ns[limit] < run->window_ns)
    prediction->throughput = predict_from(run->window_ns - run->realised_ns[limit],
                                          (double)run->begun[limit] / calls[limit],
                                          saved_at(setting, calls, limit, change));
}

void measure_calls(const struct sim_setting *setting, double calls[]) {
  struct sim_result result;
  simulate(setting, &result);
  for (int s = 0; s < setting->graph->services; s++)
    calls[s] = (double)result.begun[s] / (double)result.requests;
}
