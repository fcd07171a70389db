/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Percentiles of latencies in the order in which requests came, with the interval that their
 * dependence on each other leaves (dist/statistics/serial.h).
 */
#ifndef CLI_QUESTION_LOOPS_QUANTILES_H
#define CLI_QUESTION_LOOPS_QUANTILES_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/question/percentiles/percentile_list.h"

#define QUANTILE_INFINITE UINT64_MAX

struct loop_quantile {
  uint64_t value_ns;
  uint64_t lower_ns, upper_ns; /* or QUANTILE_INFINITE */
  bool settled;                /* false: no interval can be promised, as the requests ... */
  bool drifts;                 /* ... drift; or (false) were slow in too few stretches */
};

/* One for each wanted, owned by the caller; count >= 1 latencies. Confidence in 0 .. 1. Any so many
 * of the requests may take longer than that, however long. */
struct loop_quantile *loop_quantiles(const int64_t *latency, size_t count,
                                     const wanted_list *wanted, const struct rational *confidence,
                                     uint64_t longer);

#endif
