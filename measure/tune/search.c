/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/tune/search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"

enum { BLOCKS_EACH = 2, BLOCKS_LAST = 3, AS_IT_IS = UINT32_MAX };

struct tune_search {
  const struct tune_request *request;
  struct tune_answer *answer;
  struct random random;
  enum tune_phase phase;
  size_t most;
  bool stopped;
};

#define VARIANT_GAIN 0.05 /* of a logarithm */

static const struct heap_setting as_it_is;

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

double tune_median(double *values, size_t count) {
  if (count == 0)
    return 0;
  qsort(values, count, sizeof *values, by_value);
  return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

/* --- blocks --- */

static bool is_left(const struct tune_tried *tried) {
  return !tried->unusable && !tried->dropped;
}

static size_t count_left(const struct tune_search *search) {
  size_t left = 0;
  for (size_t i = 0; i < search->answer->tried.count; i++)
    left += is_left(&search->answer->tried.data[i]);
  return left;
}

/* One run; false when there is no measurement. */
static bool measure(struct tune_search *search, uint32_t which, struct tune_measured *measured) {
  struct tune_tried *tried = which == AS_IT_IS ? NULL : &search->answer->tried.data[which];
  const struct tune_step step = {.phase = search->phase,
                                 .setting = tried == NULL ? &as_it_is : &tried->setting,
                                 .done = search->answer->runs++,
                                 .most = search->most};
  enum tune_outcome outcome = search->request->measure(search->request->context, &step, measured);
  search->stopped =
      search->stopped || outcome == TUNE_STOPPED || (outcome == TUNE_UNUSABLE && tried == NULL);
  if (outcome == TUNE_UNUSABLE && tried != NULL)
    tried->unusable = true;
  return outcome == TUNE_MEASURED;
}

/* What is left and the server as it is, in an order that is drawn; as many as `count`. */
static uint32_t *block_order(struct tune_search *search, size_t *count) {
  uint32_t *order = mem_alloc(search->answer->tried.count + 1, sizeof *order);
  *count = 0;
  order[(*count)++] = AS_IT_IS;
  for (uint32_t i = 0; i < search->answer->tried.count; i++)
    if (is_left(&search->answer->tried.data[i]))
      order[(*count)++] = i;
  random_shuffle(&search->random, order, *count);
  return order;
}

static void run_block(struct tune_search *search) {
  size_t count;
  uint32_t *order = block_order(search, &count);
  struct tune_measured *measured = mem_alloc(search->answer->tried.count, sizeof *measured);
  struct tune_measured base = {0};
  for (size_t i = 0; i < count && !search->stopped; i++)
    measure(search, order[i], order[i] == AS_IT_IS ? &base : &measured[order[i]]);
  for (size_t i = 0; i < count && !search->stopped; i++) {
    if (order[i] == AS_IT_IS || search->answer->tried.data[order[i]].unusable)
      continue;
    struct tune_tried *tried = &search->answer->tried.data[order[i]];
    vector_push(&tried->ratios, log(measured[order[i]].metric / base.metric));
    vector_push(&tried->memory, measured[order[i]].memory);
  }
  mem_free(measured);
  mem_free(order);
}

static double worth(const struct tune_tried *tried) {
  double *copy = mem_alloc(tried->ratios.count, sizeof *copy);
  memcpy(copy, tried->ratios.data, tried->ratios.count * sizeof *copy);
  double median = tune_median(copy, tried->ratios.count);
  mem_free(copy);
  return median;
}

/* The one of least (or greatest) worth of those left; there is one. */
static size_t extreme(const struct tune_search *search, bool greatest) {
  size_t found = SIZE_MAX;
  for (size_t i = 0; i < search->answer->tried.count; i++) {
    const struct tune_tried *tried = &search->answer->tried.data[i];
    if (!is_left(tried))
      continue;
    double gap = found == SIZE_MAX ? 0 : worth(tried) - worth(&search->answer->tried.data[found]);
    if (found == SIZE_MAX || (greatest ? gap > 0 : gap < 0))
      found = i;
  }
  return found;
}

static void drop_until(struct tune_search *search, size_t left) {
  while (count_left(search) > left)
    search->answer->tried.data[extreme(search, true)].dropped = true;
}

static void add(struct tune_search *search, struct heap_setting setting) {
  struct tune_tried tried = {.setting = setting};
  vector_push(&search->answer->tried, tried);
}

/* --- the three phases --- */

static void search_sizes(struct tune_search *search) {
  search->phase = TUNE_SIZES;
  for (size_t i = 0; i < search->request->size_count; i++)
    add(search, (struct heap_setting){.semi = search->request->sizes[i]});
  while (count_left(search) > 1 && !search->stopped) {
    size_t before = count_left(search), blocks = before == 2 ? BLOCKS_LAST : BLOCKS_EACH;
    for (size_t i = 0; i < blocks && !search->stopped; i++)
      run_block(search);
    if (!search->stopped)
      drop_until(search, (before + 1) / 2);
  }
}

/* The best of size and variants; a variant only if it is better by more than a little, as the
 * fewest options are the easiest to keep. */
static void choose_variant(struct tune_search *search, size_t base) {
  struct tune_tried *tried = search->answer->tried.data;
  size_t best = extreme(search, false);
  if (!tried[base].unusable && worth(&tried[base]) < worth(&tried[best]) + VARIANT_GAIN)
    best = base;
  for (size_t i = 0; i < search->answer->tried.count; i++)
    tried[i].dropped = tried[i].dropped || i != best;
}

/* The ratios of the size before count no more: it was chosen by them. */
static void search_variants(struct tune_search *search) {
  if (search->stopped || count_left(search) == 0)
    return;
  search->phase = TUNE_VARIANTS;
  size_t best = extreme(search, false);
  struct heap_setting base = search->answer->tried.data[best].setting;
  if (search->request->has_min)
    add(search, (struct heap_setting){.semi = base.semi, .semi_min = base.semi});
  for (size_t i = 0; i < search->request->old_count; i++)
    add(search, (struct heap_setting){.semi = base.semi, .old = search->request->olds[i]});
  if (count_left(search) == 1)
    return;
  search->answer->tried.data[best].ratios.count = 0;
  for (size_t i = 0; i < BLOCKS_LAST && !search->stopped; i++)
    run_block(search);
  if (!search->stopped && count_left(search) > 0)
    choose_variant(search, best);
}

/* Both once, in an order that is drawn; false without both measurements. */
static bool run_pair(struct tune_search *search) {
  struct tune_answer *answer = search->answer;
  struct tune_measured base, best;
  bool base_first = random_below(&search->random, 2) == 0;
  bool both = base_first && measure(search, AS_IT_IS, &base);
  both = (both || !base_first) && measure(search, (uint32_t)answer->best, &best);
  both = both && (base_first || measure(search, AS_IT_IS, &base));
  if (!both)
    return false;
  vector_push(&answer->pairs, log(best.metric / base.metric));
  vector_push(&answer->metrics_as_is, base.metric);
  vector_push(&answer->metrics_best, best.metric);
  vector_push(&answer->memory_as_is, base.memory);
  vector_push(&answer->memory_best, best.memory);
  return true;
}

/* Whether the pairs until now decide, or promise nothing any more. */
static bool look(struct tune_search *search, const struct paired_look *at) {
  struct tune_answer *answer = search->answer;
  struct paired_interval log_ratio = paired_interval(answer->pairs.data, answer->pairs.count, at);
  answer->has_ratio = true;
  answer->ratio =
      (struct paired_interval){exp(log_ratio.least), exp(log_ratio.value), exp(log_ratio.most)};
  if (log_ratio.most < 0)
    answer->verdict = TUNE_BETTER;
  return log_ratio.most < 0 || log_ratio.value >= 0;
}

static void search_pairs(struct tune_search *search) {
  struct paired_plan plan;
  if (search->stopped || count_left(search) == 0)
    return;
  search->phase = TUNE_PAIRS;
  search->answer->best = extreme(search, false);
  search->answer->verdict = TUNE_NO_GAIN;
  paired_plan_make(&plan, TUNE_PAIRS_LEAST, TUNE_PAIRS_STEP, search->request->pairs,
                   search->request->alpha);
  for (size_t i = 0; i < plan.count; i++) {
    while (search->answer->pairs.count < plan.looks[i].pairs)
      if (!run_pair(search))
        return;
    if (look(search, &plan.looks[i]))
      return;
  }
}

/* Runs if nothing is dropped as unusable and every pair is needed. */
static size_t runs_most(const struct tune_request *request) {
  size_t runs = 2 * request->pairs, left = request->size_count;
  size_t variants = (request->has_min ? 1 : 0) + request->old_count;
  for (; left > 1; left = (left + 1) / 2)
    runs += (left + 1) * (left == 2 ? BLOCKS_LAST : BLOCKS_EACH);
  return runs + (variants == 0 ? 0 : (variants + 2) * BLOCKS_LAST);
}

void tune_search(struct tune_answer *answer, const struct tune_request *request) {
  *answer = (struct tune_answer){.verdict = TUNE_NOTHING};
  struct tune_search search = {
      .request = request, .answer = answer, .random = {request->seed}, .most = runs_most(request)};
  search_sizes(&search);
  search_variants(&search);
  search_pairs(&search);
  if (search.stopped)
    answer->verdict = TUNE_GIVEN_UP;
}

void tune_answer_clear(struct tune_answer *answer) {
  for (size_t i = 0; i < answer->tried.count; i++) {
    vector_clear(&answer->tried.data[i].ratios);
    vector_clear(&answer->tried.data[i].memory);
  }
  vector_clear(&answer->tried);
  vector_clear(&answer->pairs);
  vector_clear(&answer->metrics_as_is);
  vector_clear(&answer->metrics_best);
  vector_clear(&answer->memory_as_is);
  vector_clear(&answer->memory_best);
}
