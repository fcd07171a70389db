/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/percentiles/endless.h"

#include "base/duration.h"

#include <inttypes.h>

#include "cli/question/percentiles/calculation.h"
#include "dist/statistics/confidence.h"
#include "dist/survival/combine.h"

const struct law_entry *endless_entry(const struct calculation *calculation) {
  const struct laws *laws = &calculation->laws;
  const struct law_entry *worst = NULL;
  double most = 0;
  for (size_t i = 0; i < laws->entries.count; i++) {
    const struct law_entry *entry = laws->entries.data[i];
    if (entry->compose != NULL || entry->sample.beyond == 0)
      continue;
    double share = (double)entry->sample.beyond / (double)entry->sample.total;
    if (share > most) {
      most = share;
      worst = entry;
    }
  }
  return worst;
}

static void take_as_truth(struct survival *law, struct law_entry *entry, const struct grid *grid) {
  survival_init(law, grid);
  confidence_survival(law, &entry->sample, 0);
  if (entry->has_cap)
    survival_cap(law, law, &entry->cap_ns);
  entry->instead[SIDE_UPPER] = law;
}

enum status endless_evaluate(struct survival *result, struct calculation *calculation,
                             enum dependence dependence) {
  struct laws *laws = &calculation->laws;
  *result = (struct survival){.tail = NULL};
  if (calculation->request->laws.count != 0 ||
      (endless_entry(calculation) == NULL && !calculation->grid.is_cut))
    return STATUS_OK;
  struct survival *truths = mem_alloc(laws->entries.count, sizeof *truths);
  for (size_t i = 0; i < laws->entries.count; i++)
    take_as_truth(&truths[i], laws->entries.data[i], &laws->grid);
  enum status status = calculation_try(result, calculation, SIDE_UPPER, dependence);
  for (size_t i = 0; i < laws->entries.count; i++) {
    laws->entries.data[i]->instead[SIDE_UPPER] = NULL;
    survival_clear(&truths[i]);
  }
  mem_free(truths);
  return status;
}

enum endless endless_reason(const struct calculation *calculation, const struct survival *truth,
                            uint64_t tail) {
  if (truth->tail == NULL || survival_infinity(truth) <= tail)
    return ENDLESS_NOT;
  return endless_entry(calculation) != NULL ? ENDLESS_BEYOND : ENDLESS_GRID;
}

const char *endless_name(enum endless endless) {
  static const char *const names[] = {NULL, "beyond", "grid"};
  return names[endless];
}

void endless_explain(struct text *text, const struct calculation *calculation,
                     enum endless endless) {
  const struct grid *grid = &calculation->laws.grid;
  if (endless == ENDLESS_BEYOND) {
    const struct law_entry *entry = endless_entry(calculation);
    if (entry == NULL) {
      text_append(text,
                  "too many rows lack a value that the bound needs. Leave their column out and "
                  "measure it apart, or measure it in every request");
      return;
    }
    text_format(text,
                "%" PRIu64 " of the %" PRIu64 " observations in %s are only known to exceed the "
                "others. Record them with a longer time limit or a larger last bucket",
                entry->sample.beyond, entry->sample.total, entry->path);
  } else if (endless == ENDLESS_GRID) {
    text_append(text, "what was measured adds up to more than ");
    duration_print_lower(text, grid_value_ns(grid, grid_count(grid) - 1));
    text_append(text, ", where the grid ends. Check the units of the measurements");
  }
}
