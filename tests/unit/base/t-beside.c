/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Files that take the place of older ones when they are whole.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/beside.h"

static char folder[] = "/tmp/t-beside-XXXXXX";

static void write_text(const char *path, const char *text) {
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

static void assert_text(const char *path, const char *text) {
  char bytes[64] = "";
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  bytes[fread(bytes, 1, sizeof bytes - 1, file)] = '\0';
  fclose(file);
  assert_string_equal(bytes, text);
}

static void put(struct beside *beside, const char *path, const char *text) {
  assert_int_equal(beside_open(beside, path), 0);
  assert_int_equal(write(beside->descriptor, text, strlen(text)), strlen(text));
}

static void end(struct beside *beside, bool whole) {
  if (whole)
    assert_int_equal(beside_keep(beside), 0);
  else
    beside_drop(beside);
  close(beside->descriptor);
}

static void test_an_older_file_stays(void **state) {
  (void)state;
  struct beside beside;
  struct stat about;
  write_text("old", "old");
  chmod("old", 0640);
  put(&beside, "old", "half");
  assert_text("old", "old");
  end(&beside, false);
  assert_text("old", "old");
  put(&beside, "old", "whole");
  assert_text("old", "old");
  end(&beside, true);
  assert_text("old", "whole");
  assert_int_equal(stat("old", &about), 0);
  assert_int_equal(about.st_mode & 0777, 0640);
}

static void test_a_new_file_has_its_name(void **state) {
  (void)state;
  struct beside beside;
  put(&beside, "new", "part");
  assert_text("new", "part");
  end(&beside, false);
  assert_int_not_equal(access("new", F_OK), 0);
  put(&beside, "new", "whole");
  end(&beside, true);
  assert_text("new", "whole");
}

static void test_links_and_devices(void **state) {
  (void)state;
  struct beside beside;
  struct stat about;
  write_text("target", "old");
  assert_int_equal(symlink("target", "link"), 0);
  put(&beside, "link", "whole");
  end(&beside, true);
  assert_text("target", "whole");
  assert_int_equal(lstat("link", &about), 0);
  assert_true(S_ISLNK(about.st_mode));
  put(&beside, "/dev/null", "x");
  end(&beside, false);
  assert_int_equal(access("/dev/null", F_OK), 0);
  assert_int_not_equal(beside_open(&beside, "no/such/folder"), 0);
  beside_drop(&beside);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_an_older_file_stays),
      cmocka_unit_test(test_a_new_file_has_its_name),
      cmocka_unit_test(test_links_and_devices),
  };
  if (mkdtemp(folder) == NULL || chdir(folder) != 0)
    return 1;
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  static const char *const made[] = {"old", "new", "target", "link"};
  for (size_t i = 0; i < sizeof made / sizeof *made; i++)
    unlink(made[i]);
  return chdir("/") != 0 || rmdir(folder) != 0 ? 1 : failed;
}
