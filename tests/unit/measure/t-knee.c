/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Work and workers from one user and from many: exact numbers of a front that asks two others.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "measure/throughput/experiment/knee.h"
#include "measure/throughput/experiment/plan.h"
#include "measure/throughput/experiment/slowing.h"
#include "measure/throughput/experiment/talks.h"

struct trial {
  struct experiment_plan plan;
  struct talks talks;
  struct knee_count one[3], all[3];
  struct knee_service found[3];
};

/* A request takes 1 ms in the front, 2 in a store and twice 0.5 in another; then 64 users, of whom
 * the store's 3 workers can serve 1500 a second. */
static void begin(struct trial *trial) {
  *trial = (struct trial){.plan = {.count = 3}};
  strcpy(trial->plan.services[0].name, "front");
  strcpy(trial->plan.services[1].name, "store");
  strcpy(trial->plan.services[2].name, "store2");
  strcpy(trial->talks.inside[0], "store2, store");
  trial->one[0] = (struct knee_count){.ended = 500, .in_flight = 1, .share = {.all = 0.25}};
  trial->one[1] = (struct knee_count){
      .ended = 500, .in_flight = 0.5, .share = {.all = 0.1, .wanted = 0.4}, .poker = 0.05};
  trial->one[2] = (struct knee_count){.ended = 1000, .in_flight = 0.25, .share = {.all = 0.01}};
  trial->all[0] = (struct knee_count){.ended = 3000, .in_flight = 64};
  trial->all[1] = (struct knee_count){.ended = 3000, .in_flight = 60};
  trial->all[2] = (struct knee_count){.ended = 6000, .in_flight = 1.5};
}

static bool find(struct trial *trial) {
  bool known = knee_alone(trial->found, trial->one, 2, &trial->plan, &trial->talks);
  knee_loaded(trial->found, trial->all, 2, &trial->plan, &trial->talks);
  return known;
}

static void close_to(double found, double wanted) {
  if (!(fabs(found - wanted) <= 1e-9 * fmax(fabs(wanted), 1)))
    fail_msg("%.12g instead of %.12g", found, wanted);
}

static void numbers(void **state) {
  (void)state;
  struct trial trial;
  begin(&trial);
  assert_true(find(&trial));
  const struct knee_service *found = trial.found;
  close_to(found[0].alone_ns, 1e6);
  close_to(found[1].alone_ns, 2e6);
  close_to(found[2].alone_ns, 5e5);
  close_to(found[0].computes_ns, 1e6);
  close_to(found[1].computes_ns, 1.8e6);
  close_to(found[2].computes_ns, 2e4);
  assert_true(knee_computes(&found[0]) && knee_computes(&found[1]));
  assert_false(knee_computes(&found[2])); /* it waits */
  close_to(found[1].at_work, 3);
  close_to(found[1].waiting, 57);
  assert_int_equal(found[1].workers, 3);
  close_to(found[0].at_work, 1.5);
  close_to(found[0].waiting, 1);
  assert_int_equal(found[2].workers, 0); /* nobody waits in it */
}

/* What others of processors take makes 3 calls at work 3.4, or 3.6, as if there were 4 workers. */
static void contended(void **state) {
  (void)state;
  static const double wanted[] = {1.13, 1.2};
  for (size_t i = 0; i < 2; i++) {
    struct trial trial;
    begin(&trial);
    trial.all[1].share = (struct processor_share){.all = 1, .wanted = wanted[i]};
    find(&trial);
    assert_int_equal(trial.found[1].workers, i == 0 ? 3 : 0);
  }
  struct trial trial;
  begin(&trial);
  trial.all[1].ended = trial.all[0].ended = 600; /* 0.6 at work: not all of one */
  find(&trial);
  assert_int_equal(trial.found[1].workers, 0);
}

/* Called by nobody that is seen, by two, or not ended: whose time that is is not known. */
static void callers(void **state) {
  (void)state;
  struct trial trial;
  begin(&trial);
  strcpy(trial.talks.inside[0], "store2");
  assert_false(find(&trial));
  close_to(trial.found[1].alone_ns, 0);
  assert_int_equal(trial.found[1].workers, 0);
  begin(&trial);
  strcpy(trial.talks.inside[2], "store");
  assert_false(find(&trial));
  begin(&trial);
  strcpy(trial.talks.inside[2], "front");
  assert_false(find(&trial));
  begin(&trial);
  trial.one[2].ended = 0;
  assert_false(find(&trial));
  begin(&trial); /* at once: more than the front's own time */
  trial.one[1].in_flight = 0.9;
  assert_true(find(&trial));
  close_to(trial.found[0].alone_ns, 0);
  assert_false(knee_computes(&trial.found[0]));
}

/* The front's answers are held, for what it takes itself: as one user has shown it, or of 8 ms what the
 * others do not, which take 5 and twice 1. */
static void own_time(void **state) {
  (void)state;
  for (int users = 0; users < 2; users++) {
    struct trial trial;
    struct profile profile = {.services = {{.calls = 1, .work_ns = 8e6},
                                           {.calls = 1, .work_ns = 5e6},
                                           {.calls = 2, .work_ns = 1e6}}};
    begin(&trial);
    find(&trial);
    if (users)
      memcpy(profile.knee, trial.found, sizeof trial.found);
    profile.knee[0].alone_ns *= 1.5;
    profile.talks = trial.talks;
    trial.plan.services[0].slow = PLAN_SLOW_HOLD;
    assert_int_equal(slowing_choose(&profile, NULL, &trial.plan, 1), 0);
    assert_true(profile.services[0].held && !profile.services[1].held);
    assert_int_equal(profile.services[0].own_ns, users ? 1500000 : 1000000);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(numbers), cmocka_unit_test(contended),
                                     cmocka_unit_test(callers), cmocka_unit_test(own_time)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
