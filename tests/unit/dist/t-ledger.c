/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/ledger.h"

static void test_lines_are_kept_once_and_in_order(void **state) {
  (void)state;
  struct ledger ledger;
  ledger_init(&ledger);
  for (int round = 0; round < 2; round++)
    for (int i = 0; i < 20; i++)
      ledger_add(&ledger, LEDGER_DATA, "file %d", i);
  ledger_add(&ledger, LEDGER_MODEL, "file %d", 3);
  assert_int_equal(ledger.count, 21);
  assert_string_equal(ledger.lines[7].text, "file 7");
  assert_string_equal(ledger_source_name(ledger.lines[7].source), "data");
  assert_string_equal(ledger_source_name(ledger.lines[20].source), "model");
  ledger_clear(&ledger);
  assert_int_equal(ledger.count, 0);
  ledger_clear(&ledger);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_lines_are_kept_once_and_in_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
