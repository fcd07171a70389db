/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Two histograms at the edges that buckets of both have (dist/statistics/common_edges.h). Ranks see
 * nothing of buckets that are wide, so the edges have their part of the chance of error.
 */
#ifndef CLI_QUESTION_COMPARE_COMPARE_EDGES_H
#define CLI_QUESTION_COMPARE_COMPARE_EDGES_H

#include <stdbool.h>
#include <stdint.h>

struct compare;
struct operand;
struct subject;

/* Adds an edge each to the subject, with its verdict, which all hold together with the chance of
 * error `alpha` (units of 10^-18). false, and nothing added, with a margin, which is one of times,
 * and where no buckets are, or no edges common, or too many. */
bool compare_at_edges(const struct compare *compare, struct subject *subject,
                      const struct operand *a, const struct operand *b, uint64_t alpha);

#endif
