/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The utilization law beside pauses: what it says exactly, when it says nothing, and what becomes
 * of a prediction that agrees with it or does not.
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
#include "measure/throughput/experiment/law.h"

static void close_to(double found, double wanted) {
  if (!(fabs(found - wanted) <= 1e-9 * fabs(wanted)))
    fail_msg("%.12g instead of %.12g", found, wanted);
}

static void laws(void **state) {
  (void)state;
  close_to(law_loop(1, 0.004, 0), 250);
  close_to(law_loop(0.98, 0.00392, 0.375), 400);
  close_to(law_processors(2, 0.004, 0), 500);
  close_to(law_processors(1.8, 0.004, 0.001), 600);
  assert_true(isinf(law_processors(2, 0.004, 0.004)));
}

/* --- an experiment ---------------------------------------------------------------------------- */

/* web, which changes by 20 %, and db; windows of one second. */
struct trial {
  struct experiment_plan plan;
  struct experiment experiment;
};

struct window_row {
  uint64_t requests;
  double web, db; /* of their one thread's time */
};

static void add_cell(struct trial *trial, enum cell_kind kind, const struct window_row *rows,
                     size_t count) {
  struct cell cell = {.kind = kind, .possible = true, .target = PLAN_SERVICES, .batch = 25};
  bool change = kind == CELL_CHANGE || kind == CELL_CHECK;
  if (change) {
    cell.target = 0;
    cell.level_ppm = 200000;
    cell.batch = kind == CELL_CHECK ? 6 : 25;
    cell.change = (struct change){.count = 1, .parts = {{.service = 0, .share_ppm = 200000}}};
    cell.pauses.saved_ps = 800000000;
    cell.pauses.saved_ns = 800000;
  }
  for (size_t i = 0; i < count; i++) {
    struct window window = {.requests = rows[i].requests,
                            .window_ns = 1000000000,
                            .noise_ns = 1000000,
                            .saved_ps = change ? 800000000 : 0,
                            .good = true};
    window.use = (struct processor_use){.known = true, .count = 4, .busy = 2};
    window.use.services[0] =
        (struct processor_share){.all = rows[i].web, .thread = rows[i].web, .name = "node"};
    window.use.services[1] = (struct processor_share){.all = rows[i].db, .thread = rows[i].db};
    vector_push(&cell.good, window);
  }
  trial->experiment.checks += kind != CELL_CHECK;
  vector_push(&trial->experiment.cells, cell);
}

static void begin(struct trial *trial, const struct window_row now[2],
                  const struct window_row paused[2]) {
  *trial = (struct trial){.plan = {.count = 2}};
  strcpy(trial->plan.services[0].name, "web");
  strcpy(trial->plan.services[1].name, "db");
  trial->experiment.plan = &trial->plan;
  trial->experiment.profiled = true;
  struct profile *profile = &trial->experiment.profile;
  profile->services[0] = (struct profile_service){.calls = 1, .work_ns = 4e6, .workers = 1};
  profile->services[1] = (struct profile_service){.calls = 1, .work_ns = 1e5, .workers = 1};
  add_cell(trial, CELL_BASE, now, 2);
  add_cell(trial, CELL_ROUNDS, now, 2);
  add_cell(trial, CELL_CHANGE, paused, 2);
  add_cell(trial, CELL_CHECK, paused, 2);
}

static void end(struct trial *trial) {
  for (size_t c = 0; c < trial->experiment.cells.count; c++)
    vector_clear(&trial->experiment.cells.data[c].good);
  vector_clear(&trial->experiment.cells);
}

static const struct cell *changed(const struct trial *trial) {
  return &trial->experiment.cells.data[FIRST_CHANGE];
}

/* --- loops ------------------------------------------------------------------------------------ */

static void a_loop(void **state) {
  (void)state;
  struct trial trial;
  struct utilization_law law;
  begin(&trial, (struct window_row[]){{250, 1, 0.1}, {250, 1, 0.1}},
        (struct window_row[]){{250, 1, 0.1}, {250, 1, 0.1}});
  law_find(&law, &trial.experiment, changed(&trial), 250);
  assert_true(law.known && law.loop == 0);
  close_to(law.value, 312.5);
  close_to(law.low, 312.5 * 0.95); /* there is no chance */
  close_to(law.high, 312.5 * 1.05);
  close_to(law.now, 250);
  end(&trial);
  /* 4 and 5 ms by turns, as the machine is faster or slower; 8 windows, whose mean is 4.5 */
  begin(&trial, (struct window_row[]){{250, 1, 0.1}, {200, 1, 0.1}},
        (struct window_row[]){{250, 1, 0.1}, {200, 1, 0.1}});
  law_find(&law, &trial.experiment, changed(&trial), 225);
  close_to(law.value, 1 / (0.0045 * 0.8));
  double chance = 2.364624251592785 * sqrt(8 * 0.0005 * 0.0005 / 7 / 8) / 0.0045;
  assert_true(fabs(law.high / law.value - 1 - hypot(chance, 0.05)) < 1e-6);
  estimate_all(&trial.experiment);
  const struct throughput_estimate *known = &changed(&trial)->estimate;
  assert_int_equal(known->answer, ANSWER_PREDICTED); /* which pauses alone could not say */
  close_to(known->gain, 0.25);
  assert_true(known->low < 1 / (0.004 * 0.8) && known->high > 1 / (0.0045 * 0.8));
  end(&trial);
}

/* A thread that is busy for less; one of several; where another limits in the pauses. */
static void no_loop(void **state) {
  (void)state;
  struct trial trial;
  struct utilization_law law;
  static const struct window_row rows[][2] = {{{250, 0.89, 0.1}, {250, 1, 0.1}},
                                              {{250, 1, 0.1}, {250, 0.89, 0.1}}};
  for (size_t i = 0; i < 2; i++) {
    struct window_row now[2] = {rows[i][0], rows[i][0]}, paused[2] = {rows[i][1], rows[i][1]};
    begin(&trial, now, paused);
    law_find(&law, &trial.experiment, changed(&trial), 250);
    assert_false(law.known);
    end(&trial);
  }
  struct window_row busy[2] = {{250, 1, 0.1}, {250, 1, 0.1}};
  begin(&trial, busy, busy);
  trial.experiment.cells.data[FIRST_CHANGE].good.data[1].use.services[0].all = 1.2;
  law_find(&law, &trial.experiment, changed(&trial), 250);
  assert_false(law.known);
  end(&trial);
  begin(&trial, busy, busy); /* pauses of a half of what is to be saved */
  trial.experiment.cells.data[FIRST_CHANGE].pauses.saved_ps = 400000000;
  law_find(&law, &trial.experiment, changed(&trial), 250);
  assert_false(law.known);
  end(&trial);
  begin(&trial, busy, busy);
  trial.experiment.cells.data[FIRST_CHANGE].change.parts[0].workers = 2;
  law_find(&law, &trial.experiment, changed(&trial), 250);
  assert_false(law.known);
  end(&trial);
}

/* The loop that does not change is the one that limits. */
static void another_loop(void **state) {
  (void)state;
  struct trial trial;
  struct utilization_law law;
  struct window_row both[2] = {{250, 0.95, 1}, {250, 0.95, 1}};
  begin(&trial, both, both);
  law_find(&law, &trial.experiment, changed(&trial), 250);
  assert_true(law.known && law.loop == 1);
  close_to(law.value, 250);
  struct change *change = &trial.experiment.cells.data[FIRST_CHANGE].change; /* both change */
  change->parts[change->count++] = (struct change_part){.service = 1, .share_ppm = 200000};
  law_find(&law, &trial.experiment, changed(&trial), 250);
  close_to(law.value, 312.5);
  end(&trial);
}

/* A thread that is busy whether it serves or not: pauses slow what is served, and say that nothing
 * is gained. */
static void a_loop_that_polls(void **state) {
  (void)state;
  struct trial trial;
  begin(&trial, (struct window_row[]){{250, 1, 0.1}, {250, 1, 0.1}},
        (struct window_row[]){{208, 1, 0.1}, {208, 1, 0.1}});
  estimate_all(&trial.experiment);
  const struct throughput_estimate *known = &changed(&trial)->estimate;
  assert_true(known->answer != ANSWER_PREDICTED || known->value < 255);
  assert_true(known->low <= 250);
  end(&trial);
}

/* --- processors ------------------------------------------------------------------------------- */

static void full(void **state) {
  (void)state;
  static const struct {
    double busy[3], outside, count;
    bool known;
    double same, full; /* of 1000 requests/s */
  } cases[] = {
      {{1, 0.8, 0.1}, 0, 2, true, 1900 / 1.7, 2000 / 1.7},   /* 0.2 of 1.9 are saved */
      {{1, 0.6, 0.1}, 0.2, 2, true, 1700 / 1.5, 1800 / 1.5}, /* what others take stays theirs */
      {{1, 0.5, 0.1}, 0, 2, false, 0, 0},                    /* not full */
      {{1, 0.5, 0.1}, 0, 1.6, true, 1600 / 1.4, 1600 / 1.4}, /* full to the brim */
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct trial trial;
    struct utilization_law law;
    struct window_row rows[2] = {{1000, 0.5, 0.5}, {1000, 0.5, 0.5}};
    begin(&trial, rows, rows);
    struct processor_use *use = &trial.experiment.profile.use;
    *use = (struct processor_use){.known = true, .count = cases[i].count, .busy = 2};
    use->services[0].all = cases[i].busy[0];
    use->services[1].all = cases[i].busy[1];
    use->pokers[1].all = cases[i].busy[2];
    use->outside.all = cases[i].outside;
    law_find(&law, &trial.experiment, changed(&trial), 1000);
    assert_int_equal(law.known, cases[i].known);
    if (law.known) {
      assert_int_equal(law.loop, PLAN_SERVICES);
      close_to(law.low, 0.95 * cases[i].same);
      close_to(law.high, 1.05 * cases[i].full);
      close_to(law.value, sqrt(cases[i].same * cases[i].full));
    }
    end(&trial);
  }
}

/* 2 of 2 processors are busy: 1 for web. Pauses of 0.2 ms for each of web's milliseconds. */
static enum throughput_answer of_full(double *low, double *high, uint64_t paused, double web) {
  struct trial trial;
  struct window_row now[2] = {{1000, 0.5, 0.5}, {1000, 0.5, 0.5}};
  struct window_row then[2] = {{paused, 0.5, 0.5}, {paused, 0.5, 0.5}};
  begin(&trial, now, then);
  struct processor_use *use = &trial.experiment.profile.use;
  *use = (struct processor_use){.known = true, .count = 2, .busy = 2};
  use->services[0].all = web;
  use->services[1].all = 1.95 - web;
  for (size_t c = FIRST_CHANGE; c < trial.experiment.cells.count; c++)
    for (size_t i = 0; i < 2; i++)
      trial.experiment.cells.data[c].good.data[i].saved_ps = 200000000;
  estimate_all(&trial.experiment);
  const struct throughput_estimate *known = &changed(&trial)->estimate;
  *low = known->low;
  *high = known->high;
  enum throughput_answer answer = known->answer;
  end(&trial);
  return answer;
}

static void full_and_paused(void **state) {
  (void)state;
  double low, high;
  /* by pauses 1000 / 0.9 and more, by the law 1950 to 2000 over 1.75: no number, and a tenth on either side */
  assert_int_equal(of_full(&low, &high, 909, 1), ANSWER_BETWEEN);
  assert_true(low > 0.9 * 1040 && low < 0.9 * 1000 / 0.9 &&
              fabs(high - 1.1 * 1.05 * 2000 / 1.75) < 1);
  /* pauses say a fourth more, which so little of processors cannot */
  assert_int_equal(of_full(&low, &high, 1000, 0.1), ANSWER_BETWEEN);
  assert_true(high < 1.1 * 1.15 * 2000 / 1.93);
  /* pauses say nothing, where the processors that are left over must be worth something */
  assert_int_not_equal(of_full(&low, &high, 800, 1), ANSWER_PREDICTED);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(laws),
      cmocka_unit_test(a_loop),
      cmocka_unit_test(no_loop),
      cmocka_unit_test(another_loop),
      cmocka_unit_test(full),
      cmocka_unit_test(a_loop_that_polls),
      cmocka_unit_test(full_and_paused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
