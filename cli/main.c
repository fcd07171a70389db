/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The program: finds the command by its name and makes sure that its output was written.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cli/command/help.h"
#include "version.h"
#include "solver/smt/smt.h"

static enum status unknown_command(const char *name) {
  const char *best = NULL;
  size_t least = 4;
  for (const struct command *const *at = commands; *at != NULL; at++) {
    size_t distance = text_distance((*at)->name, name);
    if (distance < least)
      least = distance, best = (*at)->name;
  }
  fprintf(stderr, "tailproof: unknown command \"%s\"; ", name);
  if (best != NULL)
    fprintf(stderr, "did you mean %s?\n", best);
  else
    fprintf(stderr, "see tailproof --help\n");
  return STATUS_USAGE;
}

/* A full disk must not look like success. */
static enum status flushed(enum status status) {
  if (fflush(stdout) == 0 && ferror(stdout) == 0)
    return status;
  fprintf(stderr, "tailproof: the output could not be written\n");
  return STATUS_INTERNAL;
}

int main(int argc, char **argv) {
  signal(SIGXFSZ, SIG_IGN); /* a limit on files is an error like a full disk */
  if (argc < 2) {
    help_print(stderr);
    return STATUS_USAGE;
  }
  if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
      strcmp(argv[1], "help") == 0) {
    help_print(stdout);
    return (int)flushed(STATUS_OK);
  }
  if (strcmp(argv[1], "--version") == 0) {
    printf("tailproof %s (%s)\n", TAILPROOF_VERSION, smt_name());
    return (int)flushed(STATUS_OK);
  }
  const struct command *command = command_find(argv[1]);
  if (command == NULL)
    return (int)unknown_command(argv[1]);
  return (int)flushed(command_run(command, argc - 1, argv + 1));
}
