/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The pauser of one service: the thread that stops it when a round comes, for as long as its
 * requests owe, and continues it. Private to measure/pause.
 */
#ifndef MEASURE_THROUGHPUT_PAUSE_INSIDE_H
#define MEASURE_THROUGHPUT_PAUSE_INSIDE_H

#include "measure/throughput/pause/brake.h"
#include "measure/throughput/pause/calibrate.h"
#include "measure/throughput/pause/guard.h"
#include "measure/throughput/pause/history.h"

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
  pthread_mutex_t lock; /* of what follows; held for a few instructions. Whoever holds it has the
                         * priority of the thread that waits for it (PTHREAD_PRIO_INHERIT). */
  struct pauser_report report;
  struct pause_history history;
  uint64_t least_ns, most_ns;
  uint64_t settled; /* requests whose pause is in the ledger already, or that owe none */
};

/* Pauses the service for each round until it has ended or the pauser is cancelled; then it runs. */
void *pausing_run(void *pauser);

void pausing_wake(const struct pauser *pauser);

#endif
