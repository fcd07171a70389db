/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What `tailproof replay` says: that the run follows the protocol and how close the bounds are, or
 * the first event that does not fit.
 */
#ifndef CLI_PRESENT_REPLAY_H
#define CLI_PRESENT_REPLAY_H

#include "cli/question/replay/replay.h"

struct jsonl;

void replay_tell_text(const struct replay_run *run, const struct conform *conform, bool misfit);
void replay_tell_json(const struct replay_run *run, const struct conform *conform, bool misfit);

/* The part of both about the bounds: a line for each, or the list "bounds". */
void replay_tell_bounds(const struct replay_run *run, const struct conform *conform);
void replay_tell_json_bounds(struct jsonl *line, const struct replay_run *run,
                             const struct conform *conform);

#endif
