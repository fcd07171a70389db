/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE /* execvpe, pipe2 */
#include "measure/throughput/pause/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

void launch_error(struct pauser_error *error, int exit_code, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  error->exit_code = exit_code;
  vsnprintf(error->text, sizeof error->text, format, arguments);
  va_end(arguments);
}

/* --- the environment -------------------------------------------------------------------------- */

static bool same_name(const char *a, const char *b) {
  size_t length = strcspn(a, "=");
  return strncmp(a, b, length) == 0 && b[length] == '=';
}

static bool is_replaced(const char *one, char *const *more) {
  for (; *more != NULL; more++)
    if (same_name(*more, one))
      return true;
  return false;
}

/* The caller's and what comes besides; its strings are theirs. NULL: no memory. */
static char **environment_of(char *const *more) {
  static char *none[] = {NULL};
  if (more == NULL)
    more = none;
  size_t count = 1;
  for (char **one = environ; *one != NULL; one++)
    count++;
  for (char *const *one = more; *one != NULL; one++)
    count++;
  char **all = malloc(count * sizeof *all);
  if (all == NULL)
    return NULL;
  size_t used = 0;
  for (char **one = environ; *one != NULL; one++)
    if (!is_replaced(*one, more))
      all[used++] = *one;
  for (; *more != NULL; more++)
    all[used++] = *more;
  all[used] = NULL;
  return all;
}

/* --- the child -------------------------------------------------------------------------------- */

enum launch_stage { STAGE_CGROUP, STAGE_EXEC };
struct failure {
  int stage, number; /* errno */
};

/* What a fork inherits and a service must not have. */
static void clean_signals(void) {
  struct sigaction usual = {.sa_handler = SIG_DFL};
  sigset_t none;
  sigaction(SIGPIPE, &usual, NULL);
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
}

/* A session of its own, not only a group: the group is then an orphan from the start, and the end
 * of the pauser cannot make it one, for which the kernel would send SIGHUP to a stopped group. */
static void become_service(char *const *command, char **environment, int procs, pid_t parent,
                           int status) {
  struct failure failure = {STAGE_CGROUP, 0};
  setsid();
  prctl(PR_SET_PDEATHSIG, SIGCONT);
  if (getppid() != parent)
    _exit(127); /* it ended before it could be seen to */
  if (procs < 0 || write(procs, "0", 1) == 1) {
    failure.stage = STAGE_EXEC;
    clean_signals();
    execvpe(command[0], command, environment);
  }
  failure.number = errno;
  ssize_t told = write(status, &failure, sizeof failure);
  _exit(told < 0 ? 126 : 127);
}

/* --- the parent ------------------------------------------------------------------------------- */

/* Whether a failure came before the end of the pipe, which exec closes. */
static bool read_failure(int pipe, struct failure *failure) {
  size_t have = 0;
  while (have < sizeof *failure) {
    ssize_t size = read(pipe, (char *)failure + have, sizeof *failure - have);
    if (size > 0)
      have += (size_t)size;
    else if (size == 0 || errno != EINTR)
      break;
  }
  return have == sizeof *failure;
}

static pid_t start(const struct pauser_options *options, char **environment, int procs,
                   struct pauser_error *error) {
  int status[2];
  if (pipe2(status, O_CLOEXEC) != 0) {
    launch_error(error, 70, "no pipe to start the service with: %s", strerror(errno));
    return 0;
  }
  pid_t parent = getpid(), pid = fork();
  if (pid == 0)
    become_service(options->command, environment, procs, parent, status[1]);
  int number = errno;
  close(status[1]);
  struct failure failure;
  bool failed = pid > 0 && read_failure(status[0], &failure);
  close(status[0]);
  if (pid < 0) {
    launch_error(error, 70, "no process for the service: %s", strerror(number));
    return 0;
  }
  if (!failed)
    return pid;
  while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
    ;
  if (failure.stage == STAGE_EXEC)
    launch_error(error, 69, "the service \"%.300s\" cannot be run: %s", options->command[0],
                 strerror(failure.number));
  else
    launch_error(error, 70, "the service cannot join its cgroup: %s; pause by signals instead",
                 strerror(failure.number));
  return 0;
}

pid_t launch(const struct pauser_options *options, int procs, struct pauser_error *error) {
  char **environment = environment_of(options->environment);
  if (environment == NULL) {
    launch_error(error, 70, "no memory to start the service");
    return 0;
  }
  pid_t pid = start(options, environment, procs, error);
  free(environment);
  return pid;
}
