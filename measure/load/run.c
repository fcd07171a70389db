/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/load/run.h"

#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NONE = -1 };

struct run_slot {
  pid_t pid;
  int fd; /* of the process; NONE: none runs */
};

struct run_carrier {
  const char *const *command;
  size_t slots;
  struct run_slot *processes;
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
};

struct run_carrier *run_carrier_new(const char *const *command, size_t slots) {
  struct run_carrier *runs = mem_alloc(1, sizeof *runs);
  runs->command = command;
  runs->slots = slots;
  runs->processes = mem_alloc(slots, sizeof *runs->processes);
  for (size_t i = 0; i < slots; i++)
    runs->processes[i].fd = NONE;
  if (posix_spawn_file_actions_init(&runs->files) != 0 ||
      posix_spawn_file_actions_addopen(&runs->files, STDIN_FILENO, "/dev/null", O_RDONLY, 0) != 0 ||
      posix_spawn_file_actions_addopen(&runs->files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0) !=
          0 ||
      posix_spawn_file_actions_adddup2(&runs->files, STDOUT_FILENO, STDERR_FILENO) != 0 ||
      posix_spawnattr_init(&runs->attributes) != 0 ||
      /* in a group of its own, so that what it starts ends with it */
      posix_spawnattr_setflags(&runs->attributes, POSIX_SPAWN_SETPGROUP) != 0)
    bug("no memory for what a process begins with");
  return runs;
}

static void forget(struct run_slot *p) {
  if (p->fd != NONE)
    close(p->fd);
  p->fd = NONE;
}

static void end_process(struct run_slot *p) {
  if (p->fd == NONE)
    return;
  kill(-p->pid, SIGKILL);
  waitpid(p->pid, NULL, 0);
  forget(p);
}

void run_carrier_free(struct run_carrier *runs) {
  if (runs == NULL)
    return;
  for (size_t i = 0; i < runs->slots; i++)
    end_process(&runs->processes[i]);
  posix_spawn_file_actions_destroy(&runs->files);
  posix_spawnattr_destroy(&runs->attributes);
  mem_free(runs->processes);
  mem_free(runs);
}

static void begin(void *context, struct dispatch *d, size_t slot, size_t arrival) {
  extern char **environ;
  struct run_carrier *runs = context;
  struct run_slot *p = &runs->processes[slot];
  (void)arrival;
  char *const *argv = (char *const *)(uintptr_t)runs->command;
  int failed = posix_spawnp(&p->pid, argv[0], &runs->files, &runs->attributes, argv, environ);
  if (failed == 0 && (p->fd = pidfd_open(p->pid, 0)) >= 0 &&
      dispatch_watch(d, slot, p->fd, EPOLLIN, false))
    return;
  failed = failed == 0 ? errno : failed;
  end_process(p);
  dispatch_refuse(d, "%s: %s", argv[0],
                  failed == ENOENT ? "no such program on the PATH" : strerror(failed));
  dispatch_done(d, slot, ARRIVAL_BROKEN, 0);
}

static void event(void *context, struct dispatch *d, size_t slot, uint32_t events) {
  struct run_carrier *runs = context;
  struct run_slot *p = &runs->processes[slot];
  (void)events;
  int status;
  if (p->fd == NONE || waitpid(p->pid, &status, WNOHANG) != p->pid)
    return;
  forget(p);
  bool ended = WIFEXITED(status);
  dispatch_done(d, slot,
                !ended                     ? ARRIVAL_BROKEN
                : WEXITSTATUS(status) == 0 ? ARRIVAL_GOOD
                                           : ARRIVAL_REFUSED,
                ended ? (uint16_t)WEXITSTATUS(status) : 0);
}

static void abandon(void *context, struct dispatch *d, size_t slot) {
  struct run_carrier *runs = context;
  (void)d;
  end_process(&runs->processes[slot]);
}

struct carrier run_carrier(struct run_carrier *runs) {
  return (struct carrier){runs, begin, event, abandon};
}
