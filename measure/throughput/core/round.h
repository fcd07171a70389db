/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Rounds: all services of an experiment pause together. Whoever begins a round gives it the next
 * number; it is passed on from neighbour to neighbour, and each accepts it once. The numbers belong
 * to an *epoch*, one setting of an experiment, which only grows: what was sent in an earlier one,
 * or is sent again by somebody who recorded it, is refused. Proved (proofs/logic/round.acsl): no
 * round is accepted twice, and an epoch that was left is not entered again.
 */
#ifndef MEASURE_THROUGHPUT_CORE_ROUND_H
#define MEASURE_THROUGHPUT_CORE_ROUND_H

#include <stdint.h>

struct round_state {
  uint64_t epoch; /* 0: none yet; no round is accepted */
  uint64_t last;  /* the latest round accepted or begun in it; 0: none */
};

enum round_verdict {
  ROUND_ACCEPTED, /* new: pause, and pass it on */
  ROUND_KNOWN,    /* this one, or a later one, was accepted before */
  ROUND_STALE,    /* of an earlier epoch, or of none (0) */
  ROUND_AHEAD,    /* of an epoch that this service was not told of */
};

#include "proofs/logic/round.acsl"

/* No epoch, no round. */
/*@ requires storage: \valid(state);
    assigns *state;
    ensures none: state->epoch == 0 && state->last == 0;
*/
void round_init(struct round_state *state);

/* Enters an epoch; 1, or 0 when it is not a later one (nothing changes). */
/*@ requires storage: \valid(state);
    assigns *state;
    ensures grows: round_grows{Pre, Here}(state);
    behavior later:
      assumes epoch > state->epoch;
      ensures entered: \result == 1 && state->epoch == epoch && state->last == 0;
    behavior not_later:
      assumes epoch <= state->epoch;
      assigns \nothing;
      ensures refused: \result == 0;
    complete behaviors;
    disjoint behaviors;
*/
int round_enter(struct round_state *state, uint64_t epoch);

/* Judges a round that was heard of; after ROUND_ACCEPTED it is `last`, otherwise nothing changes.
 */
/*@ requires storage: \valid(state);
    assigns state->last;
    ensures grows: round_grows{Pre, Here}(state);
    ensures accepted: \result == ROUND_ACCEPTED <==>
      epoch != 0 && epoch == state->epoch && number > \old(state->last);
    ensures last: \result == ROUND_ACCEPTED ==> state->last == number;
    ensures unchanged: \result != ROUND_ACCEPTED ==> round_same{Pre, Here}(state);
    ensures known: \result == ROUND_KNOWN <==>
      epoch != 0 && epoch == state->epoch && number <= \old(state->last);
    ensures stale: \result == ROUND_STALE <==> epoch == 0 || epoch < state->epoch;
    ensures ahead: \result == ROUND_AHEAD <==> epoch > state->epoch;
*/
enum round_verdict round_accept(struct round_state *state, uint64_t epoch, uint64_t number);

/* Begins a round: its number, which is `last` now; 0 when there is no epoch or no number left. */
/*@ requires storage: \valid(state);
    assigns state->last;
    ensures grows: round_grows{Pre, Here}(state);
    behavior begun:
      assumes state->epoch != 0 && state->last < UINT64_MAX;
      ensures number: \result == state->last && state->last == \old(state->last) + 1;
    behavior none:
      assumes state->epoch == 0 || state->last == UINT64_MAX;
      assigns \nothing;
      ensures none: \result == 0;
    complete behaviors;
    disjoint behaviors;
*/
uint64_t round_begin(struct round_state *state);

#endif
