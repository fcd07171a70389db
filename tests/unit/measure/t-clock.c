/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The clocks: both are what they say, agree with each other, and tell who may subtract their ticks.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "measure/core/ticks.h"
#include "measure/record/clock.h"
#include "measure/tailproof_measure.h"

static uint64_t read_clock(const struct clock_facts *facts) {
  return facts->kind == TAILPROOF_CLOCK_TSC ? clock_counter() : clock_monotonic();
}

static void facts_are_plausible(const struct clock_facts *facts) {
  assert_true(facts->rate_down > 0 && facts->rate_down <= facts->rate_up);
  assert_true(facts->rate_up <= TICKS_RATE_ONE);
  assert_true(facts->identity != 0);
  assert_true(facts->resolution_ns >= 1);
  assert_true(facts->cost_ps >= 1);
}

/* 1 if the counter can be used here. */
static int counter(struct clock_facts *facts) {
  char why[128] = "";
  if (clock_choose(facts, TAILPROOF_CLOCK_TSC, why, sizeof why) == 0) {
    assert_int_equal(facts->kind, TAILPROOF_CLOCK_TSC);
    return 1;
  }
  assert_true(why[0] != '\0');
  print_message("# the counter is not used here: %s\n", why);
  return 0;
}

enum { NO_MOUNTS = 100 };

/* Where the kernel keeps its time by another clock: played by a file in the place of its answer. */
static int with_another_source(void) {
  char file[] = "/tmp/tailproof-clock-XXXXXX";
  int descriptor = mkstemp(file);
  if (descriptor < 0 || write(descriptor, "hpet\n", 5) != 5)
    return NO_MOUNTS;
  close(descriptor);
  int played = (unshare(CLONE_NEWNS) == 0 || unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0) &&
               mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
               mount(file, "/sys/devices/system/clocksource/clocksource0/current_clocksource", NULL,
                     MS_BIND, NULL) == 0;
  unlink(file);
  if (!played)
    return NO_MOUNTS;
  struct clock_facts facts = {.kind = 0};
  char why[128] = "";
  if (clock_choose(&facts, TAILPROOF_CLOCK_TSC, why, sizeof why) != ENOTSUP || why[0] == '\0')
    return 1;
  struct tailproof_store *store;
  struct tailproof_options options = {.folder = "/tmp", .clock = TAILPROOF_CLOCK_TSC};
  if (tailproof_open(&store, &options) != -ENOTSUP || strstr(tailproof_error(), why) == NULL)
    return 2;
  if (clock_choose(&facts, TAILPROOF_CLOCK_BEST, why, sizeof why) != 0)
    return 3;
  return facts.kind == TAILPROOF_CLOCK_MONOTONIC ? 0 : 4;
}

/* Runs first: what is found about the clocks is kept for the process and its children. */
static void a_counter_that_the_kernel_does_not_trust(void **state) {
  (void)state;
  pid_t child = fork();
  if (child == 0)
    _exit(with_another_source());
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status));
  if (WEXITSTATUS(status) == NO_MOUNTS) {
    print_message("# skip: no file system can be mounted here\n");
    skip();
  }
  assert_int_equal(WEXITSTATUS(status), 0);
}

static void the_best_clock(void **state) {
  (void)state;
  struct clock_facts best, facts;
  char why[128];
  assert_int_equal(clock_choose(&best, TAILPROOF_CLOCK_BEST, why, sizeof why), 0);
  facts_are_plausible(&best);
  assert_int_equal(best.kind, counter(&facts) ? TAILPROOF_CLOCK_TSC : TAILPROOF_CLOCK_MONOTONIC);
}

static void monotonic(void **state) {
  (void)state;
  struct clock_facts facts;
  char why[128];
  assert_int_equal(clock_choose(&facts, TAILPROOF_CLOCK_MONOTONIC, why, sizeof why), 0);
  facts_are_plausible(&facts);
  assert_int_equal(facts.kind, TAILPROOF_CLOCK_MONOTONIC);
  assert_true(facts.rate_up == TICKS_RATE_ONE && facts.rate_down == TICKS_RATE_ONE);
  uint64_t before = clock_now_ns(), between = clock_monotonic(), after = clock_now_ns();
  assert_true(before <= between && between <= after);
}

static void same_clock_same_identity(void **state) {
  (void)state;
  struct clock_facts best, plain;
  char why[128];
  clock_choose(&best, TAILPROOF_CLOCK_BEST, why, sizeof why);
  clock_choose(&plain, TAILPROOF_CLOCK_MONOTONIC, why, sizeof why);
  assert_int_equal(best.identity == plain.identity, best.kind == plain.kind);
}

/* A stretch on both clocks, each end bracketed: the counter's nanoseconds, rounded outward, hold
 * CLOCK_MONOTONIC's. It may be slewed between calibration and now, by 500 ppm at most. */
static void the_counter_keeps_time(void **state) {
  (void)state;
  struct clock_facts facts;
  if (!counter(&facts))
    skip();
  uint64_t first_before = clock_counter(), first = clock_monotonic(), first_after = clock_counter();
  struct timespec pause = {0, 20000000};
  nanosleep(&pause, NULL);
  uint64_t last_before = clock_counter(), last = clock_monotonic(), last_after = clock_counter();
  uint64_t most = ticks_to_ns_up(last_after - first_before, facts.rate_up);
  uint64_t least = ticks_to_ns_down(last_before - first_after, facts.rate_down);
  uint64_t spent = last - first;
  assert_true(spent <= most + most / 2000 + 1);
  assert_true(least <= spent + spent / 2000 + 1);
  assert_true(last_before > first_after);
}

/* A reading after a message is later than the one before it, whichever processors they are of. */
static void causes_come_first(void **state) {
  (void)state;
  struct clock_facts facts;
  char why[128];
  clock_choose(&facts, TAILPROOF_CLOCK_BEST, why, sizeof why);
  int there[2], back[2];
  assert_int_equal(pipe(there), 0);
  assert_int_equal(pipe(back), 0);
  pid_t child = fork();
  if (child == 0) {
    uint64_t asked;
    close(there[1]);
    while (read(there[0], &asked, sizeof asked) == (ssize_t)sizeof asked) {
      uint64_t now = read_clock(&facts);
      now = now < asked ? 0 : now;
      if (write(back[1], &now, sizeof now) != (ssize_t)sizeof now)
        _exit(1);
    }
    _exit(0);
  }
  for (int i = 0; i < 2000; i++) {
    uint64_t asked = read_clock(&facts), answered = 0;
    assert_int_equal(write(there[1], &asked, sizeof asked), sizeof asked);
    assert_int_equal(read(back[0], &answered, sizeof answered), sizeof answered);
    assert_true(answered != 0);
    assert_true(answered <= read_clock(&facts));
  }
  close(there[1]);
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_counter_that_the_kernel_does_not_trust),
      cmocka_unit_test(the_best_clock),
      cmocka_unit_test(monotonic),
      cmocka_unit_test(same_clock_same_identity),
      cmocka_unit_test(the_counter_keeps_time),
      cmocka_unit_test(causes_come_first),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
