/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "dist/draw/deck.h"

static void make_sample(struct sample *sample, const uint64_t *counts, size_t bins,
                        uint64_t beyond) {
  sample_init(sample);
  for (size_t i = 0; i < bins; i++)
    sample_add_range(sample, 10 * i + 3, 10 * i + 5, counts[i]);
  sample_add_beyond(sample, beyond);
  sample_finish(sample);
}

/* How often each bin was dealt; the last is beyond. */
static void deal_all(uint64_t *dealt, struct deck *deck, size_t bins) {
  for (size_t i = 0; i <= bins; i++)
    dealt[i] = 0;
  while (deck->dealt < deck->count) {
    struct row_value x = deck_deal(deck);
    if (x.upper_ns == ROW_INFINITE) {
      assert_int_equal(x.lower_ns, 10 * (bins - 1) + 3);
      dealt[bins]++;
      continue;
    }
    assert_int_equal(x.lower_ns + 2, x.upper_ns);
    assert_int_equal(x.lower_ns % 10, 3);
    dealt[x.lower_ns / 10]++;
  }
}

static void test_each_observation_is_dealt_once(void **state) {
  (void)state;
  static const uint64_t counts[] = {5, 1, 100, 7};
  struct sample sample;
  make_sample(&sample, counts, 4, 3);
  for (uint64_t seed = 0; seed < 50; seed++) {
    struct deck deck;
    uint64_t dealt[5];
    assert_true(deck_init(&deck, &sample, seed));
    assert_int_equal(deck.count, 116);
    deal_all(dealt, &deck, 4);
    for (size_t i = 0; i < 4; i++)
      assert_int_equal(dealt[i], counts[i]);
    assert_int_equal(dealt[4], 3);
    deck_clear(&deck);
  }
  sample_clear(&sample);
}

static void test_the_seed_says_the_order(void **state) {
  (void)state;
  uint64_t counts[64];
  for (size_t i = 0; i < 64; i++)
    counts[i] = 1;
  struct sample sample;
  make_sample(&sample, counts, 64, 0);
  struct deck a, b, c;
  assert_true(deck_init(&a, &sample, 1) && deck_init(&b, &sample, 1) && deck_init(&c, &sample, 2));
  assert_memory_equal(a.cards, b.cards, 64 * sizeof *a.cards);
  assert_memory_not_equal(a.cards, c.cards, 64 * sizeof *a.cards);
  deck_clear(&a);
  deck_clear(&b);
  deck_clear(&c);
  sample_clear(&sample);
}

/* Each of the 6 orders of 3 cards: 6000 decks, each order within 6 standard deviations. */
static void test_all_orders_are_as_likely(void **state) {
  (void)state;
  static const uint64_t counts[] = {1, 1, 1};
  struct sample sample;
  make_sample(&sample, counts, 3, 0);
  uint64_t seen[27] = {0};
  for (uint64_t seed = 0; seed < 6000; seed++) {
    struct deck deck;
    assert_true(deck_init(&deck, &sample, seed));
    seen[9 * deck.cards[0] + 3 * deck.cards[1] + deck.cards[2]]++;
    deck_clear(&deck);
  }
  static const size_t orders[] = {5, 7, 11, 15, 19, 21};
  for (size_t i = 0; i < 6; i++)
    assert_in_range(seen[orders[i]], 1000 - 6 * 29, 1000 + 6 * 29);
  sample_clear(&sample);
}

/* A quarter more than fits: full, no bin more often than it was observed, and each share within 6
 * standard deviations. */
static void test_of_a_large_sample_a_random_part(void **state) {
  (void)state;
  const uint64_t quarter = DECK_MAX / 4, counts[] = {quarter, 1, 3 * quarter - 1, quarter / 2};
  struct sample sample;
  make_sample(&sample, counts, 4, quarter / 2);
  assert_int_equal(sample.total, 5 * quarter);
  struct deck deck;
  uint64_t dealt[5];
  assert_true(deck_init(&deck, &sample, 7));
  assert_int_equal(deck.count, DECK_MAX);
  deal_all(dealt, &deck, 4);
  assert_true(dealt[1] <= 1);
  const uint64_t expected[] = {quarter / 5 * 4, 0, quarter / 5 * 12, quarter / 5 * 2,
                               quarter / 5 * 2};
  for (size_t i = 0; i < 5; i++)
    if (i != 1)
      assert_in_range(dealt[i], expected[i] - 6 * 500, expected[i] + 6 * 500);
  deck_clear(&deck);
  sample_clear(&sample);
}

static void test_nothing_but_beyond(void **state) {
  (void)state;
  struct sample sample;
  sample_init(&sample);
  sample_add_beyond(&sample, 4);
  sample_finish(&sample);
  struct deck deck;
  assert_true(deck_init(&deck, &sample, 1));
  assert_int_equal(deck.count, 4);
  struct row_value x = deck_deal(&deck);
  assert_int_equal(x.lower_ns, 0);
  assert_int_equal(x.upper_ns, ROW_INFINITE);
  deck_clear(&deck);
  sample_clear(&sample);
}

static void test_no_cards_of_what_was_not_observed(void **state) {
  (void)state;
  static const uint64_t counts[] = {5, 5};
  struct sample sample;
  struct deck deck;
  make_sample(&sample, counts, 2, 0);
  sample.real = 9; /* as of a histogram that was filled in */
  assert_false(deck_init(&deck, &sample, 1));
  assert_int_equal(deck.count, 0);
  deck_clear(&deck);
  sample_clear(&sample);
  const uint64_t many[] = {(UINT64_C(1) << 28) + 1};
  make_sample(&sample, many, 1, 0);
  assert_false(deck_init(&deck, &sample, 1));
  deck_clear(&deck);
  sample_clear(&sample);
}

static void test_no_observation_no_card(void **state) {
  (void)state;
  struct sample sample;
  struct deck deck;
  sample_init(&sample);
  sample_finish(&sample);
  assert_true(deck_init(&deck, &sample, 1));
  assert_int_equal(deck.count, 0);
  deck_clear(&deck);
  sample_clear(&sample);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_each_observation_is_dealt_once),
      cmocka_unit_test(test_the_seed_says_the_order),
      cmocka_unit_test(test_all_orders_are_as_likely),
      cmocka_unit_test(test_of_a_large_sample_a_random_part),
      cmocka_unit_test(test_nothing_but_beyond),
      cmocka_unit_test(test_no_cards_of_what_was_not_observed),
      cmocka_unit_test(test_no_observation_no_card),
  };
  return cmocka_run_group_tests_name("deck", tests, NULL, NULL);
}
