/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What windows say, and what they do not: gains need a baseline, and no prediction exceeds what
 * another service can serve.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "measure/throughput/experiment/estimate.h"
#include "measure/throughput/experiment/window_judge.h"

/* Two services, web that is changed and db; one cell for a change of web by 20 %, of 1 ms. */
struct trial {
  struct experiment_plan plan;
  struct experiment experiment;
  struct change change;
};

static void add_windows(struct trial *trial, enum cell_kind kind, uint64_t saved_ps) {
  struct cell cell = {.kind = kind, .possible = true, .target = PLAN_SERVICES};
  if (kind == CELL_CHANGE) {
    cell.target = 0;
    cell.level_ppm = 200000;
    cell.change = trial->change;
    cell.pauses.saved_ps = saved_ps;
    cell.pauses.saved_ns = saved_ps / 1000;
  }
  for (uint64_t i = 0; i < 3; i++) {
    struct window window = {.requests = 1000,
                            .window_ns = 1000000000 + 1000000 * i,
                            .noise_ns = 1000000,
                            .saved_ps = saved_ps,
                            .good = true};
    vector_push(&cell.good, window);
  }
  vector_push(&trial->experiment.cells, cell);
}

static void begin(struct trial *trial, double db_ms, uint32_t db_workers) {
  *trial = (struct trial){.plan = {.count = 2}};
  strcpy(trial->plan.services[0].name, "web");
  strcpy(trial->plan.services[1].name, "db");
  trial->change =
      (struct change){.count = 1, .parts = {{.service = 0, .share_ppm = 200000}}, .label = "web"};
  trial->experiment.plan = &trial->plan;
  trial->experiment.profiled = true;
  struct profile_service *services = trial->experiment.profile.services;
  services[0] = (struct profile_service){.calls = 1, .work_ns = 1e6, .workers = 1};
  services[1] = (struct profile_service){.calls = 1, .work_ns = 1e6 * db_ms, .workers = db_workers};
}

static void end(struct trial *trial) {
  for (size_t c = 0; c < trial->experiment.cells.count; c++)
    vector_clear(&trial->experiment.cells.data[c].good);
  vector_clear(&trial->experiment.cells);
}

/* An experiment that ended before its first window without a change knows no gain: not one of 0. */
static void no_baseline(void **state) {
  (void)state;
  struct trial trial;
  struct rank ranks[PLAN_SERVICES];
  begin(&trial, 0.1, 1);
  struct cell none = {.kind = CELL_BASE};
  vector_push(&trial.experiment.cells, none);
  vector_push(&trial.experiment.cells, none);
  add_windows(&trial, CELL_CHANGE, 200000000);
  estimate_all(&trial.experiment);
  const struct throughput_estimate *known = &trial.experiment.cells.data[2].estimate;
  assert_true(known->given && fabs(known->value - 1250) < 5);
  assert_false(known->gain_given);
  assert_int_equal(estimate_ranks(ranks, &trial.experiment), 1);
  assert_null(ranks[0].best);
  assert_false(ranks[0].gains);
  end(&trial);
  begin(&trial, 0.1, 1);
  add_windows(&trial, CELL_BASE, 0);
  vector_push(&trial.experiment.cells, none);
  add_windows(&trial, CELL_CHANGE, 200000000);
  estimate_all(&trial.experiment);
  known = &trial.experiment.cells.data[2].estimate;
  assert_true(known->gain_given && fabs(known->gain - 0.25) < 0.01);
  assert_int_equal(estimate_ranks(ranks, &trial.experiment), 1);
  assert_true(ranks[0].gains);
  end(&trial);
}

/* db serves workers / db_ms thousand requests a second at most; 1250 are predicted. */
static void ceilings(void **state) {
  (void)state;
  static const struct {
    double db_ms;
    uint32_t workers;
    bool given;
    double busy;
    bool stated;
  } cases[] = {{0.1, 1, true, 0, false},
               {20, 12, false, 0, false},
               {20, 26, true, 0, false},
               {0.9, 1, false, 0, false},
               {0.8, 1, true, 0, false},
               {0.79, 1, true, 0, false},
               {0.85, 1, false, 0, false},
               {5, 3, false, 0, false},
               /* an entry holds all users: their number over their time is today's throughput */
               {64, 64, true, 0.97, false},
               {64, 64, false, 0.97, true},
               {64, 64, false, 0.8, false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct trial trial;
    begin(&trial, cases[i].db_ms, cases[i].workers);
    trial.experiment.profile.services[1].busy = cases[i].busy;
    trial.plan.services[1].work_ns = cases[i].stated ? 1 : 0;
    trial.plan.services[1].workers = cases[i].stated ? cases[i].workers : 0;
    add_windows(&trial, CELL_BASE, 0);
    add_windows(&trial, CELL_ROUNDS, 0);
    add_windows(&trial, CELL_CHANGE, 200000000);
    estimate_all(&trial.experiment);
    const struct throughput_estimate *known = &trial.experiment.cells.data[2].estimate;
    double most = 1.03 * cases[i].workers / cases[i].db_ms * 1e3;
    if (known->given != cases[i].given)
      fail_msg("%g ms, %u workers: %s", cases[i].db_ms, cases[i].workers, known->refused);
    if (known->given && cases[i].busy < 0.9)
      assert_true(known->value <= most && known->high <= fmax(most, known->value));
    else if (!known->given)
      assert_non_null(strstr(known->refused, "but db can serve"));
    assert_true(trial.experiment.cells.data[1].estimate.given); /* what is measured stays */
    end(&trial);
  }
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
      cmocka_unit_test(no_baseline),
      cmocka_unit_test(ceilings),
      cmocka_unit_test(errors),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
