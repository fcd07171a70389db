/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Who used the processors of this machine between two moments: each service of an experiment, its
 * load, its pokers (with their proxies), and whatever else runs. Of each also the thread that used
 * most: what is done by one thread ends where that thread's time does.
 *
 * From /proc: a process belongs to whom it descends from, or whose session it is in, as services
 * have sessions of their own. Times are those of /proc/PID/task/TID/schedstat (ns), or of `stat`
 * (ticks) where the kernel has no such file. A thread that began and ended in between is not seen.
 */
#ifndef MEASURE_THROUGHPUT_EXPERIMENT_PROCESSORS_H
#define MEASURE_THROUGHPUT_EXPERIMENT_PROCESSORS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "measure/throughput/experiment/plan.h"

/* In processors: 1.5 is one and a half of them all the time. */
struct processor_share {
  double all;           /* of all its threads; 0: nothing, or not known */
  double thread;        /* of the busiest of them, at most 1 */
  char name[16];        /* of that thread's process, as the kernel has it */
  double wanted;        /* as `all`, with the time in which they waited for a processor */
  double thread_wanted; /* most of one of them, likewise, at most 1 */
  double throttled;     /* of a service: stopped by a quota (quota.h), most of its processes */
};

struct processor_use {
  bool known;
  double count; /* processors of the machine */
  double busy;  /* of them, whoever used them */
  struct processor_share services[PLAN_SERVICES], load;
  struct processor_share pokers[PLAN_SERVICES]; /* with their proxies */
  struct processor_share outside;               /* of the experiment */
};

/* The first processes of an experiment; 0: there is none here. */
struct processor_roots {
  uint32_t count;
  pid_t pokers[PLAN_SERVICES]; /* whose descendants are the service */
  pid_t load;
};

struct processor_snapshot;

/* What was used until now; NULL where /proc does not tell. */
struct processor_snapshot *processors_look(const struct processor_roots *roots);

/* s: of service s; PROCESSORS_POKERS + s: its poker. */
enum {
  PROCESSORS_OUTSIDE = -1,
  PROCESSORS_LOAD = -2,
  PROCESSORS_OWN = -3,
  PROCESSORS_POKERS = PLAN_SERVICES
};

struct processor_process {
  pid_t id;
  int owner;
  char name[16];
};

/* Process number `place` of those that there were; false: there are not so many. NULL has none. */
bool processors_process(struct processor_process *process,
                        const struct processor_snapshot *snapshot, size_t place);

/* Frees it; NULL is accepted. */
void processors_forget(struct processor_snapshot *snapshot);

/* Takes `before`, which is freed; `use` says nothing (not known) where `before` is NULL. */
void processors_since(struct processor_use *use, struct processor_snapshot *before,
                      const struct processor_roots *roots);

#endif
