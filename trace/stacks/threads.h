/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The threads of a profile by what they are, while the profile is made. All zeros is an empty
 * table; clear it in the end.
 */
#ifndef TRACE_STACKS_THREADS_H
#define TRACE_STACKS_THREADS_H

#include "base/index.h"
#include "trace/stacks/profile.h"

struct stack_thread_table {
  struct index index;
};

/* The number of an equal thread of the profile, or of a new one without weight. */
uint32_t stack_thread_number(struct stack_thread_table *table, struct stack_profile *profile,
                             uint32_t process, uint32_t thread, uint32_t command);
void stack_thread_table_clear(struct stack_thread_table *table);

#endif
