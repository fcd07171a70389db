/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The one grammar of numbers and shares: what is read, exactly, and what is refused and changes
 * nothing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/number.h"
#include "base/rational.h"
#include "base/text.h"

/* Spellings of other languages and programs, and slips. */
static const char *const never[] = {"",    " ",    " 5",       "5 ",    "+5",  "-5",       "0x10",
                                    "0b1", "0o7",  "inf",      "nan",   "1e",  "e5",       "1e+",
                                    ".5",  "5.",   ".",        "1.2.3", "1,5", "1_000",    "1'000",
                                    "5k",  "2/3",  "5u",       "1e5.0", "\t5", "1e999999", "५",
                                    "5\n", "1.e3", "infinity", "5f",    "--5", "1e--5",    "1p3"};

static void test_whole(void **state) {
  (void)state;
  uint64_t value = 77;
  for (size_t i = 0; i < sizeof never / sizeof *never; i++)
    assert_false(number_whole(&value, never[i], UINT64_MAX));
  assert_false(number_whole(&value, "3e1", UINT64_MAX));
  assert_false(number_whole(&value, "3.0", UINT64_MAX));
  assert_false(number_whole(&value, "101", 100));
  assert_false(number_whole(&value, "18446744073709551616", UINT64_MAX));
  assert_false(number_whole(&value, "99999999999999999999", UINT64_MAX));
  assert_false(number_whole(&value, "1", 0));
  assert_int_equal(77, value);
  assert_true(number_whole(&value, "18446744073709551615", UINT64_MAX));
  assert_true(value == UINT64_MAX);
  assert_true(number_whole(&value, "100", 100) && value == 100);
  assert_true(number_whole(&value, "007", 7) && value == 7);
  assert_true(number_whole(&value, "0", 0) && value == 0);
}

static void test_real(void **state) {
  (void)state;
  double value = 77;
  for (size_t i = 0; i < sizeof never / sizeof *never; i++)
    if (number_real(&value, never[i]))
      fail_msg("\"%s\" is read", never[i]);
  assert_false(number_real(&value, "1e400"));
  assert_false(number_real(&value, "1e-400"));
  assert_true(value == 77);
  assert_true(number_real(&value, "3e1") && value == 30);
  assert_true(number_real(&value, "1.5E-3") && value == 1.5e-3);
  assert_true(number_real(&value, "0.0e-400") && value == 0);
  assert_true(number_real(&value, "0") && value == 0);
}

static void check_share(const char *text, const char *wanted) {
  struct rational share;
  rational_init(&share);
  struct text printed = {0};
  if (!number_share(&share, text))
    fail_msg("\"%s\" is refused", text);
  rational_print(&printed, &share);
  assert_string_equal(wanted, text_get(&printed));
  text_clear(&printed);
  rational_clear(&share);
}

static void test_share(void **state) {
  (void)state;
  check_share("5%", "1/20");
  check_share("0.05", "1/20");
  check_share("5e-2", "1/20");
  check_share("5 %", "1/20");
  check_share("99.9%", "999/1000");
  check_share("100%", "1");
  check_share("1", "1");
  check_share("1%", "1/100");
  check_share("0", "0");
  check_share("0%", "0");
  struct rational share;
  rational_init(&share);
  rational_set_integer(&share, 77);
  double real = 77;
  for (size_t i = 0; i < sizeof never / sizeof *never; i++)
    if (number_share(&share, never[i]) || number_share_real(&real, never[i]))
      fail_msg("\"%s\" is read", never[i]);
  static const char *const shares[] = {"5",   "1.01", "100.1%", "101%", "5%%",
                                       "5% ", "% 5",  "%",      "-1%",  "5 % x"};
  for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
    if (number_share(&share, shares[i]))
      fail_msg("\"%s\" is read", shares[i]);
  struct text printed = {0};
  rational_print(&printed, &share);
  assert_string_equal("77", text_get(&printed));
  assert_true(real == 77);
  text_clear(&printed);
  rational_clear(&share);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_whole), cmocka_unit_test(test_real),
                                     cmocka_unit_test(test_share)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
