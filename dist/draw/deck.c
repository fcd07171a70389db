/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/draw/deck.h"

#include "base/memory.h"

#define TOTAL_MAX (UINT64_C(1) << 28)

/* Each subset of the size that fits with the same chance: an observation is taken with the chance
 * that is still wanted over still left (Knuth, TAOCP 2, algorithm 3.4.2 S). */
struct selection {
  struct random random;
  uint64_t wanted, left;
};

static void take(struct deck *deck, struct selection *s, uint32_t card, uint64_t count) {
  for (uint64_t i = 0; i < count; i++, s->left--) {
    if (s->wanted < s->left && random_below(&s->random, s->left) >= s->wanted)
      continue;
    deck->cards[deck->count++] = card;
    s->wanted--;
  }
}

bool deck_init(struct deck *deck, const struct sample *sample, uint64_t seed) {
  *deck = (struct deck){.sample = sample};
  if (sample->real != sample->total || sample->total > TOTAL_MAX)
    return false;
  struct selection s = {.random = {seed}, .left = sample->total};
  s.wanted = sample->total < DECK_MAX ? sample->total : DECK_MAX;
  deck->cards = mem_alloc((size_t)s.wanted, sizeof *deck->cards);
  for (size_t i = 0; i < sample->count; i++) {
    take(deck, &s, (uint32_t)i, sample->bins[i].count);
    if (sample->bins[i].lower_ns > deck->greatest_ns)
      deck->greatest_ns = sample->bins[i].lower_ns;
  }
  take(deck, &s, DECK_BEYOND, sample->beyond);
  random_shuffle(&s.random, deck->cards, deck->count);
  return true;
}

void deck_clear(struct deck *deck) {
  mem_free(deck->cards);
  *deck = (struct deck){0};
}

struct row_value deck_deal(struct deck *deck) {
  if (deck->dealt == deck->count)
    bug("an empty deck");
  uint32_t card = deck->cards[deck->dealt++];
  if (card == DECK_BEYOND)
    return (struct row_value){deck->greatest_ns, ROW_INFINITE};
  const struct sample_bin *bin = &deck->sample->bins[card];
  return (struct row_value){bin->lower_ns, bin->upper_ns};
}
