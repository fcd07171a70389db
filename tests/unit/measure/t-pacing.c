/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A service that seems faster: a system in simulated time, in which the others stand while pacing
 * says so, against the same system with the service really faster.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/random.h"
#include "measure/throughput/experiment/stretches.h"
#include "measure/throughput/pause/history.h"
#include "measure/throughput/poker/pacing.h"

enum { TICK_NS = 1000, PAUSE_NS = 500000, REQUESTS = 400 };

/* A request: the caller works, then asks the followed service and another one at once, then works
 * again. */
struct request {
  uint64_t before_ns, followed_ns, other_ns, after_ns;
};

struct system {
  struct pacing pacing;
  struct pause_history history;
  uint64_t now_ns;
};

/* One tick: true when the others stand in it. */
static bool tick(struct system *system, bool working) {
  bool stands = system->now_ns < system->pacing.until_ns;
  system->now_ns += TICK_NS;
  if (pacing_step(&system->pacing, system->now_ns, working))
    history_add(&system->history, system->now_ns, system->pacing.until_ns);
  return stands;
}

static void work_elsewhere(struct system *system, uint64_t ns) {
  for (uint64_t done = 0; done < ns;)
    done += tick(system, false) ? 0 : TICK_NS;
}

/* What the request takes, without the pauses. */
static uint64_t serve(struct system *system, const struct request *request) {
  uint64_t begin_ns = system->now_ns, followed = 0, other = 0, paused_ns;
  work_elsewhere(system, request->before_ns);
  while (followed < request->followed_ns || other < request->other_ns) {
    bool working = followed < request->followed_ns;
    bool stands = tick(system, working);
    followed += working ? TICK_NS : 0;
    other += stands ? 0 : TICK_NS;
  }
  work_elsewhere(system, request->after_ns);
  assert_true(history_paused(&paused_ns, &system->history, begin_ns, system->now_ns));
  return system->now_ns - begin_ns - paused_ns;
}

static uint64_t really(const struct request *request, uint64_t saved_ppm) {
  uint64_t followed = request->followed_ns - request->followed_ns * saved_ppm / PACING_MILLION;
  uint64_t longer = followed > request->other_ns ? followed : request->other_ns;
  return request->before_ns + longer + request->after_ns;
}

static uint64_t draw(struct random *random, uint64_t most_ns) {
  return TICK_NS * random_below(random, most_ns / TICK_NS + 1);
}

static const uint64_t shares_ppm[] = {50000, 200000, 500000, 800000, PACING_SAVED_MOST};

/* Each request is right to within a pause, whatever goes on beside. */
static void test_each_request(void **state) {
  (void)state;
  for (size_t s = 0; s < sizeof shares_ppm / sizeof *shares_ppm; s++) {
    struct random random = {s};
    static struct system system;
    system = (struct system){0};
    pacing_init(&system.pacing, shares_ppm[s], PAUSE_NS, 0);
    for (int i = 0; i < REQUESTS; i++) {
      const struct request request = {draw(&random, 3000000), draw(&random, 8000000),
                                      draw(&random, 8000000), draw(&random, 2000000)};
      int64_t off = (int64_t)serve(&system, &request) - (int64_t)really(&request, shares_ppm[s]);
      assert_in_range(llabs(off), 0, PAUSE_NS + 2 * TICK_NS);
    }
  }
}

/* All requests together are right to within a pause: nothing adds up, however short they are. */
static void test_all_requests(void **state) {
  (void)state;
  static const uint64_t longest_ns[] = {100000, 700000, 20000000};
  for (size_t s = 0; s < sizeof shares_ppm / sizeof *shares_ppm; s++)
    for (size_t l = 0; l < sizeof longest_ns / sizeof *longest_ns; l++) {
      struct random random = {10 + 10 * s + l};
      static struct system system;
      system = (struct system){0};
      pacing_init(&system.pacing, shares_ppm[s], PAUSE_NS, 0);
      int64_t off = 0;
      for (int i = 0; i < REQUESTS; i++) {
        const struct request request = {draw(&random, 100000), draw(&random, longest_ns[l]), 0,
                                        TICK_NS};
        off += (int64_t)serve(&system, &request) - (int64_t)really(&request, shares_ppm[s]);
      }
      assert_in_range(llabs(off), 0, PAUSE_NS + REQUESTS * TICK_NS);
    }
}

/* Without work nobody pauses, and a look that comes late, or from the past, is none. */
static void test_looks(void **state) {
  (void)state;
  struct pacing pacing;
  pacing_init(&pacing, 500000, 1000, 7000);
  assert_false(pacing_step(&pacing, 900000, false));
  assert_false(pacing_step(&pacing, 6000, true));
  assert_int_equal(pacing.at_ns, 900000);
  assert_false(pacing_step(&pacing, 900999, true)); /* 499.5 ns are owed, half a pause is 500 */
  assert_true(pacing_step(&pacing, 901001, true));
  assert_int_equal(pacing.until_ns, 902001);
  assert_false(pacing_step(&pacing, 902000, true)); /* it is still on */
  assert_true(pacing_step(&pacing, UINT64_MAX - 5000, true));
}

static void test_history(void **state) {
  (void)state;
  static struct pause_history history;
  uint64_t ns;
  history = (struct pause_history){0};
  assert_true(history_paused(&ns, &history, 0, UINT64_MAX) && ns == 0);
  history_add(&history, 100, 200);
  history_add(&history, 150, 250); /* from 200 on */
  history_add(&history, 210, 240); /* over before the last one was */
  history_add(&history, 300, 400);
  assert_int_equal(history.count, 3);
  assert_true(history_paused(&ns, &history, 0, 1000) && ns == 250);
  assert_true(history_paused(&ns, &history, 120, 320) && ns == 150);
  assert_true(history_paused(&ns, &history, 250, 300) && ns == 0);
  assert_true(history_paused(&ns, &history, 330, 340) && ns == 10);
}

static uint64_t overlap_of(const struct time_stretch *a, size_t m, const struct time_stretch *b,
                           size_t n) {
  stretch_list x = {0}, y = {0};
  for (size_t i = 0; i < m; i++)
    vector_push(&x, a[i]);
  for (size_t i = 0; i < n; i++)
    vector_push(&y, b[i]);
  stretches_unite(&x);
  stretches_unite(&y);
  uint64_t overlap = stretches_overlap(&x, &y);
  assert_int_equal(overlap, stretches_overlap(&y, &x));
  vector_clear(&x);
  vector_clear(&y);
  return overlap;
}

/* How long one service stood while another worked, at several calls at once. */
static void test_stretches(void **state) {
  (void)state;
  static const struct time_stretch work[] = {{50, 60}, {10, 30}, {20, 40}, {12, 15}, {60, 70}};
  static const struct time_stretch pauses[] = {{35, 55}, {0, 11}, {69, 90}, {100, 110}};
  assert_int_equal(overlap_of(work, 5, pauses, 4), 1 + 5 + 5 + 1);
  assert_int_equal(overlap_of(work, 5, work, 5), 30 + 20);
  assert_int_equal(overlap_of(work, 5, pauses, 0), 0);
}

/* What was before the oldest pause that is known is not known. */
static void test_forgotten(void **state) {
  (void)state;
  static struct pause_history history;
  uint64_t ns;
  history = (struct pause_history){0};
  for (uint64_t i = 0; i <= HISTORY_PAUSES; i++)
    history_add(&history, 100 * i + 10, 100 * i + 20);
  assert_false(history_paused(&ns, &history, 0, 5000));
  assert_true(history_paused(&ns, &history, 120, 5000));
  assert_int_equal(ns, 480);
  uint64_t from_ns, until_ns;
  assert_false(history_pause(&history, 0, &from_ns, &until_ns));
  assert_true(history_pause(&history, 1, &from_ns, &until_ns) && from_ns == 110 && until_ns == 120);
  assert_false(history_pause(&history, HISTORY_PAUSES + 1, &from_ns, &until_ns));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_each_request), cmocka_unit_test(test_all_requests),
      cmocka_unit_test(test_looks),        cmocka_unit_test(test_history),
      cmocka_unit_test(test_forgotten),    cmocka_unit_test(test_stretches),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
