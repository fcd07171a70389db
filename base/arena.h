/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * An arena: memory that is released all at once. What it hands out is owned by the arena, zeroed,
 * aligned for any type, and stays in place until arena_clear.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

struct arena_block;
struct arena {
  struct arena_block *blocks; /* newest first */
};

void arena_init(struct arena *arena);
void arena_clear(struct arena *arena);

void *arena_alloc(struct arena *arena, size_t count, size_t size);

/* A copy of `length` bytes of text with a NUL behind them. */
char *arena_text(struct arena *arena, const char *text, size_t length);

/* A copy of `count` items of `size` bytes. */
void *arena_copy(struct arena *arena, const void *items, size_t count, size_t size);

#endif
