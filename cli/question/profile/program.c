/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE /* pipe2 */
#include "cli/question/profile/program.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static const int passed[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
enum { PASSED = sizeof passed / sizeof *passed };

/* Of these the program has what this one was started with: it may have set others by now. */
static const int handed_on[] = {SIGHUP, SIGPIPE, SIGXFSZ};
enum { HANDED_ON = sizeof handed_on / sizeof *handed_on };
static bool ignored[HANDED_ON];

__attribute__((constructor)) static void note_ignored(void) {
  struct sigaction now;
  for (size_t i = 0; i < HANDED_ON; i++)
    ignored[i] = sigaction(handed_on[i], NULL, &now) == 0 && now.sa_handler == SIG_IGN;
}

static volatile pid_t child;

/* What a terminal sends goes to the child as well; only what is sent to us alone is passed on. */
static void pass_on(int number, siginfo_t *about, void *context) {
  (void)context;
  int cause = errno;
  if (child > 0 && about->si_code <= 0)
    kill(child, number);
  errno = cause;
}

/* In the child; what it writes into `fate` closes by itself where it becomes the program. */
static _Noreturn void wait_at(int gate, int fate, const char *const *argv, const sigset_t *mask) {
  char byte;
  for (size_t i = 0; i < PASSED; i++)
    signal(passed[i], SIG_DFL);
  for (size_t i = 0; i < HANDED_ON; i++)
    signal(handed_on[i], ignored[i] ? SIG_IGN : SIG_DFL);
  sigprocmask(SIG_SETMASK, mask, NULL);
  if (read(gate, &byte, 1) != 1)
    _exit(127);
  execvp(argv[0], (char *const *)(uintptr_t)argv);
  int error = errno;
  if (write(fate, &error, sizeof error) != sizeof error)
    _exit(126);
  _exit(127);
}

static bool make_pipes(int gate[2], int fate[2]) {
  if (pipe2(gate, O_CLOEXEC) != 0)
    return false;
  if (pipe2(fate, O_CLOEXEC) == 0)
    return true;
  close(gate[0]);
  close(gate[1]);
  return false;
}

/* Only there to interrupt a wait. */
static void on_end(int number) {
  (void)number;
}

/* The handler only once the child is known: until then signals wait. */
static void listen_for(const sigset_t *before, pid_t process) {
  struct sigaction action = {.sa_sigaction = pass_on, .sa_flags = SA_SIGINFO | SA_RESTART};
  child = process;
  for (size_t i = 0; i < PASSED; i++)
    sigaction(passed[i], &action, NULL);
  struct sigaction end = {.sa_handler = on_end, .sa_flags = SA_NOCLDSTOP};
  sigaction(SIGCHLD, &end, NULL);
  sigprocmask(SIG_SETMASK, before, NULL);
}

bool program_prepare(struct program *program, const char *const *argv, bool quiet) {
  int gate[2], fate[2];
  sigset_t block, before;
  *program = (struct program){0, -1, -1};
  if (!make_pipes(gate, fate))
    return false;
  sigemptyset(&block);
  for (size_t i = 0; i < PASSED; i++)
    sigaddset(&block, passed[i]);
  sigprocmask(SIG_BLOCK, &block, &before);
  fflush(NULL);
  program->process = fork();
  if (program->process == 0) {
    close(gate[1]);
    if (quiet)
      dup2(STDERR_FILENO, STDOUT_FILENO);
    wait_at(gate[0], fate[1], argv, &before);
  }
  listen_for(&before, program->process);
  close(gate[0]);
  close(fate[1]);
  program->gate = gate[1];
  program->fate = fate[0];
  return program->process > 0;
}

int program_begin(struct program *program) {
  int error = 0;
  if (write(program->gate, "", 1) != 1)
    error = errno;
  close(program->gate);
  program->gate = -1;
  ssize_t got;
  while (error == 0 && (got = read(program->fate, &error, sizeof error)) < 0 && errno == EINTR)
    ;
  close(program->fate);
  if (error != 0) {
    waitpid(program->process, NULL, 0);
    program->process = 0;
    child = 0;
  }
  return error;
}

void program_abandon(struct program *program) {
  if (program->process <= 0 || program->gate < 0)
    return;
  close(program->gate); /* which ends it */
  close(program->fate);
  waitpid(program->process, NULL, 0);
  program->process = 0;
  child = 0;
}

bool program_ended(struct program *program, int *status) {
  if (waitpid(program->process, status, WNOHANG) != program->process)
    return false;
  child = 0;
  return true;
}
