/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/throughput/experiment/speedup.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "measure/throughput/experiment/experiment.h"
#include "measure/throughput/experiment/services.h"
#include "measure/throughput/experiment/stretches.h"

enum { PAUSES_PER_CALL = 4, BLOCKS_MOST = 1000 };
static const uint64_t pause_least_ns = 500000, pause_most_ns = 2000000;
static const uint64_t written_ns = 50000000; /* until rows are in the file */

/* A stretch of time in which requests begin that count. */
struct measured_block {
  uint64_t from_ns, until_ns, settled_ns;
  bool changed;
};

struct course {
  struct speedup *speedup;
  struct services *services;
  struct window_world world;
  uint32_t target;
  VECTOR(struct measured_block) blocks;
};

/* --- blocks ------------------------------------------------------------------------------------
 */

static int set_one(const struct course *course, uint32_t service, uint64_t epoch, bool changed) {
  const struct speedup *speedup = course->speedup;
  struct director_setting setting = {.epoch = epoch};
  if (changed) {
    setting.saved_ppm = speedup->request->saved_ppm;
    setting.per_request_ns = speedup->pause_ns;
    setting.batch = service == course->target ? 1 : 0;
  }
  return course->world.set(course->world.context, service, &setting);
}

/* Who begins rounds comes last: whoever does not know the epoch yet would miss one. */
static int set_all(const struct course *course, bool changed) {
  uint64_t epoch = services_next_epoch(course->services);
  int error = 0;
  for (uint32_t s = 0; s < course->speedup->plan->count && error == 0; s++)
    if (s != course->target)
      error = set_one(course, s, epoch, changed);
  return error == 0 ? set_one(course, course->target, epoch, changed) : error;
}

static int rest(const struct course *course, uint64_t ns) {
  return course->world.wait(course->world.context, course->world.now(course->world.context) + ns);
}

/* Requests that begin until its end have the warm-up of the next block to end in. */
static int run_block(struct course *course, bool changed) {
  const struct experiment_plan *plan = course->speedup->plan;
  struct measured_block block = {.changed = changed};
  int error = set_all(course, changed);
  if (error == 0)
    error = rest(course, plan->warmup_ns);
  block.from_ns = course->world.now(course->world.context);
  if (error == 0)
    error = rest(course, plan->window_ns);
  block.until_ns = course->world.now(course->world.context);
  if (error == 0)
    error = rest(course, plan->warmup_ns);
  block.settled_ns = course->world.now(course->world.context);
  if (error == 0)
    vector_push(&course->blocks, block);
  return error;
}

/* --- requests ----------------------------------------------------------------------------------
 */

static const struct measured_block *block_of(const struct course *course, uint64_t begin_ns) {
  for (size_t i = 0; i < course->blocks.count; i++)
    if (course->blocks.data[i].from_ns <= begin_ns && begin_ns < course->blocks.data[i].until_ns)
      return &course->blocks.data[i];
  return NULL;
}

static void take_row(struct course *course, uint64_t begin_ns, uint64_t took_ns,
                     uint64_t paused_ns) {
  const struct measured_block *block = block_of(course, begin_ns);
  if (block == NULL)
    return;
  uint64_t ns = took_ns > paused_ns ? took_ns - paused_ns : 0;
  vector_push(block->changed ? &course->speedup->changed : &course->speedup->now, ns);
  course->speedup->cut += block->changed && begin_ns + took_ns > block->settled_ns;
}

/* A row of a file of latencies (measure/throughput/poker/latencies.c). */
struct row {
  uint64_t begin_ns, took_ns, paused_ns;
  bool is_request; /* else a pause */
};

/* The next whole row; false at the end. */
static bool next_row(struct row *row, FILE *file) {
  char line[128], what[16];
  while (fgets(line, sizeof line, file) != NULL)
    if (strchr(line, '\n') != NULL &&
        sscanf(line, "%" SCNu64 ",%" SCNu64 ",%" SCNu64 ",%15s", &row->begin_ns, &row->took_ns,
               &row->paused_ns, what) == 4) {
      row->is_request = strcmp(what, "request") == 0;
      return true;
    }
  return false;
}

static FILE *open_rows(const struct course *course, uint32_t service) {
  const char *path = services_latencies(course->services, service);
  FILE *file = fopen(path, "re");
  if (file == NULL)
    asker_fail(course->speedup->request->asker, STATUS_INTERNAL, "%s: %s", path, strerror(errno));
  return file;
}

static enum status read_requests(struct course *course) {
  FILE *file = open_rows(course, course->speedup->plan->entry);
  struct row row;
  if (file == NULL)
    return STATUS_INTERNAL;
  while (next_row(&row, file))
    if (row.is_request)
      take_row(course, row.begin_ns, row.took_ns, row.paused_ns);
  fclose(file);
  return STATUS_OK;
}

/* Requests, or pauses, of a service as far as they are in changed blocks. */
static enum status read_stretches(stretch_list *list, const struct course *course, uint32_t service,
                                  bool requests) {
  FILE *file = open_rows(course, service);
  struct row row;
  if (file == NULL)
    return STATUS_INTERNAL;
  while (next_row(&row, file)) {
    const struct measured_block *block = block_of(course, row.begin_ns);
    if (row.is_request != requests || block == NULL || !block->changed)
      continue;
    uint64_t end_ns = row.begin_ns + row.took_ns;
    vector_push(list, (struct time_stretch){row.begin_ns,
                                            end_ns < block->until_ns ? end_ns : block->until_ns});
  }
  fclose(file);
  stretches_unite(list);
  return STATUS_OK;
}

/* Another service, whose pauses are known; the entry if it is one. plan->count: there is none. */
static uint32_t witness_of(const struct course *course) {
  const struct experiment_plan *plan = course->speedup->plan;
  if (course->target != plan->entry)
    return plan->entry;
  for (uint32_t s = 0; s < plan->count; s++)
    if (s != course->target && plan->services[s].command != NULL && !plan->services[s].count_pipe)
      return s;
  return plan->count;
}

/* What really happened: on a busy machine pauses come when the work is over. */
static enum status find_stood(struct course *course) {
  struct speedup *speedup = course->speedup;
  const struct experiment_plan *plan = speedup->plan;
  uint32_t witness = witness_of(course);
  stretch_list work = {0}, pauses = {0};
  speedup->stood = -1;
  if (witness == plan->count || plan->services[course->target].command == NULL)
    return STATUS_OK;
  enum status status = read_stretches(&work, course, course->target, true);
  if (status == STATUS_OK)
    status = read_stretches(&pauses, course, witness, false);
  uint64_t worked_ns = stretches_overlap(&work, &work);
  if (status == STATUS_OK && worked_ns != 0)
    speedup->stood = (double)stretches_overlap(&work, &pauses) / (double)worked_ns;
  vector_clear(&work);
  vector_clear(&pauses);
  return status;
}

/* --- the course of all -------------------------------------------------------------------------
 */

static enum status ended_by(const struct course *course, int error) {
  if (error == 0)
    return STATUS_OK;
  if (error == -EINTR)
    return STATUS_INTERRUPTED;
  return asker_fail(course->speedup->request->asker, STATUS_UNAVAILABLE, "%s",
                    course->world.trouble(course->world.context));
}

/* What the service works for a call, from all that its poker has seen so far. */
static enum status take_work(struct course *course) {
  struct speedup *speedup = course->speedup;
  struct director_report report;
  int error = course->world.ask(course->world.context, course->target, &report);
  if (error != 0)
    return ended_by(course, error);
  if (report.values[POKE_ENDED] == 0)
    return asker_fail(speedup->request->asker, STATUS_UNAVAILABLE,
                      "%s: no request of %s has ended; let the service count the ends of its "
                      "requests, or put a proxy before it",
                      speedup->plan->path, speedup->request->service);
  speedup->work_ns = report.values[POKE_BUSY_NS] / report.values[POKE_ENDED];
  double saved_ns = (double)speedup->work_ns * speedup->request->saved_ppm / 1e6;
  uint64_t part_ns = (uint64_t)(saved_ns / PAUSES_PER_CALL);
  speedup->pause_ns = part_ns < pause_least_ns  ? pause_least_ns
                      : part_ns > pause_most_ns ? pause_most_ns
                                                : part_ns;
  return STATUS_OK;
}

static enum status take_reports(struct course *course) {
  struct speedup *speedup = course->speedup;
  struct director_report report;
  int error = rest(course, written_ns);
  for (uint32_t s = 0; s < speedup->plan->count && error == 0; s++) {
    error = course->world.ask(course->world.context, s, &report);
    speedup->pauses += report.values[POKE_PAUSES];
    speedup->late += report.values[POKE_LATE_PAUSES];
    speedup->lost += report.values[POKE_LOST];
  }
  return ended_by(course, error);
}

static void show(const struct course *course, uint64_t spent_ns, uint64_t pair_ns) {
  const struct speedup *speedup = course->speedup;
  const struct experiment_listener *listener = speedup->request->listener;
  uint64_t budget_ns = speedup->plan->budget_ns;
  if (listener == NULL || listener->progress == NULL)
    return;
  uint64_t all = budget_ns > pair_ns ? budget_ns / pair_ns : 1;
  listener->progress(listener->context, "as it is, and as if changed", speedup->blocks, all,
                     budget_ns > spent_ns ? budget_ns - spent_ns : 0);
}

static enum status measure(struct course *course) {
  struct speedup *speedup = course->speedup;
  const struct experiment_plan *plan = speedup->plan;
  uint64_t begun_ns = course->world.now(course->world.context);
  uint64_t pair_ns = 2 * (plan->window_ns + 2 * plan->warmup_ns);
  enum status status = STATUS_OK;
  do {
    show(course, course->world.now(course->world.context) - begun_ns, pair_ns);
    status = ended_by(course, run_block(course, false));
    if (status == STATUS_OK && speedup->blocks == 0)
      status = take_work(course);
    if (status == STATUS_OK)
      status = ended_by(course, run_block(course, true));
    speedup->blocks += status == STATUS_OK;
  } while (status == STATUS_OK && speedup->blocks < BLOCKS_MOST &&
           course->world.now(course->world.context) - begun_ns + pair_ns <= plan->budget_ns);
  if (status == STATUS_OK)
    status = ended_by(course, set_all(course, false));
  if (status == STATUS_OK)
    status = take_reports(course);
  if (status == STATUS_OK)
    status = read_requests(course);
  return status == STATUS_OK ? find_stood(course) : status;
}

static enum status run(struct speedup *speedup, uint32_t target) {
  const struct speedup_request *request = speedup->request;
  struct course course = {.speedup = speedup, .target = target};
  char program[4096], message[PLAN_MESSAGE] = "";
  if (!services_program(program))
    return asker_fail(request->asker, STATUS_INTERNAL, "/proc/self/exe cannot be read");
  struct services_options options = {
      .program = program, .latencies = true, .interrupted = request->asker->stop};
  enum services_end end = services_start(&course.services, speedup->plan, &options, message);
  if (end == SERVICES_INTERRUPTED)
    return STATUS_INTERRUPTED;
  if (end != SERVICES_GOOD)
    return asker_fail(request->asker, services_status(end), "%s", message);
  course.world = services_world(course.services);
  enum status status = measure(&course);
  if (request->listener != NULL && request->listener->silence != NULL)
    request->listener->silence(request->listener->context);
  vector_clear(&course.blocks);
  services_stop(course.services);
  return status;
}

/* --- what may be asked -------------------------------------------------------------------------
 */

static enum status check(const struct speedup *speedup, uint32_t target) {
  const struct experiment_plan *plan = speedup->plan;
  const struct asker *asker = speedup->request->asker;
  const struct plan_service *entry = &plan->services[plan->entry];
  if (target == plan->count)
    return asker_fail(asker, STATUS_USAGE,
                      "%s: there is no service %s, which is to be faster; name a service of the "
                      "plan as the traces do",
                      plan->path, speedup->request->service);
  if (plan->services[target].count_pipe || entry->count_pipe)
    return asker_fail(asker, STATUS_USAGE,
                      "%s: service %s is counted by a pipe, which does not say when a request "
                      "ends; count by the library or a proxy",
                      plan->path, entry->count_pipe ? entry->name : plan->services[target].name);
  if (entry->command == NULL)
    return asker_fail(asker, STATUS_USAGE,
                      "%s: the poker of the entry, %s, is to write how long requests take; give "
                      "the service a command, not the address of a poker",
                      plan->path, entry->name);
  if (plan->count < 2)
    return asker_fail(asker, STATUS_USAGE,
                      "%s: there is no service beside %s that could be paused; add the others",
                      plan->path, entry->name);
  return STATUS_OK;
}

enum status speedup_ask(struct speedup *speedup, const struct speedup_request *request) {
  char message[PLAN_MESSAGE];
  *speedup = (struct speedup){.request = request};
  struct experiment_plan *plan = mem_alloc(1, sizeof *plan);
  int error = plan_read(plan, request->path, message);
  if (error != 0) {
    mem_free(plan);
    return asker_fail(request->asker, error == EBADMSG ? STATUS_DATA : STATUS_NO_INPUT, "%s",
                      message);
  }
  speedup->plan = plan;
  uint32_t target = plan_find(plan, request->service);
  enum status status = check(speedup, target);
  return status == STATUS_OK ? run(speedup, target) : status;
}

void speedup_clear(struct speedup *speedup) {
  vector_clear(&speedup->now);
  vector_clear(&speedup->changed);
  if (speedup->plan != NULL)
    plan_clear(speedup->plan);
  mem_free(speedup->plan);
  *speedup = (struct speedup){0};
}
