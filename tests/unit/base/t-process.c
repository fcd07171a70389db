/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Children: what they read and write, ends of all kinds, several at a time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdatomic.h>
#include <string.h>

#include "base/parallel.h"
#include "base/process.h"

enum { LONG_MS = 7200000 };

static enum process_end run(const char *const *argv, const char *input, unsigned limit_ms,
                            struct text *output) {
  return process_run(argv, input, strlen(input), limit_ms, NULL, output);
}

static void expect(const char *script, const char *input, enum process_end end,
                   const char *wanted) {
  struct text output;
  text_init(&output);
  assert_int_equal(run((const char *[]){"sh", "-c", script, NULL}, input, LONG_MS, &output), end);
  assert_string_equal(text_get(&output), wanted);
  text_clear(&output);
}

static void test_output(void **state) {
  (void)state;
  expect("cat", "one\ntwo", PROCESS_ENDED, "one\ntwo");
  expect("cat", "", PROCESS_ENDED, "");
  expect("echo out; echo err >&2; exit 3", "unread", PROCESS_ENDED, "out\nerr\n");
  expect("echo before; kill -9 $$", "", PROCESS_ENDED, "before\n");
}

static void test_no_shell(void **state) {
  (void)state;
  struct text output;
  text_init(&output);
  const char *const argv[] = {"printf", "%s", "$HOME; `id` *", NULL};
  assert_int_equal(run(argv, "", LONG_MS, &output), PROCESS_ENDED);
  assert_string_equal(text_get(&output), "$HOME; `id` *");
  text_clear(&output);
}

static void test_large(void **state) {
  (void)state;
  struct text input, output;
  text_init(&input);
  text_init(&output);
  for (int i = 0; i < 50000; i++)
    text_format(&input, "%d\n", i);
  assert_int_equal(run((const char *[]){"cat", NULL}, input.data, LONG_MS, &output), PROCESS_ENDED);
  assert_string_equal(text_get(&output), input.data);
  text_clear(&output);
  /* more than is kept does not block the child */
  const char *const endless[] = {"head", "-c", "3000000", "/dev/zero", NULL};
  assert_int_equal(run(endless, "", LONG_MS, &output), PROCESS_ENDED);
  assert_true(output.length >= PROCESS_OUTPUT_LIMIT && output.length < 2 * PROCESS_OUTPUT_LIMIT);
  text_clear(&input);
  text_clear(&output);
}

static void test_ends(void **state) {
  (void)state;
  struct text output;
  text_init(&output);
  const char *const sleeper[] = {"sleep", "1000", NULL};
  assert_int_equal(run(sleeper, "", 20, &output), PROCESS_TIMED_OUT);
  assert_int_equal(process_run(sleeper, "", 0, LONG_MS, &(const volatile int){1}, &output),
                   PROCESS_STOPPED);
  assert_int_equal(run((const char *[]){"no-such-program-anywhere", NULL}, "", LONG_MS, &output),
                   PROCESS_MISSING);
  assert_int_equal(run((const char *[]){"/etc/passwd", NULL}, "", LONG_MS, &output),
                   PROCESS_MISSING);
  assert_int_equal(output.length, 0);
  text_clear(&output);
}

/* The limit is one of work: who neither gets the processor nor wants it has not used it up, but who
 * sleeps for ever is given up. */
static void test_work(void **state) {
  (void)state;
  struct text output;
  text_init(&output);
  const char *const spinning[] = {"sh", "-c", "while :; do :; done", NULL};
  assert_int_equal(run(spinning, "", 200, &output), PROCESS_TIMED_OUT);
  const char *const chatty[] = {"yes", NULL};
  assert_int_equal(run(chatty, "", 200, &output), PROCESS_TIMED_OUT);
  text_clear(&output);
  const char *const gone[] = {"sh", "-c", "sleep 60 & exit 0", NULL};
  assert_int_equal(run(gone, "", 20, &output), PROCESS_TIMED_OUT);
  /* stopped for much longer than the limit */
  const char *const stopped[] = {
      "sh", "-c",
      "(while ! grep -q '^State:.T' /proc/$$/status; do :; done; sleep 2; kill -CONT $$) >&- 2>&- &"
      "kill -STOP $$; echo answer",
      NULL};
  assert_int_equal(run(stopped, "", 300, &output), PROCESS_ENDED);
  assert_string_equal(text_get(&output), "answer\n");
  text_clear(&output);
}

static atomic_int wrong;

static void run_one(size_t index, void *context) {
  (void)context;
  struct text input, output;
  text_init(&input);
  text_init(&output);
  text_format(&input, "%zu", index);
  /* a child that inherited another's pipe would hold it open for the whole sleep */
  const char *script = index % 2 ? "cat; exec >&- 2>&-; sleep 0.2" : "cat";
  bool good = run((const char *[]){"sh", "-c", script, NULL}, input.data, LONG_MS, &output) ==
                  PROCESS_ENDED &&
              strcmp(text_get(&output), input.data) == 0;
  atomic_fetch_add(&wrong, !good);
  text_clear(&input);
  text_clear(&output);
}

static void test_several(void **state) {
  (void)state;
  parallel_run(8, 80, run_one, NULL);
  assert_int_equal(atomic_load(&wrong), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_output), cmocka_unit_test(test_no_shell),
      cmocka_unit_test(test_large),  cmocka_unit_test(test_ends),
      cmocka_unit_test(test_work),   cmocka_unit_test(test_several),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
