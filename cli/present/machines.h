/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What simulated machines showed of a bound, as text and as JSON.
 */
#ifndef CLI_PRESENT_MACHINES_H
#define CLI_PRESENT_MACHINES_H

#include <stdbool.h>

struct machines_answer;

void machines_print_text(const struct machines_answer *answer, bool full);
void machines_print_json(const struct machines_answer *answer);

#endif
