/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Clock arithmetic against integers of 128 bits.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "measure/core/ticks.h"
#include "tests/unit/measure/core_random.h"

static void check(uint64_t ticks, uint64_t rate) {
  wide product = (wide)ticks * rate, one = (wide)1 << 32;
  assert_true(ticks_to_ns_down(ticks, rate) == product / one);
  assert_true(ticks_to_ns_up(ticks, rate) == (product + one - 1) / one);
}

static void ends(void **state) {
  (void)state;
  const uint64_t ticks[] = {0, 1, 4294967295, 4294967296, 4294967297, UINT64_MAX - 1, UINT64_MAX};
  const uint64_t rates[] = {0, 1, 2147483648, TICKS_RATE_ONE - 1, TICKS_RATE_ONE};
  for (size_t i = 0; i < sizeof ticks / sizeof ticks[0]; i++)
    for (size_t j = 0; j < sizeof rates / sizeof rates[0]; j++)
      check(ticks[i], rates[j]);
  assert_true(ticks_to_ns_up(UINT64_MAX, TICKS_RATE_ONE) == UINT64_MAX);
  assert_int_equal(ticks_to_ns_up(1, 1), 1);
  assert_int_equal(ticks_to_ns_down(1, 1), 0);
}

static void random_ticks(void **state) {
  (void)state;
  for (int i = 0; i < 300000; i++)
    check(core_random_word(), core_random_word() % (TICKS_RATE_ONE + 1));
}

static void between(void **state) {
  (void)state;
  uint64_t reversed = 0;
  assert_int_equal(ticks_between(5, 5, &reversed), 0);
  assert_true(ticks_between(0, UINT64_MAX, &reversed) == UINT64_MAX);
  assert_int_equal(reversed, 0);
  assert_int_equal(ticks_between(6, 5, &reversed), 0);
  assert_int_equal(reversed, 1);
  reversed = UINT64_MAX;
  assert_int_equal(ticks_between(UINT64_MAX, 0, &reversed), 0);
  assert_true(reversed == UINT64_MAX);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ends),
      cmocka_unit_test(random_ticks),
      cmocka_unit_test(between),
  };
  return cmocka_run_group_tests_name("ticks", tests, NULL, NULL);
}
