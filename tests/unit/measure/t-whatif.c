/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a change asks of whom, and windows: measured in a model of services in virtual time,
 * whose throughput with really shorter work is known, and in models that do what they should not.
 */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "measure/throughput/core/predict.h"
#include "measure/throughput/experiment/window_judge.h"
#include "measure/throughput/experiment/window.h"
#include "tests/unit/measure/core_random.h"

/* --- services in virtual time --------------------------------------------------------------------
 */

enum fault { NO_FAULT, LATE, MISSING_PAUSES, MORE_CALLS, STARVED, NO_ROUNDS, FEW_ROUNDS, FAILS };

struct model {
  const struct experiment_plan *plan;
  double work_ns[PLAN_SERVICES], calls[PLAN_SERVICES];
  uint32_t workers[PLAN_SERVICES];
  struct director_setting settings[PLAN_SERVICES];
  double users, realised[PLAN_SERVICES], owed[PLAN_SERVICES], busy[PLAN_SERVICES];
  double rounds, late;
  uint64_t now_ns;
  uint32_t last_set;
  enum fault fault;
};

/* ns of one user request, where it takes longest. */
static double period(const struct model *model, uint32_t *limit) {
  double longest = 0;
  for (uint32_t s = 0; s < model->plan->count; s++) {
    double each = model->calls[s] * (model->work_ns[s] / model->workers[s] +
                                     (double)model->settings[s].per_request_ns);
    if (each > longest)
      longest = each, *limit = s;
  }
  return longest;
}

static int model_set(void *context, uint32_t service, const struct director_setting *setting) {
  struct model *model = context;
  assert_true(setting->epoch > model->settings[service].epoch);
  model->settings[service] = *setting;
  model->last_set = service;
  return 0;
}

static int model_wait(void *context, uint64_t until_ns) {
  struct model *model = context;
  uint32_t limit = 0;
  if (model->fault == FAILS && model->users > 500)
    return -ECHILD;
  if (until_ns <= model->now_ns)
    return 0;
  double passed = (double)(until_ns - model->now_ns), users = passed / period(model, &limit);
  model->now_ns = until_ns;
  if (model->fault == STARVED && model->users > 500)
    return 0;
  model->users += users;
  for (uint32_t s = 0; s < model->plan->count; s++) {
    double calls = users * model->calls[s];
    double owed = calls * (double)model->settings[s].per_request_ns;
    model->owed[s] += owed;
    model->realised[s] += model->fault == MISSING_PAUSES ? owed / 2 : owed;
    model->busy[s] += calls * model->work_ns[s] + owed * model->workers[s];
    if (model->settings[s].batch != 0)
      model->rounds += calls / (double)model->settings[s].batch;
  }
  return 0;
}

static int model_ask(void *context, uint32_t service, struct director_report *report) {
  const struct model *model = context;
  memset(report, 0, sizeof *report);
  uint64_t *values = report->values;
  double more = model->fault == MORE_CALLS && service == 1 && model->users > 1500
                    ? (model->users - 1500) * 0.5
                    : 0;
  uint64_t begun = (uint64_t)(model->users * model->calls[service] + more);
  uint64_t rounds = (uint64_t)model->rounds;
  values[POKE_AT_NS] = model->now_ns;
  values[POKE_BEGUN] = values[POKE_ENDED] = begun;
  values[POKE_BUSY_NS] = (uint64_t)model->busy[service];
  values[POKE_OWED_NS] = (uint64_t)model->owed[service];
  values[POKE_REALISED_NS] = (uint64_t)model->realised[service];
  values[POKE_ROUNDS] = model->fault == FEW_ROUNDS && service == 1 ? rounds / 2 : rounds;
  if (model->fault == NO_ROUNDS)
    values[POKE_ROUNDS] = 0;
  values[POKE_PAUSES] = rounds;
  values[POKE_LATE_PAUSES] = model->fault == LATE ? rounds / 2 : 0;
  values[POKE_AT_ONCE] = model->workers[service];
  return 0;
}

static uint64_t model_now(void *context) {
  return ((struct model *)context)->now_ns;
}

static const char *model_trouble(void *context) {
  (void)context;
  return "it failed";
}

static struct window_world world_of(struct model *model) {
  return (struct window_world){.context = model,
                               .set = model_set,
                               .ask = model_ask,
                               .wait = model_wait,
                               .now = model_now,
                               .trouble = model_trouble};
}

static struct window_setting setting_of(const struct change_pauses *pauses, uint64_t epoch,
                                        uint64_t batch) {
  struct window_setting setting = {
      .epoch = epoch, .leader = pauses->leader, .saved_ps = pauses->saved_ps};
  memcpy(setting.pause_ns, pauses->pause_ns, sizeof setting.pause_ns);
  memcpy(setting.own_ps, pauses->own_ps, sizeof setting.own_ps);
  setting.batch[pauses->leader] = batch;
  return setting;
}

static void profile_of(struct profile *profile, struct model *model, struct window *window,
                       uint64_t *epoch) {
  struct window_world world = world_of(model);
  struct window_setting none = {.epoch = ++*epoch};
  char message[PLAN_MESSAGE];
  assert_int_equal(window_run(window, &world, model->plan, &none, NULL), 0);
  assert_true(window->good);
  assert_true(window_profile(profile, window, model->plan, message));
}

static double predicted(const struct window *window) {
  struct predict_run run = {.window_ns = window->window_ns - window->paused_ns,
                            .requests = window->requests,
                            .saved_ps = window->saved_ps};
  uint64_t low_ns, high_ns;
  assert_int_equal(predict_window(&run, &low_ns, &high_ns), 1);
  return (double)low_ns / (double)window->requests;
}

/* A random system of `count` services. */
static void draw_model(struct model *model, struct experiment_plan *plan, uint32_t count) {
  memset(model, 0, sizeof *model);
  memset(plan, 0, sizeof *plan);
  plan->count = count;
  plan->warmup_ns = 200000000;
  plan->window_ns = 1000000000;
  model->plan = plan;
  for (uint32_t s = 0; s < count; s++) {
    snprintf(plan->services[s].name, PLAN_NAME, "s%u", s);
    model->work_ns[s] = 100000 + (double)(core_random() % 900000);
    model->calls[s] = s == 0 ? 1 : 0.25 * (double)(1 + core_random() % 8);
    model->workers[s] = 1 + (uint32_t)(core_random() % 3);
  }
}

/* Slowing the others predicts what shorter work gives, for every target and level. */
static void predictions(void **state) {
  (void)state;
  for (int round = 0; round < 300; round++) {
    struct experiment_plan plan;
    struct model model;
    struct profile profile;
    struct window first, window;
    struct change_pauses pauses;
    char message[PLAN_MESSAGE];
    uint64_t epoch = 0;
    draw_model(&model, &plan, 1 + (uint32_t)(core_random() % 6));
    profile_of(&profile, &model, &first, &epoch);
    struct change change = {.count = 1};
    change.parts[0].service = (uint32_t)(core_random() % plan.count);
    change.parts[0].share_ppm = 10000 + (uint32_t)(core_random() % 850000);
    if (plan.count > 2 && core_random() % 2) {
      change.parts[change.count++] = (struct change_part){
          .service = (change.parts[0].service + 1) % plan.count, .share_ppm = 300000};
    }
    assert_true(change_pauses(&pauses, &change, &plan, &profile, message));
    struct window_setting setting = setting_of(&pauses, ++epoch, 10);
    struct window_world world = world_of(&model);
    assert_int_equal(window_run(&window, &world, &plan, &setting, &profile), 0);
    assert_int_equal(model.last_set, pauses.leader); /* who begins rounds is told last */
    if (!window.good)
      fail_msg("round %d: %s", round, window.reason);
    struct model faster = model;
    memset(faster.settings, 0, sizeof faster.settings);
    for (uint32_t i = 0; i < change.count; i++)
      faster.work_ns[change.parts[i].service] *= 1 - change.parts[i].share_ppm / 1e6;
    uint32_t limit = 0;
    double truth = period(&faster, &limit), found = predicted(&window);
    if (fabs(found / truth - 1) > 0.01)
      fail_msg("round %d: %u services, %s: %g ns instead of %g", round, plan.count,
               plan.services[change.parts[0].service].name, found, truth);
  }
}

static void profiles(void **state) {
  (void)state;
  struct experiment_plan plan;
  struct model model;
  struct profile profile;
  struct window window;
  uint64_t epoch = 0;
  draw_model(&model, &plan, 5);
  plan.services[2].workers = 9;
  plan.services[3].work_ns = 4242;
  profile_of(&profile, &model, &window, &epoch);
  for (uint32_t s = 0; s < 5; s++) {
    assert_true(fabs(profile.services[s].calls / model.calls[s] - 1) < 0.01);
    assert_int_equal(profile.services[s].workers, s == 2 ? 9 : model.workers[s]);
    assert_int_equal(profile.services[s].workers_measured, s != 2);
    double work_ns = s == 3 ? 4242 : model.work_ns[s];
    assert_true(fabs(profile.services[s].work_ns / work_ns - 1) < 0.01);
  }
  struct window last = window;
  last.from[1] += 3 * last.begun[1]; /* later, three times as much has come */
  last.from[0] += 3 * last.begun[0];
  last.begun[1] += 100;
  double calls = profile.services[1].calls;
  window_calls(&profile, &window, &last, &plan);
  assert_true(profile.services[1].calls > calls);
  assert_true(profile.services[1].calls < calls + 100.0 / (double)(4 * window.begun[0]) + 1e-9);
}

/* --- what a change asks --------------------------------------------------------------------------
 */

static void pauses_of_changes(void **state) {
  (void)state;
  struct experiment_plan plan = {.count = 3};
  struct profile profile = {.services = {{.calls = 1, .work_ns = 1000, .workers = 2},
                                         {.calls = 0.5, .work_ns = 3000, .workers = 3},
                                         {.calls = 2, .work_ns = 500, .workers = 1}}};
  struct change change = {.count = 1, .parts = {{.service = 1, .share_ppm = 400000}}};
  struct change_pauses pauses;
  char message[PLAN_MESSAGE];
  assert_true(change_pauses(&pauses, &change, &plan, &profile, message));
  assert_int_equal(pauses.leader, 1);
  assert_int_equal(pauses.saved_ns, 1200);
  assert_int_equal(pauses.saved_ps, 200000); /* 1200 * 0.5 / 3 */
  assert_int_equal(pauses.pause_ns[0], 200);
  assert_int_equal(pauses.pause_ns[1], 0);
  assert_int_equal(pauses.pause_ns[2], 100);
  change.parts[change.count++] = (struct change_part){.service = 2, .share_ppm = 500000};
  assert_true(change_pauses(&pauses, &change, &plan, &profile, message));
  assert_int_equal(pauses.leader, 2); /* saves 500 for each request */
  assert_int_equal(pauses.saved_ps, 700000);
  assert_int_equal(pauses.own_ps[2], 500000);
  assert_int_equal(pauses.pause_ns[0], 700);
  assert_int_equal(pauses.pause_ns[1], 1000); /* the other's part, half as often */
  assert_int_equal(pauses.pause_ns[2], 100);
  change.parts[1] = change.parts[0];
  change.parts[0] = (struct change_part){.service = 2, .share_ppm = 500000};
  assert_true(change_pauses(&pauses, &change, &plan, &profile, message));
  assert_int_equal(pauses.leader, 2); /* in whatever order */
  change = (struct change){.count = 1, .parts = {{.service = 1, .workers = 4}}};
  assert_true(change_pauses(&pauses, &change, &plan, &profile, message));
  assert_int_equal(pauses.saved_ns, 750);
  change.parts[0].workers = 3;
  assert_false(change_pauses(&pauses, &change, &plan, &profile, message));
  assert_non_null(strstr(message, "has 3 workers already"));
  plan.services[1].processors = 2;
  change.parts[0] = (struct change_part){.service = 1, .share_ppm = 400000};
  assert_true(change_pauses(&pauses, &change, &plan, &profile, message));
  assert_int_equal(pauses.saved_ps, 300000); /* two at one time */
  profile.services[1].work_ns = 0;
  assert_false(change_pauses(&pauses, &change, &plan, &profile, message));
  assert_non_null(strstr(message, "give `work`"));
  profile.services[1] = (struct profile_service){.calls = 1, .work_ns = 5};
  assert_false(change_pauses(&pauses, &change, &plan, &profile, message));
  assert_non_null(strstr(message, "give `workers`"));
  profile.services[1].calls = 0;
  assert_false(change_pauses(&pauses, &change, &plan, &profile, message));
  assert_non_null(strstr(message, "no request reached it"));
}

/* --- windows that may not be believed ------------------------------------------------------------
 */

static void faults(void **state) {
  (void)state;
  static const struct {
    enum fault fault;
    const char *words;
  } cases[] = {
      {LATE, "too long"},         {MISSING_PAUSES, "was to pause"}, {MORE_CALLS, "calls for"},
      {STARVED, "it is starved"}, {NO_ROUNDS, "begins no rounds"},  {FEW_ROUNDS, "neighbour"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct experiment_plan plan = {.count = 2, .warmup_ns = 100000000, .window_ns = 1000000000};
    struct model model = {
        .plan = &plan, .work_ns = {500000, 400000}, .calls = {1, 1}, .workers = {1, 1}};
    struct profile profile;
    struct window window;
    struct change_pauses pauses;
    char message[PLAN_MESSAGE];
    uint64_t epoch = 0;
    strcpy(plan.services[0].name, "web");
    strcpy(plan.services[1].name, "db");
    profile_of(&profile, &model, &window, &epoch);
    struct change change = {.count = 1, .parts = {{.service = 0, .share_ppm = 500000}}};
    assert_true(change_pauses(&pauses, &change, &plan, &profile, message));
    struct window_setting setting = setting_of(&pauses, ++epoch, 20);
    struct window_world world = world_of(&model);
    model.fault = cases[i].fault;
    assert_int_equal(window_run(&window, &world, &plan, &setting, &profile), 0);
    if (window.good || strstr(window.reason, cases[i].words) == NULL)
      fail_msg("fault %d: \"%s\" without \"%s\"", (int)cases[i].fault, window.reason,
               cases[i].words);
  }
}

/* The entry began 1000 requests, of which the busy service, which paused 100 ms, served 800. */
static void the_busy_service_counts(void **state) {
  (void)state;
  struct experiment_plan plan = {.count = 2};
  struct profile profile = {.services = {{.calls = 1, .workers = 2}, {.calls = 1, .workers = 1}}};
  struct window_setting setting = {.saved_ps = 5000, .own_ps = {0, 7000}};
  static struct judge_reports reports;
  for (uint32_t s = 0; s < 2; s++)
    reports.after[s].values[POKE_AT_NS] = 1000000000;
  reports.after[0].values[POKE_BEGUN] = 1000;
  reports.after[1].values[POKE_BEGUN] = 800;
  reports.after[1].values[POKE_REALISED_NS] = 100000000;
  for (uint64_t busy = 0; busy < 2; busy++) {
    struct window window = {
        .parts = 2, .part_ns = {500000000, 500000000}, .part_requests = {500, 500}};
    reports.after[1].values[POKE_BUSY_NS] = busy ? 990000000 : 900000000;
    judge(&window, &reports, &plan, &setting, &profile);
    assert_int_equal(window.requests, busy ? 800 : 1000);
    assert_int_equal(window.saved_ps, busy ? 7000 : 5000);
    assert_int_equal(window.paused_ns, busy ? 100000000 : 0);
  }
}

static void failures(void **state) {
  (void)state;
  struct experiment_plan plan;
  struct model model;
  struct window window;
  struct window_setting setting = {.epoch = 1};
  draw_model(&model, &plan, 3);
  model.fault = FAILS;
  model.users = 501;
  struct window_world world = world_of(&model);
  assert_int_equal(window_run(&window, &world, &plan, &setting, NULL), -ECHILD);
}

/* 5xx answers behind a proxy, at the entry or elsewhere, in the first window already. */
static void errors(void **state) {
  (void)state;
  static const struct {
    uint64_t errors[2];
    bool good;
  } cases[] = {{{0, 0}, true},   {{1000, 0}, false}, {{50, 0}, false},
               {{0, 60}, false}, {{9, 0}, true},     {{15, 15}, true}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct experiment_plan plan = {.count = 2};
    struct window_setting setting = {0};
    struct judge_reports reports = {0};
    strcpy(plan.services[0].name, "web");
    strcpy(plan.services[1].name, "db");
    for (uint32_t s = 0; s < 2; s++) {
      uint64_t *values = reports.after[s].values;
      values[POKE_AT_NS] = 1000000000;
      values[POKE_BEGUN] = values[POKE_ENDED] = 1000;
      values[POKE_FLAGS] = POKE_SEES_ANSWERS;
      values[POKE_ERRORS] = cases[i].errors[s];
    }
    struct window window = {
        .parts = 2, .part_ns = {500000000, 500000000}, .part_requests = {500, 500}};
    judge(&window, &reports, &plan, &setting, NULL);
    assert_int_equal(window.good, cases[i].good);
    assert_true(window.sees_answers[0]);
    assert_true(window.good || strstr(window.reason, "were errors") != NULL);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(errors),
      cmocka_unit_test(predictions),
      cmocka_unit_test(profiles),
      cmocka_unit_test(pauses_of_changes),
      cmocka_unit_test(faults),
      cmocka_unit_test(failures),
      cmocka_unit_test(the_busy_service_counts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
