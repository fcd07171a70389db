/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Requests of an open loop: when each is due is decided before the first one is sent.
 *
 * So a server that stalls meets the requests that came meanwhile, as it would with users, and two
 * runs with one seed send the same.
 */
#ifndef MEASURE_LOAD_ARRIVALS_H
#define MEASURE_LOAD_ARRIVALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/text.h"
#include "base/vector.h"

enum { ARRIVAL_ROUTES_MAX = 32, ARRIVAL_PATH_MAX = 200, ARRIVALS_MAX = 100000000 };

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

enum arrival_end {
  ARRIVAL_OPEN,     /* not yet answered */
  ARRIVAL_GOOD,     /* answered: a status below 400, or exit code 0 */
  ARRIVAL_REFUSED,  /* answered with another status or exit code */
  ARRIVAL_BROKEN,   /* no whole answer came */
  ARRIVAL_TIMED_OUT /* none came in time */
};

struct load_arrival {
  uint64_t due_ns;     /* after the start */
  uint64_t late_ns;    /* by how much this program saw it too late, at the least 0 */
  uint64_t latency_ns; /* from due to the end of the answer; of GOOD and REFUSED */
  uint16_t route, status;
  uint8_t end; /* enum arrival_end */
};

typedef VECTOR(struct load_arrival) arrival_vector;

struct arrivals_wanted {
  const struct arrival_routes *routes; /* at least one */
  double rate;                         /* a second, > 0; not used with `times` */
  uint64_t length_ns;                  /* > 0: those due before; 0: `most` are made */
  uint64_t most;                       /* at most so many; 0: ARRIVALS_MAX */
  uint64_t seed;
  bool constant;     /* equal gaps; otherwise a Poisson process */
  const char *times; /* a file with a time in seconds at the start of each line; NULL: by rate */
};

/* Adds the arrivals to an empty vector, in the order they are due. At least one, or a status with
 * one line: STATUS_NO_INPUT or STATUS_DATA of the file of times, STATUS_USAGE of too many. */
enum status arrivals_make(arrival_vector *arrivals, const struct arrivals_wanted *wanted,
                          struct text *message);

#endif
