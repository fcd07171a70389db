/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/budget/budget.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "cli/question/budget/costs.h"
#include "cli/question/budget/curves.h"
#include "cli/question/budget/deadlines.h"
#include "cli/question/budget/parts.h"
#include "cli/question/budget/quorums.h"
#include "cli/question/percentiles/dependence.h"
#include "dist/budget/confirm.h"

enum { ALONE_MOST = 32 }; /* parts whose room alone is looked for; with more none is */

static enum status read_objective(struct budget *b) {
  const struct budget_request *request = b->request;
  if (request->slo.count != 1)
    return asker_fail(request->of.asker, STATUS_USAGE,
                      "name the one objective of the whole: --slo 'p99<50ms'");
  enum status status = slo_read(&b->slos, request->slo.data[0], request->of.asker);
  if (status == STATUS_OK)
    survival_tail_of(&b->chance, &b->slos.data[0].percentile.share);
  return status;
}

/* --- the search ------------------------------------------------------------------------------- */

struct split_run {
  struct split_part *parts;
  struct split_request request;
  struct rational objective_ns; /* less what the evaluators' roundings may take */
};

static void set_parts(struct split_run *run, const struct budget *b) {
  for (size_t g = 0; g < b->parts.count; g++) {
    const struct budget_part *part = &b->parts.data[g];
    run->parts[g] = (struct split_part){part->points, part->point_count, part->weight};
  }
}

static void set_objective(struct split_run *run, const struct budget *b) {
  double margin = confirm_margin(b->calculation.expression);
  struct rational share;
  rational_init(&share);
  rational_init(&run->objective_ns);
  rational_set_fraction(&share, (int64_t)floor((1 - margin) * (1 << 30)), 1 << 30);
  rational_mul(&run->objective_ns, &b->slos.data[0].limit_ns, &share);
  rational_clear(&share);
}

static enum status run_init(struct split_run *run, struct budget *b) {
  *run = (struct split_run){.parts = mem_alloc(b->parts.count + 1, sizeof *run->parts)};
  set_objective(run, b);
  set_parts(run, b);
  run->request = (struct split_request){.terms = &b->nodes,
                                        .parts = run->parts,
                                        .part_count = b->parts.count,
                                        .objective_ns = &run->objective_ns,
                                        .strict = b->slos.data[0].strict,
                                        .chance = b->chance,
                                        .independent = b->request->independent,
                                        .keep_points = b->request->round};
  struct text message;
  text_init(&message);
  enum status status =
      budget_nodes_make(&b->nodes, b->calculation.expression,
                        b->calculation.table.occurrences.count, b->part_of.data, &message);
  if (status != STATUS_OK)
    asker_fail(b->request->of.asker, status, "%s", text_get(&message));
  text_clear(&message);
  return status;
}

static void run_clear(struct split_run *run) {
  mem_free(run->parts);
  rational_clear(&run->objective_ns);
}

/* Down to three digits, unless they stay those of points. */
static uint64_t shortened(uint64_t miss) {
  uint64_t unit = 1;
  while (miss / unit >= 1000)
    unit *= 10;
  return miss / unit * unit;
}

static void take(struct budget *b, const struct split_found *split) {
  for (size_t g = 0; g < b->parts.count; g++) {
    struct budget_part *part = &b->parts.data[g];
    if (part->is_fixed)
      continue;
    part->base_ns = split->base_ns[g];
    part->settled = split->promises[g];
    part->promise.miss =
        b->request->round ? split->promises[g].miss : shortened(split->promises[g].miss);
  }
  curves_set(b, b->room);
}

/* --- what it makes ---------------------------------------------------------------------------- */

static struct promise *promises_of(const struct budget *b) {
  struct promise *promises = mem_alloc(b->parts.count + 1, sizeof *promises);
  for (size_t g = 0; g < b->parts.count; g++)
    promises[g] = b->parts.data[g].promise;
  return promises;
}

/* The sum of what is spent; `last`: it is the one that is told. */
static void add_up(struct budget *b, bool last) {
  struct spending spending;
  struct rational value;
  struct promise *promises = promises_of(b);
  uint64_t *misses = mem_alloc(b->parts.count + 1, sizeof *misses);
  for (size_t g = 0; g < b->parts.count; g++)
    misses[g] = promises[g].miss;
  rational_init(&value);
  spending_init(&spending, &b->nodes, b->request->independent);
  spending_exact(&value, &spending, promises);
  int order = rational_compare(&value, &b->slos.data[0].limit_ns);
  b->within = b->slos.data[0].strict ? order < 0 : order <= 0;
  b->spent = spending_total(&spending, misses);
  for (size_t g = 0; g < b->parts.count; g++)
    if (!b->parts.data[g].is_fixed)
      promises[g].limit_ns = (uint64_t)ceil(b->parts.data[g].base_ns);
  spending_exact(&value, &spending, promises);
  b->without_room_ns = rational_double(&value);
  if (last)
    quorums_add(b, &spending);
  spending_clear(&spending);
  rational_clear(&value);
  mem_free(misses);
  mem_free(promises);
}

static bool suffices(const struct budget *b) {
  return b->confirmed <= b->chance || (!b->by_curves && b->within && b->spent <= b->chance);
}

/* Shorter limits are of faster parts, and yet may spend more: a branch that became faster than its
 * order statistic's others leaves these out of the count. Then they stay as the search left them. */
static enum status conclude(struct budget *b) {
  add_up(b, false);
  enum status status = curves_confirm(&b->confirmed, b, 0);
  if (status == STATUS_OK && !suffices(b) && b->request->costs == NULL && !b->by_curves) {
    for (size_t g = 0; g < b->parts.count; g++)
      if (!b->parts.data[g].is_fixed) {
        b->parts.data[g].promise = b->parts.data[g].settled;
        b->parts.data[g].is_edge = false;
      }
    add_up(b, false);
    status = curves_confirm(&b->confirmed, b, 0);
  }
  b->found = status == STATUS_OK && suffices(b);
  if (b->found)
    add_up(b, true);
  return status;
}

/* The room of each part if all others stay as they are. */
static void find_alone(struct budget *b, struct split_run *run) {
  if (b->parts.count > ALONE_MOST)
    return;
  run->request.rough = true;
  for (size_t g = 0; g < b->parts.count && !asker_stopped(b->request->of.asker); g++) {
    struct budget_part *part = &b->parts.data[g];
    if (part->is_fixed)
      continue;
    for (size_t h = 0; h < b->parts.count; h++)
      run->parts[h].weight = h == g ? 1 : 0;
    struct split_found split;
    split_find(&split, &run->request);
    part->has_alone = split.found;
    part->alone = split.room;
    split_clear(&split);
  }
  set_parts(run, b);
}

/* Whether the rows that were measured can be of independent occurrences. */
static void look_at_dependence(struct budget *b) {
  if (!b->request->independent)
    return;
  struct text text;
  struct dependence_test test;
  text_init(&text);
  dependence_test(&test, &b->calculation);
  b->is_refuted_independent = test.pairs.count != 0;
  if (b->is_refuted_independent) {
    dependence_print(&text, &test);
    ledger_warn(&b->calculation.ledger, LEDGER_DATA,
                "the promises rest on independence, but not independent are %s; without "
                "--dependence independent they hold for any dependence",
                text_get(&text));
  }
  ledger_note(&b->calculation.ledger, LEDGER_DIST,
              "all occurrences are independent (asserted with --dependence independent)");
  dependence_clear(&test);
  text_clear(&text);
}

/* What whole requests were measured to take. */
static enum status look_at_rows(struct budget *b) {
  struct calculation *calculation = &b->calculation;
  if (!calculation->draws.by_request)
    return STATUS_OK;
  struct estimate estimate;
  enum status status = estimate_make(&estimate, calculation, DEPENDENCE_UNKNOWN);
  b->has_joint = status == STATUS_OK;
  if (b->has_joint)
    b->joint = estimate_at(&estimate, calculation, &b->slos.data[0].percentile.share, false);
  estimate_clear(&estimate);
  return status;
}

static enum status split_and_check(struct budget *b, struct split_run *run) {
  if (b->request->costs != NULL) {
    enum status status = costs_choose(b, &b->nodes);
    return status == STATUS_OK && b->found ? conclude(b) : status;
  }
  struct split_found split;
  split_find(&split, &run->request);
  b->found = split.found;
  b->room = split.room;
  if (split.found)
    take(b, &split);
  split_clear(&split);
  if (!b->found)
    return STATUS_OK;
  enum status status = b->request->also == NULL ? STATUS_OK : curves_widen(b);
  return status == STATUS_OK ? conclude(b) : status;
}

static enum status judge(const struct budget *b) {
  if (!b->found || b->room_left < 0)
    return STATUS_REFUTED;
  enum status status = STATUS_OK;
  if (calculation_assumes_draws(&b->calculation))
    status = STATUS_CONDITIONAL;
  if (calculation_wanders(&b->calculation))
    status = STATUS_OF_RUN;
  if (b->request->independent && status == STATUS_OK)
    status = STATUS_CONDITIONAL;
  if (!laws_are_settled(&b->calculation.laws) || b->is_refuted_independent)
    status = STATUS_UNKNOWN;
  for (size_t g = 0; g < b->parts.count; g++) {
    const struct budget_part *part = &b->parts.data[g];
    if (part->lower > part->promise.miss)
      return STATUS_REFUTED;
    if (part->upper > part->promise.miss)
      status = STATUS_UNKNOWN;
  }
  return status;
}

static enum status prepare(struct budget *b) {
  enum status status = read_objective(b);
  if (status == STATUS_OK) {
    status = calculation_init(&b->calculation, &b->request->of);
    b->has_calculation = true;
  }
  if (status == STATUS_OK)
    status = parts_make(b);
  return status;
}

enum status budget_ask(struct budget *b, const struct budget_request *request) {
  *b = (struct budget){.request = request};
  arena_init(&b->nodes.arena);
  struct split_run run = {0};
  enum status status = prepare(b);
  if (status == STATUS_OK) {
    status = run_init(&run, b);
    if (status == STATUS_OK)
      status = split_and_check(b, &run);
    if (status == STATUS_OK && b->found)
      status = parts_look(b);
    if (status == STATUS_OK && b->found && request->costs == NULL)
      find_alone(b, &run);
    if (status == STATUS_OK && b->found)
      status = look_at_rows(b);
    run_clear(&run);
  }
  if (status == STATUS_OK && b->found)
    look_at_dependence(b);
  if (status == STATUS_OK)
    status = calculation_prove(&b->calculation);
  if (status != STATUS_OK)
    b->found = false;
  if (b->found)
    deadlines_find(b);
  b->status = status == STATUS_OK ? judge(b) : status;
  return b->status;
}

void budget_clear(struct budget *b) {
  budget_nodes_clear(&b->nodes);
  parts_clear(b);
  quorums_clear(b);
  vector_clear(&b->deadlines);
  slo_clear(&b->slos);
  if (b->has_calculation)
    calculation_clear(&b->calculation);
}
