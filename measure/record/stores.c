/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The stores of the process: the lock of the slow paths, forks, and the line about the last
 * failure.
 */
#include "measure/record/inside.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct tailproof_store *stores;

/* The file is shared with the parent, which goes on writing to it. */
static void child_after_fork(void) {
  for (struct tailproof_store *store = stores; store != NULL; store = store->next) {
    store->alive = 0;
    for (struct tailproof_writer *writer = store->writers; writer != NULL; writer = writer->next)
      writer->alive = 0;
  }
  pthread_mutex_unlock(&lock);
}

static void lock_plainly(void) {
  pthread_mutex_lock(&lock);
}

static void arrange_for_forks(void) {
  pthread_atfork(lock_plainly, stores_unlock, child_after_fork);
}

void stores_lock(void) {
  pthread_once(&once, arrange_for_forks);
  pthread_mutex_lock(&lock);
}

void stores_unlock(void) {
  pthread_mutex_unlock(&lock);
}

void stores_add(struct tailproof_store *store) {
  store->next = stores;
  stores = store;
}

void stores_remove(struct tailproof_store *store) {
  struct tailproof_store **link = &stores;
  while (*link != store)
    link = &(*link)->next;
  *link = store->next;
}

static _Thread_local char line[512];

int fail(int error, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  return -error;
}

const char *tailproof_error(void) {
  return line;
}
