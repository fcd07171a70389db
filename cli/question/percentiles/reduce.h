/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What one table of joint measurements covers of a bound, as a single law. In
 *
 *   max (Read + Index, d(Ask)) + Sync        Read, Index and Sync measured together, d apart
 *
 * Read + Index becomes one occurrence, whose law is that of the sums of the rows, with whatever
 * dependence there was. Sync remains another of the same table. So a convolution combines few laws,
 * and only these are independent of each other, or of any dependence.
 */
#ifndef CLI_QUESTION_PERCENTILES_REDUCE_H
#define CLI_QUESTION_PERCENTILES_REDUCE_H

struct draws_change;
struct expression;
struct expression_table;
struct law_entry;
struct laws;
struct sample;

/* The expression with its largest parts that one table covers replaced, each by a new occurrence of
 * `table` with an entry of `laws` (not is_used: it is no component). The columns that are in
 * nothing else are left out of the bands. The same expression where there are no tables. */
const struct expression *reduce(const struct expression *expression, struct expression_table *table,
                                struct laws *laws);

/* Fills a sample, initialised, with the value for each row of an entry that has rows_of, one column
 * being `change` of what it is (NULL: as it is). */
void reduce_rows(struct sample *sample, const struct laws *laws, const struct law_entry *entry,
                 const struct draws_change *change);

#endif
