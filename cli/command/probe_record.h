/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `tailproof record --probes`: what a program does, seen from outside.
 */
#ifndef CLI_COMMAND_PROBE_RECORD_H
#define CLI_COMMAND_PROBE_RECORD_H

#include "cli/command/option.h"
#include "cli/present/output.h"

struct probe_record {
  const char *probes;
  texts pids;
  const char *keep, *out; /* out: the folder of the stores; NULL: none are made */
  const char *means;      /* NULL, bpf, perf */
  unsigned seconds;
  unsigned rotate, files; /* MB of a file of events, and how many are kept; 0: one, and all */
  const char *ready_file;
  unsigned ready_fd; /* 0: none */
  bool dry_run;
  bool reopen; /* SIGHUP ends the file of events, and another one follows */
  struct output_options output;
};

/* Also of a program that ended badly: its exit code. */
enum status probe_record_run(const struct command_line *line, const struct probe_record *record);

#endif
