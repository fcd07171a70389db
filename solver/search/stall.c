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
  const struct message *kind;
  struct interpreter *interpreter;
  struct draw draw;
  step_vector steps; /* of the present execution */
};

/* Whether the message waits at the node of the step, was there before the step started, and is not
 * what it takes. */
static bool waits_beside(const struct stall_watch *watch, const struct world_message *m,
                         const struct step *step, const struct rational *start) {
  bool itself =
      step->action->message == m->message && memcmp(step->fields, m->fields, sizeof m->fields) == 0;
  return m->message == watch->kind && !m->received && !itself && m->receiver == step->node &&
         m->message->receiver == step->action->role && rational_compare(&m->delivered, start) < 0;
}

/* Keeps the execution, with the message that the last step made takeable. */
static void keep(struct stall_watch *watch, const struct world_message *m) {
  struct stall *stall = watch->stall;
  stall->found = true;
  stall->message = m->message;
  memcpy(stall->fields, m->fields, sizeof stall->fields);
  rational_set(&stall->delivered, &m->delivered);
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
      keep(watch, m);
      return true;
    }
  }
  return false;
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
  bool taken = step_take(after, step, &valuation, &record) == STEP_TAKEN;
  if (taken) {
    vector_push(&watch->steps, *step);
    *over = makes_takeable(watch, *world, after, step, &record.start);
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
  for (size_t i = 0; i < steps.count && !taken; i++)
    taken = advance(watch, world, &steps.data[i], over);
  vector_clear(&steps);
  return taken;
}

/* An execution shorter than what was found. */
static void run_once(struct stall_watch *watch, size_t steps_max) {
  watch->steps.count = 0;
  if (!draw_begin(&watch->draw))
    return;
  struct valuation valuation = draw_valuation(&watch->draw);
  struct world *world = world_new(watch->interpreter, &valuation);
  size_t most = watch->stall->found ? watch->stall->steps.count - 1 : steps_max;
  bool over = false;
  while (watch->steps.count < most && !over)
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

void stall_find(struct stall *stall, struct interpreter *in, const struct message *message,
                const struct hunt_options *options) {
  struct stall_watch watch = {.stall = stall, .kind = message, .interpreter = in};
  draw_init(&watch.draw, in, options->seed);
  for (size_t i = 0; i < options->runs; i++) {
    if (options->work_max != 0 && stall->work > options->work_max)
      break;
    run_once(&watch, options->steps_max);
  }
  if (stall->found)
    replay(&watch);
  draw_clear(&watch.draw);
  vector_clear(&watch.steps);
}
