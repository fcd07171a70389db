/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What `tailproof replay` says: that the run follows the protocol and how close the bounds are, or
 * the first event that does not fit.
 */
#ifndef CLI_PRESENT_REPLAY_H
#define CLI_PRESENT_REPLAY_H

#include "cli/command/options.h"
#include "cli/question/replay/needed.h"
#include "cli/question/replay/recording.h"

struct replay_run {
  const struct options *options;
  struct recording recording;
  bound_list bounds;   /* those judged */
  struct text missing; /* why others are not, one line each */
  int64_t slack_ns;
  uint64_t overwritten; /* instances of which the beginning may be gone: not judged */
  uint64_t cut_off;     /* which lack something that a process did not live to record */
};

/* Appends the place of the first event that does not fit, `separator`, and what is wrong with it.
 */
void replay_append_misfit(struct text *text, const struct replay_run *run,
                          const struct conform *conform, const char *separator);

void replay_tell_text(const struct replay_run *run, const struct conform *conform, bool misfit);
void replay_tell_json(const struct replay_run *run, const struct conform *conform, bool misfit);

#endif
