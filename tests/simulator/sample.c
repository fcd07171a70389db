/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/simulator/sample.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/parallel.h"
#include "solver/infer/infer.h"
#include "tests/simulator/protocol.h"
#include "tests/simulator/read.h"

/* Counts of the protocols that have something in common. */
struct group {
  const char *name;
  size_t protocols, proved_protocols, bounds, proved, events, attained, mistakes, broken;
};

enum { GROUPS = 40 };

struct tally {
  struct group groups[GROUPS];
};

static void count_in(struct tally *tally, const char *name, const struct group *one) {
  struct group *group = tally->groups;
  while (group->name != NULL && strcmp(group->name, name) != 0)
    group++;
  if (group == tally->groups + GROUPS)
    bug("more than %d groups", GROUPS);
  group->name = name;
  group->protocols++;
  group->proved_protocols += one->proved > 0;
  group->bounds += one->bounds;
  group->proved += one->proved;
  group->events += one->events;
  group->attained += one->attained;
  group->mistakes += one->mistakes;
  group->broken += one->broken;
}

static void count_hops(struct tally *tally, const struct plan *plan, const struct group *one) {
  static const char *const gates[] = {
      "", "gate: step", "gate: timer", "gate: timeout", "gate: message", "deadline"};
  bool seen[GATE_COUNT] = {false};
  bool guarded = false, scatter = false, first = false, fifo = false, loop = false, busy = false,
       closes = false, ranked = false;
  for (size_t i = 0; i < plan->hop_count; i++) {
    const struct hop *hop = &plan->hops[i];
    seen[hop->gate] = true;
    guarded |= hop->guarded;
    scatter |= hop->scatter;
    first |= hop->first;
    fifo |= hop->fifo;
    ranked |= hop->ranked;
    loop |= hop->loop;
    closes |= hop->closes;
    busy |= hop->busy || hop->ticks;
  }
  for (size_t i = 1; i < GATE_COUNT; i++)
    if (seen[i])
      count_in(tally, gates[i], one);
  if (guarded)
    count_in(tally, "guarded receive", one);
  if (closes)
    count_in(tally, "closing guard", one);
  if (scatter)
    count_in(tally, "family", one);
  if (first)
    count_in(tally, "first of a family", one);
  if (ranked)
    count_in(tally, "k-th of a family", one);
  if (plan_family(plan) == FAMILY_PAIRED)
    count_in(tally, "family of pairs", one);
  if (plan_family(plan) == FAMILY_GROUPED)
    count_in(tally, "family of groups", one);
  if (!guarded)
    count_in(tally, "no guarded receive", one);
  if (fifo)
    count_in(tally, "fifo", one);
  if (loop)
    count_in(tally, "schedule", one);
  if (busy)
    count_in(tally, "busy server", one);
}

static void count_protocol(struct tally *tally, const struct plan *plan, const struct group *one) {
  static const char *const timings[] = {"standard", "advanced", "eager"};
  static const char *const queueing[] = {"standard, queueing", "advanced", "eager, queueing"};
  static const char *const proofs[] = {"proof: waits", "proof: clocks", "proof: arrivals",
                                       "proof: inferred"};
  static const char *const starts[] = {"start: step", "start: timer", "start: timeout",
                                       "start: poll"};
  count_in(tally, "all", one);
  if (plan->stream.on) {
    count_in(tally, plan->stream.ahead ? "stream, work ahead" : "stream", one);
    return;
  }
  count_in(tally, (plan->queueing ? queueing : timings)[plan->timing], one);
  count_in(tally, proofs[plan->proof], one);
  count_in(tally, starts[plan->start], one);
  if (plan->drop >= 0)
    count_in(tally, "a term dropped", one);
  count_hops(tally, plan, one);
}

static void print_tally(const struct tally *tally) {
  printf("%-20s %9s %9s %8s %8s %10s %10s %8s %7s\n", "", "protocols", "proved", "bounds", "proved",
         "events", "at bound", "mistakes", "broken");
  for (const struct group *group = tally->groups;
       group < tally->groups + GROUPS && group->name != NULL; group++)
    printf("%-20s %9zu %9zu %8zu %8zu %10zu %10zu %8zu %7zu\n", group->name, group->protocols,
           group->proved_protocols, group->bounds, group->proved, group->events, group->attained,
           group->mistakes, group->broken);
}

/* --- judging --- */

struct sample {
  const struct demand *demand;
  struct plan *plans;
  struct group *groups; /* by protocol */
};

static void judge_model(struct group *one, const struct model *model, const char *text,
                        uint64_t seed, const struct demand *demand) {
  struct result result;
  struct demand own = *demand;
  own.simulation.seed = seed << 32;
  hold(&result, model, &own);
  const struct outcome *outcome = &result.outcome;
  *one = (struct group){.bounds = result.bounds,
                        .proved = result.held,
                        .events = outcome->reached,
                        .attained = outcome->attained,
                        .mistakes = outcome->mistakes > 0,
                        .broken = outcome->breaches > 0};
  if (outcome->breach != NULL || demand->print) {
    flockfile(stdout);
    printf("# simulate --random 1 --seed %" PRIu64 " --runs %zu\n%s", seed, demand->simulation.runs,
           text);
    result_print(&result, "random");
    printf("\n");
    fflush(stdout);
    funlockfile(stdout);
  }
  outcome_clear(&result.outcome);
}

static struct model *plan_model(const struct plan *plan, struct text *text) {
  struct text message;
  text_init(&message);
  plan_write(text, plan);
  struct source *source = source_from_text("random.tp", text_get(text), text->length);
  struct model *model = read_model(source, &message);
  if (model == NULL)
    bug("a random protocol has mistakes:\n%s%s", text_get(text), text_get(&message));
  source_free(source);
  text_clear(&message);
  return model;
}

static void judge_one(size_t index, void *context) {
  struct sample *sample = context;
  const struct demand *demand = sample->demand;
  uint64_t seed = demand->simulation.seed + index;
  struct random random = {seed};
  struct plan *plan = &sample->plans[index];
  struct text text;
  text_init(&text);
  plan_draw(plan, &random);
  struct model *model = plan_model(plan, &text);
  if (plan->proof == PROOF_INFERRED && !plan->stream.on && !demand->all) {
    struct infer_options options = {.jobs = 1, .limit_ms = demand->limit_ms};
    struct inference inference;
    inference_init(&inference, model, &options);
    judge_model(&sample->groups[index], &inference.model, text_get(&text), seed, demand);
    inference_clear(&inference);
  } else {
    judge_model(&sample->groups[index], model, text_get(&text), seed, demand);
  }
  model_free(model);
  text_clear(&text);
}

enum status sample_judge(const struct demand *demand) {
  struct sample sample = {.demand = demand,
                          .plans = mem_alloc(demand->random, sizeof *sample.plans),
                          .groups = mem_alloc(demand->random, sizeof *sample.groups)};
  struct tally tally = {0};
  parallel_run(demand->jobs, demand->random, judge_one, &sample);
  for (size_t i = 0; i < demand->random; i++)
    count_protocol(&tally, &sample.plans[i], &sample.groups[i]);
  print_tally(&tally);
  mem_free(sample.plans);
  mem_free(sample.groups);
  return result_status(tally.groups[0].broken, tally.groups[0].events);
}
