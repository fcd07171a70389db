/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/throughput/pause/pauser.h"

#include "measure/throughput/pause/inside.h"
#include "measure/throughput/pause/launch.h"
#include "measure/throughput/pause/leftover.h"
#include "measure/throughput/pause/moment.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static const uint64_t most_usual_ns = 1000000000;
static const uint64_t leftover_ns = 1000000000;

const char *pauser_mode_name(enum pauser_mode mode) {
  return mode == PAUSER_FREEZE ? "cgroup.freeze" : "signals";
}

/* --- starting ----------------------------------------------------------------------------------
 */

static bool refused(struct pauser_error *error, const char *what) {
  launch_error(error, 70, "%s: %s", what, strerror(errno));
  return false;
}

static bool make_lock(struct pauser *pauser, struct pauser_error *error) {
  pthread_mutexattr_t attributes;
  int number = pthread_mutexattr_init(&attributes);
  if (number == 0) {
    pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
    number = pthread_mutex_init(&pauser->lock, &attributes);
    pthread_mutexattr_destroy(&attributes);
  }
  errno = number;
  return (number == 0 && sem_init(&pauser->ready, 0, 0) == 0) ||
         refused(error, "no lock for the pausing thread");
}

/* Calibrates it, or tries it out. */
static bool try_brake(struct pauser *pauser, const struct pauser_options *options, char *why,
                      size_t size) {
  uint32_t pauses = options->uncalibrated ? 0 : CALIBRATE_PAUSES;
  return calibrate(&pauser->brake, pauses, &pauser->calibration, why, size);
}

static bool try_freezing(struct pauser *pauser, const struct pauser_options *options, char *why,
                         size_t size) {
  struct brake *brake = &pauser->brake;
  if (!cgroup_make(&brake->cgroup, why, size))
    return false;
  brake->mode = PAUSER_FREEZE;
  if (try_brake(pauser, options, why, size))
    return true;
  cgroup_remove(&brake->cgroup);
  return false;
}

static bool choose_brake(struct pauser *pauser, const struct pauser_options *options,
                         struct pauser_error *error) {
  char why[PAUSER_ERROR_TEXT - 128] = "";
  if (options->mode != PAUSER_SIGNAL && try_freezing(pauser, options, why, sizeof why))
    return true;
  if (options->mode == PAUSER_FREEZE) {
    launch_error(error, 69, "cgroup.freeze does not work here: %s; pause by signals instead", why);
    return false;
  }
  pauser->brake.mode = PAUSER_SIGNAL;
  if (options->uncalibrated || try_brake(pauser, options, why, sizeof why))
    return true;
  launch_error(error, 70, "stopping by signals does not work here: %s", why);
  return false;
}

/* All but the service and the thread. */
static bool prepare(struct pauser *pauser, const struct pauser_options *options,
                    struct pauser_error *error) {
  if (!choose_brake(pauser, options, error))
    return false;
  const struct guard_last last = {options->ends_service, options->leftover};
  if (!guard_open(&pauser->guard, &last) || !guard_start(&pauser->guard, &pauser->brake))
    return refused(error, "no guard, without which nothing is paused");
  pauser->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  return pauser->wake >= 0 || refused(error, "no eventfd");
}

static bool start_service(struct pauser *pauser, const struct pauser_options *options,
                          struct pauser_error *error) {
  struct brake *brake = &pauser->brake;
  brake->group = launch(options, brake->cgroup.procs, error);
  if (brake->group == 0)
    return false;
  atomic_store(&pauser->guard.page->group, brake->group);
  pauser->event = (int)syscall(SYS_pidfd_open, brake->group, 0);
  return pauser->event >= 0 || refused(error, "no descriptor of the service's process");
}

/* The thread takes no signals: they are for whoever waits for them. */
static bool start_thread(struct pauser *pauser, struct pauser_error *error) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int number = pthread_create(&pauser->thread, NULL, pausing_run, pauser);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  errno = number;
  if (number != 0)
    return refused(error, "no pausing thread");
  while (sem_wait(&pauser->ready) != 0 && errno == EINTR)
    ;
  return true;
}

static void reap(pid_t pid, int *status) {
  while (waitpid(pid, status, 0) < 0 && errno == EINTR)
    ;
}

/* What there is of it, without a thread. */
static void release(struct pauser *pauser) {
  cgroup_remove(&pauser->brake.cgroup); /* the guard would, should we be killed meanwhile */
  guard_close(&pauser->guard);
  if (pauser->event >= 0)
    close(pauser->event);
  if (pauser->wake >= 0)
    close(pauser->wake);
  pthread_mutex_destroy(&pauser->lock);
  sem_destroy(&pauser->ready);
  free(pauser);
}

static void fill_report(struct pauser *pauser) {
  struct pauser_report *report = &pauser->report;
  pause_init(&report->ledger);
  report->guard_starts = 1;
  report->offset_ns = pauser->calibration.offset_ns;
  report->lead_ns = pauser->calibration.lead_ns;
  report->state = PAUSE_RUNNING;
  report->mode = pauser->brake.mode;
  report->service = pauser->brake.group;
  report->guard = pauser->guard.pid;
}

struct pauser *pauser_start(const struct pauser_options *options, struct pauser_error *error) {
  struct pauser *pauser = calloc(1, sizeof *pauser);
  if (pauser == NULL || !make_lock(pauser, error)) {
    if (pauser == NULL)
      launch_error(error, 70, "no memory for a pauser");
    free(pauser);
    return NULL;
  }
  pauser->event = pauser->wake = pauser->guard.pauser = pauser->guard.process = -1;
  cgroup_init(&pauser->brake.cgroup);
  pauser_limits(pauser, options->least_ns, options->most_ns);
  if (prepare(pauser, options, error) && start_service(pauser, options, error)) {
    fill_report(pauser);
    if (start_thread(pauser, error))
      return pauser;
  }
  if (pauser->brake.group != 0) {
    kill(-pauser->brake.group, SIGKILL);
    reap(pauser->brake.group, NULL);
  }
  release(pauser);
  return NULL;
}

/* --- running -----------------------------------------------------------------------------------
 */

int pauser_event(const struct pauser *pauser) {
  return pauser->event;
}

void pauser_round(struct pauser *pauser, uint64_t requests_so_far, uint64_t per_request_ns) {
  pthread_mutex_lock(&pauser->lock);
  if (requests_so_far > pauser->settled) {
    pause_owe(&pauser->report.ledger, requests_so_far - pauser->settled, per_request_ns);
    pauser->settled = requests_so_far;
  }
  pauser->report.rounds++;
  pthread_mutex_unlock(&pauser->lock);
  pausing_wake(pauser);
}

void pauser_owe(struct pauser *pauser, uint64_t ns) {
  pthread_mutex_lock(&pauser->lock);
  pause_owe(&pauser->report.ledger, 1, ns);
  pauser->report.rounds++;
  pthread_mutex_unlock(&pauser->lock);
  pausing_wake(pauser);
}

enum pauser_known pauser_paused(struct pauser *pauser, uint64_t begin_ns, uint64_t end_ns,
                                uint64_t *paused_ns) {
  pthread_mutex_lock(&pauser->lock);
  uint64_t since_ns = pauser->report.pausing_since_ns;
  bool known = since_ns == 0 || since_ns >= end_ns;
  bool remembered = history_paused(paused_ns, &pauser->history, begin_ns, end_ns);
  pthread_mutex_unlock(&pauser->lock);
  return !known ? PAUSER_LATER : remembered ? PAUSER_KNOWN : PAUSER_FORGOTTEN;
}

bool pauser_pause(struct pauser *pauser, uint64_t number, uint64_t *from_ns, uint64_t *until_ns) {
  pthread_mutex_lock(&pauser->lock);
  bool known = history_pause(&pauser->history, number, from_ns, until_ns);
  pthread_mutex_unlock(&pauser->lock);
  return known;
}

void pauser_settle(struct pauser *pauser, uint64_t requests_so_far) {
  pthread_mutex_lock(&pauser->lock);
  if (requests_so_far > pauser->settled)
    pauser->settled = requests_so_far;
  pthread_mutex_unlock(&pauser->lock);
}

void pauser_limits(struct pauser *pauser, uint64_t least_ns, uint64_t most_ns) {
  pthread_mutex_lock(&pauser->lock);
  pauser->least_ns = least_ns;
  pauser->most_ns = most_ns != 0 ? most_ns : most_usual_ns;
  pthread_mutex_unlock(&pauser->lock);
}

void pauser_report(struct pauser *pauser, struct pauser_report *report) {
  pthread_mutex_lock(&pauser->lock);
  *report = pauser->report;
  pthread_mutex_unlock(&pauser->lock);
}

/* --- ending ------------------------------------------------------------------------------------
 */

static bool is_for_all(int signal) {
  return signal == SIGINT || signal == SIGQUIT || signal == SIGKILL;
}

/* The first process is waited for by pauser_end only, so its number is nobody else's. */
void pauser_signal(struct pauser *pauser, int signal) {
  pauser_cancel(pauser);
  pid_t group = pauser->brake.group;
  kill(is_for_all(signal) ? -group : group, signal);
}

void pauser_cancel(struct pauser *pauser) {
  atomic_store(&pauser->cancelled, true);
  pausing_wake(pauser);
}

static bool ends_by(const struct pauser *pauser, uint64_t until_ns) {
  for (;;) {
    uint64_t now_ns = moment_now(), left_ms = now_ns < until_ns ? (until_ns - now_ns) / 1000000 : 0;
    struct pollfd service = {.fd = pauser->event, .events = POLLIN};
    int ready = poll(&service, 1, left_ms < 1000 ? (int)left_ms + 1 : 1000);
    if (ready > 0)
      return true;
    if (moment_now() >= until_ns)
      return false;
  }
}

/* The exit code of the first process; with a signal nothing of its group is left. */
static int end_service(pid_t group, int signal, uint64_t until_ns) {
  int status = 0;
  if (signal != 0)
    kill(-group, signal); /* while the first process, not waited for, keeps the group's number */
  reap(group, &status);
  if (signal != 0 && !leftover_ends_by(group, until_ns)) {
    kill(-group, SIGKILL);
    leftover_ends_by(group, moment_now() + leftover_ns);
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int pauser_end(struct pauser *pauser, int signal, uint64_t limit_ns) {
  pid_t group = pauser->brake.group;
  uint64_t now_ns = moment_now();
  uint64_t until_ns = limit_ns <= UINT64_MAX - now_ns ? now_ns + limit_ns : UINT64_MAX;
  if (signal != 0)
    pauser_signal(pauser, signal);
  else
    pauser_cancel(pauser);
  pthread_join(pauser->thread, NULL);
  if (!ends_by(pauser, until_ns)) {
    kill(-group, SIGKILL);
    ends_by(pauser, UINT64_MAX);
  }
  int code = end_service(group, signal, until_ns);
  release(pauser);
  return code;
}
