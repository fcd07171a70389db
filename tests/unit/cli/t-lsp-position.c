/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "cli/lsp/position.h"

static void expect(const char *text, enum position_encoding encoding, size_t line, size_t character,
                   size_t offset) {
  struct text_lines lines;
  text_lines_init(&lines, text, strlen(text));
  struct text_position position = {line, character};
  assert_int_equal(position_offset(&lines, encoding, position), offset);
  text_lines_clear(&lines);
}

static void test_beyond(void **state) {
  (void)state;
  expect("", POSITION_UTF16, 0, 0, 0);
  expect("", POSITION_UTF16, 5, 5, 0);
  expect("ab\ncd", POSITION_UTF16, 0, 99, 2);
  expect("ab\r\ncd", POSITION_UTF16, 0, 99, 2);
  expect("ab\rcd", POSITION_UTF16, 0, 99, 2);
  expect("ab\n", POSITION_UTF16, 1, 7, 3);
  expect("ab\ncd", POSITION_UTF16, SIZE_MAX, 0, 5);
  expect("ab\ncd", POSITION_UTF16, 1, SIZE_MAX, 5);
  expect("\r\r\n\n", POSITION_UTF16, 1, 3, 1);
  expect("\r\r\n\n", POSITION_UTF16, 2, 0, 3);
}

/* Inside a character: its beginning. */
static void test_inside(void **state) {
  (void)state;
  static const char text[] = "a\xC3\xA9\xF0\x9F\x98\x80z";
  static const size_t utf8[] = {0, 1, 1, 3, 3, 3, 3, 7, 8}, utf16[] = {0, 1, 3, 3, 7, 8},
                      utf32[] = {0, 1, 3, 7, 8};
  for (size_t i = 0; i < sizeof utf8 / sizeof *utf8; i++)
    expect(text, POSITION_UTF8, 0, i, utf8[i]);
  for (size_t i = 0; i < sizeof utf16 / sizeof *utf16; i++)
    expect(text, POSITION_UTF16, 0, i, utf16[i]);
  for (size_t i = 0; i < sizeof utf32 / sizeof *utf32; i++)
    expect(text, POSITION_UTF32, 0, i, utf32[i]);
}

/* Random texts, their places counted character by character from the start; and back. */
static void test_by_counting(void **state) {
  (void)state;
  static const struct {
    const char *bytes;
    size_t units[3];
    bool ends;
  } characters[] = {{"a", {1, 1, 1}, false},
                    {"\xC3\xA9", {2, 1, 1}, false},
                    {"\xE2\x82\xAC", {3, 1, 1}, false},
                    {"\xF0\x9F\x98\x80", {4, 2, 1}, false},
                    {"\n", {0, 0, 0}, true},
                    {"\r\n", {0, 0, 0}, true},
                    {"\r", {0, 0, 0}, true}};
  srand(3);
  for (int round = 0; round < 600; round++) {
    enum position_encoding encoding = (enum position_encoding)(round % 3);
    char text[400];
    size_t offsets[100], count = (size_t)(rand() % 99), length = 0;
    struct text_position places[100] = {{0, 0}};
    for (size_t i = 0; i < count; i++) {
      size_t c = (size_t)(rand() % 7);
      c = c == 4 && i > 0 && text[length - 1] == '\r' ? 0 : c; /* would be one line end */
      offsets[i] = length;
      places[i + 1] = places[i];
      places[i + 1].character += characters[c].units[encoding];
      if (characters[c].ends)
        places[i + 1] = (struct text_position){places[i].line + 1, 0};
      memcpy(text + length, characters[c].bytes, strlen(characters[c].bytes));
      length += strlen(characters[c].bytes);
    }
    offsets[count] = length;
    struct text_lines lines;
    text_lines_init(&lines, text, length);
    for (size_t i = 0; i <= count; i++) {
      struct text_position place = position_of(&lines, encoding, offsets[i]);
      assert_int_equal(place.line, places[i].line);
      assert_int_equal(place.character, places[i].character);
      assert_int_equal(position_offset(&lines, encoding, place), offsets[i]);
    }
    assert_int_equal(position_of(&lines, encoding, length + 9).line, places[count].line);
    text_lines_clear(&lines);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_beyond),
      cmocka_unit_test(test_inside),
      cmocka_unit_test(test_by_counting),
  };
  return cmocka_run_group_tests_name("cli/lsp/position", tests, NULL, NULL);
}
