/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/search/attack.h"

#include <string.h>

#include "solver/judge/valuation.h"
#include "solver/search/attack_walk.h"
#include "solver/judge/event.h"

/* Resources, not time, end a query: an answer must not depend on what else the machine does. */
static const struct smt_effort query_effort = {
    .strategy = SMT_QUICK, .resources = 2000000, .limit_ms = 20000};

static bool number(struct attack *a, const struct term *term, int64_t *value) {
  if (term_reads_state(term))
    return false;
  smt_term encoded = encode(&a->encoder, term, NULL);
  if (smt_is_true(a->smt, encoded) || smt_is_false(a->smt, encoded)) {
    *value = smt_is_true(a->smt, encoded);
    return true;
  }
  return smt_is_numeral(a->smt, encoded, value);
}

static bool is_sent_as(struct attack *a, const struct arrival *sent, const struct message *message,
                       const struct term *const *args) {
  if (sent->message != message)
    return false;
  for (size_t i = 0; i < message->field_count; i++) {
    int64_t value;
    if (!number(a, args[i], &value) || value != sent->fields[i])
      return false;
  }
  return true;
}

static const struct arrival *find_arrival(struct attack *a, const struct message *message,
                                          const struct term *const *args) {
  for (size_t i = 0; i < a->arrivals.count; i++)
    if (is_sent_as(a, &a->arrivals.data[i], message, args))
      return &a->arrivals.data[i];
  return NULL;
}

static smt_term target_time(struct attack *a, const struct bound *bound) {
  if (bound->target == TARGET_WHEN) {
    int64_t node;
    if (!number(a, bound->node, &node))
      return NULL;
    return a->clocks[interpreter_node(a->interpreter, bound->node->type.role, node)];
  }
  const struct arrival *arrival = find_arrival(a, bound->message, bound->args);
  if (arrival == NULL)
    return NULL;
  return bound->target == TARGET_SENT ? arrival->end : arrival->delivered;
}

smt_term attack_event_time(struct attack *a, const struct bound *bound) {
  smt_term time = target_time(a, bound);
  if (time == NULL || bound->from == NULL)
    return time;
  const struct arrival *from = find_arrival(a, bound->from, bound->from_args);
  return from == NULL ? NULL : smt_sub(a->smt, time, from->end);
}

static void bind(struct attack *a, const struct bound *bound, const struct path *path) {
  for (size_t i = 0; i < bound->variable_count && i < path->binding.count; i++) {
    const struct variable *v = bound->variables[i];
    encoder_let(&a->encoder, v,
                v->type.kind == TYPE_BOOL ? smt_bool(a->smt, path->binding.data[i] != 0)
                                          : smt_int(a->smt, path->binding.data[i]));
  }
}

smt_term attack_one(struct attack *a) {
  struct rational value;
  rational_init(&value);
  rational_set_integer(&value, 1);
  smt_term term = smt_real(a->smt, &value);
  rational_clear(&value);
  return term;
}

/* Asserts what the goal says of the event; false when it cannot be told from the text of the bound.
 */
static bool demand(struct attack *a, const struct bound *bound, enum attack_goal goal) {
  if (goal == ATTACK_HAPPEN)
    return true;
  smt_term time = attack_event_time(a, bound);
  if (time == NULL || bound->expression == NULL)
    return false;
  smt_term limit = encode(&a->encoder, bound->expression, NULL);
  smt_assert(a->smt, smt_le(a->smt, smt_add(a->smt, limit, attack_one(a)), time));
  return true;
}

smt_term attack_takes_time(struct attack *a) {
  smt_terms each = {0};
  for (size_t i = 0; i < a->chosen.count; i++)
    if (!a->chosen.data[i].is_read)
      vector_push(&each, smt_le(a->smt, attack_one(a), a->chosen.data[i].term));
  smt_term all = smt_and(a->smt, each.data, each.count);
  vector_clear(&each);
  return all;
}

void attack_assume(struct attack *a) {
  const struct model *model = a->interpreter->model;
  for (size_t i = 0; i < model->assumptions.count; i++)
    smt_assert(a->smt, encode(&a->encoder, model->assumptions.items[i]->formula, NULL));
  for (size_t i = 0; i < a->encoder.axioms.count; i++)
    smt_assert(a->smt, a->encoder.axioms.data[i]);
}

enum smt_answer attack_try(struct attack *a) {
  return smt_try(a->smt, &query_effort, NULL);
}

enum smt_answer attack_try_many(struct attack *a, size_t count) {
  struct smt_effort effort = query_effort;
  size_t most = UINT32_MAX / effort.resources;
  effort.resources *= (unsigned)(count < most ? count : most);
  return smt_try(a->smt, &effort, NULL);
}

static bool solve(struct attack *a, const struct bound *bound, enum attack_goal goal) {
  if (!demand(a, bound, goal))
    return false;
  attack_assume(a);
  /* an execution in which everything takes some time is easier to follow than one of zeros */
  smt_push(a->smt);
  smt_assert(a->smt, attack_takes_time(a));
  if (attack_try(a) == SMT_SAT)
    return true;
  smt_pop(a->smt);
  return attack_try(a) == SMT_SAT;
}

/* A step without an index is its bare name, also when the execution does not take it: the bound and
 * the assumptions may speak of it. */
static void set_bare(struct attack *a, struct values *values, const struct component *c,
                     bool indexed, const struct rational *value) {
  const int64_t none[1] = {0};
  if (indexed) {
    values_fix_bare(values, c, value);
    return;
  }
  const struct occurrence *only = interpreter_cost(a->interpreter, c, none);
  if (!values_is_set(values, only))
    values_set(values, only, value);
}

void attack_read(struct attack *a, struct values *values) {
  const struct model *model = a->interpreter->model;
  struct rational value;
  rational_init(&value);
  values_reset(values);
  for (size_t i = 0; i < a->chosen.count; i++)
    if (!values_is_set(values, a->chosen.data[i].occurrence) &&
        smt_value_real(a->smt, a->chosen.data[i].term, &value))
      values_set(values, a->chosen.data[i].occurrence, &value);
  for (size_t i = 0; i < model->components.count; i++) {
    const struct component *c = model->components.items[i];
    bool indexed = c->kind != COMPONENT_STEP || c->index_count != 0 || c->repeated;
    if (smt_value_real(a->smt, encode_bare(&a->encoder, c), &value))
      set_bare(a, values, c, indexed, &value);
  }
  rational_clear(&value);
}

static bool confirmed(const struct replay *replay, enum attack_goal goal) {
  if (goal == ATTACK_EXCEED)
    return replay->verdict == REPLAY_EXCEEDED;
  return replay->verdict == REPLAY_EXCEEDED || replay->verdict == REPLAY_WITHIN;
}

static bool walk(struct attack *a, const struct bound *bound, const struct path *path) {
  attack_begin(a);
  for (size_t i = 0; i < path->steps.count; i++)
    if (!attack_step(a, &path->steps.data[i]))
      return false;
  struct interpretation e = {
      .interpreter = a->interpreter, .world = a->world, .bindings = a->interpreter->scratch};
  for (size_t i = 0; i < path->binding.count; i++)
    e.bindings[bound->variables[i]->id] = path->binding.data[i];
  a->read = NULL;
  if (bound->target == TARGET_WHEN)
    smt_assert(a->smt, attack_residual(a, &e, bound->formula));
  return !a->lost && event_happened(NULL, a->world, bound, NULL, e.bindings);
}

/* The terms of executions before stay in a solver: after so many it is a new one. */
enum { SOLVER_USES = 256 };

void attack_solver_clear(struct attack_solver *solver) {
  smt_free(solver->smt);
  *solver = (struct attack_solver){0};
}

static struct smt *take_solver(struct attack_solver *solver) {
  if (solver == NULL)
    return smt_new();
  if (solver->uses == SOLVER_USES)
    attack_solver_clear(solver);
  if (solver->smt == NULL)
    solver->smt = smt_new_ground();
  if (solver->uses++ != 0)
    smt_clear(solver->smt);
  return solver->smt;
}

bool attack_open(struct attack *a, struct interpreter *interpreter, const struct bound *bound,
                 const struct path *path, struct attack_solver *solver) {
  *a = (struct attack){
      .interpreter = interpreter, .is_own = solver == NULL, .smt = take_solver(solver)};
  encoder_init(&a->encoder, a->smt, interpreter->model, interpreter->params,
               interpreter->model->variable_count);
  bind(a, bound, path);
  return walk(a, bound, path);
}

void attack_close(struct attack *a) {
  world_free(a->world);
  vector_clear(&a->arrivals);
  vector_clear(&a->chosen);
  encoder_clear(&a->encoder);
  if (a->is_own)
    smt_free(a->smt);
}

bool attack_path(struct values *values, struct replay *replay, struct interpreter *interpreter,
                 const struct bound *bound, const struct path *path, enum attack_goal goal,
                 struct attack_solver *solver) {
  struct attack a;
  bool found = attack_open(&a, interpreter, bound, path, solver) && solve(&a, bound, goal);
  if (found) {
    attack_read(&a, values);
    struct valuation valuation = values_valuation(values);
    replay_run(replay, interpreter, bound, path->steps.data, path->steps.count, &valuation);
    found = confirmed(replay, goal);
  }
  attack_close(&a);
  return found;
}
