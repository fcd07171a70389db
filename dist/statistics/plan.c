/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/statistics/plan.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "dist/statistics/allocate.h"

enum { ROUNDS = 3, HALVINGS = 7, DOUBLINGS = 20 };
#define SAMPLES_MOST (UINT64_C(1) << 52)

/* One search: the best allocation predicted so far for a budget. */
struct search {
  struct sampling_plan *plan;
  struct text *message;
  enum status status;
  uint64_t budget_ns;
  struct plan_result best;
  uint64_t *best_samples; /* owned */
  double *weights;        /* owned; by how much each component matters, for the exponent 1/2 */
};

static bool is_better(const struct plan_result *a, const struct plan_result *b) {
  if (a->value_ns != b->value_ns)
    return a->value_ns < b->value_ns;
  return a->unseen < b->unseen;
}

static bool predict(struct search *s, struct plan_result *result, const uint64_t *samples) {
  if (s->status == STATUS_OK) {
    s->plan->calls++;
    s->status = s->plan->predict(s->plan->context, result, samples, s->message);
  }
  return s->status == STATUS_OK;
}

static bool try_allocation(struct search *s, const uint64_t *samples) {
  struct plan_result result;
  if (!predict(s, &result, samples))
    return false;
  if (is_better(&result, &s->best)) {
    s->best = result;
    memcpy(s->best_samples, samples, s->plan->count * sizeof *samples);
  }
  return true;
}

/* What is to shrink, as one number: the percentile, or while that is infinite what is unseen. */
static double objective(const struct plan_result *result, bool finite) {
  return finite ? (double)result->value_ns : result->unseen;
}

/* The weight of component i at `samples`, which is as before afterwards: by how much twice as many
 * would lower the objective, or 16 times as many where results, which lie on a grid, do not move
 * for twice; as if it fell with the root. */
static double weigh(struct search *s, uint64_t *samples, size_t i) {
  bool finite = s->best.value_ns != PLAN_INFINITE;
  double weight = 0;
  uint64_t kept = samples[i];
  for (uint64_t times = 2; times <= 16 && weight <= 0 && kept < SAMPLES_MOST; times *= 8) {
    struct plan_result more;
    samples[i] = times * kept;
    if (!predict(s, &more, samples))
      break;
    double gain = objective(&s->best, finite) - objective(&more, finite);
    weight = fmax(0, gain) * sqrt((double)kept) / (1 - 1 / sqrt((double)times));
  }
  samples[i] = kept;
  return weight;
}

/* The weights where the best is. False when more of none would help, or on failure; the weights are
 * then as before. */
static bool measure_weights(struct search *s) {
  struct sampling_plan *plan = s->plan;
  bool any = false;
  uint64_t *samples = mem_alloc(plan->count, sizeof *samples);
  double *weights = mem_alloc(plan->count, sizeof *weights);
  memcpy(samples, s->best_samples, plan->count * sizeof *samples);
  for (size_t i = 0; i < plan->count && s->status == STATUS_OK; i++) {
    weights[i] = weigh(s, samples, i);
    any = any || weights[i] > 0;
  }
  if (any && s->status == STATUS_OK)
    memcpy(s->weights, weights, plan->count * sizeof *weights);
  mem_free(samples);
  mem_free(weights);
  return any && s->status == STATUS_OK;
}

/* The best allocations for the weights, with both exponents. */
static bool try_weights(struct search *s) {
  struct sampling_plan *plan = s->plan;
  double *other = mem_alloc(plan->count, sizeof *other);
  uint64_t *by_root = mem_alloc(plan->count, sizeof *by_root);
  uint64_t *by_whole = mem_alloc(plan->count, sizeof *by_whole);
  for (size_t i = 0; i < plan->count; i++)
    other[i] = s->weights[i] * sqrt((double)s->best_samples[i]);
  allocate(by_root, plan->components, plan->count, s->budget_ns, s->weights, 0.5);
  allocate(by_whole, plan->components, plan->count, s->budget_ns, other, 1);
  bool good = try_allocation(s, by_root) && try_allocation(s, by_whole);
  mem_free(other);
  mem_free(by_root);
  mem_free(by_whole);
  return good;
}

/* As many observations of each as equally many values of the result take. */
static bool try_rows(struct search *s) {
  struct sampling_plan *plan = s->plan;
  double *weights = mem_alloc(plan->count, sizeof *weights);
  uint64_t *samples = mem_alloc(plan->count, sizeof *samples);
  for (size_t i = 0; i < plan->count; i++) {
    double n = (double)plan->components[i].per_row;
    weights[i] = n * n * (double)plan->components[i].cost_ns;
  }
  bool good = !allocate(samples, plan->components, plan->count, s->budget_ns, weights, 1) ||
              try_allocation(s, samples);
  mem_free(weights);
  mem_free(samples);
  return good;
}

/* Starts: equally many times more of each; equal time for each; all to one, where they are few; for
 * equally many values of the result. */
static void try_starts(struct search *s) {
  struct sampling_plan *plan = s->plan;
  enum { FEW = 8 };
  double *weights = mem_alloc(plan->count, sizeof *weights);
  uint64_t *samples = mem_alloc(plan->count, sizeof *samples);
  for (size_t start = 0; start < 2 + (plan->count <= FEW ? plan->count : 0); start++) {
    for (size_t i = 0; i < plan->count; i++) {
      double n = (double)plan->components[i].samples, cost = (double)plan->components[i].cost_ns;
      weights[i] = start == 0 ? n * n * cost : start == 1 ? 1 / cost : i == start - 2;
    }
    allocate(samples, plan->components, plan->count, s->budget_ns, weights, 1);
    if (!try_allocation(s, samples))
      break;
  }
  mem_free(weights);
  mem_free(samples);
  if (s->status == STATUS_OK)
    try_rows(s);
}

static void search_init(struct search *s, struct sampling_plan *plan, uint64_t budget_ns,
                        struct text *message) {
  *s = (struct search){.plan = plan, .message = message, .budget_ns = budget_ns};
  s->best = (struct plan_result){PLAN_INFINITE, INFINITY};
  s->best_samples = mem_alloc(plan->count, sizeof *s->best_samples);
  s->weights = mem_alloc(plan->count, sizeof *s->weights);
  for (size_t i = 0; i < plan->count; i++) {
    double n = (double)plan->components[i].samples, cost = (double)plan->components[i].cost_ns;
    s->best_samples[i] = plan->components[i].samples;
    s->weights[i] = n * sqrt(n) * cost; /* equally many times more of each */
  }
}

static void search_clear(struct search *s) {
  mem_free(s->best_samples);
  mem_free(s->weights);
}

static void search_thoroughly(struct search *s) {
  try_starts(s);
  for (int round = 0; round < ROUNDS && s->plan->count > 1 && s->status == STATUS_OK; round++) {
    struct plan_result before = s->best;
    if (!measure_weights(s) || !try_weights(s))
      break;
    if (round > 0 && !is_better(&s->best, &before))
      break;
  }
}

/* With the weights of a thorough search, for another budget. */
static void search_again(struct search *s, const struct search *model) {
  memcpy(s->weights, model->weights, s->plan->count * sizeof *s->weights);
  memcpy(s->best_samples, model->best_samples, s->plan->count * sizeof *s->best_samples);
  if (try_weights(s))
    try_rows(s);
}

static bool is_reached(const struct sampling_plan *plan, const struct plan_result *result) {
  if (result->value_ns == PLAN_INFINITE)
    return false;
  if (plan->factor == 0 || plan->now.value_ns == PLAN_INFINITE)
    return true;
  return (double)result->value_ns * plan->factor <= (double)plan->now.value_ns;
}

static void keep(struct sampling_plan *plan, const struct search *s) {
  plan->then = s->best;
  plan->spent_ns = 0;
  for (size_t i = 0; i < plan->count; i++) {
    struct plan_component *c = &plan->components[i];
    c->then = s->best_samples[i];
    c->spent_ns = (c->then - c->samples) * c->cost_ns;
    plan->spent_ns += c->spent_ns;
  }
}

/* The goal was met with the budget: meet it with less, by halving the interval. */
static enum status spend_less(struct sampling_plan *plan, const struct search *model,
                              uint64_t least_ns) {
  uint64_t low = least_ns, high = plan->budget_ns;
  enum status status = STATUS_OK;
  for (int i = 0; i < HALVINGS && high - low > high / 64 && status == STATUS_OK; i++) {
    struct search s;
    uint64_t middle = low + (high - low) / 2;
    search_init(&s, plan, middle, model->message);
    search_again(&s, model);
    status = s.status;
    if (status == STATUS_OK && is_reached(plan, &s.best)) {
      high = middle;
      keep(plan, &s);
    } else
      low = middle;
    search_clear(&s);
  }
  return status;
}

/* The goal was not met: a budget that would do. */
static enum status find_needed(struct sampling_plan *plan, const struct search *model) {
  enum status status = STATUS_OK;
  uint64_t low = plan->budget_ns, high = 0;
  for (int i = 0; i < DOUBLINGS + HALVINGS && status == STATUS_OK; i++) {
    if (high == 0 && (i >= DOUBLINGS || low > ALLOCATE_BUDGET_MAX / 2))
      break;
    if (high != 0 && high - low <= high / 16)
      break;
    struct search s;
    uint64_t middle = high == 0 ? 2 * low + (low == 0) : low + (high - low) / 2;
    search_init(&s, plan, middle, model->message);
    search_again(&s, model);
    status = s.status;
    if (status == STATUS_OK && is_reached(plan, &s.best))
      high = middle;
    else
      low = middle;
    search_clear(&s);
  }
  plan->needed_ns = high;
  return status;
}

/* The present, and what no measuring changes. */
static enum status look_around(struct sampling_plan *plan, struct text *message) {
  struct search s = {.plan = plan, .message = message};
  uint64_t *samples = mem_alloc(plan->count, sizeof *samples);
  for (size_t i = 0; i < plan->count; i++)
    samples[i] = plan->components[i].samples;
  if (predict(&s, &plan->now, samples)) {
    for (size_t i = 0; i < plan->count; i++)
      samples[i] = samples[i] > SAMPLES_MOST >> DOUBLINGS ? SAMPLES_MOST : samples[i] << DOUBLINGS;
    predict(&s, &plan->limit, samples);
  }
  mem_free(samples);
  return s.status;
}

/* Once the budget was searched: less if that will do, or how much more. */
static enum status follow_up(struct sampling_plan *plan, const struct search *s,
                             uint64_t least_ns) {
  plan->reached = is_reached(plan, &plan->then);
  if (plan->reached && plan->factor != 0)
    return spend_less(plan, s, least_ns);
  if (!plan->reached && is_reached(plan, &plan->limit))
    return find_needed(plan, s);
  return STATUS_OK;
}

static void keep_present(struct sampling_plan *plan) {
  for (size_t i = 0; i < plan->count; i++) {
    plan->components[i].then = plan->components[i].samples;
    plan->components[i].spent_ns = 0;
  }
  plan->spent_ns = plan->needed_ns = 0;
  plan->reached = false;
  plan->calls = 0;
}

enum status plan_make(struct sampling_plan *plan, struct text *message) {
  keep_present(plan);
  uint64_t least_ns = allocate_least(plan->components, plan->count);
  if (least_ns > plan->budget_ns || plan->budget_ns > ALLOCATE_BUDGET_MAX) {
    if (least_ns > plan->budget_ns)
      text_format(message,
                  "the minimums alone take %.1f s to measure, but the budget is %.1f s; give more "
                  "time or a smaller minimum",
                  (double)least_ns / 1e9, (double)plan->budget_ns / 1e9);
    else
      text_format(message, "the budget is %.3g s, more than a hundred years; give less",
                  (double)plan->budget_ns / 1e9);
    return STATUS_USAGE;
  }
  enum status status = look_around(plan, message);
  if (status == STATUS_OK) {
    struct search s;
    search_init(&s, plan, plan->budget_ns, message);
    search_thoroughly(&s);
    status = s.status;
    if (status == STATUS_OK) {
      keep(plan, &s);
      status = follow_up(plan, &s, least_ns);
    }
    search_clear(&s);
  }
  if (status != STATUS_OK)
    keep_present(plan);
  return status;
}
