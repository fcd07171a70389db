/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the prover proved must hold wherever the interpreter gets: every proved property of every
 * shipped spec and proved case (the user's invariants, the generated ones, the bounds; of phases
 * also what holds at their start and when they end) is evaluated in every state of many random
 * timed executions. The two share no code, so an encoding that says too much shows here.
 *
 * Prints TAP. Of the files every seventh is looked at, all of them with TEST_ALL.
 */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lang/check.h"
#include "lang/parse.h"
#include "lang/source.h"
#include "solver/judge/valuation.h"
#include "solver/search/draw.h"
#include "solver/judge/evaluate.h"
#include "solver/judge/progress.h"
#include "solver/prove/proof.h"
#include "solver/search/scope.h"

enum { SCOPES = 6, RUNS = 60, RUNS_SAMPLE = 16, STEPS = 30, LOOP_STEPS = 250 };

struct tally {
  const char *file;
  size_t states, evaluations;
  bool phases;       /* everything about the phases is proved */
  char failure[512]; /* the first */
};

static bool is_proved(const struct proof *proof, const struct property *property) {
  for (size_t i = 0; i < proof->obligations.count; i++)
    if (proof->obligations.data[i].property == property && !proof->obligations.data[i].proved)
      return false;
  return property->alive;
}

static void judge(struct tally *tally, bool holds, const char *name, const char *what,
                  uint64_t seed) {
  tally->evaluations++;
  if (!holds && tally->failure[0] == '\0')
    snprintf(tally->failure, sizeof tally->failure, "%s %s (seed %llu)", name, what,
             (unsigned long long)seed);
}

/* `phase` NULL: the properties of the whole execution. */
static void evaluate_properties(const struct proof *proof, struct interpretation *evaluation,
                                const struct phase *phase, uint64_t seed, struct tally *tally) {
  for (size_t i = 0; i < proof->properties.items.count; i++) {
    const struct property *property = &proof->properties.items.data[i];
    if (property->formula != NULL && property->phase == phase && is_proved(proof, property))
      judge(tally, evaluate_holds(evaluation, property->formula), property->name, "does not hold",
            seed);
  }
}

/* What is proved of phases rests on all that is to be proved of phases. */
static bool phases_are_proved(const struct proof *proof) {
  if (proof->properties.phase_count == 0)
    return false;
  for (size_t i = 0; i < proof->obligations.count; i++) {
    const struct obligation *o = &proof->obligations.data[i];
    bool invariant = o->property != NULL && o->property->kind != PROPERTY_BOUND;
    if (!o->proved && (o->phase != NULL || invariant))
      return false;
  }
  return true;
}

struct phase_check {
  const struct proof *proof;
  struct interpretation *evaluation;
  uint64_t seed;
  struct tally *tally;
};

static void check_stage(const struct stage *stage, void *context) {
  const struct phase_check *c = context;
  struct interpretation e = *c->evaluation;
  e.began = stage->began;
  if (stage->begins && stage->phase->start != NULL)
    judge(c->tally, evaluate_holds(&e, stage->phase->start), stage->phase->name,
          "begins without its start", c->seed);
  if (stage->ends)
    judge(c->tally, rational_compare(stage->time, stage->limit) <= 0, stage->phase->name,
          "ends too late", c->seed);
  evaluate_properties(c->proof, &e, stage->phase, c->seed, c->tally);
}

static void evaluate_all(const struct proof *proof, struct interpretation *evaluation,
                         struct progress *progress, uint64_t seed, struct tally *tally) {
  tally->states++;
  evaluate_properties(proof, evaluation, NULL, seed, tally);
  struct phase_check check = {proof, evaluation, seed, tally};
  if (tally->phases)
    progress_visit(progress, evaluation->world, evaluation->valuation, evaluation->bindings,
                   check_stage, &check);
}

static bool take_any(struct draw *draw, struct world *world) {
  step_vector steps = {0};
  step_list(&steps, world);
  bool taken = false;
  draw_order(draw, world, &steps);
  for (size_t i = 0; i < steps.count && !taken; i++) {
    if (!draw_prepare(draw, world, &steps.data[i]))
      continue;
    struct valuation valuation = draw_valuation(draw);
    taken = step_take(world, &steps.data[i], &valuation, NULL) == STEP_TAKEN;
  }
  vector_clear(&steps);
  return taken;
}

static void run_once(const struct proof *proof, struct interpreter *in, uint64_t seed,
                     struct tally *tally) {
  struct draw draw;
  draw_init(&draw, in, seed);
  int64_t *bindings = mem_alloc(proof->properties.variable_count, sizeof *bindings);
  if (draw_begin(&draw)) {
    struct valuation valuation = draw_valuation(&draw);
    struct world *world = world_new(in, &valuation);
    struct interpretation evaluation = {
        .interpreter = in, .world = world, .valuation = &valuation, .bindings = bindings};
    struct progress progress;
    progress_init(&progress, in->model);
    evaluate_all(proof, &evaluation, &progress, seed, tally);
    size_t steps = in->model->schedules.count == 0 ? STEPS : LOOP_STEPS;
    for (size_t i = 0; i < steps && take_any(&draw, world); i++)
      evaluate_all(proof, &evaluation, &progress, seed, tally);
    progress_clear(&progress);
    world_free(world);
  }
  mem_free(bindings);
  draw_clear(&draw);
}

static bool in_full; /* TEST_ALL */

static void run_scopes(const struct proof *proof, struct tally *tally) {
  struct scopes scopes;
  scopes_init(&scopes, proof->properties.model, SCOPE_TWO_FIRST, SCOPES);
  for (size_t s = 0; s < scopes.items.count; s++) {
    struct text message;
    text_init(&message);
    struct interpreter *in =
        interpreter_new(proof->properties.model, scopes.items.data[s], &message);
    for (uint64_t r = 0; r < (in_full ? RUNS : RUNS_SAMPLE); r++)
      run_once(proof, in, 1000 * s + r, tally);
    interpreter_free(in);
    text_clear(&message);
  }
  scopes_clear(&scopes);
}

static bool run_file(const char *file, size_t number) {
  struct tally tally = {.file = file};
  struct text message;
  text_init(&message);
  struct source *source;
  struct diagnostics diagnostics;
  diagnostics_init(&diagnostics);
  if (source_load(&source, file, &message) != STATUS_OK)
    snprintf(tally.failure, sizeof tally.failure, "%s", text_get(&message));
  struct ast *ast = source == NULL ? NULL : parse(source, &diagnostics);
  struct model *model = ast == NULL ? NULL : check(ast, source, &diagnostics);
  if (model != NULL) {
    struct proof_options options = {.jobs = 2, .limit_ms = 10000};
    struct proof proof;
    proof_init(&proof, model, &options);
    tally.phases = phases_are_proved(&proof);
    run_scopes(&proof, &tally);
    proof_clear(&proof);
  }
  bool good = model != NULL && tally.failure[0] == '\0' && tally.states > (in_full ? 100 : 30);
  printf("%s %zu - %s: %zu proved properties evaluated in %zu states%s%s\n", good ? "ok" : "not ok",
         number, file, tally.evaluations, tally.states, tally.failure[0] ? ": " : "",
         tally.failure);
  model_free(model);
  ast_free(ast);
  source_free(source);
  diagnostics_clear(&diagnostics);
  text_clear(&message);
  return good;
}

int main(void) {
  glob_t found = {0};
  if (glob("specs/*.tp", 0, NULL, &found) != 0 ||
      glob("specs/*/*.tp", GLOB_APPEND, NULL, &found) != 0 ||
      glob("tests/cases/proved/*.tp", GLOB_APPEND, NULL, &found) != 0) {
    printf("not ok 1 - no specs found\n");
    return 1;
  }
  const char *all = getenv("TEST_ALL");
  bool good = true;
  in_full = all != NULL && all[0] != '\0';
  size_t number = 0;
  for (size_t i = 0; i < found.gl_pathc; i += in_full ? 1 : 7)
    good = run_file(found.gl_pathv[i], ++number) && good;
  printf("1..%zu\n", number);
  globfree(&found);
  return good ? 0 : 1;
}
