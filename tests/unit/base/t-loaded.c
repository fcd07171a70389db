/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Libraries that are loaded when they are needed: functions work, and what is missing is named.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/loaded.h"
#include "base/status.h"

#define FUNCTIONS(X) X(floor) X(hypot)

static struct { FUNCTIONS(LOADED_POINTER) } math;
static const char *const names[] = {FUNCTIONS(LOADED_NAME)};

static void functions_are_those_of_the_library(void **state) {
  (void)state;
  struct text message;
  text_init(&message);
  struct loaded_library library = {"libm.so.6", &math, names, 2, false};
  for (int i = 0; i < 2; i++) {
    assert_true(loaded_open(&library, &message));
    assert_true(library.is_open);
    assert_true(math.floor(2.5) == 2.0);
    assert_true(math.hypot(3.0, 4.0) == 5.0);
  }
  assert_int_equal(message.length, 0);
  text_clear(&message);
}

static void a_library_that_is_missing_is_named(void **state) {
  (void)state;
  struct text message;
  text_init(&message);
  struct loaded_library library = {"libno-such.so.1", &math, names, 2, false};
  assert_false(loaded_open(&library, &message));
  assert_non_null(strstr(text_get(&message), "libno-such.so.1"));
  assert_non_null(strstr(text_get(&message), "install"));
  text_clear(&message);
}

static void a_function_that_is_missing_is_named(void **state) {
  (void)state;
  static const char *const other[] = {"floor", "no_such_function"};
  struct text message;
  text_init(&message);
  struct loaded_library library = {"libm.so.6", &math, other, 2, false};
  assert_false(loaded_open(&library, &message));
  assert_non_null(strstr(text_get(&message), "no_such_function"));
  assert_false(library.is_open);
  assert_false(loaded_open(&library, &message)); /* nor the next time */
  text_clear(&message);
}

/* What a process that needs the library ends with, and says. */
static int needed_by_child(const char *name, char *said, size_t size) {
  int ends[2], status;
  assert_int_equal(pipe(ends), 0);
  pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    struct loaded_library library = {name, &math, names, 2, false};
    loaded_need(&library);
    loaded_need(&library);
    _exit(math.floor(2.5) == 2.0 ? 0 : 1);
  }
  close(ends[1]);
  ssize_t length = read(ends[0], said, size - 1);
  said[length > 0 ? length : 0] = '\0';
  close(ends[0]);
  assert_int_equal(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void what_is_needed_is_there_or_ends_the_process(void **state) {
  (void)state;
  char said[300];
  assert_int_equal(needed_by_child("libm.so.6", said, sizeof said), 0);
  assert_string_equal(said, "");
  assert_int_equal(needed_by_child("libno-such.so.1", said, sizeof said), STATUS_UNAVAILABLE);
  assert_non_null(strstr(said, "tailproof: cannot load libno-such.so.1"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(functions_are_those_of_the_library),
      cmocka_unit_test(a_library_that_is_missing_is_named),
      cmocka_unit_test(a_function_that_is_missing_is_named),
      cmocka_unit_test(what_is_needed_is_there_or_ends_the_process),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
