/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The confidence interval of a share: `hits` of `samples` samples were in a function, so how much
 * of the time is it? Integers only, and proved: the interval holds the observed share, and more
 * hits never give a lower end.
 *
 * The interval is Wilson's score interval (Wilson, JASA 22, 1927), rounded outward to parts per
 * million: all shares p with (hits - samples p)^2 <= z^2 samples p (1 - p). Samples are taken to be
 * independent; where one run's samples are not, ask with fewer of them.
 */
#ifndef MEASURE_CORE_SHARE_INTERVAL_H
#define MEASURE_CORE_SHARE_INTERVAL_H

#include <stdint.h>

#define SHARE_WHOLE 1000000 /* parts per million */
#define SHARE_SAMPLES_MAX 4294967295u
#define SHARE_Z2_ONE 1024
#define SHARE_Z2_MAX 65536 /* z = 8 */
#define SHARE_Z2_95 3934   /* z = 1.959964 two-sided 95 %, in 1/1024, rounded up */
#define SHARE_Z2_99 6795   /* z = 2.575829 */

#include "proofs/logic/share_interval.acsl"

/* Whether the share of share_ppm is too low (high) for the observed one: below (above) it, and
 * outside of the interval. */
/*@ requires samples_range: 1 <= samples <= SHARE_SAMPLES_MAX;
    requires hits_range: hits <= samples;
    requires share_range: share_ppm <= SHARE_WHOLE;
    requires z2_range: z2 <= SHARE_Z2_MAX;
    assigns \nothing;
    ensures too_low: \result == share_low(hits, samples, z2, share_ppm);
    ensures answer: \result == 0 || \result == 1;
*/
int share_is_too_low(uint64_t hits, uint64_t samples, uint32_t z2, uint32_t share_ppm);

/* The lower end: a share that is not too low, such that one part per million less is; 0 where 0 is
 * not. z2: z^2 in 1/1024. The upper end is SHARE_WHOLE less the lower end of samples - hits. */
/*@ requires samples_range: 1 <= samples <= SHARE_SAMPLES_MAX;
    requires hits_range: hits <= samples;
    requires z2_range: z2 <= SHARE_Z2_MAX;
    assigns \nothing;
    ensures end: \result == share_end(hits, samples, z2);
    ensures in_range: \result <= SHARE_WHOLE;
    ensures at_most_observed: samples * \result < SHARE_WHOLE * hits + samples;
    ensures least: 0 < \result ==> share_too_low(hits, samples, z2, \result - 1);
    ensures within: !share_too_low(hits, samples, z2, \result);
*/
uint32_t share_lower_ppm(uint64_t hits, uint64_t samples, uint32_t z2);

/* The upper end: by symmetry, what the lower end of the share of all other samples leaves. */
/*@ requires samples_range: 1 <= samples <= SHARE_SAMPLES_MAX;
    requires hits_range: hits <= samples;
    requires z2_range: z2 <= SHARE_Z2_MAX;
    assigns \nothing;
    ensures end: \result == SHARE_WHOLE - share_end(samples - hits, samples, z2);
    ensures in_range: \result <= SHARE_WHOLE;
    ensures at_least_observed: SHARE_WHOLE * hits < samples * (\result + 1);
*/
uint32_t share_upper_ppm(uint64_t hits, uint64_t samples, uint32_t z2);

#endif
