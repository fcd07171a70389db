/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "cli/command/command.h"
#include "cli/present/findings.h"

struct command {
  const char *name;
  enum status (*run)(const struct options *options);
};

static const struct command commands[] = {
#define COMMAND(name, function, arguments, summary) {#name, function},
#include "cli/command/commands.def"
#undef COMMAND
};

static const struct command *find_command(const char *name) {
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
    if (strcmp(commands[i].name, name) == 0)
      return &commands[i];
  return NULL;
}

static enum status unknown_command(const char *name) {
  const char *best = NULL;
  size_t least = 4;
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
    size_t distance = text_distance(commands[i].name, name);
    if (distance < least)
      least = distance, best = commands[i].name;
  }
  fprintf(stderr, "tailproof: unknown command \"%s\"; ", name);
  if (best != NULL)
    fprintf(stderr, "did you mean %s?\n", best);
  else
    fprintf(stderr, "see tailproof --help\n");
  return STATUS_USAGE;
}

/* A document comes at the end, with everything that was found. */
static enum status run_command(const struct command *command, struct options *options) {
  struct findings findings = {0};
  bool document = options->format == OUTPUT_SARIF || options->format == OUTPUT_JUNIT;
  options->findings = document ? &findings : NULL;
  enum status status = command->run(options);
  if (document && status != STATUS_USAGE)
    (options->format == OUTPUT_SARIF ? sarif_print : junit_print)(&findings);
  findings_clear(&findings);
  return status;
}

static enum status run(const struct command *command, int argc, char **argv) {
  struct options options;
  enum status status = options_read(&options, command->name, argc, argv);
  if (status == STATUS_OK && options.help)
    options_command_help(stdout, command->name);
  else if (status == STATUS_OK)
    status = run_command(command, &options);
  options_clear(&options);
  return status;
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
    options_help(stderr);
    return STATUS_USAGE;
  }
  if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
      strcmp(argv[1], "help") == 0) {
    options_help(stdout);
    return (int)flushed(STATUS_OK);
  }
  if (strcmp(argv[1], "--version") == 0) {
    printf("tailproof %s (%s)\n", TAILPROOF_VERSION, smt_name());
    return (int)flushed(STATUS_OK);
  }
  const struct command *command = find_command(argv[1]);
  if (command == NULL)
    return (int)unknown_command(argv[1]);
  return (int)flushed(run(command, argc - 1, argv + 1));
}
