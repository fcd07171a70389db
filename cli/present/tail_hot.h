/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a profile says of slow requests (cli/question/tail/hot.h), as text and as JSON, on stdout.
 */
#ifndef CLI_PRESENT_TAIL_HOT_H
#define CLI_PRESENT_TAIL_HOT_H

#include <stdbool.h>

#include "cli/question/tail/hot.h"

/* Nothing of NULL. `level` of significance, which intervals have, too. `full`: all functions, not
 * only those that matter. */
void hot_print_text(const struct hot_answer *answer, double level, bool full);
void hot_print_json(const struct hot_answer *answer);

#endif
