/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a sample costs whom it interrupts. The sampler cannot see that: it is the program's time. So
 * it is measured before sampling begins, on the own thread: equal pieces of work of a millisecond,
 * every other one of them sampled at 10 kHz, by the clock on the wall, as some kernels do not count
 * interrupts as anybody's processor time. Of each kind the shortest piece counts, which nothing
 * else interrupted.
 *
 * Example. The shortest piece takes 1.000 ms, and the shortest one with 11 samples 1.110 ms: a
 * sample costs 10 us.
 *
 * The stack is short here. A deep one costs more, so it is not taken for less than
 * INTERRUPT_LEAST_NS; and not for more than INTERRUPT_MOST_NS, as a busy machine may interrupt each
 * of few pieces.
 */
#ifndef MEASURE_PROFILE_INTERRUPT_H
#define MEASURE_PROFILE_INTERRUPT_H

#include "measure/profile/counters.h"

enum {
  INTERRUPT_LEAST_NS = 5000,
  INTERRUPT_MOST_NS = 200000,
  INTERRUPT_ASSUMED_NS = 30000, /* where it cannot be measured */
};

struct interrupt_cost {
  uint32_t ns; /* for each sample */
  bool measured;
};

/* How it is measured; a test has its own clock. */
struct interrupt_bench {
  void *context;
  uint64_t (*clock)(void *context); /* ns */
  void (*work)(void *context);      /* always the same */
  void (*sample)(void *context, bool on);
  uint64_t (*samples)(void *context); /* that were taken since this was asked last */
};

struct interrupt_cost interrupt_cost_find(const struct interrupt_bench *bench);

/* Of samples with these options, whatever their rate. Takes some 60 ms, more on a busy machine. */
struct interrupt_cost interrupt_cost_measure(const struct counter_options *options);

#endif
