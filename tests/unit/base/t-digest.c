/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The examples of FIPS 180-2, and a length beyond one block. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "base/digest.h"
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

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_known)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
