/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/stacks/hot.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "dist/statistics/special.h"
#include "trace/stacks/weights.h"

static int compare(const void *a, const void *b) {
  const struct stack_hot *x = a, *y = b;
  if (x->self != y->self)
    return x->self > y->self ? -1 : 1;
  if (x->total != y->total)
    return x->total > y->total ? -1 : 1;
  return x->frame < y->frame ? -1 : x->frame > y->frame;
}

static bool is_above(const struct stack_profile *profile, const struct stack_functions *functions,
                     uint32_t node) {
  uint32_t function = functions->of_node[node];
  for (uint32_t at = profile->nodes.data[node].parent; at != 0; at = profile->nodes.data[at].parent)
    if (functions->of_node[at] == function)
      return true;
  return false;
}

/* A function that is inlined here and called there is shown as itself. */
static void choose_frames(const struct stack_functions *functions,
                          const struct stack_profile *profile) {
  for (uint32_t i = 0; i < profile->frames.count; i++) {
    uint32_t *shown = &functions->frame[functions->of_frame[i]];
    if (profile->frames.data[*shown].kind == FRAME_INLINED)
      *shown = i;
  }
}

/* Own weight and that of everything below, by node; owned. */
static uint64_t *weigh(const struct stack_profile *profile) {
  uint64_t *weights = mem_alloc(profile->nodes.count, sizeof *weights);
  for (size_t i = profile->nodes.count; i-- > 1;) {
    const struct stack_node *node = &profile->nodes.data[i];
    weights[i] += node->own;
    weights[node->parent] += weights[i];
  }
  return weights;
}

void stack_hot_find(struct stack_hot_list *hot, const struct stack_profile *profile) {
  struct stack_functions functions;
  stack_functions_find(&functions, profile);
  choose_frames(&functions, profile);
  uint64_t *weights = weigh(profile);
  struct stack_hot *all = mem_alloc(functions.count, sizeof *all);
  for (size_t i = 1; i < profile->nodes.count; i++) {
    struct stack_hot *of = &all[functions.of_node[i]];
    of->self += profile->nodes.data[i].own;
    if (!is_above(profile, &functions, (uint32_t)i))
      of->total += weights[i];
  }
  *hot = (struct stack_hot_list){{NULL, 0, 0}};
  for (size_t i = 1; i < functions.count; i++) {
    all[i].frame = functions.frame[i];
    if (all[i].total != 0)
      vector_push(&hot->list, all[i]);
  }
  if (hot->list.count != 0)
    qsort(hot->list.data, hot->list.count, sizeof *hot->list.data, compare);
  mem_free(all);
  mem_free(weights);
  stack_functions_clear(&functions);
}

void stack_hot_clear(struct stack_hot_list *hot) {
  vector_clear(&hot->list);
}

/* Each weighs at most as much as the heaviest, and so tells no less than one of that weight. */
static double independent_samples(const struct stack_profile *profile) {
  uint64_t heaviest = profile->heaviest;
  for (size_t i = 0; i < profile->samples.count; i++)
    if (profile->samples.data[i].weight > heaviest)
      heaviest = profile->samples.data[i].weight;
  double samples = (double)profile->count;
  return heaviest == 0 ? samples : fmin(samples, (double)profile->total / (double)heaviest);
}

struct stack_evidence stack_evidence_of(const struct stack_profile *profile, size_t functions,
                                        double level) {
  double unseen = (double)profile->unseen, shares = functions == 0 ? 1 : 2 * (double)functions;
  return (struct stack_evidence){.whole = profile->total,
                                 .samples = independent_samples(profile),
                                 .unseen =
                                     unseen == 0 ? 0 : unseen / (unseen + (double)profile->total),
                                 .tail = (1 - level) / 2 / shares};
}

void stack_evidence_keep(struct stack_profile *profile, double samples) {
  if (samples >= 1 && (double)profile->total / samples > (double)profile->heaviest)
    profile->heaviest = (uint64_t)ceil((double)profile->total / samples);
}

void stack_share(double *lower, double *upper, uint64_t part,
                 const struct stack_evidence *evidence) {
  *lower = 0;
  *upper = 1;
  if (evidence->whole == 0 || evidence->samples <= 0)
    return;
  double n = evidence->samples, hits = n * ((double)part / (double)evidence->whole);
  if (hits > 0)
    *lower = special_beta_quantile_below(evidence->tail, hits, n - hits + 1);
  if (hits < n)
    *upper = special_beta_quantile_above(evidence->tail, hits + 1, n - hits);
  *lower *= 1 - evidence->unseen;
  *upper = fmin(*upper * (1 - evidence->unseen) + evidence->unseen, 1);
}
