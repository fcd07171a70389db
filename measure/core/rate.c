/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/core/rate.h"

uint32_t rate_affordable(const struct rate_limits *limits, uint32_t cost, uint32_t load) {
  uint64_t price = (uint64_t)cost * load, pot = (uint64_t)limits->budget * 1000;
  //@ assert price_is: price == cost * load;
  if (price == 0)
    return limits->ceiling;
  uint64_t rate = pot / price;
  //@ assert paid: rate * price <= pot;
  //@ assert greatest: pot < (rate + 1) * price;
  if (rate <= limits->ceiling)
    return (uint32_t)rate;
  //@ assert less: limits->ceiling * price <= rate * price;
  return limits->ceiling;
}

/* The rate after a window without a change. */
/*@ requires storage: \valid_read(limits);
    requires valid: rate_limits_valid(limits);
    assigns \nothing;
    ensures slower: \result <= rate || \result == limits->floor;
    ensures floor: \result >= limits->floor;
    ensures shrinks: \result == limits->floor ||
      \result * RATE_SHRINK_ONE <= rate * limits->shrink;
    ensures no_more: (\result + 1) * RATE_SHRINK_ONE > rate * limits->shrink;
*/
static uint32_t rate_shrunk(const struct rate_limits *limits, uint32_t rate) {
  uint32_t less = (uint32_t)((uint64_t)rate * limits->shrink / RATE_SHRINK_ONE);
  //@ assert shrinks: less * RATE_SHRINK_ONE <= rate * limits->shrink;
  //@ assert no_more: (less + 1) * RATE_SHRINK_ONE > rate * limits->shrink;
  //@ assert less: less <= rate;
  return less < limits->floor ? limits->floor : less;
}

void rate_step(struct rate_state *state, const struct rate_limits *limits, int changed,
               uint32_t cost, uint32_t load) {
  uint32_t most = rate_affordable(limits, cost, load), next = state->rate;
  if (changed) {
    state->quiet = 0;
    state->rate = most;
    return;
  }
  if (state->quiet < UINT32_MAX)
    state->quiet++;
  if (state->quiet > limits->patience)
    next = rate_shrunk(limits, next);
  if (next < limits->floor)
    next = limits->floor;
  if (next > most)
    next = most;
  //@ assert cheaper: next * (cost * load) <= most * (cost * load);
  state->rate = next;
}
