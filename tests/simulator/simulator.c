/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/simulator/simulator.h"

#include <inttypes.h>
#include <string.h>

#include "tests/simulator/judge.h"
#include "tests/simulator/node.h"
#include "tests/simulator/timeline.h"

static const char *const orders[ORDER_COUNT] = {"due", "timers", "messages", "any"};

bool order_named(int *order, const char *name) {
  for (int i = 0; i < ORDER_COUNT; i++)
    if (strcmp(orders[i], name) == 0) {
      *order = i;
      return true;
    }
  return false;
}

struct run {
  const struct model *model;
  const bool *holds;
  uint64_t seed;
  size_t steps;
  int order;
  bool invariants;
  struct text *tell;
};

/* So many steps that cost nothing at one moment are taken for steps without end: real machines are
 * not like that, so a bound that is proved all the same is worth nothing. */
enum { STANDS_AFTER = 100 };

struct ending {
  bool started, allowed, broken; /* allowed: by the assumptions */
  const struct action *stands;   /* no time passes behind it; or NULL */
  const char *mistake;
  size_t steps, reached, attained;
  struct breach breach;
};

static void tell_ending(const struct run *run, const struct cluster *cluster,
                        const struct ending *ending) {
  const struct breach *breach = &ending->breach;
  text_format(run->tell, "seed %" PRIu64 ", order %s; ", run->seed, orders[cluster->habits.order]);
  timeline_cluster(run->tell, cluster);
  if (breach->invariant != NULL)
    text_format(run->tell, "invariant %s does not hold after %zu steps\n", breach->invariant->name,
                ending->steps);
  else if (ending->stands != NULL)
    text_format(run->tell, "no time passes behind %s\n", ending->stands->name);
  else
    text_format(run->tell, "%s: happens at %" PRId64 " ns, the bound is %" PRId64 " ns: %s\n",
                breach->bound->name, breach->event_ns, breach->limit_ns,
                breach->bound->expression_text);
}

static bool start(struct cluster *cluster, const struct run *run) {
  bool started = cluster_init(cluster, run->model, run->seed);
  if (run->order >= 0)
    cluster->habits.order = (enum order)run->order;
  return started;
}

/* The run once more, now that it is known how long everything takes. */
static void play_again(struct ending *ending, const struct run *run, const struct cluster *fate) {
  struct cluster cluster;
  start(&cluster, run);
  cluster.fate = fate;
  bool holds = judge_state(&cluster, &ending->breach);
  while (holds && cluster.steps < fate->steps && node_step(&cluster))
    holds = judge_state(&cluster, &ending->breach);
  ending->broken = !holds;
  if (!holds)
    ending->steps = cluster.steps;
  cluster_clear(&cluster);
}

static void play(struct ending *ending, const struct run *run, struct cluster *cluster) {
  cluster->tell = run->tell;
  for (size_t i = 0; i < run->model->bounds.count; i++)
    if (run->holds[i])
      judge_watch(cluster, run->model->bounds.items[i]);
  judge_note(cluster);
  while (cluster->steps < run->steps && (run->invariants || !judge_has_seen_all(cluster)) &&
         node_step(cluster))
    judge_note(cluster);
  judge_note(cluster);
  ending->steps = cluster->steps;
  ending->allowed = judge_run(cluster, &ending->breach, &ending->reached, &ending->attained);
  ending->stands = cluster->held != NULL           ? cluster->held
                   : cluster->idle >= STANDS_AFTER ? cluster->latest
                                                   : NULL;
  ending->broken = ending->breach.bound != NULL || (ending->stands != NULL && ending->allowed);
  ending->mistake = cluster->mistake;
}

static struct ending run_once(const struct run *run) {
  struct cluster cluster;
  struct ending ending = {.started = start(&cluster, run)};
  if (ending.started)
    play(&ending, run, &cluster);
  if (run->invariants && ending.allowed && !ending.broken)
    play_again(&ending, run, &cluster);
  if (ending.broken && run->tell != NULL)
    tell_ending(run, &cluster, &ending);
  cluster_clear(&cluster);
  return ending;
}

static void note_ending(struct outcome *outcome, const struct ending *ending, uint64_t seed) {
  outcome->runs += ending->started;
  outcome->reached += ending->reached;
  outcome->attained += ending->attained;
  if (ending->mistake != NULL) {
    outcome->mistakes++;
    outcome->mistake = ending->mistake;
  }
  if (!ending->broken)
    return;
  if (outcome->breaches++ == 0 || ending->steps < outcome->breach_steps) {
    outcome->broken = ending->breach.bound;
    outcome->breach_steps = ending->steps;
    outcome->breach_seed = seed;
  }
}

void simulate(struct outcome *outcome, const struct model *model, const bool *holds,
              const struct simulation *simulation) {
  *outcome = (struct outcome){0};
  struct run run = {.model = model,
                    .holds = holds,
                    .steps = simulation->steps,
                    .order = simulation->order,
                    .invariants = simulation->invariants};
  for (size_t i = 0; i < simulation->runs; i++) {
    run.seed = simulation->seed + i;
    struct ending ending = run_once(&run);
    note_ending(outcome, &ending, run.seed);
  }
  if (outcome->breaches == 0)
    return;
  struct text text;
  text_init(&text);
  run.tell = &text;
  run.seed = outcome->breach_seed;
  run_once(&run);
  outcome->breach = text_take(&text);
}

void outcome_clear(struct outcome *outcome) {
  mem_free(outcome->breach);
  outcome->breach = NULL;
}
