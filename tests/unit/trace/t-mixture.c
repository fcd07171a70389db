/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/trace/scenarios.h"

#include <math.h>
#include <time.h>

#include "base/random.h"
#include "trace/evaluate/mixture.h"

static const char *const none[] = {NULL};

/* The law's quantile; UINT64_MAX: infinite. */
static uint64_t quantile(const struct survival *law, double share) {
  uint64_t ns = UINT64_MAX;
  survival_quantile(&ns, law, (uint64_t)((1 - share) * 1e18));
  return ns;
}

static struct survival law_of(const struct recorded *r, struct changed *c, enum survival_side side,
                              uint64_t alpha, bool any) {
  struct mixture_wish wish = {&c->scenario, &c->variants, &r->store, &c->replayed};
  struct mixture mixture;
  struct ledger ledger;
  struct survival law;
  ledger_init(&ledger);
  mixture_init(&mixture, &wish);
  assert_null(mixture.why_not);
  mixture_law(&law, &mixture, side, alpha, any, &ledger);
  mixture_clear(&mixture);
  ledger_clear(&ledger);
  return law;
}

/* --- WebPerf's average graph ------------------------------------------------------------------ */

enum { STAGES = 62, TASKS = 182, GRAPH_REQUESTS = 200 };

/* 62 stages, one after the other, of two or three calls at once: 182 calls. */
static struct request_flow *average(struct recorded *r) {
  static struct call_row calls[TASKS + 2];
  static struct activity_row activities[2 * TASKS + 2];
  static char waits[2 * TASKS + 2][64];
  uint32_t task = 0, activity = 0;
  char before[64] = "", here[64];
  calls[0] = (struct call_row){"web", "GET", 0};
  for (uint32_t stage = 0; stage < STAGES; stage++) {
    uint32_t width = stage < TASKS - 2 * STAGES ? 3 : 2;
    here[0] = 0;
    for (uint32_t i = 0; i < width; i++, activity += 2) {
      task++;
      calls[task] = (struct call_row){"api", "get", 0};
      strcpy(waits[activity], before);
      snprintf(waits[activity + 1], 64, "%u", activity);
      activities[activity] = (struct activity_row){task, true, waits[activity], 0};
      activities[activity + 1] = (struct activity_row){task, false, waits[activity + 1], 0};
      snprintf(here + strlen(here), sizeof here - strlen(here), "%u ", activity + 1);
    }
    strcpy(before, here);
  }
  strcpy(waits[activity], before);
  activities[activity] = (struct activity_row){0, false, waits[activity], 0};
  return recorded_flow(r, calls, activities);
}

static void test_the_average_graph(void **state) {
  (void)state;
  struct recorded r;
  recorded_init(&r);
  struct request_flow *flow = average(&r);
  assert_int_equal(flow->calls.count, TASKS + 1);
  struct random random = {5};
  for (size_t i = 0; i < GRAPH_REQUESTS; i++) {
    int64_t times[2 * TASKS + 1] = {0};
    for (size_t a = 1; a < 2 * TASKS; a += 2)
      times[a] = 1000000 + (int64_t)random_below(&random, 3000000);
    recorded_request(&r, flow, 0, times);
  }
  struct changed c;
  changed_replay(&c, &r, none, NULL);
  struct survival upper = law_of(&r, &c, SIDE_UPPER, 0, false);
  struct survival lower = law_of(&r, &c, SIDE_LOWER, 0, false);
  uint64_t most = quantile(&upper, 0.99), least = quantile(&lower, 0.99);
  printf("%g %g\n", (double)least, (double)most);
  assert_true(least <= most && (double)most <= 1.01 * (double)least);
  survival_clear(&upper);
  survival_clear(&lower);
  changed_clear(&c);
  recorded_clear(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_average_graph),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
