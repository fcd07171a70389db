/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Folded stacks that were read before, with their nodes: the machines of a fleet run the same
 * programs, so that most lines of a file were in the one before it. All zeros knows none. Owns a
 * copy of the stacks, up to `most` bytes of them; what comes later is not known.
 *
 * Files are mostly sorted, so each stack also has the one behind it, as far as that is known, and
 * the next line is looked for there first. For lines in any other order there is the hash.
 */
#ifndef TRACE_STACKS_KNOWN_H
#define TRACE_STACKS_KNOWN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/index.h"
#include "base/slice.h"
#include "base/text.h"
#include "base/vector.h"

struct known_stack {
  size_t start; /* in `texts` */
  uint32_t length, node;
  uint32_t next; /* the stack behind it + 1; 0: none */
};

struct stack_known {
  size_t most; /* bytes of `texts` */
  struct text texts;
  VECTOR(struct known_stack) stacks;
  struct index index; /* of stacks */
  uint32_t first;     /* in the order of `next`; as the others, + 1 */
  uint32_t last;      /* the one found or added last; 0: `first` is next */
};

/* A file begins: its first line is looked for at the front. */
void stack_known_rewind(struct stack_known *known);

/* The node of a stack; UINT32_MAX where it is not known, and *hash is then what adds it. */
uint32_t stack_known_find(struct stack_known *known, struct slice stack, uint64_t *hash);

/* Adds a stack that was not found just now. */
void stack_known_add(struct stack_known *known, struct slice stack, uint64_t hash, uint32_t node);

void stack_known_clear(struct stack_known *known);

#endif
