/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answer of `percentiles`, as text and as JSON, on stdout.
 */
#ifndef CLI_PRESENT_PERCENTILES_H
#define CLI_PRESENT_PERCENTILES_H

#include <stdbool.h>

struct percentiles;

/* `full`: also what is standard. */
void percentiles_print_text(const struct percentiles *run, bool full);
void percentiles_print_json(const struct percentiles *run);

/* The part about objectives, times and contributions. */
void percentiles_print_answers_text(const struct percentiles *run, bool full);
void percentiles_print_answers_json(const struct percentiles *run);

#endif
