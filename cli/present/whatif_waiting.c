/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Services whose measured work may be waiting, as text and JSON (whatif.h).
 */
#include <stdio.h>

#include "base/jsonl.h"
#include "cli/present/whatif.h"
#include "measure/throughput/experiment/waiting.h"

typedef VECTOR(const struct window *) windows;

struct doubt {
  enum waiting why;
  uint32_t neighbour;
};

/* What was measured while nobody paused. */
static void gather(windows *list, const struct experiment *experiment) {
  if (experiment->first.good)
    vector_push(list, &experiment->first);
  for (size_t c = 0; c < 2; c++)
    for (size_t i = 0; i < experiment->cells.data[c].good.count; i++)
      vector_push(list, &experiment->cells.data[c].good.data[i]);
}

/* Of every service; false: of none is there a doubt. */
static bool find(struct doubt doubts[PLAN_SERVICES], const struct experiment *experiment) {
  windows list = {0};
  bool any = false;
  gather(&list, experiment);
  for (uint32_t s = 0; s < experiment->plan->count; s++) {
    doubts[s].why = waiting_of(&doubts[s].neighbour, experiment->plan, &experiment->profile,
                               list.data, list.count, s);
    any = any || doubts[s].why != WAITING_NONE;
  }
  vector_clear(&list);
  return any;
}

void tell_waiting_text(const struct experiment *experiment) {
  const struct plan_service *services = experiment->plan->services;
  struct doubt doubts[PLAN_SERVICES] = {0};
  if (!find(doubts, experiment))
    return;
  const char *between = "";
  printf("  Warning: the time of ");
  for (uint32_t s = 0; s < experiment->plan->count; s++) {
    const char *name = services[s].name, *other = services[doubts[s].neighbour].name;
    if (doubts[s].why == WAITING_NONE)
      continue;
    printf("%s%s", between, name);
    between = ", ";
    if (doubts[s].why == WAITING_PROXY)
      printf(" (measured at a proxy)");
    else if (doubts[s].why == WAITING_TOGETHER)
      printf(" (it changes with that of %s)", other);
    else
      printf(" (as long as that of %s, both being busy)", other);
  }
  printf(" may contain waiting; state `work` and `workers` in the plan.\n");
}

void tell_waiting_json(const struct experiment *experiment) {
  static const char *const names[] = {
      [WAITING_PROXY] = "proxy", [WAITING_TOGETHER] = "together", [WAITING_BUSY] = "busy"};
  const struct plan_service *services = experiment->plan->services;
  struct doubt doubts[PLAN_SERVICES] = {0};
  find(doubts, experiment);
  for (uint32_t s = 0; s < experiment->plan->count; s++) {
    if (doubts[s].why == WAITING_NONE)
      continue;
    struct jsonl *json = jsonl_new("waiting");
    jsonl_text(json, "service", services[s].name);
    jsonl_text(json, "by", names[doubts[s].why]);
    jsonl_text(json, "neighbour",
               doubts[s].why == WAITING_PROXY ? NULL : services[doubts[s].neighbour].name);
    jsonl_print(json);
  }
}
