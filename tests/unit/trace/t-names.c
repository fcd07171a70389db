/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "trace/span/names.h"

static struct slice word(const char *text) {
  return (struct slice){text, strlen(text)};
}

static void test_numbers_follow_the_first_mention(void **state) {
  (void)state;
  struct span_names names;
  names_init(&names);
  assert_int_equal(names_number(&names, word("")), 0);
  assert_int_equal(names_number(&names, word("cart")), 1);
  assert_int_equal(names_number(&names, word("shop")), 2);
  assert_int_equal(names_number(&names, word("cart")), 1);
  assert_int_equal(names_find(&names, word("shop")), 2);
  assert_int_equal(names_find(&names, word("sho")), 0);
  assert_string_equal(names_text(&names, 1), "cart");
  assert_string_equal(names_text(&names, 0), "");
  names_clear(&names);
}

static void test_many_names_keep_their_numbers(void **state) {
  (void)state;
  enum { COUNT = 5000 };
  struct span_names names;
  char text[32];
  names_init(&names);
  for (int round = 0; round < 2; round++)
    for (uint32_t i = 0; i < COUNT; i++) {
      snprintf(text, sizeof text, "operation %u", i);
      assert_int_equal(names_number(&names, word(text)), i + 1);
    }
  assert_string_equal(names_text(&names, COUNT), "operation 4999");
  names_clear(&names);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_numbers_follow_the_first_mention),
      cmocka_unit_test(test_many_names_keep_their_numbers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
