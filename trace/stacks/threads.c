/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/stacks/threads.h"

#include "trace/span/hash.h"

static size_t slot_of(const struct stack_thread_table *table, const struct stack_profile *profile,
                      const struct stack_thread *thread) {
  uint64_t hash = hash_word(0, (uint64_t)thread->process << 32 | thread->thread);
  size_t mask = table->slots.count - 1, slot = (size_t)hash_word(hash, thread->command) & mask;
  for (; table->slots.data[slot] != 0; slot = (slot + 1) & mask) {
    const struct stack_thread *known = &profile->threads.data[table->slots.data[slot] - 1];
    if (known->process == thread->process && known->thread == thread->thread &&
        known->command == thread->command)
      break;
  }
  return slot;
}

/* Also takes in threads that the profile has and the table does not know. */
static void grow(struct stack_thread_table *table, const struct stack_profile *profile) {
  size_t count = 64;
  while (count < 4 * (profile->threads.count + 1))
    count *= 2;
  vector_clear(&table->slots);
  table->slots.data = mem_alloc(count, sizeof *table->slots.data);
  table->slots.count = table->slots.capacity = count;
  for (size_t i = 0; i < profile->threads.count; i++)
    table->slots.data[slot_of(table, profile, &profile->threads.data[i])] = (uint32_t)i + 1;
}

uint32_t stack_thread_number(struct stack_thread_table *table, struct stack_profile *profile,
                             uint32_t process, uint32_t thread, uint32_t command) {
  struct stack_thread wanted = {.process = process, .thread = thread, .command = command};
  if (profile->threads.count * 2 >= table->slots.count)
    grow(table, profile);
  size_t slot = slot_of(table, profile, &wanted);
  if (table->slots.data[slot] == 0) {
    vector_push(&profile->threads, wanted);
    table->slots.data[slot] = (uint32_t)profile->threads.count;
  }
  return table->slots.data[slot] - 1;
}

void stack_thread_table_clear(struct stack_thread_table *table) {
  vector_clear(&table->slots);
}
