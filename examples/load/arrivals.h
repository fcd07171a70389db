/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Requests of an open loop: when each is to be sent and what it asks for is decided before the
 * first one is sent, by the seed alone. So a server that stalls meets the requests that came
 * meanwhile, as users would, and two runs with one seed send the same.
 */
#ifndef EXAMPLES_LOAD_ARRIVALS_H
#define EXAMPLES_LOAD_ARRIVALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ARRIVAL_ROUTES_MAX = 32, ARRIVAL_PATH_MAX = 200 };

struct arrival_route {
  char path[ARRIVAL_PATH_MAX]; /* "/page"; '#' stands for the number of the request */
  uint64_t weight;
};

struct arrival_routes {
  struct arrival_route all[ARRIVAL_ROUTES_MAX];
  size_t count;
  uint64_t weight; /* of all, >= 1 */
};

/* Reads "/page*9,/report" (weight 1). false: not such a list. */
bool arrival_routes_read(struct arrival_routes *routes, const char *text);

struct arrival {
  uint64_t due_ns;     /* after the start */
  uint64_t latency_ns; /* from due to the last byte of the answer; 0: none yet */
  uint16_t route;
  uint16_t status; /* 200; 0: no answer */
};

struct arrivals_wanted {
  const struct arrival_routes *routes;
  uint64_t rate;    /* a second, >= 1 */
  uint64_t seconds; /* >= 1 */
  uint64_t seed;
  bool constant; /* equal gaps; otherwise a Poisson process */
};

/* Owned by the caller (free); NULL: no memory. At least one. */
struct arrival *arrivals_make(const struct arrivals_wanted *wanted, size_t *count);

#endif
