/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <zstd.h>

#include "base/expand.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/stream.h"

static char path[] = "/tmp/stream-XXXXXX";

static int set_up(void **state) {
  (void)state;
  strcpy(path + strlen(path) - 6, "XXXXXX");
  int file = mkstemp(path);
  assert_true(file >= 0);
  close(file);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  return unlink(path);
}

static void put(const char *bytes, size_t length) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, length, file), length);
  assert_int_equal(fclose(file), 0);
}

/* All of the file, `most` bytes at a time, and what was said of it. */
static enum status take(struct text *bytes, size_t most, struct text *message) {
  struct stream *stream;
  char *piece = mem_alloc(most, 1);
  size_t got = 1;
  enum status status = stream_open(&stream, path, message);
  while (status == STATUS_OK && got != 0) {
    status = stream_read(stream, piece, most, &got, message);
    assert_true(got <= most);
    text_append_bytes(bytes, piece, got);
  }
  stream_close(stream);
  mem_free(piece);
  return status;
}

static void check_content(const char *content, size_t length) {
  const size_t sizes[] = {1, 7, 100000, 1000000};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    struct text bytes, message;
    text_init(&bytes);
    text_init(&message);
    assert_int_equal(take(&bytes, sizes[i], &message), STATUS_OK);
    assert_int_equal(bytes.length, length);
    assert_true(length == 0 || memcmp(bytes.data, content, length) == 0);
    text_clear(&bytes);
    text_clear(&message);
  }
}

static void check_failure(const char *expected) {
  struct text bytes, message;
  text_init(&bytes);
  text_init(&message);
  assert_int_equal(take(&bytes, 1000, &message), STATUS_DATA);
  assert_int_equal(strncmp(message.data, path, strlen(path)), 0);
  assert_string_equal(message.data + strlen(path), expected);
  text_clear(&bytes);
  text_clear(&message);
}

static char *content_of(size_t length) {
  char *content = mem_alloc(length + 1, 1);
  for (size_t i = 0; i < length; i++)
    content[i] = (char)('a' + i * i % 23);
  return content;
}

static void test_as_it_is(void **state) {
  (void)state;
  enum { LENGTH = 700000 };
  char *content = content_of(LENGTH);
  const size_t lengths[] = {0, 1, 2, 3, 262144, LENGTH};
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
    put(content, lengths[i]);
    check_content(content, lengths[i]);
  }
  mem_free(content);
}

/* Its compressed bytes, `times` over, and what is given behind. */
static void put_packed(const char *content, size_t length, int times, const char *behind,
                       size_t behind_length) {
  struct text message, packed;
  char *bytes;
  size_t count;
  text_init(&message);
  text_init(&packed);
  assert_int_equal(file_write_gzip(path, content, length, &message), STATUS_OK);
  FILE *file = fopen(path, "rb");
  bytes = mem_alloc(length + 1000, 1);
  count = fread(bytes, 1, length + 1000, file);
  fclose(file);
  for (int i = 0; i < times; i++)
    text_append_bytes(&packed, bytes, count);
  text_append_bytes(&packed, behind, behind_length);
  put(packed.data, packed.length);
  text_clear(&packed);
  mem_free(bytes);
}

static void test_compressed(void **state) {
  (void)state;
  enum { LENGTH = 400000 };
  char *content = content_of(LENGTH);
  put_packed(content, LENGTH, 1, "", 0);
  check_content(content, LENGTH);
  put_packed(content, LENGTH, 1, "\0\0\0\0", 4);
  check_content(content, LENGTH);
  put_packed("ab", 2, 3, "", 0);
  check_content("ababab", 6);
  mem_free(content);
}

static void test_damaged(void **state) {
  (void)state;
  put("\x1f\x8b\x08", 3);
  check_failure(": is a truncated gzip file; fetch it again");
  put_packed("abc", 3, 1, "rest", 4);
  check_failure(": bytes that are no gzip stand behind the compressed ones; compress all of the "
                "file, or none");
  put("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xff\xff\xff\xff", 14);
  check_failure(": cannot be expanded; it is a damaged gzip file: fetch it again");
}

/* A frame of zstd, appended; with a length in four bytes before it if it is `framed`. */
static void append_frame(struct text *packed, const char *content, size_t length, bool framed) {
  size_t most = ZSTD_compressBound(length);
  char *bytes = mem_alloc(most, 1);
  size_t count = ZSTD_compress(bytes, most, content, length, 1);
  assert_false(ZSTD_isError(count));
  const char head[] = {(char)(count >> 24), (char)(count >> 16), (char)(count >> 8), (char)count};
  text_append_bytes(packed, head, framed ? sizeof head : 0);
  text_append_bytes(packed, bytes, count);
  mem_free(bytes);
}

static void test_zstd(void **state) {
  (void)state;
  enum { LENGTH = 400000 };
  char *content = content_of(LENGTH);
  for (int framed = 0; framed < 2; framed++) {
    struct text packed;
    text_init(&packed);
    append_frame(&packed, content, LENGTH / 2, framed != 0);
    append_frame(&packed, "", 0, framed != 0);
    append_frame(&packed, content + LENGTH / 2, LENGTH / 2, framed != 0);
    put(packed.data, packed.length);
    check_content(content, LENGTH);
    text_clear(&packed);
  }
  mem_free(content);
}

/* A file that was cut holds whole frames, or is said to be truncated. */
static void test_zstd_cut(void **state) {
  (void)state;
  for (int framed = 0; framed < 2; framed++) {
    struct text packed;
    text_init(&packed);
    append_frame(&packed, "abcabc", 6, framed != 0);
    size_t one = packed.length;
    append_frame(&packed, "abcabc", 6, framed != 0);
    for (size_t cut = COMPRESSION_BYTES; cut < packed.length; cut++) {
      put(packed.data, cut);
      if (cut == one)
        check_content("abcabc", 6);
      else
        check_failure(": is a truncated zstd file; fetch it again");
    }
    packed.data[packed.length - 1] ^= 1;
    packed.data[one + (framed != 0 ? 4 : 0)] ^= 1;
    put(packed.data, packed.length);
    check_failure(": cannot be expanded; it is a damaged zstd file: fetch it again");
    text_clear(&packed);
  }
}

static void test_a_folder_is_no_file(void **state) {
  (void)state;
  struct stream *stream;
  struct text message;
  text_init(&message);
  assert_int_equal(stream_open(&stream, "/tmp", &message), STATUS_NO_INPUT);
  assert_null(stream);
  assert_string_equal(message.data, "/tmp: cannot be opened: it is a directory; name a file");
  text_clear(&message);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_as_it_is), TEST(test_compressed), TEST(test_damaged),
      TEST(test_zstd),     TEST(test_zstd_cut),   TEST(test_a_folder_is_no_file),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
