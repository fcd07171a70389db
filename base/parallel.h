/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Independent work on several threads.
 */
#ifndef BASE_PARALLEL_H
#define BASE_PARALLEL_H

#include <stddef.h>

/* Calls work(index, context) once for every index below `count`, on at most `jobs` threads (at
 * least one: the caller's), and returns when all are done. Work is handed out in index order. */
void parallel_run(size_t jobs, size_t count, void (*work)(size_t index, void *context),
                  void *context);

/* How many processors this process may use; at least 1. */
size_t parallel_processors(void);

#endif
