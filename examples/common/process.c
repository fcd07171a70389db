/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "examples/common/process.h"

#include "examples/common/complain.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t stopping;
static sigset_t waiting_mask;

static void stop(int signal) {
  (void)signal;
  stopping = 1;
}

bool process_stopping(void) {
  return stopping != 0;
}

const sigset_t *process_waiting_mask(void) {
  return &waiting_mask;
}

void process_set_init(struct process_set *set) {
  memset(set, 0, sizeof *set);
  sigemptyset(&set->watched);
  sigaddset(&set->watched, SIGCHLD);
  sigaddset(&set->watched, SIGINT);
  sigaddset(&set->watched, SIGTERM);
  sigaddset(&set->watched, SIGHUP);
  sigprocmask(SIG_BLOCK, &set->watched, NULL);
}

static void child_prepare(void) {
  struct sigaction action = {.sa_handler = stop};
  prctl(PR_SET_PDEATHSIG, SIGKILL); /* no child outlives a parent that was killed */
  prctl(PR_SET_TIMERSLACK, 1UL);
  sigaction(SIGTERM, &action, NULL);
  sigprocmask(SIG_BLOCK, NULL, &waiting_mask);
  sigdelset(&waiting_mask, SIGTERM);
}

bool process_start(struct process_set *set, const char *name, enum process_role role,
                   int (*run)(void *context), void *context) {
  if (set->count == PROCESSES_MAX) {
    complain("starting %s: more than %d processes", name, PROCESSES_MAX);
    return false;
  }
  struct process *process = &set->list[set->count];
  pid_t parent = getpid();
  snprintf(process->name, sizeof process->name, "%s", name);
  process->role = role;
  fflush(NULL);
  process->pid = fork();
  if (process->pid < 0) {
    complain("starting %s: %s", name, strerror(errno));
    return false;
  }
  if (process->pid > 0) {
    set->count++;
    return true;
  }
  child_prepare();
  _exit(getppid() == parent ? run(context) : EXIT_FAILED);
}

void process_kill(struct process_set *set) {
  for (size_t i = 0; i < set->count; i++)
    if (set->list[i].pid > 0)
      kill(set->list[i].pid, SIGKILL);
  for (size_t i = 0; i < set->count; i++) {
    while (set->list[i].pid > 0 && waitpid(set->list[i].pid, NULL, 0) < 0 && errno == EINTR)
      ;
    set->list[i].pid = 0;
  }
}

/* Whether a child may end like this; complains of an end that the child could not explain. */
static bool end_is_good(const struct process *process, int status, bool told_to_stop) {
  if (process->role == PROCESS_MORTAL && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
    return true;
  if (WIFSIGNALED(status)) {
    complain("%s was killed by signal %d; nothing is written", process->name, WTERMSIG(status));
    return false;
  }
  if (WEXITSTATUS(status) != EXIT_SUCCESS)
    return false;
  if (process->role == PROCESS_WORKER || told_to_stop)
    return true;
  complain("%s ended before the run did; nothing is written", process->name);
  return false;
}

/* Reaps those that have ended; false if one of them did not end well. */
static bool reap(struct process_set *set, bool told_to_stop) {
  bool good = true;
  for (size_t i = 0; i < set->count; i++) {
    struct process *process = &set->list[i];
    int status;
    if (process->pid == 0 || waitpid(process->pid, &status, WNOHANG) <= 0)
      continue;
    process->pid = 0;
    good = end_is_good(process, status, told_to_stop) && good;
  }
  return good;
}

static size_t left(const struct process_set *set, bool workers_only) {
  size_t number = 0;
  for (size_t i = 0; i < set->count; i++)
    number += set->list[i].pid > 0 && (!workers_only || set->list[i].role == PROCESS_WORKER);
  return number;
}

static void servants_stop(struct process_set *set) {
  for (size_t i = 0; i < set->count; i++)
    if (set->list[i].pid > 0)
      kill(set->list[i].pid, SIGTERM);
}

/* Waits for those that were told to stop. */
static int servants_wait(struct process_set *set) {
  struct timespec limit = {.tv_sec = 2};
  for (;;) {
    if (!reap(set, true))
      return EXIT_FAILED;
    if (left(set, false) == 0)
      return EXIT_SUCCESS;
    int signal = sigtimedwait(&set->watched, NULL, &limit);
    if (signal > 0 && signal != SIGCHLD)
      return EXIT_INTERRUPTED;
    if (signal < 0 && errno == EAGAIN) {
      complain("%zu processes did not stop when told to; nothing is written", left(set, false));
      return EXIT_FAILED;
    }
  }
}

int process_wait(struct process_set *set) {
  int result = EXIT_SUCCESS;
  for (;;) {
    int signal = 0;
    if (!reap(set, false))
      result = EXIT_FAILED;
    if (result != EXIT_SUCCESS || left(set, true) == 0)
      break;
    if (sigwait(&set->watched, &signal) == 0 && signal != SIGCHLD)
      result = EXIT_INTERRUPTED;
  }
  if (result == EXIT_SUCCESS) {
    servants_stop(set);
    result = servants_wait(set);
  }
  process_kill(set);
  return result;
}
