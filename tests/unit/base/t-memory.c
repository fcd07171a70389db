/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Memory never fails quietly: a bug and an impossible size end the program with the internal-error
 * status and one line. The statuses of several files combine to the worse one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/rational.h"
#include "base/status.h"
#include "tests/unit/base/breaks.h"

static void overflow(void *context) {
  (void)context;
  mem_alloc(SIZE_MAX / 2, 3);
}

static void overflow_resize(void *context) {
  (void)context;
  mem_resize(NULL, SIZE_MAX, 2);
}

static void zero_division(void *context) {
  (void)context;
  struct rational x;
  rational_init(&x);
  rational_div(&x, &x, &x);
}

static void report(void *context) {
  (void)context;
  bug("%s number %d", "case", 7);
}

static void test_fatal(void **state) {
  (void)state;
  static const struct {
    void (*run)(void *);
    const char *words;
  } cases[] = {{overflow, "internal error: allocation of"},
               {overflow_resize, "internal error: allocation of"},
               {zero_division, "division of a rational by zero"},
               {report, "tailproof: internal error: case number 7"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char said[1024];
    assert_int_equal(breaks_status(cases[i].run, NULL, said, sizeof said), STATUS_INTERNAL);
    assert_non_null(strstr(said, cases[i].words));
    assert_ptr_equal(strchr(said, '\n'), said + strlen(said) - 1);
  }
}

static void break_cheap(void *context) {
  invariant(context != NULL);
}

static void break_costly(void *context) {
  invariant_costly(context != NULL);
}

static void test_invariant(void **state) {
  char said[1024];
  breaks(break_cheap, NULL, "tests/unit/base/t-memory.c:");
  breaks(break_costly, NULL, "context != NULL");
  invariant_costly_on = false;
  assert_int_equal(breaks_status(break_costly, NULL, said, sizeof said), 0);
  assert_int_equal(breaks_status(break_cheap, NULL, said, sizeof said), STATUS_INTERNAL);
  break_cheap(state);
  break_costly(state);
}

static void test_alloc(void **state) {
  (void)state;
  unsigned char *block = mem_alloc(100, 3);
  for (size_t i = 0; i < 300; i++)
    assert_int_equal(block[i], 0);
  memset(block, 9, 300);
  block = mem_resize(block, 1000, 1);
  assert_int_equal(block[299], 9);
  mem_free(block);
  block = mem_alloc(0, 8);
  assert_non_null(block);
  block = mem_resize(block, 0, 0);
  assert_non_null(block);
  mem_free(block);
  mem_free(NULL);
  char *text = mem_copy_text("abc", 2);
  assert_string_equal(text, "ab");
  mem_free(text);
}

static void worst(enum status a, enum status b, enum status expected) {
  assert_int_equal(status_worst(a, b), expected);
  assert_int_equal(status_worst(b, a), expected);
}

static void test_worst_status(void **state) {
  (void)state;
  worst(STATUS_OK, STATUS_OK, STATUS_OK);
  worst(STATUS_OK, STATUS_UNKNOWN, STATUS_UNKNOWN);
  worst(STATUS_OK, STATUS_REFUTED, STATUS_REFUTED);
  worst(STATUS_REFUTED, STATUS_UNKNOWN, STATUS_REFUTED);
  worst(STATUS_REFUTED, STATUS_DATA, STATUS_DATA);
  worst(STATUS_UNKNOWN, STATUS_NO_INPUT, STATUS_NO_INPUT);
  worst(STATUS_DATA, STATUS_NO_INPUT, STATUS_NO_INPUT);
  worst(STATUS_INTERNAL, STATUS_INTERRUPTED, STATUS_INTERRUPTED);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_fatal),
      cmocka_unit_test(test_invariant),
      cmocka_unit_test(test_alloc),
      cmocka_unit_test(test_worst_status),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
