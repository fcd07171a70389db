/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What was gathered, for people and as JSON.
 */
#ifndef CLI_PRESENT_STORES_H
#define CLI_PRESENT_STORES_H

#include <stdio.h>

#include "cli/question/store/gather.h"

/* Tables of the stores and of the series. */
void summary_print_stores(FILE *out, const struct gather *gather);
void summary_print_series(FILE *out, const struct gather *gather);

/* What the table of joint measurements is, or why there is none. */
void summary_print_joint(FILE *out, const struct joined *joined);

/* What the series rest on, each line once. */
void summary_print_ledger(const struct gather *gather, bool json);

/* Lines of the kinds "store", "series" and "joint". */
void summary_print_json(const struct gather *gather);

#endif
