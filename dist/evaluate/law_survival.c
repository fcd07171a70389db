/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The graph of laws on two threads: one walks it, the other computes ahead (law_computation.h).
 */
#include "base/memory.h"
#include "base/parallel.h"
#include "dist/evaluate/law_computation.h"

/* Bytes of survival functions that the second thread does not make more of, the larger of two. */
static const size_t held_max = (size_t)128 << 20, held_few = 16;

static void count_uses(struct computation *c, const struct law *law) {
  if (c->uses[law->id]++ == 0)
    for (size_t i = 0; i < law->count; i++)
      count_uses(c, law->parts[i].law);
}

/* The mutex is held before and after, not in between. */
static void compute(struct computation *c, const struct law *law) {
  c->states[law->id] = LAW_UNDER_WAY;
  pthread_mutex_unlock(&c->mutex);
  struct survival made;
  computation_make(c, &made, law);
  pthread_mutex_lock(&c->mutex);
  c->survivals[law->id] = made;
  c->states[law->id] = LAW_DONE;
  c->held++;
  pthread_cond_broadcast(&c->changed);
}

const struct survival *computation_need(struct computation *c, const struct law *law) {
  if (law->kind == LAW_LEAF)
    return law->leaf_survival;
  pthread_mutex_lock(&c->mutex);
  while (c->states[law->id] == LAW_UNDER_WAY)
    pthread_cond_wait(&c->changed, &c->mutex);
  if (c->states[law->id] == LAW_UNTOUCHED)
    compute(c, law);
  pthread_mutex_unlock(&c->mutex);
  return &c->survivals[law->id];
}

void computation_release(struct computation *c, const struct law *law) {
  if (law->kind == LAW_LEAF)
    return;
  pthread_mutex_lock(&c->mutex);
  if (--c->uses[law->id] == 0) {
    survival_clear(&c->survivals[law->id]);
    c->held--;
    pthread_cond_broadcast(&c->changed);
  }
  pthread_mutex_unlock(&c->mutex);
}

/* With the mutex: waits until there is room for another result. */
static void wait_for_room(struct computation *c) {
  size_t most = held_max / (grid_count(&c->table->grid) * sizeof(uint64_t));
  most = most > held_few ? most : held_few;
  while (c->held >= most && !c->finished)
    pthread_cond_wait(&c->changed, &c->mutex);
}

/* What is done by the time it is needed, or under way by its own thread, is left alone. */
static void compute_ahead(struct computation *c, const struct law *law) {
  if (law->kind == LAW_LEAF || c->seen[law->id])
    return;
  c->seen[law->id] = true;
  pthread_mutex_lock(&c->mutex);
  bool done = c->states[law->id] == LAW_DONE || c->finished;
  pthread_mutex_unlock(&c->mutex);
  if (done)
    return;
  for (size_t i = law->count; i-- > 0;)
    compute_ahead(c, law->parts[i].law);
  pthread_mutex_lock(&c->mutex);
  wait_for_room(c);
  if (c->states[law->id] == LAW_UNTOUCHED && !c->finished)
    compute(c, law);
  pthread_mutex_unlock(&c->mutex);
}

static void walk(size_t index, void *context) {
  struct computation *c = context;
  if (index == 1) {
    compute_ahead(c, c->wanted);
    return;
  }
  computation_need(c, c->wanted);
  pthread_mutex_lock(&c->mutex);
  c->finished = true;
  pthread_cond_broadcast(&c->changed);
  pthread_mutex_unlock(&c->mutex);
}

void law_survival(struct survival *result, const struct law_table *table, const struct law *law,
                  size_t jobs) {
  size_t count = table->laws.count;
  struct computation c = {.table = table,
                          .wanted = law,
                          .uses = mem_alloc(count, sizeof *c.uses),
                          .survivals = mem_alloc(count, sizeof *c.survivals),
                          .states = mem_alloc(count, sizeof *c.states),
                          .seen = mem_alloc(count, sizeof *c.seen)};
  pthread_mutex_init(&c.mutex, NULL);
  pthread_cond_init(&c.changed, NULL);
  count_uses(&c, law);
  parallel_run(jobs, jobs > 1 ? 2 : 1, walk, &c);
  survival_set(result, computation_need(&c, law));
  computation_release(&c, law);
  pthread_cond_destroy(&c.changed);
  pthread_mutex_destroy(&c.mutex);
  mem_free(c.seen);
  mem_free(c.states);
  mem_free(c.survivals);
  mem_free(c.uses);
}
