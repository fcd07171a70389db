/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How long the processor quota of a control group stops what is in it: cpu.max of version 2,
 * cpu.cfs_quota_us of version 1, of the group or of any above it, whichever stops it most. Time is
 * that of `throttled_usec` (version 2) or `throttled_time` (version 1) of cpu.stat: summed over
 * processors, so it may pass faster than time does.
 */
#ifndef MEASURE_THROUGHPUT_EXPERIMENT_QUOTA_H
#define MEASURE_THROUGHPUT_EXPERIMENT_QUOTA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Of the process's groups, since they were made; false where none of them has a quota's times. */
bool quota_throttled(uint64_t *ns, pid_t process);

/* The same by texts, for tests: /proc/PID/cgroup, and the folder of all groups. */
bool quota_of(uint64_t *ns, const char *groups, const char *root);

/* Of a text of cpu.stat. */
bool quota_stat(uint64_t *ns, const char *text);

#endif
