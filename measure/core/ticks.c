/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/core/ticks.h"

/* With ticks = high * 2^32 + low the product is high * rate * 2^32 + low * rate: the first addend
 * divides exactly, and neither product nor the sum exceeds 64 bits, as rate <= 2^32. */

uint64_t ticks_to_ns_up(uint64_t ticks, uint64_t rate) {
  uint64_t high = ticks / TICKS_RATE_ONE, low = ticks % TICKS_RATE_ONE;
  //@ assert at_most_one: ticks * rate <= ticks * TICKS_RATE_ONE;
  return high * rate + (low * rate + (TICKS_RATE_ONE - 1)) / TICKS_RATE_ONE;
}

uint64_t ticks_to_ns_down(uint64_t ticks, uint64_t rate) {
  uint64_t high = ticks / TICKS_RATE_ONE, low = ticks % TICKS_RATE_ONE;
  //@ assert at_most_one: ticks * rate <= ticks * TICKS_RATE_ONE;
  return high * rate + low * rate / TICKS_RATE_ONE;
}

uint64_t ticks_between(uint64_t start, uint64_t end, uint64_t *reversed) {
  if (start <= end)
    return end - start;
  if (*reversed < UINT64_MAX)
    ++*reversed;
  return 0;
}
