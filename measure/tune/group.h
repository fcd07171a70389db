/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the kernel says of the processes of a process group (/proc): a server and the processes it
 * starts, such as the workers of a cluster.
 */
#ifndef MEASURE_TUNE_GROUP_H
#define MEASURE_TUNE_GROUP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Whether a process, or one of a group, listens at a TCP port. The second reads all of /proc. */
bool process_listens(pid_t process);
bool group_listens(pid_t group);

/* The most memory that each has had (VmHWM), added up, in bytes; 0 where it is not known. */
uint64_t group_peak(pid_t group);

#endif
