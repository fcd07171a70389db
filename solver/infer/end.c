/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The end of a search before it is over, by whoever stops it or by its limit (work.h): what was
 * proved until then is left, and nothing else. Proofs end between two queries, when `stop` is set;
 * what a proof had found when it ended is not proved.
 */
#include <pthread.h>
#include <time.h>

#include "base/seconds.h"
#include "solver/infer/work.h"

enum { LOOK_NS = 20000000 };

static void *watch(void *context) {
  struct infer_end *end = context;
  while (!atomic_load(&end->over)) {
    bool late = end->limit_s > 0 && seconds_elapsed() - end->start >= end->limit_s;
    if (late || (end->outer != NULL && *end->outer != 0))
      end->stop = 1;
    struct timespec pause = {.tv_nsec = LOOK_NS};
    nanosleep(&pause, NULL);
  }
  return NULL;
}

/* Without a thread the search has no limit, and stops where the caller is stopped afterwards. */
void work_watch(struct infer_work *w) {
  struct infer_end *end = &w->end;
  end->outer = w->options->stop;
  end->limit_s = w->options->limit_s;
  end->start = seconds_elapsed();
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are for the others */
  end->watched = pthread_create(&end->thread, NULL, watch, end) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void work_unwatch(struct infer_work *w) {
  atomic_store(&w->end.over, true);
  if (w->end.watched)
    pthread_join(w->end.thread, NULL);
  w->end.watched = false;
}

bool work_is_ended(const struct infer_work *w) {
  return w->end.stop != 0;
}

void work_save(struct infer_work *w, const invariant_vector *proved) {
  struct infer_saved *saved = &w->saved;
  if (work_is_ended(w))
    return;
  saved->proved.count = saved->bounds.count = 0;
  for (size_t i = 0; i < proved->count; i++)
    vector_push(&saved->proved, proved->data[i]);
  for (size_t i = 0; i < w->inference->bounds.count; i++)
    vector_push(&saved->bounds, w->inference->bounds.data[i]);
  saved->items = w->inference->model.bounds.items;
  saved->fallen = w->inference->fallen;
  saved->open = w->inference->open;
}

void work_restore(struct infer_work *w) {
  struct inference *inference = w->inference;
  struct infer_saved *saved = &w->saved;
  w->guesses.count = inference->bounds.count = 0;
  for (size_t i = 0; i < saved->proved.count; i++)
    vector_push(&w->guesses, saved->proved.data[i]);
  for (size_t i = 0; i < saved->bounds.count; i++)
    vector_push(&inference->bounds, saved->bounds.data[i]);
  if (saved->items != NULL)
    inference->model.bounds.items = saved->items;
  inference->fallen = saved->fallen;
  inference->open = saved->open;
  w->only = w->options->only == NULL ? NULL : inference->model.bounds.items[w->options->only->id];
  work_give_guesses(w);
}

void work_clear_saved(struct infer_work *w) {
  vector_clear(&w->saved.proved);
  vector_clear(&w->saved.bounds);
}

void work_tell(const struct infer_work *w, const char *what, size_t count) {
  if (w->options->tell != NULL)
    w->options->tell(w->options->tell_context, what, count);
}
