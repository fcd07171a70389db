/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * CLOCK_MONOTONIC in nanoseconds: for deadlines and lengths of work. What is recorded is measured
 * by the library's clock.
 */
#ifndef EXAMPLES_COMMON_MOMENT_H
#define EXAMPLES_COMMON_MOMENT_H

#include <stdint.h>
#include <time.h>

#define MOMENT_NEVER UINT64_MAX

static inline uint64_t moment_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* From now to a deadline, 0 when it is over; for ppoll. */
static inline struct timespec moment_left(uint64_t deadline_ns) {
  uint64_t now = moment_ns(), left = deadline_ns > now ? deadline_ns - now : 0;
  return (struct timespec){.tv_sec = (time_t)(left / 1000000000u),
                           .tv_nsec = (long)(left % 1000000000u)};
}

#endif
