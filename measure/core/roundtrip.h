/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Pairing of questions and answers, and what a pair says about two clocks. Proved.
 *
 * A question leaves at t1 and its answer is back at t4, on the asker's clock; the answerer stamped
 * it with t2 on its own. With theta = answerer's clock - asker's clock: t1 <= t2 - theta <= t4, so
 * theta lies in [t2 - t4, t2 - t1], and the one-way delays are at most t2 - theta_low - t1 (there)
 * and t4 - (t2 - theta_high) (back).
 */
#ifndef MEASURE_CORE_ROUNDTRIP_H
#define MEASURE_CORE_ROUNDTRIP_H

#include <stdint.h>

#define ROUNDTRIP_WINDOW 64 /* questions of one peer that may be under way; a power of two */

struct roundtrip_window {
  uint32_t next;                      /* sequence of the next question */
  uint64_t sent_ns[ROUNDTRIP_WINDOW]; /* by sequence mod ROUNDTRIP_WINDOW */
  uint8_t waiting[ROUNDTRIP_WINDOW];  /* 1 while its answer is awaited */
};

enum roundtrip_result { ROUNDTRIP_PAIRED, ROUNDTRIP_UNKNOWN, ROUNDTRIP_CLOCK_BACK };

/* An interval of clock offsets, in ns; empty is never stored. */
struct offset_interval {
  int64_t low, high; /* low <= high */
};

#include "proofs/logic/roundtrip.acsl"

/* No question is awaited; the next has sequence 0. The caller may set `next` to another number so
 * that answers to an earlier process are not taken for answers to this one. */
/*@ requires storage: \valid(window);
    assigns window->next, window->sent_ns[0 .. ROUNDTRIP_WINDOW - 1],
      window->waiting[0 .. ROUNDTRIP_WINDOW - 1];
    ensures first: window->next == 0;
    ensures none_sent: \forall integer i; 0 <= i < ROUNDTRIP_WINDOW ==>
      window->sent_ns[i] == 0 && window->waiting[i] == 0;
    ensures none_awaited: \forall integer s; 0 <= s <= UINT32_MAX ==>
      !roundtrip_awaited(window, s);
*/
void roundtrip_init(struct roundtrip_window *window);

/* The sequence of a question sent now. *lost becomes 1 when the slot's earlier question was never
 * answered (it counts as lost), else 0. Sequences go round from 2^32 - 1 to 0. */
/*@ requires storage: \valid(window) && \valid(lost) && \separated(window, lost);
    assigns window->next, window->sent_ns[0 .. ROUNDTRIP_WINDOW - 1],
      window->waiting[0 .. ROUNDTRIP_WINDOW - 1], *lost;
    ensures sequence: \result == \old(window->next);
    ensures next: window->next == (\result == UINT32_MAX ? 0 : \result + 1);
    ensures awaited: roundtrip_awaited(window, \result);
    ensures sent: window->sent_ns[\result % ROUNDTRIP_WINDOW] == now_ns;
    ensures lost: *lost ==
      (\old(window->waiting[window->next % ROUNDTRIP_WINDOW]) != 0 ? 1 : 0);
    ensures others_kept: \forall integer i; 0 <= i < ROUNDTRIP_WINDOW &&
      i != \result % ROUNDTRIP_WINDOW ==>
        window->sent_ns[i] == \old(window->sent_ns[i]) &&
        window->waiting[i] == \old(window->waiting[i]);
    ensures others_awaited: \forall integer s; 0 <= s <= UINT32_MAX && s != \result ==>
      (roundtrip_awaited(window, s) <==>
        roundtrip_awaited{Pre}(window, s) && s % ROUNDTRIP_WINDOW != \result % ROUNDTRIP_WINDOW);
*/
uint32_t roundtrip_ask(struct roundtrip_window *window, uint64_t now_ns, uint8_t *lost);

/* Pairs an answer: PAIRED and the round trip once per question; UNKNOWN for a sequence that is not
 * awaited (a duplicate, a stray, one given up); CLOCK_BACK when now < sent (the question is
 * closed). *sent_ns and *roundtrip_ns are set when PAIRED only. */
/*@ requires storage: \valid(window) && \valid(sent_ns) && \valid(roundtrip_ns);
    requires distinct: \separated(window, sent_ns, roundtrip_ns);
    assigns window->waiting[0 .. ROUNDTRIP_WINDOW - 1], *sent_ns, *roundtrip_ns;
    ensures at_most_once: !roundtrip_awaited(window, sequence);
    behavior unknown:
      assumes !roundtrip_awaited(window, sequence);
      assigns \nothing;
      ensures unknown: \result == ROUNDTRIP_UNKNOWN;
    behavior back:
      assumes roundtrip_awaited(window, sequence);
      assumes now_ns < window->sent_ns[sequence % ROUNDTRIP_WINDOW];
      assigns window->waiting[sequence % ROUNDTRIP_WINDOW];
      ensures back: \result == ROUNDTRIP_CLOCK_BACK;
    behavior paired:
      assumes roundtrip_awaited(window, sequence);
      assumes window->sent_ns[sequence % ROUNDTRIP_WINDOW] <= now_ns;
      assigns window->waiting[sequence % ROUNDTRIP_WINDOW], *sent_ns, *roundtrip_ns;
      ensures paired: \result == ROUNDTRIP_PAIRED;
      ensures sent: *sent_ns == window->sent_ns[sequence % ROUNDTRIP_WINDOW];
      ensures difference: *roundtrip_ns == now_ns - *sent_ns;
    complete behaviors;
    disjoint behaviors;
*/
enum roundtrip_result roundtrip_answer(struct roundtrip_window *window, uint32_t sequence,
                                       uint64_t now_ns, uint64_t *sent_ns, uint64_t *roundtrip_ns);

/* Gives up questions sent more than `timeout_ns` before now; returns how many. */
/*@ requires storage: \valid(window);
    assigns window->waiting[0 .. ROUNDTRIP_WINDOW - 1];
    ensures given_up: \forall integer i; 0 <= i < ROUNDTRIP_WINDOW &&
      \old(roundtrip_overdue(window, i, now_ns, timeout_ns)) ==> window->waiting[i] == 0;
    ensures others_kept: \forall integer i; 0 <= i < ROUNDTRIP_WINDOW &&
      !\old(roundtrip_overdue(window, i, now_ns, timeout_ns)) ==>
        window->waiting[i] == \old(window->waiting[i]);
    ensures counted: \result ==
      \old(roundtrip_overdue_count(window, ROUNDTRIP_WINDOW, now_ns, timeout_ns));
*/
uint32_t roundtrip_expire(struct roundtrip_window *window, uint64_t now_ns, uint64_t timeout_ns);

/* The interval that one pair gives; 0, with nothing changed, when it does not fit 64 bits with sign
 * or t4 < t1. */
/*@ requires storage: \valid(interval);
    assigns interval->low, interval->high;
    behavior fits:
      assumes t1 <= t4 && INT64_MIN <= t2 - t4 && t2 - t1 <= INT64_MAX;
      assigns interval->low, interval->high;
      ensures done: \result == 1;
      ensures ends: interval->low == t2 - t4 && interval->high == t2 - t1;
      ensures possible_offsets: \forall integer theta;
        t1 <= t2 - theta <= t4 <==> interval->low <= theta <= interval->high;
      ensures not_empty: interval->low <= interval->high;
    behavior refused:
      assumes t4 < t1 || t2 - t4 < INT64_MIN || INT64_MAX < t2 - t1;
      assigns \nothing;
      ensures refused: \result == 0;
    complete behaviors;
    disjoint behaviors;
*/
int offset_from_pair(struct offset_interval *interval, uint64_t t1, uint64_t t2, uint64_t t4);

/* Widens by drift (both ends outward by `drift_ns`, saturating), then intersects; 0 with *interval
 * = the new one alone when they do not meet (a clock jumped). */
/*@ requires storage: \valid(interval) && \valid_read(next) && \separated(interval, next);
    requires not_empty: interval->low <= interval->high && next->low <= next->high;
    assigns interval->low, interval->high;
    ensures not_empty: interval->low <= interval->high;
    behavior meet:
      assumes offset_meet(interval, drift_ns, next);
      ensures done: \result == 1;
      ensures low: interval->low ==
        \max(offset_low(\old(interval->low), drift_ns), next->low);
      ensures high: interval->high ==
        \min(offset_high(\old(interval->high), drift_ns), next->high);
      ensures none_lost: \forall integer theta;
        \old(interval->low) - drift_ns <= theta <= \old(interval->high) + drift_ns &&
        next->low <= theta <= next->high ==> interval->low <= theta <= interval->high;
    behavior apart:
      assumes !offset_meet(interval, drift_ns, next);
      ensures apart: \result == 0;
      ensures new_alone: interval->low == next->low && interval->high == next->high;
    complete behaviors;
    disjoint behaviors;
*/
int offset_combine(struct offset_interval *interval, uint64_t drift_ns,
                   const struct offset_interval *next);

/* Upper bounds of the one-way delays of a pair under an interval; saturate at UINT64_MAX, and at 0
 * where the pair does not fit the interval. */
/*@ requires storage: \valid_read(interval);
    assigns \nothing;
    ensures clamped: \result == \max(0, \min(UINT64_MAX, t2 - t1 - interval->low));
    ensures upper_bound: \forall integer theta; interval->low <= theta <= interval->high &&
      t2 - theta - t1 <= UINT64_MAX ==> t2 - theta - t1 <= \result;
*/
uint64_t oneway_there_up(uint64_t t1, uint64_t t2, const struct offset_interval *interval);

/*@ requires storage: \valid_read(interval);
    assigns \nothing;
    ensures clamped: \result == \max(0, \min(UINT64_MAX, t4 - t2 + interval->high));
    ensures upper_bound: \forall integer theta; interval->low <= theta <= interval->high &&
      t4 - (t2 - theta) <= UINT64_MAX ==> t4 - (t2 - theta) <= \result;
*/
uint64_t oneway_back_up(uint64_t t2, uint64_t t4, const struct offset_interval *interval);

#endif
