/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/core/share_interval.h"
#include "proofs/logic/share_interval_lemmas.acsl"

/*@ requires z2_range: z2 <= SHARE_Z2_MAX;
    requires share_range: share_ppm <= SHARE_WHOLE;
    assigns \nothing;
    ensures spread: \result == share_spread(z2, share_ppm);
    ensures in_range: 0 <= \result <= 64000000000000;
*/
static uint64_t share_spread_up(uint32_t z2, uint32_t share_ppm) {
  uint64_t share = share_ppm, rest = SHARE_WHOLE - share_ppm, factor = z2;
  //@ ghost share_scale(share, SHARE_WHOLE, rest);
  //@ assert product: share * rest <= 1000000000000;
  //@ ghost share_scale(factor, SHARE_Z2_MAX, share * rest);
  //@ assert scaled: factor * (share * rest) <= 65536000000000000;
  return (factor * (share * rest) + (SHARE_Z2_ONE - 1)) / SHARE_Z2_ONE;
}

/* Whether excess^2 > samples * spread. With excess = times * samples + rest, divided by samples:
 * times^2 * samples + 2 * times * rest + rest^2 / samples > spread. */
/*@ requires samples_range: 1 <= samples <= SHARE_SAMPLES_MAX;
    requires excess_range: excess <= SHARE_WHOLE * samples;
    requires spread_range: spread <= 64000000000000;
    assigns \nothing;
    ensures above: \result == 1 <==> samples * spread < excess * excess;
    ensures answer: \result == 0 || \result == 1;
*/
static int share_exceeds(uint64_t excess, uint64_t samples, uint64_t spread) {
  uint64_t times = excess / samples, rest = excess % samples;
  //@ assert divided: excess == times * samples + rest && rest < samples;
  //@ assert times_range: times <= SHARE_WHOLE;
  //@ ghost share_scale(times, SHARE_WHOLE, times);
  uint64_t most = spread / samples;
  //@ assert most: most * samples <= spread < (most + 1) * samples;
  if (times * times > most) {
    //@ ghost share_scale(most + 1, times * times, samples);
    //@ assert far: spread < times * times * samples;
    /*@ assert square: excess * excess ==
          samples * (times * times * samples) + 2 * (times * samples) * rest + rest * rest; */
    //@ assert beyond: samples * spread < samples * (times * times * samples);
    //@ ghost share_scale(0, times * samples, rest);
    //@ ghost share_scale(0, rest, rest);
    //@ assert rest: 0 <= (times * samples) * rest && 0 <= rest * rest;
    //@ assert above: samples * spread < excess * excess;
    return 1;
  }
  //@ ghost share_scale(times * times, most, samples);
  //@ assert near: times * times * samples <= spread;
  //@ ghost share_scale(times, SHARE_WHOLE, rest);
  //@ ghost share_scale(rest, samples - 1, rest);
  //@ ghost share_scale(rest, samples - 1, samples - 1);
  //@ ghost share_scale(samples - 1, SHARE_SAMPLES_MAX - 1, samples - 1);
  //@ ghost share_scale(samples - 1, SHARE_SAMPLES_MAX - 1, SHARE_SAMPLES_MAX - 1);
  //@ assert small: rest * rest <= 18446744056529682436;
  uint64_t whole = rest * rest / samples, left = rest * rest % samples;
  //@ assert whole_low: whole * samples <= rest * rest;
  //@ ghost share_scale(rest + 1, whole, samples);
  //@ ghost share_scale(rest, samples, rest);
  //@ assert whole: whole <= rest;
  uint64_t part = whole + (left != 0);
  //@ assert part_up: rest * rest <= part * samples;
  //@ assert part_low: part * samples < rest * rest + samples;
  //@ assert part: part <= 4294967295;
  //@ assert twice: times * rest <= 1000000 * 4294967295;
  uint64_t sum = times * times * samples + 2 * (times * rest);
  /*@ assert square: excess * excess == samples * sum + rest * rest; */
  //@ assert scaled: samples * (sum + part) == samples * sum + samples * part;
  //@ ghost share_scale(spread + 1, sum + part, samples);
  //@ ghost share_scale(sum + part, spread, samples);
  //@ assert over: sum + part > spread ==> samples * spread < excess * excess;
  //@ assert not_over: sum + part <= spread ==> excess * excess <= samples * spread;
  return sum + part > spread;
}

int share_is_too_low(uint64_t hits, uint64_t samples, uint32_t z2, uint32_t share_ppm) {
  uint64_t share = share_ppm;
  //@ ghost share_scale(share, SHARE_WHOLE, samples);
  uint64_t observed = SHARE_WHOLE * hits, asked = samples * share;
  if (observed <= asked)
    return 0;
  uint64_t excess = observed - asked;
  //@ assert excess: excess == share_excess(hits, samples, share_ppm);
  return share_exceeds(excess, samples, share_spread_up(z2, share_ppm));
}

/* Between a share that is too low and one that is not, by halves. */
/*@ requires range: low < high <= SHARE_WHOLE;
    requires samples_range: 1 <= samples <= SHARE_SAMPLES_MAX;
    requires hits_range: hits <= samples;
    requires z2_range: z2 <= SHARE_Z2_MAX;
    requires low: share_too_low(hits, samples, z2, low);
    requires high: !share_too_low(hits, samples, z2, high);
    assigns \nothing;
    ensures found: \result == share_search(hits, samples, z2, low, high);
    ensures in_range: low < \result <= high;
    ensures least: share_too_low(hits, samples, z2, \result - 1);
    ensures within: !share_too_low(hits, samples, z2, \result);
*/
static uint32_t share_find(uint64_t hits, uint64_t samples, uint32_t z2, uint32_t low,
                           uint32_t high) {
  uint32_t below = low, above = high;
  /*@ loop invariant range: low <= below < above <= high;
      loop invariant low: share_too_low(hits, samples, z2, below);
      loop invariant high: !share_too_low(hits, samples, z2, above);
      loop invariant same: share_search(hits, samples, z2, below, above) ==
        share_search(hits, samples, z2, low, high);
      loop assigns below, above;
      loop variant above - below;
  */
  while (above - below > 1) {
    uint32_t middle = (below + above) / 2;
    //@ ghost share_step(hits, samples, z2, below, above);
    /*@ assert up: share_low(hits, samples, z2, middle) == 1 ==>
          share_search(hits, samples, z2, middle, above) ==
            share_search(hits, samples, z2, low, high); */
    /*@ assert down: share_low(hits, samples, z2, middle) != 1 ==>
          share_search(hits, samples, z2, below, middle) ==
            share_search(hits, samples, z2, low, high); */
    if (share_is_too_low(hits, samples, z2, middle))
      below = middle;
    else
      above = middle;
  }
  return above;
}

uint32_t share_lower_ppm(uint64_t hits, uint64_t samples, uint32_t z2) {
  if (hits == 0)
    return 0;
  //@ assert zero_too_low: share_too_low(hits, samples, z2, 0);
  //@ assert whole_not: !share_too_low(hits, samples, z2, SHARE_WHOLE);
  return share_find(hits, samples, z2, 0, SHARE_WHOLE);
}

uint32_t share_upper_ppm(uint64_t hits, uint64_t samples, uint32_t z2) {
  return SHARE_WHOLE - share_lower_ppm(samples - hits, samples, z2);
}
