/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/stacks/prune.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "measure/core/thread_prune.h"
#include "trace/stacks/weights.h"

/* Samples of a thread at a node. */
struct prune_cell {
  uint32_t thread, node;
  uint64_t weight;
};

struct prune_thread {
  uint64_t weight;
  uint32_t thread;
};

struct pruning {
  struct prune_curve *curve;
  const struct stack_profile *profile;
  struct stack_functions functions;
  VECTOR(struct prune_cell) cells; /* by rank of the thread */
  struct prune_thread *threads;    /* the heaviest first */
  uint64_t *weights;               /* of these */
  size_t count;
  double *own, *own_kept; /* samples in a function itself, by function; of threads that are kept */
  double *all, *kept;     /* in it or in what it called; as a profile shows it without callers of
                             the other threads */
  uint32_t *counted;      /* by function: the last walk that came by */
  uint32_t walks;
  uint32_t *top, *top_all; /* by what is in functions themselves; with what they call */
  uint32_t *depth;         /* by node */
  double frames;           /* of all samples */
};

static int heaviest_first(const void *a, const void *b) {
  const struct prune_thread *x = a, *y = b;
  if (x->weight != y->weight)
    return x->weight < y->weight ? 1 : -1;
  return (x->thread > y->thread) - (x->thread < y->thread);
}

static int by_thread(const void *a, const void *b) {
  const struct prune_cell *x = a, *y = b;
  return (x->thread > y->thread) - (x->thread < y->thread);
}

/* ---- cells */

/* What a node is below: the outermost frame, as a thread. */
static uint32_t outermost(const struct stack_profile *profile, uint32_t node) {
  while (node != 0 && profile->nodes.data[node].parent != 0)
    node = profile->nodes.data[node].parent;
  return node;
}

static void take_cells(struct pruning *p) {
  const struct stack_profile *profile = p->profile;
  bool timed = profile->samples.count != 0;
  for (size_t i = 0; i < profile->samples.count; i++) {
    const struct stack_sample *sample = &profile->samples.data[i];
    vector_push(&p->cells, (struct prune_cell){sample->thread, sample->node, sample->weight});
  }
  for (uint32_t n = 0; n < profile->nodes.count && !timed; n++)
    if (profile->nodes.data[n].own != 0)
      vector_push(&p->cells,
                  (struct prune_cell){outermost(profile, n), n, profile->nodes.data[n].own});
}

/* Ranks the threads, and puts the cells into that order. */
static void rank_threads(struct pruning *p) {
  uint32_t most = 0;
  for (size_t i = 0; i < p->cells.count; i++)
    most = p->cells.data[i].thread > most ? p->cells.data[i].thread : most;
  struct prune_thread *threads = mem_alloc((size_t)most + 1, sizeof *threads);
  for (uint32_t t = 0; t <= most; t++)
    threads[t].thread = t;
  for (size_t i = 0; i < p->cells.count; i++)
    threads[p->cells.data[i].thread].weight += p->cells.data[i].weight;
  qsort(threads, (size_t)most + 1, sizeof *threads, heaviest_first);
  uint32_t *ranks = mem_alloc((size_t)most + 1, sizeof *ranks);
  p->weights = mem_alloc((size_t)most + 1, sizeof *p->weights);
  for (uint32_t rank = 0; rank <= most; rank++) {
    ranks[threads[rank].thread] = rank;
    p->weights[rank] = threads[rank].weight;
    p->count += threads[rank].weight != 0;
  }
  for (size_t i = 0; i < p->cells.count; i++)
    p->cells.data[i].thread = ranks[p->cells.data[i].thread];
  qsort(p->cells.data, p->cells.count, sizeof *p->cells.data, by_thread);
  mem_free(ranks);
  p->threads = threads;
}

/* Adds a cell to all functions of its stack, to each once. */
static void add_stack(struct pruning *p, const struct prune_cell *cell, double *sums) {
  p->walks++;
  for (uint32_t node = cell->node; node != 0; node = p->profile->nodes.data[node].parent) {
    uint32_t function = p->functions.of_node[node];
    if (p->counted[function] != p->walks)
      sums[function] += (double)cell->weight;
    p->counted[function] = p->walks;
  }
}

static void make_sums(struct pruning *p) {
  double **sums[] = {&p->own, &p->own_kept, &p->all, &p->kept};
  for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
    *sums[i] = mem_alloc(p->functions.count, sizeof(double));
  p->counted = mem_alloc(p->functions.count, sizeof *p->counted);
  p->depth = mem_alloc(p->profile->nodes.count, sizeof *p->depth);
  for (size_t n = 1; n < p->profile->nodes.count; n++)
    p->depth[n] = p->depth[p->profile->nodes.data[n].parent] + 1;
}

static void find_top(struct pruning *p, size_t top) {
  stack_functions_find(&p->functions, p->profile);
  make_sums(p);
  for (size_t i = 0; i < p->cells.count; i++) {
    const struct prune_cell *cell = &p->cells.data[i];
    p->own[p->functions.of_node[cell->node]] += (double)cell->weight;
    p->frames += (double)p->depth[cell->node];
    add_stack(p, cell, p->all);
  }
  memcpy(p->kept, p->own, p->functions.count * sizeof *p->own);
  p->top = stack_functions_top(p->own, p->functions.count, top, &p->curve->functions);
  p->top_all = stack_functions_top(p->all, p->functions.count, top, &p->curve->callers);
}

/* ---- points */

static double lost_of(const double *kept, const double *all, uint32_t function) {
  return fmax(1 - kept[function] / all[function], 0);
}

/* How much less of some functions is kept than there is, on average. */
static double mean_lost(const uint32_t *top, size_t count, const double *kept, const double *all) {
  double sum = 0;
  for (size_t i = 0; i < count; i++)
    sum += lost_of(kept, all, top[i]);
  return count == 0 ? 0 : sum / (double)count;
}

static double error_of(const struct pruning *p) {
  return fmax(mean_lost(p->top, p->curve->functions, p->kept, p->all),
              mean_lost(p->top_all, p->curve->callers, p->kept, p->all));
}

/* Of what other threads have themselves nothing is left here. */
static double error_dropped_of(const struct pruning *p) {
  double sum = 0;
  for (size_t i = 0; i < p->curve->callers; i++) {
    uint32_t f = p->top_all[i];
    sum += 1 - (p->kept[f] - (p->own[f] - p->own_kept[f])) / p->all[f];
  }
  double callers = p->curve->callers == 0 ? 0 : fmax(sum / (double)p->curve->callers, 0);
  return fmax(mean_lost(p->top, p->curve->functions, p->own_kept, p->own), callers);
}

static void find_worst(const struct pruning *p, struct prune_point *point) {
  const uint32_t *tops[] = {p->top_all, p->top};
  size_t counts[] = {p->curve->callers, p->curve->functions};
  point->worst_frame = STACK_NONE;
  for (size_t k = 0; k < 2; k++)
    for (size_t i = 0; i < counts[k]; i++)
      if (lost_of(p->kept, p->all, tops[k][i]) > point->worst) {
        point->worst = lost_of(p->kept, p->all, tops[k][i]);
        point->worst_frame = p->functions.frame[tops[k][i]];
      }
}

/* A walk from the heaviest thread on. */
struct prune_walk {
  size_t threads, cells; /* taken */
  double weight, frames;
};

static void take_thread(struct pruning *p, struct prune_walk *walk) {
  for (; walk->cells < p->cells.count && p->cells.data[walk->cells].thread == walk->threads;
       walk->cells++) {
    const struct prune_cell *cell = &p->cells.data[walk->cells];
    uint32_t innermost = p->functions.of_node[cell->node];
    p->own_kept[innermost] += (double)cell->weight;
    add_stack(p, cell, p->kept);
    if (cell->node != 0)
      p->kept[innermost] -= (double)cell->weight; /* it was there already */
    walk->frames += (double)p->depth[cell->node];
  }
  walk->weight += (double)p->weights[walk->threads];
  walk->threads++;
}

static struct prune_point point_of(const struct pruning *p, const struct prune_walk *walk,
                                   double total) {
  double frames = walk->frames + (double)(p->cells.count - walk->cells); /* the innermost ones */
  struct prune_point point = {.kept = walk->threads,
                              .held = walk->weight / total,
                              .error = error_of(p),
                              .error_dropped = error_dropped_of(p),
                              .folded = p->frames > 0 ? frames / p->frames : 0};
  find_worst(p, &point);
  return point;
}

static uint64_t sum_of(const struct pruning *p) {
  uint64_t sum = 0;
  for (size_t i = 0; i < p->count; i++)
    sum += p->weights[i];
  return sum;
}

static void add_points(struct pruning *p, double limit) {
  static const uint32_t shares[] = {500000, 800000, 900000, 950000,     980000,
                                    990000, 995000, 999000, PRUNE_WHOLE};
  uint64_t total = sum_of(p);
  struct prune_walk walk = {0};
  bool chosen = false;
  for (size_t s = 0; s < sizeof shares / sizeof *shares; s++) {
    size_t keep = prune_keep(p->weights, p->count, total, shares[s]);
    while (walk.threads < keep) {
      take_thread(p, &walk);
      if (!chosen && error_of(p) <= limit) {
        p->curve->chosen = point_of(p, &walk, (double)total);
        p->curve->chosen.keep = p->curve->chosen.held;
        chosen = true;
      }
    }
    struct prune_point point = point_of(p, &walk, (double)total);
    point.keep = (double)shares[s] / PRUNE_WHOLE;
    vector_push(&p->curve->points, point);
  }
}

void prune_curve_make(struct prune_curve *curve, const struct stack_profile *profile, size_t top,
                      double limit) {
  *curve = (struct prune_curve){0};
  struct pruning p = {.curve = curve, .profile = profile};
  take_cells(&p);
  if (p.cells.count == 0)
    return;
  rank_threads(&p);
  find_top(&p, top);
  curve->threads = p.count;
  add_points(&p, limit);
  stack_functions_clear(&p.functions);
  vector_clear(&p.cells);
  mem_free(p.threads);
  mem_free(p.weights);
  mem_free(p.own);
  mem_free(p.own_kept);
  mem_free(p.counted);
  mem_free(p.all);
  mem_free(p.kept);
  mem_free(p.top);
  mem_free(p.top_all);
  mem_free(p.depth);
}

void prune_curve_clear(struct prune_curve *curve) {
  vector_clear(&curve->points);
}

/* ---- leaving out */

/* The weights of threads by their samples, the heaviest first. */
static struct prune_thread *weigh_threads(const struct stack_profile *profile, size_t *count) {
  size_t all = profile->threads.count;
  struct prune_thread *threads = mem_alloc(all, sizeof *threads);
  for (uint32_t t = 0; t < all; t++)
    threads[t].thread = t;
  for (size_t i = 0; i < profile->samples.count; i++)
    threads[profile->samples.data[i].thread].weight += profile->samples.data[i].weight;
  qsort(threads, all, sizeof *threads, heaviest_first);
  for (*count = 0; *count < all && threads[*count].weight != 0;)
    ++*count;
  return threads;
}

/* Where all callers of threads that are left out stand. */
static uint32_t node_left_out(struct stack_profile *profile) {
  static const char text[] = "[threads left out]";
  struct slice name = {text, sizeof text - 1};
  struct stack_frame frame = {.function = names_number(&profile->names, name),
                              .kind = FRAME_THREAD};
  return stack_profile_node(profile, 0, stack_profile_frame(profile, &frame));
}

static void drop_callers(struct stack_profile *profile, const bool *kept) {
  uint32_t parent = 0;
  for (size_t i = 0; i < profile->samples.count; i++) {
    struct stack_sample *sample = &profile->samples.data[i];
    if (kept[sample->thread] || sample->node == 0)
      continue;
    parent = parent == 0 ? node_left_out(profile) : parent;
    uint32_t node = stack_profile_node(profile, parent, profile->nodes.data[sample->node].frame);
    profile->nodes.data[sample->node].own -= sample->weight;
    profile->nodes.data[node].own += sample->weight;
    profile->pruned += sample->weight;
    sample->node = node;
  }
}

size_t stack_profile_keep(struct stack_profile *profile, uint32_t share_ppm, size_t *threads) {
  struct prune_thread *ranked = weigh_threads(profile, threads);
  uint64_t *weights = mem_alloc(*threads, sizeof *weights), total = 0;
  bool *kept = mem_alloc(profile->threads.count, sizeof *kept);
  for (size_t i = 0; i < *threads; i++) {
    weights[i] = ranked[i].weight;
    total += weights[i];
  }
  size_t keep = prune_keep(weights, *threads, total, share_ppm);
  for (size_t i = 0; i < keep; i++)
    kept[ranked[i].thread] = true;
  drop_callers(profile, kept);
  mem_free(kept);
  mem_free(weights);
  mem_free(ranked);
  return keep;
}
