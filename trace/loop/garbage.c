/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/loop/garbage.h"

#include "trace/event/log.h"
#include "trace/loop/chain.h"
#include "trace/loop/replay.h"
#include "trace/loop/turns.h"

typedef VECTOR(struct event_pause) pause_list;

/* The removed full collections, in the order of start. */
static void find_collections(pause_list *removed, const struct loop_turns *turns,
                             const struct loop_scenario *scenario) {
  double *factors = loop_pause_factors(turns, scenario);
  for (size_t i = 0; i < turns->log->pauses.count; i++) {
    struct event_pause pause = turns->log->pauses.data[i];
    if (pause.kind == EVENT_PAUSE_MAJOR && factors[i] <= LOOP_REMOVED &&
        scenario->rarer[pause.kind] == 1)
      vector_push(removed, pause);
  }
  mem_free(factors);
}

/* Those of one loop do not overlap, so the last that starts before the answer decides. */
static bool is_delayed(const pause_list *removed, const struct event_chain *chain, uint32_t loop) {
  size_t low = 0, high = removed->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (removed->data[middle].start < chain->answer)
      low = middle + 1;
    else
      high = middle;
  }
  while (low > 0 && removed->data[low - 1].loop != loop)
    low--;
  return low > 0 && removed->data[low - 1].end > chain->arrived;
}

uint8_t *loop_garbage_delayed(const struct loop_turns *turns, const struct event_chains *chains,
                              const struct loop_scenario *scenario, uint64_t *collections) {
  pause_list removed = {0};
  uint8_t *delayed = mem_alloc(chains->chains.count, sizeof *delayed);
  find_collections(&removed, turns, scenario);
  for (size_t i = 0; i < chains->chains.count; i++) {
    const struct event_chain *chain = &chains->chains.data[i];
    uint32_t loop = turns->log->requests.data[chain->request].loop;
    delayed[i] = chain->count != 0 && is_delayed(&removed, chain, loop);
  }
  *collections = removed.count;
  vector_clear(&removed);
  return delayed;
}
