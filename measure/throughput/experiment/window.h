/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One window of an experiment: a setting for all pokers, time to settle, and what was counted in a
 * whole number of rounds; and whether that may be believed
 * (measure/throughput/experiment/window_judge.h).
 *
 * What is measured is behind a few functions, so that the same code runs against pokers over TCP
 * (measure/throughput/experiment/services.h) and against a model in virtual time (its tests).
 */
#ifndef MEASURE_THROUGHPUT_EXPERIMENT_WINDOW_H
#define MEASURE_THROUGHPUT_EXPERIMENT_WINDOW_H

#include "measure/throughput/poker/director.h"
#include "measure/throughput/experiment/change.h"

/* All return 0 or a negative errno value, after which `trouble` has one line about it. */
struct window_world {
  void *context;
  int (*set)(void *context, uint32_t service, const struct director_setting *setting);
  int (*ask)(void *context, uint32_t service, struct director_report *report);
  /* Until this time of `now`, or sooner with -EINTR when the experiment is to end, or with another
   * error when a service or the load ended. */
  int (*wait)(void *context, uint64_t until_ns);
  uint64_t (*now)(void *context); /* ns, never backwards */
  const char *(*trouble)(void *context);
  /* What processors do from the first call to the second; NULL: that is not seen. */
  void (*look)(void *context);
  void (*used)(void *context, struct processor_use *use);
};

struct window_setting {
  uint64_t epoch;
  uint64_t pause_ns[PLAN_SERVICES];
  uint64_t batch[PLAN_SERVICES];  /* of those who begin rounds; all 0: no rounds */
  uint32_t leader;                /* whose rounds the window is aligned to */
  uint64_t saved_ps;              /* for each user request, by the change that this stands for */
  uint64_t own_ps[PLAN_SERVICES]; /* of it, at each service itself */
  enum holding_mode holding[PLAN_SERVICES];
};

#define WINDOW_PARTS 8
#define WINDOW_REASON 160

struct window {
  uint64_t window_ns, rounds;
  uint64_t saved_ps; /* that a request saves by the change, and that no pause stands for: judge.h */
  uint64_t requests; /* user requests that were served: see judge.h */
  uint64_t paused_ns; /* of window_ns, how long `limit` was paused; with the change made it would
                         not be */
  uint32_t
      limit; /* the service that was busy all the time; PLAN_SERVICES: none, the entry counts */
  uint64_t noise_ns; /* standard error of window_ns, from how much its parts differ */
  uint64_t owed_ns, realised_ns, late, pauses; /* of all services */
  uint32_t parts;
  uint64_t part_ns[WINDOW_PARTS], part_requests[WINDOW_PARTS];
  uint64_t from[PLAN_SERVICES]; /* begun, since the poker started, when the window began */
  uint64_t begun[PLAN_SERVICES], ended[PLAN_SERVICES], busy_ns[PLAN_SERVICES]; /* in it */
  double in_flight[PLAN_SERVICES];  /* counted when it began and when it ended, their mean */
  uint64_t at_once[PLAN_SERVICES];  /* most, since the poker started */
  uint64_t errors[PLAN_SERVICES];   /* of `ended` */
  uint64_t flags[PLAN_SERVICES];    /* POKE_FLAGS when it ended */
  bool sees_answers[PLAN_SERVICES]; /* else errors are not known, and 0 */
  struct processor_use use;
  bool good;
  char reason[WINDOW_REASON]; /* why it is not */
};

/* 0, also for a window that is not good; or what the world's functions say. `profile` may be NULL:
 * then nothing is known of the services, and requests are those of the entry. */
int window_run(struct window *window, const struct window_world *world,
               const struct experiment_plan *plan, const struct window_setting *setting,
               const struct profile *profile);

/* What the services are like, from a window without pauses. False with `message`. */
bool window_profile(struct profile *profile, const struct window *window,
                    const struct experiment_plan *plan, char message[PLAN_MESSAGE]);

/* Call ratios anew, over all that happened from the beginning of `first` to the end of `last`: what
 * queues held back at one time they let go at another. */
void window_calls(struct profile *profile, const struct window *first, const struct window *last,
                  const struct experiment_plan *plan);

#endif
