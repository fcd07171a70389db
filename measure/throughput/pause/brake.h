/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Stops a group of processes and lets it go, by cgroup.freeze or by signals. Everything here may be
 * called in a forked child of a process with threads.
 */
#ifndef MEASURE_THROUGHPUT_PAUSE_BRAKE_H
#define MEASURE_THROUGHPUT_PAUSE_BRAKE_H

#include "measure/throughput/pause/cgroup.h"
#include "measure/throughput/pause/pauser.h"

struct brake {
  enum pauser_mode mode; /* never PAUSER_AUTO */
  struct cgroup cgroup;  /* PAUSER_FREEZE */
  pid_t group;           /* its first process, a child of the caller; 0: not there yet */
};

/* False: refused by the system, or the group is none that may be stopped. */
bool brake_stop(const struct brake *brake);
bool brake_continue(const struct brake *brake);

/* Whether it stands still: with freezing all of it, with signals its first process. */
bool brake_stands(const struct brake *brake);

#endif
