/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How exact pauses are on this machine. A process that reads the clock all the time is paused some
 * times as the service will be, and tells how long it stood still.
 */
#ifndef MEASURE_THROUGHPUT_PAUSE_CALIBRATE_H
#define MEASURE_THROUGHPUT_PAUSE_CALIBRATE_H

#include "measure/throughput/pause/brake.h"

struct calibration {
  uint64_t offset_ns; /* how much longer it stood than the time between the two calls */
  uint64_t lead_ns;   /* how much after its timer the second call was made */
};

/* Uses the brake with a process of its own, which ends with the caller's and with the call; takes
 * about 0.1 s. `pauses` times; 0 only tries whether the brake works, and the figures are 0. False:
 * it does not; `why` says so. */
bool calibrate(const struct brake *brake, uint32_t pauses, struct calibration *calibration,
               char *why, size_t size);

/* The mean of the figures below CALIBRATE_MOST_NS, as one beyond is of a processor that was taken
 * away: CALIBRATE_MOST_NS if all are, 0 of none. What a ledger adds up is right by the mean, of
 * which a median, the tail being above, falls short. */
uint64_t calibrate_mean(const uint64_t figures[], uint32_t count);

/* A quantile, 0 to 3 quarters, of figures (sorted after); at most CALIBRATE_MOST_NS, as a figure of
 * a machine that is too busy to tell does more harm than none; 0 of none. */
uint64_t calibrate_quantile(uint64_t figures[], uint32_t count, uint32_t quarters);

#define CALIBRATE_MOST_NS 100000
#define CALIBRATE_PAUSES 40

#endif
