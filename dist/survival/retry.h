/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Attempts with a time limit; conventions as in survival.h.
 */
#ifndef DIST_SURVIVAL_RETRY_H
#define DIST_SURVIVAL_RETRY_H

#include "dist/survival/survival.h"

/* What x says of P(latency > limit), limit > 0. Brought onto the grid, a latency of just the limit
 * may have been moved over it; who knows the chance better gives it to survival_..._late, as a
 * bound on x's side, and the better of both counts. */
uint64_t survival_late(const struct survival *x, const struct rational *limit_ns);

/* x where it is at most `limit` > 0; otherwise limit + y, y independent of x. With y never ending
 * (NULL): infinite, so that what is left is the law of an attempt that fails at the limit. */
void survival_timeout(struct survival *z, const struct survival *x, const struct rational *limit_ns,
                      const struct survival *y);
void survival_timeout_late(struct survival *z, const struct survival *x, uint64_t late,
                           const struct rational *limit_ns, const struct survival *y);

/* Up to `attempts` >= 1 independent attempts of law x one after the other, each given up at the
 * limit, with a pause of `pause` >= 0 before each but the first. The last one is waited for when
 * `wait`, else given up too: infinite. */
void survival_retry(struct survival *z, const struct survival *x, const struct rational *limit_ns,
                    const struct rational *pause_ns, uint64_t attempts, bool wait);
void survival_retry_late(struct survival *z, const struct survival *x, uint64_t late,
                         const struct rational *limit_ns, const struct rational *pause_ns,
                         uint64_t attempts, bool wait);

#endif
