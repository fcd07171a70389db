/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tp_set_bits.acsl"

#include "tp_lemmas.h"

tp_set tp_set_one(int32_t i) {
  //@ ghost tp_shift(i);
  return (uint64_t)1 << i;
}

/* No node is both 0 and 1: what a compiler folds to 0, and the prover understands. */
tp_set tp_set_none(void) {
  return tp_set_intersection(tp_set_one(0), tp_set_one(1));
}

tp_set tp_set_all(int32_t n) {
  tp_set all = tp_set_none();
  /*@ loop invariant range: 0 <= i <= n;
      loop invariant value: all == tp_all(i);
      loop invariant members: \forall integer k; 0 <= k < 64 ==> (tp_in(all, k) <==> k < i);
      loop assigns i, all;
      loop variant n - i; */
  for (int32_t i = 0; i < n; i++)
    all = tp_set_union(all, tp_set_one(i));
  return all;
}

tp_set tp_set_union(tp_set s, tp_set t) {
  return s | t;
}
tp_set tp_set_difference(tp_set s, tp_set t) {
  return s & ~t;
}
tp_set tp_set_intersection(tp_set s, tp_set t) {
  return s & t;
}
bool tp_set_has(tp_set s, int32_t i) {
  return (s >> i) & 1;
}

bool tp_set_same(tp_set s, tp_set t) {
  if (s == t)
    return true;
  /*@ loop invariant range: 0 <= i <= 64;
      loop invariant so_far: \forall integer k; 0 <= k < i ==> (tp_in(s, k) <==> tp_in(t, k));
      loop assigns i;
      loop variant 64 - i; */
  for (int32_t i = 0; i < 64; i++)
    if (tp_set_has(s, i) != tp_set_has(t, i))
      return false;
  return true;
}

int32_t tp_set_count(tp_set s, int32_t n) {
  int32_t count = 0;
  /*@ loop invariant range: 0 <= i <= n;
      loop invariant count: count == tp_card(s, i);
      loop invariant most: 0 <= count <= i;
      loop assigns i, count;
      loop variant n - i; */
  for (int32_t i = 0; i < n; i++)
    count += (int32_t)((s >> i) & 1);
  return count;
}
