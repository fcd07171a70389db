/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "examples/common/meter.h"

#include "examples/common/moment.h"

/* What is not worth a sleep: it is owed to the next request. */
enum { METER_LEAST_NS = 4000 };

void meter_idle(struct meter *meter) {
  meter->last_ns = moment_ns();
}

void meter_work(struct meter *meter, uint64_t work_ns) {
  int64_t left_ns = (int64_t)work_ns - meter->surplus_ns;
  while (left_ns > METER_LEAST_NS) {
    uint64_t asked_ns = left_ns < METER_QUANTUM_NS ? (uint64_t)left_ns : METER_QUANTUM_NS;
    struct timespec step = {.tv_nsec = (long)asked_ns};
    clock_nanosleep(CLOCK_MONOTONIC, 0, &step, NULL); /* a signal only makes it shorter */
    uint64_t now_ns = moment_ns(), passed_ns = now_ns - meter->last_ns;
    meter->last_ns = now_ns;
    if (passed_ns >= METER_STOP_NS) {
      meter->stops++;
      meter->lost_ns += passed_ns - asked_ns;
      passed_ns = asked_ns;
    }
    left_ns -= (int64_t)passed_ns;
  }
  meter->surplus_ns = -left_ns;
}
