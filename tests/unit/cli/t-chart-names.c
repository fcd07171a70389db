/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "cli/present/figure/chart_names.h"

static void expect(const struct chart_names *names, const char *name, size_t room,
                   const char *expected) {
  struct text text;
  text_init(&text);
  chart_names_shorten(&text, names, name, room);
  assert_string_equal(text_get(&text), expected);
  text_clear(&text);
}

static void test_service_and_end_stay(void **state) {
  (void)state;
  expect(NULL, "cart/get", 8, "cart/get");
  expect(NULL, "cart/shop.Cart/GetItems", 14, "cart/\u2026GetItems");
  expect(NULL, "a-service-with-a-long-name/get", 12, "a-serv\u2026e/get");
  expect(NULL, "caf\u00e9/\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9get", 12,
         "caf\u00e9/\u2026\u00e9\u00e9\u00e9get");
}

static void test_what_tells_names_apart_stays(void **state) {
  (void)state;
  struct chart_names names;
  chart_names_init(&names, 1000);
  chart_names_add(&names, 0, "s/GET /users/all/items/list");
  chart_names_add(&names, 0, "s/PUT /users/all/items/list");
  expect(NULL, "s/GET /users/all/items/list", 14, "s/\u2026/items/list");
  expect(&names, "s/GET /users/all/items/list", 14, "s/G\u2026items/list");
  chart_names_clear(&names);
}

/* Of names that differ at one of few places somewhere the short forms differ. */
static void test_any_names(void **state) {
  (void)state;
  struct random random = {20260102};
  for (size_t round = 0; round < 500; round++) {
    struct chart_names names;
    char texts[6][41], *shown[6];
    size_t length = 20 + random_below(&random, 20), room = length / 2 + 2;
    chart_names_init(&names, 1000);
    for (size_t i = 0; i < 6; i++) {
      memset(texts[i], 'x', length);
      texts[i][length] = '\0';
      texts[i][random_below(&random, 8)] = '/';
      texts[i][i == 0 ? 0 : random_below(&random, length)] = (char)('a' + i);
      chart_names_add(&names, 0, texts[i]);
    }
    for (size_t i = 0; i < 6; i++) {
      struct text text;
      text_init(&text);
      chart_names_shorten(&text, &names, texts[i], room);
      shown[i] = text_take(&text);
      assert_true(strlen(shown[i]) <= room + 2); /* the dots are one character of three bytes */
      for (size_t k = 0; k < i; k++)
        assert_true(strcmp(texts[i], texts[k]) == 0 || strcmp(shown[i], shown[k]) != 0);
    }
    for (size_t i = 0; i < 6; i++)
      mem_free(shown[i]);
    chart_names_clear(&names);
  }
}

static void test_a_name_becomes_two_lines_behind_a_mark(void **state) {
  (void)state;
  assert_int_equal(chart_name_break("recommendation/shop.List", 16), 15);
  assert_int_equal(chart_name_break("recommendation/shop.List", 12), 0); /* the rest is longer */
  assert_int_equal(chart_name_break("a/recommendationservice", 16), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_service_and_end_stay),
      cmocka_unit_test(test_what_tells_names_apart_stays),
      cmocka_unit_test(test_any_names),
      cmocka_unit_test(test_a_name_becomes_two_lines_behind_a_mark),
  };
  return cmocka_run_group_tests_name("chart names", tests, NULL, NULL);
}
