/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * All instances of a recording held against the protocol, one after the other up to the first that
 * does not fit.
 */
#ifndef CLI_QUESTION_REPLAY_JUDGE_H
#define CLI_QUESTION_REPLAY_JUDGE_H

#include "cli/question/replay/joint.h"
#include "cli/question/replay/replay.h"

/* A judge of the run, whose recording has been read, with the slack that was asked for; without
 * --slack with its usual one, which is put into run->slack_ns. It points into all three; to be
 * freed with conform_free. */
struct conform *judge_new(struct replay_run *run, struct interpreter *interpreter,
                          const struct parameters *parameters);

/* Judges, and counts in *run what is not claimed. `joint`, unless NULL, gets the row of each
 * instance that fits. STATUS_OK; STATUS_REFUTED, with the culprit in `conform`; STATUS_UNKNOWN when
 * nothing could be judged; STATUS_INTERRUPTED as soon as the asker wants it. */
enum status judge_all(struct replay_run *run, struct conform *conform, struct replay_joint *joint);

/* Clears a run, and what it was judged by, in the order in which they point into each other;
 * conform and interpreter may be NULL. */
void judge_clear(struct replay_run *run, struct conform *conform, struct interpreter *interpreter,
                 struct parameters *parameters);

#endif
