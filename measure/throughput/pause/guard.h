/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The guard: a process that continues a service when its pauser has ended or is overdue. It learns
 * of pauses from memory that it shares with the pauser, ten times a second, and of the pauser's end
 * at once.
 */
#ifndef MEASURE_THROUGHPUT_PAUSE_GUARD_H
#define MEASURE_THROUGHPUT_PAUSE_GUARD_H

#include "measure/throughput/pause/brake.h"

#include <stdatomic.h>

#define GUARD_OVERDUE_NS 500000000u

struct guard_page {
  _Atomic uint64_t deadline_ns; /* set before the service is stopped, 0 when it runs again */
  _Atomic uint64_t rescued_deadline_ns, rescued_ns; /* which overdue pause the guard ended, when */
  _Atomic int32_t group;                            /* of the service; 0: not there yet */
};

/* What the guard does besides when the caller's process has ended without closing it. */
struct guard_last {
  bool ends_service; /* SIGTERM to its group, SIGKILL to all of it after GUARD_PATIENCE_NS */
  const char *const *leftover; /* paths of files, and of folders that they leave empty, to be
                                * removed then; NULL-terminated, the caller's; NULL: none */
};
#define GUARD_PATIENCE_NS 3000000000u

struct guard {
  struct guard_last last;
  struct guard_page *page; /* NULL: none */
  int pauser;              /* pidfd of the caller's process */
  int process;             /* pidfd of the guard; -1: there is none now */
  pid_t pid;
};

/* No process yet; false, with errno, when the system refuses. */
bool guard_open(struct guard *guard, const struct guard_last *last);

/* Starts the process, in any thread, which knows of the brake all but its group; that is in the
 * page. False with errno. */
bool guard_start(struct guard *guard, const struct brake *brake);

/* Whether the process has ended (then it is waited for, and may be started again) or was not
 * started. */
bool guard_is_gone(struct guard *guard);

void guard_arm(struct guard *guard, uint64_t deadline_ns);
void guard_disarm(struct guard *guard);

/* Ends the process and frees all. */
void guard_close(struct guard *guard);

#endif
