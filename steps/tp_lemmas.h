/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is true of sets and their sizes, for whoever proves a step written by hand: `//@ ghost
 * tp_card_next(s, i);` makes the `ensures` of tp_card_next known from there on. Generated steps
 * need none. Ghost functions, so no code. Proved.
 */
#ifndef TP_LEMMAS_H
#define TP_LEMMAS_H

#include "tp_set.h"

/*@ ghost
  /@ requires index: 0 <= i < 64;
     assigns \nothing;
     ensures value: \result == tp_one(i);
     ensures range: 1 <= tp_one(i) <= 9223372036854775808;
     ensures members: \forall integer k; 0 <= k < 64 ==> (tp_in(\result, k) <==> k == i);
  @/
  uint64_t tp_shift(int i);

  /@ requires size: 0 <= n <= 64;
     assigns \nothing;
     ensures members: \forall integer k; 0 <= k < 64 ==> (tp_in(tp_all(n), k) <==> k < n);
  @/
  void tp_all_members(int n);

  /@ requires index: 0 <= b < 64;
     assigns \nothing;
     ensures members: \forall integer k; 0 <= k < 64 ==>
       (tp_in(\result, k) <==> tp_in(s, k) && k != b);
  @/
  uint64_t tp_without(uint64_t s, int b);

  /@ requires size: 0 <= n < 64;
     assigns \nothing;
     ensures none: n == 0 ==> tp_card(s, n) == 0;
     ensures in: tp_in(s, n) ==> tp_card(s, n + 1) == tp_card(s, n) + 1;
     ensures out: !tp_in(s, n) ==> tp_card(s, n + 1) == tp_card(s, n);
  @/
  void tp_card_next(uint64_t s, int n);

  /@ requires size: 0 <= n <= 64;
     requires same: \forall integer k; 0 <= k < n ==> (tp_in(s, k) <==> tp_in(t, k));
     assigns \nothing;
     ensures equal: tp_card(s, n) == tp_card(t, n);
  @/
  void tp_card_same(uint64_t s, uint64_t t, int n);

  /@ requires sizes: 0 <= i <= n <= 64;
     assigns \nothing;
     ensures grows: 0 <= tp_card(s, i) <= tp_card(s, n) <= tp_card(s, i) + n - i;
  @/
  void tp_card_grows(uint64_t s, int i, int n);

  /@ requires index: 0 <= b < n <= 64;
     requires with: \forall integer k; 0 <= k < n ==> (tp_in(t, k) <==> tp_in(s, k) || k == b);
     assigns \nothing;
     ensures had: tp_in(s, b) ==> tp_card(t, n) == tp_card(s, n);
     ensures new: !tp_in(s, b) ==> tp_card(t, n) == tp_card(s, n) + 1;
  @/
  void tp_card_with(uint64_t s, uint64_t t, int b, int n);

  /@ requires size: 0 <= n <= 64;
     assigns \nothing;
     ensures range: 0 <= tp_card(s, n) <= n;
     ensures full: tp_card(s, n) == n <==> (\forall integer k; 0 <= k < n ==> tp_in(s, k));
  @/
  void tp_card_full(uint64_t s, int n);

  /@ requires size: 0 <= n <= 64;
     requires within: tp_within(s, n);
     assigns \nothing;
     ensures card: tp_card(s, 64) == tp_card(s, n);
  @/
  void tp_card_within(uint64_t s, int n);

  /@ requires size: 0 <= n < 64;
     requires ends: (s >> n) == 0;
     assigns \nothing;
     ensures within: tp_within(s, n);
  @/
  void tp_set_ends(uint64_t s, int n);

  /@ assigns \nothing;
     ensures low: tp_card(s & 15, 4) == tp_card(s, 4);
  @/
  void tp_card_low(uint64_t s);

  /@ requires sizes: 0 <= n < 64 && 0 <= m <= 64 - n;
     assigns \nothing;
     ensures part: tp_card(s, n + m) == tp_card(s, n) + tp_card(s >> n, m);
  @/
  void tp_card_part(uint64_t s, int n, int m);

  /@ requires size: 0 <= n < 64;
     assigns \nothing;
     ensures parts: tp_card(s, 64) == tp_card(s, n) + tp_card(s >> n, 64);
  @/
  void tp_card_parts(uint64_t s, int n);
*/

#endif
