/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What `tailproof replay --out` writes: for each request what every occurrence of it took, by the
 * names of the protocol, as joint measurements (dist/source/joint.h). Unlike `import`, replay knows
 * which cost each step charged, with which indices.
 *
 * Durations are ranges: what rounding and the clock's rate leave open. A message without an arrival
 * has an infinite delay; the wait of one that no step received has no upper end. An instance that
 * was not finished has an infinite request, and what else it lacks is not known.
 */
#ifndef CLI_QUESTION_REPLAY_JOINT_H
#define CLI_QUESTION_REPLAY_JOINT_H

#include "cli/question/replay/recording.h"
#include "cli/question/store/joint_rows.h"

struct replay_joint {
  struct joint_rows rows;
  VECTOR(uint16_t) columns;    /* by occurrence id: its column, plus 1; 0: not yet asked */
  VECTOR(uint32_t) unfinished; /* instances, rising */
  const struct recording *recording;
  bool full;
};

void replay_joint_clear(struct replay_joint *joint);

/* Adds the instance that was judged last, of which it may not be that it does not fit. */
void replay_joint_add(struct replay_joint *joint, const struct conform *conform,
                      const struct conform_event *events, size_t count, bool finished);

/* Appends the table, as text (dist/source/joint.h). STATUS_DATA, with the reason in `message`:
 * there is no row, or more than are read. */
enum status replay_joint_print(struct replay_joint *joint, struct text *table,
                               struct text *message);

/* Writes it to `path` (.csv, or .csv.gz compressed). STATUS_DATA, STATUS_INTERNAL with one
 * line. */
enum status replay_joint_write(struct replay_joint *joint, const char *path, struct text *message);

#endif
