/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE /* memfd_create */
#include "cli/question/profile/profile.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/beside.h"
#include "base/number.h"
#include "cli/question/profile/spare.h"
#include "measure/outside/rights.h"
#include "measure/profile/adaptive.h"
#include "measure/profile/sampler.h"

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

static enum status fail(const struct profile_answer *a, enum status status, const char *message) {
  return asker_fail(a->request->asker, status, "%s", message);
}

/* --- what is sampled, and where to --- */

static enum status check_request(const struct profile_request *r) {
  int targets = (r->argv != NULL) + (r->process != NULL) + (r->cgroup != NULL) + r->all;
  if (targets != 1)
    return asker_fail(r->asker, STATUS_USAGE,
                      "%s: tailproof profile -- CMD, --pid PID, --cgroup NAME or --all",
                      targets == 0 ? "name a program, a process, a cgroup or the machine"
                                   : "sample one thing at a time");
  if (r->counters.processors && (r->cgroup != NULL || r->all))
    return asker_fail(r->asker, STATUS_USAGE,
                      "--short-threads is of a program or a process; a cgroup and the machine are "
                      "sampled by the clocks of processors anyway; leave it out");
  if (r->off_cpu && (r->adaptive || r->counters.processors || r->keep != NULL ||
                     r->counters.event != COUNTER_SWITCHES || r->rated))
    return asker_fail(r->asker, STATUS_USAGE,
                      "--off-cpu keeps waits and takes no samples: leave out --rate, --event, "
                      "--adaptive, --keep and --short-threads");
  if (!r->off_cpu && r->least != NULL)
    return asker_fail(r->asker, STATUS_USAGE, "--off-cpu-min is of waits; give --off-cpu, too");
  if (r->counters.rate > 100000)
    return asker_fail(r->asker, STATUS_USAGE,
                      "--rate %u: the kernel takes at most 100000 samples a "
                      "second; give a lower one",
                      r->counters.rate);
  if (r->counters.stack_bytes % 8 != 0 || r->counters.stack_bytes >= 65528)
    return asker_fail(r->asker, STATUS_USAGE, "--stack %u: give a multiple of 8 below 65528, or 0",
                      r->counters.stack_bytes);
  return STATUS_OK;
}

static enum status open_cgroup(const struct profile_request *r, int *folder) {
  struct text path;
  text_init(&path);
  text_append(&path, r->cgroup[0] == '/' ? r->cgroup : "/sys/fs/cgroup/");
  if (r->cgroup[0] != '/')
    text_append(&path, r->cgroup);
  *folder = open(text_get(&path), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  enum status status = STATUS_OK;
  if (*folder < 0)
    status = asker_fail(r->asker, STATUS_NO_INPUT,
                        "--cgroup: %s: %s; name one below /sys/fs/cgroup, as /proc/PID/cgroup does",
                        text_get(&path), strerror(errno));
  text_clear(&path);
  return status;
}

static enum status fail_out(const struct profile_request *r, int cause) {
  return asker_fail(r->asker, STATUS_INTERNAL, "%s: cannot be written: %s",
                    r->out == NULL ? "the profile" : r->out, strerror(cause));
}

/* A file without a name where none is to be kept. */
static enum status open_out(const struct profile_request *r, struct beside *out) {
  int cause = 0;
  if (r->out != NULL)
    cause = beside_open(out, r->out);
  else if ((out->descriptor = memfd_create("profile", MFD_CLOEXEC)) < 0)
    cause = errno;
  return cause == 0 ? STATUS_OK : fail_out(r, cause);
}

/* An older file is replaced by what is whole, and by nothing else. */
static enum status close_out(struct profile_answer *a, struct beside *out) {
  int cause = 0;
  if (a->status == STATUS_OK)
    cause = beside_keep(out);
  else
    beside_drop(out);
  if (out->descriptor >= 0)
    close(out->descriptor);
  return cause == 0 ? a->status : fail_out(a->request, cause);
}

static enum status set_process(struct profile_answer *a, struct sampler_options *options) {
  const struct profile_request *r = a->request;
  if (r->argv != NULL) {
    options->process = (uint32_t)a->program.process;
    options->on_exec = true;
  } else if (r->process != NULL) {
    uint64_t id;
    if (!number_whole(&id, r->process, INT32_MAX) || id == 0)
      return asker_fail(r->asker, STATUS_USAGE, "--pid %s: give the number of a process",
                        r->process);
    options->process = (uint32_t)id;
  }
  a->process = options->process;
  return STATUS_OK;
}

static enum status set_options(struct profile_answer *a, struct sampler_options *options) {
  const struct profile_request *r = a->request;
  *options = (struct sampler_options){.counters = r->counters,
                                      .scope = r->all              ? COUNTER_ALL
                                               : r->cgroup != NULL ? COUNTER_CGROUP
                                                                   : COUNTER_THREADS,
                                      .cgroup = -1,
                                      .adaptive = r->adaptive,
                                      .least_wait = a->least_ns};
  enum status status = set_process(a, options);
  return status == STATUS_OK && r->cgroup != NULL ? open_cgroup(r, &options->cgroup) : status;
}

/* --- sampling --- */

static bool has_ended(struct profile_answer *a) {
  char path[64];
  int how;
  if (a->program.process != 0) {
    a->ended = program_ended(&a->program, &how);
    if (a->ended)
      a->exit = WIFSIGNALED(how) ? 128 + WTERMSIG(how) : WEXITSTATUS(how);
    return a->ended;
  }
  snprintf(path, sizeof path, "/proc/%u", a->process);
  return a->process != 0 && access(path, F_OK) != 0;
}

static bool write_failed(const struct profile_answer *a, const struct sampler *sampler) {
  if (sampler->writer.error == 0)
    return false;
  asker_fail(a->request->asker, STATUS_INTERNAL,
             "%s: cannot be written: %s; make room and sample "
             "again",
             a->request->out == NULL ? "the profile" : a->request->out,
             strerror(sampler->writer.error));
  return true;
}

/* Ends a window when its time has come. */
static bool adapt(struct profile_answer *a, struct adaptive *adaptive, struct sampler *sampler,
                  int64_t *next) {
  struct text message;
  if (!a->request->adaptive || now() < *next)
    return true;
  text_init(&message);
  *next += (int64_t)a->window_ns;
  enum status status = adaptive_window(adaptive, sampler, a->window_ns, &message);
  if (status != STATUS_OK && message.length != 0)
    asker_say(a->request->asker, SAYING_FAILURE, "%s", text_get(&message));
  text_clear(&message);
  a->changes = adaptive->changes;
  return status == STATUS_OK || status == STATUS_NO_INPUT;
}

/* A program's end interrupts the wait (SIGCHLD); else it is looked for. */
static enum status run(struct profile_answer *a, struct sampler *sampler) {
  int64_t start = now(), end = start + a->request->seconds * INT64_C(1000000000);
  int64_t next = start + (int64_t)a->window_ns;
  struct adaptive adaptive;
  adaptive_init(&adaptive, &a->adapt, a->interrupt.ns);
  bool on = true;
  while (on && !write_failed(a, sampler)) {
    int64_t left = a->request->seconds == 0 ? INT64_MAX : (end - now()) / 1000000;
    int wait = sampler_wait_ms(sampler);
    poll(NULL, 0, left < 0 ? 0 : left < wait ? (int)left : wait);
    on = !has_ended(a) && !asker_stopped(a->request->asker) && left > 0;
    if (on)
      sampler_drain(sampler);
    on = on && adapt(a, &adaptive, sampler, &next);
  }
  a->refused_map = sampler->refused_map;
  a->phases = adaptive.phases;
  adaptive.phases = (struct phases){0};
  adaptive_clear(&adaptive);
  a->seconds = (double)(now() - start) / 1e9;
  sampler_stop(sampler);
  return write_failed(a, sampler) ? STATUS_INTERNAL : STATUS_OK;
}

static enum status begin(struct profile_answer *a, struct sampler *sampler) {
  const struct profile_request *r = a->request;
  sampler_start(sampler);
  int error = r->argv == NULL ? 0 : program_begin(&a->program);
  if (error != 0)
    return asker_fail(r->asker, STATUS_UNAVAILABLE, "%s: cannot be run: %s", r->argv[0],
                      strerror(error));
  rights_keep_sampling((const char *const[]){r->out, NULL}, r->argv != NULL);
  return STATUS_OK;
}

static enum status sample(struct profile_answer *a, const struct sampler_options *options,
                          int descriptor) {
  struct sampler sampler;
  struct text message;
  text_init(&message);
  enum status status = sampler_init(&sampler, options, &message);
  a->counters = sampler.counters.options;
  if (status != STATUS_OK) {
    fail(a, status, text_get(&message));
    close(descriptor);
  } else {
    if (a->request->adaptive)
      a->interrupt = interrupt_cost_measure(&sampler.counters.options);
    sampler_open_file(&sampler, descriptor);
    status = begin(a, &sampler);
    if (status == STATUS_OK)
      status = run(a, &sampler);
  }
  sampler_clear(&sampler);
  text_clear(&message);
  return status;
}

/* --- what was sampled --- */

static enum status load(struct profile_answer *a, int descriptor) {
  struct text message;
  struct stat about;
  text_init(&message);
  enum status status = STATUS_INTERNAL;
  if (fstat(descriptor, &about) == 0 && about.st_size > 0) {
    size_t size = (size_t)about.st_size;
    void *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (bytes != MAP_FAILED) {
      status = stack_read_tpp(&a->profile, &a->recording, (struct slice){bytes, size},
                              a->request->out == NULL ? "the profile" : a->request->out, &message);
      munmap(bytes, size);
    }
  }
  if (message.length != 0)
    fail(a, status, text_get(&message));
  text_clear(&message);
  return status;
}

/* What every report rests on. */
static void note_rests(struct profile_answer *a) {
  if (a->request->off_cpu) {
    ledger_add(&a->ledger, LEDGER_DATA,
               "every wait of the length that is kept is there, so shares are of this run and have "
               "no interval; another run may have other waits");
    ledger_add(&a->ledger, LEDGER_DATA,
               "a wait lasts until the thread has a processor again: the time from being woken to "
               "running is in it");
    return;
  }
  ledger_add(&a->ledger, LEDGER_DATA,
             "a share is of the processor time of this run; what the program does is not in step "
             "with the samples");
  ledger_add(&a->ledger, LEDGER_DIST,
             "all intervals of self and total hold at once with the confidence (Bonferroni); each "
             "takes samples as independent (Clopper and Pearson 1934)");
}

static void judge(struct profile_answer *a) {
  profile_spare(a);
  stack_hot_find(&a->hot, &a->profile);
  a->evidence = stack_evidence_of(&a->profile, a->hot.list.count, a->request->level);
  if (a->request->adaptive)
    a->evidence.samples = fmin(a->evidence.samples, a->worth);
  for (size_t i = 0; i < a->hot.list.count; i++) {
    const struct stack_frame *frame = &a->profile.frames.data[a->hot.list.data[i].frame];
    uint64_t self = frame->function == 0 ? a->hot.list.data[i].self : 0;
    a->unnamed += self;
    a->compiled += frame->kind == FRAME_JIT ? self : 0;
  }
  if (a->recording.processor_time != 0 && !a->request->off_cpu)
    a->reached = (double)a->profile.count / ((double)a->recording.processor_time / 1e9);
  a->found = true;
  note_rests(a);
}

static enum status prepare(struct profile_answer *a, struct sampler_options *options) {
  const struct profile_request *r = a->request;
  enum status status = check_request(r);
  if (status == STATUS_OK)
    status = profile_read_spare(a);
  if (status == STATUS_OK && r->argv != NULL && !program_prepare(&a->program, r->argv, r->quiet))
    status = asker_fail(r->asker, STATUS_INTERNAL, "no process can be made: %s", strerror(errno));
  return status == STATUS_OK ? set_options(a, options) : status;
}

enum status profile_ask(struct profile_answer *a, const struct profile_request *request) {
  *a = (struct profile_answer){.request = request, .program = {0, -1, -1}};
  stack_profile_init(&a->profile);
  ledger_init(&a->ledger);
  struct sampler_options options = {.cgroup = -1};
  struct beside out = {.descriptor = -1};
  a->status = prepare(a, &options);
  if (a->status == STATUS_OK)
    a->status = open_out(request, &out);
  if (a->status == STATUS_OK)
    a->status = sample(a, &options, fcntl(out.descriptor, F_DUPFD_CLOEXEC, 0));
  program_abandon(&a->program);
  if (a->status == STATUS_OK)
    a->status = load(a, out.descriptor);
  a->status = close_out(a, &out);
  if (a->status == STATUS_OK)
    judge(a);
  if (options.cgroup >= 0)
    close(options.cgroup);
  return a->status;
}

void profile_wait(struct profile_answer *a) {
  int how;
  if (a->program.process == 0 || a->ended)
    return;
  pid_t ended;
  while ((ended = waitpid(a->program.process, &how, 0)) < 0 && errno == EINTR)
    ;
  a->ended = ended > 0;
  if (a->ended)
    a->exit = WIFSIGNALED(how) ? 128 + WTERMSIG(how) : WEXITSTATUS(how);
}

void profile_clear_answer(struct profile_answer *a) {
  stack_hot_clear(&a->hot);
  stack_profile_clear(&a->profile);
  phases_clear(&a->phases);
  ledger_clear(&a->ledger);
}
