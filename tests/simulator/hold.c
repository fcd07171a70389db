/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/simulator/hold.h"

#include <stdio.h>
#include <string.h>

#include "solver/prove/proof.h"

static bool is_asked_for(const struct bound *bound, const struct demand *demand) {
  return bound->expression != NULL &&
         (demand->only == NULL || strcmp(bound->name, demand->only) == 0);
}

/* Which bounds to hold, and how many: `holds` by bound id. */
static size_t choose_all(bool *holds, const struct model *model, const struct demand *demand) {
  size_t count = 0;
  for (size_t i = 0; i < model->bounds.count; i++)
    count += holds[i] = is_asked_for(model->bounds.items[i], demand);
  return count;
}

/* Those of which every obligation is discharged. That their events happen is for the runs to show;
 * why others are not proved, or how tight these are, nobody asks. */
static size_t choose_proved(bool *holds, const struct proof *proof, const struct demand *demand) {
  size_t count = 0;
  for (size_t i = 0; i < proof->properties.items.count; i++) {
    const struct property *property = &proof->properties.items.data[i];
    const struct obligation *open;
    if (property->kind == PROPERTY_BOUND && is_asked_for(property->bound, demand) &&
        proof_covers(proof, property, &open))
      count += holds[property->bound->id] = true;
  }
  return count;
}

void hold(struct result *result, const struct model *model, const struct demand *demand,
          const volatile int *stop) {
  bool *holds = mem_alloc(model->bounds.count + 1, sizeof *holds);
  *result = (struct result){.bounds = model->bounds.count};
  if (demand->all) {
    result->held = choose_all(holds, model, demand);
  } else {
    struct proof_options options = {
        .jobs = 1, .limit_ms = demand->limit_ms, .fail_fast = true, .stop = stop};
    struct proof proof;
    proof_init(&proof, model, &options);
    result->undecided = proof.interrupted;
    if (!proof.interrupted && proof.contradiction == NULL)
      result->held = choose_proved(holds, &proof, demand);
    proof_clear(&proof);
  }
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
