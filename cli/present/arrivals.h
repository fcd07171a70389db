/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The token buckets of recorded arrivals, as text and as JSON.
 */
#ifndef CLI_PRESENT_ARRIVALS_H
#define CLI_PRESENT_ARRIVALS_H

#include "cli/question/arrivals/arrivals.h"

void arrivals_print_text(const struct arrivals_answer *answer, bool full);
void arrivals_print_json(const struct arrivals_answer *answer);

#endif
