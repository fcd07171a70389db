/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Takes the model's step for a recorded one: its start, clock reading, costs and end (inside.h).
 */
#include <string.h>

#include "solver/conform/inside.h"

#include "base/duration.h"
#include "solver/judge/valuation.h"

static const struct rational *answer(struct conform *c, int64_t ns) {
  rational_set_integer(&c->answer, ns);
  return &c->answer;
}

static bool is_inside(const struct conform *c, const struct conform_event *part, int64_t slack) {
  return part->role == c->event->role && part->node == c->event->node &&
         part->start >= c->event->start - slack && part->end <= c->event->end + slack;
}

/* Whether the action charges several executions of repeated components, of which it takes a record
 * to know how long each took. */
static bool charges_executions(const struct action *action) {
  size_t count = 0;
  for (size_t i = 0; i < action->cost_count; i++)
    if (action->costs[i]->component->repeated)
      count += action->batches != NULL && action->batches[i] != NULL ? 2 : 1;
  return count > 1;
}

/* The next part of this component in the step that it has not charged yet. Executions have no
 * names: in the order in which they were recorded. */
static const struct conform_event *find_execution(struct conform *c,
                                                  const struct component *component) {
  const struct conform_event *before = c->before[dense(c, c->event)], *found = NULL;
  for (size_t i = 0; i < c->all_count; i++) {
    const struct conform_event *part = &c->all[i];
    if (part->kind != CONFORM_PART || part->what.component != component || !is_inside(c, part, 0) ||
        c->executed[i])
      continue;
    const bool earlier = before != NULL && part->source == before->source &&
                         part->position < before->position; /* one of no length, of that step */
    if (!earlier && (found == NULL || part->position < found->position))
      found = part;
  }
  if (found != NULL) {
    vector_push(&c->executions, found);
    c->executed[found - c->all] = true;
  }
  return found;
}

static const struct conform_event *find_part(struct conform *c, const struct occurrence *o) {
  const struct component *component = values_component(c->interpreter->model, o);
  if (component->repeated)
    return charges_executions(c->step.action) ? find_execution(c, component) : NULL;
  if (c->parts.count == 0)
    return NULL;
  size_t place;
  const struct conform_event *part =
      index_find(&c->parts, component, o->indices, o->index_count, &place);
  if (part != NULL)
    c->charged[place] = true;
  return part;
}

/* What the parts recorded inside the step take together. */
static int64_t parts_inside(const struct conform *c) {
  int64_t sum = 0;
  for (size_t i = 0; i < c->parts.count; i++)
    if (is_inside(c, c->parts.data[i], 0))
      sum += c->parts.data[i]->end - c->parts.data[i]->start;
  for (size_t i = 0; i < c->executions.count; i++)
    sum += c->executions.data[i]->end - c->executions.data[i]->start;
  return sum;
}

/* A cost with a record of its own takes what that says; one without takes the rest of the step.
 * Model and recording differ by where the step starts. */
static const struct rational *cost(struct conform *c, const struct occurrence *o) {
  const struct conform_event *part = find_part(c, o);
  int64_t taken, in_model;
  c->costs_asked++;
  c->repeated_asked += values_component(c->interpreter->model, o)->repeated;
  if (part != NULL && !is_inside(c, part, c->settings.slack_ns))
    misfit(c, CONFORM_MISFIT, part, "is recorded outside the step that charges it");
  if (part != NULL) {
    taken = in_model = part->end - part->start;
  } else {
    int64_t others = parts_inside(c);
    taken = c->event->end - c->event->start - others;
    in_model = since(c, c->event->end) - c->model_start - others;
    c->without_part = o;
    c->count_without++;
  }
  set_value(c, o, taken < 0 ? 0 : taken);
  return answer(c, in_model < 0 ? 0 : in_model);
}

static const struct rational *step_term(const struct occurrence *o, void *context) {
  struct conform *c = context;
  const struct model *model = c->interpreter->model;
  const struct component *timeout = c->step.action->timeout;
  if (o->message != NULL) {
    bool wait = model->queueing != NULL && strcmp(o->component, model->queueing->name) == 0;
    return wait ? values_term(&c->values, o) : answer(c, 0); /* delays: see match_sends */
  }
  if (strcmp(o->component, VALUES_CLOCK_READ) == 0)
    return answer(c, c->read_offset);
  if (timeout != NULL && strcmp(o->component, timeout->name) == 0)
    return values_term(&c->values, o);
  return cost(c, o);
}

static const struct rational *step_bare(const struct component *component, void *context) {
  return values_bare(&((struct conform *)context)->values, component);
}

struct valuation stepping_valuation(struct conform *c) {
  return (struct valuation){step_term, step_bare, c};
}

static void complain(struct conform *c, const char *before, int64_t ns, const char *after) {
  struct text duration;
  text_init(&duration);
  duration_print_nearest(&duration, ns);
  misfit(c, CONFORM_MISFIT, c->event, "%s%s%s", before, text_get(&duration), after);
  text_clear(&duration);
}

/* What complain() just said is about time that no component has. */
static void note_gap(struct conform *c, int64_t ns, bool inside) {
  size_t node = dense(c, c->event);
  bool after_step = !inside && c->free_at[node] == c->model_start;
  if (c->culprit == c->event)
    c->gap = (struct conform_gap){ns, inside, after_step ? c->before[node] : NULL};
}

static void complain_overlap(struct conform *c, const struct conform_event *before, int64_t ns) {
  struct text after;
  text_init(&after);
  text_append(&after, " before the step of the same node before it has ended, ");
  conform_print_event(&after, before);
  complain(c, "starts ", ns, text_get(&after));
  text_clear(&after);
}

bool counts_in(const struct conform *c, const struct action *action) {
  if (action->message != NULL || action->timer != NULL || action->timeout != NULL)
    return false;
  for (size_t i = 0; i < action->cost_count; i++)
    if (c->mentioned[action->costs[i]->component->id])
      return false;
  return action->cost_count != 0;
}

static void count_most(uint64_t *count, int64_t *most, int64_t ns) {
  (*count)++;
  *most = ns > *most ? ns : *most;
}

/* The step starts `late` after the moment at which the model would start it. */
static bool excuse(struct conform *c, int64_t late) {
  const struct model *model = c->interpreter->model;
  const struct action *action = c->step.action;
  if (late <= c->settings.slack_ns) {
    count_most(&c->here.tolerated, &c->here.tolerated_ns, late);
    c->slack_used += late;
    return true;
  }
  if (counts_in(c, action)) {
    count_most(&c->here.counted_in, &c->here.counted_in_ns, late);
    return true;
  }
  if (action->message != NULL && model->queueing != NULL && model->timing != TIMING_ADVANCED) {
    count_most(&c->here.covered, &c->here.covered_ns, late);
    c->model_start += late;
    rational_set_integer(world_clock(c->world, action->role, c->step.node), c->model_start);
    return true;
  }
  complain(c, "starts ", late,
           action->message != NULL ? " after its node was free and its message there: time that "
                                     "belongs to no component"
           : action->timer != NULL ? " after its node was free and its timer had passed: time that "
                                     "belongs to no component"
                                   : " after its node was free: time that belongs to no component");
  note_gap(c, late, false);
  return false;
}

/* Executions of timeouts: of the action, or of the slot that waited for the message. */
static void set_timeout(struct conform *c, const struct component *timeout, int64_t ns) {
  size_t choice = c->step.action->cost_count;
  set_value(c, interpreter_execution(c->interpreter, timeout, c->world->step_count, choice),
            ns < 0 ? 0 : ns);
}

/* The earliest start that the model allows, given that of a timeout. */
static int64_t earliest(struct conform *c, int64_t free_at, int64_t delivered) {
  const struct action *action = c->step.action;
  int64_t start = since(c, c->event->start);
  if (action->message != NULL) {
    if (action->schedule != NULL && action->schedule->timeout != NULL)
      set_timeout(c, action->schedule->timeout, delivered - free_at);
    return delivered > free_at ? delivered : free_at;
  }
  if (action->timeout != NULL) {
    set_timeout(c, action->timeout, start - free_at);
    return start > free_at ? start : free_at;
  }
  if (action->timer == NULL)
    return free_at;
  struct valuation stepping = stepping_valuation(c);
  struct rational from, to;
  rational_init(&from);
  rational_init(&to);
  step_window(&from, &to, c->world, &c->step, &stepping);
  int64_t result = 0;
  rational_ceil(&result, &from);
  rational_clear(&from);
  rational_clear(&to);
  return result;
}

/* When the step starts in the model; false when the recorded start does not fit. */
static bool fit_start(struct conform *c, int64_t delivered) {
  size_t node = dense(c, c->event);
  int64_t slack = c->settings.slack_ns, start = since(c, c->event->start);
  int64_t free_at = c->free_at[node];
  const struct action *action = c->step.action;
  c->model_start = free_at; /* for the values asked for while a timer is worked out */
  c->model_start = earliest(c, free_at, delivered);
  int64_t early = c->model_start - start;
  if (start < free_at - slack) {
    complain_overlap(c, c->before[node], free_at - start);
    return false;
  }
  if (early > slack) {
    complain(c, "starts ", early,
             action->message != NULL ? " before its message arrives" : " before its timer");
    return false;
  }
  if (early > 0) {
    count_most(&c->here.tolerated, &c->here.tolerated_ns, early);
    c->slack_used += early;
  }
  if (early < 0 && !excuse(c, -early))
    return false;
  const struct occurrence *wait = NULL;
  if (action->message != NULL)
    wait = interpreter_wait(c->interpreter, action->message, c->step.fields);
  if (wait != NULL)
    set_value(c, wait, (early > 0 ? c->model_start : start) - delivered);
  return true;
}

static const char *cause(enum step_result result) {
  switch (result) {
  case STEP_WAIT_EXCEEDED:
    return "receives a message that has waited longer than its queueing term";
  case STEP_WAITS_TOO_LONG:
    return "receives a message that arrived after the node had stopped waiting";
  case STEP_OVERTAKES:
    return "receives a message out of turn: messages leave the queue in the order of their "
           "arrival";
  case STEP_PASSES_OVER:
    return "receives a message while one of a higher priority was there";
  case STEP_READ_OUTSIDE:
    return "reads its clock before its start or after its end";
  case STEP_TOO_EARLY:
    return "starts before the step taken before it";
  case STEP_TOO_LATE:
    return "starts after something that was due";
  case STEP_SENT_TWICE:
    return "sends a message that was sent before";
  case STEP_CHARGED_TWICE:
    return "charges an occurrence that was charged before";
  case STEP_TOO_MANY:
    return "sends a message sooner than its arrivals allow";
  case STEP_OVERFLOW:
    return "computes an integer that needs more than 64 bits";
  case STEP_NOT_ENABLED:
  case STEP_TAKEN:
    break;
  }
  return "is not enabled";
}

static enum step_result try_step(struct conform *c) {
  struct valuation stepping = stepping_valuation(c);
  c->costs_asked = 0;
  c->count_without = 0;
  c->without_part = NULL;
  for (size_t i = 0; i < c->executions.count; i++) /* tried with another reading of the clock */
    c->executed[c->executions.data[i] - c->all] = false;
  c->executions.count = 0;
  c->repeated_asked = 0;
  return step_take(c->world, &c->step, c->settings.timed ? &stepping : NULL, NULL);
}

/* Where the reading was not recorded: at the start, or where that does not fit, at the end. */
static enum step_result take(struct conform *c) {
  const struct action *action = c->step.action;
  size_t fields = step_argument_count(action);
  bool recorded = c->event->count > fields;
  c->read_offset = recorded ? c->event->arguments[fields] : 0;
  enum step_result result = try_step(c);
  if (action->read == NULL || recorded || result == STEP_TAKEN || !c->settings.timed)
    return result;
  c->read_offset = since(c, c->event->end) - c->model_start;
  enum step_result later = try_step(c);
  return later == STEP_TAKEN ? later : result;
}

static bool is_repeated(const struct conform *c, const struct occurrence *o) {
  return values_component(c->interpreter->model, o)->repeated;
}

/* That the costs charged explain how long the step took. */
static bool fit_end(struct conform *c) {
  struct rational *clock = world_clock(c->world, c->event->role, c->event->node);
  int64_t end = since(c, c->event->end), in_model = whole(clock);
  int64_t off = end - in_model, slack = c->settings.slack_ns;
  bool unclear =
      c->count_without > 1 ||
      (c->count_without == 1 && (!is_repeated(c, c->without_part) || c->repeated_asked > 1));
  if (c->costs_asked > 1 && unclear) {
    const char *name = is_repeated(c, c->without_part)
                           ? values_component(c->interpreter->model, c->without_part)->name
                           : c->without_part->label;
    misfit(c, CONFORM_MISFIT, c->event, "charges %zu occurrences, but %s has no record of its own",
           c->costs_asked, name);
    return false;
  }
  if (off > slack || off < -slack) {
    if (c->costs_asked == 0)
      complain(c, "takes ", off, ", but charges no component");
    else
      complain(c, off > 0 ? "takes " : "takes less than its parts: ", off > 0 ? off : -off,
               off > 0 ? " longer than its parts together" : " are too much");
    if (off > 0)
      note_gap(c, off, true);
    return false;
  }
  if (off != 0) {
    count_most(&c->here.tolerated, &c->here.tolerated_ns, off < 0 ? -off : off);
    c->slack_used += off < 0 ? -off : off;
    rational_set_integer(clock, end);
  }
  return true;
}

bool take_step(struct conform *c, const struct conform_event *event) {
  const struct action *action = event->what.action;
  size_t fields = step_argument_count(action);
  c->event = event;
  c->step = (struct step){.action = action, .node = event->node};
  for (size_t i = 0; i < fields; i++)
    step_set_argument(&c->step, i, event->arguments[i]);
  size_t number = c->world->step_count;
  int64_t delivered = 0;
  c->executions.count = 0; /* of the step before */
  bool good = (action->message == NULL || match_receipt(c, &delivered)) &&
              (!c->settings.timed || fit_start(c, delivered));
  if (good) {
    enum step_result result = take(c);
    if (result != STEP_TAKEN)
      misfit(c, CONFORM_MISFIT, event, "%s", cause(result));
    good = result == STEP_TAKEN;
  }
  if (!good)
    misfit_allowed(c, event, &c->step);
  good = good && (!c->settings.timed || fit_end(c)) && match_sends(c, number);
  if (!good)
    return false;
  c->here.steps++;
  c->free_at[dense(c, event)] = since(c, event->end);
  c->before[dense(c, event)] = event;
  return true;
}

/* How often the action of a step charges the component, at most. */
static size_t charges(const struct action *action, const struct component *component) {
  size_t count = 0;
  for (size_t i = 0; i < action->cost_count; i++)
    count += action->costs[i]->component == component;
  return count;
}

/* Of a repeated component, whose executions have no names: whether the part is one that the step
 * charges, and is as long as the step where that charges nothing else. */
static bool explains(struct conform *c, const struct conform_event *step,
                     const struct conform_event *part) {
  const struct action *action = step->what.action;
  int64_t slack = c->settings.slack_ns;
  int64_t off = step->end - step->start - (part->end - part->start);
  c->event = step;
  return is_inside(c, part, slack) && charges(action, part->what.component) != 0 &&
         (action->cost_count > 1 || action->batches != NULL || (off <= slack && off >= -slack));
}

/* Parts recorded up to this one that the step would explain. */
static size_t explained(struct conform *c, const struct conform_event *step,
                        const struct conform_event *last) {
  size_t count = 0;
  for (const struct conform_event *part = c->all; part <= last; part++)
    count += part->kind == CONFORM_PART && part->what.component == last->what.component &&
             !c->executed[part - c->all] && explains(c, step, part);
  return count;
}

static bool is_charged(struct conform *c, const struct conform_event *part) {
  for (size_t i = 0; i < c->steps.count; i++) {
    const struct conform_event *step = c->steps.data[i];
    if (explains(c, step, part) &&
        explained(c, step, part) <= charges(step->what.action, part->what.component))
      return true;
  }
  return false;
}

void leftover_parts(struct conform *c) {
  static const char reason[] = "is recorded, but no step recorded charges it";
  for (size_t i = 0; i < c->parts.count; i++)
    if (!c->charged[i])
      misfit(c, CONFORM_LACKS, c->parts.data[i], reason);
  for (size_t i = 0; i < c->all_count; i++) {
    const struct conform_event *part = &c->all[i];
    if (part->kind == CONFORM_PART && part->what.component->repeated && !c->executed[i] &&
        !is_charged(c, part))
      misfit(c, CONFORM_LACKS, part, reason);
  }
}
