/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/stacks/pool.h"

#include <math.h>

#include "measure/profile/drifts.h"
#include "trace/stacks/weights.h"

struct pooling {
  struct stack_profile *profile;
  const struct phases *phases;
  uint32_t *function_of; /* by sample of the windows */
  double *weights;       /* new ones, by the same */
  double *of_window; /* what all samples of a window weigh by what they say of others and of it */
  double weight;     /* of what is shared out */
};

static void add_part(void *context, size_t window, double part) {
  struct pooling *p = context;
  p->of_window[window] += part * p->weight;
}

static void share_out(void *context, const struct phase_mixture *mixture) {
  struct pooling *p = context;
  const struct stack_profile *profile = p->profile;
  double weight = 0, own = 0;
  for (size_t i = mixture->first; i < mixture->end; i++) {
    weight += (double)profile->samples.data[i].weight;
    own += phase_is_own(mixture, p->function_of[i]);
  }
  p->weight = mixture->now * weight;
  if (mixture->now > 0)
    drifts_parts(mixture->drifts, mixture->behind, add_part, p);
  p->weight = mixture->past * weight;
  if (mixture->past > 0)
    drifts_parts(mixture->drifts, mixture->before, add_part, p);
  for (size_t i = mixture->first; i < mixture->end && mixture->own > 0; i++)
    if (phase_is_own(mixture, p->function_of[i]))
      p->weights[i] = mixture->own * weight / own;
}

static void find_functions(struct pooling *p) {
  struct stack_functions functions;
  stack_functions_find(&functions, p->profile);
  for (size_t i = 0; i < p->phases->samples; i++)
    p->function_of[i] = functions.of_node[p->profile->samples.data[i].node];
  phases_show(p->phases, p->function_of, functions.count, share_out, p);
  stack_functions_clear(&functions);
}

/* Of a window at no border all samples weigh the same. */
static void weigh_inner(struct pooling *p) {
  const struct phases *phases = p->phases;
  for (size_t w = 0; w < phases->windows.count; w++) {
    const struct phase_window *window = &phases->windows.data[w];
    size_t end =
        w + 1 < phases->windows.count ? phases->windows.data[w + 1].first : phases->samples;
    for (size_t i = window->first; i < end && !window->border; i++)
      p->weights[i] = p->of_window[w] / (double)(end - window->first);
  }
}

static void set_weights(struct pooling *p) {
  struct stack_profile *profile = p->profile;
  for (size_t i = 0; i < profile->nodes.count; i++)
    profile->nodes.data[i].own = 0;
  for (size_t i = 0; i < profile->threads.count; i++)
    profile->threads.data[i].weight = 0;
  profile->total = 0;
  for (size_t i = 0; i < profile->samples.count; i++) {
    struct stack_sample *sample = &profile->samples.data[i];
    if (i < p->phases->samples)
      sample->weight = (uint64_t)llround(p->weights[i]);
    stack_profile_add(profile, sample->node, sample->weight);
    if (sample->thread < profile->threads.count)
      profile->threads.data[sample->thread].weight += sample->weight;
  }
}

bool stack_profile_pool(struct stack_profile *profile, const struct phases *phases) {
  if (phases->windows.count == 0 || phases->samples > profile->samples.count)
    return false;
  size_t count = phases->samples;
  struct pooling p = {.profile = profile,
                      .phases = phases,
                      .function_of = mem_alloc(count, sizeof(uint32_t)),
                      .weights = mem_alloc(count, sizeof(double)),
                      .of_window = mem_alloc(phases->windows.count, sizeof(double))};
  find_functions(&p);
  weigh_inner(&p);
  set_weights(&p);
  mem_free(p.function_of);
  mem_free(p.weights);
  mem_free(p.of_window);
  return true;
}
