/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is said of traced processes: each thing once, with what to do about it.
 */
#ifndef CLI_QUESTION_OUTSIDE_WATCH_H
#define CLI_QUESTION_OUTSIDE_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/asker.h"
#include "base/vector.h"
#include "measure/outside/capture.h"

struct watched_process {
  uint32_t id;
  bool asked, ended, stopped; /* asked: it was named by the user; stopped: that was said */
};

struct outside_watch {
  const struct asker *asker;
  const struct outside_plan *plan;
  struct outside_capture *capture;
  VECTOR(struct watched_process) list;
  unsigned followed; /* that others have started */
};

/* Adds a process that the user named. False where it has no such process, after saying so. */
bool watch_add(struct outside_watch *watch, uint32_t process);

/* Of a process that runs: whether it is stopped, whether it runs the files that probes are in, or
 * has what they were replaced by. */
void watch_inspect(struct outside_watch *watch, uint32_t process);

/* struct capture_news */
void watch_tell(void *context, enum capture_fate fate, uint32_t process, uint32_t other);

/* Whether all are gone, by a look at /proc; says which have been stopped since. */
bool watch_all_ended(struct outside_watch *watch);

void watch_clear(struct outside_watch *watch);

#endif
