/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Clock offsets from pairs of stamps, and one-way delays rounded up (roundtrip.h); proved.
 */
#include "measure/core/roundtrip.h"

#define OFFSET_BIAS 9223372036854775808u /* 2^63 */

/* value + 2^63 and back: signed numbers in the order of unsigned ones, so that both ends of their
 * range are 0 and UINT64_MAX. */
/*@ assigns \nothing;
    ensures biased: \result == value + OFFSET_BIAS;
*/
static uint64_t offset_bias(int64_t value) {
  return value >= 0 ? (uint64_t)value + OFFSET_BIAS : (uint64_t)(value - INT64_MIN);
}

/*@ assigns \nothing;
    ensures unbiased: \result == biased - OFFSET_BIAS;
*/
static int64_t offset_unbias(uint64_t biased) {
  return biased >= OFFSET_BIAS ? (int64_t)(biased - OFFSET_BIAS) : (int64_t)biased + INT64_MIN;
}

/* Whether a - b is a number of 64 bits with sign. */
/*@ assigns \nothing;
    ensures fits: \result != 0 <==> INT64_MIN <= a - b <= INT64_MAX;
*/
static int offset_fits(uint64_t a, uint64_t b) {
  return a >= b ? a - b < OFFSET_BIAS : b - a <= OFFSET_BIAS;
}

/* a - b, where it fits. */
/*@ requires fits: INT64_MIN <= a - b <= INT64_MAX;
    assigns \nothing;
    ensures difference: \result == a - b;
*/
static int64_t offset_difference(uint64_t a, uint64_t b) {
  return a >= b ? (int64_t)(a - b) : offset_unbias(OFFSET_BIAS - (b - a));
}

int offset_from_pair(struct offset_interval *interval, uint64_t t1, uint64_t t2, uint64_t t4) {
  if (t4 < t1 || !offset_fits(t2, t4) || !offset_fits(t2, t1))
    return 0;
  interval->low = offset_difference(t2, t4);
  interval->high = offset_difference(t2, t1);
  return 1;
}

/* Both ends outward by `drift`, saturating. */
/*@ assigns \nothing;
    ensures widened: \result == offset_low(low, drift);
*/
static int64_t offset_widen_low(int64_t low, uint64_t drift) {
  uint64_t biased = offset_bias(low);
  return offset_unbias(biased > drift ? biased - drift : 0);
}

/*@ assigns \nothing;
    ensures widened: \result == offset_high(high, drift);
*/
static int64_t offset_widen_high(int64_t high, uint64_t drift) {
  uint64_t biased = offset_bias(high);
  return offset_unbias(biased < UINT64_MAX - drift ? biased + drift : UINT64_MAX);
}

int offset_combine(struct offset_interval *interval, uint64_t drift_ns,
                   const struct offset_interval *next) {
  int64_t low = offset_widen_low(interval->low, drift_ns);
  int64_t high = offset_widen_high(interval->high, drift_ns);
  if (low < next->low)
    low = next->low;
  if (high > next->high)
    high = next->high;
  int meet = low <= high;
  interval->low = meet ? low : next->low;
  interval->high = meet ? high : next->high;
  return meet;
}

/* a - b + plus - minus, at least 0 and at most UINT64_MAX; plus or minus is 0. */
/*@ requires one_of_them: plus == 0 || minus == 0;
    assigns \nothing;
    ensures clamped: \result == \max(0, \min(UINT64_MAX, a - b + plus - minus));
*/
static uint64_t offset_clamped(uint64_t a, uint64_t b, uint64_t plus, uint64_t minus) {
  if (a < b) {
    uint64_t short_of = b - a;
    return plus > short_of ? plus - short_of : 0;
  }
  uint64_t difference = a - b;
  if (minus > 0)
    return difference > minus ? difference - minus : 0;
  return difference < UINT64_MAX - plus ? difference + plus : UINT64_MAX;
}

uint64_t oneway_there_up(uint64_t t1, uint64_t t2, const struct offset_interval *interval) {
  uint64_t low = offset_bias(interval->low);
  return low < OFFSET_BIAS ? offset_clamped(t2, t1, OFFSET_BIAS - low, 0)
                           : offset_clamped(t2, t1, 0, low - OFFSET_BIAS);
}

uint64_t oneway_back_up(uint64_t t2, uint64_t t4, const struct offset_interval *interval) {
  uint64_t high = offset_bias(interval->high);
  return high < OFFSET_BIAS ? offset_clamped(t4, t2, 0, OFFSET_BIAS - high)
                            : offset_clamped(t4, t2, high - OFFSET_BIAS, 0);
}
