/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Predicted against true throughput in virtual time: all published configurations, and what they
 * leave out. Beside each the predictor that nothing changes, and the published error.
 *
 *   throughput_sweep [--each] [--cases]
 *
 * --each: a row for each configuration; --cases: without the 108 configurations.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "tests/throughput/whatif.h"

enum { LEVELS = 10, BATCH = 100 };

struct error {
  double squares, least, most; /* in percent */
  int count;
};

struct errors {
  struct error predicted, by_entry, null;
  int refused;
};

/* Changes of one setting. */
struct question {
  struct graph graph;
  struct sim_setting setting;
  struct change changes[LEVELS];
  int count;
  uint64_t batch;
};

static void error_merge(struct error *into, const struct error *error) {
  if (error->count == 0)
    return;
  into->least = into->count == 0 || error->least < into->least ? error->least : into->least;
  into->most = into->count == 0 || error->most > into->most ? error->most : into->most;
  into->squares += error->squares;
  into->count += error->count;
}

static void error_add(struct error *error, double truth, double other) {
  double percent = 100 * (other - truth) / truth;
  struct error one = {.squares = percent * percent, .least = percent, .most = percent, .count = 1};
  error_merge(error, &one);
}

static void errors_merge(struct errors *into, const struct errors *errors) {
  error_merge(&into->predicted, &errors->predicted);
  error_merge(&into->by_entry, &errors->by_entry);
  error_merge(&into->null, &errors->null);
  into->refused += errors->refused;
}

static double rmse(const struct error *error) {
  return error->count == 0 ? 0 : sqrt(error->squares / error->count);
}

static void row(const char *name, const struct errors *errors, const char *target) {
  char measured[32];
  snprintf(measured, sizeof measured, "%.2f %%", rmse(&errors->predicted));
  printf("%-58s %14s   %s; %+.2f..%+.2f %%, no change %.2f %%", name, measured, target,
         errors->predicted.least, errors->predicted.most, rmse(&errors->null));
  if (errors->refused > 0)
    printf(", %d refused", errors->refused);
  putchar('\n');
  fflush(stdout);
}

/* Where calls are drawn, one window is off by 1 / sqrt(calls): it takes longer ones. */
static bool drawn(const struct graph *graph) {
  for (int e = 0; e < graph->edges_used; e++)
    if (graph->edges[e].to_percent - graph->edges[e].from_percent < 100)
      return true;
  return false;
}

/* The truth and the profile get longer windows than a prediction has. */
static void ask(struct question *question, struct errors *errors) {
  struct sim_setting *setting = &question->setting, truly = *setting;
  bool dynamic = drawn(setting->graph);
  double calls[GRAPH_SERVICES];
  setting->errors = sim_usual_errors();
  setting->noise = truly.noise = 0.2;
  setting->warmup = dynamic ? 16000 : 2000;
  setting->window = dynamic ? 24000 : 4000;
  truly.warmup = dynamic ? 64000 : 8000;
  truly.window = dynamic ? 60000 : 4000;
  struct change none = {.machine_runs = false};
  double baseline = truth(&truly, &none);
  struct sim_setting profile = truly;
  profile.window = dynamic ? 300000 : 4000;
  measure_calls(&profile, calls);
  for (int i = 0; i < question->count; i++) {
    struct prediction prediction;
    truly.seed = ++setting->seed;
    double t = truth(&truly, &question->changes[i]);
    setting->seed++;
    predict(setting, calls, &question->changes[i], question->batch, &prediction);
    if (prediction.throughput <= 0) {
      errors->refused++;
      continue;
    }
    error_add(&errors->predicted, t, prediction.throughput);
    error_add(&errors->by_entry, t, prediction.by_entry);
    error_add(&errors->null, t, baseline);
  }
}

/* Ten levels, 10 to 100 % of what `most_percent` of the target's work is. */
static void shorten(struct question *question, int target, int most_percent) {
  question->count = LEVELS;
  for (int i = 0; i < LEVELS; i++)
    question->changes[i].saved_ns[target] +=
        question->setting.services[target].work_ns * (i + 1) / LEVELS * most_percent / 100;
}

static void configure(struct question *question, const struct configuration *c, uint64_t seed) {
  *question = (struct question){.batch = BATCH};
  family_graph(family_find(c->family), &question->graph);
  sim_plain(&question->setting, &question->graph, c->work_us, 2);
  question->setting.at_once = c->at_once;
  question->setting.connections = c->connections;
  question->setting.message_ns = strcmp(c->protocol, "http") == 0 ? 100000 : 60000;
  question->setting.seed = seed * 1000;
}

/* A graph of our own: "work" in microseconds, two workers each. */
static void draw_up(struct question *question, int services, const char *text,
                    const double work_us[]) {
  char problem[128];
  *question = (struct question){.batch = BATCH};
  if (!graph_parse(&question->graph, services, text, problem, sizeof problem))
    fprintf(stderr, "%s: %s\n", text, problem);
  sim_plain(&question->setting, &question->graph, work_us, 2);
  question->setting.connections = 256;
  question->setting.message_ns = 100000;
  question->setting.seed = 7;
}

/* ---- what was published */

static void published(bool each) {
  static struct question question;
  struct errors all = {.refused = 0};
  const struct configuration *c;
  for (size_t i = 0; i < CONFIGURATIONS_PUBLISHED && (c = configuration_at(i)) != NULL; i++) {
    struct errors one = {.refused = 0};
    configure(&question, c, i + 1);
    shorten(&question, c->target, 100);
    ask(&question, &one);
    errors_merge(&all, &one);
    char name[96];
    snprintf(name, sizeof name, "  %s, %s, calls %s, target %d", c->family, c->protocol,
             c->at_once ? "at once" : "in turn", c->target);
    if (each)
      row(name, &one, "");
  }
  row("108 configurations x 10 levels, RMSE", &all, "<= 1.0 % (published 1.89 %)");
  all.predicted = all.by_entry;
  row("  had requests been counted at the entry alone", &all, "reported");
  char measured[32];
  snprintf(measured, sizeof measured, "%.0f s", (double)clock() / CLOCKS_PER_SEC);
  printf("%-58s %14s   %s\n", "  processor time of it", measured, "< 60 s");
}

static void tree(void) {
  static struct question question;
  struct errors errors = {.refused = 0};
  const struct configuration *c;
  for (size_t i = CONFIGURATIONS_PUBLISHED; (c = configuration_at(i)) != NULL; i++)
    for (int at_once = 0; at_once < 2; at_once++) {
      configure(&question, c, i + 1);
      question.setting.at_once = at_once;
      shorten(&question, c->target, 100);
      ask(&question, &errors);
    }
  row("tree of 43 services, 4 x 10 levels, RMSE", &errors, "<= 1.0 % (published 1.79 %)");
}

/* Two services with two workers each, the second works under a lock: 0 to half of the first saved.
 */
static void mutex(void) {
  static struct question question;
  const double work_us[] = {800, 350};
  struct errors errors = {.refused = 0};
  for (int locked = 0; locked < 2; locked++) {
    draw_up(&question, 2, "0>1", work_us);
    question.setting.services[1].locked_ns = locked * 350000.0;
    shorten(&question, 0, 50);
    ask(&question, &errors);
  }
  row("mutex pair with and without the lock, RMSE", &errors, "< 1 % (published < 1 %)");
  errors = (struct errors){.refused = 0};
  const double other_us[] = {300, 350};
  draw_up(&question, 2, "0>1", other_us);
  question.setting.services[1].locked_ns = 350000;
  shorten(&question, 1, 80);
  ask(&question, &errors);
  row("  the work under the lock made shorter", &errors, "reported");
}

/* 9-chain, 128 and 352 connections, the first 600 us shorter, batch 50. */
static void uncoordinated(void) {
  static struct question question;
  const double work_us[] = {1200, 560, 540, 520, 560, 500, 540, 530, 550};
  for (int alone = 0; alone < 2; alone++)
    for (int connections = 128; connections <= 352; connections += 224) {
      struct errors errors = {.refused = 0};
      char name[80];
      draw_up(&question, 9, "0>1 1>2 2>3 3>4 4>5 5>6 6>7 7>8", work_us);
      question.batch = 50;
      question.setting.connections = connections;
      question.setting.alone = alone;
      question.changes[0].saved_ns[0] = 600000;
      question.count = 1;
      ask(&question, &errors);
      snprintf(name, sizeof name, "9-chain, %d connections, %scoordinated", connections,
               alone ? "un" : "");
      row(name, &errors,
          !alone              ? "(published -4.35 % at 128)"
          : connections < 200 ? "(published -62.2 %)"
                              : "(published -17.0 %)");
    }
}

/* ---- what was not */

static void scale_out(void) {
  static struct question question;
  struct errors errors = {.refused = 0};
  for (size_t i = 0; i < CONFIGURATIONS_PUBLISHED; i += 9) {
    const struct configuration *c = configuration_at(i);
    configure(&question, c, i + 1);
    for (int n = 0; n < 4; n++)
      question.changes[question.count++].workers[c->target] = 3 + n;
    ask(&question, &errors);
  }
  row("2 workers become 3, 4, 5, 6 (12 configurations)", &errors, "reported (published -2.41 %)");
}

static void several_targets(void) {
  static struct question question;
  struct errors errors = {.refused = 0};
  for (size_t i = 0; i < CONFIGURATIONS_PUBLISHED; i += 9) {
    const struct configuration *c = configuration_at(i);
    configure(&question, c, i + 1);
    shorten(&question, c->target, 70);
    shorten(&question, c->target == 1 ? 0 : 1, 40);
    ask(&question, &errors);
  }
  row("two services faster together (12 configurations)", &errors, "reported");
}

static void mixed(void) {
  static struct question question;
  struct errors errors = {.refused = 0};
  const double work_us[] = {150, 600, 800, 900, 500, 700};
  for (int target = 1; target < 6; target++) {
    draw_up(&question, 6, "0>1:50|2:40|3:10 1>4,5:50 2>5 3>4,4b,5", work_us);
    question.setting.seed += (uint64_t)target * 100;
    shorten(&question, target, 80);
    ask(&question, &errors);
  }
  row("three kinds of requests, 5 targets x 10 levels", &errors, "reported");
}

/* Services 0 to 2 share one machine of `processors`; whoever is on the target's machine pauses like
 * all others, or runs on. */
static void shared(void) {
  static struct question question;
  const double work_us[] = {400, 700, 300, 900};
  for (int run_on = 0; run_on < 2; run_on++)
    for (int few = 0; few < 2; few++) {
      struct errors errors = {.refused = 0};
      for (int target = 0; target < 3; target++) {
        draw_up(&question, 4, "0>1 1>2 2>3", work_us);
        for (int s = 0; s < 3; s++) {
          question.setting.services[s].machine = 0;
          question.setting.services[s].workers = few ? 1 : 4;
        }
        question.setting.services[3].workers = question.setting.processors[3] = 4;
        question.setting.processors[0] = few ? 2 : 4;
        shorten(&question, target, 80);
        for (int i = 0; i < LEVELS; i++)
          question.changes[i].machine_runs = run_on;
        ask(&question, &errors);
      }
      char name[96];
      snprintf(name, sizeof name, "one machine, %s: the others there %s",
               few ? "1 worker each" : "workers enough", run_on ? "run on" : "pause too");
      row(name, &errors, "reported");
    }
}

int main(int count, char **arguments) {
  bool each = false, cases = false;
  for (int i = 1; i < count; i++) {
    each |= strcmp(arguments[i], "--each") == 0;
    cases |= strcmp(arguments[i], "--cases") == 0;
  }
  if (!cases)
    published(each);
  tree();
  mutex();
  uncoordinated();
  scale_out();
  several_targets();
  mixed();
  shared();
  return 0;
}
