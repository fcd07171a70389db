/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is shown of foreign text, alone and in what everything is said with.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/asker.h"
#include "base/jsonl.h"
#include "base/ledger.h"
#include "base/memory.h"
#include "base/shown.h"

static void cleans(const char *bytes, const char *expected) {
  char *copy = mem_copy_text(bytes, strlen(bytes));
  shown_clean_text(copy, '?');
  assert_string_equal(copy, expected);
  assert_int_equal(shown_is_clean(bytes, strlen(bytes)), strcmp(bytes, expected) == 0);
  mem_free(copy);
}

static void characters(void **unused) {
  (void)unused;
  cleans("", "");
  cleans("a b~", "a b~");
  cleans("\xc2\xb5s \xe2\x89\xa4 \xf0\x9f\x98\x80", "\xc2\xb5s \xe2\x89\xa4 \xf0\x9f\x98\x80");
  cleans("\x1b[31m\a\t\n\r\x7f", "?[31m?????");
  cleans("\xc2\x9b"
         "31m\xc2\x85",
         "?31m?"); /* C1 */
  cleans("\xe2\x80\xae"
         "a\xe2\x81\xa6\xe2\x80\x8f\xd8\x9c",
         "?a???");                                                    /* direction */
  cleans("\xe2\x80\xa8\xe2\x80\xa9\xef\xbb\xbf\xe2\x80\x8b", "????"); /* lines, no width */
  cleans("\xf3\xa0\x81\x81", "?");                                    /* tags */
  cleans("\x9b\xff\xc2", "???");                                      /* no character */
  cleans("\xc0\x8a\xed\xa0\x80\xf4\x90\x80\x80", "?????????");        /* overlong, half a pair */
}

/* Every character in UTF-8 is itself or one mark, and what comes out is shown. */
static void every_character(void **unused) {
  (void)unused;
  for (uint32_t c = 1; c < 0x110000; c++) {
    if (c >= 0xd800 && c < 0xe000)
      continue;
    char bytes[5] = {0};
    size_t length = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const unsigned char marks[] = {0, 0, 0xc0, 0xe0, 0xf0};
    uint32_t left = c;
    for (size_t i = length; i-- > 1; left >>= 6)
      bytes[i] = (char)(0x80 | (left & 0x3f));
    bytes[0] = (char)(marks[length] | left);
    uint32_t read = 0;
    assert_int_equal(shown_character(&read, bytes, length), length);
    assert_int_equal(read, c);
    char copy[5];
    memcpy(copy, bytes, sizeof copy);
    size_t kept = shown_clean(copy, length, '?', false);
    assert_true(shown_never(c) ? kept == 1 && copy[0] == '?'
                               : kept == length && memcmp(copy, bytes, length) == 0);
  }
}

#define NASTY "a\x1b[31m\n::error::b\xe2\x80\xae\xc2\x9b"

static void say(void *context, enum saying saying, const char *line) {
  (void)saying;
  snprintf(context, 200, "%s", line);
}

static void what_is_said(void **unused) {
  (void)unused;
  char said[200] = "";
  const struct asker asker = {.context = said, .say = say};
  asker_say(&asker, SAYING_FAILURE, "%s: no", NASTY);
  assert_string_equal(said, "a?[31m\n ::error::b??: no");
  struct ledger ledger;
  ledger_init(&ledger);
  ledger_note(&ledger, LEDGER_DATA, "%s", NASTY);
  assert_string_equal(ledger.lines[0].text, "a?[31m?::error::b??");
  ledger_clear(&ledger);
  struct jsonl *json = jsonl_new("x");
  jsonl_text(json, "name", NASTY);
  char *text = jsonl_take(json);
  assert_string_equal(
      text, "{\n \"kind\": \"x\",\n \"name\": \"a\\u001B[31m\\n::error::b\\u202E\\u009B\"\n}\n");
  mem_free(text);
}

static void appended(void **unused) {
  (void)unused;
  struct text text;
  text_init(&text);
  shown_append(&text, "a\x1b\xff\xc2\xb5", 5);
  assert_string_equal(text_get(&text), "a\xef\xbf\xbd\xef\xbf\xbd\xc2\xb5");
  text_clear(&text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(characters),
      cmocka_unit_test(every_character),
      cmocka_unit_test(what_is_said),
      cmocka_unit_test(appended),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
