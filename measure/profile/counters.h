/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The kernel's counters that sample (perf_event_open(2)): for every processor a ring, and for every
 * thread and processor a tracker, which records what becomes of threads and address spaces, and a
 * clock, which takes the samples.
 *
 * A counter of one thread on all processors cannot be inherited by its children and have a ring, so
 * there is one for each processor, inherited: threads and children are followed by the kernel from
 * their first instruction on, with no race. A clock of a thread begins with a whole period, so that
 * what lives for a few of them has fewer samples than its share. One of a processor goes on whoever
 * runs, but needs the right to see everyone, and interrupts everyone. Trackers and clocks are apart so that clocks can be
 * changed for others without losing sight of the address spaces.
 */
#ifndef MEASURE_PROFILE_COUNTERS_H
#define MEASURE_PROFILE_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/text.h"
#include "base/vector.h"
#include "measure/profile/ring.h"

enum counter_event {
  COUNTER_AUTO,
  COUNTER_CYCLES,
  COUNTER_CPU_CLOCK,
  COUNTER_TASK_CLOCK,
  COUNTER_SWITCHES, /* no clock: a sample whenever a thread leaves its processor, and records of
                       when it does and when it is back */
};

struct counter_options {
  enum counter_event event; /* COUNTER_AUTO: cycles where the processor counts them */
  unsigned rate;            /* samples for a second of processor time, 1 .. 100000 */
  unsigned stack_bytes;     /* of the stack that each sample copies: a multiple of 8 below 65536 */
  unsigned ring_pages;      /* of each processor; a power of two; 0: as many as are permitted */
  bool user_only;           /* leave out the kernel */
  bool processors; /* of COUNTER_THREADS: a clock for each processor, and none for each thread;
                      samples are then of all that runs, for the caller to leave out */
};

/* Whose: threads; or those of a cgroup, an open folder; or everything. */
enum counter_scope { COUNTER_THREADS, COUNTER_CGROUP, COUNTER_ALL };

struct counter_lane {
  int processor;
  int output; /* the descriptor that has the ring; -1: none yet */
  struct ring ring;
  uint64_t waiting;   /* position in the ring: what is before it was taken in */
  uint64_t last_time; /* ns: of the last record, of COUNTER_SWITCHES */
};

struct counters {
  struct counter_options options; /* as opened: event is no longer COUNTER_AUTO */
  enum counter_scope scope;
  int cgroup;
  bool on_exec;         /* start with the exec that follows */
  bool tells_lost;      /* the kernel counts what does not fit into a ring (Linux 6.0) */
  uint64_t lost_before; /* by clocks that are closed */
  VECTOR(struct counter_lane) lanes;
  VECTOR(int) trackers, clocks;
};

/* Initialised in any case. False, with the reason and the remedy in `message`, where this machine
 * has no processor to sample. */
bool counters_init(struct counters *counters, const struct counter_options *options,
                   enum counter_scope scope, struct text *message);
void counters_clear(struct counters *counters);

enum counter_result { COUNTER_OPENED, COUNTER_GONE /* no such thread */, COUNTER_REFUSED };

/* Adds a thread; of other scopes `thread` is -1. COUNTER_REFUSED with a message. What cannot be had
 * but is no condition, cycles and the kernel, is done without, and options say so. */
enum counter_result counters_add(struct counters *counters, pid_t thread, struct text *message);

/* Takes new samples at this rate, of these threads and their children to come. */
enum counter_result counters_set_rate(struct counters *counters, unsigned rate,
                                      const uint32_t *threads, size_t count, struct text *message);

/* Counts from now on. */
void counters_enable(const struct counters *counters);
void counters_disable(const struct counters *counters);

/* Processor time in ns while clocks were on, or with clocks of processors trackers, which are never
 * closed before counters_clear; of COUNTER_ALL that of the processors, idle or not. */
uint64_t counters_time(const struct counters *counters);

/* Records that did not fit, since the beginning: also those that no record has told, as none came
 * after them. At least so many: of children those that the records say. 0: or not known. */
uint64_t counters_lost(const struct counters *counters);

/* "cycles", "cpu-clock", "task-clock", TPP_WAITING (tpp_format.h) */
const char *counter_event_name(enum counter_event event);

#endif
