/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A limit on the processor time of a piece of work: a thread of its own, started when it is first
 * needed, looks at the clock of the working thread and interrupts what takes too long. Time in
 * which the thread has no processor does not count.
 */
#ifndef SOLVER_SMT_WATCH_H
#define SOLVER_SMT_WATCH_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* One piece of work; where it is stays the caller's, and it may not move between begin and end. */
struct watch {
  clockid_t clock;
  int64_t end_ns; /* on that clock */
  void (*interrupt)(void *context);
  void *context;
  bool over;
  struct watch *next;
};

/* From now on the calling thread may take `limit_ms` (above 0) of processor time. After that
 * `interrupt` is called from another thread, again and again until watch_end, and never later; it
 * may not call watch_begin or watch_end. */
void watch_begin(struct watch *watch, unsigned limit_ms, void (*interrupt)(void *), void *context);

/* By the same thread. Whether the work was interrupted. */
bool watch_end(struct watch *watch);

#endif
