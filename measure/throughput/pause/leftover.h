/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The processes of a group that are left when its first one has ended.
 */
#ifndef MEASURE_THROUGHPUT_PAUSE_LEFTOVER_H
#define MEASURE_THROUGHPUT_PAUSE_LEFTOVER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Whether a process of the group has not ended; those that nobody has waited for have. Ours among
 * those are waited for: a container's first process gets them. */
bool leftover_lives(pid_t group);

/* Waits for their end; false when some live at until_ns (CLOCK_MONOTONIC). */
bool leftover_ends_by(pid_t group, uint64_t until_ns);

#endif
