/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/attack.h"

#include <string.h>

#include "solver/encode.h"

enum { QUERY_LIMIT_MS = 2000 };

struct arrival {
  const struct occurrence *delay; /* identifies the message */
  const struct record_message *sent;
  smt_term end, delivered;
};

struct chosen {
  const struct occurrence *occurrence;
  smt_term term;
};

struct attack {
  struct interpreter *interpreter;
  struct encoder encoder;
  struct smt *smt;
  smt_term *clocks; /* by interpreter_node */
  VECTOR(struct arrival) arrivals;
  VECTOR(struct chosen) chosen; /* every occurrence of the execution */
};

static smt_term term_of(struct attack *a, const struct occurrence *o) {
  const struct model *model = a->interpreter->model;
  const struct message *message = NULL;
  for (size_t i = 0; o->message != NULL && i < model->messages.count; i++)
    if (strcmp(model->messages.items[i]->name, o->message) == 0)
      message = model->messages.items[i];
  smt_term indices[INDEX_COUNT_MAX];
  for (size_t i = 0; i < o->index_count; i++) {
    bool is_bool = message != NULL && message->fields[i].type.kind == TYPE_BOOL;
    indices[i] = is_bool ? smt_bool(a->smt, o->indices[i] != 0) : smt_int(a->smt, o->indices[i]);
  }
  smt_term term =
      encode_occurrence(&a->encoder, values_component(model, o), message, indices, o->index_count);
  vector_push(&a->chosen, (struct chosen){o, term});
  return term;
}

static smt_term receive(struct attack *a, const struct record *record, smt_term clock) {
  for (size_t i = 0; i < a->arrivals.count; i++) {
    const struct arrival *arrival = &a->arrivals.data[i];
    if (arrival->delay != record->wait_delay)
      continue;
    if (record->wait != NULL)
      smt_assert(a->smt, smt_le(a->smt, clock,
                                smt_add(a->smt, arrival->delivered, term_of(a, record->wait))));
    return encode_max(&a->encoder, clock, arrival->delivered);
  }
  bug("a message is received that was never sent");
}

static void add_step(struct attack *a, const struct record *record) {
  const struct action *action = record->step.action;
  smt_term *clock = &a->clocks[interpreter_node(a->interpreter, action->role, record->step.node)];
  if (record->wait_delay != NULL)
    *clock = receive(a, record, *clock);
  for (size_t i = 0; i < record->costs.count; i++)
    *clock = smt_add(a->smt, *clock, term_of(a, record->costs.data[i]));
  for (size_t i = 0; i < record->sent.count; i++) {
    const struct record_message *sent = &record->sent.data[i];
    smt_term delivered = smt_add(a->smt, *clock, term_of(a, sent->delay));
    vector_push(&a->arrivals, (struct arrival){sent->delay, sent, *clock, delivered});
  }
}

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

static bool is_target(struct attack *a, const struct bound *bound,
                      const struct record_message *sent) {
  if (sent->message != bound->message)
    return false;
  for (size_t i = 0; i < bound->arg_count; i++) {
    int64_t value;
    if (!number(a, bound->args[i], &value) || value != sent->fields[i])
      return false;
  }
  return true;
}

/* The time of the bound's event, or NULL when it cannot be told from the text of the bound. */
static smt_term event_time(struct attack *a, const struct bound *bound) {
  if (bound->target == TARGET_WHEN) {
    int64_t node;
    if (!number(a, bound->node, &node))
      return NULL;
    return a->clocks[interpreter_node(a->interpreter, bound->node->type.role, node)];
  }
  for (size_t i = 0; i < a->arrivals.count; i++) {
    const struct arrival *arrival = &a->arrivals.data[i];
    if (is_target(a, bound, arrival->sent))
      return bound->target == TARGET_SENT ? arrival->end : arrival->delivered;
  }
  return NULL;
}

static void bind(struct attack *a, const struct bound *bound, const struct path *path) {
  for (size_t i = 0; i < bound->variable_count && i < path->binding.count; i++) {
    const struct variable *v = bound->variables[i];
    a->encoder.environment[v->id] = v->type.kind == TYPE_BOOL
                                        ? smt_bool(a->smt, path->binding.data[i] != 0)
                                        : smt_int(a->smt, path->binding.data[i]);
  }
}

static smt_term one(struct attack *a) {
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
  smt_term time = event_time(a, bound);
  if (time == NULL)
    return false;
  smt_term limit = encode(&a->encoder, bound->expression, NULL);
  if (goal == ATTACK_EXCEED)
    smt_assert(a->smt, smt_le(a->smt, smt_add(a->smt, limit, one(a)), time));
  else
    smt_assert(a->smt, smt_equal(a->smt, limit, time));
  return true;
}

/* Every occurrence of the execution takes at least 1 ns. */
static void demand_time(struct attack *a) {
  for (size_t i = 0; i < a->chosen.count; i++)
    smt_assert(a->smt, smt_le(a->smt, one(a), a->chosen.data[i].term));
}

static bool solve(struct attack *a, const struct bound *bound, enum attack_goal goal) {
  const struct model *model = a->interpreter->model;
  if (!demand(a, bound, goal))
    return false;
  for (size_t i = 0; i < model->assumptions.count; i++)
    smt_assert(a->smt, encode(&a->encoder, model->assumptions.items[i]->formula, NULL));
  for (size_t i = 0; i < a->encoder.axioms.count; i++)
    smt_assert(a->smt, a->encoder.axioms.data[i]);
  /* an execution in which everything takes some time is easier to follow than one of zeros */
  smt_push(a->smt);
  demand_time(a);
  if (smt_check(a->smt, QUERY_LIMIT_MS, false, NULL) == SMT_SAT)
    return true;
  smt_pop(a->smt);
  return goal != ATTACK_ATTAIN && smt_check(a->smt, QUERY_LIMIT_MS, false, NULL) == SMT_SAT;
}

static void read_values(struct attack *a, struct values *values) {
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
    bool indexed = c->kind != COMPONENT_STEP || c->index_count != 0;
    if (indexed && smt_value_real(a->smt, encode_bare(&a->encoder, c), &value))
      values_fix_bare(values, c, &value);
  }
  rational_clear(&value);
}

static bool confirmed(const struct replay *replay, enum attack_goal goal) {
  if (goal == ATTACK_EXCEED)
    return replay->verdict == REPLAY_EXCEEDED;
  if (goal == ATTACK_HAPPEN)
    return replay->verdict == REPLAY_EXCEEDED || replay->verdict == REPLAY_WITHIN;
  return replay->verdict == REPLAY_WITHIN && rational_sign(&replay->limit) > 0 &&
         rational_compare(&replay->time, &replay->limit) == 0;
}

bool attack_path(struct values *values, struct replay *replay, struct interpreter *interpreter,
                 const struct bound *bound, const struct path *path, enum attack_goal goal) {
  struct attack a = {.interpreter = interpreter, .smt = smt_new()};
  encoder_init(&a.encoder, a.smt, interpreter->model, interpreter->params,
               interpreter->model->variable_count);
  a.clocks = arena_alloc(&a.encoder.arena, interpreter->node_count, sizeof(smt_term));
  for (size_t i = 0; i < interpreter->node_count; i++)
    a.clocks[i] = smt_real_zero(a.smt);
  bind(&a, bound, path);
  struct replay control;
  replay_init(&control);
  replay_run(&control, interpreter, bound, path->steps.data, path->steps.count, NULL);
  for (size_t i = 0; i < control.records.count; i++)
    add_step(&a, &control.records.data[i]);
  bool found = control.verdict == REPLAY_HAPPENED && solve(&a, bound, goal);
  if (found) {
    read_values(&a, values);
    struct valuation valuation = values_valuation(values);
    replay_run(replay, interpreter, bound, path->steps.data, path->steps.count, &valuation);
    found = confirmed(replay, goal);
  }
  replay_clear(&control);
  vector_clear(&a.arrivals);
  vector_clear(&a.chosen);
  encoder_clear(&a.encoder);
  smt_free(a.smt);
  return found;
}
