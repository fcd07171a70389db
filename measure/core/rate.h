/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How fast to sample next: slowly while nothing changes, fast when something did. Proved: the rate
 * never costs more than the budget, never exceeds the ceiling, and never falls below the floor
 * unless the budget does not pay for the floor; after a change it is all that the budget and the
 * ceiling allow, at once; after more windows without one than `patience` it shrinks in each, until
 * it is at the floor.
 *
 * Rates are samples a second of processor time. A second of a program that keeps `load` thousandths
 * of a processor busy then has rate * load / 1000 samples; each takes `cost` ns of somebody's time.
 * Whoever calls this decides what a change is (measure/profile/adapt.h).
 */
#ifndef MEASURE_CORE_RATE_H
#define MEASURE_CORE_RATE_H

#include <stdint.h>

#define RATE_MAX 1000000      /* samples a second */
#define RATE_COST_MAX 1000000 /* ns for one sample: 1 ms */
#define RATE_LOAD_MAX 1000000 /* thousandths of a processor: 1000 processors */
#define RATE_SHRINK_ONE 1000

struct rate_limits {
  uint32_t floor, ceiling; /* samples a second; floor <= ceiling <= RATE_MAX */
  uint32_t budget;         /* ns of a processor that a second may cost, at most 10^9 */
  uint32_t shrink;         /* the rate shrinks by shrink / RATE_SHRINK_ONE; less than that */
  uint32_t patience;       /* windows without a change that are waited for before it shrinks */
};

struct rate_state {
  uint32_t rate;  /* samples a second */
  uint32_t quiet; /* windows in a row without a change */
};

/*@ predicate rate_limits_valid(struct rate_limits *l) =
      l->floor <= l->ceiling <= RATE_MAX && l->budget <= 1000000000 &&
      l->shrink < RATE_SHRINK_ONE;
    predicate rate_paid(struct rate_limits *l, integer rate, integer cost, integer load) =
      rate * cost * load <= l->budget * 1000;
*/

/* The greatest rate up to the ceiling that the budget pays for; may be 0. */
/*@ requires storage: \valid_read(limits);
    requires valid: rate_limits_valid(limits);
    requires cost_range: cost <= RATE_COST_MAX;
    requires load_range: load <= RATE_LOAD_MAX;
    assigns \nothing;
    ensures ceiling: \result <= limits->ceiling;
    ensures budget: rate_paid(limits, \result, cost, load);
    ensures greatest: \result < limits->ceiling ==>
      limits->budget * 1000 < (\result + 1) * (cost * load);
*/
uint32_t rate_affordable(const struct rate_limits *limits, uint32_t cost, uint32_t load);

/* What rate the next window has, after one that was changed or not. */
/*@ requires storage: \valid(state) && \valid_read(limits);
    requires apart: \separated(state, limits);
    requires valid: rate_limits_valid(limits);
    requires cost_range: cost <= RATE_COST_MAX;
    requires load_range: load <= RATE_LOAD_MAX;
    assigns *state;
    ensures ceiling: state->rate <= limits->ceiling;
    ensures budget: rate_paid(limits, state->rate, cost, load);
    ensures floor: state->rate >= limits->floor ||
      limits->budget * 1000 < (state->rate + 1) * (cost * load);
    ensures spike: changed != 0 ==> state->quiet == 0 && (state->rate == limits->ceiling ||
      limits->budget * 1000 < (state->rate + 1) * (cost * load));
    ensures slower: changed == 0 ==>
      state->rate <= \old(state->rate) || state->rate <= limits->floor;
    ensures counted: changed == 0 ==>
      state->quiet == (\old(state->quiet) < UINT32_MAX ? \old(state->quiet) + 1 : UINT32_MAX);
    ensures shrinks: changed == 0 && state->quiet > limits->patience ==>
      state->rate <= limits->floor ||
      state->rate * RATE_SHRINK_ONE <= \old(state->rate) * limits->shrink;
    ensures patient: changed == 0 && state->quiet <= limits->patience ==>
      state->rate >= \old(state->rate) ||
      limits->budget * 1000 < (state->rate + 1) * (cost * load) || state->rate == limits->ceiling;
    ensures no_more: changed == 0 && state->quiet > limits->patience ==>
      (state->rate + 1) * RATE_SHRINK_ONE > \old(state->rate) * limits->shrink ||
      limits->budget * 1000 < (state->rate + 1) * (cost * load) || state->rate == limits->ceiling;
*/
void rate_step(struct rate_state *state, const struct rate_limits *limits, int changed,
               uint32_t cost, uint32_t load);

#endif
