/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sets of the nodes 0 .. TP_NODES - 1 of a family: what generated and hand-written steps call. Two
 * sets are the same when they have the same members. Any value is a set; a set of a family of n
 * nodes is tp_within(s, n). Proved.
 */
#ifndef TP_SET_H
#define TP_SET_H

#include <stdbool.h>
#include <stdint.h>

#define TP_NODES 64
typedef uint64_t tp_set;

#include "tp_set_names.acsl"

#ifdef __cplusplus
extern "C" {
#endif

/*@ predicate tp_same(integer s, integer t) =
      \forall integer i; 0 <= i < 64 ==> (tp_in(s, i) <==> tp_in(t, i));
    predicate tp_empty(integer s) = \forall integer i; 0 <= i < 64 ==> !tp_in(s, i);
    predicate tp_within(integer s, integer n) = \forall integer i; n <= i < 64 ==> !tp_in(s, i);
*/

/*@ assigns \nothing;
    ensures value: \result == 0;
    ensures members: \forall integer k; 0 <= k < 64 ==> !tp_in(0, k);
*/
tp_set tp_set_none(void);

/*@ requires index: 0 <= i < 64;
    assigns \nothing;
    ensures value: \result == tp_one(i);
    ensures members: \forall integer k; 0 <= k < 64 ==> (tp_in(\result, k) <==> k == i);
*/
tp_set tp_set_one(int32_t i);

/*@ requires size: 0 <= n <= 64;
    assigns \nothing;
    ensures value: \result == tp_all(n);
    ensures members: \forall integer k; 0 <= k < 64 ==> (tp_in(\result, k) <==> k < n);
*/
tp_set tp_set_all(int32_t n);

/*@ assigns \nothing;
    ensures value: \result == tp_union(s, t);
    ensures members: \forall integer k; 0 <= k < 64 ==>
      (tp_in(\result, k) <==> tp_in(s, k) || tp_in(t, k));
*/
tp_set tp_set_union(tp_set s, tp_set t);

/*@ assigns \nothing;
    ensures value: \result == tp_difference(s, t);
    ensures members: \forall integer k; 0 <= k < 64 ==>
      (tp_in(\result, k) <==> tp_in(s, k) && !tp_in(t, k));
*/
tp_set tp_set_difference(tp_set s, tp_set t);

/*@ assigns \nothing;
    ensures value: \result == tp_intersection(s, t);
    ensures members: \forall integer k; 0 <= k < 64 ==>
      (tp_in(\result, k) <==> tp_in(s, k) && tp_in(t, k));
*/
tp_set tp_set_intersection(tp_set s, tp_set t);

/*@ requires index: 0 <= i < 64;
    assigns \nothing;
    ensures truth: \result <==> tp_in(s, i);
*/
bool tp_set_has(tp_set s, int32_t i);

/*@ assigns \nothing;
    ensures truth: \result <==> tp_same(s, t);
*/
bool tp_set_same(tp_set s, tp_set t);

/* Of a set with members below n this is tp_card(s, n), too: tp_card_within in tp_lemmas.h. */
/*@ assigns \nothing;
    ensures count: \result == tp_card(s, 64);
    ensures range: 0 <= \result <= 64;
*/
int32_t tp_set_size(tp_set s);

/*@ requires size: 0 <= n <= 64;
    assigns \nothing;
    ensures count: \result == tp_card(s, n);
    ensures range: 0 <= \result <= n;
*/
int32_t tp_set_count(tp_set s, int32_t n);

#ifdef __cplusplus
}
#endif

#endif
