/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/stacks/merge.h"

#include "measure/core/stack_fold.h"

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
  profile->pruned = scale(profile->pruned, multiply, divide);
}

static const char *unit_name(const struct stack_profile *profile) {
  return profile->unit == STACK_SAMPLES       ? "samples"
         : profile->unit == STACK_NANOSECONDS ? "nanoseconds"
         : profile->event != 0                ? names_text(&profile->names, profile->event)
                                              : "events";
}

static bool is_empty(const struct stack_profile *profile) {
  return profile->nodes.count == 1 && profile->total == 0;
}

/* Events are those of the weights: samples and times of several events are added. */
static bool check(const struct stack_profile *target, const struct stack_profile *source,
                  struct text *message) {
  struct slice event = source->names.texts.data[source->event];
  bool same = source->unit == target->unit &&
              (source->unit != STACK_PERIODS || target->event == names_find(&target->names, event));
  if (is_empty(target) || is_empty(source) || same)
    return true;
  text_format(message,
              "its weights are %s, and those before %s; give --rate to all that are samples, and "
              "merge events apart",
              unit_name(source), unit_name(target));
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

static bool add_weights(struct stack_profile *target, const struct stack_profile *source) {
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
  merging_clear(&merging);
  return added;
}

bool stack_profile_merge(struct stack_profile *target, const struct stack_profile *source,
                         struct text *message) {
  if (!check(target, source, message))
    return false;
  bool empty = is_empty(target);
  if (!add_weights(target, source)) {
    text_format(message, "the sum of all weights needs more than 64 bits; merge fewer profiles");
    return false;
  }
  if (empty && !is_empty(source)) {
    target->unit = source->unit;
    target->event = names_number(&target->names, source->names.texts.data[source->event]);
  } else if (!is_empty(source) &&
             target->event != names_find(&target->names, source->names.texts.data[source->event]))
    target->event = 0;
  target->count = sum(target->count, source->count);
  target->lost = sum(target->lost, source->lost);
  target->throttled = sum(target->throttled, source->throttled);
  target->pruned = sum(target->pruned, source->pruned);
  target->start = target->end = 0;
  target->samples.count = target->threads.count = 0;
  return true;
}
