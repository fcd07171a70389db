/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The processes of a run: forked by one parent, which waits for them and leaves none behind. They
 * die with the parent, whatever kills it.
 *
 * Signals: the parent blocks SIGINT, SIGTERM and SIGHUP and decides for all; the children keep them
 * blocked. A child that is to end early gets SIGTERM, which sets a flag (process_stopping) and is
 * let in only while the child waits (measure with ppoll and process_waiting_mask).
 */
#ifndef EXAMPLES_COMMON_PROCESS_H
#define EXAMPLES_COMMON_PROCESS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { PROCESSES_MAX = 80 };

enum process_role {
  PROCESS_WORKER,  /* the run lasts until all workers have ended, well: any other end fails it */
  PROCESS_SERVANT, /* serves until it is stopped (SIGTERM); must not end before */
  PROCESS_MORTAL,  /* a servant that may be killed at any time by SIGKILL */
};

struct process {
  char name[48];
  enum process_role role;
  pid_t pid; /* 0 once reaped */
};

struct process_set {
  struct process list[PROCESSES_MAX];
  size_t count;
  sigset_t watched;
};

/* Blocks the signals; before anything is to be cleaned up. */
void process_set_init(struct process_set *set);

/* Forks a child that runs `run(context)` and ends with what it returns as its exit code. False
 * after a complaint. The child's timers are exact (no slack). */
bool process_start(struct process_set *set, const char *name, enum process_role role,
                   int (*run)(void *context), void *context);

/* Waits until all workers have ended, then stops the others and gives each two seconds to end.
 * EXIT_SUCCESS, EXIT_FAILED (after a complaint, by the child or here) or EXIT_INTERRUPTED; no child
 * is left. */
int process_wait(struct process_set *set);

/* Kills and reaps all; for a parent that gives up before process_wait. */
void process_kill(struct process_set *set);

/* In a child: whether it was told to stop. */
bool process_stopping(void);

/* In a child: the signal mask for ppoll, which lets SIGTERM in. */
const sigset_t *process_waiting_mask(void);

#endif
