/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * An objective that the agent watches: "99 % of the latencies of a component are below 50 ms", of a
 * store that a program records into. Looked at in periods: what was recorded since the last look.
 *
 * It is breached when more were above the limit than chance explains: with n new latencies, k of
 * them above, and a share of 1 - p allowed, if P(Binomial(n, 1 - p) >= k) < 1 %. Latencies count by
 * the lower edge of their bucket, so that none counts as above that was not.
 */
#ifndef MEASURE_AGENT_OBJECTIVE_H
#define MEASURE_AGENT_OBJECTIVE_H

#include "measure/agent/config.h"
#include "measure/core/histogram.h"

enum objective_verdict {
  OBJECTIVE_KEPT,
  OBJECTIVE_BREACHED,
  OBJECTIVE_NOTHING, /* was recorded, or it is the first look at this store */
  OBJECTIVE_UNREAD,  /* no such store or series, or it is damaged: see `message` */
};

struct objective {
  const struct objective_config *config;
  char path[4200]; /* of the store that was read; another one begins anew */
  struct histogram last, now;
  uint64_t above, of;          /* of the last look */
  char message[AGENT_MESSAGE]; /* why the store could not be read */
};

/* `config` must outlive it. */
void objective_init(struct objective *objective, const struct objective_config *config);

/* Reads the store: a .tps file, or the newest of a folder. */
enum objective_verdict objective_look(struct objective *objective);

/* How many of the values that are in `now` and not in `last` are above the limit. */
void objective_count(uint64_t *above, uint64_t *of, const struct histogram *now,
                     const struct histogram *last, uint64_t limit_ns);

bool objective_breached(uint64_t above, uint64_t of, double allowed);

#endif
