/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <string.h>

#include "base/memory.h"

struct arena_block {
  struct arena_block *next;
  size_t used, size;
  alignas(max_align_t) unsigned char bytes[];
};

enum { BLOCK_SIZE = 16384 };

void arena_init(struct arena *arena) {
  arena->blocks = NULL;
}

void arena_clear(struct arena *arena) {
  while (arena->blocks != NULL) {
    struct arena_block *next = arena->blocks->next;
    mem_free(arena->blocks);
    arena->blocks = next;
  }
}

void *arena_alloc(struct arena *arena, size_t count, size_t size) {
  if (size != 0 && count > (SIZE_MAX / 4) / size)
    bug("arena allocation of %zu items of %zu bytes", count, size);
  size_t align = alignof(max_align_t);
  size_t bytes = (count * size + align - 1) / align * align;
  struct arena_block *block = arena->blocks;
  if (block == NULL || block->size - block->used < bytes) {
    size_t room = bytes > BLOCK_SIZE ? bytes : BLOCK_SIZE;
    block = mem_alloc(1, sizeof *block + room);
    block->size = room;
    block->next = arena->blocks;
    arena->blocks = block;
  }
  void *result = block->bytes + block->used;
  block->used += bytes;
  return result;
}

char *arena_text(struct arena *arena, const char *text, size_t length) {
  char *copy = arena_alloc(arena, length + 1, 1);
  if (length != 0)
    memcpy(copy, text, length);
  return copy;
}

void *arena_copy(struct arena *arena, const void *items, size_t count, size_t size) {
  void *copy = arena_alloc(arena, count, size);
  if (count != 0)
    memcpy(copy, items, count * size);
  return copy;
}
