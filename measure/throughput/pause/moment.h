/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The clock of everything here: CLOCK_MONOTONIC, in nanoseconds.
 */
#ifndef MEASURE_THROUGHPUT_PAUSE_MOMENT_H
#define MEASURE_THROUGHPUT_PAUSE_MOMENT_H

#include <errno.h>
#include <stdint.h>
#include <time.h>

static inline uint64_t moment_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static inline struct timespec moment_timespec(uint64_t ns) {
  return (struct timespec){.tv_sec = (time_t)(ns / 1000000000), .tv_nsec = (long)(ns % 1000000000)};
}

/* Sleeps until then. The deadline is fixed, so signals that interrupt move it nowhere. */
static inline void moment_sleep_until(uint64_t then_ns) {
  struct timespec then = moment_timespec(then_ns);
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &then, NULL) == EINTR)
    ;
}

#endif
