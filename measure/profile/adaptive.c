/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/profile/adaptive.h"

#include <string.h>
#include <time.h>

#include "measure/profile/stack.h"

static uint64_t worked_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

void adaptive_init(struct adaptive *adaptive, const struct adapt_options *options,
                   uint32_t interrupt_ns) {
  *adaptive = (struct adaptive){.interrupt_ns = interrupt_ns, .worked_ns = worked_ns()};
  adapt_init(&adaptive->adapt, options);
}

void adaptive_clear(struct adaptive *adaptive) {
  adapt_clear(&adaptive->adapt);
  vector_clear(&adaptive->functions);
  vector_clear(&adaptive->of_frame);
  vector_clear(&adaptive->counts);
  phases_clear(&adaptive->phases);
}

/* FNV-1a, 64 bits; two functions with one hash would be taken for one. */
static uint64_t hash_of(uint64_t hash, const void *bytes, size_t length) {
  for (size_t i = 0; i < length; i++)
    hash = (hash ^ ((const unsigned char *)bytes)[i]) * 1099511628211u;
  return hash;
}

/* The function that a hash stands for. There are as many as a program has that run. */
static uint32_t number_of(struct adaptive *adaptive, uint64_t hash) {
  for (size_t i = 0; i < adaptive->functions.count; i++)
    if (adaptive->functions.data[i] == hash)
      return (uint32_t)i;
  vector_push(&adaptive->functions, hash);
  vector_push(&adaptive->counts, 0);
  return (uint32_t)adaptive->functions.count - 1;
}

static uint32_t function_of(struct adaptive *adaptive, struct sampler *sampler, uint32_t frame) {
  struct text name;
  uint64_t start = 0, hash = 14695981039346656037u;
  text_init(&name);
  bool found = stack_name_of(sampler, frame, &name, &start);
  if (found)
    hash = hash_of(hash, text_get(&name), name.length);
  else
    hash = hash_of(hash_of(hash, &sampler->writer.frames.data[frame].module, sizeof(uint32_t)),
                   &start, sizeof start);
  text_clear(&name);
  return number_of(adaptive, hash);
}

static void count_leaves(struct adaptive *adaptive, struct sampler *sampler) {
  for (uint32_t f = 0; f < sampler->leaves.count; f++) {
    if (f == adaptive->of_frame.count)
      vector_push(&adaptive->of_frame, UINT32_MAX);
    if (sampler->leaves.data[f] == 0)
      continue;
    if (adaptive->of_frame.data[f] == UINT32_MAX)
      adaptive->of_frame.data[f] = function_of(adaptive, sampler, f);
    adaptive->counts.data[adaptive->of_frame.data[f]] += sampler->leaves.data[f];
    sampler->leaves.data[f] = 0;
  }
}

enum status adaptive_window(struct adaptive *adaptive, struct sampler *sampler, uint64_t window_ns,
                            struct text *message) {
  unsigned rate = sampler->counters.options.rate;
  double samples = 0;
  count_leaves(adaptive, sampler);
  for (size_t i = 0; i < adaptive->counts.count; i++)
    samples += adaptive->counts.data[i];
  uint64_t now = worked_ns(), count = samples < 1 ? 1 : (uint64_t)samples;
  uint64_t cost = (now - adaptive->worked_ns) / count + adaptive->interrupt_ns;
  double load = samples / rate * 1e12 / (double)window_ns;
  adaptive->worked_ns = now;
  adapt_window(&adaptive->adapt, adaptive->counts.data, adaptive->counts.count,
               cost < RATE_COST_MAX ? (uint32_t)cost : RATE_COST_MAX,
               load < RATE_LOAD_MAX ? (uint32_t)load : RATE_LOAD_MAX);
  adaptive->changes += adaptive->adapt.verdict == ADAPT_CHANGED;
  /* at half the ceiling or more a window can speak for itself */
  bool alone = rate >= adaptive->adapt.options.limits.ceiling / 2;
  size_t taken = (size_t)sampler->writer.sample_count - adaptive->phases.samples;
  phases_add(&adaptive->phases, adaptive->adapt.verdict, taken, alone);
  tpp_write_window(&sampler->writer,
                   &(struct tpp_window){taken, (uint32_t)adaptive->adapt.verdict, alone});
  memset(adaptive->counts.data, 0, adaptive->counts.count * sizeof *adaptive->counts.data);
  unsigned next = adaptive->adapt.rate.rate == 0 ? 1 : adaptive->adapt.rate.rate;
  return next == rate ? STATUS_OK : sampler_set_rate(sampler, next, message);
}
