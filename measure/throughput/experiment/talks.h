/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Whom the services of an experiment talk to over TCP: what a request may wait for and the plan does
 * not know of. From /proc/net/tcp, tcp6 and /proc/PID/fd, of connections that are open at a moment
 * and that the service has opened. Not seen: Unix sockets, UDP, other network namespaces, and
 * connections that are made and closed between two looks.
 */
#ifndef MEASURE_THROUGHPUT_EXPERIMENT_TALKS_H
#define MEASURE_THROUGHPUT_EXPERIMENT_TALKS_H

#include "measure/throughput/experiment/processors.h"

#define TALKS_TEXT 200

struct talks {
  /* "127.0.0.1:6379 (redis-server), 10.0.0.5:5432": who is not in the plan; "": nobody was seen. */
  char outside[PLAN_SERVICES][TALKS_TEXT];
  /* Likewise: services of the plan that count at a proxy or relay, which this goes past. */
  char past[PLAN_SERVICES][TALKS_TEXT];
  /* Likewise: services of the plan, by way of their proxies and relays. */
  char inside[PLAN_SERVICES][TALKS_TEXT];
  /* What its relay has counted by, "RESP, turns", or its proxy has refused, "TLS"; "": nothing. */
  char relayed[PLAN_SERVICES][TALKS_TEXT], refused[PLAN_SERVICES][TALKS_TEXT];
};

/* The last two, of POKE_FLAGS of a service. */
void talks_spoken(struct talks *talks, uint32_t service, uint64_t flags);

/* Adds those that there are now. Of a plan with services that run under pokers elsewhere, whose
 * processes are not known, nothing is said. */
void talks_look(struct talks *talks, const struct experiment_plan *plan,
                const struct processor_roots *roots);

#endif
