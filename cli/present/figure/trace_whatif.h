/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `whatif latency --plot`: the latencies that were recorded, and those replayed with the changes,
 * as distribution and tail; and those observed after the real change, where there are such.
 */
#ifndef CLI_PRESENT_FIGURE_TRACE_WHATIF_H
#define CLI_PRESENT_FIGURE_TRACE_WHATIF_H

#include "show/page.h"

struct latency_answer;
struct loops_whatif;

/* The answer, which was found, with both panels; the same of event logs
 * (cli/question/loops/whatif.h). `command`: what was typed. */
struct picture latency_picture(const struct latency_answer *answer, const char *command);
struct picture loops_whatif_picture(const struct loops_whatif *answer, const char *command);

#endif
