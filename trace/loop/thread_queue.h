/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The queue of Node.js's thread pool, as libuv serves it (src/threadpool.c of version 1.22 and
 * later).
 *
 * Threads take what is asked for in that order. Names of hosts have a line of their own; in the
 * common one stands one mark for all of them, which a thread that takes the first name puts at the
 * end again if there are more. While half of the threads look up names, a thread that finds the
 * mark puts it at the end and takes no name.
 *
 * Example. Two threads, asked for two names and a file: the first takes the first name; the second
 * finds the mark, puts it behind the file, and takes that.
 *
 * Work is known by its number: less than that of work that was asked for later. Of what happens at
 * one time, first work ends, the least number first; then work is asked for. Private to trace/loop.
 */
#ifndef TRACE_LOOP_THREAD_QUEUE_H
#define TRACE_LOOP_THREAD_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vector.h"
#include "trace/loop/heap.h"

#define THREAD_WORK_NONE UINT32_MAX

struct thread_line {
  VECTOR(uint32_t) numbers;
  size_t first; /* those before it are taken */
};

/* All zero but the first two: nothing was asked for. */
struct thread_queue {
  uint32_t threads;       /* at least 1 */
  const uint8_t *is_name; /* by number; of the caller */
  uint32_t busy, looking_up;
  bool marked; /* the mark of names is in the common line */
  struct thread_line common, names;
  struct heap coming, ending; /* by when it is asked for; by when it is done */
};

void thread_queue_clear(struct thread_queue *queue);

/* It will be asked for at that time, ns. */
void thread_queue_ask(struct thread_queue *queue, int64_t time, uint32_t number);

/* When work next ends or is asked for, ns; INT64_MAX: never. */
int64_t thread_queue_next(const struct thread_queue *queue);

/* The first of what happens next, which thread_queue_next said that there is. The number of the work
 * that ends, and leaves its thread; THREAD_WORK_NONE: some was asked for. */
uint32_t thread_queue_step(struct thread_queue *queue);

/* What a thread takes now; THREAD_WORK_NONE: none is free, or it takes nothing. It has the thread
 * until it leaves it, or is done at the end. */
uint32_t thread_queue_take(struct thread_queue *queue);
void thread_queue_leave(struct thread_queue *queue, uint32_t number);
void thread_queue_end_at(struct thread_queue *queue, uint32_t number, int64_t end);

#endif
