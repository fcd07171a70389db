/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/memory.h"

#include <malloc.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/status.h"

static size_t byte_count(size_t count, size_t size) {
  if (size != 0 && count > SIZE_MAX / size)
    bug("allocation of %zu items of %zu bytes", count, size);
  size_t bytes = count * size;
  return bytes == 0 ? 1 : bytes;
}

void mem_exhausted(size_t bytes) {
  fprintf(stderr, "tailproof: out of memory (%zu bytes)\n", bytes);
  _exit(STATUS_INTERNAL); /* other threads run: what they use is not to be destroyed under them */
}

static void *checked(void *block, size_t bytes) {
  if (block == NULL)
    mem_exhausted(bytes);
  return block;
}

void mem_reserve(size_t bytes) {
  free(checked(malloc(bytes), bytes));
}

void *mem_alloc(size_t count, size_t size) {
  size_t bytes = byte_count(count, size);
  return checked(calloc(1, bytes), bytes);
}

void *mem_resize(void *block, size_t count, size_t size) {
  size_t bytes = byte_count(count, size);
  return checked(realloc(block, bytes), bytes);
}

void mem_return_large(void) {
#ifdef M_MMAP_THRESHOLD /* of the GNU C library */
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
#endif
}

char *mem_copy_text(const char *text, size_t length) {
  char *copy = mem_alloc(length + 1, 1);
  if (length != 0)
    memcpy(copy, text, length);
  return copy;
}

void mem_free(void *block) {
  free(block);
}

void bug(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fputs("tailproof: internal error: ", stderr);
  vfprintf(stderr, format, arguments);
  fputs(" (please report this)\n", stderr);
  va_end(arguments);
  exit(STATUS_INTERNAL);
}
