/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sends requests when they are due, over keep-alive connections to one server of this host. A
 * request that finds no free connection waits for one, and this counts: its latency is that from
 * the moment it was due.
 */
#ifndef EXAMPLES_LOAD_VISIT_H
#define EXAMPLES_LOAD_VISIT_H

#include "examples/load/arrivals.h"

struct visit_options {
  const struct arrival_routes *routes;
  uint16_t port;
  size_t connections;   /* at most */
  uint64_t patience_ns; /* to wait for answers after the last request */
};

/* Fills in latency and status of the arrivals, which are in the order they are due. 0, or an exit
 * code after a complaint. *late_ns: by how much this program itself was late at most. */
int visit_all(struct arrival *arrivals, size_t count, const struct visit_options *options,
              uint64_t *late_ns);

#endif
