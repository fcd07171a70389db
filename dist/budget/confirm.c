/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/budget/confirm.h"

#include "base/memory.h"
#include "dist/evaluate/evaluate.h"

enum { SUB_BITS = 13, OCTAVES_MOST = 62 - SUB_BITS };

struct worst {
  const struct confirm_request *request;
  struct survival *laws; /* by part */
};

static enum status find(void *context, size_t *law, const struct survival **survival,
                        const struct occurrence *occurrence, const char *component,
                        struct text *message) {
  (void)component;
  (void)message;
  const struct worst *worst = context;
  *law = worst->request->part_of[occurrence->id];
  *survival = &worst->laws[*law];
  return STATUS_OK;
}

static size_t one_group(void *context, const struct occurrence *occurrence) {
  (void)context;
  (void)occurrence;
  return 0;
}

/* At a limit that it promises, the next one, or never. */
static void set_worst(struct survival *law, const struct promise *promise) {
  size_t from = grid_index_upper(&law->grid, promise->limit_ns);
  for (size_t k = from; k < grid_count(&law->grid); k++)
    if (promise->miss < law->tail[k])
      law->tail[k] = promise->miss;
}

static void set_law(struct survival *law, const struct confirm_request *request, size_t part) {
  for (size_t k = 0; k < grid_count(&law->grid); k++)
    law->tail[k] = SURVIVAL_ONE;
  set_worst(law, &request->promises[part]);
  for (size_t i = 0; request->also != NULL && i < request->also[part].count; i++)
    set_worst(law, &request->also[part].data[i]);
}

static struct grid grid_for(uint64_t reach, unsigned coarse) {
  struct grid grid = {.sub_bits = SUB_BITS - coarse, .octaves = 1};
  while (grid.octaves < OCTAVES_MOST && grid_value_ns(&grid, grid_count(&grid) - 1) < reach)
    grid.octaves++;
  return grid;
}

double confirm_margin(const struct expression *expression) {
  return (evaluate_cost(expression).depth + 1) / (double)(1 << SUB_BITS);
}

enum status confirm(uint64_t *above, const struct confirm_request *request, struct text *message) {
  int64_t last = 0;
  bool fits = request->strict ? rational_ceil(&last, request->objective_ns)
                              : rational_floor(&last, request->objective_ns);
  *above = SURVIVAL_ONE;
  if (!fits || last < 1) {
    text_append(message, "the objective's time is beyond all that can be calculated");
    return STATUS_USAGE;
  }
  last -= request->strict;
  const struct grid grid = grid_for((uint64_t)last, request->coarse);
  struct worst worst = {request, mem_alloc(request->part_count + 1, sizeof *worst.laws)};
  for (size_t g = 0; g < request->part_count; g++) {
    survival_init(&worst.laws[g], &grid);
    set_law(&worst.laws[g], request, g);
  }
  const struct evaluate_laws laws = {.find = find,
                                     .context = &worst,
                                     .group = request->independent ? NULL : one_group,
                                     .jobs = request->jobs};
  struct survival result;
  struct ledger unused;
  ledger_init(&unused);
  survival_init(&result, &grid);
  enum status status =
      evaluate_survival(&result, request->expression, &laws, false, &unused, message);
  if (status == STATUS_OK)
    *above = survival_tail(&result, (uint64_t)last);
  survival_clear(&result);
  ledger_clear(&unused);
  for (size_t g = 0; g < request->part_count; g++)
    survival_clear(&worst.laws[g]);
  mem_free(worst.laws);
  return status;
}
