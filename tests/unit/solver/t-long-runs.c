/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What makes long executions cheap changes nothing: a world with an index offers the same steps and
 * comes to the same times as one without, and limits that are followed from request to request are
 * those that are evaluated one by one. How many had to be evaluated is counted.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/text.h"
#include "loaded.h"
#include "solver/judge/event.h"
#include "solver/judge/limits.h"
#include "solver/judge/replay.h"
#include "solver/judge/world_index.h"
#include "solver/simulate/machines.h"

enum { CLIENTS = 3, REQUESTS = 12, SEEDS = 6 };

/* Timing, the channel of requests and the bound are filled in. Hints are lost, left or heeded. */
static const char one_text[] = "protocol p\n"
                               "timing %s\n"
                               "param T : time\n"
                               "param n : int >= 1\n"
                               "role client\n"
                               "role server\n"
                               "role user\n"
                               "component Gap[int]\n"
                               "component Serve[int]\n"
                               "delay d\n"
                               "message Request(k: int) : client -> server %s\n"
                               "message Hint(k: int) : client -> server loses n\n"
                               "message Reply(k: int) : server -> user fifo\n"
                               "state client { asked : int = 0 }\n"
                               "state user { seen : int = 0 }\n"
                               "action client.Ask cost Gap[asked + 1] {\n"
                               "  asked := asked + 1\n"
                               "  send Hint(-asked)\n"
                               "  send Request(asked)\n"
                               "}\n"
                               "action server.Work on Request(k) cost Serve[k] { send Reply(k) }\n"
                               "action server.Heed on Hint(k) { when k < -2 }\n"
                               "action user.See on Reply(k) { seen := seen + 1 }\n"
                               "bound reply: from sent Request(k) sent Reply(k) within %s\n";

static const char several_text[] =
    "protocol p\n"
    "timing %s\n"
    "param T : time\n"
    "param n : int >= 1\n"
    "role client[n]\n"
    "role server\n"
    "component Gap[client, int]\n"
    "component Serve[client, int]\n"
    "delay d\n"
    "message Request(k: int, c: client) : client c -> server %s\n"
    "message Reply(c: client, k: int) : server -> client c fifo\n"
    "state client { asked : int = 0 }\n"
    "action client c.Ask cost Gap[c, asked + 1] {\n"
    "  asked := asked + 1\n"
    "  send Request(asked, c)\n"
    "}\n"
    "action server.Work on Request(k, c) cost Serve[c, k] { send Reply(c, k) }\n"
    "action client c.Take on Reply(c, k) { }\n"
    "bound reply: from sent Request(k, c) sent Reply(c, k) within %s\n";

struct uniform {
  struct random random;
  struct rational period;
};

/* Ties are frequent; now and then something never ends. */
static bool draw(void *context, const struct component *component,
                 const struct occurrence *occurrence, int64_t *ns) {
  struct uniform *uniform = context;
  (void)component;
  (void)occurrence;
  *ns = (int64_t)random_below(&uniform->random, 8);
  if (random_below(&uniform->random, 64) == 0)
    *ns = MACHINES_ENDLESS;
  return true;
}

static const struct rational *bare(void *context, const struct component *component) {
  struct uniform *uniform = context;
  return component->kind == COMPONENT_CONSTANT ? &uniform->period : NULL;
}

/* --- the same limits -------------------------------------------------------------------------- */

struct comparing {
  const struct bound *bound;
  struct limits limits;
  size_t compared;
};

static bool compare_limits(const struct interpretation *e, void *context) {
  struct comparing *c = context;
  struct rational followed, evaluated;
  rational_init(&followed);
  rational_init(&evaluated);
  bool known = limits_at(&followed, &c->limits);
  assert_int_equal(known, event_limit(&evaluated, e, c->bound));
  if (known && rational_compare(&followed, &evaluated) != 0) {
    struct text text;
    text_init(&text);
    text_format(&text, "%s, choice %zu: ", c->bound->expression_text, c->compared);
    rational_print(&text, &followed);
    text_append(&text, " is to be ");
    rational_print(&text, &evaluated);
    fail_msg("%s", text_get(&text));
  }
  c->compared++;
  rational_clear(&followed);
  rational_clear(&evaluated);
  return true;
}

/* How many limits were evaluated. */
static size_t compare(struct machines *m, const struct world *world, size_t *compared) {
  int64_t *bindings = mem_alloc(m->interpreter->model->variable_count, sizeof *bindings);
  struct valuation valuation = values_valuation(&m->values);
  struct interpretation e = {
      .interpreter = m->interpreter, .world = world, .valuation = &valuation, .bindings = bindings};
  struct comparing c = {.bound = m->bound};
  limits_init(&c.limits, m->bound, &e);
  event_each_begun(&e, m->bound, compare_limits, &c);
  size_t evaluated = c.limits.evaluated;
  limits_clear(&c.limits);
  mem_free(bindings);
  *compared += c.compared;
  return evaluated;
}

/* --- the same steps --------------------------------------------------------------------------- */

static void compare_steps(struct world *plain, struct world *indexed) {
  step_vector a = {0}, b = {0};
  step_list(&a, plain);
  step_list(&b, indexed);
  assert_int_equal(a.count, b.count);
  for (size_t i = 0; i < a.count; i++)
    assert_int_equal(step_compare(&a.data[i], &b.data[i]), 0);
  vector_clear(&a);
  vector_clear(&b);
}

static void compare_messages(const struct world *plain, const struct world *indexed) {
  assert_int_equal(plain->messages.count, indexed->messages.count);
  assert_int_equal(plain->charges.count, indexed->charges.count);
  for (size_t i = 0; i < plain->messages.count; i++) {
    const struct world_message *m = &plain->messages.data[i];
    const struct world_message *same = world_message(indexed, m->message, m->fields);
    assert_non_null(same);
    assert_int_equal(m->received, same->received);
    assert_int_equal(m->lost, same->lost);
    assert_int_equal(rational_compare(&m->sent_at, &same->sent_at), 0);
    assert_int_equal(rational_compare(&m->delivered, &same->delivered), 0);
    if (!m->received)
      assert_int_equal(world_blocked(plain, m), world_blocked(indexed, same));
    int64_t other[INDEX_COUNT_MAX] = {1000, 1000};
    assert_null(world_message(indexed, m->message, other));
  }
  for (size_t i = 0; i < plain->charges.count; i++)
    assert_true(world_charged(indexed, plain->charges.data[i].component,
                              plain->charges.data[i].occurrence->indices));
}

static void run_beside(struct machines *m, size_t *evaluated, size_t *compared) {
  struct valuation valuation = values_valuation(&m->values);
  struct world *plain = world_new(m->interpreter, &valuation);
  struct world *indexed = world_new(m->interpreter, &valuation);
  world_index_begin(indexed);
  for (size_t i = 0; i < m->steps.count; i++) {
    compare_steps(plain, indexed);
    assert_int_equal(step_take(plain, &m->steps.data[i], &valuation, NULL), STEP_TAKEN);
    assert_int_equal(step_take(indexed, &m->steps.data[i], &valuation, NULL), STEP_TAKEN);
    if (i % 8 == 0)
      compare_messages(plain, indexed);
  }
  compare_steps(plain, indexed);
  compare_messages(plain, indexed);
  assert_true(world_is_valid(plain) && world_is_valid(indexed));
  *evaluated += compare(m, plain, compared);
  compare(m, indexed, compared);
  compare(m, m->world, compared);
  world_free(plain);
  world_free(indexed);
}

/* --- many executions -------------------------------------------------------------------------- */

/* How many limits of `seeds` executions had to be evaluated. */
static size_t try(const char *protocol, const char *timing, const char *channel, const char *limit,
                  uint64_t seeds) {
  char text[4096];
  snprintf(text, sizeof text, protocol, timing, channel, limit);
  struct loaded loaded;
  loaded_init(&loaded, "p.tp", text);
  assert_non_null(loaded.model);
  struct text message;
  text_init(&message);
  int64_t n = CLIENTS;
  struct interpreter *in = interpreter_new(loaded.model, &n, &message);
  assert_non_null(in);
  struct uniform uniform = {.random = {0}};
  rational_init(&uniform.period);
  rational_set_fraction(&uniform.period, 1, 3);
  struct machines_supply supply = {draw, bare, &uniform};
  const double losses[] = {0, 0.3, 0};
  struct machines machines = {.interpreter = in,
                              .losses = losses,
                              .bound = loaded.model->bounds.items[0],
                              .supply = &supply,
                              .requests = REQUESTS,
                              .steps_max = 120};
  machines_init(&machines);
  size_t evaluated = 0, compared = 0;
  for (uint64_t seed = 0; seed < seeds; seed++) {
    uniform.random = (struct random){seed};
    machines_run(&machines, seed);
    run_beside(&machines, &evaluated, &compared);
  }
  assert_true(compared >= seeds * REQUESTS / 4);
  machines_clear(&machines);
  rational_clear(&uniform.period);
  interpreter_free(in);
  text_clear(&message);
  loaded_clear(&loaded);
  return evaluated;
}

static const char lindley[] = "max j in 1..k (d(Request(j)) + (sum i in j..k (Serve[i])) - "
                              "(sum i in j + 1..k (Gap[i])))";

static void test_one_stream(void **state) {
  (void)state;
  static const char *const limits[] = {
      lindley,
      "sum i in 1..k (Serve[i])",
      "sum i in k - 3..k (Serve[i])",
      "sum i in k..k + 2 (Serve[i])",
      "max j in 1..k (d(Request(j)) + Serve[k])",
      "max j in 3..k (Serve[j])",
      "max j in 1..k + 1 (Serve[j])",
      "max j in k - 2..k (sum i in j..k (Serve[i]))",
      "max j in 1..k (max i in j..k (Serve[i]))",
      "min j in 1..k (Serve[j] + d(Reply(j)))",
      "sum j in 1..k (sum i in 1..j (Serve[i]))",
      "max j in 1..k (sum i in 1..j (Serve[i])) + 3*(max j in 1..k (Gap[j]))",
      "2*(sum i in 1..k (Serve[i])) + T",
      "Serve[k] + d(Request(k))",
  };
  for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
    try(one_text, "standard", "", limits[i], SEEDS);
    try(one_text, "advanced", "fifo", limits[i], SEEDS);
  }
  /* more numbers than are tried: neither way says what it is worth */
  try(one_text, "standard", "", "sum i in 1..20000 (Serve[i])", 1);
}

static void test_several_streams(void **state) {
  (void)state;
  static const char *const limits[] = {
      "sum i in 1..k (Serve[c, i])",
      "sum w in client (sum i in 1..k (Serve[w, i]))",
      "max j in 1..k (d(Request(j, c)) + (sum i in j..k (Serve[c, i])))",
      "max w in client (max j in 1..k (d(Request(j, w)) + (sum i in j..k (Serve[w, i]))))",
  };
  for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
    try(several_text, "standard", "fifo", limits[i], SEEDS);
    try(several_text, "advanced", "", limits[i], SEEDS);
    try(several_text, "eager", "fifo", limits[i], SEEDS);
  }
}

/* Nothing that can be followed is evaluated, unless a time is endless: those of one seed are not.
 */
static void test_what_is_followed(void **state) {
  (void)state;
  assert_int_equal(try(one_text, "advanced", "fifo", lindley, 1), 0);
  assert_int_equal(try(one_text, "standard", "", "sum i in 1..k (Serve[i])", 1), 0);
  assert_int_equal(try(several_text, "standard", "fifo", "sum i in 1..k (Serve[c, i])", 1), 0);
  assert_int_not_equal(try(one_text, "standard", "", "2*(sum i in 1..k (Serve[i])) + T", 1), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_one_stream),
      cmocka_unit_test(test_several_streams),
      cmocka_unit_test(test_what_is_followed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
