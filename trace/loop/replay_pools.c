/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The pools of a replay: each process has the threads that were recorded, and its copies of a turn
 * ask those.
 */
#include "trace/loop/replay_inside.h"
#include "trace/loop/threads.h"

int64_t run_longer_io(const struct loop_run *run, const struct loop_turn *turn) {
  return run->scenario->io == NULL ? 0 : run->scenario->io[turn->first];
}

void run_pools_make(struct loop_run *run) {
  const struct loop_threads *threads = run->scenario->threads;
  if (threads == NULL || threads->pools.count == 0)
    return;
  run->pool_count = threads->pools.count * run->units.processes;
  run->pools = mem_alloc(run->pool_count, sizeof *run->pools);
  for (size_t i = 0; i < run->pool_count; i++)
    run->pools[i] =
        (struct thread_queue){.threads = threads->pools.data[i / run->units.processes].threads,
                              .is_name = threads->is_name.data};
}

void run_pools_clear(struct loop_run *run) {
  for (size_t i = 0; i < run->pool_count; i++)
    thread_queue_clear(&run->pools[i]);
  mem_free(run->pools);
}

/* How long the work takes a thread; what takes no time takes none of them. */
static int64_t length_of(const struct loop_run *run, const struct loop_turn *turn, uint32_t work) {
  const struct loop_thread_work *of = &run->scenario->threads->work.data[work];
  int64_t length = of->done - of->began + run_longer_io(run, turn);
  return length < 0 ? 0 : length;
}

/* It is done. The turn may count as ready somewhat later, or earlier: but not before it asked. */
static void finish(struct loop_run *run, uint32_t index, const struct loop_turn *turn,
                   uint32_t work, int64_t asked, int64_t done) {
  int64_t least = asked + turn->ready - turn->eligible;
  int64_t ready = done + turn->ready - run->scenario->threads->work.data[work].done;
  bool shorter = run_longer_io(run, turn) < 0;
  run->time[index] = shorter && ready < least ? least : ready;
  run_make_ready(run, index, turn);
}

bool run_asks(struct loop_run *run, uint32_t index, int64_t time) {
  if (run->pool_count == 0)
    return false;
  const struct loop_threads *threads = run->scenario->threads;
  uint32_t number = loop_unit_turn(&run->units, index), work = threads->work_of[number];
  if (work == EVENT_NONE)
    return false;
  const struct loop_turn turn = loop_turn_at(run->turns, number);
  const struct loop_unit unit = loop_unit_at(&run->units, &turn, index);
  run->time[index] = time;
  if (run_longer_io(run, &turn) < 0 && length_of(run, &turn, work) == 0)
    finish(run, index, &turn, work, time, time);
  else
    thread_queue_ask(&run->pools[threads->pool_of[turn.loop] * run->units.processes + unit.process],
                     time, work);
  return true;
}

/* The first unit of the work's turn, on the process of the pool. */
static uint32_t unit_of(const struct loop_run *run, size_t pool, uint32_t work) {
  uint32_t turn = run->scenario->threads->work.data[work].turn;
  return loop_unit_first(&run->units, turn, (uint32_t)(pool % run->units.processes));
}

static void step(struct loop_run *run, size_t pool, int64_t now) {
  struct thread_queue *queue = &run->pools[pool];
  const struct loop_threads *threads = run->scenario->threads;
  uint32_t work = thread_queue_step(queue);
  if (work != THREAD_WORK_NONE) {
    const struct loop_turn turn = loop_turn_at(run->turns, threads->work.data[work].turn);
    uint32_t index = unit_of(run, pool, work);
    finish(run, index, &turn, work, run->time[index], now);
  }
  while ((work = thread_queue_take(queue)) != THREAD_WORK_NONE) {
    const struct loop_turn turn = loop_turn_at(run->turns, threads->work.data[work].turn);
    thread_queue_end_at(queue, work, now + length_of(run, &turn, work));
  }
}

bool run_pool_works(struct loop_run *run, int64_t time) {
  size_t best = 0;
  int64_t least = EVENT_NEVER;
  for (size_t i = 0; i < run->pool_count; i++) {
    int64_t next = thread_queue_next(&run->pools[i]);
    if (next < least) {
      least = next;
      best = i;
    }
  }
  if (least == EVENT_NEVER || least > time)
    return false;
  step(run, best, least);
  return true;
}
