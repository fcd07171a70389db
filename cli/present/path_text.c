/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answer of `trace path` as text (path.h).
 */
#include <inttypes.h>

#include "base/duration.h"
#include "show/ledger.h"
#include "cli/present/path.h"
#include "show/wrapped.h"

static void print_steps(const struct trace_path *answer, size_t top) {
  struct table table;
  struct path_rest rest = path_steps_table(&table, answer, top);
  table_print(stdout, &table, 2);
  table_clear(&table);
  if (rest.count == 0)
    return;
  struct text text;
  text_init(&text);
  duration_print_nearest(&text, rest.ns);
  printf("  and %zu shorter steps: %s in all\n", rest.count, text_get(&text));
  text_clear(&text);
}

static void print_request(const struct trace_path *answer, size_t top) {
  const struct request_flow *flow = answer->graph.flows.data[answer->flow];
  const struct request *request = &answer->store.requests.data[flow->requests.data[answer->index]];
  struct text text;
  text_init(&text);
  duration_print_nearest(&text, answer->finish.data[answer->finish.count - 1]);
  printf("%s %.*s took %s. What it waited for, from its start:\n\n",
         answer->request->id != NULL ? "Request" : "The slowest request,", (int)request->id.length,
         request->id.start, text_get(&text));
  text_clear(&text);
  print_steps(answer, top);
}

static void print_parts(const struct trace_path *answer, size_t top) {
  struct table table;
  struct path_rest rest = path_parts_table(&table, answer, top);
  table_print(stdout, &table, 2);
  table_clear(&table);
  if (rest.count > 0)
    printf("  and %zu further: %.1f %%\n", rest.count,
           answer->latency_total > 0 ? 100 * (double)rest.ns / (double)answer->latency_total : 0);
}

static void print_flows(const struct trace_path *answer) {
  enum { LISTED = 5 };
  size_t count = answer->graph.flows.count;
  if (count < 2)
    return;
  printf("\nThe requests make their calls in %zu ways:\n\n", count);
  struct table table;
  path_flows_table(&table, answer, LISTED);
  table_print(stdout, &table, 2);
  table_clear(&table);
  if (count > LISTED)
    printf("  and %zu further\n", count - LISTED);
}

static void print_doubt(const struct trace_path *answer, const struct path_doubt *doubt) {
  struct text text;
  text_init(&text);
  path_doubt_say(&text, answer, doubt);
  wrapped_format(2, 4, "%s", text_get(&text));
  text_clear(&text);
}

static void print_doubts(const struct trace_path *answer, bool full) {
  enum { LISTED = 3 };
  size_t count = answer->doubts.count, listed = full || count < LISTED ? count : LISTED;
  if (count == 0)
    return;
  printf("\nUndecided on critical paths, and taken for waits above:\n\n");
  for (size_t i = 0; i < listed; i++)
    print_doubt(answer, &answer->doubts.data[i]);
  if (listed < count)
    printf("  and %zu further: --full lists them\n", count - listed);
}

static void print_limit(const struct trace_path *answer, size_t i) {
  struct text text;
  text_init(&text);
  path_limit_say(&text, answer, i);
  putchar('\n');
  wrapped_format(2, 4, "%s", text_get(&text));
  text_clear(&text);
}

void path_print_text(const struct trace_path *answer, const struct path_style *style) {
  print_request(answer, style->top);
  if (answer->requests > 1) {
    printf("\nAll %" PRIu64 " requests:\n\n", answer->requests);
    print_parts(answer, style->top);
    print_flows(answer);
  }
  print_doubts(answer, style->full);
  for (size_t i = 0; i < answer->limits.count; i++)
    print_limit(answer, i);
  ledger_print_text(&answer->ledger, style->full);
}
