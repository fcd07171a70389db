/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What-if on recorded requests: 100,000 requests of 50 spans replayed with one call faster, with
 * all calls faster, and with a limit; and the law of WebPerf's average graph of 182 calls with 62
 * joins. Processor time, the least of several runs.
 */
#include <stdio.h>
#include <time.h>

#include "base/random.h"
#include "tests/unit/trace/flows.h"
#include "trace/evaluate/mixture.h"
#include "trace/evaluate/replay.h"

enum { CALLS_MAX = 200, RUNS = 3 };

static double now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* Stages one after the other; in each up to three calls at once, `calls` in all. */
static struct request_flow *stages(struct recorded *r, uint32_t calls, uint32_t count) {
  static struct call_row call_rows[CALLS_MAX + 2];
  static struct activity_row rows[2 * CALLS_MAX + 2];
  static char waits[2 * CALLS_MAX + 2][64];
  char before[64] = "", here[64];
  uint32_t call = 0, activity = 0;
  memset(call_rows, 0, sizeof call_rows);
  memset(rows, 0, sizeof rows);
  call_rows[0] = (struct call_row){"web", "GET", 0};
  for (uint32_t stage = 0; stage < count; stage++) {
    uint32_t width = (calls - call + count - stage - 1) / (count - stage);
    here[0] = 0;
    for (uint32_t i = 0; i < width; i++, activity += 2) {
      call_rows[++call] = (struct call_row){call % 10 == 1 ? "sql" : "api", "get", 0};
      strcpy(waits[activity], before);
      snprintf(waits[activity + 1], sizeof waits[0], "%u", activity);
      rows[activity] = (struct activity_row){call, true, waits[activity], 0};
      rows[activity + 1] = (struct activity_row){call, false, waits[activity + 1], 0};
      snprintf(here + strlen(here), sizeof here - strlen(here), "%u ", activity + 1);
    }
    strcpy(before, here);
  }
  strcpy(waits[activity], before);
  rows[activity] = (struct activity_row){0, false, waits[activity], 0};
  return recorded_flow(r, call_rows, rows);
}

/* With work of the caller before each call, of at most `lead_ns`. */
static void record(struct recorded *r, struct request_flow *flow, size_t requests,
                   uint64_t lead_ns) {
  struct random random = {7};
  int64_t times[2 * CALLS_MAX + 1];
  for (size_t i = 0; i < requests; i++) {
    for (size_t a = 0; a < flow->activities.count; a++)
      times[a] = (int64_t)random_below(&random, a % 2 == 0 ? lead_ns + 1 : 3000000);
    recorded_request(r, flow, (int64_t)i * 5000000, times);
  }
}

static double replay_ms(const struct recorded *r, const char *change) {
  static const struct asker nobody;
  struct scenario_request request = {.asker = &nobody, .changes = &change, .change_count = 1};
  double least = 1e99;
  for (int i = 0; i < RUNS; i++) {
    struct scenario scenario;
    struct variants variants;
    struct replayed replayed;
    double from = now_ms();
    scenario_read(&scenario, &request);
    scenario_apply(&variants, &scenario, &r->graph, &r->store);
    requests_replay(&replayed, &(struct replay_wish){&scenario, &variants, &r->store, 1, 0, NULL});
    double ms = now_ms() - from;
    least = ms < least ? ms : least;
    replayed_clear(&replayed);
    variants_clear(&variants);
    scenario_clear(&scenario);
  }
  return least;
}

static double law_ms(const struct recorded *r) {
  static const struct scenario_request request;
  double least = 1e99;
  struct scenario scenario;
  struct variants variants;
  struct replayed replayed;
  scenario_read(&scenario, &request);
  scenario_apply(&variants, &scenario, &r->graph, &r->store);
  requests_replay(&replayed, &(struct replay_wish){&scenario, &variants, &r->store, 1, 0, NULL});
  for (int i = 0; i < RUNS; i++) {
    struct mixture mixture;
    struct survival law;
    struct ledger ledger;
    ledger_init(&ledger);
    double from = now_ms();
    mixture_init(&mixture, &(struct mixture_wish){&scenario, &variants, &r->store, &replayed});
    mixture_law(&law, &mixture, SIDE_UPPER, 0, false, &ledger);
    double ms = now_ms() - from;
    least = ms < least ? ms : least;
    survival_clear(&law);
    mixture_clear(&mixture);
    ledger_clear(&ledger);
  }
  replayed_clear(&replayed);
  variants_clear(&variants);
  scenario_clear(&scenario);
  return least;
}

static void row(const char *what, double ms, const char *target) {
  char measured[40];
  snprintf(measured, sizeof measured, "%.0f ms", ms);
  printf("%-58s %14s   %s\n", what, measured, target);
}

int main(void) {
  struct recorded r;
  recorded_init(&r);
  record(&r, stages(&r, 49, 17), 100000, 100000);
  row("what-if, 100,000 requests of 50 spans: one call faster", replay_ms(&r, "sql: *0.5"),
      "< 1000 ms");
  row("  all calls faster", replay_ms(&r, "*: *0.5"), "< 1000 ms");
  row("  a limit", replay_ms(&r, "limit sql=3"), "< 1000 ms");
  recorded_clear(&r);
  recorded_init(&r);
  record(&r, stages(&r, 182, 62), 1000, 0);
  row("  law of the average graph: 182 calls, 62 joins", law_ms(&r), "< 200 ms");
  recorded_clear(&r);
  return 0;
}
