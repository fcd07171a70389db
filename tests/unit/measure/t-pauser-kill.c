/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A pauser that pauses its service nearly all the time, and its guard, are killed at random
 * moments: the service always runs again, is not ended by it, and nothing is left behind. --kills N
 * does it N times, and then within two seconds each; --seed N.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/measure/pauser_heart.h"

enum { KILLS_USUAL = 20 };

/* What the process with the pauser says, in memory that outlives it. */
struct told {
  _Atomic int32_t service, guard;
  _Atomic uint64_t pauses;
  _Atomic int32_t end; /* it is to end the service and itself */
};

enum victim { VICTIM_PAUSER, VICTIM_GUARD, VICTIM_ABORTED, VICTIM_HALTED, VICTIM_BOTH, VICTIMS };
static const char *const victim_names[] = {"the pauser", "the guard", "the pauser, by SIGABRT",
                                           "the pauser, after SIGSTOP", "pauser and guard"};

static uint64_t kills = KILLS_USUAL, seed = 1;
static uint64_t within = 7200 * SECOND; /* a busy machine fails nothing */
static bool freezing;
static int processes; /* of the service */
static struct told *told;
static uint64_t worst_ns[VICTIMS];

static uint64_t draw(uint64_t below) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (seed >> 33) % below;
}

/* Pauses of 5 to 20 ms with 1 to 3 between. */
static void pause_all_the_time(enum pauser_mode mode) {
  struct pauser_options options = {
      .command = heart_command(processes == 1 ? "1" : "2"), .mode = mode, .uncalibrated = true};
  struct pauser_error error;
  struct pauser_report report;
  signal(SIGABRT, SIG_DFL);
  struct pauser *pauser = pauser_start(&options, &error);
  if (pauser == NULL) {
    printf("# %s\n", error.text);
    fflush(stdout);
    _exit(70);
  }
  for (uint64_t round = 1; atomic_load(&told->end) == 0; round++) {
    pauser_round(pauser, round, 5000000 + draw(15000000));
    for (int i = 0; i < 30; i++) { /* one that was late is made up for by the next */
      moment_sleep_until(moment_now() + 1000000);
      pauser_report(pauser, &report);
      atomic_store(&told->service, report.service);
      atomic_store(&told->guard, report.guard);
      atomic_store(&told->pauses, report.pauses);
      if (report.ledger.carried_ns <= 0)
        break;
    }
    moment_sleep_until(moment_now() + draw(2000000));
  }
  _exit(pauser_end(pauser, SIGTERM, patience) == 128 + SIGTERM ? 0 : 1);
}

static void await(bool (*condition)(int32_t), int32_t argument, const char *what) {
  uint64_t until_ns = moment_now() + patience;
  while (!condition(argument)) {
    if (moment_now() > until_ns)
      fail_msg("%s did not come within 20 s", what);
    moment_sleep_until(moment_now() + 500000);
  }
}

static bool has_paused(int32_t times) {
  return atomic_load(&told->pauses) >= (uint64_t)times;
}

static bool has_other_guard(int32_t guard) {
  int32_t now = atomic_load(&told->guard);
  return now != 0 && now != guard;
}

static bool no_child(int32_t none) {
  (void)none;
  pid_t ended;
  while ((ended = waitpid(-1, NULL, WNOHANG)) > 0)
    ;
  return ended < 0 && errno == ECHILD;
}

static void runs_again(enum victim victim) {
  uint64_t begun_ns = moment_now();
  if (!heart_beats(processes, within))
    fail_msg("the service was left stopped by the death of %s", victim_names[victim]);
  uint64_t taken_ns = moment_now() - begun_ns;
  if (taken_ns > worst_ns[victim])
    worst_ns[victim] = taken_ns;
}

/* Without its pauser the service is ours, the subreaper's; it runs, for good, and when it ends the
 * guard removes its cgroup and ends too. */
static void pauser_is_dead(pid_t pauser, enum victim victim, const char *cgroup) {
  pid_t service = atomic_load(&told->service);
  int status;
  runs_again(victim);
  assert_int_equal(waitpid(pauser, &status, 0), pauser);
  assert_true(WIFSIGNALED(status));
  for (int i = 0; i < 5; i++)
    assert_true(heart_beats(processes, patience));
  assert_int_equal(waitpid(service, &status, WNOHANG), 0);
  kill(-service, SIGKILL);
  await(no_child, 0, "the end of all processes");
  assert_false(strstr(cgroup, "/tailproof-") != NULL && cgroup_is_there(cgroup));
}

/* Another guard comes, pauses go on, and everything ends well. */
static void guard_is_dead(pid_t pauser, int32_t guard, const char *cgroup) {
  int status;
  runs_again(VICTIM_GUARD);
  await(has_other_guard, guard, "another guard");
  await(has_paused, (int32_t)atomic_load(&told->pauses) + 2, "a pause after that");
  atomic_store(&told->end, 1);
  assert_int_equal(waitpid(pauser, &status, 0), pauser);
  assert_int_equal(status, 0);
  await(no_child, 0, "the end of all processes");
  assert_false(strstr(cgroup, "/tailproof-") != NULL && cgroup_is_there(cgroup));
}

static void kill_once(enum victim victim, enum pauser_mode mode) {
  char cgroup[512];
  memset(told, 0, sizeof *told);
  pid_t pauser = fork();
  if (pauser == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    pause_all_the_time(mode);
  }
  await(has_paused, 1, "the first pause");
  int32_t guard = atomic_load(&told->guard);
  cgroup_of(atomic_load(&told->service), cgroup);
  moment_sleep_until(moment_now() + draw(50000000));
  if (victim == VICTIM_GUARD) {
    kill(guard, SIGKILL);
    guard_is_dead(pauser, guard, cgroup);
    return;
  }
  if (victim == VICTIM_HALTED) {
    kill(pauser, SIGSTOP);
    runs_again(victim);
  }
  if (victim == VICTIM_BOTH) { /* halted, as it would start another guard */
    kill(pauser, SIGSTOP);
    kill(guard, SIGKILL);
  }
  kill(pauser, victim == VICTIM_ABORTED ? SIGABRT : SIGKILL);
  pauser_is_dead(pauser, victim, cgroup);
}

static void test_kills(void **state) {
  (void)state;
  for (uint64_t i = 0; i < kills; i++) {
    enum victim victim = (enum victim)(i % VICTIMS);
    /* Without both, the kernel continues one process that was stopped by a signal. */
    processes = victim == VICTIM_BOTH ? 1 : 2;
    bool freeze = freezing && victim != VICTIM_BOTH && i / VICTIMS % 2 == 0;
    kill_once(victim, freeze ? PAUSER_FREEZE : PAUSER_SIGNAL);
  }
  for (int i = 0; i < VICTIMS; i++)
    printf("# %s killed: the service ran within %.1f ms\n", victim_names[i],
           (double)worst_ns[i] / 1e6);
}

int main(int count, char **arguments) {
  if (count == 4 && strcmp(arguments[1], "--heart") == 0)
    return heart_main(arguments);
  for (int i = 1; i + 1 < count; i += 2) {
    uint64_t number = strtoull(arguments[i + 1], NULL, 10);
    if (strcmp(arguments[i], "--kills") == 0) {
      kills = number;
      within = 2 * SECOND;
    } else if (strcmp(arguments[i], "--seed") == 0) {
      seed = number;
    }
  }
  told = mmap(NULL, sizeof *told, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  if (told == MAP_FAILED || heart_make() != 0)
    return 70;
  freezing = can_freeze();
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_kills)};
  int failed = cmocka_run_group_tests_name("pauser killed", tests, NULL, NULL);
  unlink(heart_path);
  return failed;
}
