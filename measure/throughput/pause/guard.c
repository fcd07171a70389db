/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE /* close_range */
#include "measure/throughput/pause/guard.h"

#include "measure/throughput/pause/moment.h"
#include "measure/throughput/pause/priority.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LOOKS_MS = 100, AFTER_MS = 1000, SPARED = 3 };

static int open_pidfd(pid_t pid) {
  return (int)syscall(SYS_pidfd_open, pid, 0);
}

bool guard_open(struct guard *guard, const struct guard_last *last) {
  *guard = (struct guard){.last = *last, .pauser = -1, .process = -1};
  void *page =
      mmap(NULL, sizeof *guard->page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED)
    return false;
  guard->page = page;
  guard->pauser = open_pidfd(getpid());
  return guard->pauser >= 0;
}

/* --- the process: system calls only, as the caller may have had threads ------------------------
 */

/* Keeps only three descriptors, as 0, 1 and 2: a listening socket of the caller's that stayed open
 * here would keep its port, a pipe its reader. */
static void keep_only(struct brake *brake, int *pauser) {
  int *const kept[SPARED] = {pauser, &brake->cgroup.freeze, &brake->cgroup.events};
  for (int i = 0; i < SPARED; i++)
    if (*kept[i] >= 0)
      *kept[i] = fcntl(*kept[i], F_DUPFD, SPARED);
  for (int i = 0; i < SPARED; i++) {
    if (*kept[i] < 0)
      close(i);
    else
      *kept[i] = dup2(*kept[i], i);
  }
  if (close_range(SPARED, ~0u, 0) != 0)
    for (int i = SPARED; i < 1024; i++) /* before Linux 5.9 */
      close(i);
  brake->cgroup.procs = -1;
}

/* Once is enough, but a pauser that stands still cannot say that it was. */
static void rescue(struct guard_page *page, const struct brake *brake, uint64_t deadline_ns) {
  if (atomic_load(&page->rescued_deadline_ns) != deadline_ns) {
    atomic_store(&page->rescued_ns, moment_now());
    atomic_store(&page->rescued_deadline_ns, deadline_ns);
  }
  brake_continue(brake);
}

static bool ended_within(int pidfd, int ms) {
  struct pollfd one = {.fd = pidfd, .events = POLLIN};
  return poll(&one, 1, ms) > 0;
}

/* The pauser has ended: the service goes on, and its cgroup goes when it has ended too. */
static void after_the_pauser(const struct brake *brake, struct guard_page *page) {
  if (brake->mode == PAUSER_SIGNAL) {
    if (atomic_load(&page->deadline_ns) != 0)
      brake_continue(brake);
    return;
  }
  while (!brake_continue(brake) && errno != ENOENT && errno != ENODEV)
    poll(NULL, 0, LOOKS_MS);
  while (rmdir(brake->cgroup.path) != 0 && errno == EBUSY) {
    struct pollfd change = {.fd = brake->cgroup.events, .events = POLLPRI};
    if (cgroup_event(brake->cgroup.events, CGROUP_POPULATED) == 1)
      poll(&change, 1, AFTER_MS);
    else
      poll(NULL, 0, 1);
  }
}

static void sleep_ms(int ms) {
  poll(NULL, 0, ms);
}

/* All that is in the cgroup, where the kernel can (Linux 5.14), else the group. */
static void kill_service(const struct brake *brake) {
  static const char name[] = "/cgroup.kill";
  char path[PATH_MAX + sizeof name];
  size_t length = strlen(brake->cgroup.path);
  memcpy(path, brake->cgroup.path, length);
  memcpy(path + length, name, sizeof name);
  int file = brake->mode == PAUSER_FREEZE ? open(path, O_WRONLY | O_CLOEXEC) : -1;
  if (file < 0 || write(file, "1", 1) != 1)
    kill(-brake->group, SIGKILL);
  if (file >= 0)
    close(file);
}

static void end_service(const struct brake *brake) {
  uint64_t until_ns = moment_now() + GUARD_PATIENCE_NS;
  if (brake->group <= 1)
    return;
  brake_continue(brake);
  kill(-brake->group, SIGTERM);
  while (kill(-brake->group, 0) == 0 && moment_now() < until_ns)
    sleep_ms(10);
  kill_service(brake);
}

static void last_of_all(const struct guard_last *last, const struct brake *brake) {
  if (last->ends_service)
    end_service(brake);
  for (const char *const *path = last->leftover; path != NULL && *path != NULL; path++)
    if (unlink(*path) != 0)
      rmdir(*path);
}

static void guard_run(const struct guard_last *last, struct brake brake, struct guard_page *page,
                      int pauser) {
  setsid();
  prctl(PR_SET_NAME, "pause-guard"); /* `killall tailproof` shall not end both at once */
  keep_only(&brake, &pauser);
  if (chdir("/") != 0)
    return;
  priority_take(PRIORITY_GUARD);
  while (!ended_within(pauser, LOOKS_MS)) {
    uint64_t deadline_ns = atomic_load(&page->deadline_ns);
    brake.group = atomic_load(&page->group);
    if (deadline_ns != 0 && moment_now() > deadline_ns + GUARD_OVERDUE_NS)
      rescue(page, &brake, deadline_ns);
  }
  brake.group = atomic_load(&page->group);
  last_of_all(last, &brake);
  after_the_pauser(&brake, page);
}

bool guard_start(struct guard *guard, const struct brake *brake) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before); /* the guard keeps it: only SIGKILL ends it */
  pid_t pid = fork();
  if (pid == 0) {
    guard_run(&guard->last, *brake, guard->page, guard->pauser);
    _exit(0);
  }
  int refused = errno;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  errno = refused;
  if (pid < 0)
    return false;
  guard->process = open_pidfd(pid);
  guard->pid = pid;
  if (guard->process >= 0)
    return true;
  int error = errno;
  kill(pid, SIGKILL);
  while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
    ;
  errno = error;
  return false;
}

/* --- the caller's side ------------------------------------------------------------------------ */

static void forget(struct guard *guard) {
  close(guard->process);
  guard->process = -1;
  guard->pid = 0;
}

bool guard_is_gone(struct guard *guard) {
  if (guard->process < 0)
    return true;
  pid_t ended;
  do
    ended = waitpid(guard->pid, NULL, WNOHANG);
  while (ended < 0 && errno == EINTR);
  if (ended == 0)
    return false;
  forget(guard);
  return true;
}

void guard_arm(struct guard *guard, uint64_t deadline_ns) {
  atomic_store(&guard->page->deadline_ns, deadline_ns);
}

void guard_disarm(struct guard *guard) {
  atomic_store(&guard->page->deadline_ns, 0);
}

void guard_close(struct guard *guard) {
  if (guard->process >= 0) {
    kill(guard->pid, SIGKILL);
    while (waitpid(guard->pid, NULL, 0) < 0 && errno == EINTR)
      ;
    forget(guard);
  }
  if (guard->pauser >= 0)
    close(guard->pauser);
  if (guard->page != NULL)
    munmap(guard->page, sizeof *guard->page);
  *guard = (struct guard){.pauser = -1, .process = -1};
}
