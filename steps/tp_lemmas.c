/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tp_set_bits.acsl"

#include "tp_lemmas.h"

/*@ ghost
  uint64_t tp_shift(int i) {
    /@ assert shift_0: i == 0 ==> (1 << i) == 1; @/
    /@ assert shift_1: i == 1 ==> (1 << i) == 2; @/
    /@ assert shift_2: i == 2 ==> (1 << i) == 4; @/
    /@ assert shift_3: i == 3 ==> (1 << i) == 8; @/
    /@ assert shift_4: i == 4 ==> (1 << i) == 16; @/
    /@ assert shift_5: i == 5 ==> (1 << i) == 32; @/
    /@ assert shift_6: i == 6 ==> (1 << i) == 64; @/
    /@ assert shift_7: i == 7 ==> (1 << i) == 128; @/
    /@ assert shift_8: i == 8 ==> (1 << i) == 256; @/
    /@ assert shift_9: i == 9 ==> (1 << i) == 512; @/
    /@ assert shift_10: i == 10 ==> (1 << i) == 1024; @/
    /@ assert shift_11: i == 11 ==> (1 << i) == 2048; @/
    /@ assert shift_12: i == 12 ==> (1 << i) == 4096; @/
    /@ assert shift_13: i == 13 ==> (1 << i) == 8192; @/
    /@ assert shift_14: i == 14 ==> (1 << i) == 16384; @/
    /@ assert shift_15: i == 15 ==> (1 << i) == 32768; @/
    /@ assert shift_16: i == 16 ==> (1 << i) == 65536; @/
    /@ assert shift_17: i == 17 ==> (1 << i) == 131072; @/
    /@ assert shift_18: i == 18 ==> (1 << i) == 262144; @/
    /@ assert shift_19: i == 19 ==> (1 << i) == 524288; @/
    /@ assert shift_20: i == 20 ==> (1 << i) == 1048576; @/
    /@ assert shift_21: i == 21 ==> (1 << i) == 2097152; @/
    /@ assert shift_22: i == 22 ==> (1 << i) == 4194304; @/
    /@ assert shift_23: i == 23 ==> (1 << i) == 8388608; @/
    /@ assert shift_24: i == 24 ==> (1 << i) == 16777216; @/
    /@ assert shift_25: i == 25 ==> (1 << i) == 33554432; @/
    /@ assert shift_26: i == 26 ==> (1 << i) == 67108864; @/
    /@ assert shift_27: i == 27 ==> (1 << i) == 134217728; @/
    /@ assert shift_28: i == 28 ==> (1 << i) == 268435456; @/
    /@ assert shift_29: i == 29 ==> (1 << i) == 536870912; @/
    /@ assert shift_30: i == 30 ==> (1 << i) == 1073741824; @/
    /@ assert shift_31: i == 31 ==> (1 << i) == 2147483648; @/
    /@ assert shift_32: i == 32 ==> (1 << i) == 4294967296; @/
    /@ assert shift_33: i == 33 ==> (1 << i) == 8589934592; @/
    /@ assert shift_34: i == 34 ==> (1 << i) == 17179869184; @/
    /@ assert shift_35: i == 35 ==> (1 << i) == 34359738368; @/
    /@ assert shift_36: i == 36 ==> (1 << i) == 68719476736; @/
    /@ assert shift_37: i == 37 ==> (1 << i) == 137438953472; @/
    /@ assert shift_38: i == 38 ==> (1 << i) == 274877906944; @/
    /@ assert shift_39: i == 39 ==> (1 << i) == 549755813888; @/
    /@ assert shift_40: i == 40 ==> (1 << i) == 1099511627776; @/
    /@ assert shift_41: i == 41 ==> (1 << i) == 2199023255552; @/
    /@ assert shift_42: i == 42 ==> (1 << i) == 4398046511104; @/
    /@ assert shift_43: i == 43 ==> (1 << i) == 8796093022208; @/
    /@ assert shift_44: i == 44 ==> (1 << i) == 17592186044416; @/
    /@ assert shift_45: i == 45 ==> (1 << i) == 35184372088832; @/
    /@ assert shift_46: i == 46 ==> (1 << i) == 70368744177664; @/
    /@ assert shift_47: i == 47 ==> (1 << i) == 140737488355328; @/
    /@ assert shift_48: i == 48 ==> (1 << i) == 281474976710656; @/
    /@ assert shift_49: i == 49 ==> (1 << i) == 562949953421312; @/
    /@ assert shift_50: i == 50 ==> (1 << i) == 1125899906842624; @/
    /@ assert shift_51: i == 51 ==> (1 << i) == 2251799813685248; @/
    /@ assert shift_52: i == 52 ==> (1 << i) == 4503599627370496; @/
    /@ assert shift_53: i == 53 ==> (1 << i) == 9007199254740992; @/
    /@ assert shift_54: i == 54 ==> (1 << i) == 18014398509481984; @/
    /@ assert shift_55: i == 55 ==> (1 << i) == 36028797018963968; @/
    /@ assert shift_56: i == 56 ==> (1 << i) == 72057594037927936; @/
    /@ assert shift_57: i == 57 ==> (1 << i) == 144115188075855872; @/
    /@ assert shift_58: i == 58 ==> (1 << i) == 288230376151711744; @/
    /@ assert shift_59: i == 59 ==> (1 << i) == 576460752303423488; @/
    /@ assert shift_60: i == 60 ==> (1 << i) == 1152921504606846976; @/
    /@ assert shift_61: i == 61 ==> (1 << i) == 2305843009213693952; @/
    /@ assert shift_62: i == 62 ==> (1 << i) == 4611686018427387904; @/
    /@ assert shift_63: i == 63 ==> (1 << i) == 9223372036854775808; @/
    return ((uint64_t)1) << i;
  }
*/

/*@ ghost
  /@ assigns \nothing;
     ensures value: \result == (s & t);
     ensures members: \forall integer k; 0 <= k < 64 ==>
      (tp_in(\result, k) <==> tp_in(s, k) && tp_in(t, k));
  @/
  uint64_t tp_both(uint64_t s, uint64_t t) {
    return s & t;
  }

  /@ assigns \nothing;
     ensures value: \result == (s | t);
     ensures members: \forall integer k; 0 <= k < 64 ==> (tp_in(\result, k) <==> tp_in(s, k) ||
  tp_in(t, k));
  @/
  uint64_t tp_either(uint64_t s, uint64_t t) {
    return s | t;
  }
*/

/*@ ghost
  void tp_all_members(int n) {
    uint64_t all = tp_both(tp_shift(0), tp_shift(1));
    /@ assert zero: all == 0; @/
    /@ loop invariant range: 0 <= i <= n;
       loop invariant value: all == tp_all(i);
       loop invariant members: \forall integer k; 0 <= k < 64 ==> (tp_in(all, k) <==> k < i);
       loop assigns i, all;
       loop variant n - i;
    @/
    for (int i = 0; i < n; i++)
      all = tp_either(all, tp_shift(i));
  }

  uint64_t tp_without(uint64_t s, int b) {
    return s & ~tp_shift(b);
  }

  void tp_card_next(uint64_t s, int n) {
  }

  void tp_card_same(uint64_t s, uint64_t t, int n) {
    /@ loop invariant range: 0 <= i <= n;
       loop invariant equal: tp_card(s, i) == tp_card(t, i);
       loop assigns i;
       loop variant n - i;
    @/
    for (int i = 0; i < n; i++)
      /@ assert bit: tp_in(s, i) <==> tp_in(t, i); @/
      ;
  }

  void tp_card_grows(uint64_t s, int i, int n) {
    /@ loop invariant range: 0 <= k <= n;
       loop invariant positive: 0 <= tp_card(s, k) <= k;
       loop invariant below: k >= i ==> 0 <= tp_card(s, i);
       loop invariant above: k >= i ==> tp_card(s, i) <= tp_card(s, k) <= tp_card(s, i) + k - i;
       loop assigns k;
       loop variant n - k;
    @/
    for (int k = 0; k < n; k++)
      ;
  }

  void tp_card_with(uint64_t s, uint64_t t, int b, int n) {
    /@ loop invariant range: 0 <= i <= n;
       loop invariant before: i <= b ==> tp_card(t, i) == tp_card(s, i);
       loop invariant had: i > b && tp_in(s, b) ==> tp_card(t, i) == tp_card(s, i);
       loop invariant new: i > b && !tp_in(s, b) ==> tp_card(t, i) == tp_card(s, i) + 1;
       loop assigns i;
       loop variant n - i;
    @/
    for (int i = 0; i < n; i++)
      /@ assert bit: tp_in(t, i) <==> tp_in(s, i) || i == b; @/
      ;
  }

  void tp_card_full(uint64_t s, int n) {
    /@ loop invariant range: 0 <= i <= n;
       loop invariant card: 0 <= tp_card(s, i) <= i;
       loop invariant full: tp_card(s, i) == i <==> (\forall integer k; 0 <= k < i ==> tp_in(s, k));
       loop assigns i;
       loop variant n - i;
    @/
    for (int i = 0; i < n; i++)
      ;
  }

  void tp_card_within(uint64_t s, int n) {
    /@ loop invariant range: n <= i <= 64;
       loop invariant card: tp_card(s, i) == tp_card(s, n);
       loop assigns i;
       loop variant 64 - i;
    @/
    for (int i = n; i < 64; i++)
      /@ assert bit: !tp_in(s, i); @/
      ;
  }

  /@ requires none: s == 0;
     requires index: 0 <= i < 64;
     assigns \nothing;
     ensures none: !tp_in(s, i);
  @/
  void tp_bit_none(uint64_t s, int i) {
    uint64_t zero = tp_both(tp_shift(0), tp_shift(1));
    /@ assert zero: zero == 0; @/
    /@ assert none: !tp_in(zero, i); @/
    /@ assert same: s == zero; @/
  }

  void tp_set_ends(uint64_t s, int n) {
    /@ loop invariant range: n <= i <= 64;
       loop invariant none: \forall integer k; n <= k < i ==> !tp_in(s, k);
       loop assigns i;
       loop variant 64 - i;
    @/
    for (int i = n; i < 64; i++) {
      /@ assert bit: (((s >> n) >> (i - n)) & 1) == ((s >> i) & 1); @/
      tp_bit_none(s >> n, i - n);
    }
  }

  void tp_card_low(uint64_t s) {
    /@ loop invariant range: 0 <= i <= 4;
       loop invariant card: tp_card(s & 15, i) == tp_card(s, i);
       loop assigns i;
       loop variant 4 - i;
    @/
    for (int i = 0; i < 4; i++) {
      /@ assert mask_0: i == 0 ==> ((15 >> i) & 1) == 1; @/
      /@ assert mask_1: i == 1 ==> ((15 >> i) & 1) == 1; @/
      /@ assert mask_2: i == 2 ==> ((15 >> i) & 1) == 1; @/
      /@ assert mask_3: i == 3 ==> ((15 >> i) & 1) == 1; @/
      /@ assert bit: tp_in(s & 15, i) <==> tp_in(s, i); @/
    }
  }

  void tp_card_part(uint64_t s, int n, int m) {
    uint64_t rest = s >> n;
    /@ loop invariant range: 0 <= i <= m;
       loop invariant card: tp_card(s, n + i) == tp_card(s, n) + tp_card(rest, i);
       loop assigns i;
       loop variant m - i;
    @/
    for (int i = 0; i < m; i++)
      /@ assert bit: ((rest >> i) & 1) == ((s >> (n + i)) & 1); @/
      ;
  }

  void tp_card_parts(uint64_t s, int n) {
    uint64_t rest = s >> n;
    tp_card_part(s, n, 64 - n);
    /@ assert ends: \forall integer k; 64 - n <= k < 64 ==>
       (tp_in(rest, k) <==> tp_in(s, n + k));
    @/
    tp_card_within(rest, 64 - n);
  }
*/
