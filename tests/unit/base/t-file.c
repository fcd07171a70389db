/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reading plain and compressed files, and what cannot be read; writing all or nothing. Passes as
 * root, who may write everywhere: failures come from missing folders, folders in the way and a
 * limit on the size of files.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/file.h"
#include "base/memory.h"

static char folder[] = "/tmp/tailproof-t-file-XXXXXX";

static char *path_of(const char *name) {
  struct text text;
  text_init(&text);
  text_format(&text, "%s/%s", folder, name);
  return text_take(&text);
}

static void put(const char *path, const char *bytes, size_t length) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, length, file), length);
  assert_int_equal(fclose(file), 0);
}

static void put_gz(const char *path, const char *bytes, size_t length) {
  gzFile file = gzopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(gzwrite(file, bytes, (unsigned)length), (int)length);
  assert_int_equal(gzclose(file), Z_OK);
}

static void reads(const char *path, size_t limit, const char *bytes, size_t length) {
  char *got;
  size_t got_length;
  struct text message;
  text_init(&message);
  enum status status = file_read(path, limit, &got, &got_length, &message);
  assert_string_equal(text_get(&message), "");
  assert_int_equal(status, STATUS_OK);
  assert_int_equal(got_length, length);
  assert_memory_equal(got, bytes, length);
  assert_int_equal(got[length], 0);
  mem_free(got);
  text_clear(&message);
}

static void fails(const char *path, size_t limit, enum status expected, const char *cause) {
  char *got = (char *)(uintptr_t)path;
  size_t got_length = 5;
  struct text message;
  text_init(&message);
  enum status status = file_read(path, limit, &got, &got_length, &message);
  if (status != expected || strstr(text_get(&message), cause) == NULL)
    print_error("status %d, message \"%s\"\n", status, text_get(&message));
  assert_int_equal(status, expected);
  assert_null(got);
  assert_non_null(strstr(text_get(&message), path));
  assert_non_null(strstr(text_get(&message), cause));
  assert_null(strchr(text_get(&message), '\n'));
  text_clear(&message);
}

static void test_read_plain(void **state) {
  (void)state;
  char *path = path_of("plain");
  put(path, "a\0b\nc", 5);
  reads(path, 100, "a\0b\nc", 5);
  reads(path, 5, "a\0b\nc", 5);
  fails(path, 4, STATUS_DATA, "larger than 4 bytes");
  put(path, "", 0);
  reads(path, 100, "", 0);
  reads(path, 0, "", 0);
  mem_free(path);
}

/* Larger than the chunks it is read in. */
static char *large(size_t *length) {
  *length = 200000;
  char *bytes = mem_alloc(*length, 1);
  uint32_t x = 1;
  for (size_t i = 0; i < *length; i++)
    bytes[i] = (char)((x = x * 1664525 + 1013904223) >> 24);
  return bytes;
}

static void test_read_large_and_gz(void **state) {
  (void)state;
  size_t length;
  char *bytes = large(&length), *path = path_of("large"), *gz = path_of("large.gz");
  put(path, bytes, length);
  reads(path, length, bytes, length);
  fails(path, length - 1, STATUS_DATA, "larger than 199999 bytes");
  put_gz(gz, bytes, length);
  reads(gz, length, bytes, length);
  fails(gz, length - 1, STATUS_DATA, "larger than 199999 bytes");
  put_gz(gz, "", 0);
  reads(gz, 10, "", 0);
  mem_free(bytes);
  mem_free(path);
  mem_free(gz);
}

static void add(const char *path, const char *bytes, size_t length) {
  FILE *file = fopen(path, "ab");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, length, file), length);
  assert_int_equal(fclose(file), 0);
}

static void add_gz(const char *path, const char *bytes, size_t length) {
  gzFile file = gzopen(path, "ab");
  assert_non_null(file);
  assert_int_equal(gzwrite(file, bytes, (unsigned)length), (int)length);
  assert_int_equal(gzclose(file), Z_OK);
}

/* `cat a.gz b.gz` is all of both; of `cat a.gz b` nothing is left out in silence. */
static void test_read_members(void **state) {
  (void)state;
  size_t length;
  char *path = path_of("members.gz"), *bytes = large(&length);
  put_gz(path, "one\n", 4);
  add_gz(path, "two\n", 4);
  add_gz(path, "", 0);
  add_gz(path, "three", 5);
  reads(path, 100, "one\ntwo\nthree", 13);
  fails(path, 12, STATUS_DATA, "larger than 12 bytes");
  add(path, "\0\0\0\0", 4); /* as tapes are filled up */
  reads(path, 100, "one\ntwo\nthree", 13);
  add(path, "four", 4);
  fails(path, 100, STATUS_DATA, "bytes that are no gzip stand behind the compressed ones");
  put_gz(path, "one\n", 4);
  add(path, "\x1f\x8b", 2);
  fails(path, 100, STATUS_DATA, "truncated gzip file");
  put_gz(path, bytes, length);
  add_gz(path, "end", 3);
  add(path, bytes, length);
  fails(path, 2 * length, STATUS_DATA, "bytes that are no gzip");
  mem_free(bytes);
  mem_free(path);
}

/* The limit counts expanded bytes: a bomb stops there. */
static void test_read_bomb(void **state) {
  (void)state;
  char *path = path_of("bomb.gz"), *zeros = mem_alloc(1 << 20, 1);
  gzFile file = gzopen(path, "wb9");
  for (int i = 0; i < 64; i++)
    assert_int_equal(gzwrite(file, zeros, 1 << 20), 1 << 20);
  assert_int_equal(gzclose(file), Z_OK);
  fails(path, 1 << 16, STATUS_DATA, "larger than 65536 bytes");
  mem_free(zeros);
  mem_free(path);
}

static void test_read_damaged_gz(void **state) {
  (void)state;
  size_t length, packed_length;
  char *bytes = large(&length), *path = path_of("cut.gz"), *packed;
  put_gz(path, bytes, length);
  struct text message;
  text_init(&message);
  /* the compressed bytes themselves: behind a byte that is no gzip mark they are read as they are
   */
  FILE *file = fopen(path, "rb");
  packed = mem_alloc(2 * length, 1);
  packed_length = fread(packed, 1, 2 * length, file);
  fclose(file);
  for (size_t cut = 1; cut < packed_length - 3; cut += cut < 32 ? 1 : packed_length / 7) {
    put(path, packed, packed_length - cut);
    fails(path, length, STATUS_DATA, "gzip");
  }
  char saved = packed[packed_length / 2];
  packed[packed_length / 2] = (char)(saved ^ 0x55);
  put(path, packed, packed_length);
  fails(path, length, STATUS_DATA, "gzip");
  packed[packed_length / 2] = saved;
  packed[packed_length - 5] = (char)(packed[packed_length - 5] ^ 1); /* the checksum */
  put(path, packed, packed_length);
  fails(path, length, STATUS_DATA, "gzip");
  text_clear(&message);
  mem_free(packed);
  mem_free(bytes);
  mem_free(path);
}

static void test_read_what_is_no_file(void **state) {
  (void)state;
  char *missing = path_of("missing"), *below = path_of("plain2/below"), *pipe = path_of("pipe");
  fails(missing, 10, STATUS_NO_INPUT, "No such file");
  char *plain = path_of("plain2");
  put(plain, "", 0);
  fails(below, 10, STATUS_NO_INPUT, "Not a directory");
  fails(folder, 10, STATUS_NO_INPUT, "is a directory");
  if (geteuid() != 0) {
    put(missing, "x", 1);
    assert_int_equal(chmod(missing, 0), 0);
    fails(missing, 10, STATUS_NO_INPUT, "Permission denied");
    unlink(missing);
  }
  /* a pipe nobody writes to must not hang, nor count as an empty file */
  assert_int_equal(mkfifo(pipe, 0600), 0);
  fails(pipe, 10, STATUS_NO_INPUT, "start what writes to it first");
  mem_free(missing);
  mem_free(below);
  mem_free(plain);
  mem_free(pipe);
}

static size_t entries(void) {
  size_t count = 0;
  DIR *stream = opendir(folder);
  while (readdir(stream) != NULL)
    count++;
  closedir(stream);
  return count;
}

static void test_write(void **state) {
  (void)state;
  char *path = path_of("written");
  struct text message;
  text_init(&message);
  size_t before = entries();
  assert_int_equal(file_write(path, "one\0two", 7, &message), STATUS_OK);
  reads(path, 100, "one\0two", 7);
  assert_int_equal(file_write(path, "three", 5, &message), STATUS_OK);
  reads(path, 100, "three", 5);
  assert_int_equal(file_write(path, "", 0, &message), STATUS_OK);
  reads(path, 100, "", 0);
  assert_string_equal(text_get(&message), "");
  struct stat about;
  assert_int_equal(stat(path, &about), 0);
  assert_int_equal(about.st_mode & 0777, 0644);
  assert_int_equal(entries(), before + 1);
  mem_free(path);
}

/* Around the size of the chunks that are compressed at a time, easy and hard to compress. */
static void test_write_gzip(void **state) {
  (void)state;
  static const size_t lengths[] = {0, 1, 65535, 65536, 65537, 1000000};
  char *path = path_of("packed.gz"), *bytes = mem_alloc(1000000, 1);
  for (size_t i = 0; i < 2 * sizeof lengths / sizeof *lengths; i++) {
    size_t length = lengths[i / 2];
    uint32_t state_of_draw = 1;
    for (size_t k = 0; k < length; k++) {
      state_of_draw = state_of_draw * 1664525 + 1013904223;
      bytes[k] = (char)(i % 2 == 0 ? 'x' : state_of_draw >> 24);
    }
    struct text message;
    text_init(&message);
    assert_int_equal(file_write_gzip(path, bytes, length, &message), STATUS_OK);
    assert_int_equal(message.length, 0);
    reads(path, length, bytes, length);
    struct stat about;
    assert_int_equal(stat(path, &about), 0);
    assert_true(i % 2 == 1 || length < 1000 || (size_t)about.st_size < length / 50);
    text_clear(&message);
  }
  unlink(path);
  mem_free(bytes);
  mem_free(path);
}

static void write_fails(const char *path, const char *bytes, size_t length) {
  struct text message;
  text_init(&message);
  size_t before = entries();
  assert_int_equal(file_write(path, bytes, length, &message), STATUS_INTERNAL);
  assert_non_null(strstr(text_get(&message), path));
  assert_non_null(strstr(text_get(&message), "cannot be written"));
  assert_null(strchr(text_get(&message), '\n'));
  assert_int_equal(entries(), before);
  text_clear(&message);
}

static void test_write_fails_without_a_trace(void **state) {
  (void)state;
  char *path = path_of("missing-folder/file");
  write_fails(path, "x", 1);
  mem_free(path);
  path = path_of("taken");
  assert_int_equal(mkdir(path, 0755), 0);
  write_fails(path, "x", 1); /* a folder is in the way: only the last step, the rename, fails */
  mem_free(path);
}

/* As on a full disk: the first bytes can be written, the others not. */
static void test_write_keeps_the_old_file(void **state) {
  (void)state;
  char *path = path_of("kept"), *bytes = mem_alloc(100000, 1);
  struct text message;
  text_init(&message);
  assert_int_equal(file_write(path, "old", 3, &message), STATUS_OK);
  struct rlimit unlimited, limit;
  getrlimit(RLIMIT_FSIZE, &unlimited);
  limit = unlimited;
  limit.rlim_cur = 5000;
  signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &limit);
  enum status status = file_write(path, bytes, 100000, &message);
  setrlimit(RLIMIT_FSIZE, &unlimited);
  signal(SIGXFSZ, SIG_DFL);
  assert_int_equal(status, STATUS_INTERNAL);
  assert_non_null(strstr(text_get(&message), "File too large"));
  reads(path, 100, "old", 3);
  text_clear(&message);
  write_fails("/proc/version", "x", 1); /* a read-only folder, even for root */
  mem_free(bytes);
  mem_free(path);
}

static int set_up(void **state) {
  (void)state;
  return mkdtemp(folder) == NULL;
}

static int tear_down(void **state) {
  (void)state;
  DIR *stream = opendir(folder);
  for (struct dirent *entry; (entry = readdir(stream)) != NULL;)
    if (entry->d_name[0] != '.') {
      char *path = path_of(entry->d_name);
      remove(path);
      mem_free(path);
    }
  closedir(stream);
  return rmdir(folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_read_plain),
      cmocka_unit_test(test_read_large_and_gz),
      cmocka_unit_test(test_read_bomb),
      cmocka_unit_test(test_read_members),
      cmocka_unit_test(test_read_damaged_gz),
      cmocka_unit_test(test_read_what_is_no_file),
      cmocka_unit_test(test_write),
      cmocka_unit_test(test_write_gzip),
      cmocka_unit_test(test_write_fails_without_a_trace),
      cmocka_unit_test(test_write_keeps_the_old_file),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
