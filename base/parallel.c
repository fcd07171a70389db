/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE /* sched_getaffinity: containers restrict it */
#include "base/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "base/memory.h"

struct pool {
  atomic_size_t next;
  size_t count;
  void (*work)(size_t, void *);
  void *context;
};

static void *run(void *argument) {
  struct pool *pool = argument;
  for (;;) {
    size_t index = atomic_fetch_add(&pool->next, 1);
    if (index >= pool->count)
      return NULL;
    pool->work(index, pool->context);
  }
}

void parallel_run(size_t jobs, size_t count, void (*work)(size_t, void *), void *context) {
  struct pool pool = {.count = count, .work = work, .context = context};
  atomic_init(&pool.next, 0);
  size_t helpers = jobs > count ? count : jobs;
  pthread_t *threads = mem_alloc(helpers, sizeof *threads);
  size_t started = 0;
  while (started + 1 < helpers && pthread_create(&threads[started], NULL, run, &pool) == 0)
    started++;
  run(&pool);
  for (size_t i = 0; i < started; i++)
    pthread_join(threads[i], NULL);
  mem_free(threads);
}

size_t parallel_processors(void) {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0 || CPU_COUNT(&set) < 1)
    return 1;
  return (size_t)CPU_COUNT(&set);
}
