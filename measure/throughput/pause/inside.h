/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A pauser, and its thread.
 */
#ifndef MEASURE_THROUGHPUT_PAUSE_INSIDE_H
#define MEASURE_THROUGHPUT_PAUSE_INSIDE_H

#include "measure/throughput/pause/brake.h"
#include "measure/throughput/pause/calibrate.h"
#include "measure/throughput/pause/guard.h"

#include <pthread.h>
#include <semaphore.h>

struct pauser {
  struct brake brake;
  struct guard guard;             /* the thread's, once there is one */
  struct calibration calibration; /* constant */
  int event;                      /* pidfd of the service */
  int wake;                       /* eventfd: a round, or the end */
  pthread_t thread;
  sem_t ready; /* posted by the thread when it has its priority */
  atomic_bool cancelled;
  pthread_mutex_t
      lock; /* of what follows; held for a few instructions, by inheritance of priority */
  struct pauser_report report;
  uint64_t least_ns, most_ns;
  uint64_t settled; /* requests that owe nothing more */
};

/* Pauses the service for each round until it has ended or the pauser is cancelled; then it runs. */
void *pausing_run(void *pauser);

void pausing_wake(const struct pauser *pauser);

#endif
