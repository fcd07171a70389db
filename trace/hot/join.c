/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/hot/join.h"

#include <stdlib.h>
#include <string.h>

#include "trace/hot/waits.h"
#include "trace/stacks/unit.h"

/* Walks along the samples, with the stretches that are open. */
struct hot_sweep {
  struct hot_join *join;
  const struct stack_profile *profile;
  bool waiting;
  int64_t start, end;    /* what the profile covers */
  uint32_t *parent;      /* union of requests that are one cluster */
  int64_t *first, *last; /* ns, by request */
  VECTOR(const struct hot_stretch *) open;
};

static int by_start(const void *a, const void *b) {
  const struct hot_stretch *x = a, *y = b;
  if (x->start != y->start)
    return x->start < y->start ? -1 : 1;
  return (x->request > y->request) - (x->request < y->request);
}

/* ---- clusters */

static uint32_t root_of(uint32_t *parent, uint32_t request) {
  while (parent[request] != request) {
    parent[request] = parent[parent[request]];
    request = parent[request];
  }
  return request;
}

static void unite(struct hot_sweep *sweep, uint32_t a, uint32_t b) {
  a = root_of(sweep->parent, a);
  b = root_of(sweep->parent, b);
  if (a < b)
    sweep->parent[b] = a;
  else
    sweep->parent[a] = b;
}

static void number_clusters(struct hot_sweep *sweep) {
  struct hot_join *join = sweep->join;
  for (uint32_t r = 0; r < join->requests; r++) {
    uint32_t root = root_of(sweep->parent, r);
    join->cluster[r] = root == r ? join->clusters++ : join->cluster[root];
  }
}

/* Whether so many requests are in one cluster with others that too few clusters are left. */
static bool are_few(const struct hot_join *join) {
  enum { ENOUGH = 40 };
  bool *seen = mem_alloc(join->clusters, sizeof *seen);
  size_t clusters = 0, requests = 0;
  for (size_t r = 0; r < join->requests; r++) {
    requests += join->time[r] > 0;
    clusters += join->time[r] > 0 && !seen[join->cluster[r]];
    seen[join->cluster[r]] |= join->time[r] > 0;
  }
  mem_free(seen);
  return clusters < ENOUGH && clusters < requests;
}

static void cut_blocks(struct hot_sweep *sweep) {
  struct hot_join *join = sweep->join;
  int64_t length = (sweep->end - sweep->start) / HOT_BLOCKS + 1;
  join->blocks = true;
  join->clusters = HOT_BLOCKS;
  for (size_t r = 0; r < join->requests; r++) {
    int64_t block = (sweep->first[r] - sweep->start) / length;
    join->cluster[r] = join->time[r] > 0 ? (uint32_t)block : 0;
  }
}

/* ---- stretches */

static void find_cover(struct hot_sweep *sweep) {
  const struct stack_profile *profile = sweep->profile;
  size_t count = profile->samples.count;
  sweep->start = profile->start;
  sweep->end = profile->end;
  if (sweep->start == 0 && sweep->end == 0 && count != 0) {
    sweep->start = profile->samples.data[0].time;
    sweep->end = profile->samples.data[count - 1].time;
  }
}

/* What a request has of stretches of either kind tells whether it is covered. */
static void measure(struct hot_sweep *sweep, const hot_stretches *stretches) {
  struct hot_join *join = sweep->join;
  for (size_t r = 0; r < join->requests; r++) {
    sweep->parent[r] = (uint32_t)r;
    sweep->first[r] = INT64_MAX;
    sweep->last[r] = INT64_MIN;
  }
  for (size_t i = 0; i < stretches->count; i++) {
    const struct hot_stretch *s = &stretches->data[i];
    sweep->first[s->request] =
        s->start < sweep->first[s->request] ? s->start : sweep->first[s->request];
    sweep->last[s->request] = s->end > sweep->last[s->request] ? s->end : sweep->last[s->request];
    if (s->waiting == sweep->waiting)
      join->time[s->request] += s->end - s->start;
  }
  for (size_t r = 0; r < join->requests; r++)
    if (sweep->last[r] != INT64_MIN &&
        (sweep->first[r] < sweep->start || sweep->last[r] > sweep->end)) {
      join->time[r] = 0;
      join->outside++;
    }
}

static bool is_there(const struct hot_stretch *stretch, const struct stack_thread *thread) {
  return (stretch->process == 0 || thread->process == 0 || stretch->process == thread->process) &&
         (stretch->thread == 0 || thread->thread == 0 || stretch->thread == thread->thread);
}

static void close_ended(struct hot_sweep *sweep, int64_t time) {
  size_t kept = 0;
  for (size_t i = 0; i < sweep->open.count; i++)
    if (sweep->open.data[i]->end > time)
      sweep->open.data[kept++] = sweep->open.data[i];
  sweep->open.count = kept;
}

/* Requests that wait at one time at one place wait for the same others. */
static void open_stretch(struct hot_sweep *sweep, const struct hot_stretch *stretch) {
  if (stretch->waiting != sweep->waiting || sweep->join->time[stretch->request] == 0 ||
      stretch->end == stretch->start)
    return;
  close_ended(sweep, stretch->start);
  for (size_t i = 0; sweep->waiting && i < sweep->open.count; i++)
    if (sweep->open.data[i]->process == stretch->process &&
        sweep->open.data[i]->thread == stretch->thread) {
      unite(sweep, sweep->open.data[i]->request, stretch->request);
      break; /* the others are united with it already */
    }
  vector_push(&sweep->open, stretch);
}

/* ---- samples */

static const struct stack_thread nobody = {0};

static const struct stack_thread *thread_of(const struct stack_profile *profile,
                                            const struct stack_sample *sample) {
  return sample->thread < profile->threads.count ? &profile->threads.data[sample->thread] : &nobody;
}

static void take_sample(struct hot_sweep *sweep, const struct stack_sample *sample) {
  const struct stack_thread *thread = thread_of(sweep->profile, sample);
  struct hot_join *join = sweep->join;
  size_t first = join->cells.count;
  close_ended(sweep, sample->time);
  for (size_t i = 0; i < sweep->open.count; i++) {
    const struct hot_stretch *stretch = sweep->open.data[i];
    if (is_there(stretch, thread))
      vector_push(&join->cells,
                  (struct hot_cell){stretch->request, sample->node, (double)sample->weight, 1});
  }
  size_t count = join->cells.count - first;
  join->matched += count != 0;
  join->shared += count > 1;
  for (size_t i = first; i < join->cells.count; i++) {
    join->cells.data[i].samples /= (double)count;
    if (!sweep->waiting)
      join->cells.data[i].weight /= (double)count;
    unite(sweep, join->cells.data[first].request, join->cells.data[i].request);
  }
}

static void take_samples(struct hot_sweep *sweep, const hot_stretches *stretches) {
  size_t next = 0;
  for (size_t i = 0; i < sweep->profile->samples.count; i++) {
    const struct stack_sample *sample = &sweep->profile->samples.data[i];
    for (; next < stretches->count && stretches->data[next].start <= sample->time; next++)
      open_stretch(sweep, &stretches->data[next]);
    take_sample(sweep, sample);
  }
}

/* ---- waits */

/* Requests with work of a thread that is not known are left out: what they waited for is not known.
 */
static void leave_out_unknown(struct hot_sweep *sweep, const hot_stretches *stretches) {
  for (size_t i = 0; i < stretches->count; i++) {
    const struct hot_stretch *stretch = &stretches->data[i];
    if (stretch->waiting || hot_waits_thread(stretch, sweep->profile) != HOT_ANY_THREAD)
      continue;
    sweep->join->nobody++;
    sweep->join->time[stretch->request] = 0;
  }
}

struct wait_cells {
  struct hot_sweep *sweep;
  size_t sample, first; /* the wait at hand, and where its cells begin */
  int64_t end;          /* of the stretches that it was in */
  bool shared;
};

/* Requests that were open at once waited for the same, those one after another did not. */
static void add_wait(void *context, const struct hot_stretch *stretch, size_t sample, int64_t ns) {
  struct wait_cells *cells = context;
  struct hot_join *join = cells->sweep->join;
  if (stretch->waiting || join->time[stretch->request] == 0)
    return;
  bool begins = sample != cells->sample, at_once = !begins && stretch->start < cells->end;
  if (begins)
    *cells = (struct wait_cells){cells->sweep, sample, join->cells.count, INT64_MIN, false};
  join->matched += begins;
  join->shared += at_once && !cells->shared;
  cells->shared |= at_once;
  cells->end = stretch->end > cells->end ? stretch->end : cells->end;
  uint32_t node = cells->sweep->profile->samples.data[sample].node;
  vector_push(&join->cells, (struct hot_cell){stretch->request, node, (double)ns, at_once ? 0 : 1});
  if (at_once)
    unite(cells->sweep, join->cells.data[join->cells.count - 2].request, stretch->request);
}

static void take_waits(struct hot_sweep *sweep, const hot_stretches *stretches) {
  struct wait_cells cells = {sweep, SIZE_MAX, 0, INT64_MIN, false};
  leave_out_unknown(sweep, stretches);
  hot_waits_walk(stretches, sweep->profile, add_wait, &cells);
}

/* ---- cells */

static int by_node(const void *a, const void *b) {
  const struct hot_cell *x = a, *y = b;
  if (x->node != y->node)
    return x->node < y->node ? -1 : 1;
  return (x->request > y->request) - (x->request < y->request);
}

static void add_up(struct hot_join *join) {
  if (join->cells.count == 0)
    return;
  qsort(join->cells.data, join->cells.count, sizeof *join->cells.data, by_node);
  size_t kept = 0;
  for (size_t i = 1; i < join->cells.count; i++) {
    struct hot_cell *last = &join->cells.data[kept];
    const struct hot_cell *cell = &join->cells.data[i];
    if (by_node(last, cell) == 0) {
      last->weight += cell->weight;
      last->samples += cell->samples;
    } else {
      join->cells.data[++kept] = *cell;
    }
  }
  join->cells.count = kept + 1;
}

void hot_join_make(struct hot_join *join, hot_stretches *stretches, bool waiting, size_t requests,
                   const struct stack_profile *profile) {
  *join = (struct hot_join){.requests = requests,
                            .time = mem_alloc(requests, sizeof(int64_t)),
                            .cluster = mem_alloc(requests, sizeof(uint32_t)),
                            .samples = profile->samples.count};
  struct hot_sweep sweep = {.join = join,
                            .profile = profile,
                            .waiting = waiting,
                            .parent = mem_alloc(requests, sizeof(uint32_t)),
                            .first = mem_alloc(requests, sizeof(int64_t)),
                            .last = mem_alloc(requests, sizeof(int64_t))};
  if (stretches->count != 0)
    qsort(stretches->data, stretches->count, sizeof *stretches->data, by_start);
  find_cover(&sweep);
  measure(&sweep, stretches);
  if (!stack_unit_is_waiting(profile))
    take_samples(&sweep, stretches);
  else if (!waiting)
    take_waits(&sweep, stretches);
  add_up(join);
  number_clusters(&sweep);
  if (are_few(join))
    cut_blocks(&sweep);
  mem_free(sweep.parent);
  mem_free(sweep.first);
  mem_free(sweep.last);
  vector_clear(&sweep.open);
}

void hot_join_clear(struct hot_join *join) {
  mem_free(join->time);
  mem_free(join->cluster);
  vector_clear(&join->cells);
}
