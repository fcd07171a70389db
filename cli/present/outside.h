/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What probes saw, or would be attached to (`record --probes`).
 */
#ifndef CLI_PRESENT_OUTSIDE_H
#define CLI_PRESENT_OUTSIDE_H

#include "cli/question/outside/outside.h"

/* Each probe with its places; nothing was attached. */
void outside_print_plan(const struct outside_answer *answer, bool json);

/* Each probe with what it counted and cost. The program's own output may be on stdout: text goes
 * to stderr. */
void outside_print_run(const struct outside_answer *answer, bool json);

#endif
