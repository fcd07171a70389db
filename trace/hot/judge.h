/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which functions slow requests run more of than the rest, in the same time.
 *
 * The rate of a function is its processor time for each ns in which requests of a side were
 * executing (or waited: then others ran it). Of samples that are worth w ns it is the sum of w over
 * the sum of the stretches. The difference of the two rates has the interval of a ratio by
 * linearisation, robust to the dependence of samples of one cluster of requests (Cochran, Sampling
 * Techniques, 1977, 6.4; Liang and Zeger, Biometrika 73, 1986), with Student's t of the slow
 * clusters less one.
 *
 * significant  that the slow rate is higher is no chance, by two tests that must both say so: the
 * one of the interval, which is asymptotic, and the exact one of two Poisson rates, which takes
 * samples for independent (Przyborowski and Wilenski, Biometrika 31, 1940). The larger of the two
 * chances counts, with Holm's correction (1979) over all that is tested: both what functions do
 * themselves and what they do with what they call. With chance at most `level` anything is named
 * wrongly.
 *
 * Of a profile of waits the rate is the part of the time that a request waits there, what is tested
 * is each stack, and the exact test counts requests (waits.h): a slow request may wait longer and
 * not more often. All preempted stacks are one.
 */
#ifndef TRACE_HOT_JUDGE_H
#define TRACE_HOT_JUDGE_H

#include <stdbool.h>
#include <stddef.h>

#include "trace/hot/join.h"
#include "trace/stacks/weights.h"
#include "trace/tail/split.h"

enum {
  HOT_LEAST_SAMPLES = 5,   /* of a function, to be tested */
  HOT_LEAST_REQUESTS = 20, /* of each side */
  HOT_LEAST_SIDE = 20,     /* samples in requests of each side */
  HOT_LEAST_CLUSTERS = 10, /* that hold slow requests */
};

/* What runs: a function by itself, a function with what it calls, or a part of a runtime. */
enum hot_kind { HOT_OWN, HOT_WITH_CALLEES, HOT_RUNTIME };

/* Parts of a runtime, by the names of frames (hot/runtime.h). */
enum hot_runtime {
  HOT_NATIVE,
  HOT_COLLECTION,
  HOT_COMPILATION,
  HOT_INLINE_CACHE,
  HOT_SCRIPT,
  HOT_RUNTIMES,
};

struct hot_finding {
  enum hot_kind kind;
  uint32_t item;     /* a function (stack_functions), or an enum hot_runtime */
  double slow, rest; /* rates, 0 .. 1 of a processor on one thread */
  double difference, least, most;
  double slow_samples, rest_samples;
  double chance; /* of as much more, if there were no difference */
  bool significant;
  uint32_t node;  /* the heaviest one of it in slow requests; STACK_NONE: none */
  double largest; /* part of it in slow requests that is of one cluster, the one with most */
};

enum hot_verdict {
  HOT_FOUND,   /* something is significant */
  HOT_NOTHING, /* is significant */
  HOT_TOO_FEW, /* requests on a side, or samples in them */
  HOT_CLOCKS,  /* of the profile and the requests do not agree, or cannot be seen to */
  HOT_THREADS, /* of requests are not known, so that nobody knows whose a wait is */
};

struct hot_report {
  enum hot_verdict verdict;
  size_t slow, rest; /* requests that count */
  size_t slow_clusters, rest_clusters;
  double slow_time, rest_time; /* ns of their stretches */
  double slow_samples, rest_samples;
  size_t tested;
  VECTOR(struct hot_finding) findings; /* significant ones first, then the largest difference */
};

/* `worth` is what a unit of weight is in ns of processor time. 0 < level < 1. */
void hot_report_make(struct hot_report *report, const struct hot_join *join,
                     const struct stack_profile *profile, const struct stack_functions *functions,
                     const struct tail_split *split, double worth, double level);
void hot_report_clear(struct hot_report *report);

#endif
