/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Whether B tends to be slower than A: P(b > a) for one observation of each, ties half, by ranks
 * (dist/statistics/rank_test.h). Bands see the tail first, ranks the body: 10 % more of 2000
 * observations is often in no percentile's interval, but in the ranks.
 *
 * An observation that is known to lie in a bucket is put at its lower edge where B is to be shown
 * slower, A's at the upper one, and the other way round: so buckets of two formats show nothing
 * that is not there. Histograms have no order; their observations count as independent draws.
 *
 * Fewer than RANK_TEST_LEAST of one of them are compared exactly (rank_exact.h), if both are few.
 */
#ifndef CLI_QUESTION_COMPARE_COMPARE_TENDENCY_H
#define CLI_QUESTION_COMPARE_COMPARE_TENDENCY_H

#include <stdint.h>

struct compare;
struct operand;
struct tendency;

/* What the ranks have of the chance of error `alpha` (units of 10^-18): half; nothing with a
 * margin, which they say nothing of, or where they are too few for an
 * approximation and too many to be counted. */
uint64_t tendency_alpha(const struct compare *compare, const struct operand *a,
                        const struct operand *b, uint64_t alpha);

/* Of two samples; alpha 0: not tested. */
struct tendency tendency_find(const struct compare *compare, const struct operand *a,
                              const struct operand *b, uint64_t alpha);

#endif
