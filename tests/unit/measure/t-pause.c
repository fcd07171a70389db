/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The ledger against integers of 128 bits; all pairs of state and event against the rules in words;
 * random sequences of events.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "measure/throughput/core/pause.h"
#include "tests/unit/measure/core_random.h"

static wide smaller(wide a, wide b) {
  return a < b ? a : b;
}

static void is_balanced(const struct pause_ledger *ledger) {
  assert_true(ledger->owed_ns <= PAUSE_TOTAL_MAX && ledger->realised_ns <= PAUSE_TOTAL_MAX);
  assert_true((signed_wide)ledger->owed_ns ==
              (signed_wide)ledger->realised_ns + ledger->carried_ns);
}

/* One random operation, and what owed and realised are then, counted in 128 bits. */
static void operate(struct pause_ledger *ledger, wide *owed, wide *realised) {
  uint64_t a = core_random_word(), b = core_random_word();
  if (core_random() % 2 == 0) {
    a >>= core_random() % 64;
    wide sum = *owed + (wide)a * b;
    assert_int_equal(pause_owe(ledger, a, b), sum <= PAUSE_TOTAL_MAX);
    *owed = smaller(sum, PAUSE_TOTAL_MAX);
  } else {
    wide sum = *realised + a;
    assert_int_equal(pause_realise(ledger, a), sum <= PAUSE_TOTAL_MAX);
    *realised = smaller(sum, PAUSE_TOTAL_MAX);
  }
  assert_true(ledger->owed_ns == *owed && ledger->realised_ns == *realised);
  is_balanced(ledger);
}

static void due_is_carried(const struct pause_ledger *ledger) {
  struct pause_ledger before = *ledger, more = *ledger;
  uint64_t least = core_random_word(), most = core_random_word();
  uint64_t due = pause_due(ledger, least, most);
  signed_wide carried = ledger->carried_ns;
  if (carried <= 0 || (wide)carried < least)
    assert_true(due == 0);
  else
    assert_true(due == smaller((wide)carried, most));
  assert_memory_equal(ledger, &before, sizeof before);
  if (more.carried_ns < INT64_MAX)
    more.carried_ns++;
  if (least <= most)
    assert_true(due <= pause_due(&more, least, most) &&
                (due == 0 || (least <= due && due <= most)));
}

static void ledger_keeps_its_balance(void **state) {
  (void)state;
  for (int run = 0; run < 500; run++) {
    struct pause_ledger ledger = {1, 2, 3};
    wide owed = 0, realised = 0;
    pause_init(&ledger);
    for (int i = 0; i < 200; i++) {
      operate(&ledger, &owed, &realised);
      due_is_carried(&ledger);
    }
  }
}

static void nothing_changes_nothing(void **state) {
  (void)state;
  struct pause_ledger ledger = {PAUSE_TOTAL_MAX, 5, PAUSE_TOTAL_MAX - 5};
  assert_int_equal(pause_owe(&ledger, 0, UINT64_MAX), 1);
  assert_int_equal(pause_owe(&ledger, UINT64_MAX, 0), 1);
  assert_int_equal(pause_realise(&ledger, 0), 1);
  assert_true(ledger.owed_ns == PAUSE_TOTAL_MAX && ledger.realised_ns == 5);
  assert_int_equal(pause_owe(&ledger, 1, 1), 0);
  assert_true(ledger.owed_ns == PAUSE_TOTAL_MAX && ledger.carried_ns == PAUSE_TOTAL_MAX - 5);
}

/* What is owed for batches of requests is had, however inexact each pause is. */
static void inexact_pauses_even_out(void **state) {
  (void)state;
  struct pause_ledger ledger;
  uint64_t owed = 0, had = 0;
  pause_init(&ledger);
  for (int i = 0; i < 10000; i++) {
    uint64_t requests = core_random() % 50;
    assert_int_equal(pause_owe(&ledger, requests, 12345), 1);
    owed += requests * 12345;
    uint64_t pause = pause_due(&ledger, 100000, 1000000);
    if (pause == 0)
      continue;
    pause += core_random() % 50000; /* always too long */
    assert_int_equal(pause_realise(&ledger, pause), 1);
    had += pause;
  }
  assert_true(ledger.owed_ns == owed && ledger.realised_ns == had);
  assert_true(had <= owed + 50000 && owed <= had + 1000000);
}

static void deadline_and_length(void **state) {
  (void)state;
  for (int i = 0; i < 200000; i++) {
    uint64_t a = core_random_word(), b = core_random_word(), c = core_random_word();
    wide end = a + (wide)(b > c ? b - c : 0);
    assert_true(pause_deadline(a, b, c) == smaller(end, UINT64_MAX));
    wide length = (wide)(b > a ? b - a : 0) + c;
    assert_true(pause_length(a, b, c) == smaller(length, PAUSE_TOTAL_MAX));
  }
}

/* What the header says in words. */
static void step_is(enum pause_state from, enum pause_event event, enum pause_state next,
                    enum pause_send what) {
  enum pause_send send = (enum pause_send)99;
  assert_int_equal(pause_step(from, event, &send), next);
  assert_int_equal(send, what);
}

static void all_steps(void **state) {
  (void)state;
  for (int e = -1; e <= PAUSE_LEFT + 1; e++) { /* the first and the last are unknown */
    enum pause_event event = (enum pause_event)e;
    step_is(PAUSE_GONE, event, PAUSE_GONE, PAUSE_SEND_NOTHING);
    if (event != PAUSE_ASKED && event != PAUSE_LEFT)
      step_is(PAUSE_RUNNING, event, PAUSE_RUNNING, PAUSE_SEND_NOTHING);
    if (event != PAUSE_CONTINUED && event != PAUSE_LEFT)
      step_is(PAUSE_CONTINUING, event, PAUSE_CONTINUING, PAUSE_SEND_CONTINUE);
    for (int s = PAUSE_STOPPING; s <= PAUSE_GONE + 2; s++) {
      if (s == PAUSE_CONTINUING || s == PAUSE_GONE)
        continue;
      if (event != PAUSE_HAS_STOPPED && event != PAUSE_LEFT)
        step_is((enum pause_state)s, event, PAUSE_CONTINUING, PAUSE_SEND_CONTINUE);
      step_is((enum pause_state)s, PAUSE_HAS_STOPPED, PAUSE_STOPPED, PAUSE_SEND_NOTHING);
      step_is((enum pause_state)s, PAUSE_LEFT, PAUSE_GONE, PAUSE_SEND_CONTINUE);
    }
  }
  step_is(PAUSE_RUNNING, PAUSE_ASKED, PAUSE_STOPPING, PAUSE_SEND_STOP);
  step_is(PAUSE_RUNNING, PAUSE_LEFT, PAUSE_GONE, PAUSE_SEND_NOTHING);
  step_is(PAUSE_CONTINUING, PAUSE_CONTINUED, PAUSE_RUNNING, PAUSE_SEND_NOTHING);
  step_is(PAUSE_CONTINUING, PAUSE_LEFT, PAUSE_GONE, PAUSE_SEND_NOTHING);
}

/* A service that stops and continues as it is told never stands still outside of the two states
 * for it, and cancelling at any time makes it go on. */
static void any_sequence(void **state) {
  (void)state;
  for (int run = 0; run < 20000; run++) {
    enum pause_state at = PAUSE_RUNNING;
    int stands = 0;
    uint64_t steps = core_random() % 30;
    for (uint64_t i = 0; i <= steps; i++) {
      enum pause_send send;
      int last = i == steps;
      at = pause_step(at, last ? PAUSE_CANCELLED : (enum pause_event)(core_random() % 9), &send);
      stands = send == PAUSE_SEND_STOP || (stands && send != PAUSE_SEND_CONTINUE);
      assert_int_equal(stands, at == PAUSE_STOPPING || at == PAUSE_STOPPED);
    }
    assert_int_equal(stands, 0);
  }
}

static void groups(void **state) {
  (void)state;
  const int64_t refused[] = {0, 1, -1, -7, INT64_MIN, INT64_MAX, 4294967295, 4294967303, 50};
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
    assert_int_equal(pause_group_valid(refused[i], 50), 0);
  assert_int_equal(pause_group_valid(2, 50), 1);
  assert_int_equal(pause_group_valid(INT32_MAX, 50), 1);
  assert_int_equal(pause_group_valid(51, 50), 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ledger_keeps_its_balance),
      cmocka_unit_test(nothing_changes_nothing),
      cmocka_unit_test(inexact_pauses_even_out),
      cmocka_unit_test(deadline_and_length),
      cmocka_unit_test(all_steps),
      cmocka_unit_test(any_sequence),
      cmocka_unit_test(groups),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
