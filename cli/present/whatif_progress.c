/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/whatif_progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "show/terminal.h"

static const uint64_t pause_ns = 10000000000;

void progress_init(struct experiment_progress *progress) {
  *progress = (struct experiment_progress){.terminal = terminal_can_rewrite(STDERR_FILENO)};
}

void progress_tell(struct experiment_progress *progress, const char *now, size_t done, size_t all,
                   uint64_t left_ns) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  uint64_t time_ns = (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
  if (!progress->terminal && progress->said_ns != 0 && time_ns < progress->said_ns + pause_ns)
    return;
  progress->said_ns = time_ns;
  unsigned seconds = (unsigned)((left_ns + 999999999) / 1000000000);
  fprintf(stderr, "%s%zu of %zu windows, about %u min %02u s left: %s%s",
          progress->terminal ? "\r\033[K" : "", done, all, seconds / 60, seconds % 60, now,
          progress->terminal ? "" : "\n");
  progress->shown = progress->terminal;
}

void progress_clear(struct experiment_progress *progress) {
  if (progress->shown)
    fprintf(stderr, "\r\033[K");
  progress->shown = false;
}
