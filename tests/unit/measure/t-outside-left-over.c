/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a pairing could not pair, beside its stores (measure/outside/left_over.h).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/memory.h"
#include "measure/outside/left_over.h"

static char folder[] = "/tmp/t-outside-left-over-XXXXXX";
static char file[64], store[64];

static int make_folder(void **unused) {
  (void)unused;
  if (mkdtemp(folder) == NULL)
    return 1;
  snprintf(file, sizeof file, "%s/left_over", folder);
  snprintf(store, sizeof store, "%s/client.tps", folder);
  return 0;
}

static int remove_folder(void **unused) {
  (void)unused;
  unlink(file);
  return rmdir(folder);
}

static void assert_told(const struct left_over *left, const char *expected) {
  struct text text;
  text_init(&text);
  left_over_tell(&text, left);
  assert_string_equal(text_get(&text), expected);
  text_clear(&text);
}

static enum status read_back(struct left_over *left, struct text *message) {
  text_clear(message);
  return left_over_read(left, store, message);
}

static void written_and_read(void **unused) {
  (void)unused;
  struct left_over left;
  struct text message;
  left_over_init(&left);
  text_init(&message);
  assert_int_equal(read_back(&left, &message), STATUS_OK);
  assert_told(&left, ""); /* there is none yet */
  left = (struct left_over){.requests = 300, .unpaired = 3, .lost = 7, .excluded = true};
  text_append(&left.request, "put");
  text_append(&left.reasons, "2 at moment a: b\n1 at step c: d\n");
  assert_int_equal(left_over_write(&left, folder, &message), STATUS_OK);
  left_over_clear(&left);
  assert_int_equal(read_back(&left, &message), STATUS_OK);
  assert_int_equal(left.requests, 300);
  assert_true(left.excluded);
  assert_string_equal(text_get(&left.request), "put");
  assert_told(&left,
              "3 of 300 requests (1.00 %) could not be paired (2 at moment a: b; 1 at step c: "
              "d): nothing of them is counted, and percentiles are those of the others; 7 "
              "events were lost while recording");
  left.excluded = false;
  left.lost = 0;
  assert_told(&left,
              "3 of 300 requests (1.00 %) could not be paired (2 at moment a: b; 1 at step c: "
              "d): the requests count as infinite, and of their steps and messages only the "
              "beginning is counted");
  left.unpaired = 0;
  left.lost = 1;
  assert_told(&left, "1 event was lost while recording");
  left_over_clear(&left);
  text_clear(&message);
}

/* Those that may have ended are named by number; a file of before names none. */
static void doubtful(void **unused) {
  (void)unused;
  static const uint32_t numbers[] = {1, 2, 3, 7, 9, 10};
  struct left_over left = {.requests = 300, .unpaired = 8};
  struct text message;
  text_init(&message);
  text_append(&left.request, "put");
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    left_over_add_doubtful(&left, numbers[i]);
  assert_int_equal(left_over_write(&left, folder, &message), STATUS_OK);
  left_over_clear(&left);
  assert_int_equal(read_back(&left, &message), STATUS_OK);
  assert_int_equal(6, left_over_doubtful(&left));
  for (uint32_t i = 0, next = 0; i < 12; i++) {
    bool is = next < 6 && numbers[next] == i;
    next += is;
    assert_true(left_over_is_doubtful(&left, i) == is);
  }
  assert_told(&left, "8 of 300 requests (2.67 %) could not be paired: the requests count as "
                     "infinite, and of their steps and messages only the beginning is counted; 6 "
                     "of them may have ended, which their events do not tell: how long they took "
                     "is not known, and no objective counts as broken because of them");
  left.unpaired = 5; /* fewer than are named: damaged */
  assert_int_equal(left_over_write(&left, folder, &message), STATUS_OK);
  left_over_clear(&left);
  assert_int_equal(read_back(&left, &message), STATUS_DATA);
  left_over_clear(&left);
  text_clear(&message);
}

/* Cut anywhere, or with another byte anywhere in its first lines: one line that names it. */
static void damaged(void **unused) {
  (void)unused;
  struct left_over left = {.requests = 300, .unpaired = 3};
  struct text message, ignored;
  char *bytes;
  size_t length;
  text_init(&message);
  text_init(&ignored);
  text_append(&left.request, "put");
  text_append(&left.reasons, "3 at moment a: b\n");
  assert_int_equal(left_over_write(&left, folder, &ignored), STATUS_OK);
  assert_int_equal(file_read(file, 4096, &bytes, &length, &ignored), STATUS_OK);
  for (size_t cut = 0; cut < length; cut++) {
    assert_int_equal(file_write(file, bytes, cut, &ignored), STATUS_OK);
    assert_int_equal(read_back(&left, &message), STATUS_DATA);
    assert_non_null(strstr(text_get(&message), "left_over:"));
    assert_null(strchr(text_get(&message), '\n'));
  }
  size_t numbers = (size_t)(strstr(bytes, "request put") - bytes);
  for (size_t i = 0; i < numbers; i++) {
    char before = bytes[i];
    bytes[i] = '~';
    assert_int_equal(file_write(file, bytes, length, &ignored), STATUS_OK);
    assert_int_equal(read_back(&left, &message), STATUS_DATA);
    bytes[i] = before;
  }
  mem_free(bytes);
  left_over_clear(&left);
  text_clear(&message);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(written_and_read),
      cmocka_unit_test(doubtful),
      cmocka_unit_test(damaged),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
