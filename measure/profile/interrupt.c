/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/profile/interrupt.h"

#include <linux/perf_event.h>
#include <math.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* ---- from the times of pieces */

static uint64_t piece(const struct interrupt_bench *bench, bool sampled) {
  bench->sample(bench->context, sampled);
  uint64_t start = bench->clock(bench->context);
  bench->work(bench->context);
  uint64_t took = bench->clock(bench->context) - start;
  bench->sample(bench->context, false);
  return took;
}

struct interrupt_cost interrupt_cost_find(const struct interrupt_bench *bench) {
  enum { PAIRS = 25 };
  double alone = INFINITY, sampled = INFINITY, samples = 0;
  bench->samples(bench->context);
  for (int i = 0; i < PAIRS; i++) {
    alone = fmin(alone, (double)piece(bench, false));
    double took = (double)piece(bench, true), taken = (double)bench->samples(bench->context);
    if (taken < 1 || took >= sampled)
      continue;
    sampled = took;
    samples = taken;
  }
  if (samples < 1)
    return (struct interrupt_cost){INTERRUPT_ASSUMED_NS, false};
  double cost = fmin(fmax((sampled - alone) / samples, INTERRUPT_LEAST_NS), INTERRUPT_MOST_NS);
  return (struct interrupt_cost){(uint32_t)cost, true};
}

/* ---- with the kernel's clocks */

struct own_thread {
  struct counters counters;
  ring_bytes bytes;
  uint64_t rounds;
};

static uint64_t wall(void *context) {
  (void)context;
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static volatile uint64_t sink;

static void spin(void *context) {
  const struct own_thread *own = context;
  for (uint64_t i = 0; i < own->rounds; i++)
    sink += i * i;
}

static void switch_sampling(void *context, bool on) {
  struct own_thread *own = context;
  if (on)
    counters_enable(&own->counters);
  else
    counters_disable(&own->counters);
}

static uint64_t take_samples(void *context) {
  struct own_thread *own = context;
  uint64_t count = 0;
  own->bytes.count = 0;
  for (size_t i = 0; i < own->counters.lanes.count; i++)
    ring_take(&own->counters.lanes.data[i].ring, &own->bytes);
  for (size_t at = 0; at + sizeof(struct perf_event_header) <= own->bytes.count;) {
    struct perf_event_header header;
    memcpy(&header, own->bytes.data + at, sizeof header);
    if (header.size < sizeof header)
      break;
    count += header.type == PERF_RECORD_SAMPLE;
    at += header.size;
  }
  return count;
}

/* Rounds that take a millisecond. */
static void find_rounds(struct own_thread *own) {
  enum { PIECE_NS = 1000000, MOST = 1 << 26 };
  uint64_t took = 0;
  for (own->rounds = 1 << 14; own->rounds < MOST; own->rounds *= 2) {
    uint64_t start = wall(NULL);
    spin(own);
    took = wall(NULL) - start;
    if (took >= PIECE_NS)
      return;
  }
}

struct interrupt_cost interrupt_cost_measure(const struct counter_options *options) {
  enum { RATE = 10000 };
  struct own_thread own = {.rounds = 0};
  struct text message;
  struct counter_options fast = *options;
  fast.rate = RATE;
  fast.ring_pages = 0;
  fast.processors = false;
  text_init(&message);
  struct interrupt_cost cost = {INTERRUPT_ASSUMED_NS, false};
  bool good = counters_init(&own.counters, &fast, COUNTER_THREADS, &message);
  if (good && counters_add(&own.counters, (pid_t)syscall(SYS_gettid), &message) == COUNTER_OPENED) {
    find_rounds(&own);
    cost = interrupt_cost_find(
        &(struct interrupt_bench){&own, wall, spin, switch_sampling, take_samples});
  }
  counters_clear(&own.counters);
  vector_clear(&own.bytes);
  text_clear(&message);
  return cost;
}
