/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/stacks/merge.h"

#include "measure/core/stack_fold.h"
#include "trace/stacks/unit.h"
#include "trace/stacks/values.h"

__extension__ typedef unsigned __int128 wide;

static uint64_t scale(uint64_t weight, uint64_t multiply, uint64_t divide) {
  wide scaled = ((wide)weight * multiply + divide / 2) / divide;
  return scaled > UINT64_MAX ? UINT64_MAX : (uint64_t)scaled;
}

static uint64_t sum(uint64_t a, uint64_t b) {
  return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

void stack_profile_scale(struct stack_profile *profile, uint64_t multiply, uint64_t divide) {
  profile->total = 0;
  for (size_t i = 0; i < profile->nodes.count; i++) {
    profile->nodes.data[i].own = scale(profile->nodes.data[i].own, multiply, divide);
    profile->total = sum(profile->total, profile->nodes.data[i].own);
  }
  for (size_t i = 0; i < profile->threads.count; i++)
    profile->threads.data[i].weight = scale(profile->threads.data[i].weight, multiply, divide);
  for (size_t i = 0; i < profile->samples.count; i++)
    profile->samples.data[i].weight = scale(profile->samples.data[i].weight, multiply, divide);
  profile->unseen = scale(profile->unseen, multiply, divide);
  profile->pruned = scale(profile->pruned, multiply, divide);
  profile->heaviest = scale(profile->heaviest, multiply, divide);
}

static bool is_empty(const struct stack_profile *profile) {
  return profile->nodes.count == 1 && profile->total == 0;
}

/* Events are those of the weights: samples and times of several events are added. */
static bool check(const struct stack_profile *target, const struct stack_profile *source,
                  struct text *message) {
  if (is_empty(target) || is_empty(source) || stack_unit_same(target, source))
    return true;
  text_append(message, "its weights are ");
  stack_unit_append(message, source);
  text_append(message, ", and those before ");
  stack_unit_append(message, target);
  bool unknown = target->unit == STACK_WEIGHTS || source->unit == STACK_WEIGHTS;
  text_append(message, unknown ? "; say what the numbers of folded text are (--weight ns), and "
                                 "give --rate to all that are samples"
                               : "; give --rate to all that are samples, and merge events apart");
  return false;
}

/* The number that each frame of the source has in the target; the caller frees them. */
static uint32_t *map_frames(struct stack_profile *target, const struct stack_profile *source) {
  uint32_t *frames = mem_alloc(source->frames.count, sizeof *frames);
  uint32_t *names = mem_alloc(source->names.texts.count, sizeof *names);
  for (size_t i = 0; i < source->names.texts.count; i++)
    names[i] = STACK_NONE;
  for (size_t i = 0; i < source->frames.count; i++) {
    struct stack_frame frame = source->frames.data[i];
    uint32_t *const parts[] = {&frame.function, &frame.module};
    for (size_t k = 0; k < 2; k++) {
      if (names[*parts[k]] == STACK_NONE)
        names[*parts[k]] = names_number(&target->names, source->names.texts.data[*parts[k]]);
      *parts[k] = names[*parts[k]];
    }
    frames[i] = stack_profile_frame(target, &frame);
  }
  mem_free(names);
  return frames;
}

/* What a merge works with: the weights of the target's nodes that the source has too. */
struct merging {
  uint32_t *nodes, *cells; /* by node of the source: the target's; its cell */
  uint64_t *weights, *other;
  size_t count;
};

static void merging_clear(struct merging *merging) {
  mem_free(merging->nodes);
  mem_free(merging->cells);
  mem_free(merging->weights);
  mem_free(merging->other);
}

static void merging_init(struct merging *merging, struct stack_profile *target,
                         const struct stack_profile *source) {
  size_t count = merging->count = source->nodes.count;
  merging->nodes = mem_alloc(count, sizeof *merging->nodes);
  merging->cells = mem_alloc(count, sizeof *merging->cells);
  merging->weights = mem_alloc(count, sizeof *merging->weights);
  merging->other = mem_alloc(count, sizeof *merging->other);
  uint32_t *frames = map_frames(target, source);
  for (uint32_t i = 0; i < count; i++) {
    const struct stack_node *node = &source->nodes.data[i];
    if (i != 0)
      merging->nodes[i] =
          stack_profile_node(target, merging->nodes[node->parent], frames[node->frame]);
    merging->cells[i] = i; /* frames that differ here differ there, and so do nodes */
    merging->weights[i] = target->nodes.data[merging->nodes[i]].own;
    merging->other[i] = node->own;
  }
  mem_free(frames);
}

static bool add_weights(struct stack_profile *target, const struct stack_profile *source,
                        bool empty) {
  struct merging merging;
  uint64_t total = 0;
  if (target->total > UINT64_MAX - source->total || source->total == UINT64_MAX)
    return false;
  merging_init(&merging, target, source);
  for (size_t i = 0; i < merging.count; i++)
    total += merging.weights[i];
  bool added = stack_fold_merge(merging.weights, merging.count, &total, merging.cells,
                                merging.other, merging.count, source->total);
  for (size_t i = 0; i < merging.count; i++)
    target->nodes.data[merging.nodes[i]].own = merging.weights[i];
  target->total += source->total;
  if (!is_empty(source))
    stack_values_merge(target, source, merging.nodes, empty);
  merging_clear(&merging);
  return added;
}

/* What one sample weighs at most, where the file does not say it. */
static uint64_t heaviest_of(const struct stack_profile *profile) {
  uint64_t mean = profile->count == 0 ? 0 : profile->total / profile->count;
  return profile->heaviest != 0 ? profile->heaviest : mean;
}

/* How many samples there are is known of all or of none; each tells no more than the heaviest. */
static void merge_evidence(struct stack_profile *target, const struct stack_profile *source,
                           bool empty) {
  uint64_t a = heaviest_of(target), b = heaviest_of(source);
  if (is_empty(source))
    return;
  target->count = empty                                      ? source->count
                  : target->count == 0 || source->count == 0 ? 0
                                                             : sum(target->count, source->count);
  target->heaviest = empty || b > a ? b : a;
  target->assumed = source->assumed || (!empty && target->assumed);
  target->rate = empty || target->rate == source->rate ? source->rate : 0;
}

/* When the first began, how long all took, and the period if all have the same. */
static void merge_recording(struct stack_profile *target, const struct stack_profile *source,
                            bool empty) {
  int64_t began = stack_profile_time(source);
  if (empty || began == 0 || (target->time != 0 && began < target->time))
    target->time = began; /* known of all, or of none */
  target->duration = sum(empty ? 0 : target->duration, stack_profile_duration(source));
  const struct slice *theirs = source->names.texts.data, *ours = target->names.texts.data;
  bool same = target->period == source->period &&
              slice_same(ours[target->period_type], theirs[source->period_type]) &&
              slice_same(ours[target->period_unit], theirs[source->period_unit]);
  if (empty) {
    target->period = source->period;
    target->period_type = names_number(&target->names, theirs[source->period_type]);
    target->period_unit = names_number(&target->names, theirs[source->period_unit]);
  } else if (!same) {
    target->period = 0;
    target->period_type = target->period_unit = 0;
  }
  if (source->left_out.length != 0)
    stack_left_out(target, source->left_out.data);
}

bool stack_profile_merge(struct stack_profile *target, const struct stack_profile *source,
                         struct text *message) {
  if (!check(target, source, message))
    return false;
  bool empty = is_empty(target);
  if (!add_weights(target, source, empty)) {
    text_format(message, "the sum of all weights needs more than 64 bits; merge fewer profiles");
    return false;
  }
  if (empty && !is_empty(source)) {
    target->unit = source->unit;
    target->event = names_number(&target->names, source->names.texts.data[source->event]);
    target->measure = names_number(&target->names, source->names.texts.data[source->measure]);
  } else if (!is_empty(source) &&
             target->event != names_find(&target->names, source->names.texts.data[source->event]))
    target->event = 0;
  if (!is_empty(source))
    merge_recording(target, source, empty);
  merge_evidence(target, source, empty);
  target->torn |= source->torn;
  target->lost = sum(target->lost, source->lost);
  target->throttled = sum(target->throttled, source->throttled);
  target->unseen = sum(target->unseen, source->unseen);
  target->pruned = sum(target->pruned, source->pruned);
  target->start = target->end = target->realtime = 0;
  target->samples.count = target->threads.count = 0;
  return true;
}
