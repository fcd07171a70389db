/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/calculate/improve.h"

#include <stdlib.h>

#include "cli/command.h"
#include "dist/survival/combine.h"

enum { FACTOR_STEPS = 1024 };

struct attempt {
  struct calculation *calculation;
  enum dependence dependence;
  const struct rational *share;
  bool finite;
  uint64_t upper_ns;
};

static size_t used_entries(const struct laws *laws) {
  size_t count = 0;
  for (size_t i = 0; i < laws->entries.count; i++)
    count += laws->entries.data[i]->is_used;
  return count;
}

/* The percentile with another law for one entry. */
static enum status with_law(struct attempt *a, struct law_entry *entry,
                            const struct survival *law) {
  if (command_interrupted())
    return STATUS_INTERRUPTED;
  struct survival upper;
  uint64_t tail = 0;
  entry->instead[SIDE_UPPER] = law;
  enum status status = calculation_try(&upper, a->calculation, SIDE_UPPER, a->dependence);
  entry->instead[SIDE_UPPER] = NULL;
  survival_tail_of_side(&tail, a->share, SIDE_UPPER);
  a->upper_ns = 0;
  a->finite = status == STATUS_OK && survival_quantile(&a->upper_ns, &upper, tail);
  survival_clear(&upper);
  return status;
}

static enum status without(struct attempt *a, struct law_entry *entry) {
  struct survival nothing;
  survival_init(&nothing, &a->calculation->laws.grid);
  enum status status = with_law(a, entry, &nothing);
  survival_clear(&nothing);
  return status;
}

static enum status scaled(struct attempt *a, struct law_entry *entry, int64_t steps) {
  struct survival law;
  struct rational factor;
  survival_init(&law, &a->calculation->laws.grid);
  rational_init(&factor);
  rational_set_fraction(&factor, steps, FACTOR_STEPS);
  survival_scale(&law, &entry->band[SIDE_UPPER], &factor);
  enum status status = with_law(a, entry, &law);
  rational_clear(&factor);
  survival_clear(&law);
  return status;
}

/* The largest factor that will do, by bisection: `good` does, `bad` does not. */
static enum status bisect(struct attempt *a, struct improvement *found, struct law_entry *entry,
                          const struct slo *slo) {
  enum status status = scaled(a, entry, 0);
  if (status != STATUS_OK || !a->finite || !slo_allows(slo, a->upper_ns)) {
    found->kind = IMPROVE_SAMPLES;
    return status;
  }
  int64_t good = 0, bad = FACTOR_STEPS;
  while (bad - good > 1 && status == STATUS_OK) {
    int64_t middle = (good + bad) / 2;
    status = scaled(a, entry, middle);
    if (a->finite && slo_allows(slo, a->upper_ns))
      good = middle;
    else
      bad = middle;
  }
  found->kind = IMPROVE_FACTOR;
  found->factor = (double)good / FACTOR_STEPS;
  return status;
}

enum status improve_for(improvement_list *list, struct calculation *calculation,
                        enum dependence dependence, const struct slo *slo) {
  struct laws *laws = &calculation->laws;
  struct attempt a = {calculation, dependence, &slo->percentile.share, false, 0};
  enum status status = STATUS_OK;
  bool models = laws->use_models;
  if (used_entries(laws) > IMPROVE_MOST)
    return STATUS_OK;
  laws->use_models = false;
  for (size_t i = 0; i < laws->entries.count && status == STATUS_OK; i++) {
    struct law_entry *entry = laws->entries.data[i];
    if (!entry->is_used)
      continue;
    struct improvement found = {.name = entry->name, .kind = IMPROVE_NEVER};
    status = without(&a, entry);
    if (status == STATUS_OK && a.finite && slo_allows(slo, a.upper_ns))
      status = bisect(&a, &found, entry, slo);
    vector_push(list, found);
  }
  laws->use_models = models;
  return status;
}

static int by_drop(const void *left, const void *right) {
  const struct contribution *a = left, *b = right;
  return a->drop_ns < b->drop_ns ? 1 : a->drop_ns > b->drop_ns ? -1 : 0;
}

enum status improve_contributions(contribution_list *list, struct calculation *calculation,
                                  enum dependence dependence, const struct survival *upper,
                                  const struct rational *share) {
  struct laws *laws = &calculation->laws;
  struct attempt a = {calculation, dependence, share, false, 0};
  uint64_t tail = 0, now_ns = 0;
  survival_tail_of_side(&tail, share, SIDE_UPPER);
  bool finite = survival_quantile(&now_ns, upper, tail);
  enum status status = STATUS_OK;
  if (used_entries(laws) > IMPROVE_MOST)
    return STATUS_OK;
  for (size_t i = 0; i < laws->entries.count && status == STATUS_OK; i++) {
    struct law_entry *entry = laws->entries.data[i];
    if (!entry->is_used)
      continue;
    status = without(&a, entry);
    uint64_t drop_ns = finite && a.finite && a.upper_ns < now_ns ? now_ns - a.upper_ns : 0;
    vector_push(list, (struct contribution){entry->name, a.finite, a.upper_ns, drop_ns});
  }
  if (list->count != 0)
    qsort(list->data, list->count, sizeof *list->data, by_drop);
  return status;
}
