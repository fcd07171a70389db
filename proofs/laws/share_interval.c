/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/core/share_interval.h"

/*@ ghost
  /@ requires wide: low <= SHARE_WHOLE && high <= SHARE_WHOLE && 1 < high - low;
     assigns \nothing;
     ensures up: share_low(hits, samples, z2, (low + high) / 2) == 1 ==>
       share_search(hits, samples, z2, low, high) ==
         share_search(hits, samples, z2, (low + high) / 2, high);
     ensures down: share_low(hits, samples, z2, (low + high) / 2) != 1 ==>
       share_search(hits, samples, z2, low, high) ==
         share_search(hits, samples, z2, low, (low + high) / 2);
  @/
  void share_step_law(uint64_t hits, uint64_t samples, uint32_t z2, uint32_t low, uint32_t high) {
  }
*/

/*@ ghost
  /@ assigns \nothing;
     ensures product: low <= high ==> low * factor <= high * factor;
  @/
  void share_scale_law(uint64_t low, uint64_t high, uint64_t factor) {
  }
*/

/*@ requires hits_range: hits <= more;
    requires range: more <= samples <= SHARE_SAMPLES_MAX;
    requires z2_range: z2 <= SHARE_Z2_MAX;
    requires share_range: share_ppm <= SHARE_WHOLE;
    assigns \nothing;
    ensures more_too: share_too_low(hits, samples, z2, share_ppm) ==>
      share_too_low(more, samples, z2, share_ppm);
*/
void share_more_too_low(uint64_t hits, uint64_t more, uint64_t samples, uint32_t z2,
                        uint32_t share_ppm) {
  uint64_t share = share_ppm;
  //@ ghost share_scale_law(share, SHARE_WHOLE, samples);
  uint64_t asked = samples * share;
  if (SHARE_WHOLE * hits > asked) {
    uint64_t first = SHARE_WHOLE * hits - asked, second = SHARE_WHOLE * more - asked;
    //@ ghost share_scale_law(first, second, first);
    //@ ghost share_scale_law(first, second, second);
    //@ assert squares: first * first <= second * second;
  }
}

/* What a search finds lies between where it began. */
/*@ requires range: low < high <= SHARE_WHOLE;
    requires hits_range: hits <= samples <= SHARE_SAMPLES_MAX;
    requires samples_range: 1 <= samples;
    requires z2_range: z2 <= SHARE_Z2_MAX;
    assigns \nothing;
    ensures between: low < share_search(hits, samples, z2, low, high) <= high;
*/
void share_search_between(uint64_t hits, uint64_t samples, uint32_t z2, uint32_t low,
                          uint32_t high) {
  uint32_t below = low, above = high;
  /*@ loop invariant range: low <= below < above <= high;
      loop invariant same: share_search(hits, samples, z2, below, above) ==
        share_search(hits, samples, z2, low, high);
      loop assigns below, above;
      loop variant above - below;
  */
  while (above - below > 1) {
    uint32_t middle = (below + above) / 2;
    //@ ghost share_step_law(hits, samples, z2, below, above);
    if (share_is_too_low(hits, samples, z2, middle))
      below = middle;
    else
      above = middle;
  }
}

/* More hits never give a lower end that is lower; the upper end mirrors it. */
/*@ requires hits_range: hits <= more;
    requires range: more <= samples <= SHARE_SAMPLES_MAX;
    requires samples_range: 1 <= samples;
    requires z2_range: z2 <= SHARE_Z2_MAX;
    assigns \nothing;
    ensures monotone: share_end(hits, samples, z2) <= share_end(more, samples, z2);
*/
void share_monotone(uint64_t hits, uint64_t more, uint64_t samples, uint32_t z2) {
  uint32_t low = 0, high = SHARE_WHOLE;
  if (more != 0)
    share_search_between(more, samples, z2, 0, SHARE_WHOLE);
  if (hits == 0)
    return;
  /*@ loop invariant range: 0 <= low < high <= SHARE_WHOLE;
      loop invariant same: share_search(hits, samples, z2, low, high) ==
        share_search(hits, samples, z2, 0, SHARE_WHOLE);
      loop invariant same_more: share_search(more, samples, z2, low, high) ==
        share_search(more, samples, z2, 0, SHARE_WHOLE);
      loop assigns low, high;
      loop variant high - low;
  */
  while (high - low > 1) {
    uint32_t middle = (low + high) / 2;
    //@ ghost share_step_law(hits, samples, z2, low, high);
    //@ ghost share_step_law(more, samples, z2, low, high);
    share_more_too_low(hits, more, samples, z2, middle);
    int less = share_is_too_low(hits, samples, z2, middle);
    int greater = share_is_too_low(more, samples, z2, middle);
    if (less != greater) {
      share_search_between(hits, samples, z2, low, middle);
      share_search_between(more, samples, z2, middle, high);
      return;
    }
    if (less)
      low = middle;
    else
      high = middle;
  }
}
