/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answer of `tail`, as text and as JSON, on stdout; without its ledger.
 */
#ifndef CLI_PRESENT_TAIL_H
#define CLI_PRESENT_TAIL_H

#include <stdbool.h>

#include "cli/question/tail/tail.h"

/* `full`: all causes, groups and tags, not only those that matter. */
void tail_print_text(const struct tail_answer *answer, bool full);
void tail_print_json(const struct tail_answer *answer);

#endif
