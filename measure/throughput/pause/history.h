/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * When a service was paused, so that times can be told without the pauses: of a request that took
 * 14 ms, 3 ms of them paused, the service had 11 ms. The latest HISTORY_PAUSES are remembered.
 *
 * Pure: no clock, no allocation. Times in ns of any one clock.
 */
#ifndef MEASURE_THROUGHPUT_PAUSE_HISTORY_H
#define MEASURE_THROUGHPUT_PAUSE_HISTORY_H

#include <stdbool.h>
#include <stdint.h>

#define HISTORY_PAUSES 1024

/* All zero: no pause yet. */
struct pause_history {
  uint64_t count; /* pauses so far; pause i is in place i % HISTORY_PAUSES */
  uint64_t from_ns[HISTORY_PAUSES], until_ns[HISTORY_PAUSES];
};

/* A pause; one that overlaps the one before counts from its end, one that is over then not at all.
 */
void history_add(struct pause_history *history, uint64_t from_ns, uint64_t until_ns);

/* How much of begin .. end was paused. False when pauses of that time are forgotten. */
bool history_paused(uint64_t *paused_ns, const struct pause_history *history, uint64_t begin_ns,
                    uint64_t end_ns);

/* Pause number `number`, from 0; false when there is none yet, or it is forgotten. */
bool history_pause(const struct pause_history *history, uint64_t number, uint64_t *from_ns,
                   uint64_t *until_ns);

#endif
