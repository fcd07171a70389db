/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Processes wait for each other at the start, so that nobody's first message waits for a peer that
 * is still opening its files.
 */
#ifndef EXAMPLES_COMMON_GATE_H
#define EXAMPLES_COMMON_GATE_H

#include <stdatomic.h>
#include <stddef.h>

struct gate {
  atomic_uint ready;
  unsigned expected;
};

/* Zeroed memory that the processes forked later share, for their results or a gate; it lives until
 * they all end. NULL after a complaint. */
void *shared_memory(size_t bytes);

/* Returns when `expected` processes have come here. Whoever stays away must have failed: its parent
 * then kills all. */
void gate_pass(struct gate *gate);

#endif
