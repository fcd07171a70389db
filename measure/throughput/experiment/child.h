/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A process that the experiment starts: in a process group of its own, so that a terminal's Ctrl-C
 * reaches the experiment alone, which then ends its children in order; with what it says in a log;
 * and told to end (SIGTERM) by the kernel should the experiment be killed.
 */
#ifndef MEASURE_THROUGHPUT_EXPERIMENT_CHILD_H
#define MEASURE_THROUGHPUT_EXPERIMENT_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct child {
  pid_t pid;  /* 0: none */
  int status; /* of waitpid, once it ended */
  char log[256];
};

/* Runs argv[0], a path, in a folder. 0 or an errno value. */
int child_start(struct child *child, const char *const *argv, const char *folder);

/* Whether it ended by itself; then it is gone (pid 0). */
bool child_ended(struct child *child);

/* Asks it to end, waits for up to patience_ms, then kills its group. Nothing for one that is gone.
 */
void child_stop(struct child *child, unsigned patience_ms);

/* Whether a signal ended it, not what it runs: a poker's exit code says that. */
bool child_was_killed(const struct child *child);

/* "ended with exit code 3" or "was killed by signal 9 (Killed)", and the last line of its log. */
void child_explain(char *text, size_t size, const struct child *child);

#endif
