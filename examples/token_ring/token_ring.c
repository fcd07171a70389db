/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The parent of the ring (examples/token_ring/ring.h): reads the command line, makes the sockets
 * and the shared memory, forks the nodes and keeps or removes what they recorded.
 */
#define _GNU_SOURCE /* sched_setaffinity */
#include "examples/common/complain.h"
#include "examples/common/options.h"
#include "examples/common/process.h"
#include "examples/token_ring/ring.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char about[] =
    "Passes a token around a ring of processes over UDP on this host and records how long each\n"
    "part of a lap takes, for specs/lock.tp.";

enum { OWN_ROWS = 9 };

static void command_line(struct ring_options *options, int count, char **arguments) {
  struct option_row rows[OWN_ROWS + NETWORK_OPTION_ROWS] = {
      {.name = "out",
       .value = "DIR",
       .help = "where the recording goes; must not exist, or be empty",
       .text = &options->out},
      {.name = "nodes",
       .value = "N",
       .help = "processes in the ring",
       .number = &options->nodes,
       .least = 1,
       .most = NETWORK_NODES_MAX},
      {.name = "laps",
       .value = "N",
       .help = "how often the token goes around",
       .number = &options->laps,
       .least = 1,
       .most = 100000000},
      {.name = "work-us",
       .value = "N",
       .help = "mean microseconds of work in a step",
       .number = &options->work_us,
       .most = 1000000},
      {.name = "pause-us",
       .value = "N",
       .help = "mean microseconds that the first node keeps the token between laps",
       .number = &options->pause_us,
       .most = 1000000},
      {.name = "timeout",
       .value = "N",
       .help = "seconds to wait for the token before giving up",
       .number = &options->timeout_s,
       .least = 1,
       .most = 3600},
      {.name = "plain", .help = "record nothing, only tell the speed", .flag = &options->plain},
      {.name = "sleep",
       .help = "work by sleeping, not by keeping a processor busy",
       .flag = &options->sleeping},
      {.name = "one-core",
       .help = "all nodes share one processor, so that no scheduler moves them",
       .flag = &options->one_core},
  };
  size_t number = OWN_ROWS + network_option_rows(&rows[OWN_ROWS], &options->network);
  options_parse("token_ring", about, rows, number, count, arguments);
  if (options->plain == (options->out != NULL && *options->out != '\0')) {
    complain(options->plain ? "--plain records nothing, so that there is nothing for --out"
                            : "--out DIR is missing; see --help");
    exit(EXIT_USAGE);
  }
  if (options->nodes *
              (3 * options->work_us + options->network.delay_us + options->network.spread_us) +
          3 * options->pause_us >=
      options->timeout_s * 1000000) {
    complain("a lap of %" PRIu64 " nodes with --work-us %" PRIu64 " and --pause-us %" PRIu64
             " can take longer than --timeout %" PRIu64,
             options->nodes, options->work_us, options->pause_us, options->timeout_s);
    exit(EXIT_USAGE);
  }
}

/* The parent's processor from now on, and its children's. */
static bool one_core_take(void) {
  cpu_set_t processors;
  int here = sched_getcpu();
  CPU_ZERO(&processors);
  CPU_SET((size_t)(here < 0 ? 0 : here), &processors);
  if (sched_setaffinity(0, sizeof processors, &processors) == 0)
    return true;
  complain("--one-core: %s", strerror(errno));
  return false;
}

static bool start_all(struct ring *ring, struct process_set *processes,
                      struct ring_node nodes[NETWORK_NODES_MAX]) {
  if (ring->options->one_core && !one_core_take())
    return false;
  if (ring->network.relayed &&
      !process_start(processes, "the relay", PROCESS_SERVANT, network_relay, &ring->network))
    return false;
  for (size_t i = 0; i < ring->options->nodes; i++) {
    char name[32];
    snprintf(name, sizeof name, "node %zu", i);
    nodes[i] = (struct ring_node){ring, i};
    if (!process_start(processes, name, PROCESS_WORKER, ring_node_run, &nodes[i]))
      return false;
  }
  return true;
}

/* Adds up what all nodes measured, and checks that the parts cover the rounds. */
static bool results_add_up(const struct ring *ring, struct node_result *all) {
  uint64_t laps = ring->options->laps, hops = ring->options->nodes * laps;
  *all = (struct node_result){0};
  for (size_t i = 0; i < ring->options->nodes; i++) {
    const struct node_result *one = &ring->results->nodes[i];
    for (size_t part = 0; part < PARTS; part++) {
      all->ticks[part] += one->ticks[part];
      all->counts[part] += one->counts[part];
    }
    all->ignored += one->ignored;
  }
  if (ring->options->plain ||
      (all->ticks[PART_ROUND] ==
           all->ticks[PART_GRANT] + all->ticks[PART_DELAY] + all->ticks[PART_ACCEPT] &&
       all->counts[PART_GRANT] == hops && all->counts[PART_DELAY] == hops &&
       all->counts[PART_ACCEPT] == hops && all->counts[PART_ROUND] == laps))
    return true;
  complain("the rounds are not the sum of their parts; this is a bug, nothing is written");
  return false;
}

static bool keep(const struct ring *ring) {
  return ring->options->plain ||
         (folder_note(&ring->folder, "spec specs/lock.tp") &&
          folder_note(&ring->folder, "bound full_circle") &&
          folder_note(&ring->folder, "set n=%" PRIu64, ring->options->nodes) &&
          folder_note(&ring->folder, "request round") && folder_keep(&ring->folder));
}

static void report(const struct ring *ring, const struct node_result *all) {
  double elapsed = (double)ring->results->elapsed_ns * 1e-9;
  printf("%" PRIu64 " nodes, %" PRIu64 " laps in %.3f s: %.1f laps per second\n",
         ring->options->nodes, ring->options->laps, elapsed, (double)ring->options->laps / elapsed);
  if (!ring->options->plain)
    printf("a round is the sum of its Grant, d and Accept to the tick of the clock\nwrote "
           "%s/store\n",
           ring->options->out);
  if (all->ignored != 0)
    printf("%" PRIu64 " datagrams that were not the token were ignored\n", all->ignored);
}

static int run(struct ring *ring, struct process_set *processes) {
  static struct ring_node nodes[NETWORK_NODES_MAX];
  struct node_result all;
  ring->results = shared_memory(sizeof *ring->results);
  if (ring->results == NULL ||
      !network_open(&ring->network, &ring->options->network, (size_t)ring->options->nodes))
    return EXIT_FAILED;
  ring->results->gate.expected = (unsigned)ring->options->nodes;
  bool started = start_all(ring, processes, nodes);
  int result = started ? process_wait(processes) : EXIT_FAILED;
  process_kill(processes);
  if (result != EXIT_SUCCESS)
    return result;
  if (!results_add_up(ring, &all) || !keep(ring))
    return EXIT_FAILED;
  report(ring, &all);
  return EXIT_SUCCESS;
}

int main(int count, char **arguments) {
  struct ring_options options = {.nodes = 4, .laps = 20000, .work_us = 20, .timeout_s = 10};
  static struct ring ring;
  static struct process_set processes;
  command_line(&options, count, arguments);
  ring.options = &options;
  process_set_init(&processes);
  if (!options.plain && !folder_make(&ring.folder, options.out))
    return EXIT_FAILED;
  int result = run(&ring, &processes);
  if (result != EXIT_SUCCESS && !options.plain)
    folder_remove(&ring.folder);
  return result;
}
