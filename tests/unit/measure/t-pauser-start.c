/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A service is started in a group of its own and ended, and nothing is left of it. Run with --heart
 * it is that service.
 */
#define _GNU_SOURCE /* pipe2 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/measure/pauser_heart.h"

/* The number of a group that is asked for right after fork is the parent's. */
static void test_group(void **state) {
  (void)state;
  char name[] = "sleep", time[] = "1000", *command[] = {name, time, NULL};
  for (int i = 0; i < 200; i++) {
    struct pauser *pauser = start(command, PAUSER_SIGNAL);
    pid_t service = report_of(pauser).service;
    assert_true(service > 1 && service != getpgrp());
    assert_int_equal(getpgid(service), service);
    assert_int_equal(getsid(service), service);
    assert_int_equal(pauser_end(pauser, SIGKILL, patience), 128 + SIGKILL);
    assert_no_child();
  }
}

static void test_cannot_run(void **state) {
  (void)state;
  char missing[] = "/nowhere/nothing", folder[] = "/tmp";
  char *names[] = {missing, folder};
  for (int i = 0; i < 2; i++)
    for (int mode = PAUSER_AUTO; mode <= PAUSER_SIGNAL; mode += PAUSER_SIGNAL) {
      char *command[] = {names[i], NULL};
      struct pauser_options options = {
          .command = command, .mode = (enum pauser_mode)mode, .uncalibrated = true};
      struct pauser_error error;
      assert_null(pauser_start(&options, &error));
      assert_int_equal(error.exit_code, 69);
      assert_non_null(strstr(error.text, names[i]));
      assert_null(strchr(error.text, '\n'));
      assert_no_child();
    }
}

static void test_exit_codes(void **state) {
  (void)state;
  struct pauser *pauser = start_shell("exit 7", PAUSER_AUTO);
  struct pollfd event = {.fd = pauser_event(pauser), .events = POLLIN};
  assert_int_equal(poll(&event, 1, -1), 1);
  await_state(pauser, PAUSE_GONE);
  pauser_round(pauser, 5, 1000000); /* nobody is there to be paused */
  assert_int_equal(report_of(pauser).pauses, 0);
  assert_int_equal(pauser_end(pauser, SIGTERM, patience), 7);
  pauser = start_shell("kill -USR1 $$", PAUSER_SIGNAL);
  assert_int_equal(pauser_end(pauser, 0, patience), 128 + SIGUSR1);
  pauser = start_shell("trap 'exit 5' TERM; while :; do sleep 0.01; done", PAUSER_SIGNAL);
  moment_sleep_until(moment_now() + 200000000);
  int code = pauser_end(pauser, SIGTERM, patience);
  assert_true(code == 5 || code == 128 + SIGTERM); /* before the trap was set */
  pauser = start_shell("trap '' TERM; exec sleep 1000", PAUSER_SIGNAL);
  moment_sleep_until(moment_now() + 200000000);
  code = pauser_end(pauser, SIGTERM, SECOND / 5);
  assert_true(code == 128 + SIGKILL || code == 128 + SIGTERM);
  assert_no_child();
}

/* What is left of the group goes with a service that is ended, and stays with one that ends. */
static void test_leftover(void **state) {
  (void)state;
  for (int told = 0; told <= 1; told++) {
    struct pauser *pauser = start_shell("sleep 1000 & exit 3", PAUSER_AUTO);
    pid_t group = report_of(pauser).service;
    await_state(pauser, PAUSE_GONE);
    assert_int_equal(pauser_end(pauser, told ? SIGTERM : 0, patience), 3);
    assert_int_equal(kill(-group, 0), told ? -1 : 0);
    kill(-group, SIGKILL);
    while (waitpid(-1, NULL, 0) > 0) /* it is ours now */
      ;
  }
}

static void test_environment(void **state) {
  (void)state;
  char a[] = "TAILPROOF_A=one two", b[] = "TAILPROOF_B=new", *more[] = {a, b, NULL};
  char shell[] = "sh", option[] = "-c";
  char script[] =
      "test \"$TAILPROOF_A\" = 'one two' && test \"$TAILPROOF_B\" = new && "
      "test \"$(env | grep -c '^TAILPROOF_B=')\" = 1 && test -n \"$PATH\" && "
      "grep -qE '^SigBlk:.0+$' /proc/self/status && " /* of grep: some awks ignore SIGPIPE */
      "grep -qE '^SigIgn:.[0-9a-f]*[02468ace]...$' /proc/self/status && exit 9; exit 1";
  char *command[] = {shell, option, script, NULL};
  setenv("TAILPROOF_B", "old", 1);
  struct pauser_options options = {
      .command = command, .environment = more, .mode = PAUSER_SIGNAL, .uncalibrated = true};
  struct pauser_error error;
  sigset_t some, before;
  sigemptyset(&some);
  sigaddset(&some, SIGUSR2);
  sigprocmask(SIG_BLOCK, &some, &before);
  signal(SIGPIPE, SIG_IGN);
  struct pauser *pauser = pauser_start(&options, &error);
  signal(SIGPIPE, SIG_DFL);
  sigprocmask(SIG_SETMASK, &before, NULL);
  assert_non_null(pauser);
  assert_int_equal(pauser_end(pauser, 0, patience), 9);
}

/* Neither the guard nor the service keeps a descriptor of ours. */
static void test_descriptors(void **state) {
  (void)state;
  int ends[2];
  assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
  struct pauser *pauser = start_hearts(1, PAUSER_AUTO);
  close(ends[1]);
  struct pollfd reader = {.fd = ends[0], .events = POLLIN};
  assert_int_equal(poll(&reader, 1, (int)(patience / 1000000)), 1);
  assert_true(reader.revents & POLLHUP);
  close(ends[0]);
  pauser_end(pauser, SIGKILL, patience);
}

static void test_no_freezing(void **state) {
  (void)state;
  if (getuid() != 0) {
    printf("# SKIP freezing without the right to: not root\n");
    return;
  }
  pid_t child = fork();
  if (child == 0) {
    char name[] = "true", *command[] = {name, NULL};
    struct pauser_options options = {.command = command, .mode = PAUSER_FREEZE};
    struct pauser_error error = {0};
    bool left = setgid(65534) == 0 && setuid(65534) == 0;
    bool refused = pauser_start(&options, &error) == NULL && error.exit_code == 69 &&
                   strstr(error.text, "signals") != NULL;
    options.mode = PAUSER_AUTO;
    struct pauser *pauser = pauser_start(&options, &error);
    bool usual = pauser != NULL && report_of(pauser).mode == PAUSER_SIGNAL;
    _exit(left && refused && usual && pauser_end(pauser, 0, patience) == 0 ? 0 : 1);
  }
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
}

int main(int count, char **arguments) {
  if (count == 4 && strcmp(arguments[1], "--heart") == 0)
    return heart_main(arguments);
  prctl(PR_SET_CHILD_SUBREAPER, 1); /* so that what is left behind is seen */
  if (heart_make() != 0)
    return 70;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_group),       cmocka_unit_test(test_cannot_run),
      cmocka_unit_test(test_exit_codes),  cmocka_unit_test(test_leftover),
      cmocka_unit_test(test_environment), cmocka_unit_test(test_descriptors),
      cmocka_unit_test(test_no_freezing),
  };
  int failed = cmocka_run_group_tests_name("pauser: starting and ending", tests, NULL, NULL);
  unlink(heart_path);
  return failed;
}
