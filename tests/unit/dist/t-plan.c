/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/statistics/plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <math.h>
#include <string.h>

#include <cmocka.h>

#include "dist/statistics/allocate.h"
#include "dist/statistics/confidence.h"
#include "dist/survival/sum.h"
#include "tests/unit/dist/random.h"
#include "dist/source/sample.h"

enum { MOST = 6 };

/* value = floor + the sum of weights[i] n_i^-exponent; infinite while the sum of seen[i] / n_i
 * exceeds `tail`. */
struct toy {
  size_t count;
  double floor, exponent, weights[MOST], seen[MOST], tail;
  size_t fail_after; /* calls; 0: never */
  size_t calls;
};

static double toy_value(const struct toy *toy, const uint64_t *n) {
  double value = toy->floor;
  for (size_t i = 0; i < toy->count; i++)
    value += toy->weights[i] * pow((double)n[i], -toy->exponent);
  return value;
}

static enum status predict_toy(void *context, struct plan_result *result, const uint64_t *n,
                               struct text *message) {
  struct toy *toy = context;
  if (toy->fail_after != 0 && ++toy->calls >= toy->fail_after) {
    text_append(message, "toy broke");
    return STATUS_DATA;
  }
  double unseen = 0;
  for (size_t i = 0; i < toy->count; i++)
    unseen += toy->seen[i] / (double)n[i];
  result->unseen = unseen;
  result->value_ns = unseen > toy->tail ? PLAN_INFINITE : (uint64_t)toy_value(toy, n);
  return STATUS_OK;
}

static struct sampling_plan plan_of(struct toy *toy, struct plan_component *components,
                                    uint64_t budget_ns) {
  return (struct sampling_plan){.components = components,
                                .count = toy->count,
                                .budget_ns = budget_ns,
                                .predict = predict_toy,
                                .context = toy};
}

static enum status make(struct sampling_plan *plan) {
  struct text message;
  text_init(&message);
  enum status status = plan_make(plan, &message);
  if (status != STATUS_OK)
    print_message("# %s\n", text_get(&message));
  assert_true((status == STATUS_OK) == (message.length == 0));
  text_clear(&message);
  return status;
}

/* Never more than the budget, never less than there is or is asked for, nothing left over. */
static void check_budget(const struct sampling_plan *plan) {
  uint64_t spent = 0, cheapest = UINT64_MAX;
  for (size_t i = 0; i < plan->count; i++) {
    const struct plan_component *c = &plan->components[i];
    assert_true(c->then >= c->samples && c->then >= c->least);
    assert_true(c->spent_ns == (c->then - c->samples) * c->cost_ns);
    spent += c->spent_ns;
    cheapest = c->cost_ns < cheapest ? c->cost_ns : cheapest;
  }
  assert_true(spent == plan->spent_ns && spent <= plan->budget_ns);
  if (plan->factor == 0)
    assert_true(plan->budget_ns - spent < cheapest);
}

/* The optimum of such a sum without lower limits, reached by the multiplier: value at
 * n_i = (w_i / c_i)^(1/(1+g)) scaled to the budget. */
static double optimum(const struct toy *toy, const struct plan_component *c, double budget) {
  double g = toy->exponent, spent = 0, n[MOST], value = toy->floor;
  for (size_t i = 0; i < toy->count; i++) {
    n[i] = pow(toy->weights[i] / (double)c[i].cost_ns, 1 / (1 + g));
    spent += n[i] * (double)c[i].cost_ns;
    budget += (double)c[i].samples * (double)c[i].cost_ns;
  }
  for (size_t i = 0; i < toy->count; i++)
    value += toy->weights[i] * pow(n[i] * budget / spent, -g);
  return value;
}

static void test_known_optimum(void **state) {
  (void)state;
  for (int whole = 0; whole < 2; whole++) {
    struct toy toy = {
        .count = 4, .exponent = whole ? 1 : 0.5, .weights = {1e12, 4e12, 2e11, 9e12}, .tail = 1};
    struct plan_component c[] = {{"a", 100, 0, 1000, 0, 0, 0},
                                 {"b", 100, 0, 90000, 0, 0, 0},
                                 {"c", 100, 0, 5000, 0, 0, 0},
                                 {"d", 100, 0, 7000, 0, 0, 0}};
    struct sampling_plan plan = plan_of(&toy, c, UINT64_C(10000000000));
    assert_int_equal(make(&plan), STATUS_OK);
    check_budget(&plan);
    double best = optimum(&toy, c, 1e10);
    if ((double)plan.then.value_ns > best * 1.001 + 1)
      fail_msg("%g, but %g is possible", (double)plan.then.value_ns, best);
    assert_true((double)plan.then.value_ns >= best * 0.999 - 1); /* nothing is better */
    assert_true(plan.reached && plan.then.value_ns < plan.now.value_ns);
    assert_true(plan.limit.value_ns < plan.then.value_ns);
    assert_true(plan.calls <= 2 + 6 + 3 * (4 + 2));
  }
}

/* Who has enough already gets nothing; whose minimum is more than its share keeps the minimum. */
static void test_minimum_and_surplus(void **state) {
  (void)state;
  struct toy toy = {.count = 3, .exponent = 0.5, .weights = {1e9, 1e9, 1e9}, .tail = 1};
  struct plan_component c[] = {{"rich", 100000000, 0, 1000, 0, 0, 0},
                               {"poor", 100, 0, 1000, 0, 0, 0},
                               {"kept", 100, 900000, 1000, 0, 0, 0}};
  struct sampling_plan plan = plan_of(&toy, c, 1000000000);
  assert_int_equal(make(&plan), STATUS_OK);
  check_budget(&plan);
  assert_true(c[0].then == 100000000);
  assert_true(c[2].then == 900000);
  assert_true(c[1].then == 100 + 1000000 - 899900);
  plan.budget_ns = 899900 * 1000 - 1; /* not even the minimum */
  assert_int_equal(make(&plan), STATUS_USAGE);
  assert_true(c[2].then == 100 && c[1].then == 100);
  plan.budget_ns = 899900 * 1000; /* just the minimum */
  assert_int_equal(make(&plan), STATUS_OK);
  check_budget(&plan);
  assert_true(c[2].then == 900000 && c[1].then == 100);
}

/* Finite comes first: what is unseen of b keeps the result infinite, though a's weight is larger.
 */
static void test_finite_first(void **state) {
  (void)state;
  struct toy toy = {.count = 2,
                    .exponent = 0.5,
                    .floor = 1e6,
                    .weights = {1e9, 1e3},
                    .seen = {1e-3, 10},
                    .tail = 1e-3};
  struct plan_component c[] = {{"a", 1000, 0, 1000000, 0, 0, 0}, {"b", 1000, 0, 1000000, 0, 0, 0}};
  struct sampling_plan plan = plan_of(&toy, c, UINT64_C(12000000000));
  assert_int_equal(make(&plan), STATUS_OK);
  check_budget(&plan);
  assert_true(plan.now.value_ns == PLAN_INFINITE && plan.reached);
  assert_true(c[1].then >= 10000);
  assert_true(plan.then.value_ns != PLAN_INFINITE);
  /* with half the time it stays infinite, and the time that it takes is named: 9 s and a bit */
  plan.budget_ns = UINT64_C(5000000000);
  assert_int_equal(make(&plan), STATUS_OK);
  check_budget(&plan);
  assert_false(plan.reached);
  assert_true(plan.then.value_ns == PLAN_INFINITE && plan.then.unseen < plan.now.unseen);
  assert_in_range(plan.needed_ns, UINT64_C(9000000000), UINT64_C(11000000000));
  toy.tail = 0; /* nothing makes it finite */
  assert_int_equal(make(&plan), STATUS_OK);
  assert_true(!plan.reached && plan.needed_ns == 0);
}

static void test_factor(void **state) {
  (void)state;
  struct toy toy = {.count = 2, .exponent = 0.5, .floor = 0, .weights = {1e9, 1e9}, .tail = 1};
  struct plan_component c[] = {{"a", 100, 0, 1000, 0, 0, 0}, {"b", 100, 0, 1000, 0, 0, 0}};
  struct sampling_plan plan = plan_of(&toy, c, 1000000000);
  plan.factor = 2; /* four times as many of both: 600 more, 0.6 ms */
  assert_int_equal(make(&plan), STATUS_OK);
  check_budget(&plan);
  assert_true(plan.reached);
  assert_true((double)plan.then.value_ns * 2 <= (double)plan.now.value_ns);
  assert_true(plan.spent_ns <= 1000000000 / 64); /* far less than the budget */
  plan.budget_ns = 650000;
  assert_int_equal(make(&plan), STATUS_OK);
  assert_true(plan.reached && plan.spent_ns >= 590000 && plan.spent_ns <= 650000);
  plan.factor = 20; /* 2 * 39900 more: 79.8 ms */
  assert_int_equal(make(&plan), STATUS_OK);
  assert_false(plan.reached);
  assert_in_range(plan.needed_ns, 79000000, 86000000);
  toy.floor = 1e8; /* a factor of 3 is all that measuring can give */
  assert_int_equal(make(&plan), STATUS_OK);
  assert_true(!plan.reached && plan.needed_ns == 0);
}

static void test_failures(void **state) {
  (void)state;
  for (size_t after = 1; after < 30; after++) {
    struct toy toy = {.count = 2, .exponent = 0.5, .weights = {1e9, 3e9}, .tail = 1};
    toy.fail_after = after;
    struct plan_component c[] = {{"a", 100, 0, 1000, 0, 0, 0}, {"b", 100, 0, 1000, 0, 0, 0}};
    struct sampling_plan plan = plan_of(&toy, c, 1000000000);
    struct text message;
    text_init(&message);
    enum status status = plan_make(&plan, &message);
    if (status != STATUS_OK) {
      assert_int_equal(status, STATUS_DATA);
      assert_string_equal(text_get(&message), "toy broke");
      assert_true(c[0].then == 100 && c[1].then == 100 && plan.spent_ns == 0);
    } else
      assert_true(plan.calls < after);
    text_clear(&message);
  }
}

/* Random components: the budget is kept to the last observation. */
static void test_allocation(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 500; seed++) {
    struct random random = {seed};
    struct plan_component c[MOST];
    double weights[MOST];
    uint64_t n[MOST], least, cheapest = UINT64_MAX;
    size_t count = 1 + random_below(&random, MOST);
    for (size_t i = 0; i < count; i++) {
      c[i] = (struct plan_component){
          .samples = 1 + random_below(&random, 100000),
          .least = random_below(&random, 200000),
          .cost_ns = 1 + (random_next(&random) >> 30 >> random_below(&random, 30))};
      weights[i] =
          random_below(&random, 4) == 0 ? 0 : exp((double)random_below(&random, 200) - 100);
      cheapest = c[i].cost_ns < cheapest ? c[i].cost_ns : cheapest;
    }
    least = allocate_least(c, count);
    uint64_t budget = least + (random_next(&random) >> 8 >> random_below(&random, 40));
    bool any = allocate(n, c, count, budget, weights, random_below(&random, 2) ? 0.5 : 1);
    uint64_t spent = 0;
    for (size_t i = 0; i < count; i++) {
      assert_true(n[i] >= c[i].samples && n[i] >= c[i].least);
      spent += (n[i] - c[i].samples) * c[i].cost_ns;
    }
    if (spent > budget || (any && budget - spent >= cheapest))
      fail_msg("seed %lu: %lu of %lu", (unsigned long)seed, (unsigned long)spent,
               (unsigned long)budget);
    assert_true(any || spent == least);
  }
}

/* Real bands: p99 of a + b. */
struct pair {
  struct sample samples[2];
  uint64_t alpha;
};

static enum status predict_pair(void *context, struct plan_result *result, const uint64_t *n,
                                struct text *message) {
  (void)message;
  struct pair *pair = context;
  static const struct grid grid = {.sub_bits = 10, .octaves = 30};
  struct survival laws[2];
  for (int i = 0; i < 2; i++) {
    survival_init(&laws[i], &grid);
    confidence_band_predicted(&laws[i], &pair->samples[i], n[i], pair->alpha, BAND_BOTH);
  }
  survival_add(&laws[0], &laws[0], &laws[1]);
  uint64_t tail = SURVIVAL_ONE / 100;
  result->unseen = (double)survival_infinity(&laws[0]) / (double)SURVIVAL_ONE;
  if (!survival_quantile(&result->value_ns, &laws[0], tail))
    result->value_ns = PLAN_INFINITE;
  survival_clear(&laws[0]);
  survival_clear(&laws[1]);
  return STATUS_OK;
}

static void test_bands(void **state) {
  (void)state;
  struct pair pair = {.alpha = SURVIVAL_ONE / 200};
  struct random random = {4};
  for (int i = 0; i < 2; i++) {
    sample_init(&pair.samples[i]);
    for (size_t j = 0; j < 100000; j++) { /* a smooth shape */
      double y = -log(((double)(random_next(&random) >> 11) + 0.5) * 0x1p-53);
      assert_true(sample_add(&pair.samples[i], (uint64_t)(y * (i == 0 ? 1e6 : 1e3)), 1));
    }
    sample_finish(&pair.samples[i]);
  }
  /* observations of b cost twenty times as much, and matter little */
  struct plan_component c[] = {{"a", 3000, 0, 1000000, 0, 0, 0}, {"b", 3000, 0, 20000000, 0, 0, 0}};
  struct sampling_plan plan = {.components = c,
                               .count = 2,
                               .budget_ns = UINT64_C(60000000000),
                               .predict = predict_pair,
                               .context = &pair};
  assert_int_equal(make(&plan), STATUS_OK);
  check_budget(&plan);
  print_message("# a %lu, b %lu, %lu calls\n", (unsigned long)c[0].then, (unsigned long)c[1].then,
                (unsigned long)plan.calls);
  assert_true(plan.reached && plan.then.value_ns < plan.now.value_ns);
  assert_true(plan.then.value_ns >= plan.limit.value_ns);
  uint64_t best = PLAN_INFINITE, alike = 0;
  for (uint64_t k = 0; k <= 20; k++) { /* k twentieths of the budget for a */
    uint64_t n[2] = {3000 + 3000 * k, 3000 + 150 * (20 - k)};
    struct plan_result result;
    assert_int_equal(predict_pair(&pair, &result, n, NULL), STATUS_OK);
    best = result.value_ns < best ? result.value_ns : best;
  }
  uint64_t n[2] = {3000 + 60000 / 21, 3000 + 60000 / 21}; /* as many more of both */
  struct plan_result result;
  assert_int_equal(predict_pair(&pair, &result, n, NULL), STATUS_OK);
  alike = result.value_ns;
  print_message("# now %lu, alike %lu, planned %lu, best %lu\n", (unsigned long)plan.now.value_ns,
                (unsigned long)alike, (unsigned long)plan.then.value_ns, (unsigned long)best);
  assert_true(plan.then.value_ns < alike);
  assert_true((double)plan.then.value_ns <= 1.02 * (double)best);
  sample_clear(&pair.samples[0]);
  sample_clear(&pair.samples[1]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_known_optimum), cmocka_unit_test(test_minimum_and_surplus),
      cmocka_unit_test(test_finite_first),  cmocka_unit_test(test_factor),
      cmocka_unit_test(test_failures),      cmocka_unit_test(test_allocation),
      cmocka_unit_test(test_bands),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
