/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/simulator/hold.h"

#include <stdio.h>
#include <string.h>

#include "solver/verify.h"

static bool is_asked_for(const struct bound *bound, const struct demand *demand) {
  return bound->expression != NULL &&
         (demand->only == NULL || strcmp(bound->name, demand->only) == 0);
}

/* Which bounds to hold, and how many: `holds` by bound id. */
static size_t choose(bool *holds, const struct model *model, const struct demand *demand) {
  size_t count = 0;
  for (size_t i = 0; demand->all && i < model->bounds.count; i++)
    count += holds[i] = is_asked_for(model->bounds.items[i], demand);
  if (demand->all)
    return count;
  struct verify_options options = {
      .jobs = 1, .limit_ms = demand->limit_ms, .search_seconds = 1, .fail_fast = true};
  struct verification verification;
  verification_init(&verification, model, &options);
  for (size_t i = 0; i < verification.bounds.count; i++) {
    const struct bound_report *report = &verification.bounds.data[i];
    if (report->verdict == VERDICT_PROVED && is_asked_for(report->bound, demand))
      count += holds[report->bound->id] = true;
  }
  verification_clear(&verification);
  return count;
}

void hold(struct result *result, const struct model *model, const struct demand *demand) {
  bool *holds = mem_alloc(model->bounds.count + 1, sizeof *holds);
  *result = (struct result){.bounds = model->bounds.count};
  result->held = choose(holds, model, demand);
  if (result->held > 0)
    simulate(&result->outcome, model, holds, &demand->simulation);
  mem_free(holds);
}

void result_print(const struct result *result, const char *name) {
  const struct outcome *outcome = &result->outcome;
  printf("%s: %zu of %zu bounds held; %zu runs, %zu events, %zu of them at the bound, %zu broken\n",
         name, result->held, result->bounds, outcome->runs, outcome->reached, outcome->attained,
         outcome->breaches);
  if (outcome->mistake != NULL)
    printf("  %zu runs end early: %s\n", outcome->mistakes, outcome->mistake);
  if (outcome->breach != NULL)
    printf("%s", outcome->breach);
}

enum status result_status(size_t broken, size_t events) {
  if (broken > 0)
    return STATUS_REFUTED;
  return events == 0 ? STATUS_UNKNOWN : STATUS_OK;
}
