/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Folded stacks that were read before, with their nodes: the machines of a fleet run the same
 * programs, so that most lines of a file were in the one before it. All zeros knows none. Owns a
 * copy of the stacks, up to KNOWN_MOST_BYTES of them; what comes later is not known.
 */
#ifndef TRACE_STACKS_KNOWN_H
#define TRACE_STACKS_KNOWN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"
#include "base/text.h"
#include "base/vector.h"

#define KNOWN_MOST_BYTES ((size_t)128 << 20)

struct known_stack {
  uint64_t hash;
  size_t start; /* in `texts` */
  uint32_t length, node;
};

struct stack_known {
  struct text texts;
  VECTOR(struct known_stack) stacks;
  VECTOR(uint32_t) slots; /* open addressing: stack + 1, or 0 */
};

uint64_t stack_known_hash(struct slice stack);

/* The node of a stack; UINT32_MAX where it is not known. */
uint32_t stack_known_find(const struct stack_known *known, struct slice stack, uint64_t hash);

/* Adds a stack that is not known. */
void stack_known_add(struct stack_known *known, struct slice stack, uint64_t hash, uint32_t node);

void stack_known_clear(struct stack_known *known);

#endif
