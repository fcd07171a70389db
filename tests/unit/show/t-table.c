/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "show/table.h"

static void expect(const struct table *table, size_t indent, size_t width, const char *expected) {
  struct text text;
  text_init(&text);
  table_format(&text, table, indent, width);
  assert_string_equal(text_get(&text), expected);
  text_clear(&text);
}

static void two_columns(struct table *table, const char *const *titles) {
  table_init(table);
  table_column(table, TABLE_LEFT, titles[0]);
  table_column(table, TABLE_RIGHT, titles[1]);
}

static void test_columns_are_as_wide_as_what_is_in_them(void **state) {
  (void)state;
  struct table table;
  two_columns(&table, (const char *const[]){"name", "one\ntwo"});
  expect(&table, 2, 80, "");
  table_cell(&table, "%s", "d(Ack(0))");
  table_cell(&table, "%d us", 7);
  table_cell(&table, "%s", "\xc2\xb5"); /* one character, two bytes */
  table_cell(&table, "%d us", 12345);
  expect(&table, 2, 80,
         "                  one\n"
         "  name            two\n"
         "  d(Ack(0))      7 us\n"
         "  \xc2\xb5          12345 us\n");
  table_clear(&table);
}

static void test_a_column_without_anything_takes_no_place(void **state) {
  (void)state;
  struct table table;
  table_init(&table);
  for (size_t c = 0; c < 3; c++)
    table_column(&table, c == 2 ? TABLE_RIGHT : TABLE_LEFT, "");
  table_cell(&table, "a");
  table_cell(&table, "%s", "");
  table_cell(&table, "b");
  expect(&table, 0, 80, "a  b\n");
  table_clear(&table);
}

static void test_names_are_wrapped_where_they_can_be(void **state) {
  (void)state;
  struct table table;
  two_columns(&table, (const char *const[]){"", "x"});
  table_cell(&table, "a name of several words");
  table_cell(&table, "%d", 1);
  table_cell(&table, "d.AppendEntries.of.someone");
  table_cell(&table, "%d", 2);
  table_cell(&table, "%s", "aaaaaaaaaaaaaaaaaaaaaaaaa");
  table_cell(&table, "%d", 3);
  expect(&table, 0, 19,
         "                  x\n"
         "a name of         1\n"
         "several words\n"
         "d.AppendEntries.  2\n"
         "of.someone\n"
         "aaaaaaaaaaaaaaaa  3\n"
         "aaaaaaaaa\n");
  table_clear(&table);
}

/* What somebody may search for is not cut while a break elsewhere does. */
static void test_names_are_broken_behind_marks_then_between_words(void **state) {
  (void)state;
  struct table table;
  two_columns(&table, (const char *const[]){"", "x"});
  table_cell(&table, "frontend/hipstershop.CurrencyService/GetSupportedCurrencies");
  table_cell(&table, "%d", 1);
  expect(&table, 0, 32,
         "                               x\n"
         "frontend/hipstershop.          1\n"
         "CurrencyService/\n"
         "GetSupportedCurrencies\n");
  expect(&table, 0, 21,
         "                    x\n"
         "frontend/           1\n"
         "hipstershop.\n"
         "CurrencyService/\n"
         "GetSupported\n"
         "Currencies\n");
  table_clear(&table);
}

static void test_a_column_gives_way_that_can(void **state) {
  (void)state;
  struct table table;
  table_init(&table);
  table_column(&table, TABLE_LEFT, "");
  table_column(&table, TABLE_LEFT, "");
  table_cell(&table, "of words that go anywhere");
  table_cell(&table, "internationalization");
  expect(&table, 0, 40,
         "of words that go    internationalization\n"
         "anywhere\n");
  table_clear(&table);
}

static void test_too_many_columns_become_paragraphs(void **state) {
  (void)state;
  struct table table;
  table_init(&table);
  table_column(&table, TABLE_LEFT, "");
  table_column(&table, TABLE_RIGHT, "at\nleast");
  table_column(&table, TABLE_RIGHT, "most");
  table_column(&table, TABLE_LEFT, "");
  table_cell(&table, "p50");
  table_cell(&table, "12345678 us");
  table_cell(&table, "87654321 us");
  table_cell(&table, "%s", "");
  expect(&table, 1, 25,
         " p50\n"
         "   at least  12345678 us\n"
         "   most      87654321 us\n");
  table_clear(&table);
}

/* --- whatever is in it --------------------------------------------------------------------------
 */

static void check_lines(const char *text, size_t indent, size_t width) {
  while (*text != '\0') {
    size_t length = strcspn(text, "\n"), count = 0;
    for (size_t i = 0; i < length; i++)
      count += ((unsigned char)text[i] & 0xc0) != 0x80;
    assert_true(count <= width);
    assert_true(length > indent && strspn(text, " ") >= indent);
    assert_true(text[length - 1] != ' ');
    assert_int_equal(text[length], '\n');
    text += length + 1;
  }
}

/* How often the byte is in the text. */
static size_t count(const char *text, char byte) {
  size_t found = 0;
  for (; *text != '\0'; text++)
    found += *text == byte;
  return found;
}

static void fill(struct table *table, struct random *random, size_t letters[26]) {
  static const char alphabet[] = "abcdefghijklmnopqrstuvwxyz.  ";
  size_t columns = 1 + random_below(random, 7), rows = 1 + random_below(random, 5);
  for (size_t c = 0; c < columns; c++)
    table_column(table, random_below(random, 2) == 0 ? TABLE_LEFT : TABLE_RIGHT,
                 random_below(random, 3) == 0 ? ""
                 : c == 0                     ? "FIRST"
                                              : "TITLE\nOF TWO");
  for (size_t i = 0; i < rows * columns; i++) {
    struct text cell;
    text_init(&cell);
    bool left = table->columns.data[i % columns].align == TABLE_LEFT;
    size_t length = random_below(random, random_below(random, 4) == 0 && left ? 120 : 14);
    for (size_t k = 0; k < length; k++) {
      bool inside = k != 0 && k + 1 != length; /* blanks are only there */
      char c = alphabet[random_below(random, inside ? sizeof alphabet - 1 : 26)];
      text_append_bytes(&cell, &c, 1);
      letters[c >= 'a' ? c - 'a' : 0] += c >= 'a';
    }
    table_take(table, &cell);
  }
}

static void test_every_letter_is_there_and_no_line_too_long(void **state) {
  (void)state;
  struct random random = {20260101};
  for (size_t round = 0; round < 2000; round++) {
    struct table table;
    struct text text;
    size_t letters[26] = {0}, width = 60 + random_below(&random, 140);
    size_t indent = random_below(&random, 9);
    table_init(&table);
    text_init(&text);
    fill(&table, &random, letters);
    table_format(&text, &table, indent, width);
    for (size_t i = 0; i < 26; i++)
      assert_int_equal(count(text_get(&text), (char)('a' + i)), letters[i]);
    check_lines(text_get(&text), indent, width);
    text_clear(&text);
    table_clear(&table);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_columns_are_as_wide_as_what_is_in_them),
      cmocka_unit_test(test_a_column_without_anything_takes_no_place),
      cmocka_unit_test(test_names_are_wrapped_where_they_can_be),
      cmocka_unit_test(test_names_are_broken_behind_marks_then_between_words),
      cmocka_unit_test(test_a_column_gives_way_that_can),
      cmocka_unit_test(test_too_many_columns_become_paragraphs),
      cmocka_unit_test(test_every_letter_is_there_and_no_line_too_long),
  };
  return cmocka_run_group_tests_name("table", tests, NULL, NULL);
}
