/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/stacks/profile.h"

#include <stdbool.h>

#include "base/hash.h"
#include "trace/stacks/values.h"

void stack_profile_init(struct stack_profile *profile) {
  *profile = (struct stack_profile){0};
  names_init(&profile->names);
  vector_push(&profile->nodes, (struct stack_node){.parent = STACK_NONE, .frame = STACK_NONE});
}

void stack_profile_clear(struct stack_profile *profile) {
  names_clear(&profile->names);
  vector_clear(&profile->frames);
  vector_clear(&profile->nodes);
  vector_clear(&profile->threads);
  vector_clear(&profile->samples);
  stack_values_clear(profile);
  text_clear(&profile->left_out);
  index_clear(&profile->node_index);
  index_clear(&profile->frame_index);
}

static bool same_frame(const struct stack_frame *a, const struct stack_frame *b) {
  return a->function == b->function && a->module == b->module && a->offset == b->offset &&
         a->kind == b->kind;
}

uint32_t stack_profile_frame(struct stack_profile *profile, const struct stack_frame *frame) {
  uint64_t hash = hash_word(0, (uint64_t)frame->function << 32 | frame->module);
  hash = hash_word(hash, frame->offset ^ (uint64_t)frame->kind << 60);
  for (struct index_look look = index_look(&profile->frame_index, hash); index_next(&look);)
    if (same_frame(&profile->frames.data[look.row], frame))
      return look.row;
  uint32_t number = (uint32_t)profile->frames.count;
  index_add(&profile->frame_index, hash, number);
  vector_push(&profile->frames, *frame);
  return number;
}

uint32_t stack_profile_node(struct stack_profile *profile, uint32_t parent, uint32_t frame) {
  uint64_t hash = hash_word(0, (uint64_t)parent << 32 | frame);
  for (struct index_look look = index_look(&profile->node_index, hash); index_next(&look);) {
    const struct stack_node *node = &profile->nodes.data[look.row];
    if (node->parent == parent && node->frame == frame)
      return look.row;
  }
  uint32_t number = (uint32_t)profile->nodes.count;
  index_add(&profile->node_index, hash, number);
  vector_push(&profile->nodes, (struct stack_node){.parent = parent, .frame = frame});
  return number;
}

static uint64_t sum(uint64_t a, uint64_t b) {
  return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

void stack_profile_add(struct stack_profile *profile, uint32_t node, uint64_t weight) {
  profile->nodes.data[node].own = sum(profile->nodes.data[node].own, weight);
  profile->total = sum(profile->total, weight);
}

int64_t stack_profile_time(const struct stack_profile *profile) {
  bool known = profile->time == 0 && profile->realtime > 0 && profile->start > 0 &&
               profile->realtime <= INT64_MAX - profile->start;
  return known ? profile->realtime + profile->start : profile->time;
}

uint64_t stack_profile_duration(const struct stack_profile *profile) {
  return profile->duration == 0 && profile->end > profile->start
             ? (uint64_t)profile->end - (uint64_t)profile->start
             : profile->duration;
}
