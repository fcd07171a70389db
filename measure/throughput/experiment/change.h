/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The model (SLOWPOKE, NSDI'26, equations 9 and 10): service s has calls c_s for each user request
 * and q_s workers. Making the work of T shorter by D for each call saves D * c_T / q_T for each
 * user request wherever T is what limits. Instead, everybody else pauses by as much: service s, for
 * each of its calls, by D * c_T / (c_s * q_T). Several changes add up, and who is changed pauses
 * for the others' share alone.
 *
 * Several services on one machine: q_T is then at most the machine's processors. The others on T's
 * machine pause as well: the processor time that their pause frees is what a faster T would free.
 * (One might spare them the pause, since a faster T would leave that time to them. That is right
 * only if each of them could use all processors of the machine.)
 *
 * What a call ratio is made of (kinds of requests, branches, cycles) makes no difference: c_s is
 * counted, and who pauses does so for the calls that it has seen.
 */
#ifndef MEASURE_THROUGHPUT_EXPERIMENT_CHANGE_H
#define MEASURE_THROUGHPUT_EXPERIMENT_CHANGE_H

#include "measure/throughput/experiment/knee.h"
#include "measure/throughput/experiment/plan.h"
#include "measure/throughput/experiment/processors.h"
#include "measure/throughput/experiment/talks.h"

struct profile_service {
  double calls;     /* c: for each user request */
  double work_ns;   /* p: of one call; 0: unknown */
  uint32_t workers; /* q; 0: unknown */
  double busy;      /* share of the time that its workers were busy; 0: unknown */
  bool workers_measured;
  bool held;        /* it is slowed by holding its answers (slowing.h), */
  uint32_t holders; /* of so many workers; 0: of one for each request */
  double worked_ns; /* for which one of them has a call, as it was learnt; 0: unknown */
  uint64_t own_ns;  /* of a call, without those that it makes; 0: it makes none */
  /* Calls in flight on average, by their times, and as counted at so many moments; 0: unknown. */
  double in_flight, counted;
  uint32_t moments;
  bool work_alone; /* its time and its workers are those of `knee` */
};

/* What a change saves a part of: the time of a call over the workers that it is the time of. What
 * was learnt of workers, where the plan states neither, has no waiting in it. */
double change_time_ns(const struct profile_service *known, const struct plan_service *planned);
uint32_t change_workers(const struct profile_service *known, const struct plan_service *planned);
bool change_is_learnt(const struct profile_service *known, const struct plan_service *planned);

struct profile {
  double throughput; /* user requests/s */
  double users;      /* in flight at the entry: their mean over time; 0: unknown */
  double users_most; /* at one time */
  struct processor_use use;
  struct talks talks;
  struct profile_service services[PLAN_SERVICES];
  struct knee_service knee[PLAN_SERVICES]; /* where one user was measured: knee.h */
};

#define CHANGE_PARTS 8
#define CHANGE_LABEL 160 /* bytes */

struct change_part {
  uint32_t service;
  uint32_t workers;   /* 0, or how many it would have: then share_ppm follows from the profile */
  uint32_t share_ppm; /* of its time per call that is saved */
};

struct change {
  char label[CHANGE_LABEL]; /* "web 40 %" */
  uint32_t count;           /* 0: no change; rounds alone */
  struct change_part parts[CHANGE_PARTS];
};

/* What is to be set for a change. */
struct change_pauses {
  uint32_t leader;                  /* begins the rounds: the part that saves most */
  uint64_t saved_ps;                /* for one user request, all parts */
  uint64_t own_ps[PLAN_SERVICES];   /* of it: the parts of each service itself */
  uint64_t saved_ns;                /* for one call of the leader */
  uint64_t pause_ns[PLAN_SERVICES]; /* for one call */
};

/* False with `message`, one line, when the profile lacks what the change needs, or when it is none:
 * not more workers than there are, a service that is not called. */
bool change_pauses(struct change_pauses *pauses, const struct change *change,
                   const struct experiment_plan *plan, const struct profile *profile,
                   char message[PLAN_MESSAGE]);

#endif
