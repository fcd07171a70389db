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

/* How many of four bits are set, from a table of sixteen counts in one word. */
#define tp_four(x) (((x)&1) + (((x) >> 1) & 1) + (((x) >> 2) & 1) + (((x) >> 3) & 1))

/*@ requires four: x <= 15;
    assigns \nothing;
    ensures count: \result == tp_card(x, 4);
    ensures range: 0 <= \result <= 4;
*/
static int32_t tp_set_four(uint64_t x) {
  const int32_t count = (int32_t)((0x4332322132212110 >> (4 * x)) & 15);
  //@ assert of_0: x == 0 ==> count == 0 && tp_four(x) == 0;
  //@ assert of_1: x == 1 ==> count == 1 && tp_four(x) == 1;
  //@ assert of_2: x == 2 ==> count == 1 && tp_four(x) == 1;
  //@ assert of_3: x == 3 ==> count == 2 && tp_four(x) == 2;
  //@ assert of_4: x == 4 ==> count == 1 && tp_four(x) == 1;
  //@ assert of_5: x == 5 ==> count == 2 && tp_four(x) == 2;
  //@ assert of_6: x == 6 ==> count == 2 && tp_four(x) == 2;
  //@ assert of_7: x == 7 ==> count == 3 && tp_four(x) == 3;
  //@ assert of_8: x == 8 ==> count == 1 && tp_four(x) == 1;
  //@ assert of_9: x == 9 ==> count == 2 && tp_four(x) == 2;
  //@ assert of_10: x == 10 ==> count == 2 && tp_four(x) == 2;
  //@ assert of_11: x == 11 ==> count == 3 && tp_four(x) == 3;
  //@ assert of_12: x == 12 ==> count == 2 && tp_four(x) == 2;
  //@ assert of_13: x == 13 ==> count == 3 && tp_four(x) == 3;
  //@ assert of_14: x == 14 ==> count == 3 && tp_four(x) == 3;
  //@ assert of_15: x == 15 ==> count == 4 && tp_four(x) == 4;
  //@ assert card_1: tp_card(x, 1) == (x & 1);
  //@ assert card_2: tp_card(x, 2) == tp_card(x, 1) + ((x >> 1) & 1);
  //@ assert card_3: tp_card(x, 3) == tp_card(x, 2) + ((x >> 2) & 1);
  //@ assert card_4: tp_card(x, 4) == tp_card(x, 3) + ((x >> 3) & 1);
  return count;
}

int32_t tp_set_size(tp_set s) {
  tp_set rest = s;
  int32_t count = 0, i = 0;
  /*@ loop invariant range: 0 <= i <= 16;
      loop invariant rest: rest == (s >> (4 * i));
      loop invariant count: count == tp_card(s, 4 * i);
      loop invariant most: 0 <= count <= 4 * i;
      loop assigns i, rest, count;
      loop variant 16 - i; */
  for (; i < 16 && rest != 0; i++) {
    //@ ghost tp_card_part(s, 4 * i, 4);
    //@ ghost tp_card_low(rest);
    count += tp_set_four(rest & 15);
    rest >>= 4;
  }
  //@ ghost if (i < 16) tp_set_ends(s, 4 * i);
  //@ ghost tp_card_within(s, 4 * i);
  return count;
}

int32_t tp_set_count(tp_set s, int32_t n) {
  if (n == 64)
    return tp_set_size(s);
  //@ ghost tp_card_parts(s, n);
  //@ ghost tp_card_full(s, n);
  return tp_set_size(s) - tp_set_size(s >> n);
}
