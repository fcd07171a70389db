/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Random services paused in virtual time (tests/throughput) by the proved core: books balance,
 * nobody pauses twice in a round, what is counted as paused is how long a service really stood
 * still, throughput stays below what the work allows, and a paused run predicts a faster service.
 *
 * Prints TAP. pausing [--seeds N] [--first SEED]
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/throughput/whatif.h"
#include "examples/common/random.h"

static char failure[256];

/* Keeps the first failure; whether there is none yet. */
static bool check(bool good, const char *what, double is, double should) {
  if (!good && failure[0] == '\0')
    snprintf(failure, sizeof failure, "%s: %g, not %g", what, is, should);
  return failure[0] == '\0';
}

/* ---- random settings */

struct drawn {
  struct graph graph;
  struct sim_setting setting;
  struct random random;
};

static int upto(struct drawn *drawn, int limit) {
  return (int)random_upto(&drawn->random, (uint64_t)limit);
}

/* Each service calls the next one, and every other one the one after it too; `dynamic`: some calls
 * have a chance. */
static void draw_graph(struct drawn *drawn, int services, bool dynamic) {
  char text[1024], problem[128];
  size_t used = 0;
  text[0] = '\0';
  for (int to = 1; to < services; to++) {
    bool chance = dynamic && upto(drawn, 2) == 0;
    int percent = chance ? 20 + upto(drawn, 70) : 100;
    used += (size_t)snprintf(text + used, sizeof text - used, "%d>%d:%d", to - 1, to, percent);
    if (to + 1 < services && upto(drawn, 1) == 0)
      used += (size_t)snprintf(text + used, sizeof text - used, ",%d", to + 1);
    used += (size_t)snprintf(text + used, sizeof text - used, " ");
  }
  if (!graph_parse(&drawn->graph, services, text, problem, sizeof problem))
    check(false, problem, services, 0);
}

static void draw_setting(struct drawn *drawn, uint64_t seed, bool dynamic) {
  double work_us[GRAPH_SERVICES];
  memset(drawn, 0, sizeof *drawn);
  drawn->random = random_seeded(seed, 9);
  draw_graph(drawn, 2 + upto(drawn, 5), dynamic);
  for (int s = 0; s < drawn->graph.services; s++)
    work_us[s] = (200 + upto(drawn, 800)) / drawn->graph.calls[s];
  sim_plain(&drawn->setting, &drawn->graph, work_us, 1 + upto(drawn, 3));
  drawn->setting.connections = 96 + upto(drawn, 64);
  drawn->setting.at_once = upto(drawn, 1) == 0;
  drawn->setting.message_ns = 1000 * upto(drawn, 200);
  drawn->setting.noise = upto(drawn, 3) * 0.1;
  drawn->setting.seed = seed;
  drawn->setting.warmup = 3000;
  drawn->setting.window = 3000;
}

/* The most that the work of any service allows. */
static double bound_of(const struct sim_setting *setting, const struct change *change) {
  double least = INFINITY;
  for (int s = 0; s < setting->graph->services; s++) {
    double work_ns = setting->services[s].work_ns - change->saved_ns[s];
    if (work_ns > 0)
      least = fmin(least, 1e9 * at_once_of(setting, s) / (setting->graph->calls[s] * work_ns));
  }
  return least;
}

/* ---- what is to hold */

/* The calls per user request that the publication states. */
static void families_have_their_calls(uint64_t first, uint64_t seeds) {
  static const struct {
    const char *name;
    double calls[10];
  } published[] = {
      {"chain-d2", {1, 1, 1}},
      {"chain-d8", {1, 1, 1, 1, 1, 1, 1, 1, 1, 1}},
      {"fanout-w3", {1, 1, 1, 1}},
      {"fanout-w7", {1, 1, 1, 1, 1, 1, 1, 1}},
      {"dag-unbalanced", {1, 1, 1, 1, 1, 1, 1, 1}},
      {"dag-relay", {1, 1, 1, 1, 3, 3, 3}},
      {"dag-cross", {1, 1, 2, 1, 4}},
      {"dynamic-once", {1, 1, .8, .2, .8}},
      {"dynamic-twice", {1, .2, .3, .5, .16, .15, .35}},
      {"dynamic-cache", {1, 1, .25}},
      {"dynamic-cycle", {1, 1.34, .34, .5, .5}},
  };
  static struct graph graph;
  (void)first, (void)seeds;
  for (size_t i = 0; i < sizeof published / sizeof *published; i++) {
    family_graph(family_find(published[i].name), &graph);
    for (int s = 0; s < graph.services; s++)
      check(fabs(graph.calls[s] - published[i].calls[s]) < 1e-9, published[i].name, graph.calls[s],
            published[i].calls[s]);
  }
  family_graph(family_find("tree-w6"), &graph);
  for (int s = 0; s < 43; s++)
    check(graph.services == 43 && graph.calls[s] == 1, "tree-w6", graph.calls[s], 1);
}

static void bad_graphs_are_refused(uint64_t first, uint64_t seeds) {
  static const char *const bad[] = {
      "0>1 1>0", "0>1,",      "0>9",  "0>1:80|2:30", "0>1 0>2", "0-1", "0>1-",
      "0>1:",    "0>1b 1b>0", "0>-1", "0>1:101",     ">1",      "0>",  "0>99999999999999999999"};
  static struct graph graph;
  char problem[128];
  (void)first, (void)seeds;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    check(!graph_parse(&graph, 3, bad[i], problem, sizeof problem), bad[i], 1, 0);
}

/* A configuration must be one of a family, whose draws are as many as it has services. */
static void configurations_are_of_families(uint64_t first, uint64_t seeds) {
  const struct configuration *c;
  size_t count = 0, http = 0;
  (void)first, (void)seeds;
  for (; (c = configuration_at(count)) != NULL; count++) {
    const struct family *family = family_find(c->family);
    if (!check(family != NULL, c->family, 0, 1))
      return;
    check(c->target >= 0 && c->target < family->services, "target", c->target, 0);
    http += count < CONFIGURATIONS_PUBLISHED && strcmp(c->protocol, "http") == 0;
    for (int s = 0; s < family->services; s++)
      check(c->work_us[s] > 0, c->family, c->work_us[s], 1);
  }
  check(http == 54, "configurations by HTTP", (double)http, 54);
  check(count >= CONFIGURATIONS_PUBLISHED, "configurations", (double)count, 108);
}

/* No errors of pauses, no pauses: below the bound, and near it as the clients are many. */
static void work_limits_throughput(uint64_t first, uint64_t seeds) {
  static struct drawn drawn;
  for (uint64_t seed = first; seed < first + seeds; seed++) {
    draw_setting(&drawn, seed, false);
    struct change none = {.machine_runs = false};
    struct sim_result result;
    simulate(&drawn.setting, &result);
    double measured = 1e9 * (double)result.requests / (double)result.window_ns;
    double most = bound_of(&drawn.setting, &none);
    check(measured < 1.02 * most, "throughput above what the work allows", measured, most);
    check(measured > 0.97 * most, "throughput far below what the work allows", measured, most);
    for (int s = 0; s < drawn.graph.services; s++) {
      double calls = drawn.graph.calls[s], should = calls * (double)result.requests;
      check(fabs((double)result.begun[s] - should) <= calls * drawn.setting.connections,
            "calls that are not there or too many", (double)result.begun[s], should);
    }
  }
}

static void same_setting_same_result(uint64_t first, uint64_t seeds) {
  static struct drawn drawn;
  for (uint64_t seed = first; seed < first + seeds / 4; seed++) {
    static struct sim_result one, other;
    draw_setting(&drawn, seed, true);
    drawn.setting.errors = sim_usual_errors();
    simulate(&drawn.setting, &one);
    simulate(&drawn.setting, &other);
    check(memcmp(&one, &other, sizeof one) == 0, "two runs of one setting differ", (double)seed, 0);
  }
}

/* Whatever the errors: lost hops, late timers, a calibration that is wrong by at most 20 us. */
static void books_balance(uint64_t first, uint64_t seeds) {
  static struct drawn drawn;
  for (uint64_t seed = first; seed < first + seeds; seed++) {
    draw_setting(&drawn, seed, true);
    struct sim_setting *setting = &drawn.setting;
    struct sim_result result;
    struct change change = {.machine_runs = false};
    int target = upto(&drawn, drawn.graph.services - 1);
    change.saved_ns[target] = setting->services[target].work_ns * (1 + upto(&drawn, 9)) / 10;
    setting->errors = sim_usual_errors();
    setting->errors.gossip_loss = upto(&drawn, 2) * 0.1;
    double wrong_ns = 1000 * (upto(&drawn, 35) - 15);
    setting->errors.offset_ns += wrong_ns;
    setting->least_ns = (uint64_t)upto(&drawn, 3) * 100000;
    setting->most_ns = 1000000 * (1 + (uint64_t)upto(&drawn, 300));
    pause_for(setting, drawn.graph.calls, &change, 10 + (uint64_t)upto(&drawn, 50));
    simulate(setting, &result);
    check(result.twice == 0, "paused twice in a round", (double)result.twice, 0);
    for (int s = 0; s < drawn.graph.services; s++) {
      const struct pause_ledger *l = &result.ledger[s];
      double real = (double)result.stopped_ns[s], pauses = (double)result.pauses[s];
      check((int64_t)(l->owed_ns - l->realised_ns) == l->carried_ns,
            "owed is not realised + carried", (double)l->owed_ns, (double)l->realised_ns);
      check(l->owed_ns == result.counted[s] * setting->services[s].pause_ns, "owed by other calls",
            (double)l->owed_ns, (double)result.counted[s]);
      check(setting->services[s].pause_ns > 0 || l->realised_ns == 0, "a pause that nobody owed",
            (double)l->realised_ns, 0);
      /* stop and continue are off by half their mean at most */
      double off = pauses * (18500 + fabs(wrong_ns)) + 1e6;
      check(fabs(real - (double)l->realised_ns) <= off,
            "stood still longer or shorter than counted", real, (double)l->realised_ns);
    }
  }
}

/* Calibrated pauses, whose errors have the mean 0: counted and real agree to a few microseconds. */
static void pauses_are_exact_on_average(uint64_t first, uint64_t seeds) {
  static struct drawn drawn;
  for (uint64_t seed = first; seed < first + seeds / 4; seed++) {
    draw_setting(&drawn, seed, false);
    struct sim_result result;
    struct change change = {.saved_ns = {drawn.setting.services[0].work_ns / 2}};
    drawn.setting.errors = sim_usual_errors();
    pause_for(&drawn.setting, drawn.graph.calls, &change, 20);
    simulate(&drawn.setting, &result);
    for (int s = 1; s < drawn.graph.services; s++) {
      if (!check(result.pauses[s] > 100, "pauses", (double)result.pauses[s], 100))
        continue;
      double each = ((double)result.stopped_ns[s] - (double)result.ledger[s].realised_ns) /
                    (double)result.pauses[s];
      check(fabs(each) < 5000, "ns that a pause is off", each, 0);
    }
  }
}

/* What it is all for. */
static void paused_runs_predict(uint64_t first, uint64_t seeds) {
  static struct drawn drawn;
  double squares = 0;
  int count = 0;
  for (uint64_t seed = first; seed < first + seeds; seed++) {
    draw_setting(&drawn, seed, false);
    struct sim_setting truly = drawn.setting;
    static struct prediction prediction;
    struct change change = {.machine_runs = false};
    int target = upto(&drawn, drawn.graph.services - 1);
    double work_ns = truly.services[target].work_ns;
    change.saved_ns[target] = work_ns * (1 + upto(&drawn, 8)) / 10;
    truly.warmup = 12000;
    drawn.setting.errors = sim_usual_errors();
    predict(&drawn.setting, drawn.graph.calls, &change, 24, &prediction);
    double t = truth(&truly, &change), error = 100 * (prediction.throughput - t) / t;
    check(fabs(error) < 8, "error of a prediction, percent", error, 0);
    squares += error * error;
    count++;
  }
  check(sqrt(squares / count) < 1.5, "root mean square error, percent", sqrt(squares / count), 0);
}

/* Nine services, few clients: pausing each when it likes stops the others too. */
static void alone_is_worse(uint64_t first, uint64_t seeds) {
  static struct drawn drawn;
  const double work_us[] = {1200, 560, 540, 520, 560, 500, 540, 530, 550};
  char problem[128];
  double together[2];
  (void)first, (void)seeds;
  for (int alone = 0; alone < 2; alone++) {
    struct change change = {.saved_ns = {600000}};
    static struct prediction prediction;
    graph_parse(&drawn.graph, 9, "0>1 1>2 2>3 3>4 4>5 5>6 6>7 7>8", problem, sizeof problem);
    sim_plain(&drawn.setting, &drawn.graph, work_us, 2);
    drawn.setting.connections = 128;
    drawn.setting.alone = alone;
    drawn.setting.warmup = drawn.setting.window = 3000;
    predict(&drawn.setting, drawn.graph.calls, &change, 50, &prediction);
    together[alone] = prediction.throughput;
  }
  check(fabs(together[0] - 3333) < 50, "predicted together", together[0], 3333);
  check(together[1] < 0.7 * together[0], "predicted alone", together[1], together[0]);
}

/* web, which calls a (2 ms) and b, where a takes 60 % less: what paused runs with rounds of `batch`
 * requests predict, and the truth. */
struct question {
  double b_us;
  int b_workers, clients;
  bool b_waits;
};

static double ask(const struct question *question, uint64_t batch, double *true_value) {
  static struct drawn drawn;
  static struct prediction prediction;
  char problem[128];
  const double work_us[] = {400, 2000, question->b_us};
  struct change change = {.saved_ns = {0, 1200000}};
  graph_parse(&drawn.graph, 3, "0>1,2", problem, sizeof problem);
  sim_plain(&drawn.setting, &drawn.graph, work_us, 1);
  drawn.setting.services[2].workers = drawn.setting.processors[2] = question->b_workers;
  drawn.setting.services[2].waits = question->b_waits;
  drawn.setting.connections = question->clients;
  drawn.setting.warmup = drawn.setting.window = 3000;
  if (true_value != NULL)
    *true_value = truth(&drawn.setting, &change);
  predict(&drawn.setting, drawn.graph.calls, &change, batch, &prediction);
  return prediction.throughput;
}

/* What measure/throughput/experiment/doubt.h goes by. */
static void what_contradicts(uint64_t first, uint64_t seeds) {
  static const struct question good = {1000, 1, 64, false}, few = {1000, 1, 8, false},
                               waits = {1000, 1, 64, true}, long_waits = {20000, 12, 64, true};
  double real;
  (void)first, (void)seeds;
  double large = ask(&good, 24, &real), small = ask(&good, 6, NULL);
  check(fabs(large / real - 1) < 0.03 && fabs(small / large - 1) < 0.04, "both sizes of rounds",
        large, real);
  large = ask(&few, 24, &real);
  check(large < 0.85 * real, "rounds that outlast the work of few users", large, real);
  small = ask(&few, 3, NULL); /* a quarter of the users, by the 60 % */
  check(fabs(small / real - 1) < 0.05, "rounds that few users allow", small, real);
  large = ask(&waits, 24, &real), small = ask(&waits, 6, NULL);
  check(large > real && small / large - 1 > 0.04, "a pause gives a wait away, in each round", small,
        large);
  large = ask(&long_waits, 24, &real);
  double ceiling = 12 / 20e-3;
  check(large > 1.3 * real && fabs(real / ceiling - 1) < 0.03,
        "waits that are longer than pauses show in what the workers can serve alone", large, real);
}

int main(int count, char **arguments) {
  static const struct {
    const char *name;
    void (*run)(uint64_t first, uint64_t seeds);
  } tests[] = {
      {"calls per user request of the published graphs", families_have_their_calls},
      {"graphs that are none are refused", bad_graphs_are_refused},
      {"configurations are of families", configurations_are_of_families},
      {"work limits throughput", work_limits_throughput},
      {"the same setting gives the same result", same_setting_same_result},
      {"owed = realised + carried, and nobody pauses twice in a round", books_balance},
      {"calibrated pauses are exact on average", pauses_are_exact_on_average},
      {"paused runs predict faster services", paused_runs_predict},
      {"pauses that are not coordinated predict worse", alone_is_worse},
      {"few users and waits contradict what is predicted of them", what_contradicts},
  };
  uint64_t seeds = 60, first = 1;
  int failures = 0;
  for (int i = 1; i + 1 < count; i += 2) {
    if (strcmp(arguments[i], "--seeds") == 0)
      seeds = strtoull(arguments[i + 1], NULL, 10);
    else if (strcmp(arguments[i], "--first") == 0)
      first = strtoull(arguments[i + 1], NULL, 10);
  }
  for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
    failure[0] = '\0';
    tests[i].run(first, seeds);
    failures += failure[0] != '\0';
    printf("%s %zu - %s%s%s\n", failure[0] == '\0' ? "ok" : "not ok", i + 1, tests[i].name,
           failure[0] == '\0' ? "" : ": ", failure);
  }
  printf("1..%zu\n", sizeof tests / sizeof *tests);
  return failures != 0;
}
