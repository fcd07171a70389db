/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "solver/evaluate.h"
#include "solver/event.h"
#include "solver/explore.h"

enum { SOURCE_NONE = -1 };

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
  int64_t *bindings;       /* of the bound's variables */
  bool stopped;            /* by the caller of explore_paths */
  bool limited;            /* some limit cut a branch */
  bool over;               /* stop altogether */
};

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

/* Whether the path followed by the step is a normal form. */
static bool keeps_normal_form(const struct traces *t, const struct step *step, int64_t source) {
  for (size_t i = t->path.steps.count; i > 0; i--) {
    if (depends(t, i - 1, step, source))
      return true;
    if (step_compare(&t->path.steps.data[i - 1], step) > 0)
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
  struct evaluation e = {.interpreter = t->interpreter, .world = world, .bindings = t->bindings};
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
  for (size_t i = 0; i < t->path.steps.count; i++)
    if (i != at && step_take(without, &steps[i], NULL, NULL) != STEP_TAKEN)
      bug("steps that should commute do not");
  bool spare = event_happened(NULL, without, t->bound, t->bindings) &&
               (!when || bound_node(t, without) == node);
  world_free(without);
  return spare;
}

static bool report_binding(const struct evaluation *e, void *context) {
  struct traces *t = context;
  if (!event_happened(NULL, e->world, t->bound, t->bindings))
    return true;
  for (size_t i = 0; i < t->path.steps.count; i++)
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
  struct evaluation e = {.interpreter = t->interpreter, .world = world, .bindings = t->bindings};
  evaluate_each(&e, t->bound->variables, t->bound->variable_count, report_binding, t);
}

static bool beyond_limits(struct traces *t) {
  size_t states = ++t->explored->states;
  bool beyond = (t->limits->states_max != 0 && states > t->limits->states_max) ||
                (t->limits->seconds_max > 0 && states % 64 == 0 &&
                 explore_seconds() - t->start > t->limits->seconds_max);
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

static void follow(struct traces *t, struct world *world, const struct step *step) {
  int64_t source = source_of(world, step);
  if (!keeps_normal_form(t, step, source))
    return;
  vector_push(&t->path.steps, *step);
  vector_push(&t->sources, source);
  struct world *after = world_copy(world);
  enum step_result result = step_take(after, step, NULL, NULL);
  if (result == STEP_TAKEN)
    visit(t, after);
  else
    note_fault(t, result);
  world_free(after);
  t->path.steps.count--;
  t->sources.count--;
}

static void visit(struct traces *t, struct world *world) {
  if (beyond_limits(t))
    return;
  bool first_only = t->bound->target != TARGET_WHEN && t->bound->variable_count == 0;
  if (event_happened_for_any(world, t->bound, t->bindings)) {
    report_event(t, world);
    t->over |= t->stopped;
    if (first_only)
      return;
  }
  step_vector steps = {0};
  step_list(&steps, world);
  bool deep = t->limits->depth_max != 0 && t->path.steps.count >= t->limits->depth_max;
  t->limited |= deep && steps.count != 0;
  for (size_t i = 0; i < steps.count && !deep && !t->over; i++)
    follow(t, world, &steps.data[i]);
  vector_clear(&steps);
}

void explore_paths(struct explored *explored, struct interpreter *in, const struct bound *bound,
                   const struct explore_limits *limits,
                   bool (*report)(const struct path *path, void *context), void *context) {
  struct traces t = {.explored = explored, .interpreter = in, .bound = bound, .limits = limits};
  t.report = report;
  t.context = context;
  t.start = explore_seconds();
  t.bindings = mem_alloc(in->model->variable_count, sizeof *t.bindings);
  path_init(&t.path);
  struct world *world = world_new(in, NULL);
  visit(&t, world);
  world_free(world);
  bool limited = t.limited || in->overflow;
  explored->end = t.stopped ? EXPLORE_FOUND : limited ? EXPLORE_LIMITED : EXPLORE_EXHAUSTED;
  path_clear(&t.path);
  vector_clear(&t.sources);
  mem_free(t.bindings);
}
