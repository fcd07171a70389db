/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The clocks behind every measurement: CLOCK_MONOTONIC in nanoseconds, and the processor's time
 * stamp counter where it can stand for it. Both are the same for all processes of one host. Not
 * part of the proved core.
 */
#ifndef MEASURE_RECORD_CLOCK_H
#define MEASURE_RECORD_CLOCK_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* Nanoseconds since an unspecified moment; never decreases. Aborts if the system has no such
 * clock. */
uint64_t clock_now_ns(void);

/* A clock as it was found at start-up. */
struct clock_facts {
  uint32_t kind; /* enum tailproof_clock: TAILPROOF_CLOCK_MONOTONIC or TAILPROOF_CLOCK_TSC */
  uint64_t rate_up, rate_down; /* ns per tick in units of 2^-32, measure/core/ticks.h */
  uint64_t identity;           /* equal where ticks can be subtracted, never 0 */
  uint64_t resolution_ns;      /* least step seen between two readings, rounded up */
  uint64_t cost_ps;            /* of one reading, the least of several averages */
};

/* Chooses the clock asked for (enum tailproof_clock) and measures it; takes some 12 ms for the
 * counter. Returns 0, or ENOTSUP with the reason in `why` when the counter was asked for and cannot
 * be trusted. Not thread-safe: the caller holds a lock. What was found is kept for the next call.
 */
int clock_choose(struct clock_facts *facts, uint32_t wanted, char *why, size_t size);

/* CLOCK_MONOTONIC in ns; 0 if the system has none. */
static inline uint64_t clock_monotonic(void) {
  struct timespec now;
  if (clock_gettime(CLOCK_MONOTONIC, &now) != 0)
    return 0;
  return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* The counter; only where clock_choose said that it can be trusted.
 *
 * rdtscp, not rdtsc: it waits until all earlier instructions have been executed and all earlier
 * loads are done. So the work before a reading is before it, and a reading taken after a message
 * was received is later than the one taken before it was sent: the sender's stores become visible
 * only after its reading has retired, and the receiver reads after its loads. The work after it may
 * begin while the counter is being read (by less than the depth of the processor's pipeline); a
 * fence against that costs as much as the reading itself and would only move this sliver between
 * neighbouring parts, since one reading ends a part and begins the next. */
static inline uint64_t clock_counter(void) {
#if defined(__x86_64__)
  uint32_t low, high, processor;
  __asm__ volatile("rdtscp" : "=a"(low), "=d"(high), "=c"(processor) : : "memory");
  return (uint64_t)high << 32 | low;
#else
  return clock_monotonic();
#endif
}

#endif
