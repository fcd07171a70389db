/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Pausing one service: that all of it stands still and goes on, whatever happens meanwhile. Run
 * with --heart it is that service.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/measure/pauser_heart.h"

#include "measure/throughput/pause/brake.h"
#include "measure/throughput/pause/calibrate.h"

#include <sys/time.h>

static bool freezing;

/* ---- pausing ---- */

static void stands_and_goes_on(enum pauser_mode mode) {
  struct pauser *pauser = start_hearts(4, mode);
  pauser_round(pauser, 3, SECOND / 5);
  await_state(pauser, PAUSE_STOPPED);
  uint64_t begun_ns = moment_now();
  assert_in_range(report_of(pauser).pausing_since_ns, 1, begun_ns);
  bool stood = heart_stands(4, SECOND / 20);
  /* A machine that kept this test waiting until the pause was over has shown nothing. */
  assert_true(stood || moment_now() > begun_ns + 11 * SECOND / 20);
  await_pauses(pauser, 1);
  assert_true(heart_beats(4, patience));
  struct pauser_report report = report_of(pauser);
  assert_int_equal(report.ledger.owed_ns, 3 * (SECOND / 5));
  assert_true(report.ledger.realised_ns + report.lead_ns >= report.ledger.owed_ns);
  assert_int_equal(report.ledger.carried_ns,
                   (int64_t)(report.ledger.owed_ns - report.ledger.realised_ns));
  assert_int_equal(report.pausing_since_ns, 0);
  assert_int_equal(report.mode, mode);
  pauser_end(pauser, SIGKILL, patience);
  assert_no_child();
}

static void test_stands(void **state) {
  (void)state;
  stands_and_goes_on(PAUSER_SIGNAL);
  if (freezing)
    stands_and_goes_on(PAUSER_FREEZE);
}

/* Two on one host have nothing in common. */
static void test_two(void **state) {
  (void)state;
  char name[] = "sleep", time[] = "1000", *command[] = {name, time, NULL};
  struct pauser *other = start(command, PAUSER_AUTO), *pauser = start_hearts(1, PAUSER_AUTO);
  pauser_round(other, 30, SECOND);
  await_state(other, PAUSE_STOPPED);
  assert_true(heart_beats(1, patience));
  pauser_round(pauser, 1, SECOND / 100);
  await_pauses(pauser, 1);
  assert_int_equal(pauser_end(pauser, SIGTERM, patience), 128 + SIGTERM);
  assert_int_equal(report_of(other).state, PAUSE_STOPPED);
  assert_int_equal(pauser_end(other, SIGTERM, patience), 128 + SIGTERM);
}

static void test_ledger(void **state) {
  (void)state;
  struct pauser *pauser = start_hearts(1, PAUSER_AUTO);
  uint64_t begun_ns = moment_now();
  for (uint64_t i = 1; i <= 40; i++) {
    pauser_round(pauser, 10 * i, 100000);
    pauser_round(pauser, 10 * i, 100000); /* of no request */
    moment_sleep_until(moment_now() + 2000000);
  }
  pauser_round(pauser, 5, 100000); /* fewer than before */
  await_settled(pauser);
  struct pauser_report report = report_of(pauser);
  assert_int_equal(report.rounds, 81);
  assert_int_equal(report.ledger.owed_ns, 40 * SECOND / 1000);
  assert_in_range(report.pauses, 1, 80);
  assert_true(report.ledger.realised_ns <=
              moment_now() - begun_ns + report.pauses * report.offset_ns);
  pauser_end(pauser, SIGKILL, patience);
}

static void test_limits(void **state) {
  (void)state;
  struct pauser *pauser = start_hearts(1, PAUSER_SIGNAL);
  pauser_settle(pauser, 100); /* these owe nothing */
  pauser_limits(pauser, SECOND / 100, SECOND / 50);
  pauser_round(pauser, 104, SECOND / 500);
  assert_int_equal(report_of(pauser).ledger.owed_ns, 4 * SECOND / 500);
  assert_true(heart_beats(1, patience));
  assert_int_equal(report_of(pauser).pauses, 0); /* below the least */
  pauser_round(pauser, 120, SECOND / 500);       /* 40 ms are due, and 20 the most */
  await_pauses(pauser, 1);
  struct pauser_report report = report_of(pauser);
  assert_int_equal(report.ledger.owed_ns, 20 * SECOND / 500);
  assert_in_range(report.ledger.realised_ns, SECOND / 50, 100 * SECOND);
  pauser_round(pauser, 200, UINT64_MAX); /* saturates */
  assert_int_equal(report_of(pauser).ledger.owed_ns, PAUSE_TOTAL_MAX);
  await_pauses(pauser, 2);
  pauser_end(pauser, SIGKILL, patience);
}

static void test_calibrated(void **state) {
  (void)state;
  for (int mode = freezing ? PAUSER_FREEZE : PAUSER_SIGNAL; mode <= PAUSER_SIGNAL; mode++) {
    struct pauser_options options = {.command = heart_command("1"), .mode = (enum pauser_mode)mode};
    struct pauser_error error;
    struct pauser *pauser = pauser_start(&options, &error);
    assert_non_null(pauser);
    struct pauser_report report = report_of(pauser);
    assert_in_range(report.offset_ns, 1, CALIBRATE_MOST_NS);
    assert_in_range(report.lead_ns, 1, CALIBRATE_MOST_NS);
    pauser_end(pauser, SIGKILL, patience);
  }
  uint64_t figures[] = {7, 3, 900, 5, 1000000};
  assert_int_equal(calibrate_quantile(figures, 5, 2), 7);
  assert_int_equal(calibrate_quantile(figures, 5, 1), 5);
  assert_int_equal(calibrate_quantile(figures + 4, 1, 2), CALIBRATE_MOST_NS);
  assert_int_equal(calibrate_quantile(figures, 0, 2), 0);
  const uint64_t tail[] = {10000, CALIBRATE_MOST_NS, 11000, 12000, 9000000, 29000};
  assert_int_equal(calibrate_mean(tail, 6), 15500);
  assert_int_equal(calibrate_mean(tail + 1, 1), CALIBRATE_MOST_NS);
  assert_int_equal(calibrate_mean(tail, 0), 0);
  assert_no_child();
}

/* ---- what goes wrong ---- */

static void test_no_group(void **state) {
  (void)state;
  const pid_t wrong[] = {0, 1, -1, getpgrp()};
  for (int i = 0; i < 4; i++) {
    struct brake brake = {.mode = PAUSER_SIGNAL, .group = wrong[i]};
    assert_false(brake_stop(&brake));
    assert_false(brake_continue(&brake));
  }
}

static void on_alarm(int signal) {
  (void)signal;
}

/* Everything is interrupted all the time. */
static void test_interrupted(void **state) {
  (void)state;
  struct sigaction action = {.sa_handler = on_alarm}, before; /* without SA_RESTART */
  struct itimerval storm = {{0, 300}, {0, 300}}, calm = {0};
  sigaction(SIGALRM, &action, &before);
  setitimer(ITIMER_REAL, &storm, NULL);
  for (int mode = PAUSER_AUTO; mode <= PAUSER_SIGNAL; mode += PAUSER_SIGNAL) {
    struct pauser_options options = {.command = heart_command("1"), .mode = (enum pauser_mode)mode};
    struct pauser_error error;
    struct pauser *pauser = pauser_start(&options, &error);
    assert_non_null(pauser);
    for (uint64_t i = 1; i <= 10; i++) {
      pauser_round(pauser, i, SECOND / 200);
      await_settled(pauser);
    }
    assert_in_range(report_of(pauser).pauses, 1, 10);
    assert_true(heart_beats(1, patience));
    assert_int_equal(pauser_end(pauser, SIGTERM, patience), 128 + SIGTERM);
  }
  setitimer(ITIMER_REAL, &calm, NULL);
  sigaction(SIGALRM, &before, NULL);
  assert_no_child();
}

static void ends_in_a_pause(enum pauser_mode mode) {
  struct pauser *pauser = start_hearts(3, mode);
  char cgroup[512];
  cgroup_of(report_of(pauser).service, cgroup);
  pauser_round(pauser, 30, SECOND);
  await_state(pauser, PAUSE_STOPPED);
  kill(report_of(pauser).service, SIGKILL);
  struct pollfd event = {.fd = pauser_event(pauser), .events = POLLIN};
  assert_int_equal(poll(&event, 1, -1), 1);
  await_state(pauser, PAUSE_GONE);
  /* What is left of the group was continued: it could not take SIGTERM otherwise. */
  assert_int_equal(pauser_end(pauser, SIGTERM, patience), 128 + SIGKILL);
  assert_true(mode == PAUSER_SIGNAL || strstr(cgroup, "/tailproof-") != NULL);
  assert_true(mode == PAUSER_SIGNAL || !cgroup_is_there(cgroup));
}

static void test_ends_in_a_pause(void **state) {
  (void)state;
  ends_in_a_pause(PAUSER_SIGNAL);
  if (freezing)
    ends_in_a_pause(PAUSER_FREEZE);
}

/* A pause of an hour, and the service is to end: it is continued and told at once. */
static void test_told_in_a_pause(void **state) {
  (void)state;
  for (int mode = freezing ? PAUSER_FREEZE : PAUSER_SIGNAL; mode <= PAUSER_SIGNAL; mode++) {
    struct pauser *pauser = start_hearts(2, (enum pauser_mode)mode);
    pauser_round(pauser, 3600, SECOND);
    await_state(pauser, PAUSE_STOPPED);
    uint64_t begun_ns = moment_now();
    assert_int_equal(pauser_end(pauser, SIGTERM, patience), 128 + SIGTERM);
    assert_true(moment_now() - begun_ns < 1800 * SECOND); /* not by the pause's end */
    pauser = start_hearts(2, (enum pauser_mode)mode);
    pauser_round(pauser, 3600, SECOND);
    await_state(pauser, PAUSE_STOPPED);
    pauser_cancel(pauser);
    await_state(pauser, PAUSE_RUNNING);
    assert_true(heart_beats(2, patience));
    pauser_end(pauser, SIGKILL, patience);
  }
}

static bool is_stopped(pid_t pid) {
  siginfo_t info = {0};
  waitid(P_PID, (id_t)pid, &info, WSTOPPED | WNOWAIT | WNOHANG);
  return info.si_pid == pid;
}

enum { RESCUED, NOT_HALTED_IN_A_PAUSE, WRONG };

/* A process with a pauser, that is halted in a pause of 0.4 s as soon as it says so. */
static void be_halted(_Atomic int *says) {
  struct pauser *pauser = start_hearts(2, PAUSER_AUTO);
  pauser_round(pauser, 4, SECOND / 10);
  await_state(pauser, PAUSE_STOPPED);
  atomic_store(says, 1);
  await_pauses(pauser, 1);
  struct pauser_report report = report_of(pauser);
  pauser_end(pauser, SIGKILL, patience);
  if (report.rescues == 0)
    _exit(NOT_HALTED_IN_A_PAUSE);
  /* It stood half a second longer than was due. */
  _exit(report.rescues == 1 && report.ledger.realised_ns >= 9 * SECOND / 10 ? RESCUED : WRONG);
}

/* The guard continues the service of a pauser that does not, and the pauser learns of it. */
static void test_rescue(void **state) {
  (void)state;
  int status = -1;
  for (int i = 0; i < 100 && status != 0; i++) {
    _Atomic int *says =
        mmap(NULL, sizeof *says, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(says, MAP_FAILED);
    pid_t child = fork();
    if (child == 0)
      be_halted(says);
    uint64_t until_ns = moment_now() + patience;
    while (atomic_load(says) == 0) {
      assert_true(moment_now() < until_ns);
      moment_sleep_until(moment_now() + 500000);
    }
    kill(child, SIGSTOP);
    assert_true(heart_beats(2, patience));
    kill(child, SIGCONT);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(status == 0 || WEXITSTATUS(status) == NOT_HALTED_IN_A_PAUSE);
    munmap(says, sizeof *says);
  }
  assert_int_equal(status, 0);
}

static void test_stopped_by_another(void **state) {
  (void)state;
  struct pauser *pauser = start_hearts(1, PAUSER_SIGNAL);
  pid_t service = report_of(pauser).service;
  kill(service, SIGSTOP);
  uint64_t until_ns = moment_now() + patience;
  while (!is_stopped(service))
    assert_true(moment_now() < until_ns);
  pauser_round(pauser, 1, SECOND / 100);
  while (report_of(pauser).refused == 0)
    assert_true(moment_now() < until_ns);
  assert_true(is_stopped(service));
  assert_int_equal(report_of(pauser).pauses, 0);
  kill(service, SIGCONT);
  assert_true(heart_beats(1, patience));
  pauser_round(pauser, 1, 0); /* what was refused is still due */
  await_pauses(pauser, 1);
  assert_in_range(report_of(pauser).ledger.realised_ns, SECOND / 100, 100 * SECOND);
  pauser_end(pauser, SIGKILL, patience);
}

int main(int count, char **arguments) {
  if (count == 4 && strcmp(arguments[1], "--heart") == 0)
    return heart_main(arguments);
  prctl(PR_SET_CHILD_SUBREAPER, 1); /* so that what is left behind is seen */
  if (heart_make() != 0)
    return 70;
  freezing = can_freeze();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_stands),
      cmocka_unit_test(test_two),
      cmocka_unit_test(test_ledger),
      cmocka_unit_test(test_limits),
      cmocka_unit_test(test_calibrated),
      cmocka_unit_test(test_no_group),
      cmocka_unit_test(test_interrupted),
      cmocka_unit_test(test_ends_in_a_pause),
      cmocka_unit_test(test_told_in_a_pause),
      cmocka_unit_test(test_rescue),
      cmocka_unit_test(test_stopped_by_another),
  };
  int failed = cmocka_run_group_tests_name("pauser: pausing", tests, NULL, NULL);
  unlink(heart_path);
  return failed;
}
