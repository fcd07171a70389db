/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE /* SCHED_RESET_ON_FORK */
#include "measure/throughput/pause/priority.h"

#include <sched.h>
#include <sys/prctl.h>

bool priority_take(int priority) {
  struct sched_param parameter = {.sched_priority = priority};
  prctl(PR_SET_TIMERSLACK, 1); /* 50 us by default */
  return sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &parameter) == 0;
}

void priority_give_back(void) {
  struct sched_param parameter = {0};
  sched_setscheduler(0, SCHED_OTHER, &parameter);
}
