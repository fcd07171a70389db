/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The arithmetic of a bounded log that keeps the latest records. Positions count from 1. Proved.
 */
#ifndef MEASURE_CORE_RING_H
#define MEASURE_CORE_RING_H

#include <stdint.h>

#define RING_CAPACITY_MAX 16777216 /* 2^24 */

/* 1 for a power of two from 2 to RING_CAPACITY_MAX. */
int ring_capacity_valid(uint64_t capacity);

/* The slot of a position (>= 1): (position - 1) mod capacity. */
uint64_t ring_slot(uint64_t position, uint64_t capacity);

/* The first position that is surely there when `written` are complete and the next one may be under
 * way; written + 1 when there is none. */
uint64_t ring_first(uint64_t written, uint64_t capacity);

/* How many complete records were overwritten or are in the slot that may be: ring_first - 1. */
uint64_t ring_overwritten(uint64_t written, uint64_t capacity);

/* What a slot holds, judged by the position found in it. */
enum ring_slot_state { RING_EMPTY, RING_COMPLETE, RING_TORN };

/* The state of the slot of `position` (1 .. written + 1 are asked) in which `found` was read:
 * COMPLETE when found == position; EMPTY when no record of that position was begun there: position
 * is beyond `written` and the slot holds what it held before, that is 0 on the first lap and the
 * position one lap earlier on others; else TORN. */
enum ring_slot_state ring_judge(uint64_t position, uint64_t found, uint64_t written,
                                uint64_t capacity);

#endif
