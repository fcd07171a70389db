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

static void test_who_must_read_a_line(void **state) {
  (void)state;
  struct ledger ledger, copy;
  ledger_init(&ledger);
  ledger_init(&copy);
  ledger_add(&ledger, LEDGER_DIST, "rounded up");
  ledger_note(&ledger, LEDGER_DATA, "the unit is guessed");
  ledger_warn(&ledger, LEDGER_DATA, "a.csv %s", "drifts");
  ledger_add(&ledger, LEDGER_DATA, "the unit is guessed"); /* said before */
  assert_int_equal(ledger.count, 3);
  assert_string_equal(ledger.lines[2].text, "warning: a.csv drifts");
  for (size_t i = 0; i < ledger.count; i++)
    ledger_copy(&copy, &ledger.lines[i]);
  for (size_t i = 0; i < 3; i++) {
    static const char *const names[] = {"standard", "notable", "warning"};
    assert_string_equal(ledger_level_name(copy.lines[i].level), names[i]);
    assert_string_equal(copy.lines[i].text, ledger.lines[i].text);
    assert_int_equal(ledger_count(&copy, (enum ledger_level)i), 1);
  }
  ledger_clear(&copy);
  ledger_clear(&ledger);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_lines_are_kept_once_and_in_order),
      cmocka_unit_test(test_who_must_read_a_line),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
