/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Pairing against a list of all questions ever asked, with sequences that go round; offsets against
 * integers of 128 bits.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "measure/core/roundtrip.h"
#include "tests/unit/measure/core_random.h"

enum { QUESTIONS = 3000 };

static struct roundtrip_window window;
static uint64_t asked_at[QUESTIONS];
static uint8_t open_question[QUESTIONS]; /* 1 while an answer would be paired */

/* Answers `question`, whose sequence is first + question, at `now`. */
static void answer(uint32_t first, uint32_t question, uint64_t now) {
  uint64_t sent = 77, took = 77;
  enum roundtrip_result found = roundtrip_answer(&window, first + question, now, &sent, &took);
  if (!open_question[question]) {
    assert_int_equal(found, ROUNDTRIP_UNKNOWN);
  } else if (now < asked_at[question]) {
    assert_int_equal(found, ROUNDTRIP_CLOCK_BACK);
  } else {
    assert_int_equal(found, ROUNDTRIP_PAIRED);
    assert_true(sent == asked_at[question] && took == now - sent);
    open_question[question] = 0;
    return;
  }
  assert_true(sent == 77 && took == 77);
  open_question[question] = 0;
}

static void expire(uint32_t asked, uint64_t now, uint64_t timeout) {
  uint32_t want = 0;
  for (uint32_t q = 0; q < asked; q++)
    if (open_question[q] && (signed_wide)now - asked_at[q] > timeout) {
      open_question[q] = 0;
      want++;
    }
  assert_int_equal(roundtrip_expire(&window, now, timeout), want);
}

static void pairing_from(uint32_t first) {
  roundtrip_init(&window);
  assert_int_equal(window.next, 0);
  window.next = first;
  memset(open_question, 0, sizeof open_question);
  uint64_t now = 1000;
  uint8_t lost;
  for (uint32_t asked = 0; asked < QUESTIONS;) {
    now = core_random() % 50 == 0 ? now - core_random() % 500 : now + core_random() % 1000;
    if (core_random() % 2 == 0) {
      assert_int_equal(roundtrip_ask(&window, now, &lost), first + asked);
      assert_int_equal(lost, asked >= ROUNDTRIP_WINDOW && open_question[asked - ROUNDTRIP_WINDOW]);
      if (asked >= ROUNDTRIP_WINDOW)
        open_question[asked - ROUNDTRIP_WINDOW] = 0;
      asked_at[asked] = now;
      open_question[asked++] = 1;
    } else if (asked > 0 && core_random() % 16 != 0) {
      uint32_t most = asked < 90 ? asked : 90;
      answer(first, asked - 1 - (uint32_t)(core_random() % most), now);
    } else {
      expire(asked, now, core_random() % 40000);
    }
  }
  for (uint32_t question = 0; question < QUESTIONS; question++) {
    answer(first, question, now);
    answer(first, question, now);
  }
  uint64_t sent, took;
  for (uint32_t beyond = QUESTIONS; beyond < QUESTIONS + 2 * ROUNDTRIP_WINDOW; beyond++)
    assert_int_equal(roundtrip_answer(&window, first + beyond, now, &sent, &took),
                     ROUNDTRIP_UNKNOWN);
}

static void pairing(void **state) {
  (void)state;
  memset(&window, 0xa5, sizeof window); /* init must not rely on what was there */
  pairing_from(0);
  pairing_from(UINT32_MAX - 1500);
  pairing_from(UINT32_MAX);
  for (int i = 0; i < 20; i++)
    pairing_from((uint32_t)core_random());
}

static void pairs(void **state) {
  (void)state;
  int fitted = 0;
  for (int i = 0; i < 200000; i++) {
    uint64_t t1 = core_random_word(), t2 = core_random_word();
    uint64_t t4 = core_random() % 2 ? core_random_word() : t1 + core_random() % 1000;
    struct offset_interval interval = {7, 8};
    signed_wide low = (signed_wide)t2 - t4, high = (signed_wide)t2 - t1;
    int want = t1 <= t4 && low >= INT64_MIN && high <= INT64_MAX;
    assert_int_equal(offset_from_pair(&interval, t1, t2, t4), want);
    assert_true(interval.low == (want ? low : 7) && interval.high == (want ? high : 8));
    fitted += want;
  }
  assert_true(fitted > 1000 && fitted < 199000);
}

static struct offset_interval interval_random(void) {
  int64_t a = (int64_t)core_random_word(), b = (int64_t)core_random_word();
  if (core_random() % 2)
    b = a <= INT64_MAX - 50 ? a + (int64_t)(core_random() % 50) : a;
  return (struct offset_interval){a < b ? a : b, a < b ? b : a};
}

static signed_wide larger(signed_wide a, signed_wide b) {
  return a > b ? a : b;
}
static signed_wide smaller(signed_wide a, signed_wide b) {
  return a < b ? a : b;
}

static void combining(void **state) {
  (void)state;
  int met = 0;
  for (int i = 0; i < 200000; i++) {
    struct offset_interval old = interval_random(), next = interval_random(), both = old;
    uint64_t drift = core_random_word();
    signed_wide low = larger(larger((signed_wide)old.low - drift, INT64_MIN), next.low);
    signed_wide high = smaller(smaller((signed_wide)old.high + drift, INT64_MAX), next.high);
    int want = low <= high;
    assert_int_equal(offset_combine(&both, drift, &next), want);
    assert_true(both.low == (want ? low : next.low) && both.high == (want ? high : next.high));
    met += want;
  }
  assert_true(met > 1000 && met < 199000);
}

static void one_way(void **state) {
  (void)state;
  for (int i = 0; i < 200000; i++) {
    struct offset_interval interval = interval_random();
    uint64_t a = core_random_word(), b = core_random_word();
    assert_true(oneway_there_up(a, b, &interval) ==
                (uint64_t)larger(0, smaller(UINT64_MAX, (signed_wide)b - a - interval.low)));
    assert_true(oneway_back_up(a, b, &interval) ==
                (uint64_t)larger(0, smaller(UINT64_MAX, (signed_wide)b - a + interval.high)));
  }
}

/* Two clocks with a constant offset: no step excludes it, and no bound is below the delay. */
static void the_true_offset_stays(void **state) {
  (void)state;
  for (int i = 0; i < 200; i++) {
    uint64_t now = (uint64_t)1 << 62, theta = core_random() >> (2 + core_random() % 60);
    struct offset_interval all = {INT64_MIN, INT64_MAX}, one;
    for (int step = 0; step < 100; step++, now += core_random() % 1000000) {
      uint64_t there = core_random() % 100000, back = core_random() % 100000;
      assert_int_equal(offset_from_pair(&one, now, now + there + theta, now + there + back), 1);
      assert_int_equal(offset_combine(&all, 0, &one), 1);
      assert_true(all.low <= (int64_t)theta && (int64_t)theta <= all.high);
      assert_true(oneway_there_up(now, now + there + theta, &all) >= there);
      assert_true(oneway_back_up(now + there + theta, now + there + back, &all) >= back);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pairing),
      cmocka_unit_test(pairs),
      cmocka_unit_test(combining),
      cmocka_unit_test(one_way),
      cmocka_unit_test(the_true_offset_stays),
  };
  return cmocka_run_group_tests_name("roundtrip", tests, NULL, NULL);
}
