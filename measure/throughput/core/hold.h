/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The time of a service whose answers are held instead of itself being stopped.
 *
 * A clock stands while a pause is on, and runs with CLOCK_MONOTONIC else: it shows the time that the
 * service would have had, had it been stopped. A request that the service works on for a while by
 * CLOCK_MONOTONIC, as nothing stops it, is to be answered when the same while has gone by on this
 * clock: the answer is held until then, and so is the worker that it stands for.
 *
 * Times are in nanoseconds; those of CLOCK_MONOTONIC are called moments. Proved
 * (proofs/logic/hold.acsl).
 */
#ifndef MEASURE_THROUGHPUT_CORE_HOLD_H
#define MEASURE_THROUGHPUT_CORE_HOLD_H

#include <stdint.h>

#define HOLD_TIME_MAX 4611686018427387903u /* 2^62 - 1 */

struct hold_clock {
  uint64_t before_ns;         /* all pauses but the latest; <= from_ns */
  uint64_t from_ns, until_ns; /* the latest; it may be on; from_ns <= until_ns <= HOLD_TIME_MAX */
};

#include "proofs/logic/hold.acsl"

/* No pause yet. */
/*@ requires storage: \valid(clock);
    assigns *clock;
    ensures sound: hold_sound(clock);
    ensures nothing: clock->before_ns == 0 && clock->from_ns == 0 && clock->until_ns == 0;
*/
void hold_init(struct hold_clock *clock);

/* How long it has stood, at a moment that is not before the latest pause's begin. */
/*@ requires storage: \valid_read(clock);
    requires sound: clock->before_ns <= clock->from_ns && clock->from_ns <= clock->until_ns &&
      clock->until_ns <= HOLD_TIME_MAX;
    requires known: clock->from_ns <= now_ns;
    assigns \nothing;
    ensures stood: \result == hold_stood(clock, now_ns);
    ensures range: \result <= now_ns;
*/
uint64_t hold_paused(const struct hold_clock *clock, uint64_t now_ns);

/* What it shows then. */
/*@ requires storage: \valid_read(clock);
    requires sound: clock->before_ns <= clock->from_ns && clock->from_ns <= clock->until_ns &&
      clock->until_ns <= HOLD_TIME_MAX;
    requires known: clock->from_ns <= now_ns;
    assigns \nothing;
    ensures time: \result == hold_shown(clock, now_ns);
    ensures range: \result <= now_ns;
*/
uint64_t hold_time(const struct hold_clock *clock, uint64_t now_ns);

/* The first moment, not before the latest pause's begin, at which it shows `time_ns` or more, should
 * no pause be added. Saturates at UINT64_MAX. */
/*@ requires storage: \valid_read(clock);
    requires sound: clock->before_ns <= clock->from_ns && clock->from_ns <= clock->until_ns &&
      clock->until_ns <= HOLD_TIME_MAX;
    assigns \nothing;
    ensures begin: \result >= clock->from_ns;
    ensures over: \result < UINT64_MAX ==> hold_shown(clock, \result) >= time_ns;
    ensures first: \forall integer t; clock->from_ns <= t < \result ==>
      hold_shown(clock, t) < time_ns;
*/
uint64_t hold_moment(const struct hold_clock *clock, uint64_t time_ns);

/* A pause of ns begins now: behind the one that is on, if one is. 1, or 0 when its end would be
 * beyond HOLD_TIME_MAX, or the latest began after now: then nothing changes. */
/*@ requires storage: \valid(clock);
    requires sound: clock->before_ns <= clock->from_ns && clock->from_ns <= clock->until_ns &&
      clock->until_ns <= HOLD_TIME_MAX;
    assigns *clock;
    ensures sound: hold_sound(clock);
    behavior fits:
      assumes clock->from_ns <= now_ns && now_ns <= HOLD_TIME_MAX &&
        \max(now_ns, clock->until_ns) + ns <= HOLD_TIME_MAX;
      ensures accepted: \result == 1;
      ensures begun: clock->from_ns <= now_ns;
      ensures same: hold_shown(clock, now_ns) == \old(hold_shown(clock, now_ns));
      ensures all: hold_all(clock) == \old(hold_all(clock)) + ns;
    behavior beyond:
      assumes clock->from_ns > now_ns || now_ns > HOLD_TIME_MAX ||
        \max(now_ns, clock->until_ns) + ns > HOLD_TIME_MAX;
      assigns \nothing;
      ensures refused: \result == 0;
    complete behaviors;
    disjoint behaviors;
*/
int hold_pause(struct hold_clock *clock, uint64_t now_ns, uint64_t ns);

/* When a request is over, on the clock: it came at `arrived_ns`, a worker was free for it at
 * `freed_ns`, and it takes `work_ns`. Saturates at UINT64_MAX. */
/*@ assigns \nothing;
    ensures end: \result ==
      \min(UINT64_MAX, \max(arrived_ns, freed_ns) + work_ns);
*/
uint64_t hold_end(uint64_t arrived_ns, uint64_t freed_ns, uint64_t work_ns);

/* What of `paused_ns`, pauses during a request that took took_ns, it is to be held for when it did
 * its own work for own_ns of that, and waited for others, who stand in pauses themselves, for the
 * rest: the same share of both, rounded down. */
/*@ assigns \nothing;
    ensures all: own_ns >= took_ns ==> \result == paused_ns;
    ensures share: own_ns < took_ns && took_ns <= UINT32_MAX && paused_ns <= UINT32_MAX ==>
      \result == paused_ns * own_ns / took_ns;
    ensures most: \result <= paused_ns;
*/
uint64_t hold_share(uint64_t paused_ns, uint64_t own_ns, uint64_t took_ns);

#endif
