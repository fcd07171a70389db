/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Builder of laws (law.h), for the files that make them.
 */
#ifndef DIST_EVALUATE_LAW_MAKE_H
#define DIST_EVALUATE_LAW_MAKE_H

#include "dist/evaluate/law.h"

/* A new sum of the parts as they are, not to be found again by its content. */
struct law *law_part_of_sums(struct law_table *table, const struct law_copies *parts, size_t count);

/* The slack of the law and of all below it, after their parts have changed. */
void law_set_slack_again(struct law_table *table, const struct law *law);

#endif
