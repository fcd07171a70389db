/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Holds the bounds, assumptions and requests of an instance against what was recorded (inside.h).
 */
#include <string.h>

#include "solver/conform/inside.h"
#include "base/duration.h"
#include "solver/judge/event.h"

static void note(struct conform *c, size_t index, int64_t time, int64_t begun) {
  const struct bound *bound = c->settings.bounds[index];
  struct happening made = {.bound = index, .time = time, .begun = begun};
  for (size_t i = 0; i < bound->variable_count; i++)
    made.values[i] = c->bindings[bound->variables[i]->id];
  for (size_t i = 0; i < c->happened.count; i++) {
    struct happening *known = &c->happened.data[i];
    if (known->bound != index || memcmp(known->values, made.values, sizeof made.values) != 0)
      continue;
    known->time = time > known->time ? time : known->time;
    return;
  }
  vector_push(&c->happened, made);
}

/* Whether the receiver recorded the message of a bound on its delivery. */
static bool has_arrived(struct conform *c, const struct interpretation *e,
                        const struct bound *bound) {
  int64_t fields[INDEX_COUNT_MAX];
  for (size_t i = 0; i < bound->arg_count; i++)
    fields[i] = evaluate_scalar(e, bound->args[i]);
  return index_find(&c->arrivals, bound->message, fields, bound->arg_count, NULL) != NULL;
}

struct noting {
  struct conform *conform;
  size_t bound;
};

static bool visit(const struct interpretation *e, void *context) {
  const struct noting *noting = context;
  struct conform *c = noting->conform;
  const struct bound *bound = c->settings.bounds[noting->bound];
  struct rational time, begun;
  rational_init(&time);
  rational_init(&begun);
  bool timed = c->settings.timed;
  event_begun(timed ? &begun : NULL, c->world, bound, e->bindings);
  if (event_happened(timed ? &time : NULL, c->world, bound, e->valuation, e->bindings) &&
      (bound->target != TARGET_DELIVERED || has_arrived(c, e, bound)))
    note(c, noting->bound, whole(&time), whole(&begun));
  rational_clear(&time);
  rational_clear(&begun);
  return true;
}

static bool is_sent_now(const struct conform *c, const struct message *message) {
  for (size_t i = 0; i < c->sent_now.count; i++)
    if (c->sent_now.data[i] == message)
      return true;
  return false;
}

void note_events(struct conform *c) {
  struct interpretation e = {.interpreter = c->interpreter,
                             .world = c->world,
                             .valuation = c->settings.timed ? &c->recorded : NULL,
                             .bindings = c->bindings};
  for (size_t i = 0; i < c->settings.bound_count; i++) {
    const struct bound *bound = c->settings.bounds[i];
    struct noting noting = {c, i};
    if (bound->target == TARGET_WHEN || is_sent_now(c, bound->message))
      event_each_happened(&e, bound, visit, &noting);
  }
}

/* The latest step that ended at that time; else the latest. */
static const struct conform_event *step_at(const struct conform *c, int64_t time) {
  const struct conform_event *found = &c->all[0];
  for (size_t i = 0; i < c->steps.count; i++) {
    const struct conform_event *step = c->steps.data[i];
    if (since(c, step->end) == time)
      return step;
    found = found->kind != CONFORM_STEP || step->end > found->end ? step : found;
  }
  return found;
}

static void print_target(struct text *text, const struct bound *bound,
                         const struct happening *happening) {
  text_format(text, "bound %s", bound->name);
  for (size_t i = 0; i < bound->variable_count; i++) {
    text_format(text, "%s%s = ", i == 0 ? " for " : ", ", bound->variables[i]->name);
    interpreter_print_value(text, &bound->variables[i]->type, happening->values[i]);
  }
}

static void complain_bound(struct conform *c, const struct happening *happening, int64_t limit) {
  struct text what, took, most;
  text_init(&what);
  text_init(&took);
  text_init(&most);
  print_target(&what, c->settings.bounds[happening->bound], happening);
  const struct message *from = c->settings.bounds[happening->bound]->from;
  duration_print_nearest(&took, happening->time - happening->begun);
  duration_print_nearest(&most, limit);
  misfit(c, CONFORM_MISFIT, step_at(c, happening->time),
         "brings about the event of %s %s after the %s%s, and the recorded values allow %s",
         text_get(&what), text_get(&took), from == NULL ? "start" : "sending of ",
         from == NULL ? "" : from->name, text_get(&most));
  text_clear(&what);
  text_clear(&took);
  text_clear(&most);
}

static void keep_tightest(struct conform_tightness *kept, int64_t time, int64_t limit,
                          uint32_t instance) {
  bool larger =
      kept->happened == 0 || (__int128)time * kept->limit_ns > (__int128)kept->time_ns * limit;
  kept->happened++;
  if (larger) {
    kept->time_ns = time;
    kept->limit_ns = limit;
    kept->instance = instance;
  }
}

static int64_t tolerance(const struct conform *c, int64_t time) {
  int64_t values = (int64_t)(c->here.steps + 2 * c->here.messages);
  return c->slack_used + c->settings.rounding_ns * values +
         (int64_t)((__int128)time * (int64_t)c->settings.rate_ppb / 1000000000);
}

static void judge_bounds(struct conform *c) {
  struct interpretation e = {
      .interpreter = c->interpreter, .valuation = &c->recorded, .bindings = c->bindings};
  for (size_t i = 0; i < c->happened.count; i++) {
    const struct happening *happening = &c->happened.data[i];
    const struct bound *bound = c->settings.bounds[happening->bound];
    for (size_t v = 0; v < bound->variable_count; v++)
      c->bindings[bound->variables[v]->id] = happening->values[v];
    if (bound->expression == NULL)
      continue;
    evaluate_time(&c->limit, &e, bound->expression);
    int64_t limit = whole(&c->limit), took = happening->time - happening->begun;
    if (took > limit + tolerance(c, happening->time))
      complain_bound(c, happening, limit);
  }
}

/* What an event is worth to a component: 0 to one that it is not of. */
static int64_t worth(const struct conform_event *event, const struct component *component) {
  int64_t taken = event->end - event->start;
  if (event->kind == CONFORM_ARRIVAL)
    return event->what.message->delay == component ? taken : 0;
  if (event->kind == CONFORM_WAIT)
    return component->kind == COMPONENT_QUEUEING ? taken : 0;
  if (event->kind == CONFORM_PART)
    return event->what.component == component ? taken : 0;
  const struct action *action = event->what.action;
  bool only = event->kind == CONFORM_STEP && action->cost_count == 1 && action->batches == NULL;
  return only && action->costs[0]->component == component ? taken : 0;
}

/* The event with the largest value of any component that the formula mentions. */
static void find_largest(const struct conform *c, const struct term *term, int64_t *most,
                         const struct conform_event **event) {
  for (size_t i = 0; term->component != NULL && i < c->all_count; i++) {
    bool can = c->all[i].kind != CONFORM_REQUEST && c->all[i].kind != CONFORM_SEND &&
               c->all[i].kind != CONFORM_BEGINNING && c->all[i].kind != CONFORM_FOREIGN;
    int64_t here = can ? worth(&c->all[i], term->component) : 0;
    if (here > *most) {
      *most = here;
      *event = &c->all[i];
    }
  }
  for (size_t i = 0; i < term->count; i++)
    find_largest(c, term->args[i], most, event);
}

static void judge_assumptions(struct conform *c) {
  const struct assumption *broken;
  if (interpreter_assumptions_hold(c->interpreter, &c->recorded, &broken))
    return;
  c->unmet = true;
  int64_t most = 0;
  const struct conform_event *event = &c->all[0];
  find_largest(c, broken->formula, &most, &event);
  struct text took;
  text_init(&took);
  duration_print_nearest(&took, most);
  if (most == 0)
    misfit(c, CONFORM_MISFIT, event, "is of an instance in which the assumption %s does not hold",
           broken->text);
  else
    misfit(c, CONFORM_MISFIT, event, "takes %s, so the assumption %s does not hold",
           text_get(&took), broken->text);
  text_clear(&took);
}

static void judge_request(struct conform *c, const struct conform_event *request) {
  int64_t latest = -1, earliest = INT64_MAX;
  for (size_t i = 0; i < c->happened.count; i++) {
    int64_t time = c->happened.data[i].time;
    latest = time > latest ? time : latest;
    earliest = time < earliest ? time : earliest;
  }
  if (c->happened.count == 0) {
    misfit(c, CONFORM_LACKS, request,
           "is recorded as answered, but the event of no bound judged "
           "has happened");
    return;
  }
  int64_t took = request->end - request->start;
  int64_t before = earliest - since(c, request->end);
  if (c->settings.timed && before > tolerance(c, earliest) + c->settings.slack_ns) {
    struct text early;
    text_init(&early);
    duration_print_nearest(&early, before);
    misfit(c, CONFORM_MISFIT, request, "is answered %s before the event of its bound happens",
           text_get(&early));
    text_clear(&early);
    return;
  }
  if (!c->settings.timed || took <= latest + tolerance(c, took) + c->settings.slack_ns)
    return;
  struct text users, events;
  text_init(&users);
  text_init(&events);
  duration_print_nearest(&users, took);
  duration_print_nearest(&events, latest);
  misfit(c, CONFORM_MISFIT, request,
         "took %s, but the steps recorded from its first to the event "
         "of its bound only %s: the rest belongs to no component",
         text_get(&users), text_get(&events));
  text_clear(&users);
  text_clear(&events);
}

/* Or observations would be counted twice. */
static void complain_again(struct conform *c, const struct conform_event *request) {
  misfit(c, CONFORM_MISFIT, request, "is recorded a second time in one instance");
}

bool judge_instance(struct conform *c) {
  const struct conform_event *answered = NULL;
  if (c->settings.timed) {
    judge_assumptions(c);
    judge_bounds(c);
  }
  for (size_t i = 0; i < c->all_count; i++)
    if (c->all[i].kind == CONFORM_REQUEST) {
      if (answered != NULL && strcmp(answered->what.text, c->all[i].what.text) == 0)
        complain_again(c, &c->all[i]);
      answered = &c->all[i];
      if (c->settings.bound_count != 0 && c->culprit == NULL)
        judge_request(c, &c->all[i]);
    }
  return c->settings.must_complete ? answered != NULL : c->happened.count != 0;
}

void keep_tightness(struct conform *c) {
  struct interpretation e = {
      .interpreter = c->interpreter, .valuation = &c->recorded, .bindings = c->bindings};
  for (size_t i = 0; i < c->happened.count; i++) {
    const struct happening *happening = &c->happened.data[i];
    const struct bound *bound = c->settings.bounds[happening->bound];
    for (size_t v = 0; v < bound->variable_count; v++)
      c->bindings[bound->variables[v]->id] = happening->values[v];
    rational_set_integer(&c->limit, 0);
    if (bound->expression != NULL && c->settings.timed)
      evaluate_time(&c->limit, &e, bound->expression);
    keep_tightest(&c->tightness[happening->bound], happening->time - happening->begun,
                  whole(&c->limit), c->all[0].instance);
  }
}
