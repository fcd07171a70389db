/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a measurement says of a prediction, by their intervals.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/question/latency/latency.h"

static const struct latency_range predicted = {9800, 10000, 10200};

static enum confirm_verdict measured(uint64_t lower, uint64_t upper, double *least, double *most) {
  const struct latency_range range = {lower, (lower + upper) / 2, upper};
  return confirm_compare(least, most, &predicted, &range);
}

static void test_verdicts(void **state) {
  (void)state;
  double least, most;
  assert_int_equal(measured(9900, 10100, &least, &most), CONFIRM_AGREES);
  assert_true(fabs(least - (9900.0 / 10200 - 1)) < 1e-12);
  assert_true(fabs(most - (10100.0 / 9800 - 1)) < 1e-12);
  /* apart, but by less than the margin */
  assert_int_equal(measured(10300, 10400, &least, &most), CONFIRM_AGREES);
  assert_int_equal(measured(9600, 9700, &least, &most), CONFIRM_AGREES);
  /* they meet, and allow too much */
  assert_int_equal(measured(10200, 10900, &least, &most), CONFIRM_CANNOT_TELL);
  assert_int_equal(measured(9000, 10000, &least, &most), CONFIRM_CANNOT_TELL);
  /* apart, by what may be too much */
  assert_int_equal(measured(10201, 10900, &least, &most), CONFIRM_DISAGREES);
  assert_int_equal(measured(5000, 5100, &least, &most), CONFIRM_DISAGREES);
}

static void test_infinite(void **state) {
  (void)state;
  double least, most;
  assert_int_equal(measured(9900, LATENCY_INFINITE, &least, &most), CONFIRM_CANNOT_TELL);
  assert_true(isinf(most));
  assert_int_equal(measured(20000, LATENCY_INFINITE, &least, &most), CONFIRM_DISAGREES);
  const struct latency_range none = {0, 0, 0}, open = {100, 200, LATENCY_INFINITE};
  assert_int_equal(confirm_compare(&least, &most, &none, &none), CONFIRM_CANNOT_TELL);
  assert_int_equal(confirm_compare(&least, &most, &open, &predicted), CONFIRM_CANNOT_TELL);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_verdicts),
                                     cmocka_unit_test(test_infinite)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
