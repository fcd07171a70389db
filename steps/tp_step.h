/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What every generated role uses: what a step answers, the range of integers and times, and
 * neighbours in a ring. Proved.
 */
#ifndef TP_STEP_H
#define TP_STEP_H

#include "tp_set.h"

#ifdef __cplusplus
extern "C" {
#endif

enum tp_verdict {
  TP_DONE,     /* the step was taken: state and messages are those of the action */
  TP_DISABLED, /* its guard does not hold: nothing has changed, nothing is to be sent */
  TP_RANGE,    /* it would store or send a number that does not fit: the same */
};

/* Integers of a protocol are stored and sent in 32 bits, as in a recording, and computed in 64. */
#define TP_INT_MAX 2147483647
/*@ predicate tp_int(integer x) = -TP_INT_MAX <= x <= TP_INT_MAX; */

/* Times are in nanoseconds; the sum of four fits in 64 bits. */
#define TP_TIME_MAX 2305843009213693951
/*@ predicate tp_time(integer x) = -TP_TIME_MAX <= x <= TP_TIME_MAX; */

/*@ assigns \nothing;
    ensures truth: \result <==> tp_int(x);
*/
bool tp_fits(int64_t x);

/*@ assigns \nothing;
    ensures truth: \result <==> tp_time(x);
*/
bool tp_fits_time(int64_t x);

/* Of the numbers in a ring, x comes after `last` and before `next`; where these are the same, it is
 * any other one. */
/*@ predicate tp_passed(integer last, integer x, integer next) =
      last < next ? last < x < next : x > last || x < next; */

/* The neighbours of node i in the ring of n nodes. */
/*@ logic integer tp_after(integer i, integer n) = i + 1 < n ? i + 1 : 0;
    logic integer tp_before(integer i, integer n) = i == 0 ? n - 1 : i - 1;
*/

/*@ requires node: 0 <= i < n <= TP_NODES;
    assigns \nothing;
    ensures node: \result == tp_after(i, n);
    ensures range: 0 <= \result < n;
*/
int32_t tp_next(int32_t i, int32_t n);

/*@ requires node: 0 <= i < n <= TP_NODES;
    assigns \nothing;
    ensures node: \result == tp_before(i, n);
    ensures range: 0 <= \result < n;
*/
int32_t tp_prev(int32_t i, int32_t n);

#ifdef __cplusplus
}
#endif

#endif
