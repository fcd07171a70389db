/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A replicated state machine: 2 f + 1 replicas agree by Multi-Paxos on a sequence of commands to a
 * few counters, in the ten-slot loop of IronRSL, over UDP between processes. README.md says what is
 * measured.
 */
#include "examples/common/complain.h"
#include "examples/common/folder.h"
#include "examples/common/gate.h"
#include "examples/common/options.h"
#include "examples/common/recorder.h"
#include "examples/multi_paxos/node.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct run {
  struct settings settings;
  struct network_options network;
  const char *out;
  struct run_folder folder;
  char loop_folder[PATH_MAX + 8];
  struct shared *shared;
};

static const char about[] =
    "A replicated state machine over UDP on this host: 2 f + 1 replicas that agree by Multi-Paxos, "
    "and\n"
    "a client; what each part of a request takes is recorded, for specs/multi_paxos.tp. With "
    "--kills\n"
    "the leader is killed during a request, for specs/performal/ironrsl_leader_failure.tp.";

static void options_read(struct run *run, int count, char **arguments) {
  struct settings *s = &run->settings;
  struct option_row rows[16 + NETWORK_OPTION_ROWS] = {
      {"out", "DIR", "where the recording goes; must not exist, or be empty", .text = &run->out},
      {"failures", "N", "f: there are 2 f + 1 replicas", .number = &s->failures, .least = 1,
       .most = 2},
      {"requests", "N", "how many", .number = &s->requests, .least = 1, .most = 1000000},
      {"kills", "N", "runs in each of which the leader is killed", .number = &s->kills, .least = 0,
       .most = 1000},
      {"slot-us", "N", "mean microseconds of a slot of the loop", .number = &s->slot_us, .least = 0,
       .most = 100000},
      {"timeout-us", "N", "how long a replica waits for a packet", .number = &s->timeout_us,
       .least = 1, .most = 1000000},
      {"epoch-ms", "N", "two of these without an answer: the leader is suspected",
       .number = &s->epoch_ms, .least = 1, .most = 60000},
      {"heartbeat-ms", "N", "between heartbeats", .number = &s->heartbeat_ms, .least = 1,
       .most = 60000},
      {"retry-ms", "N", "the client asks all again", .number = &s->retry_ms, .least = 1,
       .most = 60000},
      {"think-us", "N", "the client's longest pause", .number = &s->think_us, .least = 0,
       .most = 1000000},
  };
  size_t known = 10;
  known += network_option_rows(rows + known, &run->network);
  options_parse("multi_paxos", about, rows, known, count, arguments);
  if (run->out == NULL || *run->out == '\0') {
    complain("--out DIR is missing; see --help");
    exit(EXIT_USAGE);
  }
}

static bool processes_start(struct process_set *set, struct network *network, struct node *nodes,
                            size_t replicas, bool mortal) {
  bool good = true; /* the client is started last: it knows the replicas' process numbers */
  for (size_t i = 0; i < replicas && good; i++) {
    char name[32];
    snprintf(name, sizeof name, "replica %zu", i);
    good =
        process_start(set, name, mortal ? PROCESS_MORTAL : PROCESS_SERVANT, replica_run, &nodes[i]);
  }
  return good &&
         (!network->relayed ||
          process_start(set, "the relay", PROCESS_SERVANT, network_relay, network)) &&
         process_start(set, "the client", PROCESS_WORKER, client_run, &nodes[replicas]);
}

/* All processes once, from the first to the last. EXIT_... */
static int cluster_run(struct run *run, struct trace_options *trace, uint64_t number) {
  size_t replicas = 2 * run->settings.failures + 1;
  struct network_options options = run->network;
  struct network network;
  struct process_set set;
  struct node nodes[REPLICAS_MAX + 1];
  struct history *histories[REPLICAS_MAX];
  bool killed[REPLICAS_MAX] = {run->settings.kills > 0};
  options.seed += number;
  for (size_t i = 0; i < replicas; i++) {
    histories[i] = &run->shared->histories[i];
    histories[i]->count = 0;
  }
  for (size_t i = 0; i <= replicas; i++)
    nodes[i] = (struct node){.settings = &run->settings,
                             .network = &network,
                             .trace = trace,
                             .processes = &set,
                             .shared = run->shared,
                             .index = i};
  run->shared->gate.ready = 0;
  run->shared->gate.expected = (unsigned)replicas + 1;
  run->shared->answered = run->shared->fail_over_ns = 0;
  if (!network_open(&network, &options, replicas + 1))
    return EXIT_FAILED;
  process_set_init(&set);
  if (!processes_start(&set, &network, nodes, replicas, run->settings.kills > 0)) {
    process_kill(&set);
    return EXIT_FAILED;
  }
  int result = process_wait(&set);
  if (result == EXIT_SUCCESS &&
      !histories_agree(histories, replicas, run->shared->answered, killed))
    result = EXIT_FAILED;
  return result;
}

static int kills_run(struct run *run) {
  struct trace_options trace = {.loop_folder = run->folder.store};
  uint64_t fail_overs = 0, longest_ns = 0;
  for (uint64_t i = 0; i < run->settings.kills; i++) {
    int result = cluster_run(run, &trace, i);
    if (result != EXIT_SUCCESS)
      return result;
    uint64_t ns = run->shared->fail_over_ns;
    fail_overs += ns > 0;
    if (ns > longest_ns)
      longest_ns = ns;
  }
  printf("%" PRIu64 " of %" PRIu64
         " requests were answered by another leader than they were sent to, the slowest after %.3f "
         "ms\n",
         fail_overs, run->settings.kills, (double)longest_ns / 1e6);
  bool good = folder_note(&run->folder, "spec specs/performal/ironrsl_leader_failure.tp") &&
              folder_note(&run->folder, "bound reply_published") &&
              folder_note(&run->folder, "set f=%" PRIu64, run->settings.failures) &&
              folder_note(&run->folder, "set EL=%" PRIu64 "ms", run->settings.epoch_ms) &&
              folder_note(&run->folder, "set HB=%" PRIu64 "ms", run->settings.heartbeat_ms) &&
              folder_note(&run->folder, "request fail_over") &&
              folder_note(&run->folder, "option --fresh"); /* its bound has bare names */
  return good ? EXIT_SUCCESS : EXIT_FAILED;
}

static int requests_run(struct run *run) {
  /* A replica records some 10 things a request and 8 more for each replica. */
  uint64_t records = 4096,
           needed = run->settings.requests * (16 + 8 * (2 * run->settings.failures + 1));
  while (records < needed && records < RECORDER_RECORDS_MAX)
    records *= 2;
  struct trace_options trace = {.loop_folder = run->loop_folder,
                                .path = {.folder = run->folder.store,
                                         .records = (uint32_t)records,
                                         .failures = (int32_t)run->settings.failures}};
  if (mkdir(run->loop_folder, 0755) != 0) {
    complain("%s: %s", run->out, strerror(errno));
    return EXIT_FAILED;
  }
  int result = cluster_run(run, &trace, 0);
  if (result != EXIT_SUCCESS)
    return result;
  bool good = folder_note(&run->folder, "spec specs/multi_paxos.tp") &&
              folder_note(&run->folder, "bound reply") &&
              folder_note(&run->folder, "set f=%" PRIu64, run->settings.failures) &&
              folder_note(&run->folder, "request reply") &&
              folder_note(&run->folder, "series loop"); /* what the slots cost is recorded there */
  return good ? EXIT_SUCCESS : EXIT_FAILED;
}

int main(int count, char **arguments) {
  static struct run run = {
      .settings = {.failures = 1,
                   .requests = 4000,
                   .slot_us = 2,
                   .timeout_us = 2000,
                   .epoch_ms = 100,
                   .heartbeat_ms = 20,
                   .retry_ms = 20,
                   .think_us = 500},
      .network = {.delay_us = 300, .spread_us = 300, .seed = 1},
  };
  complain_as("multi_paxos");
  options_read(&run, count, arguments);
  run.shared = shared_memory(sizeof *run.shared);
  if (run.shared == NULL)
    return EXIT_FAILED;
  struct process_set none;
  process_set_init(&none); /* from here on no signal ends the program before it has cleaned up */
  if (!folder_make(&run.folder, run.out))
    return EXIT_FAILED;
  snprintf(run.loop_folder, sizeof run.loop_folder, "%s/loop", run.folder.temporary);
  int result = run.settings.kills > 0 ? kills_run(&run) : requests_run(&run);
  if (result == EXIT_SUCCESS && !folder_keep(&run.folder))
    result = EXIT_FAILED;
  if (result == EXIT_SUCCESS)
    printf("wrote %s\n", run.out);
  else
    folder_remove(&run.folder);
  return result;
}
