/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The examples of FIPS 180-2, and a length beyond one block. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include <string.h>

#include <unistd.h>

#include "base/digest.h"
#include "base/file.h"
#include "base/memory.h"

static void expect(const void *bytes, size_t length, const char *wanted) {
  char digest[DIGEST_LENGTH + 1];
  digest_bytes(digest, bytes, length);
  assert_string_equal(digest, wanted);
}

static void test_known(void **state) {
  (void)state;
  expect("", 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  expect("abc", 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  expect("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56,
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  char *million = mem_alloc(1000000, 1);
  memset(million, 'a', 1000000);
  expect(million, 1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  mem_free(million);
}

/* A file of several blocks has the digest of its bytes; what is no file has none. */
static void test_file(void **state) {
  (void)state;
  char path[] = "/tmp/t-digest-XXXXXX", digest[DIGEST_LENGTH + 1];
  int descriptor = mkstemp(path);
  assert_true(descriptor >= 0);
  close(descriptor);
  struct text message;
  text_init(&message);
  char *million = mem_alloc(1000000, 1);
  memset(million, 'a', 1000000);
  assert_int_equal(file_write(path, million, 1000000, &message), STATUS_OK);
  assert_int_equal(digest_file(digest, path, &message), STATUS_OK);
  expect(million, 1000000, digest);
  mem_free(million);
  unlink(path);
  assert_int_equal(message.length, 0);
  assert_int_equal(digest_file(digest, path, &message), STATUS_NO_INPUT);
  assert_non_null(strstr(text_get(&message), path));
  text_clear(&message);
  assert_int_equal(digest_file(digest, "/", &message), STATUS_NO_INPUT);
  assert_string_equal(text_get(&message),
                      "/: cannot be read: it is no regular file; save it as one first");
  text_clear(&message);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_known), cmocka_unit_test(test_file)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
