/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/throughput/core/round.h"

/* Whatever is heard of and begun in between, a round that was accepted is refused afterwards, and
 * so is every earlier one; `what` chooses between hearing, beginning and entering. */
/*@ requires storage: \valid(state);
    requires lists: \valid_read(what + (0 .. count - 1)) && \valid_read(epochs + (0 .. count - 1)) &&
      \valid_read(numbers + (0 .. count - 1));
    requires distinct: \separated(state, what + (0 .. count - 1)) &&
      \separated(state, epochs + (0 .. count - 1)) && \separated(state, numbers + (0 .. count - 1));
    requires earlier: again <= number;
    assigns *state;
    ensures refused: \result == 1;
*/
int round_never_twice(struct round_state *state, uint64_t epoch, uint64_t number,
                             uint64_t again, const uint8_t what[], const uint64_t epochs[],
                             const uint64_t numbers[], uint32_t count) {
  if (round_accept(state, epoch, number) != ROUND_ACCEPTED)
    return 1;
  /*@ loop invariant range: 0 <= i <= count;
      loop invariant later: state->epoch > epoch || (state->epoch == epoch && state->last >= number);
      loop assigns i, *state;
      loop variant count - i;
  */
  for (uint32_t i = 0; i < count; i++) {
    if (what[i] == 0)
      round_accept(state, epochs[i], numbers[i]);
    else if (what[i] == 1)
      round_begin(state);
    else
      round_enter(state, epochs[i]);
  }
  return round_accept(state, epoch, again) != ROUND_ACCEPTED;
}
