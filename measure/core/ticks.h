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

/* ceil(ticks * rate / 2^32) and floor(...); exact for all 64-bit ticks and rates 0 .. 2^32. */
uint64_t ticks_to_ns_up(uint64_t ticks, uint64_t rate);
uint64_t ticks_to_ns_down(uint64_t ticks, uint64_t rate);

/* end - start where that is not negative; *reversed counts (saturating) a clock that went back, and
 * the result is then 0. */
uint64_t ticks_between(uint64_t start, uint64_t end, uint64_t *reversed);

#endif
