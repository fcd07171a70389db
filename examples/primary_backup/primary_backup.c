/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The parent of the system (examples/primary_backup/system.h): reads the command line, makes the
 * sockets and the shared memory, forks the nodes and keeps or removes what they recorded.
 */
#include "examples/common/complain.h"
#include "examples/common/options.h"
#include "examples/common/process.h"
#include "examples/primary_backup/system.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const char about[] =
    "A primary sends each request to all backups and replies when all have acknowledged, over UDP\n"
    "on this host; all parts are recorded, for specs/primary_backup.tp.";

enum { OWN_ROWS = 12 };

static void command_line(struct system_options *options, int count, char **arguments) {
  struct option_row rows[OWN_ROWS + NETWORK_OPTION_ROWS] = {
      {.name = "out",
       .value = "DIR",
       .help = "where the recording goes; must not exist, or be empty",
       .text = &options->out},
      {"backups", "N", "backups", &options->backups, 1, BACKUPS_MAX, NULL, NULL},
      {"requests", "N", "requests, one after another", &options->requests, 1, 100000000, NULL,
       NULL},
      {"work-us", "N", "mean microseconds of a backup's work", &options->work_us, 0, 1000000, NULL,
       NULL},
      {"primary-us", "N", "mean microseconds of the primary's for an acknowledgement",
       &options->primary_us, 0, 1000000, NULL, NULL},
      {"tidy-us", "N", "mean microseconds of a backup's housekeeping", &options->tidy_us, 0,
       1000000, NULL, NULL},
      {"tidy-every-us", "N", "mean time between two of them, 0: never", &options->tidy_every_us, 0,
       100000000, NULL, NULL},
      {"pause-us", "N", "mean pause of the client between requests", &options->pause_us, 0, 1000000,
       NULL, NULL},
      {"every-us", "N",
       "mean time from one request falling due to the next, whatever the replies; 0: a request "
       "follows a reply",
       &options->every_us, 0, 100000000, NULL, NULL},
      {.name = "steady",
       .help = "with --every-us: equal times, not random ones",
       .flag = &options->steady},
      {"timeout", "N", "seconds to wait for acknowledgements", &options->timeout_s, 1, 3600, NULL,
       NULL},
      {.name = "busy",
       .help = "backups work by keeping a processor busy, not by sleeping",
       .flag = &options->busy},
  };
  size_t number = OWN_ROWS + network_option_rows(&rows[OWN_ROWS], &options->network);
  options_parse("primary_backup", about, rows, number, count, arguments);
  if (options->out == NULL || *options->out == '\0') {
    complain("--out DIR is missing; see --help");
    exit(EXIT_USAGE);
  }
}

static bool start_all(struct system *system, struct process_set *processes) {
  static struct backup_start backups[BACKUPS_MAX];
  if (system->network.relayed &&
      !process_start(processes, "the relay", PROCESS_SERVANT, network_relay, &system->network))
    return false;
  for (size_t b = 0; b < system->options->backups; b++) {
    char name[32];
    snprintf(name, sizeof name, "backup[%zu]", b);
    backups[b] = (struct backup_start){system, b};
    if (!process_start(processes, name, PROCESS_SERVANT, backup_run, &backups[b]))
      return false;
  }
  return process_start(processes, "the primary", PROCESS_SERVANT, primary_run, system) &&
         process_start(processes, "the client", PROCESS_WORKER, client_run, system);
}

static bool keep(const struct system *system) {
  return folder_note(&system->folder, "spec specs/primary_backup.tp") &&
         folder_note(&system->folder, "bound reply") &&
         folder_note(&system->folder, "set n=%" PRIu64, system->options->backups) &&
         folder_note(&system->folder, "request reply") && folder_keep(&system->folder);
}

static int run(struct system *system, struct process_set *processes) {
  const struct system_options *options = system->options;
  system->board = shared_memory(sizeof *system->board);
  if (system->board == NULL ||
      !network_open(&system->network, &options->network, node_client(system) + 1))
    return EXIT_FAILED;
  system->board->gate.expected = (unsigned)options->backups + 2;
  bool started = start_all(system, processes);
  int result = started ? process_wait(processes) : EXIT_FAILED;
  process_kill(processes);
  if (result != EXIT_SUCCESS)
    return result;
  if (!keep(system))
    return EXIT_FAILED;
  double elapsed = (double)system->board->elapsed_ns * 1e-9;
  printf("%" PRIu64 " backups, %" PRIu64
         " requests in %.3f s: %.1f requests per second\nwrote %s/store\n",
         options->backups, options->requests, elapsed, (double)options->requests / elapsed,
         options->out);
  if (system->board->ignored != 0)
    printf("%llu datagrams that were no message of the run were ignored\n",
           (unsigned long long)system->board->ignored);
  return EXIT_SUCCESS;
}

int main(int count, char **arguments) {
  struct system_options options = {.backups = 3,
                                   .requests = 8000,
                                   .timeout_s = 10,
                                   .pause_us = 50,
                                   .primary_us = 10,
                                   .work_us = 100,
                                   .tidy_us = 100,
                                   .tidy_every_us = 3000,
                                   .network = {.delay_us = 200, .spread_us = 200}};
  static struct system system;
  static struct process_set processes;
  command_line(&options, count, arguments);
  system.options = &options;
  process_set_init(&processes);
  if (!folder_make(&system.folder, options.out))
    return EXIT_FAILED;
  int result = run(&system, &processes);
  if (result != EXIT_SUCCESS)
    folder_remove(&system.folder);
  return result;
}
