/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE /* pipe2 */
#include "trace/stacks/printed.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "format/tell.h"

enum { WORDS_MOST = 8 };

static const struct printer {
  enum format_id id;
  const char *what, *by_hand;
  const char *words[WORDS_MOST]; /* before the path */
} printers[] = {
    {KNOWN_PERF_DATA,
     "a recording of perf (perf.data)",
     "perf script -i",
     {"perf", "script", "-i"}},
    {KNOWN_JFR,
     "a recording of Java (JFR)",
     "jfr print --events jdk.ExecutionSample --stack-depth 1000",
     {"jfr", "print", "--events", "jdk.ExecutionSample", "--stack-depth", "1000"}},
};

static const struct printer *printer_of(struct slice ahead, const char *name) {
  enum format_id id = format_tell_bytes(ahead, name).id;
  for (size_t i = 0; i < sizeof printers / sizeof *printers; i++)
    if (printers[i].id == id)
      return &printers[i];
  return NULL;
}

bool stack_printed_is(struct slice ahead, const char *name) {
  return printer_of(ahead, name) != NULL;
}

enum status stack_printed_refuse(struct slice ahead, const char *name, struct text *message) {
  const struct printer *printer = printer_of(ahead, name);
  text_format(
      message,
      "%s: is %s; print it: %s %s >OUT (this is done where %s is installed, of a file that is "
      "not compressed)",
      name, printer->what, printer->by_hand, name, printer->words[0]);
  return STATUS_DATA;
}

/* Standard output goes into the pipe; what it complains of is said by our message. */
static int start(pid_t *process, const struct printer *printer, const char *path, int out) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  sigset_t pipe_signal;
  char *words[WORDS_MOST + 2] = {NULL};
  size_t count = 0;
  for (; printer->words[count] != NULL; count++)
    memcpy(&words[count], &printer->words[count], sizeof *words); /* never written */
  memcpy(&words[count], &path, sizeof *words);
  sigemptyset(&pipe_signal);
  sigaddset(&pipe_signal, SIGPIPE);
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigdefault(&attributes, &pipe_signal);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  int error = posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  error = error == 0 ? posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO) : error;
  error = error == 0
              ? posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
              : error;
  error = error == 0 ? posix_spawnp(process, words[0], &files, &attributes, words, environ) : error;
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  return error;
}

enum status stack_printed_open(struct stack_printed *printed, struct stack_lines *lines,
                               const char *path, struct text *message) {
  const struct printer *printer = printer_of(stack_lines_ahead(lines), path);
  int ends[2];
  struct text from = {0}, plain = {0};
  *printed = (struct stack_printed){.path = path, .program = printer->words[0]};
  if (strcmp(path, "-") == 0 || pipe2(ends, O_CLOEXEC) != 0)
    return stack_printed_refuse(stack_lines_ahead(lines), file_name(path), message);
  text_format(&plain, "%s%s", path[0] == '-' ? "./" : "", path); /* no option */
  int error = start(&printed->process, printer, text_get(&plain), ends[1]);
  text_clear(&plain);
  close(ends[1]);
  enum status status = STATUS_DATA;
  if (error != 0) {
    printed->process = 0;
    stack_printed_refuse(stack_lines_ahead(lines), file_name(path), message);
  } else {
    stack_lines_close(lines);
    text_format(&from, "/dev/fd/%d", ends[0]);
    struct text ignored = {0};
    status = stack_lines_open(lines, text_get(&from), &ignored);
    lines->name = file_name(path);
    if (status != STATUS_OK) /* printed nothing: stack_printed_close says why */
      status = STATUS_DATA;
    text_clear(&ignored);
    text_clear(&from);
  }
  close(ends[0]);
  return status;
}

enum status stack_printed_close(struct stack_printed *printed, enum status status,
                                struct text *message) {
  int ended = 0;
  if (printed->process == 0)
    return status;
  while (waitpid(printed->process, &ended, 0) < 0 && errno == EINTR)
    continue;
  printed->process = 0;
  bool failed = (WIFEXITED(ended) && WEXITSTATUS(ended) != 0) ||
                (WIFSIGNALED(ended) && WTERMSIG(ended) != SIGPIPE);
  if (!failed && (status == STATUS_OK || message->length != 0))
    return status;
  message->length = 0;
  text_format(message, "%s: %s cannot print it; see what it says: %s", file_name(printed->path),
              printed->program,
              strcmp(printed->program, "perf") == 0
                  ? "perf script -i FILE"
                  : "jfr print --events jdk.ExecutionSample FILE");
  return STATUS_DATA;
}
