/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Processor seconds for the graph of requests that are in memory, and for going through it: 100 000
 * requests of 50 spans, and of 182 spans with 61 joins, as large as the average graph of WebPerf.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/random.h"
#include "trace/graph/path.h"
#include "trace/span/builder.h"

enum { MOST = 200 };

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void row(const char *what, double seconds, const char *target) {
  char measured[32];
  snprintf(measured, sizeof measured, "%.3f s", seconds);
  printf("%-58s %14s   %s\n", what, measured, target);
}

/* Every call makes `fan` calls, of which each second one runs beside the next. */
static void add_request(struct builder *builder, struct random *random, int spans, int fan) {
  static char ids[MOST][8];
  int64_t start[MOST], end[MOST];
  builder_begin(builder, (struct slice){"request", 7});
  for (int k = 0; k < spans; k++) {
    int caller = k == 0 ? 0 : (k - 1) / fan, place = k == 0 ? 0 : (k - 1) % fan;
    start[k] = 0;
    end[k] = INT64_C(1000000000);
    if (k > 0) {
      int64_t width = (end[caller] - start[caller]) / (fan + 1);
      start[k] = start[caller] + width * place + (int64_t)random_below(random, (uint64_t)width / 2);
      end[k] =
          start[k] + width / (2 - place % 2) + (int64_t)random_below(random, (uint64_t)width / 4);
    }
    int length = snprintf(ids[k], sizeof ids[k], "s%d", k);
    struct slice id = {ids[k], (size_t)length};
    builder_add(builder,
                &(struct span_record){.id = id,
                                      .parent = {ids[caller], k == 0 ? 0 : strlen(ids[caller])},
                                      .service = {"service", 7},
                                      .operation = id,
                                      .start = start[k],
                                      .end = end[k]});
  }
  builder_finish(builder);
}

static void replay(const struct request_graph *graph, bool paths) {
  struct request_path path = {0};
  for (size_t f = 0; f < graph->flows.count; f++) {
    const struct request_flow *flow = graph->flows.data[f];
    size_t count = flow->activities.count;
    int64_t *finish = mem_alloc(count, sizeof *finish);
    for (size_t i = 0; i < flow->requests.count; i++) {
      flow_finish(finish, flow, flow->durations.data + i * count);
      if (paths)
        flow_path(&path, flow, finish, flow->durations.data + i * count);
    }
    mem_free(finish);
  }
  request_path_clear(&path);
}

static void measure(int requests, int spans, int fan, const char *const *rows,
                    const char *const *targets) {
  struct span_store store;
  struct request_graph graph;
  struct random random = {1};
  span_store_init(&store);
  struct builder *builder = builder_new(&store);
  for (int i = 0; i < requests; i++)
    add_request(builder, &random, spans, fan);
  builder_free(builder);
  double from = now();
  request_graph_make(&graph, &store,
                     &(struct graph_options){.undecided = UNDECIDED_WAITS, .level = 0.05});
  double made = now();
  replay(&graph, false);
  double replayed = now();
  replay(&graph, true);
  double followed = now();
  row(rows[0], made - from, targets[0]);
  row(rows[1], replayed - made, targets[1]);
  row(rows[2], followed - replayed, targets[2]);
  request_graph_clear(&graph);
  span_store_clear(&store);
}

int main(void) {
  measure(100000, 50, 7,
          (const char *[]){"graph of 100 000 requests of 50 spans", "  replay of all of them",
                           "  their critical paths"},
          (const char *[]){"< 3 s", "< 1 s", "< 1 s"});
  measure(100, 182, 3,
          (const char *[]){"graph of 100 requests of 182 spans, 61 joins",
                           "  replay of all of them", "  their critical paths"},
          (const char *[]){"< 0.2 s", "< 0.2 s", "< 0.2 s"});
  return EXIT_SUCCESS;
}
