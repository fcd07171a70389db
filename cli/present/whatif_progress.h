/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How far an experiment is, on stderr: on a terminal one line that changes, elsewhere a line every
 * ten seconds.
 */
#ifndef CLI_PRESENT_WHATIF_PROGRESS_H
#define CLI_PRESENT_WHATIF_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct experiment_progress {
  bool terminal, shown;
  uint64_t said_ns; /* 0: never */
};

void progress_init(struct experiment_progress *progress);

/* `done` of `all` windows (of which there may come to be more); left_ns: time until the end. */
void progress_tell(struct experiment_progress *progress, const char *now, size_t done, size_t all,
                   uint64_t left_ns);

/* Removes the line from a terminal. */
void progress_clear(struct experiment_progress *progress);

#endif
