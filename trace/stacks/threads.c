/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/stacks/threads.h"

#include "base/hash.h"

static uint64_t hash_of(const struct stack_thread *thread) {
  uint64_t hash = hash_word(0, (uint64_t)thread->process << 32 | thread->thread);
  return hash_word(hash, thread->command);
}

uint32_t stack_thread_number(struct stack_thread_table *table, struct stack_profile *profile,
                             uint32_t process, uint32_t thread, uint32_t command) {
  const struct stack_thread wanted = {.process = process, .thread = thread, .command = command};
  /* The profile may have threads that the table does not know. */
  for (uint32_t i = (uint32_t)table->index.count; i < profile->threads.count; i++)
    index_add(&table->index, hash_of(&profile->threads.data[i]), i);
  uint64_t hash = hash_of(&wanted);
  for (struct index_look look = index_look(&table->index, hash); index_next(&look);) {
    const struct stack_thread *known = &profile->threads.data[look.row];
    if (known->process == process && known->thread == thread && known->command == command)
      return look.row;
  }
  uint32_t number = (uint32_t)profile->threads.count;
  index_add(&table->index, hash, number);
  vector_push(&profile->threads, wanted);
  return number;
}

void stack_thread_table_clear(struct stack_thread_table *table) {
  index_clear(&table->index);
}
