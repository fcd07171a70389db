/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Children: what they read and write, ends of all kinds, several at a time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/confine.h"
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

/* --- children that are kept from files and from the network --- */

static int taken;

static void *ask_taken(void *context) {
  (void)context;
  taken = confine_thread();
  return NULL;
}

/* What a thread has given up others have still. */
static void own_files_are_written(void) {
  FILE *own = tmpfile();
  assert_non_null(own);
  fclose(own);
}

static void expect_apart(const char *folder, const char *const *argv, const char *input,
                         const char *wanted) {
  struct text output;
  text_init(&output);
  assert_int_equal(process_run_apart(folder, argv, input, strlen(input), LONG_MS, NULL, &output),
                   PROCESS_ENDED);
  if (strstr(text_get(&output), wanted) == NULL)
    fail_msg("%s %s: \"%s\" instead of \"%s\"", argv[0], argv[1], text_get(&output), wanted);
  text_clear(&output);
}

static void in_shell(const char *folder, const char *script, const char *wanted) {
  expect_apart(folder, (const char *[]){"sh", "-c", script, NULL}, "in", wanted);
}

static void test_apart(void **state) {
  (void)state;
  char folder[] = "/tmp/tailproof-process-XXXXXX", path[64];
  assert_non_null(mkdtemp(folder));
  in_shell(folder, "pwd; cat; echo out >&2", "in");
  in_shell(folder, "pwd", folder);
  in_shell(folder, "echo lost >/dev/null && echo good", "good");
  struct text none;
  text_init(&none);
  assert_int_equal(process_run_apart("/no/such/folder", (const char *[]){"cat", NULL}, "", 0,
                                     LONG_MS, NULL, &none),
                   PROCESS_MISSING);
  text_clear(&none);
  if (taken & CONFINED_FILES) {
    snprintf(path, sizeof path, "%s/kept", folder);
    fclose(fopen(path, "w"));
    in_shell(folder, "(echo x >new) 2>&1; (echo x >>kept) 2>&1; ls", "kept");
    static const char *const scripts[] = {"rm -f kept", "mv kept new",       "ln kept new",
                                          "mkdir new",  "ln -s kept new",    "mkfifo new",
                                          "true >kept", "dd of=kept count=0"};
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
      char script[128];
      snprintf(script, sizeof script, "%s 2>/dev/null && echo done || echo not done", scripts[i]);
      in_shell(folder, script, "not done");
    }
    /* what solvers would do */
    static const char channel[] =
        "(set-option :regular-output-channel \"new\")(set-option :diagnostic-output-channel "
        "\"new\")(echo \"x\")(check-sat)\n";
    static const char *const solvers[][4] = {{"z3", "-in", "-smt2", NULL},
                                             {"cvc5", "--lang=smt2", "-", NULL},
                                             {"cvc4", "--lang=smt2", "-", NULL}};
    for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++)
      expect_apart(folder, solvers[i], channel, "");
    struct stat about;
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_size, 0);
    assert_int_equal(unlink(path), 0);
  }
  assert_int_equal(rmdir(folder), 0); /* nothing else is in it */
  if (taken & CONFINED_NETWORK)
    expect_apart("/",
                 (const char *[]){"python3", "-Sc",
                                  "import socket\nfor f in socket.AF_INET, socket.AF_UNIX:\n try: "
                                  "socket.socket(f)\n except PermissionError: print('none')",
                                  NULL},
                 "", "none\nnone");
  own_files_are_written();
}

int main(void) {
  pthread_t asker;
  if (pthread_create(&asker, NULL, ask_taken, NULL) != 0 || pthread_join(asker, NULL) != 0)
    return 1;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_output), cmocka_unit_test(test_no_shell),
      cmocka_unit_test(test_large),  cmocka_unit_test(test_ends),
      cmocka_unit_test(test_work),   cmocka_unit_test(test_several),
      cmocka_unit_test(test_apart),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
