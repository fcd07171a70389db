/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Services whose measured work may be waiting, as text and JSON (whatif.h).
 */
#include <stdio.h>

#include "base/jsonl.h"
#include "cli/present/whatif.h"
#include "measure/throughput/experiment/waiting.h"
#include "show/wrapped.h"

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

static void append_doubt(struct text *text, const struct doubt *doubt, const char *name,
                         const char *other) {
  text_append(text, name);
  if (doubt->why == WAITING_PROXY)
    text_append(text, " (measured at a proxy)");
  else if (doubt->why == WAITING_TOGETHER)
    text_format(text, " (it changes with that of %s)", other);
  else
    text_format(text, " (as long as that of %s, both being busy)", other);
}

void tell_waiting_text(const struct experiment *experiment) {
  const struct plan_service *services = experiment->plan->services;
  struct doubt doubts[PLAN_SERVICES] = {0};
  struct text text;
  if (!find(doubts, experiment))
    return;
  text_init(&text);
  text_append(&text, "the time of ");
  const char *between = "";
  for (uint32_t s = 0; s < experiment->plan->count; s++) {
    if (doubts[s].why == WAITING_NONE)
      continue;
    text_append(&text, between);
    append_doubt(&text, &doubts[s], services[s].name, services[doubts[s].neighbour].name);
    between = ", ";
  }
  text_append(&text, " may contain waiting; state `work` and `workers` in the plan.");
  wrapped_print(text.data, (size_t)printf("  warning: "), 4);
  text_clear(&text);
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
