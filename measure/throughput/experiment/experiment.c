/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/throughput/experiment/experiment.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/duration.h"
#include "base/memory.h"
#include "measure/throughput/experiment/estimate.h"
#include "measure/throughput/experiment/journal.h"
#include "measure/throughput/experiment/services.h"
#include "measure/throughput/experiment/sizes.h"
#include "measure/throughput/experiment/slowing.h"

enum { TRIES = 3, CHANGES_PER_BASE = 8, ROUNDS_PER_WINDOW = 16, BATCH_LEAST = 8 };
static const double users_share = 0.25; /* of those in flight, who may wait out a pause */
static const double pause_ns = 30e6; /* of a round, about: long against what a stop costs, and short
                                      * against what connections hold back */

struct course {
  struct experiment *experiment;
  struct services *services;
  struct window_world world;
  uint64_t begun_ns;
  size_t windows; /* measured now, also those that were refused */
  enum status status;
};

static void show(const struct course *course, const char *what, size_t done, size_t of,
                 uint64_t left_ns) {
  const struct experiment_listener *listener = &course->experiment->request->listener;
  if (listener->progress != NULL)
    listener->progress(listener->context, what, done, of, left_ns);
}

static void silence(const struct course *course) {
  const struct experiment_listener *listener = &course->experiment->request->listener;
  if (listener->silence != NULL)
    listener->silence(listener->context);
}

/* --- order ---------------------------------------------------------------------------------------
 */

typedef VECTOR(size_t) order;

/* What gains are compared with, and what predictions are held against, is measured before all else:
 * an experiment may end early. How many come first. */
static size_t put_baseline_first(order *list, const struct experiment *experiment) {
  size_t first = 0;
  for (size_t i = 0; i < list->count; i++) {
    size_t cell = list->data[i];
    bool again = first != 0 && list->data[first - 1] == cell;
    bool compared = cell < FIRST_CHANGE || cell >= experiment->checks;
    if (!compared || experiment->cells.data[cell].good.count != 0 || again)
      continue;
    list->data[i] = list->data[first];
    list->data[first++] = cell;
  }
  return first;
}

/* The cells of one repetition; nothing when all is known. */
static void make_order(order *list, struct experiment *experiment) {
  const struct experiment_plan *plan = experiment->plan;
  list->count = 0;
  for (size_t c = FIRST_CHANGE; c < experiment->cells.count; c++)
    if (!cell_is_done(&experiment->cells.data[c], plan))
      vector_push(list, c);
  size_t changes = list->count;
  bool measured = changes != 0;
  for (size_t c = BASE_CELL; c < FIRST_CHANGE; c++) {
    const struct cell *cell = &experiment->cells.data[c];
    if (!measured && (cell_is_done(cell, plan) || cell->good.count >= plan->most))
      continue;
    for (size_t i = 0; i < 1 + changes / CHANGES_PER_BASE; i++)
      vector_push(list, c);
  }
  size_t first = put_baseline_first(list, experiment);
  for (size_t i = list->count; i > first + 1; i--) {
    size_t other = first + (size_t)random_below(&experiment->random, i - first);
    size_t kept = list->data[i - 1];
    list->data[i - 1] = list->data[other];
    list->data[other] = kept;
  }
}

/* Windows that are missing, at least. */
static size_t missing(const struct experiment *experiment) {
  size_t count = 0;
  for (size_t c = 0; c < experiment->cells.count; c++) {
    const struct cell *cell = &experiment->cells.data[c];
    size_t least = experiment->plan->least;
    bool possible = cell->possible || !experiment->profiled;
    possible = possible && (cell->kind != CELL_CHECK || cell->wanted);
    if (possible && cell->good.count < least && !cell_is_done(cell, experiment->plan))
      count += least - cell->good.count;
    else if (!cell_is_done(cell, experiment->plan))
      count++;
  }
  return count;
}

/* --- one window ----------------------------------------------------------------------------------
 */

/* How many requests of its own a service that is to seem faster may owe pauses for: while the
 * others pause it serves those that wait for it, and has no work when there are no more. Several that
 * are to seem faster have the users among them. */
static double users_allow(const struct experiment *experiment, const struct cell *cell) {
  const struct profile *profile = &experiment->profile;
  const struct change_pauses *pauses = &cell->pauses;
  double work_ns = change_time_ns(&profile->services[pauses->leader],
                                  &experiment->plan->services[pauses->leader]);
  double share = work_ns > 0 ? (double)pauses->saved_ns / work_ns : 0;
  double users = profile->users / fmax(cell->change.count, 1);
  return users > 0 && share > 0 ? users_share * users / share : INFINITY;
}

/* Requests of the leader in one round: as the plan says at most, fewer when they would owe a long
 * pause, or when a window would have few rounds. */
static uint64_t batch_of(const struct experiment *experiment, const struct cell *cell,
                         uint32_t service) {
  const struct experiment_plan *plan = experiment->plan;
  const struct change_pauses *pauses = &cell->pauses;
  const struct profile_service *known = &experiment->profile.services[service];
  double most = (double)plan->batch;
  uint32_t workers = change_workers(known, &plan->services[service]);
  double each_ns = (double)pauses->saved_ns / (workers != 0 ? workers : 1);
  if (each_ns > 0)
    most = fmin(most, fmax(pause_ns / each_ns, BATCH_LEAST));
  double rate = experiment->profile.throughput * known->calls;
  most = fmin(most, rate * (double)plan->window_ns / 1e9 / ROUNDS_PER_WINDOW);
  return (uint64_t)fmax(fmin(most, users_allow(experiment, cell)), 1);
}

static uint64_t batch_of_cell(struct cell *cell, const struct experiment *experiment,
                              uint32_t service) {
  uint64_t batch = batch_of(experiment, cell, service);
  if (cell->kind == CELL_CHECK)
    batch = batch >= SIZES_FACTOR     ? batch / SIZES_FACTOR
            : batch > 1 && cell->held ? 1
                                      : batch * SIZES_FACTOR;
  if (cell->second)
    batch = sizes_second(experiment, cell, batch);
  cell->batch = batch;
  cell->few = (double)(batch + 1) > users_allow(experiment, cell);
  return batch;
}

static struct window_setting setting_of(const struct course *course, struct cell *cell) {
  const struct experiment *experiment = course->experiment;
  const struct change_pauses *pauses = &cell->pauses;
  struct window_setting setting = {.epoch = services_next_epoch(course->services),
                                   .leader = pauses->leader,
                                   .saved_ps = pauses->saved_ps};
  memcpy(setting.pause_ns, pauses->pause_ns, sizeof setting.pause_ns);
  memcpy(setting.own_ps, pauses->own_ps, sizeof setting.own_ps);
  for (uint32_t s = 0; s < experiment->plan->count && cell->kind != CELL_BASE; s++)
    if (experiment->profile.services[s].held && pauses->pause_ns[s] != 0)
      setting.holding[s] = HOLDING_ON;
  for (uint32_t s = 0; s < experiment->plan->count && cell->kind != CELL_BASE; s++)
    if (s == pauses->leader || experiment->request->uncoordinated)
      setting.batch[s] = batch_of_cell(cell, experiment, s);
  return setting;
}

static void end_by(struct course *course, int error) {
  course->status = error == -EINTR ? STATUS_INTERRUPTED : STATUS_UNAVAILABLE;
  course->experiment->ended_by = error == -EINTR ? "an interrupt" : "a failure";
  if (error == -EINTR)
    return;
  silence(course);
  asker_fail(course->experiment->request->asker, course->status, "%s",
             course->world.trouble(course->world.context));
}

static uint64_t spent_ns(const struct course *course) {
  return course->world.now(course->world.context) - course->begun_ns;
}

static uint64_t each_ns(const struct course *course) {
  const struct experiment_plan *plan = course->experiment->plan;
  return course->windows != 0 ? spent_ns(course) / course->windows
                              : plan->warmup_ns + plan->window_ns;
}

static void tell(struct course *course, const struct cell *cell) {
  const struct experiment *experiment = course->experiment;
  size_t left = missing(experiment);
  uint64_t spent = spent_ns(course), left_ns = left * each_ns(course);
  uint64_t budget = experiment->budget_ns > spent ? experiment->budget_ns - spent : 0;
  show(course, cell->change.label, course->windows, course->windows + left,
       left_ns < budget ? left_ns : budget);
}

/* False when the experiment is over. */
static bool take_window(struct course *course, struct cell *cell) {
  struct experiment *experiment = course->experiment;
  struct window window;
  for (int try = 0; try < TRIES; try++) {
    if (spent_ns(course) + each_ns(course) > experiment->budget_ns) {
      experiment->ended_by = "the budget of time";
      return false;
    }
    tell(course, cell);
    struct window_setting setting = setting_of(course, cell);
    int error =
        window_run(&window, &course->world, experiment->plan, &setting, &experiment->profile);
    if (error != 0)
      return end_by(course, error), false;
    course->windows++;
    if (!journal_window(experiment, cell, &window))
      return course->status = STATUS_INTERNAL, false;
    if (experiment->request->measured != NULL)
      experiment->request->measured(experiment, cell, &window);
    window_calls(&experiment->profile, &experiment->first, &window, experiment->plan);
    if (window.good) {
      vector_push(&cell->good, window);
      if (cell->kind == CELL_BASE)
        experiment_learn(experiment, &window);
      if (cell->kind == CELL_BASE && !journal_profile(experiment))
        return course->status = STATUS_INTERNAL, false;
      return true;
    }
    cell->refused++;
    experiment->refused++;
    memcpy(cell->last_reason, window.reason, sizeof cell->last_reason);
  }
  return true;
}

/* --- the course of all ---------------------------------------------------------------------------
 */

/* With one user, in a window that is shorter; what is not measured well is not known. */
static bool take_alone(struct course *course) {
  struct experiment *experiment = course->experiment;
  struct experiment_plan shorter = *experiment->plan;
  struct window_setting setting = {.leader = shorter.entry,
                                   .epoch = services_next_epoch(course->services)};
  char message[PLAN_MESSAGE];
  shorter.warmup_ns = shorter.warmup_ns / 5 * 3;
  shorter.window_ns = shorter.window_ns / 3 * 2;
  show(course, "one user", 0, missing(experiment), experiment->budget_ns);
  int error = window_run(&experiment->alone, &course->world, &shorter, &setting, NULL);
  if (error != 0)
    return end_by(course, error), false;
  if (!experiment->alone.good)
    experiment->alone = (struct window){0};
  enum services_end end = services_load(course->services, shorter.users, message);
  if (end == SERVICES_GOOD)
    return true;
  silence(course);
  course->status = services_status(end);
  experiment->ended_by = end == SERVICES_INTERRUPTED ? "an interrupt" : "a failure";
  if (end != SERVICES_INTERRUPTED)
    asker_fail(experiment->request->asker, course->status, "%s", message);
  return false;
}

/* What the services are like, in a window twice as long: everything rests on it. */
static bool take_profile(struct course *course) {
  struct experiment *experiment = course->experiment;
  struct experiment_plan longer = *experiment->plan;
  struct window_setting setting = {.leader = longer.entry};
  struct talks talks = {0};
  longer.warmup_ns *= 2;
  longer.window_ns *= 2;
  slowing_learn(&setting, &longer);
  show(course, "what the services are like", 0, missing(experiment), experiment->budget_ns);
  for (int try = 0; try < TRIES && !experiment->first.good; try++) {
    setting.epoch = services_next_epoch(course->services);
    services_talks(&talks, course->services);
    int error = window_run(&experiment->first, &course->world, &longer, &setting, NULL);
    if (error != 0)
      return end_by(course, error), false;
    services_talks(&talks, course->services);
  }
  char message[PLAN_MESSAGE];
  if (experiment->profiled) /* by the journal: what the windows there rest on */
    return true;
  if (!experiment->first.good ||
      !window_profile(&experiment->profile, &experiment->first, experiment->plan, message)) {
    silence(course);
    course->status =
        asker_fail(experiment->request->asker, STATUS_UNAVAILABLE, "%s: %s", experiment->plan->path,
                   experiment->first.good ? message : experiment->first.reason);
    return false;
  }
  for (uint32_t s = 0; s < longer.count; s++)
    talks_spoken(&talks, s, experiment->first.flags[s]);
  experiment->profile.talks = talks;
  experiment_learn(experiment, &experiment->first);
  uint64_t epoch = services_next_epoch(course->services);
  for (uint32_t i = 0; i < SLOWING_EPOCHS * longer.count; i++)
    services_next_epoch(course->services);
  int error = slowing_choose(&experiment->profile, &course->world, experiment->plan, epoch);
  if (error != 0)
    return end_by(course, error), false;
  experiment_profiled(experiment);
  if (journal_profile(experiment))
    return true;
  course->status = STATUS_INTERNAL;
  return false;
}

/* Whether one user is measured before all: where the load can be told, and a journal has not said it. */
static bool alone_first(const struct experiment *experiment) {
  return experiment->plan->users > 1 && !experiment->profiled;
}

/* A check may have said that rounds are too large: then those of a third size come first, and no more of
 * the first. */
static bool wants_smaller(struct experiment *experiment, const struct cell *measured) {
  bool wants = false;
  if (measured->kind != CELL_CHECK || measured->second)
    return false;
  estimate_all(experiment);
  for (size_t c = experiment->checks; c < experiment->cells.count; c++) {
    const struct cell *cell = &experiment->cells.data[c];
    wants =
        wants || (cell->second && cell->good.count == 0 && !cell_is_done(cell, experiment->plan));
  }
  return wants;
}

static void measure(struct course *course) {
  struct experiment *experiment = course->experiment;
  order list = {0};
  bool going = !alone_first(experiment) || take_alone(course);
  going = going && take_profile(course);
  while (going) {
    make_order(&list, experiment);
    if (list.count == 0)
      break;
    for (size_t i = 0; i < list.count && going; i++) {
      struct cell *cell = &experiment->cells.data[list.data[i]];
      going = take_window(course, cell);
      if (going && wants_smaller(experiment, cell))
        break;
    }
    estimate_all(experiment);
  }
  vector_clear(&list);
}

enum status experiment_run(struct experiment *experiment) {
  const struct experiment_request *request = experiment->request;
  char program[4096], message[PLAN_MESSAGE] = "";
  struct course course = {.experiment = experiment};
  estimate_all(experiment);
  if (experiment->profiled && missing(experiment) == 0)
    return STATUS_OK;
  if (!services_program(program))
    return asker_fail(request->asker, STATUS_INTERNAL, "/proc/self/exe cannot be read: %s",
                      strerror(errno));
  struct services_options options = {.program = program,
                                     .uncoordinated = request->uncoordinated,
                                     .interrupted = request->interrupted,
                                     .users = alone_first(experiment) ? 1 : 0};
  enum services_end end = services_start(&course.services, experiment->plan, &options, message);
  if (end != SERVICES_GOOD) {
    if (end != SERVICES_INTERRUPTED)
      asker_fail(request->asker, services_status(end), "%s", message);
    experiment->ended_by = end == SERVICES_INTERRUPTED ? "an interrupt" : "a failure";
    return services_status(end);
  }
  course.world = services_world(course.services);
  course.begun_ns = course.world.now(course.world.context);
  measure(&course);
  silence(&course);
  services_stop(course.services);
  estimate_all(experiment);
  return *request->interrupted ? STATUS_INTERRUPTED : course.status;
}

static enum status read_budget(struct experiment *experiment) {
  const struct experiment_request *request = experiment->request;
  struct rational value;
  int64_t whole = 0;
  if (request->budget == NULL)
    return STATUS_OK;
  rational_init(&value);
  bool good =
      duration_parse(&value, request->budget) && rational_floor(&whole, &value) && whole > 0;
  rational_clear(&value);
  experiment->budget_ns = (uint64_t)whole;
  return good ? STATUS_OK
              : asker_fail(request->asker, STATUS_USAGE,
                           "unusable budget \"%s\"; give a time: 90s or 1500ms", request->budget);
}

enum status experiment_ask(struct experiment *experiment,
                           const struct experiment_request *request) {
  char message[PLAN_MESSAGE];
  *experiment = (struct experiment){.request = request};
  struct experiment_plan *plan = mem_alloc(1, sizeof *plan);
  int error = plan_read(plan, request->path, message);
  if (error != 0) {
    mem_free(plan);
    return asker_fail(request->asker, error == EBADMSG ? STATUS_DATA : STATUS_NO_INPUT, "%s",
                      message);
  }
  experiment->plan = plan;
  enum status status = experiment_init(experiment, request);
  if (status == STATUS_OK)
    status = read_budget(experiment);
  if (status == STATUS_OK)
    status = journal_open(experiment);
  return status == STATUS_OK ? experiment_run(experiment) : status;
}
