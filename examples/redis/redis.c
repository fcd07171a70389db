/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Redis as a system that we did not write: a primary, its replicas, and a client that does SET and
 * WAIT, seen from outside. This program starts Debian's redis-server, stands between all of them as
 * the network, and records the protocol specs/redis_wait.tp from the bytes that pass.
 */
#include "examples/common/complain.h"
#include "examples/common/folder.h"
#include "examples/common/options.h"
#include "examples/common/process.h"
#include "examples/redis/servers.h"
#include "examples/redis/session.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char about[] =
    "Starts a Redis primary with replicas on this host, has a client write with SET and WAIT, and\n"
    "records how long each part takes, for specs/redis_wait.tp.\n";

struct run {
  struct session_options session;
  struct process_set processes;
  struct run_folder folder;
  struct server servers[1 + REPLICAS_MAX];
  char servers_folder[PATH_MAX + 8];
};

static bool servers_start(struct run *run) {
  for (uint64_t i = 0; i <= run->session.replicas; i++) {
    struct server *server = &run->servers[i];
    memcpy(server->folder, run->servers_folder, sizeof server->folder);
    if (i == 0)
      snprintf(server->name, sizeof server->name, "primary");
    else {
      snprintf(server->name, sizeof server->name, "replica[%" PRIu64 "]", i - 1);
      run->session.listeners[i - 1] = server_listen(&server->primary_port);
      if (run->session.listeners[i - 1] < 0)
        return false;
    }
    if (!server_start(server, &run->processes))
      return false;
  }
  run->session.primary_port = run->servers[0].port;
  return true;
}

static void servers_folder_remove(const struct run *run) {
  DIR *folder = opendir(run->servers_folder);
  const struct dirent *entry;
  while (folder != NULL && (entry = readdir(folder)) != NULL) {
    char path[2 * PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", run->servers_folder, entry->d_name);
    unlink(path); /* fails for "." and ".." */
  }
  if (folder != NULL)
    closedir(folder);
  rmdir(run->servers_folder);
}

static int run_all(struct run *run) {
  const struct session_options *session = &run->session;
  if (!servers_start(run) ||
      !process_start(&run->processes, "measurer", PROCESS_WORKER, session_run, &run->session)) {
    process_kill(&run->processes);
    return EXIT_FAILED;
  }
  int result = process_wait(&run->processes);
  if (result == EXIT_SUCCESS && !(folder_note(&run->folder, "spec specs/redis_wait.tp") &&
                                  folder_note(&run->folder, "bound reply") &&
                                  folder_note(&run->folder, "set n=%" PRIu64, session->replicas) &&
                                  folder_note(&run->folder, "set k=%" PRIu64, session->acks) &&
                                  folder_note(&run->folder, "request round")))
    result = EXIT_FAILED;
  return result;
}

static void options_check(struct session_options *session, const char *out) {
  if (session->acks == 0)
    session->acks = session->replicas;
  if (out != NULL && session->acks <= session->replicas)
    return;
  if (out == NULL)
    complain("--out DIR is missing; see --help");
  else
    complain("--acks %" PRIu64 " of %" PRIu64 " replicas", session->acks, session->replicas);
  exit(EXIT_USAGE);
}

static void options_read(struct run *run, const char **out, int count, char **arguments) {
  struct session_options *session = &run->session;
  const struct option_row rows[] = {
      {.name = "out",
       .value = "DIR",
       .help = "where the recording goes; must not exist, or be empty",
       .text = out},
      {.name = "replicas",
       .value = "N",
       .help = "replicas",
       .number = &session->replicas,
       .least = 1,
       .most = REPLICAS_MAX},
      {.name = "acks",
       .value = "K",
       .help = "how many of them WAIT waits for (0: all)",
       .number = &session->acks,
       .least = 0,
       .most = REPLICAS_MAX},
      {.name = "requests",
       .value = "N",
       .help = "requests to record",
       .number = &session->requests,
       .least = 1,
       .most = 300000},
      {.name = "delay-us",
       .value = "N",
       .help = "least delay of a message",
       .number = &session->delay_us,
       .least = 0,
       .most = 100000},
      {.name = "spread-us",
       .value = "N",
       .help = "mean of the exponential part of a delay",
       .number = &session->spread_us,
       .least = 0,
       .most = 100000},
      {.name = "pause-us",
       .value = "N",
       .help = "mean pause of the client between requests",
       .number = &session->pause_us,
       .least = 0,
       .most = 1000000},
      {.name = "seed",
       .value = "N",
       .help = "of the delays",
       .number = &session->seed,
       .least = 0,
       .most = UINT32_MAX},
      {.name = "timeout",
       .value = "N",
       .help = "seconds to wait for a reply",
       .number = &session->timeout_s,
       .least = 1,
       .most = 3600},
  };
  options_parse("redis", about, rows, sizeof rows / sizeof *rows, count, arguments);
  options_check(session, *out);
}

int main(int count, char **arguments) {
  static struct run run = {.session = {.replicas = 2,
                                       .requests = 4000,
                                       .timeout_s = 10,
                                       .seed = 1,
                                       .delay_us = 400,
                                       .spread_us = 200}};
  const char *out = NULL;
  complain_as("redis");
  options_read(&run, &out, count, arguments);
  if (!servers_present())
    return EXIT_MISSING;
  process_set_init(&run.processes);
  if (!folder_make(&run.folder, out))
    return EXIT_FAILED;
  run.session.store = run.folder.store;
  snprintf(run.servers_folder, sizeof run.servers_folder, "%s/redis", run.folder.temporary);
  int result = EXIT_FAILED;
  if (mkdir(run.servers_folder, 0755) != 0)
    complain("%s cannot be made", run.servers_folder);
  else
    result = run_all(&run);
  servers_folder_remove(&run);
  if (result == EXIT_SUCCESS && !folder_keep(&run.folder))
    result = EXIT_FAILED;
  if (result != EXIT_SUCCESS)
    folder_remove(&run.folder);
  else
    printf("%" PRIu64 " requests to a primary with %" PRIu64 " replicas, WAIT %" PRIu64
           "; wrote %s/store\n",
           run.session.requests, run.session.replicas, run.session.acks, out);
  return result;
}
