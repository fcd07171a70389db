/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/throughput/core/hold.h"

void hold_init(struct hold_clock *clock) {
  clock->before_ns = 0;
  clock->from_ns = 0;
  clock->until_ns = 0;
}

uint64_t hold_paused(const struct hold_clock *clock, uint64_t now_ns) {
  uint64_t until_ns = now_ns < clock->until_ns ? now_ns : clock->until_ns;
  return clock->before_ns + (until_ns - clock->from_ns);
}

uint64_t hold_time(const struct hold_clock *clock, uint64_t now_ns) {
  return now_ns - hold_paused(clock, now_ns);
}

uint64_t hold_moment(const struct hold_clock *clock, uint64_t time_ns) {
  uint64_t stands_at_ns = clock->from_ns - clock->before_ns;
  if (time_ns <= stands_at_ns)
    return clock->from_ns;
  uint64_t all_ns = clock->before_ns + (clock->until_ns - clock->from_ns);
  return time_ns > UINT64_MAX - all_ns ? UINT64_MAX : time_ns + all_ns;
}

int hold_pause(struct hold_clock *clock, uint64_t now_ns, uint64_t ns) {
  if (clock->from_ns > now_ns || now_ns > HOLD_TIME_MAX)
    return 0;
  uint64_t begin_ns = now_ns > clock->until_ns ? now_ns : clock->until_ns;
  if (ns > HOLD_TIME_MAX - begin_ns)
    return 0;
  if (now_ns > clock->until_ns) {
    clock->before_ns += clock->until_ns - clock->from_ns;
    clock->from_ns = now_ns;
  }
  clock->until_ns = begin_ns + ns;
  return 1;
}

uint64_t hold_end(uint64_t arrived_ns, uint64_t freed_ns, uint64_t work_ns) {
  uint64_t begun_ns = arrived_ns > freed_ns ? arrived_ns : freed_ns;
  return work_ns > UINT64_MAX - begun_ns ? UINT64_MAX : begun_ns + work_ns;
}

uint64_t hold_share(uint64_t paused_ns, uint64_t own_ns, uint64_t took_ns) {
  if (own_ns >= took_ns)
    return paused_ns;
  if (took_ns <= UINT32_MAX && paused_ns <= UINT32_MAX)
    return paused_ns * own_ns / took_ns;
  return paused_ns; /* hours, or a pause of seconds: that it is held too long shows */
}
