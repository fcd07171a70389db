/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A folder whose files are bounded in bytes: the oldest go, the newest stays, others are left
 * alone.
 */
#include "measure/agent/shelf.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/t-agent-shelf-XXXXXX";

static void put(const char *name, off_t bytes, time_t changed) {
  char path[200];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  int descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  assert_true(descriptor >= 0);
  assert_int_equal(ftruncate(descriptor, bytes), 0);
  struct timespec times[2] = {{.tv_sec = changed}, {.tv_sec = changed}};
  assert_int_equal(futimens(descriptor, times), 0);
  close(descriptor);
}

static bool is_there(const char *name) {
  char path[200];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return access(path, F_OK) == 0;
}

static void the_oldest_go(void **state) {
  (void)state;
  put("minute-00.tpp", 300, 5000);
  put("minute-01.tpp", 100, 2000);
  put("minute-02.tpp", 200, 3000);
  put("minute-03.tpp", 400, 4000);
  put("other", 100000, 1000);
  assert_int_equal(shelf_trim(folder, "minute-", 1000), 1000);
  assert_true(is_there("minute-01.tpp"));
  assert_int_equal(shelf_trim(folder, "minute-", 750), 700);
  assert_false(is_there("minute-01.tpp") || is_there("minute-02.tpp"));
  assert_true(is_there("minute-00.tpp") && is_there("minute-03.tpp") && is_there("other"));
  assert_int_equal(shelf_trim(folder, "minute-", 0), 300);
  assert_true(is_there("minute-00.tpp") && !is_there("minute-03.tpp"));
  assert_int_equal(shelf_trim("/no/such/folder", "minute-", 0), 0);
  assert_int_equal(shelf_trim(folder, "breach-", 0), 0);
}

static int make_folder(void **state) {
  (void)state;
  return mkdtemp(folder) == NULL;
}

static int remove_folder(void **state) {
  (void)state;
  char command[100];
  snprintf(command, sizeof command, "rm -rf %s", folder);
  return system(command);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_oldest_go)};
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
