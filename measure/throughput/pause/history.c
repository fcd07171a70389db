/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/throughput/pause/history.h"

static uint64_t most_of(uint64_t a, uint64_t b) {
  return a > b ? a : b;
}

static uint64_t least_of(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

void history_add(struct pause_history *history, uint64_t from_ns, uint64_t until_ns) {
  uint64_t place = history->count % HISTORY_PAUSES;
  uint64_t last = (history->count + HISTORY_PAUSES - 1) % HISTORY_PAUSES;
  if (history->count != 0)
    from_ns = most_of(from_ns, history->until_ns[last]);
  if (from_ns >= until_ns)
    return;
  history->from_ns[place] = from_ns;
  history->until_ns[place] = until_ns;
  history->count++;
}

bool history_paused(uint64_t *paused_ns, const struct pause_history *history, uint64_t begin_ns,
                    uint64_t end_ns) {
  uint64_t kept = least_of(history->count, HISTORY_PAUSES);
  *paused_ns = 0;
  for (uint64_t i = 1; i <= kept; i++) {
    uint64_t place = (history->count - i) % HISTORY_PAUSES;
    if (history->until_ns[place] <= begin_ns)
      return true;
    uint64_t from = most_of(history->from_ns[place], begin_ns);
    uint64_t until = least_of(history->until_ns[place], end_ns);
    *paused_ns += from < until ? until - from : 0;
  }
  return history->count == kept;
}

bool history_pause(const struct pause_history *history, uint64_t number, uint64_t *from_ns,
                   uint64_t *until_ns) {
  if (number >= history->count || history->count - number > HISTORY_PAUSES)
    return false;
  *from_ns = history->from_ns[number % HISTORY_PAUSES];
  *until_ns = history->until_ns[number % HISTORY_PAUSES];
  return true;
}
