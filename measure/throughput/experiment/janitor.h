/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The folder of an experiment, and a process beside it that ends what was started and removes the
 * folder should the experiment be killed. It hears of the end by a pipe. Should it be killed too, the
 * next experiment removes the folder.
 */
#ifndef MEASURE_THROUGHPUT_EXPERIMENT_JANITOR_H
#define MEASURE_THROUGHPUT_EXPERIMENT_JANITOR_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct janitor {
  char folder[200]; /* "": there is none */
  int lock;         /* held while the folder is somebody's */
  int pipe;         /* -1: there is no process */
  pid_t pid;
};

/* Makes the folder in $TMPDIR or /tmp, after removing those that nobody holds any more, and starts
 * the process. 0 or an errno value; `folder` is then what could not be made. janitor_end is due in any
 * case. The process that calls becomes the parent of what its children leave. */
int janitor_begin(struct janitor *janitor);

/* A process group to be ended. */
void janitor_mind(const struct janitor *janitor, pid_t group);

/* Ends, within `patience_ms`, all that the caller's children have left behind, then the process;
 * removes the folder. */
void janitor_end(struct janitor *janitor, unsigned patience_ms);

#endif
