/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The arithmetic of a bounded log that keeps the latest records. Positions count from 1. Proved.
 */
#ifndef MEASURE_CORE_RING_H
#define MEASURE_CORE_RING_H

#include <stdint.h>

#define RING_CAPACITY_MAX 16777216 /* 2^24 */

#include "proofs/logic/ring.acsl"

/* 1 for a power of two from 2 to RING_CAPACITY_MAX. */
/*@ assigns \nothing;
    ensures valid_only: \result != 0 ==> ring_power_of_two(capacity);
    ensures every_valid: ring_power_of_two(capacity) ==> \result == 1;
*/
int ring_capacity_valid(uint64_t capacity);

/* The slot of a position (>= 1): (position - 1) mod capacity. */
/*@ requires counted_from_one: 1 <= position;
    requires capacity_range: 1 <= capacity;
    assigns \nothing;
    ensures in_range: \result < capacity;
    ensures remainder: \result == (position - 1) % capacity;
*/
uint64_t ring_slot(uint64_t position, uint64_t capacity);

/* The first position that is surely there when `written` are complete and the next one may be under
 * way; written + 1 when there is none. */
/*@ requires capacity_range: 1 <= capacity;
    requires below_last: written < UINT64_MAX;
    assigns \nothing;
    ensures latest: \result == \max(1, written - capacity + 2);
    ensures none_beyond: \result <= written + 1;
    ensures slots_distinct: \forall integer p, q; \result <= p < q <= written + 1 ==>
      q - p < capacity;
*/
uint64_t ring_first(uint64_t written, uint64_t capacity);

/* How many complete records were overwritten or are in the slot that may be: ring_first - 1. */
/*@ requires capacity_range: 1 <= capacity;
    assigns \nothing;
    ensures all_before: \result == \max(0, written - capacity + 1);
*/
uint64_t ring_overwritten(uint64_t written, uint64_t capacity);

/* What a slot holds, judged by the position found in it. */
enum ring_slot_state { RING_EMPTY, RING_COMPLETE, RING_TORN };

/* The state of the slot of `position` (1 .. written + 1 are asked) in which `found` was read:
 * COMPLETE when found == position; EMPTY when no record of that position was begun there: position
 * is beyond `written` and the slot holds what it held before, that is 0 on the first lap and the
 * position one lap earlier on others; else TORN. */
/*@ requires counted_from_one: 1 <= position;
    requires capacity_range: 1 <= capacity;
    assigns \nothing;
    ensures complete: \result == RING_COMPLETE <==> found == position;
    ensures empty: \result == RING_EMPTY <==>
      written < position && found == \max(0, position - capacity);
    ensures torn_otherwise: \result == RING_TORN <==>
      found != position && (position <= written || found != \max(0, position - capacity));
*/
enum ring_slot_state ring_judge(uint64_t position, uint64_t found, uint64_t written,
                                uint64_t capacity);

#endif
