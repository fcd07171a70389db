/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/record/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

uint64_t clock_now_ns(void) {
  struct timespec now;
  if (clock_gettime(CLOCK_MONOTONIC, &now) != 0) {
    perror("clock_gettime(CLOCK_MONOTONIC)");
    abort();
  }
  return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}
