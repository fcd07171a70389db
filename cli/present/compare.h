/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answer of `compare`, as text and as JSON, on stdout.
 */
#ifndef CLI_PRESENT_COMPARE_H
#define CLI_PRESENT_COMPARE_H

#include "show/table.h"
#include "cli/question/compare/compare.h"

/* `full`: also what is standard. */
void compare_print_text(const struct compare *compare, bool full);
void compare_print_json(const struct compare *compare);

/* What they and pictures say alike: the percentiles, initialised by this; where one law exceeds the
 * other, as a sentence without its full stop; what B is: "slower", "not decidable". */
void compare_fill_table(struct table *table, const struct compare *compare,
                        const struct subject *subject);
void compare_describe_gap(struct text *text, const struct two_sample_gap *gap, const char *slower,
                          const char *faster);
const char *compare_state(const struct compare *compare);

#endif
