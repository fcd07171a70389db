/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Clock arithmetic: ticks to nanoseconds, rounded outward, without overflow. Proved.
 *
 * A rate is nanoseconds per tick in units of 2^-32; clocks slower than 1 GHz are not used, so a
 * rate is at most 2^32 (which is one nanosecond per tick exactly).
 */
#ifndef MEASURE_CORE_TICKS_H
#define MEASURE_CORE_TICKS_H

#include <stdint.h>

#define TICKS_RATE_ONE 4294967296 /* 2^32 needs 64 bits */

/* ceil(ticks * rate / 2^32), exact for all 64-bit ticks and rates 0 .. 2^32. */
/*@ requires rate_range: rate <= TICKS_RATE_ONE;
    assigns \nothing;
    ensures not_less: ticks * rate <= \result * TICKS_RATE_ONE;
    ensures rounded_up: \result * TICKS_RATE_ONE < ticks * rate + TICKS_RATE_ONE;
    ensures no_longer: \result <= ticks;
*/
uint64_t ticks_to_ns_up(uint64_t ticks, uint64_t rate);

/* floor(ticks * rate / 2^32), likewise. */
/*@ requires rate_range: rate <= TICKS_RATE_ONE;
    assigns \nothing;
    ensures not_more: \result * TICKS_RATE_ONE <= ticks * rate;
    ensures rounded_down: ticks * rate < (\result + 1) * TICKS_RATE_ONE;
    ensures no_longer: \result <= ticks;
*/
uint64_t ticks_to_ns_down(uint64_t ticks, uint64_t rate);

/* end - start where that is not negative; *reversed counts (saturating) a clock that went back, and
 * the result is then 0. */
/*@ requires storage: \valid(reversed);
    assigns *reversed;
    behavior forward:
      assumes start <= end;
      assigns \nothing;
      ensures difference: \result == end - start;
    behavior back:
      assumes end < start;
      assigns *reversed;
      ensures none: \result == 0;
      ensures counted: \old(*reversed) < UINT64_MAX ==> *reversed == \old(*reversed) + 1;
      ensures kept_at_most: \old(*reversed) == UINT64_MAX ==> *reversed == UINT64_MAX;
    complete behaviors;
    disjoint behaviors;
*/
uint64_t ticks_between(uint64_t start, uint64_t end, uint64_t *reversed);

#endif
