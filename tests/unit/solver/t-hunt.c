/* SPDX-License-Identifier: GPL-3.0-or-later
 * Hunts find an execution that breaks each wrong bound, and none that breaks a right one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/text.h"
#include "models.h"
#include "solver/search/hunt.h"

static struct interpreter *interpreter_of(const struct model *model, int64_t n) {
  struct text message;
  text_init(&message);
  struct interpreter *in = interpreter_new(model, &n, &message);
  if (in == NULL)
    fail_msg("%s", text_get(&message));
  text_clear(&message);
  return in;
}

static void expect_random(const struct model *model, int64_t n, const struct bound *bound,
                          uint64_t seed, enum hunt_verdict expected) {
  struct interpreter *in = interpreter_of(model, n);
  struct hunt_options options = {.seed = seed, .runs = 300, .steps_max = 30};
  struct hunt hunt;
  hunt_init(&hunt, in);
  hunt_random(&hunt, in, bound, &options);
  if (hunt.verdict != expected || (expected == HUNT_NOTHING && hunt.events < 100))
    fail_msg("random, n = %d, bound %s, seed %d: verdict %d after %zu runs, %zu events", (int)n,
             bound == NULL ? "all" : bound->name, (int)seed, (int)hunt.verdict, hunt.runs,
             hunt.events);
  if (expected == HUNT_EXCEEDED) {
    assert_int_equal(hunt.replay.verdict, REPLAY_EXCEEDED);
    assert_int_equal(hunt.replay.records.count, hunt.path.steps.count);
    assert_true(rational_compare(&hunt.replay.time, &hunt.replay.limit) > 0);
  }
  hunt_clear(&hunt);
  interpreter_free(in);
}

static void expect_paths(const struct model *model, int64_t n, const struct bound *bound,
                         uint64_t seed, enum hunt_verdict expected) {
  struct interpreter *in = interpreter_of(model, n);
  struct explore_limits limits = {.depth_max = 12};
  struct hunt hunt;
  hunt_init(&hunt, in);
  hunt_paths(&hunt, in, bound, &limits, 60, seed);
  if (hunt.verdict != expected || (expected == HUNT_NOTHING && hunt.events < 20))
    fail_msg("paths, n = %d, bound %s, seed %d: verdict %d after %zu runs, %zu events", (int)n,
             bound->name, (int)seed, (int)hunt.verdict, hunt.runs, hunt.events);
  hunt_clear(&hunt);
  interpreter_free(in);
}

static void expect(const struct model *model, int64_t n, const struct bound *bound,
                   enum hunt_verdict expected) {
  for (uint64_t seed = 1; seed <= 3; seed++) {
    expect_random(model, n, bound, seed, expected);
    expect_paths(model, n, bound, seed, expected);
  }
}

static void primary_backup(void **state) {
  (void)state;
  struct primary_backup p;
  primary_backup_build(&p, MISTAKE_NONE);
  for (int64_t n = 1; n <= 3; n++) {
    expect(&p.model, n, p.reply, HUNT_NOTHING);
    expect(&p.model, n, p.uniform, HUNT_NOTHING);
    expect(&p.model, n, p.delivered, HUNT_NOTHING);
    expect(&p.model, n, p.no_handle, HUNT_EXCEEDED);
    expect(&p.model, n, p.one_delay, HUNT_EXCEEDED);
    expect(&p.model, n, p.early, HUNT_EXCEEDED);
    /* With one backup nothing ever waits. */
    expect(&p.model, n, p.no_wait, n == 1 ? HUNT_NOTHING : HUNT_EXCEEDED);
    expect_random(&p.model, n, NULL, 7, HUNT_EXCEEDED);
  }
  models_free(&p.model);
}

static void ring(void **state) {
  (void)state;
  struct ring r;
  ring_build(&r);
  for (int64_t n = 1; n <= 4; n++) {
    expect(&r.model, n, r.circle, HUNT_NOTHING);
    expect(&r.model, n, r.after_hops, HUNT_NOTHING);
    expect(&r.model, n, r.short_circle, HUNT_EXCEEDED);
  }
  models_free(&r.model);
}

/* What an assumption excludes is not found: without waits beyond nothing, and with it again. */
static void assumptions(void **state) {
  (void)state;
  struct primary_backup p;
  primary_backup_build(&p, MISTAKE_NONE);
  struct model *m = &p.model;
  struct term *zero = term(m, TERM_TIME, plain(TYPE_TIME), 0);
  rational_init(&zero->value);
  const struct term *none = term(m, TERM_LE, plain(TYPE_BOOL), 2, bare(m, p.queueing), zero);
  add_assumption(m, none, "Queuing <= 0");
  expect_random(m, 2, p.no_wait, 1, HUNT_NOTHING);
  expect_paths(m, 2, p.no_wait, 1, HUNT_NOTHING);
  expect_random(m, 2, p.no_handle, 1, HUNT_EXCEEDED);
  rational_set_integer(&zero->value, 42);
  expect_random(m, 2, p.no_wait, 1, HUNT_EXCEEDED);
  expect_paths(m, 2, p.no_wait, 1, HUNT_EXCEEDED);
  rational_clear(&zero->value);
  models_free(m);
}

static void double_faults(void **state) {
  (void)state;
  struct primary_backup p;
  primary_backup_build(&p, MISTAKE_SEND_TWICE);
  expect_random(&p.model, 2, p.reply, 5, HUNT_SENT_TWICE);
  models_free(&p.model);
  primary_backup_build(&p, MISTAKE_ACK_COST);
  expect_random(&p.model, 2, p.reply, 5, HUNT_CHARGED_TWICE);
  expect_paths(&p.model, 2, p.reply, 5, HUNT_CHARGED_TWICE);
  models_free(&p.model);
}

/* The same seed gives the same execution. */
static void repeatable(void **state) {
  (void)state;
  struct primary_backup p;
  primary_backup_build(&p, MISTAKE_NONE);
  struct interpreter *in = interpreter_of(&p.model, 3);
  struct hunt_options options = {.seed = 11, .runs = 300, .steps_max = 30};
  struct hunt a, b;
  hunt_init(&a, in);
  hunt_init(&b, in);
  hunt_random(&a, in, p.no_handle, &options);
  hunt_random(&b, in, p.no_handle, &options);
  assert_int_equal(a.runs, b.runs);
  assert_int_equal(rational_compare(&a.replay.time, &b.replay.time), 0);
  hunt_clear(&a);
  hunt_clear(&b);
  interpreter_free(in);
  models_free(&p.model);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(primary_backup), cmocka_unit_test(ring),
                                     cmocka_unit_test(assumptions), cmocka_unit_test(double_faults),
                                     cmocka_unit_test(repeatable)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
