/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where recorders of Node.js say that they stopped: a file outside of the folder of the logs, since
 * that may be full, or belong to somebody else. Any user may add a line to it: what `record` runs
 * may change its user.
 */
#ifndef CLI_COMMAND_NODE_NOTES_H
#define CLI_COMMAND_NODE_NOTES_H

#include <stdint.h>

#include "base/vector.h"

struct node_note {
  uint32_t process, thread; /* 0: the main one */
  uint32_t why;             /* trace/event/stopped.h */
  char name[201];           /* printable */
  char mistake[201];        /* of the recorder itself, or "" */
};

typedef VECTOR(struct node_note) node_notes;

/* Makes the file, and names it in the environment of what is started from here on. Where it cannot
 * be made only the logs say. */
void node_notes_prepare(void);

/* Appends what was said, and removes the file. */
void node_notes_collect(node_notes *notes);

#endif
