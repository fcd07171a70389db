/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The percentiles of an answer (latency.h): of what was replayed, and of the laws.
 */
#ifndef CLI_QUESTION_LATENCY_RANGES_H
#define CLI_QUESTION_LATENCY_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct latency_answer;
struct latency_percentile;
struct latency_range;
struct variants;

/* Sets answer->percentiles and no_law, and adds to the ledger; `variants` by reading. */
void ranges_find(struct latency_answer *answer, const struct variants *const *variants);

/* Percentile p of other requests, of which each took so many ns; *settled: false when they drift.
 */
void range_of_series(struct latency_range *range, bool *settled,
                     const struct latency_answer *answer, const struct latency_percentile *p,
                     const uint64_t *ns, size_t count);

/* The prediction's interval, over all readings. */
struct latency_range predicted_range(const struct latency_answer *answer,
                                     const struct latency_percentile *p);

#endif
