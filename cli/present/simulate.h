/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answer of `profile simulate`, as text and as JSON, on stdout; without its ledger.
 */
#ifndef CLI_PRESENT_SIMULATE_H
#define CLI_PRESENT_SIMULATE_H

#include "cli/question/simulate/simulate.h"

/* `full`: also what the way that adapts did in each window. */
void simulate_print_text(const struct simulate_answer *answer, bool full);
void simulate_print_json(const struct simulate_answer *answer);

#endif
