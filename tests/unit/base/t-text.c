/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/text.h"

static void test_empty(void **state) {
  (void)state;
  struct text text;
  text_init(&text);
  assert_string_equal(text_get(&text), "");
  char *taken = text_take(&text);
  assert_string_equal(taken, "");
  mem_free(taken);
  text_append(&text, "");
  assert_non_null(text.data);
  assert_int_equal(text.length, 0);
  text_clear(&text);
  assert_null(text.data);
  text_clear(&text);
}

/* Every capacity is crossed at each of its offsets, by all three ways of appending. */
static void test_growth(void **state) {
  (void)state;
  for (size_t piece = 1; piece < 140; piece++) {
    char *bytes = mem_alloc(piece + 1, 1);
    memset(bytes, 'a' + (int)(piece % 26), piece);
    struct text text;
    text_init(&text);
    for (int i = 0; i < 6; i++) {
      if (i % 3 == 0)
        text_append(&text, bytes);
      else if (i % 3 == 1)
        text_append_bytes(&text, bytes, piece);
      else
        text_format(&text, "%s", bytes);
      assert_int_equal(text.length, piece * (size_t)(i + 1));
      assert_int_equal(strlen(text.data), text.length);
      assert_true(text.capacity > text.length);
    }
    assert_int_equal(strspn(text.data, bytes), text.length);
    text_clear(&text);
    mem_free(bytes);
  }
}

static void test_bytes_keep_their_zeros(void **state) {
  (void)state;
  struct text text;
  text_init(&text);
  text_append_bytes(&text, "a\0b", 3);
  text_append_bytes(&text, NULL, 0);
  text_append(&text, "c");
  assert_int_equal(text.length, 4);
  assert_memory_equal(text.data, "a\0bc", 5);
  text_clear(&text);
}

static void test_format_and_take(void **state) {
  (void)state;
  struct text text;
  text_init(&text);
  text_append(&text, "n");
  text_format(&text, "=%d, %s%c", -3, "x", '!');
  char *taken = text_take(&text);
  assert_string_equal(taken, "n=-3, x!");
  assert_null(text.data);
  assert_int_equal(text.length, 0);
  mem_free(taken);
}

static void distance(const char *a, const char *b, size_t expected) {
  if (text_distance(a, b) != expected)
    print_error("\"%s\" and \"%s\"\n", a, b);
  assert_int_equal(text_distance(a, b), expected);
  assert_int_equal(text_distance(b, a), expected);
}

static void test_distance(void **state) {
  (void)state;
  distance("", "", 0);
  distance("", "abc", 3);
  distance("verify", "verify", 0);
  distance("verify", "verfiy", 1);
  distance("verify", "verif", 1);
  distance("verify", "vverify", 1);
  distance("verify", "vexify", 1);
  distance("kitten", "sitting", 3);
  distance("ab", "ba", 1);
  distance("abcd", "badc", 2);
  distance("ca", "abc", 3); /* restricted: no edit between swapped letters */
  distance("abcdef", "ghijkl", 6);
}

/* The definition itself, exponential: for words of up to four letters. */
static size_t slow(const char *a, size_t m, const char *b, size_t n) {
  if (m == 0 || n == 0)
    return m + n;
  size_t best = slow(a, m - 1, b, n) + 1, other = slow(a, m, b, n - 1) + 1;
  best = other < best ? other : best;
  other = slow(a, m - 1, b, n - 1) + (a[m - 1] != b[n - 1]);
  best = other < best ? other : best;
  if (m > 1 && n > 1 && a[m - 1] == b[n - 2] && a[m - 2] == b[n - 1]) {
    other = slow(a, m - 2, b, n - 2) + 1;
    best = other < best ? other : best;
  }
  return best;
}

static void word(char *letters, unsigned code) {
  size_t length = 0;
  for (; code != 0; code /= 4)
    if (code % 4 != 0)
      letters[length++] = (char)('a' + code % 4);
  letters[length] = '\0';
}

static void test_distance_against_its_definition(void **state) {
  (void)state;
  for (unsigned i = 0; i < 256; i++)
    for (unsigned j = 0; j < 256; j++) {
      char a[8], b[8];
      word(a, i);
      word(b, j);
      size_t expected = slow(a, strlen(a), b, strlen(b));
      if (text_distance(a, b) != expected)
        print_error("\"%s\" and \"%s\"\n", a, b);
      assert_int_equal(text_distance(a, b), expected);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_empty),
      cmocka_unit_test(test_growth),
      cmocka_unit_test(test_bytes_keep_their_zeros),
      cmocka_unit_test(test_format_and_take),
      cmocka_unit_test(test_distance),
      cmocka_unit_test(test_distance_against_its_definition),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
