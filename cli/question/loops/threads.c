/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/loops/threads.h"

#include "cli/question/loops/whatif.h"
#include "trace/event/log.h"
#include "trace/loop/changes.h"
#include "trace/loop/replay.h"

static const double usual_most = 0.05, rare_most = 0.15, rare = 0.9;

void loops_threads_make(struct loop_threads *threads, const struct loop_turns *turns,
                        const struct event_chains *chains) {
  loop_threads_make(threads, turns);
  if (threads->state == LOOP_THREADS_KNOWN && loop_replay_check(turns, chains, threads) != 0)
    threads->state = LOOP_THREADS_CONTRADICTED;
}

void loops_threads_find(struct loops_threads *found, const struct loop_threads *threads,
                        const struct loop_turns *turns, const struct loop_scenario *scenario) {
  uint64_t files = 0, others = 0;
  for (uint32_t row = 0; scenario->io != NULL && row < turns->log->begin.count; row++) {
    if (scenario->io[row] == 0 || turns->turn_of[row] == EVENT_NONE)
      continue;
    files += turns->log->class.data[row] == EVENT_FILE;
    others += turns->log->class.data[row] == EVENT_POOL;
  }
  if (others == 0 && threads->state == LOOP_THREADS_SIZE)
    return;
  found->changed = files + others;
  if (found->changed == 0 || threads->state == LOOP_THREADS_KNOWN)
    return;
  found->state = threads->state;
  found->contradicted = threads->contradicted;
}

int64_t *loops_threads_orphaned(struct loops_threads *found, const struct loop_threads *threads,
                                const struct loop_turns *turns,
                                const struct loop_changes *changes) {
  const struct event_log *log = turns->log;
  int64_t *io = mem_alloc(log->begin.count, sizeof *io);
  found->orphaned = 0;
  for (uint32_t row = 0; row < log->begin.count; row++) {
    uint32_t asker = log->registrar.data[row], owner = turns->owner[row];
    io[row] = changes->io[row];
    if (log->class.data[row] != EVENT_POOL || turns->turn_of[row] == EVENT_NONE ||
        changes->named[row] != 0 || asker == EVENT_NONE || changes->own[row] > LOOP_REMOVED ||
        changes->own[asker] > LOOP_REMOVED)
      continue;
    io[row] = -loop_threads_wait(threads, turns, row);
    found->orphaned++;
    found->orphan_type = log->type.data[row];
    found->orphan_route = owner == EVENT_NONE ? 0 : log->requests.data[owner].route;
  }
  if (found->orphaned != 0)
    return io;
  mem_free(io);
  return NULL;
}

static bool differs(double a, double b, double limit) {
  return a > (1 + limit) * b || b > (1 + limit) * a;
}

/* Of the readings that the answer is estimated by, and of what would be otherwise. */
enum loops_untold loops_untold(const struct loops_whatif *a, size_t i) {
  size_t estimate = loops_estimate(a);
  bool known = estimate < LOOPS_READINGS;
  size_t first = known ? estimate : 0, count = known ? a->readings : loops_reading_count(a);
  double least = (double)a->is[first][i].value_ns, most = least;
  double limit = rational_double(&a->wanted.data[i].share) > rare ? rare_most : usual_most;
  if (a->is[LOOPS_ORPHANED] != NULL &&
      differs((double)a->is[LOOPS_ORPHANED][i].value_ns, least, limit))
    return LOOPS_UNTOLD_ORPHANED;
  if (a->threads.changed == 0)
    return LOOPS_TOLD;
  if (a->threads.state != LOOP_THREADS_KNOWN)
    return LOOPS_UNTOLD_THREADS;
  for (size_t r = first; r < first + count; r++) {
    double value = (double)a->is[r][i].value_ns;
    least = value < least ? value : least;
    most = value > most ? value : most;
  }
  if (most > (1 + limit) * least)
    return LOOPS_UNTOLD_READINGS;
  if (a->is[LOOPS_LAWLESS] != NULL &&
      (double)a->is[LOOPS_LAWLESS][i].value_ns < (1 - limit) * least)
    return LOOPS_UNTOLD_LAWLESS;
  return LOOPS_TOLD;
}
