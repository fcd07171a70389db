/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/seconds.h"

#include <time.h>

static double now(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

double seconds_worked(void) {
  return now(CLOCK_THREAD_CPUTIME_ID);
}

double seconds_elapsed(void) {
  return now(CLOCK_MONOTONIC);
}
