/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Heap memory that never fails: running out ends the program with STATUS_INTERNAL and one line on
 * stderr. Sizes are count * size, checked for overflow. The caller owns what is returned and frees
 * it with mem_free.
 */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stddef.h>

/* `count` zeroed items of `size` bytes; never NULL, also for count 0. */
void *mem_alloc(size_t count, size_t size);

/* As realloc; bytes beyond the old size are not initialised. */
void *mem_resize(void *block, size_t count, size_t size);

/* A copy of `length` bytes with a NUL behind them. */
char *mem_copy_text(const char *text, size_t length);

void mem_free(void *block);

/* From now on blocks of a megabyte or more are given back to the system as soon as they are freed.
 * Else the C library keeps what it may hand out again, which is of use where it is asked for
 * again, and adds up where each stage needs blocks of other sizes. */
void mem_return_large(void);

/* Ends the program as running out does: for a library that says so of `bytes` it wanted. */
_Noreturn void mem_exhausted(size_t bytes);

/* Runs out unless `bytes` more can be had now: before a library that does not survive it. */
void mem_reserve(size_t bytes);

/* Reports a broken invariant of the program itself ("internal error: ...") and exits with
 * STATUS_INTERNAL. For bugs only; a user's mistake is a diagnostic. */
_Noreturn void bug(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
