/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * event_log PATH...: what the library reads of event logs, as lines "fact value"; with
 * EVENT_LOG_CHAINS=1 each request's chain as well, with EVENT_LOG_ROWS=1 each row, with
 * EVENT_LOG_REQUESTS=1 "request METHOD PATH ARRIVED ANSWERED" in ns, and with EVENT_LOG_PARTS=1 what
 * each request of a complete chain spent its time on: "part METHOD PATH NUMBER US CAUSE".
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "trace/event/read.h"
#include "trace/loop/causes.h"
#include "trace/loop/chain.h"

static void say(void *context, enum saying saying, const char *line) {
  (void)context;
  (void)saying;
  fprintf(stderr, "%s\n", line);
}

static void show_chain(const struct event_log *log, const struct event_chains *chains, size_t i) {
  const struct event_chain *chain = &chains->chains.data[i];
  const struct event_request *request = &log->requests.data[i];
  printf("%s: %s", names_text(&log->names, request->route), chain_state_name(chain->state));
  for (uint32_t j = 0; j < chain->count; j++) {
    const struct event_link link = event_link_at(chains, log, chain, j);
    struct link_parts parts = event_link_parts(&link);
    printf(" | %s%s %.3f io %.3f queue %.3f either %.3f run",
           names_text(&log->names, log->type.data[link.row]), link.shared ? "*" : "",
           (double)parts.io / 1e6, (double)parts.queue / 1e6, (double)parts.either / 1e6,
           (double)parts.run / 1e6);
  }
  printf(" | source %d sink %d\n", (int)request->source, (int)request->sink);
}

static double ms(int64_t time) {
  return time == EVENT_NEVER ? -1 : (double)time / 1e6;
}

static void show_rows(const struct event_log *log) {
  for (size_t i = 0; i < log->begin.count; i++)
    printf("row %zu %s#%u registered %.3f ready %.3f..%.3f run %.3f..%.3f by %d after %d in %d\n",
           i, names_text(&log->names, log->type.data[i]), log->resource.data[i],
           ms(log->registered.data[i]), ms(log->ready_low.data[i]), ms(log->ready_high.data[i]),
           ms(log->begin.data[i]), ms(log->end.data[i]), (int)log->registrar.data[i],
           (int)log->releaser.data[i], (int)log->inside.data[i]);
}

static void show_requests(const struct event_log *log) {
  for (size_t i = 0; i < log->requests.count; i++) {
    const struct event_request *request = &log->requests.data[i];
    printf("request %s %" PRId64 " %" PRId64 "\n", names_text(&log->names, request->route),
           request->arrived_high, request->responded);
  }
}

static void show_parts(const struct event_log *log, const struct event_chains *chains) {
  struct loop_causes causes;
  loop_causes_make(&causes, log, chains, 99, 0);
  for (size_t r = 0; r < causes.routes.count; r++) {
    const struct loop_route *route = &causes.routes.data[r];
    for (size_t i = 0; i < route->chains.count; i++)
      for (size_t c = 0; c < route->causes.causes.count; c++)
        if (route->causes.causes.data[c].parts[i] >= 1000)
          printf("part %s %zu %" PRId64 " %s\n", names_text(&log->names, route->route), i,
                 route->causes.causes.data[c].parts[i] / 1000, route->causes.causes.data[c].name);
  }
  loop_causes_clear(&causes);
}

/* Complete chains whose parts do not add up to the latency. */
static size_t count_residuals(const struct event_log *log, const struct event_chains *chains) {
  size_t wrong = 0;
  for (size_t i = 0; i < chains->chains.count; i++) {
    const struct event_chain *chain = &chains->chains.data[i];
    int64_t sum = 0;
    for (uint32_t j = 0; j < chain->count; j++) {
      const struct event_link link = event_link_at(chains, log, chain, j);
      struct link_parts parts = event_link_parts(&link);
      sum += parts.io + parts.queue + parts.either + parts.run;
    }
    wrong += chain->state == CHAIN_COMPLETE && sum != chain->answer - chain->arrived;
  }
  return wrong;
}

static void show(const struct event_log *log) {
  struct event_chains chains;
  struct event_paused paused = event_paused_time(log);
  event_chains_make(&chains, log);
  printf("loops %zu\nrows %zu\nrequests %zu\nlinks %zu\nshared %" PRIu64 "\nresiduals %zu\n",
         log->loops.count, log->begin.count, log->requests.count, chains.rows.count, chains.shared,
         count_residuals(log, &chains));
  for (int i = 0; i < CHAIN_STATES; i++)
    if (chains.states[i] != 0)
      printf("state %d %" PRIu64 " %s\n", i, chains.states[i],
             chain_state_name((enum chain_state)i));
  printf("pauses %" PRIu64 "\npaused_sum_ns %" PRId64 "\npaused_covered_ns %" PRId64
         "\npaused_longest_ns %" PRId64 "\n",
         paused.count, paused.sum, paused.covered, paused.longest);
  for (size_t i = 0; i < chains.chains.count && getenv("EVENT_LOG_CHAINS") != NULL; i++)
    show_chain(log, &chains, i);
  if (getenv("EVENT_LOG_ROWS") != NULL)
    show_rows(log);
  if (getenv("EVENT_LOG_REQUESTS") != NULL)
    show_requests(log);
  if (getenv("EVENT_LOG_PARTS") != NULL)
    show_parts(log, &chains);
  event_chains_clear(&chains);
}

int main(int argc, char **argv) {
  struct event_log log;
  struct ledger ledger;
  event_log_init(&log);
  ledger_init(&ledger);
  enum status status = event_read(&log, (const char *const *)argv + 1, (size_t)(argc - 1), &ledger,
                                  &(struct asker){.say = say});
  if (status == STATUS_OK)
    show(&log);
  for (size_t i = 0; i < ledger.count; i++)
    printf("ledger %s\n", ledger.lines[i].text);
  ledger_clear(&ledger);
  event_log_clear(&log);
  return (int)status;
}
