/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Starts a service in a session of its own.
 */
#ifndef MEASURE_THROUGHPUT_PAUSE_LAUNCH_H
#define MEASURE_THROUGHPUT_PAUSE_LAUNCH_H

#include "measure/throughput/pause/pauser.h"

/* The service's first process, which has left fork and exec behind it: its group is its own, its
 * number is the group's. `procs` is the cgroup.procs of the cgroup that it joins first, or -1. 0 on
 * failure: `error` says why, and nothing runs. */
pid_t launch(const struct pauser_options *options, int procs, struct pauser_error *error);

__attribute__((format(printf, 3, 4))) void launch_error(struct pauser_error *error, int exit_code,
                                                        const char *format, ...);

#endif
