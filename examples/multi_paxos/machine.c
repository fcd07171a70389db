/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "examples/multi_paxos/machine.h"

#include "examples/common/complain.h"

#include <inttypes.h>
#include <stdio.h>

bool machine_execute(struct machine *machine, const struct request *request) {
  uint64_t count = atomic_load_explicit(&machine->history->count, memory_order_relaxed);
  struct history_entry entry = {0};
  if (count == HISTORY_MAX) {
    complain("a replica has executed %d operations, more than are kept", HISTORY_MAX);
    return false;
  }
  if (request->number > machine->latest) {
    machine->values[request->key % MACHINE_KEYS] += request->amount;
    machine->latest = request->number;
    machine->latest_value = machine->values[request->key % MACHINE_KEYS];
    entry = (struct history_entry){request->number, machine->latest_value};
  }
  machine->history->entries[count] = entry;
  atomic_store_explicit(&machine->history->count, count + 1, memory_order_release);
  return true;
}

static bool complete(const struct history *history, uint64_t count, uint64_t answered) {
  uint64_t latest = 0;
  for (uint64_t i = 0; i < count; i++) {
    uint64_t number = history->entries[i].number;
    if (number != 0 && number != latest + 1) {
      complain("operation %" PRIu64 " is request %" PRIu64 ", after request %" PRIu64, i, number,
               latest);
      return false;
    }
    if (number != 0)
      latest = number;
  }
  if (latest < answered)
    complain("%" PRIu64 " requests were answered, but %" PRIu64 " executed", answered, latest);
  return latest >= answered;
}

bool histories_agree(struct history *const histories[], size_t count, uint64_t answered,
                     const bool killed[]) {
  uint64_t counts[REPLICAS_MAX];
  size_t longest = 0, behind = 0, alive = 0;
  for (size_t i = 0; i < count; i++) {
    counts[i] = atomic_load_explicit(&histories[i]->count, memory_order_acquire);
    if (counts[i] > counts[longest])
      longest = i;
  }
  for (size_t i = 0; i < count; i++) {
    for (uint64_t k = 0; k < counts[i]; k++) {
      const struct history_entry *own = &histories[i]->entries[k];
      const struct history_entry *other = &histories[longest]->entries[k];
      if (own->number != other->number || own->value != other->value) {
        complain("replicas %zu and %zu disagree on operation %" PRIu64, i, longest, k);
        return false;
      }
    }
    alive += !killed[i];
    behind += !killed[i] && counts[i] < counts[longest];
  }
  if (!complete(histories[longest], counts[longest], answered))
    return false;
  printf("the logs of %zu replicas agree: %" PRIu64 " operations, each of %" PRIu64
         " requests executed once",
         count, counts[longest], answered);
  if (alive < count)
    printf("; %zu killed", count - alive);
  if (behind > 0)
    printf("; %zu still behind", behind);
  printf("\n");
  return true;
}
