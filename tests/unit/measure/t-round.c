/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Rounds against the set of all that was ever accepted or begun: nothing twice, epochs only grow.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "measure/throughput/core/round.h"
#include "tests/unit/measure/core_random.h"

enum { EPOCHS = 12, NUMBERS = 40 };

static uint8_t taken[EPOCHS][NUMBERS]; /* accepted or begun */

static void heard(struct round_state *state) {
  uint64_t epoch = core_random() % EPOCHS, number = core_random() % NUMBERS;
  struct round_state before = *state;
  enum round_verdict verdict = round_accept(state, epoch, number);
  if (verdict != ROUND_ACCEPTED)
    assert_memory_equal(state, &before, sizeof before);
  if (epoch == 0 || epoch < before.epoch) {
    assert_int_equal(verdict, ROUND_STALE);
  } else if (epoch > before.epoch) {
    assert_int_equal(verdict, ROUND_AHEAD);
  } else if (number <= before.last) {
    assert_int_equal(verdict, ROUND_KNOWN);
  } else {
    assert_int_equal(verdict, ROUND_ACCEPTED);
    assert_true(state->epoch == epoch && state->last == number);
    assert_int_equal(taken[epoch][number], 0);
    taken[epoch][number] = 1;
  }
}

static void begun(struct round_state *state) {
  uint64_t last = state->last;
  if (last + 1 >= NUMBERS)
    return;
  uint64_t number = round_begin(state);
  assert_true(number == (state->epoch == 0 ? 0 : last + 1));
  if (number == 0)
    return;
  assert_int_equal(taken[state->epoch][number], 0);
  taken[state->epoch][number] = 1;
}

static void entered(struct round_state *state) {
  struct round_state before = *state;
  uint64_t epoch = core_random() % EPOCHS;
  assert_int_equal(round_enter(state, epoch), epoch > before.epoch);
  if (epoch > before.epoch)
    assert_true(state->epoch == epoch && state->last == 0);
  else
    assert_memory_equal(state, &before, sizeof before);
}

static void never_twice(void **unused) {
  (void)unused;
  for (int run = 0; run < 2000; run++) {
    struct round_state state = {5, 5};
    memset(taken, 0, sizeof taken);
    round_init(&state);
    for (int i = 0; i < 300; i++) {
      uint64_t what = core_random() % 40;
      if (what == 0)
        entered(&state);
      else if (what < 8)
        begun(&state);
      else
        heard(&state);
    }
  }
}

static void ends_of_the_range(void **unused) {
  (void)unused;
  struct round_state state;
  round_init(&state);
  assert_int_equal(round_accept(&state, 0, 1), ROUND_STALE);
  assert_int_equal(round_accept(&state, 1, 1), ROUND_AHEAD);
  assert_int_equal(round_enter(&state, UINT64_MAX), 1);
  assert_int_equal(round_enter(&state, UINT64_MAX), 0);
  assert_int_equal(round_accept(&state, UINT64_MAX, 0), ROUND_KNOWN);
  assert_int_equal(round_accept(&state, UINT64_MAX, UINT64_MAX - 1), ROUND_ACCEPTED);
  assert_true(round_begin(&state) == UINT64_MAX);
  assert_true(round_begin(&state) == 0 && state.last == UINT64_MAX);
  assert_int_equal(round_accept(&state, UINT64_MAX, UINT64_MAX), ROUND_KNOWN);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(never_twice),
      cmocka_unit_test(ends_of_the_range),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
