/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/stacks/difference.h"

#include <math.h>
#include <stdlib.h>

#include "dist/statistics/special.h"
#include "trace/stacks/frame.h"

enum { STRETCHES = 32, STRETCH_LEAST = 8 /* samples */ };

/* A profile by its texts, with the numbers that its frames and nodes have in the difference. */
struct difference_side {
  struct stack_profile by_text;
  uint32_t *frames, *nodes;
  uint64_t *own; /* weight by frame of the difference */
};

static void compared_init(struct difference_side *compared, const struct stack_profile *profile) {
  stack_profile_init(&compared->by_text);
  stack_profile_by_text(&compared->by_text, profile, true);
}

static void compared_clear(struct difference_side *compared) {
  stack_profile_clear(&compared->by_text);
  mem_free(compared->frames);
  mem_free(compared->nodes);
  mem_free(compared->own);
}

/* Adds the stacks, without weights. */
static void add_stacks(struct stack_profile *both, struct difference_side *compared) {
  const struct stack_profile *profile = &compared->by_text;
  compared->frames = mem_alloc(profile->frames.count, sizeof *compared->frames);
  compared->nodes = mem_alloc(profile->nodes.count, sizeof *compared->nodes);
  for (size_t i = 0; i < profile->frames.count; i++) {
    struct slice name = profile->names.texts.data[profile->frames.data[i].function];
    struct stack_frame frame = {.function = names_number(&both->names, name)};
    compared->frames[i] = stack_profile_frame(both, &frame);
  }
  for (size_t i = 1; i < profile->nodes.count; i++) {
    const struct stack_node *node = &profile->nodes.data[i];
    compared->nodes[i] =
        stack_profile_node(both, compared->nodes[node->parent], compared->frames[node->frame]);
  }
}

static void sum_own(struct difference_side *compared, size_t frames) {
  const struct stack_profile *profile = &compared->by_text;
  compared->own = mem_alloc(frames, sizeof *compared->own);
  for (size_t i = 1; i < profile->nodes.count; i++)
    compared->own[compared->frames[profile->nodes.data[i].frame]] += profile->nodes.data[i].own;
}

static double share(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0 : (double)part / (double)whole;
}

/* How much more the share of a function (a frame of the difference) varies between stretches of
 * time than that of independent samples; at least 1. 0: samples have no moments, or are too few. */
static double dependence_of(const struct difference_side *compared, uint32_t frame) {
  const struct stack_profile *profile = &compared->by_text;
  size_t count = profile->samples.count, least = count / STRETCHES;
  if (least < STRETCH_LEAST)
    return 0;
  double hits[STRETCHES] = {0}, all = 0, excess = 0;
  for (size_t i = 0; i < least * STRETCHES; i++) {
    uint32_t node = profile->samples.data[i].node;
    if (node != 0 && compared->frames[profile->nodes.data[node].frame] == frame)
      hits[i / least]++;
  }
  for (size_t i = 0; i < STRETCHES; i++)
    all += hits[i];
  double part = all / (double)(least * STRETCHES), expected = (double)least * part;
  if (part <= 0 || part >= 1)
    return 1;
  for (size_t i = 0; i < STRETCHES; i++)
    excess += (hits[i] - expected) * (hits[i] - expected) / (expected * (1 - part));
  double effect = excess / (STRETCHES - 1);
  return effect < 1 ? 1 : effect;
}

/* Samples that count, as independent ones, and of them those in the function. */
static void count_samples(const struct difference_side *compared, uint32_t frame,
                          double *dependence, uint64_t *hits, uint64_t *samples) {
  const struct stack_profile *profile = &compared->by_text;
  double effect = dependence_of(compared, frame);
  *dependence = effect > *dependence ? effect : *dependence;
  *samples = (uint64_t)((double)profile->count / (effect < 1 ? 1 : effect));
  *samples = *samples == 0 && profile->count != 0 ? 1 : *samples;
  *hits = (uint64_t)(share(compared->own[frame], profile->total) * (double)*samples + 0.5);
  *hits = *hits > *samples ? *samples : *hits;
}

static double chance_of(uint64_t a, uint64_t all_a, uint64_t b, uint64_t all_b) {
  double more = special_hypergeometric_from(a, a + b, all_a + all_b - a - b, all_a);
  double less = special_hypergeometric_from(b, a + b, all_a + all_b - a - b, all_b);
  double both = 2 * (more < less ? more : less);
  return both > 1 ? 1 : both;
}

static int by_chance(const void *a, const void *b) {
  const struct stack_change *x = a, *y = b;
  if (x->chance != y->chance)
    return x->chance < y->chance ? -1 : 1;
  return (x->frame > y->frame) - (x->frame < y->frame);
}

static int by_size(const void *a, const void *b) {
  const struct stack_change *x = a, *y = b;
  double by_x = fabs(x->share_after - x->share_before),
         by_y = fabs(y->share_after - y->share_before);
  if (x->significant != y->significant)
    return x->significant ? -1 : 1;
  if (by_x != by_y)
    return by_x > by_y ? -1 : 1;
  return (x->frame > y->frame) - (x->frame < y->frame);
}

/* Holm's correction. */
static void judge(struct stack_difference *difference, double level) {
  size_t count = difference->changes.count;
  double worst = 0;
  if (count == 0)
    return;
  qsort(difference->changes.data, count, sizeof *difference->changes.data, by_chance);
  for (size_t i = 0; i < count; i++) {
    struct stack_change *change = &difference->changes.data[i];
    double corrected = change->chance * (double)(count - i);
    worst = corrected > worst ? corrected : worst;
    change->chance = worst > 1 ? 1 : worst;
    change->significant = difference->counted && change->chance < level;
    difference->significant += change->significant;
  }
  qsort(difference->changes.data, count, sizeof *difference->changes.data, by_size);
}

static void add_change(struct stack_difference *difference, const struct difference_side *before,
                       const struct difference_side *after, uint32_t frame) {
  uint64_t a, all_a, b, all_b;
  struct stack_change change = {
      .frame = frame, .before = before->own[frame], .after = after->own[frame], .chance = 1};
  if (change.before == 0 && change.after == 0)
    return;
  change.share_before = share(change.before, before->by_text.total);
  change.share_after = share(change.after, after->by_text.total);
  if (difference->counted) {
    count_samples(before, frame, &difference->dependence, &a, &all_a);
    count_samples(after, frame, &difference->dependence, &b, &all_b);
    change.chance = chance_of(a, all_a, b, all_b);
  }
  vector_push(&difference->changes, change);
}

static void set_weights(struct stack_difference *difference, const struct difference_side *before,
                        const struct difference_side *after) {
  struct stack_profile *both = &difference->profile;
  difference->before = mem_alloc(both->nodes.count, sizeof *difference->before);
  for (size_t i = 0; i < before->by_text.nodes.count; i++)
    difference->before[before->nodes[i]] += before->by_text.nodes.data[i].own;
  for (size_t i = 0; i < after->by_text.nodes.count; i++)
    stack_profile_add(both, after->nodes[i], after->by_text.nodes.data[i].own);
  difference->before_total = before->by_text.total;
  both->unit = after->by_text.unit;
  both->count = after->by_text.count;
}

void stack_difference_find(struct stack_difference *difference, const struct stack_profile *before,
                           const struct stack_profile *after, double level) {
  struct difference_side first, second;
  *difference = (struct stack_difference){0};
  difference->counted = before->count != 0 && after->count != 0;
  stack_profile_init(&difference->profile);
  compared_init(&first, before);
  compared_init(&second, after);
  add_stacks(&difference->profile, &first);
  add_stacks(&difference->profile, &second);
  sum_own(&first, difference->profile.frames.count);
  sum_own(&second, difference->profile.frames.count);
  set_weights(difference, &first, &second);
  for (uint32_t i = 0; i < difference->profile.frames.count; i++)
    add_change(difference, &first, &second, i);
  judge(difference, level);
  compared_clear(&first);
  compared_clear(&second);
}

void stack_difference_clear(struct stack_difference *difference) {
  stack_profile_clear(&difference->profile);
  mem_free(difference->before);
  vector_clear(&difference->changes);
}
