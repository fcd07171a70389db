/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/hot/spans.h"

#include <stdlib.h>
#include <string.h>

#include "trace/graph/path.h"

enum { KEYS = 3 };

/* Names of tags, the better one first; 0: no span has it. */
struct hot_keys {
  uint32_t process[KEYS], thread[KEYS];
};

static void find_keys(struct hot_keys *keys, const struct span_names *names) {
  static const char *const process[KEYS] = {"process.pid", "pid", "process_id"};
  static const char *const thread[KEYS] = {"thread.id", "tid", "thread_id"};
  for (size_t i = 0; i < KEYS; i++) {
    keys->process[i] = names_find(names, (struct slice){process[i], strlen(process[i])});
    keys->thread[i] = names_find(names, (struct slice){thread[i], strlen(thread[i])});
  }
}

static uint32_t number_of(const char *text) {
  char *end;
  unsigned long number = strtoul(text, &end, 10);
  return text[0] >= '0' && text[0] <= '9' && *end == '\0' && number <= UINT32_MAX ? (uint32_t)number
                                                                                  : 0;
}

/* The number that the first of the keys has which the span has. */
static uint32_t number_in(const struct span_store *store, uint32_t row, const uint32_t *keys) {
  size_t first = row == 0 ? 0 : store->tag_end.data[row - 1];
  for (size_t k = 0; k < KEYS; k++)
    for (size_t t = first; keys[k] != 0 && t < store->tag_end.data[row]; t++)
      if (store->tags.data[t].key == keys[k])
        return number_of(names_text(&store->names, store->tags.data[t].value));
  return 0;
}

/* Of what a path is made of. */
struct hot_walk {
  const struct request_graph *graph;
  const struct span_store *store;
  struct hot_keys keys;
  const uint32_t *ranks; /* by request of the store */
  int64_t shift;
  hot_stretches *stretches;
  struct request_path path;
  int64_t *finish;
  size_t unknown;
};

static void add_step(struct hot_walk *walk, const struct request_flow *flow, size_t index,
                     const struct path_step *step) {
  const struct activity *activity = &flow->activities.data[step->activity];
  if (activity->kind != ACTIVITY_WORK || step->duration == 0)
    return;
  const uint32_t *rows = flow->rows.data + index * flow->calls.count;
  uint32_t row = rows[activity->owner], request = flow->requests.data[index];
  int64_t end = walk->store->start.data[rows[0]] + walk->finish[step->activity] + walk->shift;
  struct hot_stretch stretch = {.start = end - step->duration,
                                .end = end,
                                .request = walk->ranks[request],
                                .process = number_in(walk->store, row, walk->keys.process),
                                .thread = number_in(walk->store, row, walk->keys.thread)};
  walk->unknown += stretch.process == 0;
  vector_push(walk->stretches, stretch);
}

static void add_flow(struct hot_walk *walk, const struct request_flow *flow) {
  size_t count = flow->activities.count;
  walk->finish = mem_alloc(count, sizeof *walk->finish);
  for (size_t i = 0; i < flow->requests.count; i++) {
    const int64_t *durations = &flow->durations.data[i * count];
    flow_finish(walk->finish, flow, durations);
    flow_path(&walk->path, flow, walk->finish, durations);
    for (size_t s = 0; s < walk->path.steps.count; s++)
      add_step(walk, flow, i, &walk->path.steps.data[s]);
  }
  mem_free(walk->finish);
}

size_t hot_stretches_of_spans(hot_stretches *stretches, const struct request_graph *graph,
                              const struct span_store *store, const uint32_t *order,
                              int64_t shift) {
  uint32_t *ranks = mem_alloc(store->requests.count, sizeof *ranks);
  for (uint32_t i = 0; i < store->requests.count; i++)
    ranks[order[i]] = i;
  struct hot_walk walk = {
      .graph = graph, .store = store, .ranks = ranks, .shift = shift, .stretches = stretches};
  find_keys(&walk.keys, &store->names);
  for (size_t f = 0; f < graph->flows.count; f++)
    add_flow(&walk, graph->flows.data[f]);
  request_path_clear(&walk.path);
  mem_free(ranks);
  return walk.unknown;
}
