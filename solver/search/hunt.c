/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/search/hunt.h"

#include <string.h>

#include "base/seconds.h"
#include "solver/search/draw.h"
#include "solver/judge/event.h"
#include "solver/search/relevance.h"

void hunt_init(struct hunt *hunt, struct interpreter *in) {
  memset(hunt, 0, sizeof *hunt);
  hunt->verdict = HUNT_NOTHING;
  path_init(&hunt->path);
  values_init(&hunt->values, in->model);
  replay_init(&hunt->replay);
}

void hunt_clear(struct hunt *hunt) {
  path_clear(&hunt->path);
  values_clear(&hunt->values);
  replay_clear(&hunt->replay);
}

/* One hunt under way. */
struct chase {
  struct hunt *hunt;
  struct interpreter *interpreter;
  const struct bound *bound; /* NULL: every one */
  struct draw draw;
  int64_t *bindings;
  struct rational time, limit;
  size_t draws;    /* per path */
  bool event_only; /* the event is enough, whether or not it is late */
};

static void chase_init(struct chase *chase, struct hunt *hunt, struct interpreter *in,
                       const struct bound *bound, uint64_t seed) {
  *chase = (struct chase){.hunt = hunt, .interpreter = in, .bound = bound};
  draw_init(&chase->draw, in, seed);
  chase->bindings = mem_alloc(in->model->variable_count, sizeof *chase->bindings);
  rational_init(&chase->time);
  rational_init(&chase->limit);
}

static void chase_clear(struct chase *chase) {
  draw_clear(&chase->draw);
  mem_free(chase->bindings);
  rational_clear(&chase->time);
  rational_clear(&chase->limit);
}

/* Keeps the steps in hunt->path and their values as the result, once the replay agrees. */
static void keep(struct chase *chase, enum hunt_verdict verdict, const struct bound *bound) {
  struct hunt *hunt = chase->hunt;
  static const enum replay_verdict expected[] = {[HUNT_NOTHING] = REPLAY_INVALID,
                                                 [HUNT_EXCEEDED] = REPLAY_EXCEEDED,
                                                 [HUNT_SENT_TWICE] = REPLAY_SENT_TWICE,
                                                 [HUNT_CHARGED_TWICE] = REPLAY_CHARGED_TWICE,
                                                 [HUNT_HAPPENED] = REPLAY_WITHIN};
  values_copy(&hunt->values, &chase->draw.values);
  struct valuation valuation = values_valuation(&hunt->values);
  replay_run(&hunt->replay, chase->interpreter, bound, hunt->path.steps.data,
             hunt->path.steps.count, &valuation);
  bool happened = hunt->replay.verdict == REPLAY_WITHIN || hunt->replay.verdict == REPLAY_EXCEEDED;
  if (verdict == HUNT_HAPPENED ? !happened : hunt->replay.verdict != expected[verdict])
    bug("a hunt and its replay disagree: %s",
        hunt->replay.reason == NULL ? "about the event" : hunt->replay.reason);
  hunt->verdict = verdict;
  hunt->bound = bound;
  hunt->path.binding.count = 0;
  for (size_t i = 0; i < hunt->replay.binding.count; i++)
    vector_push(&hunt->path.binding, hunt->replay.binding.data[i]);
}

static bool breaks(struct chase *chase, const struct world *world, const struct bound *bound) {
  if (bound->expression == NULL)
    return false;
  struct valuation valuation = values_valuation(&chase->draw.values);
  if (!event_worst(&chase->time, &chase->limit, world, bound, &valuation, chase->bindings))
    return false;
  chase->hunt->events++;
  if (rational_compare(&chase->time, &chase->limit) <= 0)
    return false;
  keep(chase, HUNT_EXCEEDED, bound);
  return true;
}

/* Whether the event that is only to happen has; its time does not matter. */
static bool happens(struct chase *chase, const struct world *world) {
  struct hunt *hunt = chase->hunt;
  struct valuation valuation = draw_valuation(&chase->draw);
  if (!event_happened_for_any(world, chase->bound, &valuation, chase->bindings))
    return false;
  keep(chase, HUNT_HAPPENED, chase->bound);
  return hunt->verdict == HUNT_HAPPENED;
}

static bool breaks_any(struct chase *chase, const struct world *world) {
  if (chase->event_only)
    return happens(chase, world);
  if (chase->bound != NULL)
    return breaks(chase, world, chase->bound);
  const struct model *model = chase->interpreter->model;
  for (size_t i = 0; i < model->bounds.count; i++)
    if (breaks(chase, world, model->bounds.items[i]))
      return true;
  return false;
}

/* Takes the step and adds it to the path; whether the execution goes on. */
static bool advance(struct chase *chase, struct world *world, const struct step *step) {
  if (!draw_prepare(&chase->draw, world, step))
    return false;
  struct valuation valuation = draw_valuation(&chase->draw);
  enum step_result result = step_take(world, step, &valuation, NULL);
  vector_push(&chase->hunt->path.steps, *step);
  if (result == STEP_SENT_TWICE)
    keep(chase, HUNT_SENT_TWICE, NULL);
  if (result == STEP_CHARGED_TWICE)
    keep(chase, HUNT_CHARGED_TWICE, NULL);
  if (result != STEP_TAKEN && chase->hunt->verdict == HUNT_NOTHING)
    chase->hunt->path.steps.count--;
  return result == STEP_TAKEN;
}

/* One enabled step, whose wait is allowed, at random; false when there is none. */
static bool random_step(struct chase *chase, struct world *world) {
  step_vector steps = {0};
  step_list(&steps, world);
  chase->hunt->work += 1 + steps.count;
  bool taken = false;
  draw_order(&chase->draw, world, &steps);
  for (size_t i = 0; i < steps.count && !taken && chase->hunt->verdict == HUNT_NOTHING; i++)
    taken = advance(chase, world, &steps.data[i]);
  vector_clear(&steps);
  return taken;
}

static void run_once(struct chase *chase, size_t steps_max) {
  struct hunt *hunt = chase->hunt;
  hunt->runs++;
  hunt->path.steps.count = 0;
  if (!draw_begin(&chase->draw)) {
    hunt->unsatisfied++;
    return;
  }
  struct valuation valuation = draw_valuation(&chase->draw);
  struct world *world = world_new(chase->interpreter, &valuation);
  for (size_t i = 0; !breaks_any(chase, world) && i < steps_max; i++)
    if (!random_step(chase, world))
      break;
  world_free(world);
}

static void run_all(struct chase *chase, const struct hunt_options *options) {
  struct hunt *hunt = chase->hunt;
  double start = seconds_worked();
  hunt->end = EXPLORE_LIMITED;
  while (hunt->runs < options->runs && hunt->verdict == HUNT_NOTHING) {
    if (options->work_max != 0 && hunt->work > options->work_max)
      break;
    if (options->seconds_max > 0 && seconds_worked() - start > options->seconds_max)
      break;
    run_once(chase, options->steps_max);
  }
}

void hunt_random(struct hunt *hunt, struct interpreter *in, const struct bound *bound,
                 const struct hunt_options *options) {
  struct chase chase;
  chase_init(&chase, hunt, in, bound, options->seed);
  run_all(&chase, options);
  chase_clear(&chase);
}

void hunt_event(struct hunt *hunt, struct interpreter *in, const struct bound *bound,
                const struct hunt_options *options) {
  struct chase chase;
  chase_init(&chase, hunt, in, bound, options->seed);
  chase.event_only = true;
  bool *relevant = mem_alloc(in->model->actions.count, sizeof *relevant);
  relevance(relevant, in->model, bound);
  chase.draw.preferred = relevant;
  run_all(&chase, options);
  chase_clear(&chase);
  mem_free(relevant);
}

static void run_path(struct chase *chase, const struct path *path) {
  struct hunt *hunt = chase->hunt;
  hunt->runs++;
  hunt->path.steps.count = 0;
  if (!draw_begin(&chase->draw)) {
    hunt->unsatisfied++;
    return;
  }
  struct valuation valuation = draw_valuation(&chase->draw);
  struct world *world = world_new(chase->interpreter, &valuation);
  bool taken = true;
  for (size_t i = 0; i < path->steps.count && taken; i++)
    taken = advance(chase, world, &path->steps.data[i]);
  if (taken)
    breaks(chase, world, chase->bound);
  world_free(world);
}

static bool try_path(const struct path *path, void *context) {
  struct chase *chase = context;
  for (size_t i = 0; i < chase->draws && chase->hunt->verdict == HUNT_NOTHING; i++)
    run_path(chase, path);
  return chase->hunt->verdict == HUNT_NOTHING;
}

/* A fault does not depend on times; with a model whose waits are limited an execution to it may
 * still not exist for the values drawn, so it is tried like any path. */
static void try_fault(struct chase *chase, const struct explored *explored) {
  for (size_t i = 0; i < chase->draws && chase->hunt->verdict == HUNT_NOTHING; i++)
    run_path(chase, &explored->fault_path);
}

void hunt_paths(struct hunt *hunt, struct interpreter *in, const struct bound *bound,
                const struct explore_limits *limits, size_t draws, uint64_t seed) {
  struct chase chase;
  chase_init(&chase, hunt, in, bound, seed);
  chase.draws = draws;
  struct explored explored;
  explored_init(&explored);
  explore_paths(&explored, in, bound, limits, try_path, &chase);
  if (hunt->verdict == HUNT_NOTHING && explored.fault != STEP_TAKEN)
    try_fault(&chase, &explored);
  hunt->end = explored.end;
  explored_clear(&explored);
  chase_clear(&chase);
}
