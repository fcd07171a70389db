/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE /* pipe2: no other child may inherit the end of a pipe */
#include "base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/confine.h"

extern char **environ;

enum { LOOK_MS = 50, IDLE_LEAST_MS = 1000 };

/* What the child has had of the processor; negative when that cannot be told. */
static long long worked_ms(pid_t child) {
  clockid_t clock;
  struct timespec t;
  if (clock_getcpuclockid(child, &clock) != 0 || clock_gettime(clock, &t) != 0)
    return -1;
  return (long long)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Whether it waits for something that is not the machine, or has ended while a child of its own
 * goes on: states S and Z of /proc/PID/stat, behind the name in brackets. */
static bool is_asleep(pid_t child) {
  char path[32], line[512];
  snprintf(path, sizeof path, "/proc/%d/stat", (int)child);
  FILE *file = fopen(path, "re");
  if (file == NULL)
    return false;
  line[fread(line, 1, sizeof line - 1, file)] = '\0';
  fclose(file);
  const char *name_end = strrchr(line, ')');
  return name_end != NULL && (strncmp(name_end, ") S", 3) == 0 || strncmp(name_end, ") Z", 3) == 0);
}

/* A nameless file in memory with the bytes, at its beginning. */
static FILE *input_file(const char *input, size_t length) {
  int descriptor = memfd_create("input", MFD_CLOEXEC);
  FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "w+");
  if (file == NULL) {
    if (descriptor >= 0)
      close(descriptor);
    return NULL;
  }
  if (fwrite(input, 1, length, file) == length && fflush(file) == 0 &&
      lseek(descriptor, 0, SEEK_SET) == 0)
    return file;
  fclose(file);
  return NULL;
}

struct spawning {
  const char *folder; /* NULL: this process's */
  const char *const *argv;
  int input, output;
  pid_t child;
  int error;
};

static int spawn(struct spawning *what) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  int error = posix_spawn_file_actions_adddup2(&files, what->input, STDIN_FILENO);
  if (error == 0)
    error = posix_spawn_file_actions_adddup2(&files, what->output, STDOUT_FILENO);
  if (error == 0)
    error = posix_spawn_file_actions_adddup2(&files, what->output, STDERR_FILENO);
  if (error == 0 && what->folder != NULL)
    error = posix_spawn_file_actions_addchdir_np(&files, what->folder);
  if (error == 0)
    error = posix_spawnp(&what->child, what->argv[0], &files, &attributes,
                         (char *const *)what->argv, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return error;
}

static void *spawn_confined(void *context) {
  struct spawning *what = context;
  (void)confine_thread();
  what->error = spawn(what);
  return NULL;
}

/* What a thread has given up its children lack, too: so it is a thread of its own that starts this one. */
static int spawn_apart(struct spawning *what) {
  pthread_t starter;
  int error = pthread_create(&starter, NULL, spawn_confined, what);
  if (error != 0)
    return error;
  pthread_join(starter, NULL);
  return what->error;
}

/* Reads once; false at the end. */
static bool read_some(int from, struct text *output) {
  char bytes[4096];
  ssize_t got = read(from, bytes, sizeof bytes);
  if (got < 0)
    return errno == EINTR || errno == EAGAIN;
  if (got > 0 && output->length < PROCESS_OUTPUT_LIMIT)
    text_append_bytes(output, bytes, (size_t)got);
  return got > 0;
}

struct usage {
  long long worked_ms,
      idle_ms; /* idle: in looks, so that time in which nobody looked is not counted */
};

/* Whether the child is to be given up; `silent`: it wrote nothing for LOOK_MS. */
static bool is_over(struct usage *usage, pid_t child, unsigned limit_ms, bool silent) {
  long long worked = worked_ms(child);
  bool idle = silent && worked == usage->worked_ms && is_asleep(child);
  usage->idle_ms = idle ? usage->idle_ms + LOOK_MS : 0;
  usage->worked_ms = worked;
  return worked >= limit_ms ||
         usage->idle_ms >= (limit_ms < IDLE_LEAST_MS ? IDLE_LEAST_MS : limit_ms);
}

static enum process_end watch(int from, pid_t child, unsigned limit_ms, const volatile int *stop,
                              struct text *output) {
  struct usage usage = {.worked_ms = -1};
  for (;;) {
    if (stop != NULL && *stop != 0)
      return PROCESS_STOPPED;
    struct pollfd poll_from = {.fd = from, .events = POLLIN};
    int ready = poll(&poll_from, 1, LOOK_MS);
    if (ready < 0 && errno != EINTR)
      return PROCESS_FAILED;
    if (ready > 0 && !read_some(from, output))
      return PROCESS_ENDED;
    if (is_over(&usage, child, limit_ms, ready == 0))
      return PROCESS_TIMED_OUT;
  }
}

static enum process_end run(struct spawning *what, bool apart, const char *input, size_t length,
                            unsigned limit_ms, const volatile int *stop, struct text *output) {
  FILE *file = input_file(input, length);
  if (file == NULL)
    return PROCESS_FAILED;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    fclose(file);
    return PROCESS_FAILED;
  }
  what->input = fileno(file);
  what->output = ends[1];
  int error = apart ? spawn_apart(what) : spawn(what);
  fclose(file);
  close(ends[1]);
  enum process_end end = PROCESS_FAILED;
  if (error == ENOENT || error == EACCES || error == ENOTDIR || error == ENOEXEC) {
    end = PROCESS_MISSING;
  } else if (error == 0) {
    end = watch(ends[0], what->child, limit_ms, stop, output);
    /* also a child that has closed its output and goes on */
    kill(what->child, SIGKILL);
    while (waitpid(what->child, NULL, 0) < 0 && errno == EINTR)
      ;
  }
  close(ends[0]);
  return end;
}

enum process_end process_run(const char *const *argv, const char *input, size_t length,
                             unsigned limit_ms, const volatile int *stop, struct text *output) {
  struct spawning what = {.argv = argv};
  return run(&what, false, input, length, limit_ms, stop, output);
}

enum process_end process_run_apart(const char *folder, const char *const *argv, const char *input,
                                   size_t length, unsigned limit_ms, const volatile int *stop,
                                   struct text *output) {
  struct spawning what = {.folder = folder, .argv = argv};
  return run(&what, true, input, length, limit_ms, stop, output);
}
