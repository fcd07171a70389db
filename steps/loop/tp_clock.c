/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tp_clock.h"

uint64_t tp_clock_now(const struct tp_loop *loop) {
  return loop->writer == NULL && !loop->role->timed ? 0 : tailproof_now(loop->writer);
}

int64_t tp_clock_passed(const struct tp_loop *loop, uint64_t ticks) {
  return ticks <= loop->began ? 0 : (int64_t)tailproof_ns_down(loop->writer, ticks - loop->began);
}

int64_t tp_clock_free(const struct tp_loop *loop) {
  return loop->free == 0 ? 0 : tp_clock_passed(loop, loop->free);
}

/* The first tick up to `last` at which so much has passed. */
static uint64_t first_tick(const struct tp_loop *loop, int64_t ns, uint64_t last) {
  uint64_t before = loop->began, after = last;
  if (ns <= 0)
    return loop->began;
  if (tp_clock_passed(loop, last) < ns)
    return UINT64_MAX;
  while (after - before > 1) {
    uint64_t middle = before + (after - before) / 2;
    if (tp_clock_passed(loop, middle) < ns)
      before = middle;
    else
      after = middle;
  }
  return after;
}

uint64_t tp_clock_future(const struct tp_loop *loop, int64_t ns) {
  const uint64_t most = UINT64_MAX - loop->began;
  uint64_t ahead = ns <= 0 ? 0 : (uint64_t)ns < most ? (uint64_t)ns : most;
  while (tp_clock_passed(loop, loop->began + ahead) < ns && ahead < most)
    ahead = ahead <= most / 2 ? ahead * 2 : most;
  return first_tick(loop, ns, loop->began + ahead);
}

uint64_t tp_clock_tick(const struct tp_loop *loop, int64_t ns, uint64_t since) {
  const uint64_t tick = ns == INT64_MAX ? UINT64_MAX : first_tick(loop, ns, tp_clock_now(loop));
  return tick > since ? tick : since;
}
