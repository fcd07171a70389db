/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "lang/model.h"
#include "lang/source.h"

static struct source *source_of(const char *text) {
  return source_from_text("test.tp", text, strlen(text));
}

static void expect_place(const struct source *s, size_t offset, size_t line, size_t column) {
  struct place place = source_place(s, offset);
  assert_int_equal(place.line, line);
  assert_int_equal(place.column, column);
}

static void test_places(void **state) {
  (void)state;
  struct source *s = source_of("a\n\t\xC3\xA9x\r\n\nend");
  expect_place(s, 0, 1, 1);
  expect_place(s, 1, 1, 2);
  expect_place(s, 2, 2, 1);
  expect_place(s, 3, 2, 2);
  expect_place(s, 5, 2, 3); /* behind a character of two bytes */
  expect_place(s, 8, 3, 1);
  expect_place(s, 9, 4, 1);
  expect_place(s, 12, 4, 4);
  size_t length;
  const char *line = source_line(s, 2, &length);
  assert_int_equal(length, 4);
  assert_memory_equal(line, "\t\xC3\xA9x", 4);
  source_line(s, 3, &length);
  assert_int_equal(length, 0);
  source_line(s, 4, &length);
  assert_int_equal(length, 3);
  source_free(s);
}

/* Places against counting from the start, on random texts. */
static void test_places_by_counting(void **state) {
  (void)state;
  srand(7);
  for (int round = 0; round < 200; round++) {
    char text[64];
    size_t count = (size_t)(rand() % 64), line = 1, column = 1;
    for (size_t i = 0; i < count; i++)
      text[i] = "ab \n\n\t"[rand() % 6];
    struct source *s = source_from_text("test.tp", text, count);
    for (size_t i = 0; i <= count; i++) {
      expect_place(s, i, line, column);
      column = i < count && text[i] == '\n' ? 1 : column + 1;
      line += i < count && text[i] == '\n';
    }
    source_free(s);
  }
}

static void expect_invalid(const char *text, size_t length, size_t offset) {
  struct source *s = source_from_text("test.tp", text, length);
  assert_int_equal(source_invalid(s), offset);
  source_free(s);
}

static void test_invalid(void **state) {
  (void)state;
  expect_invalid("", 0, 0);
  expect_invalid("abc\n\xE2\x89\xA4 \xF0\x9F\x98\x80", 12, 12);
  expect_invalid("a\0b", 3, 1);
  expect_invalid("\xC0\x80", 2, 0);         /* overlong */
  expect_invalid("\xE0\x9F\xBF", 3, 0);     /* overlong */
  expect_invalid("\xED\xA0\x80", 3, 0);     /* surrogate */
  expect_invalid("\xF4\x90\x80\x80", 4, 0); /* above U+10FFFF */
  expect_invalid("ab\xE2\x89", 4, 2);       /* cut off */
  expect_invalid("ab\x80", 3, 2);
}

/* At the start it is left out and counts for no place; elsewhere it is a character. */
static void test_byte_order_mark(void **state) {
  (void)state;
  struct source *s = source_of("\uFEFFab\n\uFEFFc");
  assert_string_equal(s->bytes, "ab\n\uFEFFc");
  assert_int_equal(s->length, 7);
  assert_int_equal(source_place(s, 1).column, 2);
  assert_int_equal(source_place(s, 6).line, 2);
  assert_int_equal(source_place(s, 6).column, 2);
  source_free(s);
  s = source_of("\uFEFF");
  assert_int_equal(s->length, 0);
  source_free(s);
  s = source_of("\xEF\xBB");
  assert_int_equal(s->length, 2);
  source_free(s);
}

static void test_slice(void **state) {
  (void)state;
  const char *text = "x  +\t# comment\r\n   # another\n y";
  struct source *s = source_of(text);
  struct arena arena;
  arena_init(&arena);
  assert_string_equal(source_slice(s, (struct source_span){0, (uint32_t)strlen(text)}, &arena),
                      "x + y");
  assert_string_equal(source_slice(s, (struct source_span){0, 0}, &arena), "");
  arena_clear(&arena);
  source_free(s);
}

static void test_missing(void **state) {
  (void)state;
  struct text message;
  text_init(&message);
  struct source *s = (struct source *)&message;
  assert_int_equal(source_load(&s, "no/such/file.tp", &message), STATUS_NO_INPUT);
  assert_null(s);
  assert_non_null(strstr(text_get(&message), "no/such/file.tp"));
  text_clear(&message);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_places),  cmocka_unit_test(test_places_by_counting),
      cmocka_unit_test(test_invalid), cmocka_unit_test(test_byte_order_mark),
      cmocka_unit_test(test_slice),   cmocka_unit_test(test_missing)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
