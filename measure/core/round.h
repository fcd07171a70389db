/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Rounds: all services of an experiment pause together. Whoever begins a round gives it the next
 * number; it is passed on from neighbour to neighbour, and each accepts it once. The numbers belong
 * to an *epoch*, one setting of an experiment, which only grows: what was sent in an earlier one,
 * or is sent again by somebody who recorded it, is refused.
 */
#ifndef MEASURE_CORE_ROUND_H
#define MEASURE_CORE_ROUND_H

#include <stdint.h>

struct round_state {
  uint64_t epoch; /* 0: none yet; no round is accepted */
  uint64_t last;  /* the latest round accepted or begun in it; 0: none */
};

enum round_verdict {
  ROUND_ACCEPTED, /* new: pause, and pass it on */
  ROUND_KNOWN,    /* this one, or a later one, was accepted before */
  ROUND_STALE,    /* of an earlier epoch */
  ROUND_AHEAD,    /* of an epoch that this service was not told of */
};

void round_init(struct round_state *state);

/* Enters an epoch; 1, or 0 when it is not a later one (nothing changes). */
int round_enter(struct round_state *state, uint64_t epoch);

/* Judges a round that was heard of; after ROUND_ACCEPTED it is `last`, otherwise nothing changes. */
enum round_verdict round_accept(struct round_state *state, uint64_t epoch, uint64_t number);

/* Begins a round: its number, which is `last` now; 0 when there is no epoch or no number left. */
uint64_t round_begin(struct round_state *state);

#endif
