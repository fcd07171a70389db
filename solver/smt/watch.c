/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/smt/watch.h"

#include <pthread.h>
#include <signal.h>

enum { AGAIN_MS = 10, NS_PER_MS = 1000000, NS_PER_S = 1000000000 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t earlier; /* waits on CLOCK_MONOTONIC */
static struct watch *watches;
static int64_t next_look_ns = INT64_MAX; /* on CLOCK_MONOTONIC */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static int64_t read_ns(clockid_t clock) {
  struct timespec t = {0};
  clock_gettime(clock, &t);
  return (int64_t)t.tv_sec * NS_PER_S + t.tv_nsec;
}

/* Interrupts what is over. How long nothing else can be over: a thread's clock is no faster than
 * this one. */
static int64_t look(void) {
  int64_t free_ns = INT64_MAX;
  for (struct watch *w = watches; w != NULL; w = w->next) {
    int64_t left_ns = w->end_ns - read_ns(w->clock);
    if (left_ns <= 0) {
      w->over = true;
      w->interrupt(w->context);
      left_ns =
          (int64_t)AGAIN_MS * NS_PER_MS; /* it may not have been where it can be interrupted */
    }
    if (left_ns < free_ns)
      free_ns = left_ns;
  }
  return free_ns;
}

static void *run(void *unused) {
  pthread_mutex_lock(&lock);
  for (;;) {
    int64_t free_ns = look();
    if (free_ns == INT64_MAX) {
      next_look_ns = INT64_MAX;
      pthread_cond_wait(&earlier, &lock);
      continue;
    }
    next_look_ns = read_ns(CLOCK_MONOTONIC) + free_ns;
    struct timespec until = {.tv_sec = (time_t)(next_look_ns / NS_PER_S),
                             .tv_nsec = (long)(next_look_ns % NS_PER_S)};
    pthread_cond_timedwait(&earlier, &lock, &until);
  }
  return unused;
}

/* Without a thread the work has only its own limits. Signals are for the others. */
static void start(void) {
  pthread_condattr_t monotonic;
  pthread_condattr_init(&monotonic);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  pthread_cond_init(&earlier, &monotonic);
  pthread_condattr_destroy(&monotonic);
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  if (pthread_create(&thread, NULL, run, NULL) == 0)
    pthread_detach(thread);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void watch_begin(struct watch *watch, unsigned limit_ms, void (*interrupt)(void *), void *context) {
  pthread_once(&once, start);
  *watch = (struct watch){.interrupt = interrupt, .context = context};
  pthread_getcpuclockid(pthread_self(), &watch->clock);
  int64_t limit_ns = (int64_t)limit_ms * NS_PER_MS;
  watch->end_ns = read_ns(watch->clock) + limit_ns;
  pthread_mutex_lock(&lock);
  watch->next = watches;
  watches = watch;
  if (read_ns(CLOCK_MONOTONIC) + limit_ns < next_look_ns)
    pthread_cond_signal(&earlier);
  pthread_mutex_unlock(&lock);
}

bool watch_end(struct watch *watch) {
  pthread_mutex_lock(&lock);
  struct watch **at = &watches;
  while (*at != watch)
    at = &(*at)->next;
  *at = watch->next;
  pthread_mutex_unlock(&lock);
  return watch->over;
}
