/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/judge/replay.h"

#include <string.h>

#include "base/text.h"
#include "solver/judge/event.h"
#include "solver/judge/valuation.h"
#include "solver/judge/world_index.h"

/* From so many steps on a replay pays for an index of its messages. */
enum { LONG = 512 };

void replay_init(struct replay *replay) {
  memset(replay, 0, sizeof *replay);
  replay->verdict = REPLAY_NO_EVENT;
  rational_init(&replay->begun);
  rational_init(&replay->time);
  rational_init(&replay->limit);
}

static void release(struct replay *replay) {
  record_vector_clear(&replay->records);
  vector_clear(&replay->binding);
  mem_free(replay->reason);
  replay->reason = NULL;
}

void replay_clear(struct replay *replay) {
  release(replay);
  rational_clear(&replay->begun);
  rational_clear(&replay->time);
  rational_clear(&replay->limit);
}

/* A valuation that remembers the first value it passed on that no execution could have. */
struct checked {
  const struct model *model;
  const struct valuation *given;
  const struct occurrence *wrong;
};

static const struct rational *checked_bare(const struct component *component, void *context) {
  const struct checked *checked = context;
  return checked->given->bare(component, checked->given->context);
}

static const struct rational *checked_term(const struct occurrence *occurrence, void *context) {
  struct checked *checked = context;
  const struct rational *value = checked->given->term(occurrence, checked->given->context);
  const struct component *component = values_component(checked->model, occurrence);
  const struct rational *bare = component == NULL ? NULL : checked_bare(component, checked);
  bool wrong = rational_sign(value) < 0 || (bare != NULL && rational_compare(value, bare) > 0);
  if (wrong && checked->wrong == NULL)
    checked->wrong = occurrence;
  return value;
}

static void judge_event(struct replay *replay, struct world *world, const struct bound *bound,
                        const struct valuation *valuation) {
  int64_t *bindings = mem_alloc(world->interpreter->model->variable_count, sizeof *bindings);
  bool happened;
  if (valuation == NULL) {
    happened = event_happened_for_any(world, bound, NULL, bindings);
    replay->verdict = happened ? REPLAY_HAPPENED : REPLAY_NO_EVENT;
  } else {
    happened = event_worst(&replay->time, &replay->limit, world, bound, valuation, bindings);
    if (happened)
      event_begun(&replay->begun, world, bound, bindings);
    bool exceeded = happened && bound->expression != NULL &&
                    rational_compare(&replay->time, &replay->limit) > 0;
    replay->verdict = exceeded ? REPLAY_EXCEEDED : happened ? REPLAY_WITHIN : REPLAY_NO_EVENT;
  }
  for (size_t i = 0; happened && i < bound->variable_count; i++)
    vector_push(&replay->binding, bindings[bound->variables[i]->id]);
  mem_free(bindings);
}

static const char *cause(enum step_result result) {
  switch (result) {
  case STEP_NOT_ENABLED:
    return "is not enabled";
  case STEP_WAIT_EXCEEDED:
    return "receives a message that has waited longer than its queueing term";
  case STEP_SENT_TWICE:
    return "sends again";
  case STEP_CHARGED_TWICE:
    return "charges again";
  case STEP_WAITS_TOO_LONG:
    return "receives a message delivered after the node has stopped waiting";
  case STEP_OVERTAKES:
    return "receives a message out of the order of delivery";
  case STEP_PASSES_OVER:
    return "receives a message while one of a higher priority was there";
  case STEP_READ_OUTSIDE:
    return "reads its clock before its start or after its end";
  case STEP_TOO_EARLY:
    return "starts before the step taken before it";
  case STEP_TOO_LATE:
    return "starts after something that was due";
  case STEP_TOO_MANY:
    return "sends a message sooner than its arrivals allow";
  case STEP_OVERFLOW:
    return "computes an integer that needs more than 64 bits";
  case STEP_TAKEN:
    break;
  }
  return "is taken";
}

static void explain_step(struct replay *replay, const struct step_record *record, size_t number) {
  struct text text;
  text_init(&text);
  text_format(&text, "step %zu, ", number + 1);
  step_print(&text, &record->step);
  text_format(&text, ", %s", cause(record->result));
  if (record->fault != NULL)
    text_format(&text, " %s", record->fault);
  replay->reason = text_take(&text);
  replay->verdict = record->result == STEP_SENT_TWICE      ? REPLAY_SENT_TWICE
                    : record->result == STEP_CHARGED_TWICE ? REPLAY_CHARGED_TWICE
                                                           : REPLAY_INVALID;
}

static void invalidate(struct replay *replay, const char *before, const char *what,
                       const char *after) {
  struct text text;
  text_init(&text);
  text_format(&text, "%s%s%s", before, what, after);
  mem_free(replay->reason);
  replay->reason = text_take(&text);
  replay->verdict = REPLAY_INVALID;
}

/* Whether all steps were taken; else the replay says why not. */
static bool take_all(struct replay *replay, struct world *world, const struct step *steps,
                     size_t count, const struct valuation *valuation) {
  for (size_t i = 0; i < count; i++) {
    if (replay->brief && step_take(world, &steps[i], valuation, NULL) == STEP_TAKEN)
      continue;
    struct step_record record;
    record_init(&record);
    enum step_result result = step_take(world, &steps[i], valuation, &record);
    vector_push(&replay->records, record);
    if (result != STEP_TAKEN) {
      explain_step(replay, &replay->records.data[replay->records.count - 1], i);
      return false;
    }
  }
  return true;
}

void replay_run(struct replay *replay, struct interpreter *in, const struct bound *bound,
                const struct step *steps, size_t count, const struct valuation *valuation) {
  release(replay);
  replay->verdict = REPLAY_NO_EVENT;
  struct checked checked = {in->model, valuation, NULL};
  struct valuation checking = {checked_term, checked_bare, &checked};
  const struct valuation *used = valuation == NULL ? NULL : &checking;
  struct world *world = world_new(in, used);
  if (count >= LONG)
    world_index_begin(world);
  if (take_all(replay, world, steps, count, used) && bound != NULL)
    judge_event(replay, world, bound, used);
  const struct assumption *broken;
  if (valuation != NULL && !interpreter_assumptions_hold(in, used, &broken))
    invalidate(replay, "the assumption ", broken->text, " does not hold");
  if (checked.wrong != NULL)
    invalidate(replay, "the value of ", checked.wrong->label,
               " is negative or larger than its bare name's");
  world_free(world);
}
