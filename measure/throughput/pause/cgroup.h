/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A cgroup (version 2) of a service's own, below the caller's, that can be frozen.
 */
#ifndef MEASURE_THROUGHPUT_PAUSE_CGROUP_H
#define MEASURE_THROUGHPUT_PAUSE_CGROUP_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

struct cgroup {
  char path[PATH_MAX];       /* absolute; empty: there is none */
  int procs, freeze, events; /* its files, close-on-exec; -1 */
};

/* None. */
void cgroup_init(struct cgroup *cgroup);

/* Makes one. False where there is no cgroup2 mount, or it lets the caller make none: `why` says so
 * and nothing is left. */
bool cgroup_make(struct cgroup *cgroup, char *why, size_t size);

/* Whether its freezer says so; in a signal handler or a forked child too. */
bool cgroup_freeze(const struct cgroup *cgroup, bool frozen);

enum cgroup_fact { CGROUP_FROZEN, CGROUP_POPULATED };

/* Of the file cgroup.events, by its descriptor: 1, 0, or -1 when it cannot be read. Likewise. */
int cgroup_event(int events, enum cgroup_fact fact);

/* Thaws it, moves the processes that are left in it to the caller's cgroup, removes it. */
void cgroup_remove(struct cgroup *cgroup);

#endif
