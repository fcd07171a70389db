/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/moment.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void test_what_is_a_moment(void **state) {
  (void)state;
  static const struct {
    const char *text;
    int64_t ns;
  } moments[] = {
      {"1970-01-01T00:00:00Z", 0},
      {"2023-11-14T22:13:20Z", 1700000000000000000},
      {"2023-11-14T22:13:20.25Z", 1700000000250000000},
      {"2023-11-14T23:13:20+01:00", 1700000000000000000},
      {"2023-11-14T21:43:20.000000001-00:30", 1700000000000000001},
      {"1700000000", 1700000000000000000},
      {"1700000000.5", 1700000000500000000},
  };
  for (size_t i = 0; i < sizeof moments / sizeof *moments; i++) {
    int64_t ns = -1;
    assert_true(moment_read(&ns, moments[i].text));
    assert_int_equal(ns, moments[i].ns);
  }
}

static void test_is_printed_as_it_is_read(void **state) {
  (void)state;
  static const struct {
    int64_t ns;
    const char *text;
  } moments[] = {
      {0, "1970-01-01T00:00:00Z"},
      {1700000000000000000, "2023-11-14T22:13:20Z"},
      {1700000000500000000, "2023-11-14T22:13:20.500Z"},
      {1700000000000000001, "2023-11-14T22:13:20.000000001Z"},
      {1700000000000042000, "2023-11-14T22:13:20.000042Z"},
      {INT64_MAX / 2, "2116-02-20T23:53:38.427387903Z"},
  };
  for (size_t i = 0; i < sizeof moments / sizeof *moments; i++) {
    struct text text;
    int64_t ns = -1;
    text_init(&text);
    moment_print(&text, moments[i].ns);
    assert_string_equal(text.data, moments[i].text);
    assert_true(moment_read(&ns, text.data));
    assert_int_equal(ns, moments[i].ns);
    text_clear(&text);
  }
  assert_true(moment_is_calendar(1700000000000000000));
  assert_false(moment_is_calendar(86400LL * 365 * 1000000000)); /* a machine that runs for a year */
  assert_false(moment_is_calendar(-1));
}

static void test_what_is_none(void **state) {
  (void)state;
  static const char *const others[] = {"",
                                       "now",
                                       "-15m",
                                       "2023-11-14",
                                       "2023-11-14T22:13Z",
                                       "2023-11-14T22:13:20",
                                       "2023-11-14T22:13:20.Z",
                                       "2023-11-14T22:13:20ZZ",
                                       "2023-11-31T22:13:20Z",
                                       "2023-11-14T25:13:20Z",
                                       "2023-11-14T22:13:20+1:00",
                                       "2023-11-14T22:13:20+99:00",
                                       "1969-12-31T23:59:59Z",
                                       "9999-12-31T23:59:59Z",
                                       "17000000000000000000",
                                       NULL};
  int64_t ns;
  for (size_t i = 0; others[i] != NULL; i++)
    assert_false(moment_read(&ns, others[i]));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_what_is_a_moment),
      cmocka_unit_test(test_is_printed_as_it_is_read),
      cmocka_unit_test(test_what_is_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
