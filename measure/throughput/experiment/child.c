/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/throughput/experiment/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/shown.h"

/* In the child, where only what is safe in a signal handler is. Never returns. */
static void become(const struct child *child, const char *const *argv, const char *folder,
                   pid_t parent, int failed) {
  sigset_t none;
  sigemptyset(&none);
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  signal(SIGXFSZ, SIG_DFL);
  signal(SIGPIPE, SIG_DFL);
  int null = open("/dev/null", O_RDONLY);
  int log = open(child->log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (null >= 0 && log >= 0 && dup2(null, 0) >= 0 && dup2(log, 1) >= 0 && dup2(log, 2) >= 0 &&
      chdir(folder) == 0 && getppid() == parent) {
    sigprocmask(SIG_SETMASK, &none, NULL);
    execv(argv[0], (char *const *)(uintptr_t)argv);
  }
  int cause = errno;
  ssize_t written = write(failed, &cause, sizeof cause);
  _exit(written == (ssize_t)sizeof cause ? 127 : 126);
}

int child_start(struct child *child, const char *const *argv, const char *folder) {
  int ends[2], cause = 0;
  if (pipe(ends) != 0)
    return errno;
  fcntl(ends[0], F_SETFD, FD_CLOEXEC);
  fcntl(ends[1], F_SETFD, FD_CLOEXEC);
  pid_t parent = getpid(), pid = fork();
  if (pid == 0)
    become(child, argv, folder, parent, ends[1]);
  int error = pid < 0 ? errno : 0;
  close(ends[1]);
  if (pid > 0) {
    setpgid(pid, pid);
    ssize_t got;
    while ((got = read(ends[0], &cause, sizeof cause)) < 0 && errno == EINTR)
      ;
    if (got == (ssize_t)sizeof cause) {
      error = cause;
      while (waitpid(pid, &child->status, 0) < 0 && errno == EINTR)
        ;
    } else {
      child->pid = pid;
    }
  }
  close(ends[0]);
  return error;
}

bool child_ended(struct child *child) {
  if (child->pid == 0 || waitpid(child->pid, &child->status, WNOHANG) != child->pid)
    return false;
  kill(-child->pid, SIGTERM); /* what it may have left in its group */
  child->pid = 0;
  return true;
}

void child_stop(struct child *child, unsigned patience_ms) {
  if (child->pid == 0 || child_ended(child))
    return;
  pid_t group = child->pid;
  kill(child->pid, SIGTERM);
  for (unsigned waited = 0; waited < patience_ms && child->pid != 0; waited += 5) {
    nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    child_ended(child);
  }
  kill(-group, SIGKILL);
  if (child->pid != 0)
    while (waitpid(child->pid, &child->status, 0) < 0 && errno == EINTR)
      ;
  child->pid = 0;
}

/* The last line that is not empty; of one by the poker, which says where it listens perhaps after
 * its service has ended, the line before it. */
static void last_line(char *line, size_t size, const char *path) {
  static const char of_poker[] = "poker ";
  char bytes[2048];
  line[0] = '\0';
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return;
  off_t length = lseek(file, 0, SEEK_END);
  off_t from = length > (off_t)sizeof bytes - 1 ? length - (off_t)sizeof bytes + 1 : 0;
  ssize_t got = pread(file, bytes, sizeof bytes - 1, from);
  close(file);
  for (bytes[got < 0 ? 0 : got] = '\0'; got > 0 && bytes[got - 1] == '\n'; got--)
    bytes[got - 1] = '\0';
  char *start = strrchr(bytes, '\n');
  if (start != NULL && strncmp(start + 1, of_poker, sizeof of_poker - 1) == 0) {
    *start = '\0';
    start = strrchr(bytes, '\n');
  }
  snprintf(line, size, "%.*s", (int)size - 1, start == NULL ? bytes : start + 1);
  shown_clean_text(line, '?');
}

bool child_was_killed(const struct child *child) {
  return WIFSIGNALED(child->status);
}

void child_explain(char *text, size_t size, const struct child *child) {
  char line[200];
  last_line(line, sizeof line, child->log);
  const char *before = line[0] == '\0' ? "" : "; its last words: ";
  if (WIFSIGNALED(child->status))
    snprintf(text, size, "was killed by signal %d (%s)%s%s", WTERMSIG(child->status),
             strsignal(WTERMSIG(child->status)), before, line);
  else
    snprintf(text, size, "ended with exit code %d%s%s", WEXITSTATUS(child->status), before, line);
}
