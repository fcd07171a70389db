/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Work that takes a given time without a processor: several services share few processors here, but
 * each is meant to have its own. A worker sleeps for a short while (a quantum) at a time and takes
 * what really passed for progress, so that late timers make nothing slower; what it slept too long
 * counts for its next request. While the process is stopped no work is done, as with a processor of
 * one's own: a sleep that took much longer than a quantum was a stop, and counts for what was asked
 * of it. Half of that was done before the stop, on the average; the other half stands for the
 * wake-up after it, when all services of this machine are continued at once and wait for each
 * other.
 *
 * Never until a fixed moment: a worker that was stopped would catch up by itself, and pauses would
 * cost nothing.
 */
#ifndef EXAMPLES_COMMON_METER_H
#define EXAMPLES_COMMON_METER_H

#include <stdint.h>

enum { METER_QUANTUM_NS = 60000, METER_STOP_NS = 6 * METER_QUANTUM_NS };

struct meter {
  uint64_t last_ns;        /* until when this worker's time is accounted for */
  int64_t surplus_ns;      /* done beyond what was asked for; may be negative */
  uint64_t stops, lost_ns; /* stops that were seen, and the time that was not taken for work */
};

/* The worker was idle until now. */
void meter_idle(struct meter *meter);

/* Does work of that length, which began where the last one ended, or at meter_idle. */
void meter_work(struct meter *meter, uint64_t work_ns);

#endif
