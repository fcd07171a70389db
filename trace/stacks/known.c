/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/stacks/known.h"

#include <string.h>

#include "base/hash.h"

enum { NEAR = 4 }; /* stacks behind the last one that are tried before the hash is */

/* Four lanes, as one waits for each product. */
static uint64_t hash_of(struct slice stack) {
  uint64_t lanes[4] = {1, 2, 3, 4}, hash = stack.length;
  for (; stack.length >= 32; stack.start += 32, stack.length -= 32)
    for (size_t i = 0; i < 4; i++) {
      uint64_t word;
      memcpy(&word, stack.start + 8 * i, 8);
      lanes[i] = hash_word(lanes[i], word);
    }
  for (size_t i = 0; i < 4; i++)
    hash = hash_word(hash, lanes[i]);
  return hash_bytes(hash, stack);
}

static uint32_t *next_of(struct stack_known *known, uint32_t place) {
  return place == 0 ? &known->first : &known->stacks.data[place - 1].next;
}

/* As memcmp: how a known stack stands to another in a sorted file. */
static int order(const struct stack_known *known, const struct known_stack *stack,
                 struct slice other) {
  size_t least = stack->length < other.length ? stack->length : other.length;
  int order = memcmp(known->texts.data + stack->start, other.start, least);
  return order != 0 ? order : (stack->length > other.length) - (stack->length < other.length);
}

/* Goes on from the last one; stays before the first that is behind the wanted one. */
static bool find_near(struct stack_known *known, struct slice wanted) {
  uint32_t at = *next_of(known, known->last);
  for (size_t tried = 0; at != 0 && tried < NEAR; tried++) {
    int difference = order(known, &known->stacks.data[at - 1], wanted);
    if (difference > 0)
      return false;
    known->last = at;
    if (difference == 0)
      return true;
    at = *next_of(known, at);
  }
  return false;
}

static bool find_hashed(struct stack_known *known, struct slice wanted, uint64_t hash) {
  for (struct index_look look = index_look(&known->index, hash); index_next(&look);) {
    const struct known_stack *stack = &known->stacks.data[look.row];
    if (stack->length == wanted.length &&
        memcmp(known->texts.data + stack->start, wanted.start, wanted.length) == 0) {
      known->last = look.row + 1;
      return true;
    }
  }
  return false;
}

void stack_known_rewind(struct stack_known *known) {
  known->last = 0;
}

uint32_t stack_known_find(struct stack_known *known, struct slice stack, uint64_t *hash) {
  bool found = find_near(known, stack);
  if (!found) {
    *hash = hash_of(stack);
    found = find_hashed(known, stack, *hash);
  }
  return found ? known->stacks.data[known->last - 1].node : UINT32_MAX;
}

void stack_known_add(struct stack_known *known, struct slice stack, uint64_t hash, uint32_t node) {
  if (stack.length == 0 || stack.length > known->most - known->texts.length)
    return;
  uint32_t behind = *next_of(known, known->last);
  index_add(&known->index, hash, (uint32_t)known->stacks.count);
  vector_push(&known->stacks,
              (struct known_stack){known->texts.length, (uint32_t)stack.length, node, behind});
  text_append_bytes(&known->texts, stack.start, stack.length);
  uint32_t place = (uint32_t)known->stacks.count;
  *next_of(known, known->last) = place;
  known->last = place;
}

void stack_known_clear(struct stack_known *known) {
  text_clear(&known->texts);
  vector_clear(&known->stacks);
  index_clear(&known->index);
}
