/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What `tailproof replay` says: that the run follows the protocol and how close the bounds are, or
 * the first event that does not fit.
 */
#ifndef CLI_PRESENT_REPLAY_H
#define CLI_PRESENT_REPLAY_H

#include "cli/question/replay/replay.h"

void replay_tell_text(const struct replay_run *run, const struct conform *conform, bool misfit);
void replay_tell_json(const struct replay_run *run, const struct conform *conform, bool misfit);

#endif
