/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Redis servers of a run: children of the run's parent, on free ports of 127.0.0.1, without files
 * of their own but the log.
 */
#ifndef EXAMPLES_REDIS_SERVERS_H
#define EXAMPLES_REDIS_SERVERS_H

#include "examples/common/process.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

struct server {
  char name[32];             /* "primary", "replica[1]" */
  char folder[PATH_MAX + 8]; /* where its log goes; must exist */
  uint16_t port;
  uint16_t primary_port; /* where a replica finds its primary; 0 for the primary */
};

/* Whether there is a redis-server at all; a complaint with the remedy if not. */
bool servers_present(void);

/* Fills server->port with one that is free now and starts the process. False after a complaint. */
bool server_start(struct server *server, struct process_set *set);

/* Connects to 127.0.0.1:port, trying for up to `seconds`. The socket (without delay), or -1 after a
 * complaint. */
int server_connect(uint16_t port, const char *name, unsigned seconds);

/* A socket that listens on a free port of 127.0.0.1; -1 after a complaint. */
int server_listen(uint16_t *port);

#endif
