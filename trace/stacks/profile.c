/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/stacks/profile.h"

#include <stdbool.h>

#include "trace/span/hash.h"

enum { FIRST_SLOTS = 64 };

/* Empty slots, a power of two. A macro, as a vector's type has no name. */
#define make_slots(slots, number)                                                                  \
  do {                                                                                             \
    vector_clear(slots);                                                                           \
    (slots)->data = mem_alloc((number), sizeof *(slots)->data);                                    \
    (slots)->count = (slots)->capacity = (number);                                                 \
  } while (0)

void stack_profile_init(struct stack_profile *profile) {
  *profile = (struct stack_profile){0};
  names_init(&profile->names);
  make_slots(&profile->slots, FIRST_SLOTS);
  make_slots(&profile->frame_slots, FIRST_SLOTS);
  vector_push(&profile->nodes, (struct stack_node){.parent = STACK_NONE, .frame = STACK_NONE});
}

void stack_profile_clear(struct stack_profile *profile) {
  names_clear(&profile->names);
  vector_clear(&profile->frames);
  vector_clear(&profile->nodes);
  vector_clear(&profile->threads);
  vector_clear(&profile->samples);
  vector_clear(&profile->slots);
  vector_clear(&profile->frame_slots);
}

static bool same_frame(const struct stack_frame *a, const struct stack_frame *b) {
  return a->function == b->function && a->module == b->module && a->offset == b->offset &&
         a->kind == b->kind;
}

/* The slot that has the frame, or the empty one where it would go. */
static size_t slot_of_frame(const struct stack_profile *profile, const struct stack_frame *frame) {
  uint64_t hash = hash_word(0, (uint64_t)frame->function << 32 | frame->module);
  hash = hash_word(hash, frame->offset ^ (uint64_t)frame->kind << 60);
  size_t mask = profile->frame_slots.count - 1, slot = (size_t)hash & mask;
  for (; profile->frame_slots.data[slot] != 0; slot = (slot + 1) & mask)
    if (same_frame(&profile->frames.data[profile->frame_slots.data[slot] - 1], frame))
      break;
  return slot;
}

static void grow_frame_slots(struct stack_profile *profile) {
  size_t count = profile->frame_slots.count * 2;
  make_slots(&profile->frame_slots, count);
  for (size_t i = 0; i < profile->frames.count; i++)
    profile->frame_slots.data[slot_of_frame(profile, &profile->frames.data[i])] = (uint32_t)i + 1;
}

uint32_t stack_profile_frame(struct stack_profile *profile, const struct stack_frame *frame) {
  size_t slot = slot_of_frame(profile, frame);
  if (profile->frame_slots.data[slot] != 0)
    return profile->frame_slots.data[slot] - 1;
  vector_push(&profile->frames, *frame);
  uint32_t number = (uint32_t)profile->frames.count - 1;
  profile->frame_slots.data[slot] = number + 1;
  if (profile->frames.count * 2 > profile->frame_slots.count)
    grow_frame_slots(profile);
  return number;
}

/* The slot that has the node, or the empty one where it would go. */
static size_t slot_of_node(const struct stack_profile *profile, uint32_t parent, uint32_t frame) {
  size_t mask = profile->slots.count - 1;
  size_t slot = (size_t)hash_word(0, (uint64_t)parent << 32 | frame) & mask;
  for (; profile->slots.data[slot] != 0; slot = (slot + 1) & mask) {
    const struct stack_node *node = &profile->nodes.data[profile->slots.data[slot] - 1];
    if (node->parent == parent && node->frame == frame)
      break;
  }
  return slot;
}

/* The root is nobody's child, and has no slot. */
static void grow_slots(struct stack_profile *profile) {
  size_t count = profile->slots.count * 2;
  make_slots(&profile->slots, count);
  for (size_t i = 1; i < profile->nodes.count; i++) {
    const struct stack_node *node = &profile->nodes.data[i];
    profile->slots.data[slot_of_node(profile, node->parent, node->frame)] = (uint32_t)i + 1;
  }
}

uint32_t stack_profile_node(struct stack_profile *profile, uint32_t parent, uint32_t frame) {
  size_t slot = slot_of_node(profile, parent, frame);
  if (profile->slots.data[slot] != 0)
    return profile->slots.data[slot] - 1;
  vector_push(&profile->nodes, (struct stack_node){.parent = parent, .frame = frame});
  uint32_t number = (uint32_t)profile->nodes.count - 1;
  profile->slots.data[slot] = number + 1;
  if (profile->nodes.count * 2 > profile->slots.count)
    grow_slots(profile);
  return number;
}

static uint64_t sum(uint64_t a, uint64_t b) {
  return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

void stack_profile_add(struct stack_profile *profile, uint32_t node, uint64_t weight) {
  profile->nodes.data[node].own = sum(profile->nodes.data[node].own, weight);
  profile->total = sum(profile->total, weight);
}
