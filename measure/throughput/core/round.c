/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/throughput/core/round.h"

void round_init(struct round_state *state) {
  state->epoch = 0;
  state->last = 0;
}

int round_enter(struct round_state *state, uint64_t epoch) {
  if (epoch <= state->epoch)
    return 0;
  state->epoch = epoch;
  state->last = 0;
  return 1;
}

enum round_verdict round_accept(struct round_state *state, uint64_t epoch, uint64_t number) {
  if (epoch == 0 || epoch < state->epoch)
    return ROUND_STALE;
  if (epoch > state->epoch)
    return ROUND_AHEAD;
  if (number <= state->last)
    return ROUND_KNOWN;
  state->last = number;
  return ROUND_ACCEPTED;
}

uint64_t round_begin(struct round_state *state) {
  if (state->epoch == 0 || state->last == UINT64_MAX)
    return 0;
  state->last++;
  return state->last;
}
