/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/simulator/sample.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/parallel.h"
#include "solver/infer/infer.h"
#include "solver/smt/watch.h"
#include "tests/simulator/protocol.h"
#include "tests/simulator/read.h"

/* Counts of the protocols that have something in common. */
struct group {
  const char *name;
  size_t protocols, proved_protocols, undecided, bounds, proved, events, attained, mistakes, broken;
};

enum { GROUPS = 64 };

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
  group->undecided += one->undecided;
  group->bounds += one->bounds;
  group->proved += one->proved;
  group->events += one->events;
  group->attained += one->attained;
  group->mistakes += one->mistakes;
  group->broken += one->broken;
}

static void count_if(struct tally *tally, bool is, const char *name, const struct group *one) {
  if (is)
    count_in(tally, name, one);
}

/* What some hop of the plan has. */
struct features {
  bool gates[GATE_COUNT], against[RIVAL_COUNT];
  bool guarded, scatter, first, fifo, loop, busy, closes, ranked, picks, batch, lacks, crowded,
      added, loses, rivals, paced;
};

static struct features features_of(const struct plan *plan) {
  struct features f = {0};
  for (size_t i = 0; i < plan->hop_count; i++) {
    const struct hop *hop = &plan->hops[i];
    f.gates[hop->gate] = true;
    f.guarded |= hop->guarded;
    f.scatter |= hop->scatter;
    f.first |= hop->first;
    f.fifo |= hop->fifo;
    f.ranked |= hop->ranked;
    f.loop |= hop->loop;
    f.closes |= hop->closes;
    f.busy |= hop->busy || hop->ticks;
    f.picks |= hop->pick != PICK_NONE && !hop->scatter;
    f.lacks |= hop->lack != LACK_NONE;
    f.crowded |= hop->crowded;
    f.loses |= hop->losses != 0;
    f.paced |= hop->paced != 0;
    f.added |= hop->added;
    f.against[hop->rival] = true;
    f.rivals |= hop->rival != RIVAL_NONE;
    f.batch |= hop->settles || (hop->scatter && hop->family == FAMILY_SUMMED) ||
               (hop->price >= PRICE_BATCH && !hop->scatter && !hop->loop);
  }
  return f;
}

/* What some hop may have, beside a family, that can be asked for. */
enum { LOST_COPIES, SUM_OVER_FAMILY, PRIORITY, RESTLESS, READS, PACED, EXTRAS };
static const char *const extras[EXTRAS] = {"lost copies", "sum over a family", "priority",
                                           "restless",    "clock read",        "paced"};

static void count_hops(struct tally *tally, const struct plan *plan, const struct group *one) {
  static const char *const gates[] = {
      "", "gate: step", "gate: timer", "gate: timeout", "gate: message", "deadline"};
  static const char *const against[] = {"", "rival: lower priority", "rival: same priority",
                                        "rival: higher priority", "rival: before it, fifo"};
  struct features f = features_of(plan);
  for (size_t i = 1; i < GATE_COUNT; i++)
    count_if(tally, f.gates[i], gates[i], one);
  for (size_t i = 1; i < RIVAL_COUNT; i++)
    count_if(tally, f.against[i], against[i], one);
  count_if(tally, f.guarded, "guarded receive", one);
  count_if(tally, !f.guarded, "no guarded receive", one);
  count_if(tally, f.closes, "closing guard", one);
  count_if(tally, f.fifo, "fifo", one);
  count_if(tally, f.loop, "schedule", one);
  count_if(tally, f.busy, "busy server", one);
  count_if(tally, f.batch, "cost of a batch", one);
  count_if(tally, f.picks, "choice of a number", one);
  count_if(tally, f.loses, extras[LOST_COPIES], one);
  count_if(tally, f.paced, extras[PACED], one);
  count_if(tally, f.added, extras[SUM_OVER_FAMILY], one);
  count_if(tally, f.rivals, extras[PRIORITY], one);
  count_if(tally, f.scatter, "family", one);
  count_if(tally, f.crowded, "crowded family", one);
  count_if(tally, f.lacks, "a hop's part left out", one);
  count_if(tally, f.first, "first of a family", one);
  count_if(tally, f.ranked, "k-th of a family", one);
}

static const char *const families[] = {
    NULL, "pairs", "groups", "pairs, and back", "groups, summed", "groups, k-th of each"};

static void count_family(struct tally *tally, const struct hop *hop, const struct group *one) {
  static const char *const asks[] = {NULL, "choice of a node", "choice by a guard",
                                     "choice of what is left"};
  if (hop == NULL)
    return;
  count_if(tally, families[hop->family] != NULL, families[hop->family], one);
  count_if(tally, hop->crossed, "pairs, by the other", one);
  count_if(tally, asks[hop->ask] != NULL, asks[hop->ask], one);
  count_if(tally, hop->ask != ASK_NONE && hop->family != FAMILY_PLAIN, "choice of a pair", one);
}

static void count_stream(struct tally *tally, const struct stream *stream,
                         const struct group *one) {
  static const char *const limits[] = {"stream: burst", "stream: burst B", "stream: jitter"};
  count_in(tally, stream->ahead ? "stream: work ahead" : limits[stream->limit], one);
  count_if(tally, stream->paced != 0, "stream: paced", one);
}

static void count_restless(struct tally *tally, enum restless restless, const struct group *one) {
  bool goes_on = restless <= RESTLESS_PERIOD || restless == RESTLESS_PACED;
  bool limited = restless >= RESTLESS_LIMITED;
  if (restless == RESTLESS_NONE)
    return;
  count_in(tally, extras[RESTLESS], one);
  count_in(tally,
           goes_on   ? "restless: goes on"
           : limited ? "restless: limited"
                     : "restless: stops",
           one);
}

static void count_protocol(struct tally *tally, const struct plan *plan, const struct group *one) {
  static const char *const timings[] = {"standard", "advanced", "eager"};
  static const char *const queueing[] = {"standard, queueing", "advanced", "eager, queueing"};
  static const char *const proofs[] = {"proof: waits", "proof: clocks", "proof: arrivals",
                                       "proof: inferred"};
  static const char *const starts[] = {"start: step", "start: timer", "start: timeout",
                                       "start: poll", "start: any time, from"};
  count_in(tally, "all", one);
  if (plan->stream.on) {
    count_stream(tally, &plan->stream, one);
    return;
  }
  count_if(tally, plan->simple, "simple", one);
  count_in(tally, (plan->queueing ? queueing : timings)[plan->timing], one);
  count_in(tally, proofs[plan->proof], one);
  count_in(tally, starts[plan->start], one);
  count_if(tally, plan->chooses != TIMED_NONE, "choice on a timer", one);
  count_if(tally, plan->drop >= 0, "a term dropped", one);
  count_if(tally, plan->reads, extras[READS], one);
  count_restless(tally, plan->restless, one);
  count_hops(tally, plan, one);
  count_family(tally, plan_family(plan), one);
}

static void print_tally(const struct tally *tally) {
  printf("%-22s %9s %9s %9s %8s %8s %10s %10s %8s %7s\n", "", "protocols", "proved", "undecided",
         "bounds", "proved", "events", "at bound", "mistakes", "broken");
  for (const struct group *group = tally->groups;
       group < tally->groups + GROUPS && group->name != NULL; group++)
    printf("%-22s %9zu %9zu %9zu %8zu %8zu %10zu %10zu %8zu %7zu\n", group->name, group->protocols,
           group->proved_protocols, group->undecided, group->bounds, group->proved, group->events,
           group->attained, group->mistakes, group->broken);
}

/* --- judging --- */

struct sample {
  const struct demand *demand;
  struct plan *plans;
  struct group *groups; /* by protocol */
};

/* One protocol under judgement. */
struct trial {
  const struct demand *demand;
  const char *text;
  uint64_t seed;
  struct watch watch;
  volatile int stop;
};

static void stop(void *context) {
  struct trial *trial = context;
  trial->stop = 1;
}

static void judge_model(struct group *one, const struct model *model, struct trial *trial) {
  struct result result;
  struct demand own = *trial->demand;
  own.simulation.seed = trial->seed << 32;
  hold(&result, model, &own, &trial->stop);
  const struct outcome *outcome = &result.outcome;
  *one = (struct group){.undecided = result.undecided,
                        .bounds = result.bounds,
                        .proved = result.held,
                        .events = outcome->reached,
                        .attained = outcome->attained,
                        .mistakes = outcome->mistakes > 0,
                        .broken = outcome->breaches > 0};
  if (outcome->breach != NULL || own.print) {
    flockfile(stdout);
    printf("# simulate --random 1 --seed %" PRIu64 " --runs %zu", trial->seed, own.simulation.runs);
    if (own.kind != NULL)
      printf(" --kind \"%s\"", own.kind);
    printf("\n%s", trial->text);
    result_print(&result, "random");
    printf("\n");
    fflush(stdout);
    funlockfile(stdout);
  }
  outcome_clear(&result.outcome);
}

static void judge_inferred(struct group *one, const struct model *model, struct trial *trial) {
  struct infer_options options = {
      .jobs = 1, .limit_ms = trial->demand->limit_ms, .stop = &trial->stop};
  struct inference inference;
  inference_init(&inference, model, &options);
  judge_model(one, &inference.model, trial);
  inference_clear(&inference);
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

bool sample_has_kind(const char *kind) {
  bool found = false;
  for (size_t i = FAMILY_PLAIN + 1; i < FAMILY_COUNT; i++)
    found = found || strcmp(families[i], kind) == 0;
  for (size_t i = 0; i < EXTRAS; i++)
    found = found || strcmp(extras[i], kind) == 0;
  return found;
}

static bool is_of_kind(const struct plan *plan, const char *kind) {
  if (plan->stream.on)
    return plan->stream.paced != 0 && strcmp(extras[PACED], kind) == 0;
  struct features f = features_of(plan);
  const bool has[EXTRAS] = {f.loses,     f.added,
                            f.rivals,    plan->restless != RESTLESS_NONE,
                            plan->reads, f.paced || plan->restless == RESTLESS_PACED};
  bool found = false;
  for (size_t i = 0; i < EXTRAS; i++)
    found = found || (has[i] && strcmp(extras[i], kind) == 0);
  const struct hop *hop = plan_family(plan);
  return found ||
         (hop != NULL && hop->family != FAMILY_PLAIN && strcmp(families[hop->family], kind) == 0);
}

/* The first of the seed that is wanted. */
static void draw(struct plan *plan, uint64_t seed, const char *kind) {
  struct random random = {seed};
  do
    plan_draw(plan, &random);
  while (kind != NULL && !is_of_kind(plan, kind));
}

static void judge_one(size_t index, void *context) {
  struct sample *sample = context;
  const struct demand *demand = sample->demand;
  struct plan *plan = &sample->plans[index];
  struct text text;
  text_init(&text);
  draw(plan, demand->simulation.seed + index, demand->kind);
  struct model *model = plan_model(plan, &text);
  struct trial trial = {
      .demand = demand, .text = text_get(&text), .seed = demand->simulation.seed + index};
  if (demand->most_ms > 0)
    watch_begin(&trial.watch, demand->most_ms, stop, &trial);
  if (plan->proof == PROOF_INFERRED && !plan->stream.on && !demand->all)
    judge_inferred(&sample->groups[index], model, &trial);
  else
    judge_model(&sample->groups[index], model, &trial);
  if (demand->most_ms > 0)
    watch_end(&trial.watch);
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
