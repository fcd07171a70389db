/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The cells of an experiment (experiment.h): one for each target, level and change that is asked
 * about.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "measure/throughput/experiment/experiment.h"

static enum status complain(const struct experiment *experiment, const char *what,
                            const char *value, const char *remedy) {
  return asker_fail(experiment->request->asker, STATUS_USAGE, "%s \"%s\"; %s", what, value, remedy);
}

static struct cell *add(struct experiment *experiment, enum cell_kind kind, uint32_t target) {
  struct cell cell = {.kind = kind, .target = target};
  vector_push(&experiment->cells, cell);
  return &experiment->cells.data[experiment->cells.count - 1];
}

static void add_levels(struct experiment *experiment, uint32_t target) {
  const struct experiment_plan *plan = experiment->plan;
  for (uint32_t i = 0; i < plan->level_count; i++) {
    struct cell *cell = add(experiment, CELL_CHANGE, target);
    cell->level_ppm = plan->levels_ppm[i];
    cell->change.count = 1;
    cell->change.parts[0] =
        (struct change_part){.service = target, .share_ppm = plan->levels_ppm[i]};
    snprintf(cell->change.label, sizeof cell->change.label, "%s %g %%", plan->services[target].name,
             plan->levels_ppm[i] / 1e4);
  }
}

/* --- changes from the command line ---------------------------------------------------------------
 */

/* The service before '='; *value is what is behind it. */
static bool split(uint32_t *service, char value[32], const struct experiment_plan *plan,
                  const char *text, size_t length) {
  char name[PLAN_NAME];
  const char *equals = memchr(text, '=', length);
  size_t before = equals != NULL ? (size_t)(equals - text) : length;
  if (equals == NULL || before >= sizeof name || length - before > 31)
    return false;
  memcpy(name, text, before);
  name[before] = '\0';
  memcpy(value, equals + 1, length - before - 1);
  value[length - before - 1] = '\0';
  *service = plan_find(plan, name);
  return *service < plan->count;
}

static bool read_whole(uint32_t *value, const char *text) {
  uint64_t read;
  if (!number_whole(&read, text, 100000) || read < 2)
    return false;
  *value = (uint32_t)read;
  return true;
}

/* N replicas of one service take an N-th of its time, as far as its load goes. */
static enum status add_replicas(struct experiment *experiment, const char *text, bool replicas) {
  const struct experiment_plan *plan = experiment->plan;
  uint32_t service, count;
  char value[32];
  if (!split(&service, value, plan, text, strlen(text)) || !read_whole(&count, value))
    return complain(experiment, replicas ? "unusable scale-out" : "unusable workers", text,
                    "write SERVICE=N, a service of the plan and 2 to 100000");
  struct cell *cell = add(experiment, CELL_CHANGE, PLAN_SERVICES);
  cell->change.count = 1;
  cell->change.parts[0].service = service;
  if (replicas)
    cell->change.parts[0].share_ppm = (uint32_t)lround(1e6 * (1 - 1.0 / count));
  else
    cell->change.parts[0].workers = count;
  snprintf(cell->change.label, sizeof cell->change.label, "%s with %u %s",
           plan->services[service].name, count, replicas ? "replicas" : "workers");
  return STATUS_OK;
}

static enum status add_together(struct experiment *experiment, const char *text) {
  const struct experiment_plan *plan = experiment->plan;
  struct change change = {0};
  const char *remedy = "write SERVICE=PERCENT%,..., up to 8 services of the plan, each once";
  for (const char *at = text; *at != '\0';) {
    size_t length = strcspn(at, ",");
    struct change_part part = {0};
    char value[32];
    if (change.count == CHANGE_PARTS || !split(&part.service, value, plan, at, length) ||
        !plan_percentage(&part.share_ppm, value))
      return complain(experiment, "unusable change", text, remedy);
    for (uint32_t i = 0; i < change.count; i++)
      if (change.parts[i].service == part.service)
        return complain(experiment, "unusable change", text, remedy);
    change.parts[change.count++] = part;
    size_t used = strlen(change.label);
    snprintf(change.label + used, sizeof change.label - used, "%s%s %g %%", used != 0 ? ", " : "",
             plan->services[part.service].name, part.share_ppm / 1e4);
    at += length + (at[length] == ',');
  }
  if (change.count == 0)
    return complain(experiment, "unusable change", text, remedy);
  add(experiment, CELL_CHANGE, PLAN_SERVICES)->change = change;
  return STATUS_OK;
}

static void add_checks(struct experiment *experiment, bool second) {
  for (size_t c = FIRST_CHANGE; c < experiment->checks; c++) {
    struct cell *check = add(experiment, CELL_CHECK, PLAN_SERVICES);
    const struct cell *cell = &experiment->cells.data[c];
    check->second = second;
    check->target = cell->target;
    check->level_ppm = cell->level_ppm;
    check->change = cell->change;
    snprintf(check->change.label, sizeof check->change.label, "%.*s, %s rounds",
             (int)sizeof check->change.label - 20, cell->change.label,
             second ? "smallest" : "other");
  }
}

enum status experiment_init(struct experiment *experiment,
                            const struct experiment_request *request) {
  struct experiment_plan *plan = experiment->plan;
  enum status status = STATUS_OK;
  experiment->request = request;
  experiment->budget_ns = plan->budget_ns;
  experiment->random = (struct random){request->seed};
  strcpy(add(experiment, CELL_BASE, PLAN_SERVICES)->change.label, "as it is");
  strcpy(add(experiment, CELL_ROUNDS, PLAN_SERVICES)->change.label, "rounds without pauses");
  for (size_t i = 0; i < request->scale_out_count && status == STATUS_OK; i++)
    status = add_replicas(experiment, request->scale_out[i], true);
  for (size_t i = 0; i < request->workers_count && status == STATUS_OK; i++)
    status = add_replicas(experiment, request->workers[i], false);
  for (size_t i = 0; i < request->together_count && status == STATUS_OK; i++)
    status = add_together(experiment, request->together[i]);
  bool named = experiment->cells.count > FIRST_CHANGE;
  for (uint32_t s = 0; s < plan->count && status == STATUS_OK && !named; s++)
    if (plan->targets >> s & 1)
      add_levels(experiment, s);
  experiment->checks = experiment->cells.count;
  add_checks(experiment, false);
  add_checks(experiment, true);
  return status;
}

struct cell *experiment_check(const struct experiment *experiment, size_t change) {
  return &experiment->cells.data[experiment->checks + change - FIRST_CHANGE];
}

struct cell *experiment_second(const struct experiment *experiment, size_t change) {
  size_t place = 2 * experiment->checks + change - 2 * FIRST_CHANGE;
  return place < experiment->cells.count ? &experiment->cells.data[place] : NULL;
}

void experiment_clear(struct experiment *experiment) {
  for (size_t i = 0; i < experiment->cells.count; i++)
    vector_clear(&experiment->cells.data[i].good);
  vector_clear(&experiment->cells);
  if (experiment->journal != NULL)
    fclose(experiment->journal);
  if (experiment->plan != NULL)
    plan_clear(experiment->plan);
  mem_free(experiment->plan);
}

size_t experiment_measured(const struct experiment *experiment) {
  size_t count = 0;
  for (size_t c = 0; c < experiment->cells.count; c++)
    count += experiment->cells.data[c].good.count;
  return count;
}

/* Whether answers are held of one of those who pause. */
static bool holds_any(const struct experiment *experiment, const struct change_pauses *pauses) {
  for (uint32_t s = 0; s < experiment->plan->count; s++)
    if (experiment->profile.services[s].held && pauses->pause_ns[s] != 0)
      return true;
  return false;
}

void experiment_profiled(struct experiment *experiment) {
  for (size_t i = 0; i < experiment->cells.count; i++) {
    struct cell *cell = &experiment->cells.data[i];
    cell->possible = change_pauses(&cell->pauses, &cell->change, experiment->plan,
                                   &experiment->profile, cell->why_not);
    cell->held = cell->possible && holds_any(experiment, &cell->pauses);
    if (cell->change.count == 0) /* rounds that nobody pauses in */
      cell->pauses.leader = experiment->plan->entry;
  }
  experiment->profiled = true;
}

static void mix(struct processor_share *share, const struct processor_share *next, double part) {
  share->all += part * (next->all - share->all);
  share->wanted += part * (next->wanted - share->wanted);
  share->thread_wanted += part * (next->thread_wanted - share->thread_wanted);
  share->thread += part * (next->thread - share->thread);
  share->throttled += part * (next->throttled - share->throttled);
  if (next->thread >= share->thread || share->name[0] == '\0')
    memcpy(share->name, next->name, sizeof share->name);
}

static void experiment_use(struct experiment *experiment, const struct window *window) {
  struct processor_use *use = &experiment->profile.use;
  const struct processor_use *next = &window->use;
  if (!next->known)
    return;
  double part = 1 / (double)++experiment->uses;
  use->known = true;
  use->count = next->count;
  use->busy += part * (next->busy - use->busy);
  for (uint32_t s = 0; s < experiment->plan->count; s++) {
    mix(&use->services[s], &next->services[s], part);
    mix(&use->pokers[s], &next->pokers[s], part);
  }
  mix(&use->load, &next->load, part);
  mix(&use->outside, &next->outside, part);
}

/* All that was counted without a change, as if it were one window. */
static void add_window(struct window *whole, const struct window *window, uint32_t count) {
  whole->window_ns += window->window_ns;
  whole->requests += window->requests;
  for (uint32_t s = 0; s < count; s++) {
    whole->begun[s] += window->begun[s];
    whole->ended[s] += window->ended[s];
    whole->busy_ns[s] += window->busy_ns[s];
    whole->in_flight[s] += window->in_flight[s]; /* of all, to be divided */
    whole->at_once[s] = window->at_once[s];      /* since the poker started */
  }
}

static double count_window(struct knee_count counts[], const struct window *window,
                           const struct processor_use *use, uint32_t count) {
  for (uint32_t s = 0; s < count; s++)
    counts[s] =
        (struct knee_count){.ended = window->ended[s],
                            .in_flight = (double)window->busy_ns[s] / (double)window->window_ns,
                            .share = use->services[s],
                            .poker = use->pokers[s].all};
  return (double)window->window_ns / 1e9;
}

/* Work and workers, from one user and from all; where the plan does not say either. */
static void find_knee(struct experiment *experiment) {
  const struct experiment_plan *plan = experiment->plan;
  struct profile *profile = &experiment->profile;
  struct knee_count counts[PLAN_SERVICES];
  if (experiment->alone.window_ns == 0)
    return;
  double seconds = count_window(counts, &experiment->alone, &experiment->alone.use, plan->count);
  knee_alone(profile->knee, counts, seconds, plan, &profile->talks);
  seconds = count_window(counts, &experiment->whole, &profile->use, plan->count);
  knee_loaded(profile->knee, counts, seconds, plan, &profile->talks);
  for (uint32_t s = 0; s < plan->count; s++) {
    struct profile_service *known = &profile->services[s];
    const struct plan_service *planned = &plan->services[s];
    if (profile->knee[s].workers == 0 || planned->work_ns != 0 || planned->workers != 0)
      continue;
    known->work_alone = true;
    known->work_ns = profile->knee[s].alone_ns;
    known->workers = profile->knee[s].workers;
    known->workers_measured = false;
    known->busy = fmin(profile->knee[s].at_work / known->workers, 1);
  }
}

void experiment_learn(struct experiment *experiment, const struct window *window) {
  const struct experiment_plan *plan = experiment->plan;
  struct profile learned, *known = &experiment->profile;
  char message[PLAN_MESSAGE];
  experiment_use(experiment, window);
  if (experiment->whole.window_ns == 0 && window != &experiment->first)
    return; /* what a journal's profile is the mean of it does not say */
  add_window(&experiment->whole, window, plan->count);
  experiment->learned++;
  if (!window_profile(&learned, &experiment->whole, plan, message))
    return;
  known->throughput = learned.throughput;
  known->users = learned.users;
  known->users_most = learned.users_most;
  for (uint32_t s = 0; s < plan->count; s++) {
    struct profile_service before = known->services[s], *now = &known->services[s];
    *now = learned.services[s];
    now->held = before.held;
    now->worked_ns = before.worked_ns;
    now->holders = before.holders;
    now->own_ns = before.own_ns;
    now->moments = 2 * experiment->learned;
    now->counted = experiment->whole.in_flight[s] / experiment->learned;
    if (window != &experiment->first) /* window_calls has them, over all windows */
      now->calls = before.calls;
  }
  find_knee(experiment);
  experiment_profiled(experiment);
}

bool cell_is_done(const struct cell *cell, const struct experiment_plan *plan) {
  size_t count = cell->good.count;
  const struct throughput_estimate *known = &cell->estimate;
  if (cell->kind == CELL_CHECK)
    return !cell->wanted || !cell->possible || count >= plan->least ||
           cell->refused >= 3 * plan->least;
  if (!cell->possible || cell->starved || count >= plan->most || cell->refused >= 3 * plan->most)
    return true;
  if (count < plan->least)
    return false;
  return known->measured == 0 || known->chance <= plan->precision_ppm / 1e6;
}
