/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "measure/profile/interrupt.h"

/* A machine with a clock of its own. */
struct machine {
  uint64_t now, taken;
  bool sampled, refuses; /* refuses: takes no samples */
  unsigned pieces;
  uint64_t cost;        /* ns of a sample */
  unsigned undisturbed; /* one piece in so many; in the others something else runs, too */
};

enum { WORK_NS = 1000000, PERIOD_NS = 100000, ELSE_NS = 3000000 };

static uint64_t now(void *context) {
  return ((struct machine *)context)->now;
}

/* A sample for every tenth of a millisecond that the work had. */
static void work(void *context) {
  struct machine *machine = context;
  machine->now += WORK_NS;
  if (machine->sampled && !machine->refuses) {
    machine->taken += WORK_NS / PERIOD_NS;
    machine->now += WORK_NS / PERIOD_NS * machine->cost;
  }
  if (machine->pieces++ / 2 % machine->undisturbed != 0)
    machine->now += ELSE_NS;
}

static void sample(void *context, bool on) {
  ((struct machine *)context)->sampled = on;
}

static uint64_t samples(void *context) {
  struct machine *machine = context;
  uint64_t taken = machine->taken;
  machine->taken = 0;
  return taken;
}

static struct interrupt_cost cost_on(struct machine machine) {
  return interrupt_cost_find(&(struct interrupt_bench){&machine, now, work, sample, samples});
}

static void test_what_a_sample_costs(void **state) {
  (void)state;
  const uint64_t costs[] = {5000, 12345, 30000, 150000};
  for (size_t i = 0; i < sizeof costs / sizeof *costs; i++) {
    struct interrupt_cost cost = cost_on((struct machine){.cost = costs[i], .undisturbed = 1});
    assert_true(cost.measured);
    assert_in_range(cost.ns, costs[i] - 1, costs[i]);
  }
}

/* Of twenty-five pieces of each kind two are left alone. */
static void test_of_a_busy_machine(void **state) {
  (void)state;
  struct interrupt_cost cost = cost_on((struct machine){.cost = 20000, .undisturbed = 13});
  assert_true(cost.measured);
  assert_in_range(cost.ns, 19999, 20000);
}

static void test_bounds(void **state) {
  (void)state;
  assert_int_equal(cost_on((struct machine){.cost = 10, .undisturbed = 1}).ns, INTERRUPT_LEAST_NS);
  assert_int_equal(cost_on((struct machine){.cost = 900000, .undisturbed = 1}).ns,
                   INTERRUPT_MOST_NS);
}

/* Without samples nothing was measured, and it says so. */
static void test_without_samples(void **state) {
  (void)state;
  struct interrupt_cost cost =
      cost_on((struct machine){.cost = 20000, .undisturbed = 1, .refuses = true});
  assert_false(cost.measured);
  assert_int_equal(cost.ns, INTERRUPT_ASSUMED_NS);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_what_a_sample_costs),
      cmocka_unit_test(test_of_a_busy_machine),
      cmocka_unit_test(test_bounds),
      cmocka_unit_test(test_without_samples),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
