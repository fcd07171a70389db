/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What `tailproof replay --traces` says: how many recorded requests follow the protocol, how close
 * its bounds came, and which requests do not and why.
 */
#ifndef CLI_PRESENT_REPLAY_TRACES_H
#define CLI_PRESENT_REPLAY_TRACES_H

#include <stdbool.h>

struct traces_answer;

/* With `full` all requests that do not follow it, else a few. */
void replay_traces_print_text(const struct traces_answer *answer, bool full);
void replay_traces_print_json(const struct traces_answer *answer);

#endif
