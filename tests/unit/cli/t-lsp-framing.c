/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cli/lsp/framing.h"

static enum framing_result take(struct framing *framing, const char **content, size_t *length) {
  struct text message;
  text_init(&message);
  enum framing_result result = framing_next(framing, content, length, &message);
  assert_int_equal(result == FRAMING_BROKEN, message.length != 0);
  text_clear(&message);
  return result;
}

/* Random messages come out as they went in, whatever pieces they are given in. */
static void test_pieces(void **state) {
  (void)state;
  srand(11);
  for (int round = 0; round < 300; round++) {
    struct text stream, expected, got;
    text_init(&stream);
    text_init(&expected);
    text_init(&got);
    int messages = rand() % 6;
    for (int i = 0; i < messages; i++) {
      char content[200];
      size_t length = (size_t)(rand() % 200);
      for (size_t k = 0; k < length; k++)
        content[k] = "\r\n:{}aContent-Length"[rand() % 20];
      framing_write(&stream, content, length);
      text_append_bytes(&expected, content, length);
      text_append(&expected, "|");
    }
    struct framing framing = {0};
    for (size_t at = 0; at < stream.length;) {
      size_t piece = 1 + (size_t)(rand() % 90);
      piece = piece < stream.length - at ? piece : stream.length - at;
      framing_feed(&framing, stream.data + at, piece);
      at += piece;
      const char *content;
      size_t length;
      enum framing_result result;
      while ((result = take(&framing, &content, &length)) == FRAMING_MESSAGE) {
        text_append_bytes(&got, content, length);
        text_append(&got, "|");
      }
      assert_int_equal(result, FRAMING_MORE);
    }
    assert_true(framing_is_empty(&framing));
    assert_string_equal(text_get(&got), text_get(&expected));
    framing_clear(&framing);
    text_clear(&stream);
    text_clear(&expected);
    text_clear(&got);
  }
}

static void expect(const char *bytes, enum framing_result expected) {
  struct framing framing = {0};
  const char *content = NULL;
  size_t length = 0;
  framing_feed(&framing, bytes, strlen(bytes));
  assert_int_equal(take(&framing, &content, &length), expected);
  if (expected == FRAMING_MESSAGE)
    assert_memory_equal(content, "abc", length);
  assert_int_equal(framing_is_empty(&framing), expected == FRAMING_MESSAGE);
  framing_clear(&framing);
}

static void test_headers(void **state) {
  (void)state;
  expect("Content-Length: 3\r\n\r\nabc", FRAMING_MESSAGE);
  expect("content-LENGTH:\t3 \r\n\r\nabc", FRAMING_MESSAGE);
  expect("X: y\r\nContent-Length: 0\r\nY:\r\n\r\n", FRAMING_MESSAGE);
  expect("Content-Length: 3\r\n\r\nab", FRAMING_MORE);
  expect("Content-Length: 3\r\n\r", FRAMING_MORE);
  expect("Content-Length: 67108864\r\n\r\n", FRAMING_MORE);
  expect("Content-Length: 67108865\r\n\r\n", FRAMING_BROKEN);
  expect("Content-Length: 1234567890123456789\r\n\r\n", FRAMING_BROKEN);
  expect("Content-Length:\r\n\r\n", FRAMING_BROKEN);
  expect("Content-Length: 3x\r\n\r\nabc", FRAMING_BROKEN);
  expect("Content-Length: -3\r\n\r\nabc", FRAMING_BROKEN);
  expect("Content-Lengths: 3\r\n\r\nabc", FRAMING_BROKEN);
  expect(": 3\r\n\r\nabc", FRAMING_BROKEN);
  expect("\r\n\r\nabc", FRAMING_BROKEN);
}

/* Headers have to end within 8 KiB, to the byte. */
static void test_long_headers(void **state) {
  (void)state;
  for (size_t size = FRAMING_HEADER_MAX - 2; size < FRAMING_HEADER_MAX + 2; size++) {
    static const char last[] = "\r\nContent-Length: 0\r\n\r\n";
    char *bytes = mem_alloc(size + 1, 1);
    memset(bytes, 'x', size);
    bytes[1] = ':';
    memcpy(bytes + size - (sizeof last - 1), last, sizeof last - 1);
    expect(bytes, size <= FRAMING_HEADER_MAX ? FRAMING_MESSAGE : FRAMING_BROKEN);
    mem_free(bytes);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pieces),
      cmocka_unit_test(test_headers),
      cmocka_unit_test(test_long_headers),
  };
  return cmocka_run_group_tests_name("cli/lsp/framing", tests, NULL, NULL);
}
