/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Simulated machines: the judge accepts every execution, in each timing model; what is taken first;
 * and an execution beyond a wrong bound is found to be beyond it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/text.h"
#include "loaded.h"
#include "solver/judge/replay.h"
#include "solver/simulate/machines.h"

/* A worker that gets messages on a FIFO channel, a ticker, and a loop of slots that waits. */
static const char protocol_text[] =
    "protocol p\n"
    "timing %s\n"
    "param n : int >= 1\n"
    "param T : time\n"
    "role source\n"
    "role worker[n]\n"
    "role sink\n"
    "component Work[worker, int]\n"
    "delay d\n"
    "%s"
    "message Job(w: worker, k: int) : source -> worker w fifo\n"
    "message Done(w: worker, k: int) : worker w -> sink\n"
    "state source { made : int = 0  due : time = 0 ms }\n"
    "state sink { got : int = 0 }\n"
    "action source.Tick on timer due {\n"
    "  when made < 4\n"
    "  made := made + 1\n"
    "  due := due + T\n"
    "  send Job(w, made) for all w in worker\n"
    "}\n"
    "action worker w.Do on Job(w, k) cost Work[w, k] { send Done(w, k) }\n"
    "action sink.Take on Done(w, k) { got := got + 1 }\n"
    "bound done: when got == 4*n at sink within 3*T + %s\n";

struct uniform {
  struct random random;
  struct rational period;
};

static bool draw(void *context, const struct component *component,
                 const struct occurrence *occurrence, int64_t *ns) {
  struct uniform *uniform = context;
  (void)component;
  (void)occurrence;
  *ns = (int64_t)random_below(&uniform->random, 8); /* ties are frequent */
  return true;
}

static const struct rational *bare(void *context, const struct component *component) {
  struct uniform *uniform = context;
  return component->kind == COMPONENT_CONSTANT ? &uniform->period : NULL;
}

struct tally {
  size_t within, exceeded;
  int64_t longest_ns;
};

static void run(struct tally *tally, struct machines *machines, struct uniform *uniform,
                uint64_t seed) {
  uniform->random = (struct random){seed};
  assert_int_equal(machines_run(machines, seed), MACHINES_DONE);
  struct replay replay;
  replay_init(&replay);
  machines_judge(&replay, machines);
  if (replay.reason != NULL)
    print_error("%s\n", replay.reason);
  assert_null(replay.reason);
  assert_true(replay.verdict == REPLAY_WITHIN || replay.verdict == REPLAY_EXCEEDED);
  tally->within += replay.verdict == REPLAY_WITHIN;
  tally->exceeded += replay.verdict == REPLAY_EXCEEDED;
  machines_requests requests = {0};
  machines_show(&requests, machines);
  assert_int_equal(requests.count, 1);
  assert_true(requests.data[0].happened);
  assert_int_equal(requests.data[0].time_ns > requests.data[0].limit_ns,
                   replay.verdict == REPLAY_EXCEEDED);
  if (requests.data[0].time_ns > tally->longest_ns)
    tally->longest_ns = requests.data[0].time_ns;
  vector_clear(&requests);
  replay_clear(&replay);
}

static struct tally simulate_model(const char *timing, const char *queueing, const char *rest) {
  char text[2048];
  snprintf(text, sizeof text, protocol_text, timing, queueing, rest);
  struct loaded loaded;
  loaded_init(&loaded, "p.tp", text);
  assert_non_null(loaded.model);
  struct text message;
  text_init(&message);
  int64_t n = 3;
  struct interpreter *in = interpreter_new(loaded.model, &n, &message);
  assert_non_null(in);
  struct uniform uniform = {.random = {0}};
  rational_init(&uniform.period);
  rational_set_integer(&uniform.period, 3); /* sooner than the work is done: queues */
  struct machines_supply supply = {draw, bare, &uniform};
  struct machines machines = {.interpreter = in,
                              .bound = loaded.model->bounds.items[0],
                              .supply = &supply,
                              .steps_max = 1000};
  machines_init(&machines);
  struct tally tally = {0};
  for (uint64_t seed = 0; seed < 400; seed++)
    run(&tally, &machines, &uniform, seed);
  machines_clear(&machines);
  rational_clear(&uniform.period);
  interpreter_free(in);
  text_clear(&message);
  loaded_clear(&loaded);
  return tally;
}

/* Each waits for at most three others, in whatever order: no more than all work and ways. */
static const char enough[] = "2*d + 4*(max w in worker (max k in 1..4 (Work[w, k]))) + 4*d";

static void test_every_execution_is_one_of_the_model(void **state) {
  (void)state;
  static const char *const models[] = {"standard", "eager", "advanced"};
  for (size_t i = 0; i < 3; i++) {
    struct tally tally = simulate_model(models[i], i == 2 ? "" : "queueing Queuing\n", enough);
    assert_int_equal(tally.within, 400);
    assert_true(tally.longest_ns > 9 + 8); /* something waited */
  }
}

static void test_a_wrong_bound_is_exceeded(void **state) {
  (void)state;
  struct tally tally = simulate_model("standard", "queueing Queuing\n", "d");
  assert_true(tally.exceeded > 300);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_execution_is_one_of_the_model),
      cmocka_unit_test(test_a_wrong_bound_is_exceeded),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
