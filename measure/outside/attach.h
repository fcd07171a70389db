/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A program of BPF at one place: in a file that processes map, or at a tracepoint. It stays there
 * as long as the descriptor is open, and so no longer than this process lives.
 */
#ifndef MEASURE_OUTSIDE_ATTACH_H
#define MEASURE_OUTSIDE_ATTACH_H

#include <stdbool.h>
#include <stdint.h>

/* A descriptor, or -1 with errno. */
int attach_file(const char *path, uint64_t offset, uint64_t semaphore, bool at_return, int program);
int attach_tracepoint(unsigned id, int program);

#endif
