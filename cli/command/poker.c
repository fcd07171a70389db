/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `tailproof poker`: its options, handed to measure/throughput/poker/poker.h.
 */
#include "cli/command/option.h"
#include "measure/throughput/poker/poker.h"

#include <string.h>

/* PAUSER_* in the order of the words of --pause. */
static const enum pauser_mode modes[] = {PAUSER_AUTO, PAUSER_FREEZE, PAUSER_SIGNAL};

struct arguments {
  struct command_line line;
  const char *name, *listen, *key, *proxy, *relay, *ready, *latencies;
  unsigned mode; /* of `modes` */
  texts neighbours;
  bool count_pipe, leash;
};

#define FIELD(name) offsetof(struct arguments, name)

static const struct option_row rows[] = {
    OPTION("name", 0, "NAME", "what the service is called", option_text, FIELD(name)),
    OPTION("listen", 0, "HOST:PORT", "where neighbours and who directs connect; port 0: any",
           option_text, FIELD(listen)),
    OPTION("key", 0, "FILE",
           "key that all share, at least 16 bytes; needed unless --listen is loopback", option_text,
           FIELD(key)),
    OPTION("neighbour", 0, "HOST:PORT", "the poker of a service that this one calls; repeatable",
           option_texts, FIELD(neighbours)),
    OPTION_WORDS("pause", 0, "HOW",
                 "by freeze (cgroup v2), signal (SIGSTOP) or auto (default: freeze where it works)",
                 option_choice, FIELD(mode), "auto freeze signal"),
    OPTION("proxy", 0, "LISTEN=BACKEND",
           "also forward HTTP/1.1 from LISTEN to the service at BACKEND, and count its requests",
           option_text, FIELD(proxy)),
    OPTION("relay", 0, "LISTEN=BACKEND",
           "likewise for Redis, PostgreSQL, MySQL, HTTP/2 and any other protocol over TCP",
           option_text, FIELD(relay)),
    OPTION("count-pipe", 0, NULL,
           "each byte written to the FIFO $TAILPROOF_POKER_COUNT is a request that begins",
           option_flag, FIELD(count_pipe)),
    OPTION("leash", 0, NULL,
           "end the service with this program, also when that is killed; kill it 3 s after SIGTERM",
           option_flag, FIELD(leash)),
    OPTION("latencies", 0, "FILE",
           "write here how long each request took, and how much of that was paused", option_path,
           FIELD(latencies)),
    OPTION("ready", 0, "FILE", "write the address here when all is ready", option_text,
           FIELD(ready)),
    {0},
};

static enum status complain(const char *what) {
  fprintf(stderr, "tailproof poker: %s\n", what);
  return STATUS_USAGE;
}

static enum status run(const void *given) {
  const struct arguments *options = given;
  if (options->name == NULL || options->listen == NULL)
    return complain("name a service and where to listen, such as --name cart --listen "
                    "127.0.0.1:7000");
  if (options->line.file_count == 0)
    return complain("name a program: tailproof poker ... -- CMD ARGS");
  const struct poker_options poker = {
      .name = options->name,
      .listen = options->listen,
      .key = options->key,
      .neighbours = options->neighbours.data,
      .neighbour_count = options->neighbours.count,
      .mode = modes[options->mode],
      .proxy = options->proxy,
      .relay = options->relay,
      .count_pipe = options->count_pipe,
      .leash = options->leash,
      .latencies = options->latencies,
      .ready = options->ready,
      .command = (char *const *)(uintptr_t)options->line.files,
  };
  return (enum status)poker_run(&poker);
}

const struct command poker_command = {
    "poker",
    "-- CMD ARGS...",
    "run a service that can be paused together with its neighbours",
    rows,
    sizeof(struct arguments),
    NULL,
    run,
    NULL};
