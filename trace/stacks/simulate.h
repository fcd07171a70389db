/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What cheaper ways to sample would have shown of a program that was sampled at full rate: fixed
 * lower rates, fast rate adaption (measure/profile/adapt.h), and the leaving out of threads that
 * hardly run.
 *
 * The truth is not known, but a second full-rate recording of the same run is as good: half of the
 * samples, drawn at random, are what the ways choose from, and the other half is what each is held
 * against, window by window. Of the squared differences of the shares the part that the other half
 * has by chance, p (1 - p) / (n - 1), is taken off; what is left is the mean squared error of the
 * way. "Full rate" is therefore half the rate of the recording.
 *
 * A way shows, of a window, the shares among all that it sampled since the last change it saw; a
 * fixed rate what it sampled in the window, or in the one before where that is nothing.
 */
#ifndef TRACE_STACKS_SIMULATE_H
#define TRACE_STACKS_SIMULATE_H

#include "measure/profile/adapt.h"
#include "trace/stacks/profile.h"

enum simulate_kind {
  SIMULATE_FULL,
  SIMULATE_FIXED,
  SIMULATE_PUBLISHED, /* rate adaption by the rule of the paper; each window by itself */
  SIMULATE_ADAPTIVE,
};

struct simulate_options {
  int64_t window; /* ns */
  double rate;    /* of the recording, samples a second of processor time; 0: find it out */
  unsigned top;   /* functions whose shares are held against each other: 50 */
  uint64_t seed;  /* of the halves */
  uint32_t cost;  /* ns that a sample costs, for the budget */
  struct adapt_options adapt; /* a ceiling above the full rate is the full rate */
};

/* What a window was like for the way that adapts. */
struct simulate_window {
  int64_t start;
  uint32_t rate, samples; /* rate: samples a second, of the full one */
  enum adapt_verdict verdict;
  double divergence, threshold;
};

struct simulate_way {
  enum simulate_kind kind;
  double rate;      /* of SIMULATE_FIXED: samples a second; else on average */
  uint64_t samples; /* taken */
  double spent;     /* of the samples of the full rate: 0 .. 1 */
  double squared;   /* mean squared error of a share in a window */
  double relative;  /* that, over the full rate's own; NaN where the full rate has none */
  double top_error; /* mean of |shown - full| / full of the top functions, over the whole run */
  unsigned changes; /* windows that were found changed */
};

struct stack_simulation {
  double rate; /* the full one: samples a second */
  size_t windows, functions;
  uint64_t samples;                 /* of the recording */
  VECTOR(struct simulate_way) ways; /* the full rate first */
  VECTOR(struct simulate_window) course;
};

enum simulate_failure {
  SIMULATE_OK,
  SIMULATE_UNTIMED, /* the profile has no samples with their moments */
  SIMULATE_SHORT,   /* fewer than SIMULATE_LEAST windows with samples */
};

enum { SIMULATE_LEAST = 4 };

/* The window 1 s, the top 50 functions, a cost of 30 us, and adapt_defaults with the full rate as
 * the ceiling and no budget. */
struct simulate_options simulate_defaults(void);

/* Initialises the simulation in any case. */
enum simulate_failure simulate(struct stack_simulation *simulation,
                               const struct stack_profile *profile,
                               const struct simulate_options *options);
void simulation_clear(struct stack_simulation *simulation);

/* The usual rate of a profile with moments, in samples a second of processor time: one over the
 * median time between samples of a thread. 0: it cannot be told. */
double simulate_rate(const struct stack_profile *profile);

#endif
