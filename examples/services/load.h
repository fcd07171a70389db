/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Users of a mesh: each waits for the answer to its request and then asks again, so that there are
 * always as many requests under way as there are users.
 */
#ifndef EXAMPLES_SERVICES_LOAD_H
#define EXAMPLES_SERVICES_LOAD_H

#include "examples/services/mesh.h"

struct load_options {
  uint16_t base;
  uint64_t users, seed;
  uint64_t requests; /* ends after these; 0: no such end */
  uint64_t warmup_ms,
      seconds; /* ends after so long, not counting the warm-up; 0 seconds: likewise */
  bool realtime, each_second;
};

/* Asks until its end, or SIGTERM; prints one line with the requests and the throughput after the
 * warm-up. An exit code, after a complaint if it is not EXIT_SUCCESS. */
int load_run(const struct mesh *mesh, const struct load_options *options);

/* Makes every work of a service take so many percent less, while it runs. An exit code. */
int load_faster(const struct mesh *mesh, size_t service, uint16_t base, unsigned percent);

#endif
