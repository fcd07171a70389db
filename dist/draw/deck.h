/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The observations of one sample in random order, each dealt once. What two occurrences are dealt
 * from one deck are disjoint observations, so if these are independent draws of one law, so are the
 * cards. The order is a function of the seed alone.
 */
#ifndef DIST_DRAW_DECK_H
#define DIST_DRAW_DECK_H

#include "base/random.h"
#include "dist/evaluate/row.h"
#include "dist/source/sample.h"

struct deck {
  const struct sample *sample;
  uint32_t *cards; /* owned; bins of the sample, DECK_BEYOND for what lies beyond */
  size_t count, dealt;
  uint64_t greatest_ns; /* lower edge: what lies beyond is at least here */
};

#define DECK_BEYOND UINT32_MAX

enum { DECK_MAX = 1 << 22 }; /* cards; of a larger sample a random part is taken */

/* The sample outlives the deck. False, with an empty deck, where the sample has no such draws: some
 * of what it counts was never observed (sample.real < sample.total), or it is beyond all measure
 * (2^28 observations). Initialised in any case. */
bool deck_init(struct deck *deck, const struct sample *sample, uint64_t seed);
void deck_clear(struct deck *deck);

/* The next card; a bug when there is none. */
struct row_value deck_deal(struct deck *deck);

#endif
