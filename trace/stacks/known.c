/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/stacks/known.h"

#include <string.h>

#include "trace/span/hash.h"

/* Four lanes, as one waits for each product. */
uint64_t stack_known_hash(struct slice stack) {
  uint64_t lanes[4] = {1, 2, 3, 4}, hash = stack.length;
  for (; stack.length >= 32; stack.start += 32, stack.length -= 32)
    for (size_t i = 0; i < 4; i++) {
      uint64_t word;
      memcpy(&word, stack.start + 8 * i, 8);
      lanes[i] = (lanes[i] ^ word) * 0x9e3779b97f4a7c15u;
      lanes[i] ^= lanes[i] >> 29;
    }
  for (size_t i = 0; i < 4; i++)
    hash = hash_word(hash, lanes[i]);
  return hash_bytes(hash, stack);
}

static bool is(const struct stack_known *known, const struct known_stack *stack,
               struct slice wanted, uint64_t hash) {
  return stack->hash == hash && stack->length == wanted.length &&
         memcmp(known->texts.data + stack->start, wanted.start, wanted.length) == 0;
}

uint32_t stack_known_find(const struct stack_known *known, struct slice stack, uint64_t hash) {
  if (known->slots.count == 0 || stack.length == 0)
    return UINT32_MAX;
  size_t mask = known->slots.count - 1;
  for (size_t slot = (size_t)hash & mask; known->slots.data[slot] != 0; slot = (slot + 1) & mask) {
    const struct known_stack *candidate = &known->stacks.data[known->slots.data[slot] - 1];
    if (is(known, candidate, stack, hash))
      return candidate->node;
  }
  return UINT32_MAX;
}

static void put(struct stack_known *known, uint32_t number) {
  size_t mask = known->slots.count - 1, slot = (size_t)known->stacks.data[number].hash & mask;
  while (known->slots.data[slot] != 0)
    slot = (slot + 1) & mask;
  known->slots.data[slot] = number + 1;
}

static void grow(struct stack_known *known) {
  size_t count = known->slots.count == 0 ? 1024 : 2 * known->slots.count;
  vector_clear(&known->slots);
  known->slots.data = mem_alloc(count, sizeof *known->slots.data);
  known->slots.count = known->slots.capacity = count;
  for (uint32_t i = 0; i < known->stacks.count; i++)
    put(known, i);
}

void stack_known_add(struct stack_known *known, struct slice stack, uint64_t hash, uint32_t node) {
  if (stack.length == 0 || stack.length > KNOWN_MOST_BYTES - known->texts.length)
    return;
  if (known->stacks.count * 2 >= known->slots.count)
    grow(known);
  vector_push(&known->stacks,
              (struct known_stack){hash, known->texts.length, (uint32_t)stack.length, node});
  text_append_bytes(&known->texts, stack.start, stack.length);
  put(known, (uint32_t)known->stacks.count - 1);
}

void stack_known_clear(struct stack_known *known) {
  text_clear(&known->texts);
  vector_clear(&known->stacks);
  vector_clear(&known->slots);
}
