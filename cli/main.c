/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The program: finds the command by its name and makes sure that its output was written.
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "cli/command/help.h"
#include "cli/command/installed.h"
#include "version.h"
#include "solver/smt/smt.h"

/* A full disk must not look like success. */
static enum status flushed(enum status status) {
  if (fflush(stdout) == 0 && ferror(stdout) == 0)
    return status;
  fprintf(stderr, "tailproof: the output could not be written\n");
  return STATUS_INTERNAL;
}

/* A command that is a question of another one now: "pair X" is run as "record pair X". */
static enum status run_renamed(int argc, char **argv) {
  const char *now = command_renamed(argv[1]);
  size_t length = strcspn(now, " ");
  char *name = mem_copy_text(now, length);
  char **arguments = mem_alloc((size_t)argc + 1, sizeof *arguments);
  fprintf(stderr, "tailproof: %s is %s now; the old name goes with the next version\n", argv[1],
          now);
  arguments[0] = name;
  arguments[1] = (char *)(uintptr_t)(now + length + 1);
  memcpy(arguments + 2, argv + 2, (size_t)(argc - 2) * sizeof *arguments);
  enum status status = command_run(command_find(name), argc, arguments);
  mem_free(arguments);
  mem_free(name);
  return status;
}

int main(int argc, char **argv) {
  signal(SIGXFSZ, SIG_IGN); /* a limit on files is an error like a full disk */
  if (argc < 2) {
    help_print(stderr);
    return STATUS_USAGE;
  }
  bool help = strcmp(argv[1], "help") == 0;
  if (help && argc > 2)
    return (int)flushed(help_of(stdout, argv[2], argc > 3 ? argv[3] : NULL));
  if (help || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
    help_print(stdout);
    return (int)flushed(STATUS_OK);
  }
  if (strcmp(argv[1], "--version") == 0) {
    printf("tailproof %s (%s)\n", TAILPROOF_VERSION, smt_name());
    return (int)flushed(STATUS_OK);
  }
  const struct command *command = command_find(argv[1]);
  if (command == NULL && command_renamed(argv[1]) != NULL)
    return (int)flushed(run_renamed(argc, argv));
  if (command == NULL)
    return (int)help_unknown(argv[1]);
  enum status status = command_run(command, argc - 1, argv + 1);
  if (status == STATUS_NO_INPUT)
    installed_hint((const char *const *)argv);
  return (int)flushed(status);
}
