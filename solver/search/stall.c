/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/search/stall.h"

#include <string.h>

#include "solver/search/draw.h"
#include "solver/search/hunt.h"

void stall_init(struct stall *stall, struct interpreter *in) {
  memset(stall, 0, sizeof *stall);
  rational_init(&stall->delivered);
  values_init(&stall->values, in->model);
  replay_init(&stall->replay);
}

void stall_clear(struct stall *stall) {
  rational_clear(&stall->delivered);
  vector_clear(&stall->steps);
  values_clear(&stall->values);
  replay_clear(&stall->replay);
}

/* One search under way. */
struct stall_watch {
  struct stall *stall;
  const struct stall_wanted *wanted;
  struct interpreter *interpreter;
  struct draw draw;
  step_vector steps; /* of the present execution */
  VECTOR(struct world *)
  moment; /* AGAIN: before its last steps of which none took time, and after each of them */
};

/* Whether the message waits at the node of the step, was there before the step started, and is not
 * what it takes. */
static bool waits_beside(const struct stall_watch *watch, const struct world_message *m,
                         const struct step *step, const struct rational *start) {
  bool itself =
      step->action->message == m->message && memcmp(step->fields, m->fields, sizeof m->fields) == 0;
  return m->message == watch->wanted->message && !m->received && !itself &&
         m->receiver == step->node && m->message->receiver == step->action->role &&
         rational_compare(&m->delivered, start) < 0;
}

/* Keeps the execution; `at`: a moment to tell. */
static void keep(struct stall_watch *watch, const struct rational *at) {
  struct stall *stall = watch->stall;
  stall->found = true;
  rational_set(&stall->delivered, at);
  stall->steps.count = 0;
  for (size_t i = 0; i < watch->steps.count; i++)
    vector_push(&stall->steps, watch->steps.data[i]);
  values_copy(&stall->values, &watch->draw.values);
}

static bool makes_takeable(struct stall_watch *watch, struct world *before, struct world *after,
                           const struct step *step, const struct rational *start) {
  struct valuation valuation = draw_valuation(&watch->draw);
  for (size_t i = 0; i < before->messages.count; i++) {
    const struct world_message *m = &before->messages.data[i];
    if (waits_beside(watch, m, step, start) && !step_could_take(before, m, &valuation) &&
        step_could_take(after, m, &valuation)) {
      watch->stall->message = m->message;
      memcpy(watch->stall->fields, m->fields, sizeof m->fields);
      keep(watch, &m->delivered);
      return true;
    }
  }
  return false;
}

static bool is_wanted(const struct stall_watch *watch, const struct action *action) {
  for (size_t i = 0; i < watch->wanted->action_count; i++)
    if (watch->wanted->actions[i] == action)
      return true;
  return false;
}

/* --- steps that take no time ------------------------------------------------------------------ */

static void forget_moment(struct stall_watch *watch) {
  for (size_t i = 0; i < watch->moment.count; i++)
    world_free(watch->moment.data[i]);
  watch->moment.count = 0;
}

static bool is_same(const struct world *a, const struct world *b, const struct step *step) {
  const struct role *role = step->action->role;
  bool same = world_equal(a, b) && rational_compare(world_clock(a, role, step->node),
                                                    world_clock(b, role, step->node)) == 0;
  for (size_t i = 0; i < a->interpreter->time_count && same; i++)
    same = rational_compare(&a->times[i], &b->times[i]) == 0;
  return same;
}

/* Whether the step before it was of the same node at the same moment, in a row of steps. */
static bool goes_on(const struct stall_watch *watch, const struct world *before,
                    const struct step *step, const struct rational *start) {
  if (watch->moment.count == 0)
    return false;
  const struct step *last = &watch->steps.data[watch->steps.count - 2];
  return last->action->role == step->action->role && last->node == step->node &&
         rational_compare(&before->now, start) == 0;
}

/* Whether the step brings back what was before it or before some steps at this moment. */
static bool comes_back(struct stall_watch *watch, const struct world *before,
                       const struct world *after, const struct step_record *record) {
  const struct step *step = &record->step;
  bool idle = is_wanted(watch, step->action) && rational_compare(&record->start, &record->end) == 0;
  if (!idle || !goes_on(watch, before, step, &record->start))
    forget_moment(watch);
  if (!idle)
    return false;
  if (watch->moment.count == 0)
    vector_push(&watch->moment, world_copy(before));
  for (size_t i = watch->moment.count; i > 0; i--) {
    if (!is_same(watch->moment.data[i - 1], after, step))
      continue;
    watch->stall->round = watch->moment.count + 1 - i;
    keep(watch, &record->start);
    return true;
  }
  vector_push(&watch->moment, world_copy(after));
  return false;
}

/* --- executions ------------------------------------------------------------------------------- */

/* Whether the step that was taken ends the search in this execution. */
static bool is_over(struct stall_watch *watch, struct world *before, struct world *after,
                    const struct step_record *record) {
  switch (watch->wanted->kind) {
  case STALL_DEFERRED:
    return makes_takeable(watch, before, after, &record->step, &record->start);
  case STALL_AGAIN:
    return comes_back(watch, before, after, record);
  default:
    return false;
  }
}

/* A step that must be taken, and may not. */
static void keep_refused(struct stall_watch *watch, struct world *world, const struct step *step) {
  struct valuation valuation = draw_valuation(&watch->draw);
  struct rational start, end;
  rational_init(&start);
  rational_init(&end);
  step_window(&start, &end, world, step, &valuation);
  watch->stall->refused = *step;
  keep(watch, &start);
  rational_clear(&start);
  rational_clear(&end);
}

/* Takes the step in a copy of *world, which it replaces; whether it could be taken. */
static bool advance(struct stall_watch *watch, struct world **world, const struct step *step,
                    bool *over) {
  if (!draw_prepare(&watch->draw, *world, step))
    return false;
  struct valuation valuation = draw_valuation(&watch->draw);
  struct world *after = world_copy(*world);
  struct step_record record;
  record_init(&record);
  enum step_result result = step_take(after, step, &valuation, &record);
  bool taken = result == STEP_TAKEN;
  if (result == STEP_TOO_MANY && watch->wanted->kind == STALL_LIMITED &&
      is_wanted(watch, step->action)) {
    keep_refused(watch, *world, step);
    *over = true;
  }
  if (taken) {
    vector_push(&watch->steps, *step);
    *over = is_over(watch, *world, after, &record);
    world_free(*world);
    *world = after;
  } else {
    world_free(after);
  }
  record_clear(&record);
  return taken;
}

static bool random_step(struct stall_watch *watch, struct world **world, bool *over) {
  step_vector steps = {0};
  step_list(&steps, *world);
  watch->stall->work += 1 + steps.count;
  bool taken = false;
  draw_order(&watch->draw, *world, &steps);
  for (size_t i = 0; i < steps.count && !taken && !*over; i++)
    taken = advance(watch, world, &steps.data[i], over);
  vector_clear(&steps);
  return taken;
}

/* An execution shorter than what was found. */
static void run_once(struct stall_watch *watch, size_t steps_max) {
  watch->steps.count = 0;
  forget_moment(watch);
  if ((watch->stall->found && watch->stall->steps.count == 0) || !draw_begin(&watch->draw))
    return;
  struct valuation valuation = draw_valuation(&watch->draw);
  struct world *world = world_new(watch->interpreter, &valuation);
  bool limited = watch->wanted->kind == STALL_LIMITED;
  size_t most = watch->stall->found ? watch->stall->steps.count - 1 : steps_max;
  bool over = false;
  while (watch->steps.count < most + limited && !over)
    if (!random_step(watch, &world, &over))
      break;
  world_free(world);
}

static void replay(struct stall_watch *watch) {
  struct stall *stall = watch->stall;
  struct valuation valuation = values_valuation(&stall->values);
  replay_run(&stall->replay, watch->interpreter, NULL, stall->steps.data, stall->steps.count,
             &valuation);
  if (stall->replay.verdict != REPLAY_NO_EVENT)
    bug("a stalled execution and its replay disagree: %s",
        stall->replay.reason == NULL ? "about a fault" : stall->replay.reason);
}

void stall_find(struct stall *stall, struct interpreter *in, const struct stall_wanted *wanted,
                const struct hunt_options *options) {
  struct stall_watch watch = {.stall = stall, .wanted = wanted, .interpreter = in};
  draw_init(&watch.draw, in, options->seed);
  for (size_t i = 0; i < options->runs; i++) {
    if (options->work_max != 0 && stall->work > options->work_max)
      break;
    run_once(&watch, options->steps_max);
  }
  if (stall->found)
    replay(&watch);
  draw_clear(&watch.draw);
  forget_moment(&watch);
  vector_clear(&watch.moment);
  vector_clear(&watch.steps);
}
