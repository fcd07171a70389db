/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Rounds of two and three sizes: whose number is believed, and what is measured next; and services that
 * pauses find with less to do than there is.
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
#include "measure/throughput/experiment/sizes.h"

/* web is changed by 20 % and 40 % and db is not; each request saves 0.2 ms. */
struct trial {
  struct experiment_plan plan;
  struct experiment experiment;
};

enum { LOW, HIGH, LEVELS };

/* Windows by which pauses say so many requests/s; 0: none. */
static void add_cell(struct trial *trial, enum cell_kind kind, int level, double says,
                     uint64_t batch) {
  struct cell cell = {.kind = kind, .possible = true, .target = PLAN_SERVICES, .batch = batch};
  double saved_ns = 0;
  if (kind == CELL_CHANGE || kind == CELL_CHECK) {
    saved_ns = 200000;
    cell.target = 0;
    cell.level_ppm = 200000 * ((uint32_t)level + 1);
    cell.change =
        (struct change){.count = 1, .parts = {{.service = 0, .share_ppm = cell.level_ppm}}};
    cell.pauses.saved_ps = (uint64_t)saved_ns * 1000;
  }
  for (int i = 0; i < 2 && says > 0; i++) {
    struct window window = {.requests = 1000, .noise_ns = 1000000, .good = true};
    window.window_ns = (uint64_t)(1000 * (1e9 / says + saved_ns)) + (uint64_t)i * 1000000;
    window.saved_ps = cell.pauses.saved_ps;
    vector_push(&cell.good, window);
  }
  vector_push(&trial->experiment.cells, cell);
}

/* What rounds of 26, 6 and 1 say, for both levels. */
static void begin(struct trial *trial, const double says[3][LEVELS], uint64_t check_batch) {
  *trial = (struct trial){.plan = {.count = 2, .least = 2, .most = 5}};
  strcpy(trial->plan.services[0].name, "web");
  strcpy(trial->plan.services[1].name, "db");
  trial->experiment.plan = &trial->plan;
  trial->experiment.profiled = true;
  struct profile_service *services = trial->experiment.profile.services;
  services[0] = (struct profile_service){.calls = 1, .work_ns = 1e6, .workers = 1};
  services[1] = (struct profile_service){.calls = 1, .work_ns = 1e5, .workers = 1};
  add_cell(trial, CELL_BASE, 0, 1000, 0);
  add_cell(trial, CELL_ROUNDS, 0, 1000, 26);
  for (int size = 0; size < 3; size++)
    for (int level = LOW; level <= HIGH; level++) {
      enum cell_kind kind = size == 0 ? CELL_CHANGE : CELL_CHECK;
      add_cell(trial, kind, level, says[size][level], size == 0 ? 26 : size == 1 ? check_batch : 1);
      trial->experiment.cells.data[trial->experiment.cells.count - 1].second = size == 2;
    }
  trial->experiment.checks = FIRST_CHANGE + LEVELS;
  estimate_all(&trial->experiment);
}

static void end(struct trial *trial) {
  for (size_t c = 0; c < trial->experiment.cells.count; c++)
    vector_clear(&trial->experiment.cells.data[c].good);
  vector_clear(&trial->experiment.cells);
}

static const struct cell *at(const struct trial *trial, int size, int level) {
  return &trial->experiment.cells.data[FIRST_CHANGE + size * LEVELS + level];
}

static bool is_near(double value, double wanted) {
  return fabs(value / wanted - 1) < 0.005;
}

/* 40 % less, by rounds of three sizes. */
static void three_sizes(void **state) {
  (void)state;
  static const struct {
    double says[3]; /* 0: not measured */
    uint64_t check_batch;
    double predicted; /* 0: cannot tell */
    bool wanted;      /* the third size */
    const char *words;
  } cases[] = {
      {{1250, 1255, 0}, 6, 1250, false, NULL},
      {{1250, 1255, 1100}, 6, 1250, false, NULL},       /* one that is not wanted any more */
      {{1100, 1240, 1256}, 6, 1248, true, NULL},        /* starved: both smaller ones count */
      {{1100, 1180, 1290}, 6, 0, true, "rounds of 6 "}, /* no two are alike */
      {{1100, 1240, 1100}, 6, 0, true, "rounds of 6 "}, /* fell again: chance, or stops cost */
      {{1100, 1240, 0}, 6, 0, true, "rounds of 26 "},
      {{1250, 1100, 0}, 6, 0, false, "rounds of 26 "}, /* what neither error makes */
      {{1100, 1240, 0}, 1, 0, false, "rounds of 26 "}, /* none is smaller */
      {{1100, 1240, 0}, 104, 0, false, "rounds of 26 "},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const double *says = cases[i].says;
    struct trial trial;
    begin(&trial, (const double[3][LEVELS]){{0, says[0]}, {0, says[1]}, {0, says[2]}},
          cases[i].check_batch);
    const struct cell *cell = at(&trial, 0, HIGH);
    const struct throughput_estimate *known = &cell->estimate;
    bool predicted = known->answer == ANSWER_PREDICTED;
    if (predicted != (cases[i].predicted > 0) ||
        (predicted && !is_near(known->value, cases[i].predicted)))
      fail_msg("case %zu: answer %d, %g: %s", i, (int)known->answer, known->value, known->refused);
    assert_true(predicted || is_near(known->raw, says[0]));
    assert_true(cases[i].words == NULL || strstr(known->refused, cases[i].words) != NULL);
    assert_int_equal(at(&trial, 2, HIGH)->wanted, cases[i].wanted);
    assert_int_equal(at(&trial, 2, LOW)->wanted, false);
    assert_int_equal(cell->starved, cases[i].wanted); /* then no more is measured of its own */
    assert_int_equal(cell_is_done(cell, &trial.plan), cell->starved);
    assert_int_equal(cell_is_done(at(&trial, 2, HIGH), &trial.plan),
                     !cases[i].wanted || says[2] > 0);
    end(&trial);
  }
}

/* A level below rests on the highest where its own size agreed there, and else on a check of its own. */
static void curves(void **state) {
  (void)state;
  struct trial trial;
  begin(&trial, (const double[3][LEVELS]){{1150, 1250}, {0, 1250}, {0, 0}}, 6);
  assert_false(at(&trial, 1, LOW)->wanted);
  assert_int_equal(at(&trial, 0, LOW)->estimate.answer, ANSWER_PREDICTED);
  end(&trial);
  begin(&trial, (const double[3][LEVELS]){{1150, 1100}, {0, 1240}, {0, 1250}}, 6);
  assert_true(at(&trial, 1, LOW)->wanted);
  assert_int_equal(at(&trial, 0, LOW)->estimate.answer, ANSWER_CANNOT_TELL);
  assert_true(at(&trial, 0, LOW)->estimate.high >
              1040 / (1 - 0.2)); /* 26 may starve web here, too */
  assert_non_null(strstr(at(&trial, 0, LOW)->estimate.refused, "were not measured"));
  assert_int_equal(at(&trial, 0, HIGH)->estimate.answer, ANSWER_PREDICTED);
  end(&trial);
  begin(&trial, (const double[3][LEVELS]){{1150, 1100}, {1160, 1240}, {0, 1250}}, 6);
  assert_int_equal(at(&trial, 0, LOW)->estimate.answer, ANSWER_PREDICTED);
  assert_true(is_near(at(&trial, 0, LOW)->estimate.value, 1150));
  end(&trial);
}

/* A pause of a round is not below half a millisecond, and a size is not measured twice. */
static void smallest(void **state) {
  (void)state;
  static const struct {
    double saved_us, calls;
    uint64_t first, second;
  } cases[] = {{200, 1, 6, 3}, {200, 1, 12, 3}, {200, 1, 40, 10}, {600, 1, 6, 1}, {600, 1, 1, 0},
               {200, 1, 3, 0}, {100, 1, 4, 0},  {200, 2, 12, 5},  {0, 1, 12, 0},  {200, 0, 12, 0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct experiment experiment = {0};
    struct cell cell = {.pauses.saved_ps = (uint64_t)(cases[i].saved_us * 1e6)};
    experiment.profile.services[0].calls = cases[i].calls;
    assert_int_equal(sizes_second(&experiment, &cell, cases[i].first), cases[i].second);
  }
}

/* What two sizes differ by is in the interval, the more the nearer the sizes are: the lower end is below the
 * middle by what is beyond the nearer size, too. */
static void differences_widen(void **state) {
  (void)state;
  double half[2];
  for (int i = 0; i < 2; i++) {
    struct trial trial;
    begin(&trial, (const double[3][LEVELS]){{0, 1230}, {0, 1265}, {0, 0}}, i == 0 ? 6 : 13);
    const struct throughput_estimate *known = &at(&trial, 0, HIGH)->estimate;
    assert_int_equal(known->answer, ANSWER_PREDICTED);
    half[i] = known->high / known->value - 1;
    end(&trial);
  }
  double by = 1265.0 / 1230 - 1, more = pow(0.5 + 1, 2) - pow(0.5 + 6.0 / 20, 2);
  assert_true(fabs((half[1] * half[1] - half[0] * half[0]) / (more * by * by) - 1) < 0.1);
}

/* web calls db, and 30 requests wait for its workers: rounds of 6 pause for 1.2 ms, while web works for 1 ms. */
static void blocked_workers(void **state) {
  (void)state;
  static const struct {
    double alone_ms, waiting, thread, calls;
    const char *called;
    bool blocked;
  } cases[] = {
      {1, 30, 0.1, 1, "db", true},   {1.3, 30, 0.1, 1, "db", false}, {1, 1, 0.1, 1, "db", false},
      {1, 30, 0.95, 1, "db", false}, {1, 30, 0.1, 1, "", false},     {0, 30, 0.1, 1, "db", false},
      {2.3, 30, 0.1, 2, "db", true}, {2.5, 30, 0.1, 2, "db", false}}; /* between two calls */
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct trial trial;
    begin(&trial, (const double[3][LEVELS]){{0, 1240}, {0, 1250}, {0, 0}}, 6);
    struct profile *profile = &trial.experiment.profile;
    profile->knee[0] = (struct knee_service){
        .alone_ns = cases[i].alone_ms * 1e6, .at_work = 4, .waiting = cases[i].waiting};
    profile->use.services[0].thread = cases[i].thread;
    profile->services[1].calls = cases[i].calls;
    strcpy(profile->talks.inside[0], cases[i].called);
    estimate_all(&trial.experiment);
    const struct throughput_estimate *known = &at(&trial, 0, HIGH)->estimate;
    assert_int_equal(at(&trial, 2, HIGH)->wanted, cases[i].blocked);
    assert_int_equal(strstr(known->refused, "workers of web wait") != NULL, cases[i].blocked);
    assert_int_equal(known->answer == ANSWER_PREDICTED && !known->by_ends, !cases[i].blocked);
    end(&trial);
  }
}

/* db's answers are held as if it took as long as when a call comes alone. Of 1000 a second it may take a
 * tenth longer, and then limits already: not if it is faster itself, nor if nothing is gained. */
static void held_and_nearly_full(void **state) {
  (void)state;
  static const struct {
    double alone_ms, says;
    bool held, faster, stated, doubted;
  } cases[] = {
      {0.9, 1250, true, false, false, true},   {0.8, 1250, true, false, false, false},
      {0.9, 1250, false, false, false, false}, {0.9, 1250, true, true, false, false},
      {0.9, 1000, true, false, false, false},  {0.9, 1100, true, false, true, true},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct trial trial;
    begin(&trial, (const double[3][LEVELS]){{0, cases[i].says}, {0, cases[i].says}, {0, 0}}, 6);
    struct profile_service *db = &trial.experiment.profile.services[1];
    db->held = cases[i].held;
    db->holders = 1;
    db->worked_ns = cases[i].stated ? 0 : cases[i].alone_ms * 1e6;
    if (cases[i].stated) {
      db->work_ns = cases[i].alone_ms * 1e6;
      trial.plan.services[1].work_ns = (uint64_t)db->work_ns;
      trial.plan.services[1].workers = 1;
    }
    struct cell *cell = &trial.experiment.cells.data[FIRST_CHANGE + HIGH];
    if (cases[i].faster)
      cell->change.parts[cell->change.count++] =
          (struct change_part){.service = 1, .share_ppm = 200000};
    estimate_all(&trial.experiment);
    const struct throughput_estimate *known = &cell->estimate;
    assert_int_equal(strstr(known->refused, "db, whose answers are held, is at work") != NULL,
                     cases[i].doubted);
    assert_int_equal(known->answer == ANSWER_PREDICTED && !known->by_ends, !cases[i].doubted);
    assert_true(!cases[i].doubted || known->low < 1000);
    end(&trial);
  }
}

/* db calls others and is held for its own time, which is what one user shows, or of 100 us a difference. */
static void held_for_its_own_time(void **state) {
  (void)state;
  static const struct {
    double own_us, alone_us;
    bool held, doubted;
  } cases[] = {{15, 0, true, true},
               {25, 0, true, false},
               {15, 15, true, false},
               {15, 0, false, false},
               {0, 0, true, false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct trial trial;
    begin(&trial, (const double[3][LEVELS]){{0, 1250}, {0, 1250}, {0, 0}}, 6);
    trial.experiment.profile.services[1].held = cases[i].held;
    trial.experiment.profile.services[1].own_ns = (uint64_t)(cases[i].own_us * 1000);
    trial.experiment.profile.knee[1].alone_ns = cases[i].alone_us * 1000;
    estimate_all(&trial.experiment);
    const struct throughput_estimate *known = &at(&trial, 0, HIGH)->estimate;
    assert_int_equal(known->answer, cases[i].doubted ? ANSWER_CANNOT_TELL : ANSWER_PREDICTED);
    assert_int_equal(strstr(known->refused, "db is held for") != NULL, cases[i].doubted);
    end(&trial);
  }
}

/* Both are faster, db less, and its answers are held: with no second size there may be more, up to what there is
 * if everything were as much faster as web. */
static void held_together(void **state) {
  (void)state;
  struct trial trial;
  begin(&trial, (const double[3][LEVELS]){{0, 1100}, {0, 0}, {0, 0}}, 6);
  struct cell *cell = &trial.experiment.cells.data[FIRST_CHANGE + HIGH];
  cell->change.parts[cell->change.count++] =
      (struct change_part){.service = 1, .share_ppm = 200000};
  trial.experiment.profile.services[1].held = true;
  cell->pauses.pause_ns[1] = 200000;
  estimate_all(&trial.experiment);
  double most = trial.experiment.cells.data[BASE_CELL].estimate.high * 1.04 / (1 - 0.4);
  assert_int_equal(cell->estimate.answer, ANSWER_CANNOT_TELL);
  assert_true(is_near(cell->estimate.high, most) && cell->estimate.low < 1000);
  end(&trial);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(three_sizes),     cmocka_unit_test(curves),
      cmocka_unit_test(smallest),        cmocka_unit_test(differences_widen),
      cmocka_unit_test(blocked_workers), cmocka_unit_test(held_and_nearly_full),
      cmocka_unit_test(held_together),   cmocka_unit_test(held_for_its_own_time),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
