/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Enumerates executions without times up to the order of independent steps (explore.h).
 */
#include <string.h>

#include "base/seconds.h"
#include "solver/judge/evaluate.h"
#include "solver/judge/event.h"
#include "solver/search/explore.h"
#include "solver/search/letter.h"
#include "solver/search/number.h"

enum { SOURCE_NONE = -1, LAP_PRICE = 2 };

struct traces {
  struct explored *explored;
  struct interpreter *interpreter;
  const struct bound *bound;
  const struct explore_limits *limits;
  double start;
  bool (*report)(const struct path *path, void *context);
  void *context;
  struct path path;
  VECTOR(int64_t) sources; /* of each step: the step that sent the message it receives */
  VECTOR(size_t) ends;     /* of each letter of the path: how many steps there are after it */
  size_t price;            /* of the path: its letters, and LAP_PRICE for each lap of idle steps */
  size_t price_exact;      /* only paths of this price are reported; SIZE_MAX: all */
  bool priced_out;         /* the price cut a branch */
  int64_t *bindings;       /* of the bound's variables */
  bool stopped;            /* by the caller of explore_paths */
  bool limited;            /* some limit cut a branch */
  bool over;               /* stop altogether */
};

static bool is_eager(const struct traces *t) {
  return t->interpreter->model->timing == TIMING_EAGER;
}

static bool same_node(const struct step *a, const struct step *b) {
  return a->node == b->node && a->action->role == b->action->role;
}

/* Whether the order of step `at` of the path and the later step, which receives what step `source`
 * sent, matters. */
static bool depends(const struct traces *t, size_t at, const struct step *later, int64_t source) {
  const struct step *earlier = &t->path.steps.data[at];
  return same_node(earlier, later) || source == (int64_t)at ||
         t->interpreter->reads_others[earlier->action->id] ||
         t->interpreter->reads_others[later->action->id];
}

static int64_t source_of(const struct world *world, const struct step *step) {
  const struct world_message *m = step_message(world, step);
  return m == NULL ? SOURCE_NONE : (int64_t)m->sent_by;
}

/* Whether the path followed by a letter that ends with the step is a normal form. */
static bool keeps_normal_form(const struct traces *t, const struct step *step, int64_t source) {
  for (size_t i = is_eager(t) ? 0 : t->ends.count; i > 0; i--) {
    size_t last = t->ends.data[i - 1] - 1;
    if (depends(t, last, step, source))
      return true;
    if (step_compare(&t->path.steps.data[last], step) > 0)
      return false;
  }
  return true;
}

static bool is_last(const struct traces *t, size_t at) {
  for (size_t i = at + 1; i < t->path.steps.count; i++)
    if (depends(t, at, &t->path.steps.data[i], t->sources.data[i]))
      return false;
  return true;
}

static int64_t bound_node(const struct traces *t, const struct world *world) {
  struct interpretation e = {
      .interpreter = t->interpreter, .world = world, .bindings = t->bindings};
  return evaluate_scalar(&e, t->bound->node);
}

/* Whether the event has also happened, at the same time, in the execution without step `at`. */
static bool is_spare(struct traces *t, const struct world *world, size_t at) {
  const struct step *steps = t->path.steps.data;
  bool when = t->bound->target == TARGET_WHEN;
  int64_t node = when ? bound_node(t, world) : 0;
  if (when && steps[at].action->role == t->bound->node->type.role && steps[at].node == node)
    return false;
  struct world *without = world_new(t->interpreter, NULL);
  t->explored->work += t->path.steps.count;
  for (size_t i = 0; i < t->path.steps.count; i++)
    if (i != at && step_take(without, &steps[i], NULL, NULL) != STEP_TAKEN)
      bug("steps that should commute do not");
  bool spare = event_happened(NULL, without, t->bound, NULL, t->bindings) &&
               (!when || bound_node(t, without) == node);
  world_free(without);
  return spare;
}

static bool report_binding(const struct interpretation *e, void *context) {
  struct traces *t = context;
  if (!event_happened(NULL, e->world, t->bound, NULL, t->bindings))
    return true;
  for (size_t i = 0; i < t->path.steps.count && !is_eager(t); i++)
    if (is_last(t, i) && is_spare(t, e->world, i))
      return true;
  t->path.binding.count = 0;
  for (size_t i = 0; i < t->bound->variable_count; i++)
    vector_push(&t->path.binding, t->bindings[t->bound->variables[i]->id]);
  t->explored->paths++;
  t->stopped = !t->report(&t->path, t->context);
  return !t->stopped;
}

static void report_event(struct traces *t, const struct world *world) {
  struct interpretation e = {
      .interpreter = t->interpreter, .world = world, .bindings = t->bindings};
  event_each_happened(&e, t->bound, report_binding, t);
}

static bool beyond_limits(struct traces *t) {
  size_t states = ++t->explored->states;
  bool beyond = (t->limits->states_max != 0 && states > t->limits->states_max) ||
                (t->limits->work_max != 0 && t->explored->work > t->limits->work_max) ||
                (t->limits->seconds_max > 0 && states % 64 == 0 &&
                 seconds_worked() - t->start > t->limits->seconds_max);
  t->limited |= beyond;
  t->over |= beyond;
  return beyond;
}

static void visit(struct traces *t, struct world *world);

static void note_fault(struct traces *t, enum step_result result) {
  if (result == STEP_OVERFLOW || t->explored->fault != STEP_TAKEN)
    return;
  t->explored->fault = result;
  path_copy(&t->explored->fault_path, &t->path);
  t->explored->fault_path.binding.count = 0;
}

static void visit_letter(struct traces *t, const struct world *world, const struct step *steps,
                         const struct letter *letter) {
  const struct step *last = &steps[letter->count - 1];
  struct world *after = world_copy(world);
  enum step_result result = STEP_TAKEN;
  for (size_t i = 0; i < letter->count && result == STEP_TAKEN; i++) {
    vector_push(&t->sources, &steps[i] == last ? source_of(after, last) : SOURCE_NONE);
    vector_push(&t->path.steps, steps[i]);
    result = step_take(after, &steps[i], NULL, NULL);
  }
  vector_push(&t->ends, t->path.steps.count);
  if (result == STEP_TAKEN)
    visit(t, after);
  else
    note_fault(t, result);
  t->ends.count--;
  world_free(after);
}

static void follow(struct traces *t, struct world *world, const struct letters *letters,
                   const struct letter *letter) {
  const struct step *steps = &letters->steps.data[letter->first];
  size_t price = 1 + LAP_PRICE * letter->laps, before = t->path.steps.count;
  if (!keeps_normal_form(t, &steps[letter->count - 1], source_of(world, &steps[letter->count - 1])))
    return;
  if (t->price_exact != SIZE_MAX && t->price + price > t->price_exact) {
    t->priced_out = true;
    return;
  }
  t->price += price;
  visit_letter(t, world, steps, letter);
  t->price -= price;
  t->path.steps.count = t->sources.count = before;
}

static void visit_letters(struct traces *t, struct world *world, bool happened) {
  struct letters letters = {.cut = false};
  bool idles = happened && t->bound->target == TARGET_WHEN;
  size_t left = t->price_exact == SIZE_MAX ? 0 : (t->price_exact - t->price) / LAP_PRICE;
  letters_list(&letters, world, left, !is_eager(t), idles ? t->bound->node->type.role : NULL);
  t->explored->work += 1 + letters.steps.count;
  bool deep = t->price_exact == SIZE_MAX && t->limits->depth_max != 0 &&
              t->path.steps.count >= t->limits->depth_max;
  t->limited |= deep && letters.items.count != 0;
  t->priced_out |= letters.cut;
  for (size_t i = 0; i < letters.items.count && !deep && !t->over; i++)
    follow(t, world, &letters, &letters.items.data[i]);
  letters_clear(&letters);
}

static void visit(struct traces *t, struct world *world) {
  if (beyond_limits(t))
    return;
  bool first_only = t->bound->target != TARGET_WHEN && t->bound->variable_count == 0;
  bool happened = event_happened_for_any(world, t->bound, NULL, t->bindings);
  if (happened && (t->price_exact == SIZE_MAX || t->price == t->price_exact)) {
    report_event(t, world);
    t->over |= t->stopped;
  }
  if (!happened || !first_only)
    visit_letters(t, world, happened);
}

static void visit_from_start(struct traces *t) {
  struct world *world = world_new(t->interpreter, NULL);
  visit(t, world);
  world_free(world);
}

/* Cheap executions first: with idle steps there is no end to those that are not. */
static void visit_by_price(struct traces *t) {
  bool more = true;
  for (size_t price = 0; more && !t->over; price++) {
    t->price_exact = price;
    t->priced_out = false;
    visit_from_start(t);
    more = t->priced_out && (t->limits->depth_max == 0 || price < t->limits->depth_max);
  }
  t->limited |= t->priced_out;
}

static bool has_idles(const struct interpreter *in) {
  for (size_t i = 0; i < in->model->actions.count; i++)
    if (in->idles[i])
      return true;
  return false;
}

/* A bound that counts from each of an endless stream of messages, or from one of them, has
 * executions of any length. */
static bool is_of_stream(const struct bound *bound) {
  return bound_number(bound) != bound->variable_count;
}

void explore_paths(struct explored *explored, struct interpreter *in, const struct bound *bound,
                   const struct explore_limits *limits,
                   bool (*report)(const struct path *path, void *context), void *context) {
  struct traces t = {.explored = explored, .interpreter = in, .bound = bound, .limits = limits};
  t.report = report;
  t.context = context;
  t.start = seconds_worked();
  t.price_exact = SIZE_MAX;
  t.bindings = mem_alloc(in->model->variable_count, sizeof *t.bindings);
  path_init(&t.path);
  if (has_idles(in) || is_of_stream(bound))
    visit_by_price(&t);
  else
    visit_from_start(&t);
  bool limited = t.limited || in->overflow;
  explored->end = t.stopped ? EXPLORE_FOUND : limited ? EXPLORE_LIMITED : EXPLORE_EXHAUSTED;
  path_clear(&t.path);
  vector_clear(&t.sources);
  vector_clear(&t.ends);
  mem_free(t.bindings);
}
