/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE /* SCHED_BATCH */
#include "cli/question/outside/outside.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/number.h"
#include "cli/question/outside/keep.h"
#include "cli/question/outside/watch.h"
#include "measure/outside/bystanders.h"
#include "measure/outside/mapped.h"
#include "measure/outside/rights.h"
#include "measure/record/clock.h"
#include "measure/yaml/load.h"

/* --- events to where they are wanted --- */

struct spread {
  uint64_t start_ns;                /* before it some probes were not in place */
  const struct outside_sink *other; /* or NULL */
  struct outside_keep keep;
};

static bool take(void *context, const struct outside_event *event) {
  struct spread *spread = context;
  if (event->time_ns < spread->start_ns) /* of its request others may not have been seen */
    return true;
  return keep_take(&spread->keep, event) &&
         (spread->other == NULL || spread->other->take(spread->other->context, event));
}

/* --- the probe file --- */

static enum status read_probes(struct outside_answer *answer) {
  const struct outside_request *request = answer->request;
  char message[600], *bytes;
  size_t length;
  int error = shaped_read_file(&bytes, &length, request->probes);
  if (error == 0)
    answer->tree = tree_parse(bytes, length, message, sizeof message);
  free(bytes);
  if (error != 0)
    return asker_fail(request->asker, STATUS_NO_INPUT, "%s: %s; name a probe file with --probes",
                      request->probes, strerror(error));
  if (answer->tree == NULL || !probes_read(&answer->probes, answer->tree, message, sizeof message))
    return asker_fail(request->asker, STATUS_DATA, "%s, %s", request->probes, message);
  return STATUS_OK;
}

static enum status fail(const struct outside_answer *answer, enum status status,
                        struct text *message) {
  if (status != STATUS_OK)
    asker_fail(answer->request->asker, status == STATUS_USAGE ? STATUS_DATA : status, "%s",
               text_get(message));
  text_clear(message);
  return status;
}

/* --- recording --- */

struct outside_recording {
  struct outside_answer *answer;
  struct outside_capture capture;
  struct outside_watch watch;
  struct spread spread;
};

/* Numbers of processes are this machine's, not those of a container. */
static enum status check_numbers(const struct outside_request *request) {
  enum { FIRST = 0xEFFFFFFC }; /* PROC_PID_INIT_INO */
  struct stat about;
  if (stat("/proc/self/ns/pid", &about) != 0 || (uint32_t)about.st_ino == (uint32_t)FIRST)
    return STATUS_OK;
  return asker_fail(request->asker, STATUS_UNAVAILABLE,
                    "this container numbers processes by itself, so that traced ones cannot be "
                    "told apart; start it with --pid host (Kubernetes: hostPID: true), or record "
                    "outside of it");
}

static enum status add_pids(struct outside_recording *recording) {
  const struct outside_request *request = recording->answer->request;
  for (const char *const *pid = request->pids; pid != NULL && *pid != NULL; pid++) {
    uint64_t id;
    if (!number_whole(&id, *pid, INT32_MAX) || id == 0)
      return asker_fail(request->asker, STATUS_USAGE, "--pid %s: give the number of a process",
                        *pid);
    if (!watch_add(&recording->watch, (uint32_t)id))
      return STATUS_NO_INPUT;
    watch_inspect(&recording->watch, (uint32_t)id);
  }
  return STATUS_OK;
}

static bool program_has_ended(struct outside_answer *answer) {
  int how;
  if (!program_ended(&answer->program, &how))
    return false;
  answer->program.process = 0;
  answer->exit = WIFSIGNALED(how) ? 128 + WTERMSIG(how) : WEXITSTATUS(how);
  return true;
}

void outside_wait(struct outside_answer *answer) {
  enum { PAUSE_MS = 20 };
  while (answer->program.process != 0 && !program_has_ended(answer))
    poll(NULL, 0, PAUSE_MS);
}

static bool has_ended(struct outside_recording *recording, unsigned round) {
  enum { ROUNDS = 16 }; /* between two looks at /proc */
  struct outside_answer *answer = recording->answer;
  if (answer->program.process != 0)
    return program_has_ended(answer);
  return recording->watch.list.count != 0 && round % ROUNDS == 0 &&
         watch_all_ended(&recording->watch);
}

/* The recorder has time: it never takes the processor from a thread that runs, which may be a
 * traced one. Where this is not permitted it goes on without. */
static void give_way(void) {
  struct sched_param none = {0};
  sched_setscheduler(0, SCHED_BATCH, &none);
}

static void follow_more(struct outside_recording *recording) {
  uint32_t more[16];
  const struct outside_request *request = recording->answer->request;
  size_t count = request->more == NULL
                     ? 0
                     : request->more(request->more_context, more, sizeof more / sizeof *more);
  for (size_t i = 0; i < count; i++)
    capture_follow(&recording->capture, more[i], false);
}

static void run(struct outside_recording *recording) {
  enum { PAUSE_MS = 8 };
  const struct outside_request *request = recording->answer->request;
  uint64_t end = clock_monotonic() + request->seconds * UINT64_C(1000000000);
  bool on = true;
  give_way();
  for (unsigned round = 1; on; round++) {
    poll(NULL, 0, PAUSE_MS);
    follow_more(recording);
    if (request->turn != NULL && *request->turn) {
      *request->turn = 0;
      keep_turn(&recording->spread.keep);
    }
    on = capture_drain(&recording->capture) && keep_flush(&recording->spread.keep) &&
         !has_ended(recording, round) && !asker_stopped(request->asker) &&
         (request->seconds == 0 || clock_monotonic() < end);
  }
}

/* All probes are in place. Where a program is started that is known by its beginning. */
static enum status say_ready(const struct outside_recording *recording) {
  static const char word[] = "ready\n";
  const struct outside_request *request = recording->answer->request;
  int descriptor = request->ready_fd;
  if (request->argv == NULL)
    asker_say(request->asker, SAYING_FAILURE, "recording: %zu probes are in place",
              recording->answer->probes.list.count);
  if (request->ready_file != NULL)
    descriptor = open(request->ready_file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (request->ready_file == NULL && descriptor < 0)
    return STATUS_OK;
  bool told = descriptor >= 0 && write(descriptor, word, sizeof word - 1) > 0;
  int cause = errno;
  if (descriptor >= 0)
    close(descriptor);
  return told
             ? STATUS_OK
             : asker_fail(request->asker, STATUS_USAGE,
                          "that the probes are in place cannot be told to %s: %s; name a file that "
                          "can be written, or a descriptor that is open",
                          request->ready_file != NULL ? request->ready_file : "--ready-fd",
                          strerror(cause));
}

static enum status begin(struct outside_recording *recording) {
  struct outside_answer *answer = recording->answer;
  struct outside_run run = {.start_ns = recording->capture.start_ns};
  struct clock_facts clock;
  char why[200];
  if (clock_choose(&clock, 1 /* CLOCK_MONOTONIC */, why, sizeof why) == 0)
    run.clock = clock.identity;
  recording->spread.start_ns = run.start_ns;
  keep_begin(&recording->spread.keep, &run);
  for (size_t i = 0; i < recording->watch.list.count; i++)
    keep_name(&recording->spread.keep, recording->watch.list.data[i].id, NULL);
  if (answer->request->argv != NULL)
    keep_name(&recording->spread.keep, (uint32_t)answer->program.process, answer->request->argv);
  enum status ready = say_ready(recording);
  if (ready != STATUS_OK)
    return ready;
  int error = answer->request->argv == NULL ? 0 : program_begin(&answer->program);
  return error == 0 ? STATUS_OK
                    : asker_fail(answer->request->asker, STATUS_UNAVAILABLE,
                                 "%s: cannot be run: %s; name a program that is on the PATH",
                                 answer->request->argv[0], strerror(error));
}

static void tell(void *context, enum capture_fate fate, uint32_t process, uint32_t other) {
  struct outside_recording *recording = context;
  if (fate == FATE_EXEC)
    keep_renamed(&recording->spread.keep, process);
  watch_tell(&recording->watch, fate, process, other);
}

static enum status attach(struct outside_recording *recording) {
  struct text message = {0};
  struct outside_answer *answer = recording->answer;
  bool everyone = answer->request->argv == NULL && *answer->request->pids == NULL;
  enum status status = capture_init(&recording->capture, &answer->plan, &answer->request->interest,
                                    everyone, answer->request->means, &message);
  if (status != STATUS_OK)
    return fail(answer, status, &message);
  recording->capture.sink = (struct outside_sink){take, &recording->spread, NULL};
  recording->capture.news = (struct capture_news){tell, recording};
  if (recording->capture.means == CAPTURE_BPF)
    cost_measure(answer->cost_ns);
  status = add_pids(recording);
  if (status == STATUS_OK && answer->request->argv != NULL)
    status = fail(answer, bystanders_check_program(&answer->plan, *answer->request->argv, &message),
                  &message);
  if (status == STATUS_OK && answer->request->argv != NULL) {
    if (!program_prepare(&answer->program, answer->request->argv, answer->request->quiet))
      return asker_fail(answer->request->asker, STATUS_INTERNAL, "no process can be started: %s",
                        strerror(errno));
    capture_follow_named(&recording->capture, (uint32_t)answer->program.process, false);
  }
  if (status == STATUS_OK)
    status = fail(answer, capture_attach(&recording->capture, &message), &message);
  if (status == STATUS_OK && recording->capture.means != answer->request->means &&
      recording->capture.means == CAPTURE_PERF)
    asker_say(answer->request->asker, SAYING_FAILURE,
              "BPF is not permitted here: the probes are attached by perf_event_open alone, as "
              "with --with perf");
  return status;
}

/* By perf_event_open those events are seen that programs of others let pass. */
static void say_filtered(const struct outside_recording *recording) {
  unsigned programs = 0;
  const char *probe = recording->capture.means == CAPTURE_PERF
                          ? perf_capture_filtered(&recording->capture.perf, &programs)
                          : NULL;
  if (probe != NULL)
    asker_say(
        recording->answer->request->asker, SAYING_FAILURE,
        "warning: others have programs of BPF at the tracepoint of probe %s (%u): events that "
        "one of these holds back are missing here, and not counted as lost; end them "
        "(`bpftool perf` lists them), or record with --with bpf",
        probe, programs);
}

/* What is left to do is to read what the probes leave, and to write files. */
static void give_up_rights(const struct outside_recording *recording) {
  const struct outside_request *request = recording->answer->request;
  const char *written[3];
  size_t count = 0;
  if (request->keep != NULL)
    written[count++] = request->keep;
  if (request->out != NULL)
    written[count++] = request->out;
  written[count] = NULL;
  rights_give_up(written, recording->capture.maps.counts, request->argv != NULL);
}

static enum status record(struct outside_recording *recording) {
  struct outside_answer *answer = recording->answer;
  enum status status = attach(recording);
  if (status == STATUS_OK)
    status = begin(recording);
  if (status == STATUS_OK) {
    say_filtered(recording);
    give_up_rights(recording);
    run(recording);
    capture_finish(&recording->capture, &answer->run, &answer->others);
    answer->followed = recording->watch.followed;
    answer->recorded = true;
    keep_end(&recording->spread.keep, &answer->run);
  } else {
    program_abandon(&answer->program);
  }
  return status;
}

static enum status record_live(struct outside_answer *answer) {
  const struct outside_request *request = answer->request;
  struct outside_recording recording = {.answer = answer,
                                        .spread = {.other = request->sink,
                                                   .keep = {.asker = request->asker,
                                                            .path = request->keep,
                                                            .probes = &answer->probes,
                                                            .limit = request->keep_limit,
                                                            .files = request->keep_files}}};
  recording.watch = (struct outside_watch){
      .asker = answer->request->asker, .plan = &answer->plan, .capture = &recording.capture};
  if (request->ready_fd >= 0) /* is this process's to close, not also the program's */
    (void)fcntl(request->ready_fd, F_SETFD, FD_CLOEXEC);
  enum status status = check_numbers(answer->request);
  if (status != STATUS_OK)
    return status;
  status = keep_open(&recording.spread.keep);
  if (status != STATUS_OK)
    return status;
  recording.capture.maps = (struct program_maps){-1, -1, -1, -1};
  status = record(&recording);
  enum status kept = keep_close(&recording.spread.keep, status == STATUS_OK);
  capture_clear(&recording.capture);
  watch_clear(&recording.watch);
  return status_worst(status, kept);
}

/* --- the question --- */

/* Whether perf_event_open can read what is asked for, where the user wants that. */
static enum status check_readable(struct outside_answer *answer) {
  struct perf_capture capture;
  struct text message = {0};
  if (answer->request->means != CAPTURE_PERF)
    return STATUS_OK;
  enum status status =
      perf_capture_init(&capture, &answer->plan, &answer->request->interest, true, &message);
  perf_capture_clear(&capture);
  return fail(answer, status, &message);
}

/* A path means the file that a process has there which is named: the first that sees others. */
static void look_inside(struct outside_site *site, const char *const *pids) {
  char *inside = NULL;
  for (; inside == NULL && *pids != NULL && site->path != NULL; pids++)
    inside = mapped_inside((uint32_t)strtoul(*pids, NULL, 10), site->path);
  if (inside == NULL)
    return;
  mem_free(site->path);
  site->path = inside;
}

/* An IFUNC means what the processes that are named have chosen: all choose alike on one machine. */
static void name_process(struct outside_answer *answer) {
  const char *const *pids = answer->request->pids;
  if (pids == NULL || *pids == NULL)
    return;
  for (size_t i = 0; i < answer->probes.sites.count; i++) {
    answer->probes.sites.data[i].process = (uint32_t)strtoul(*pids, NULL, 10);
    look_inside(&answer->probes.sites.data[i], pids);
  }
}

enum status outside_ask(struct outside_answer *answer, const struct outside_request *request) {
  *answer = (struct outside_answer){
      .request = request, .plan = {.events = -1}, .program = {.gate = -1, .fate = -1}};
  enum status status = read_probes(answer);
  if (status != STATUS_OK)
    return status;
  struct text message = {0};
  name_process(answer);
  status = fail(answer, probe_plan_make(&answer->plan, &answer->probes, &message), &message);
  if (status != STATUS_OK)
    return status;
  return request->only_plan ? check_readable(answer) : record_live(answer);
}

void outside_clear_answer(struct outside_answer *answer) {
  probe_plan_clear(&answer->plan);
  probes_clear(&answer->probes);
  tree_free(answer->tree);
}
