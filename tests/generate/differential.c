/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * differential FILE.tp STEPS [SEED]: random steps of generated code and of the independent
 * interpreter (solver/judge), which knows nothing of it: from any state of a node, not only those
 * that executions reach, and with any message. Verdicts, states and sends must be the same. Linked
 * with the generated code and its glue (glue.h), so one program for each protocol. Prints what
 * differed, or a line of numbers; exits with 1 on a difference or an action that was never taken.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "lang/check.h"
#include "lang/parse.h"
#include "lang/source.h"
#include "solver/judge/step.h"
#include "solver/judge/valuation.h"
#include "steps/tp_step.h"
#include "tests/generate/glue.h"

/* Times, in ns: the costs of a step, and of everything that may wait. */
enum { COST = 10, LONG = 1000000000, WORLDS = 64, TIME = 3000 };

struct bench {
  const struct model *model;
  struct interpreter *interpreter;
  int64_t *params, *constants, **cells, (*storage)[TP_NODES];
  struct rational *bare; /* by component id */
  struct rational cost, wait, read;
  struct valuation valuation;
  uint64_t seed;
  size_t *taken, compared, disabled, ranged, skipped;
};

static uint64_t draw(struct bench *b, uint64_t below) {
  b->seed ^= b->seed << 13;
  b->seed ^= b->seed >> 7;
  b->seed ^= b->seed << 17;
  return (b->seed >> 11) % below;
}

static int64_t draw_integer(struct bench *b) {
  switch (draw(b, 8)) {
  case 0:
    return -1;
  case 1:
    return (int64_t)draw(b, 1000) - 500;
  case 2:
    return draw(b, 16) == 0 ? (draw(b, 2) ? TP_INT_MAX : -TP_INT_MAX) : 0;
  case 3:
  case 4:
    return (int64_t)draw(b, 18);
  default:
    return (int64_t)draw(b, 4);
  }
}

static int64_t draw_set(struct bench *b, int64_t size) {
  uint64_t all = size == 64 ? UINT64_MAX : ((uint64_t)1 << size) - 1, any = b->seed ^ b->seed << 32;
  switch (draw(b, 5)) {
  case 0:
    return 0;
  case 1:
    return (int64_t)all;
  case 2:
    return (int64_t)(all & ~((uint64_t)1 << draw(b, (uint64_t)size)));
  default:
    return (int64_t)(all & (any ^ any >> 17));
  }
}

static int64_t draw_value(struct bench *b, const struct type *type) {
  switch (type->kind) {
  case TYPE_BOOL:
    return (int64_t)draw(b, 2);
  case TYPE_ENUM:
    return (int64_t)draw(b, type->enumeration->count);
  case TYPE_NODE:
    return (int64_t)draw(b, (uint64_t)b->interpreter->role_sizes[type->role->id]);
  case TYPE_SET:
    return draw_set(b, b->interpreter->role_sizes[type->role->id]);
  default:
    return draw_integer(b);
  }
}

/* --- times ------------------------------------------------------------------------------------ */

static const struct rational *term_value(const struct occurrence *occurrence, void *context) {
  const struct bench *b = context;
  const struct component *component = values_component(b->model, occurrence);
  if (component == NULL)
    return &b->read;
  return component->kind == COMPONENT_QUEUEING ? &b->wait : &b->cost;
}

static const struct rational *bare_value(const struct component *component, void *context) {
  const struct bench *b = context;
  return &b->bare[component->id];
}

/* --- one protocol at random parameters -------------------------------------------------------- */

static void draw_parameters(struct bench *b) {
  struct text message;
  text_init(&message);
  interpreter_free(b->interpreter);
  b->interpreter = NULL;
  for (size_t tries = 0; b->interpreter == NULL && tries < 100000; tries++) {
    for (size_t i = 0; i < b->model->params.count; i++)
      b->params[i] = (int64_t)draw(b, draw(b, 8) == 0 ? 32 : 5);
    text_clear(&message);
    b->interpreter = interpreter_new(b->model, b->params, &message);
  }
  if (b->interpreter == NULL) {
    printf("no parameters: %s\n", text_get(&message));
    exit(STATUS_INTERNAL);
  }
  text_clear(&message);
  for (size_t i = 0; i < b->model->components.count; i++) {
    bool constant = b->model->components.items[i]->kind == COMPONENT_CONSTANT;
    b->constants[i] = constant ? 1 + (int64_t)draw(b, 500) : LONG;
    rational_set_integer(&b->bare[i], b->constants[i]);
  }
  glue_params(b->params, b->constants);
}

static int64_t integer_of(const struct rational *value) {
  int64_t n;
  if (!rational_is_integer(value) || !rational_floor(&n, value)) {
    printf("a time that is no integer\n");
    exit(STATUS_INTERNAL);
  }
  return n;
}

static size_t width_of(const struct bench *b, const struct state *state) {
  return state->type.kind == TYPE_MAP ? (size_t)b->interpreter->role_sizes[state->type.role->id]
                                      : 1;
}

/* Whether a node takes the action: not an external one, and no loss, which is the network's. */
static bool is_step(const struct action *action) {
  return !action->role->external && !action->loses;
}

static bool has_cells(const struct state *state, const struct role *role) {
  return state->role == role && !state->ghost && state->loses == NULL;
}

/* The state of a node as the generated code has it. */
static void copy_cells(struct bench *b, const struct world *world, const struct role *role,
                       int64_t node) {
  for (size_t i = 0; i < b->model->states.count; i++) {
    const struct state *state = b->model->states.items[i];
    if (!has_cells(state, role))
      continue;
    memset(b->storage[i], 0, sizeof b->storage[i]);
    if (state->type.kind == TYPE_TIME)
      b->storage[i][0] = integer_of(world_time(world, state, node));
    else
      memcpy(b->storage[i], world_cell(world, state, node), width_of(b, state) * sizeof(int64_t));
  }
}

static bool same_cells(const struct bench *b, const struct world *world, const struct role *role,
                       int64_t node, const struct state **different) {
  for (size_t i = 0; i < b->model->states.count; i++) {
    const struct state *state = b->model->states.items[i];
    *different = state;
    if (!has_cells(state, role))
      continue;
    if (state->type.kind == TYPE_TIME
            ? b->storage[i][0] != integer_of(world_time(world, state, node))
            : memcmp(b->storage[i], world_cell(world, state, node),
                     width_of(b, state) * sizeof(int64_t)) != 0)
      return false;
  }
  return true;
}

static bool fits(const struct type *type, int64_t value) {
  return type->kind != TYPE_INT || (-TP_INT_MAX <= value && value <= TP_INT_MAX);
}

/* --- one step --------------------------------------------------------------------------------- */

/* The slot of a loop is that of the step as often as not. */
static int64_t draw_cell(struct bench *b, const struct state *state, const struct step *step) {
  const struct schedule *schedule = step->action->schedule;
  if (schedule != NULL && state == schedule->state && draw(b, 2) == 0)
    return (int64_t)step->action->slot;
  return draw_value(b, state->type.kind == TYPE_MAP ? state->type.element : &state->type);
}

static void draw_world(struct bench *b, struct world *world, const struct step *step) {
  const struct role *role = step->action->role;
  for (size_t i = 0; i < b->model->states.count; i++) {
    const struct state *state = b->model->states.items[i];
    if (state->role != role)
      continue;
    if (state->type.kind == TYPE_TIME)
      rational_set_integer(world_time(world, state, step->node), (int64_t)draw(b, TIME));
    else
      for (size_t k = 0; k < width_of(b, state); k++)
        world_cell(world, state, step->node)[k] = draw_cell(b, state, step);
  }
  for (size_t i = 0; i < b->model->roles.count; i++) /* no other node is late for a timer */
    for (int64_t node = 0; node < b->interpreter->role_sizes[i]; node++)
      rational_set_integer(world_clock(world, b->model->roles.items[i], node), LONG);
  rational_set_integer(world_clock(world, role, step->node), (int64_t)draw(b, TIME));
}

static void draw_step(struct bench *b, struct step *step) {
  do
    step->action = b->model->actions.items[draw(b, b->model->actions.count)];
  while (!is_step(step->action));
  step->node = (int64_t)draw(b, (uint64_t)b->interpreter->role_sizes[step->action->role->id]);
  memset(step->fields, 0, sizeof step->fields);
  const struct message *message = step->action->message;
  for (size_t i = 0; message != NULL && i < message->field_count; i++) {
    step->fields[i] = draw_value(b, &message->fields[i].type);
    if (step->action->fields[i] == step->action->node || (int)i == message->receiver_field)
      step->fields[i] = step->node;
    for (size_t j = 0; j < i; j++)
      if (step->action->fields[j] == step->action->fields[i])
        step->fields[i] = step->fields[j];
  }
}

static bool was_sent(const struct world_message *m, const struct glue_sent *sent) {
  for (size_t i = 0; i < sent->count; i++)
    if (sent->items[i].message == m->message->id && sent->items[i].receiver == m->receiver &&
        memcmp(sent->items[i].fields, m->fields, sizeof m->fields) == 0)
      return true;
  return false;
}

static bool same_sends(const struct world *world, const struct glue_sent *sent) {
  size_t count = 0;
  for (size_t i = 0; i < world->messages.count; i++) {
    const struct world_message *m = &world->messages.data[i];
    count += !m->received;
    if (!m->received && !was_sent(m, sent))
      return false;
  }
  return count == sent->count;
}

/* Whether all integers that the step has stored or sent fit. */
static bool all_fit(const struct bench *b, const struct world *world, const struct step *step) {
  for (size_t i = 0; i < b->model->states.count; i++) {
    const struct state *state = b->model->states.items[i];
    const struct type *type = state->type.kind == TYPE_MAP ? state->type.element : &state->type;
    for (size_t k = 0; has_cells(state, step->action->role) && state->type.kind != TYPE_TIME &&
                       k < width_of(b, state);
         k++)
      if (!fits(type, world_cell(world, state, step->node)[k]))
        return false;
  }
  for (size_t i = 0; i < world->messages.count; i++)
    for (size_t k = 0; k < world->messages.data[i].message->field_count; k++)
      if (!fits(&world->messages.data[i].message->fields[k].type,
                world->messages.data[i].fields[k]))
        return false;
  return true;
}

static bool differ(const struct bench *b, const struct step *step, const char *what,
                   const char *name) {
  struct text text;
  text_init(&text);
  step_print(&text, step);
  printf("%s: %s differs%s%s\n", text_get(&text), what, name == NULL ? "" : ": ",
         name == NULL ? "" : name);
  for (size_t i = 0; i < b->model->params.count; i++)
    printf("  %s = %lld\n", b->model->params.items[i]->name, (long long)b->params[i]);
  text_clear(&text);
  return false;
}

/* The outcome of a call against the world after the step. */
static bool compare(struct bench *b, struct world *world, const struct step *step,
                    enum step_result result, int verdict, const struct glue_sent *sent) {
  const struct state *different;
  enum tp_verdict expected = result != STEP_TAKEN      ? TP_DISABLED
                             : all_fit(b, world, step) ? TP_DONE
                                                       : TP_RANGE;
  b->compared++;
  b->disabled += expected == TP_DISABLED;
  b->ranged += expected == TP_RANGE;
  b->taken[step->action->id] += expected == TP_DONE;
  if (verdict != (int)expected)
    return differ(b, step, "the verdict", NULL);
  if (verdict == TP_RANGE)
    return sent->count == 0 ||
           differ(b, step, "what is sent", "something although a number does not fit");
  if (!same_cells(b, world, step->action->role, step->node, &different))
    return differ(b, step, "the state", different->name);
  if (verdict == TP_DISABLED ? sent->count != 0 : !same_sends(world, sent))
    return differ(b, step, "what is sent", NULL);
  return true;
}

/* A timer is due at `start`, and not before. */
static bool compare_early(struct bench *b, const struct world *world, const struct step *step,
                          const struct glue_call *call) {
  if (step->action->timer == NULL ||
      call->now <= integer_of(world_clock(world, step->action->role, step->node)))
    return true;
  struct glue_call early = *call;
  struct glue_sent sent = {0};
  early.now--;
  copy_cells(b, world, step->action->role, step->node);
  if (glue_step(step->action->role->id, step->action->id, &early, &sent) != TP_DISABLED ||
      sent.count != 0)
    return differ(b, step, "the verdict", "before its timer");
  return true;
}

static bool try_step(struct bench *b) {
  struct step step;
  draw_step(b, &step);
  struct world *world = world_new(b->interpreter, &b->valuation);
  draw_world(b, world, &step);
  if (step.action->message != NULL) {
    struct world_message *m =
        world_add_message(world, step.action->message, step.fields, step.node);
    rational_set_integer(&m->delivered, (int64_t)draw(b, TIME));
  }
  rational_set_integer(&b->read, step.action->cost_count == 0 ? 0 : (int64_t)draw(b, COST + 1));
  struct rational start, end;
  rational_init(&start);
  rational_init(&end);
  step_window(&start, &end, world, &step, &b->valuation);
  if (rational_compare(&start, &end) == 0)
    rational_set_integer(&b->read, 0);
  struct glue_call call = {
      .cells = b->cells, .node = step.node, .now = integer_of(&start), .fields = step.fields};
  call.read = call.now + integer_of(&b->read);
  bool same = compare_early(b, world, &step, &call);
  copy_cells(b, world, step.action->role, step.node);
  enum step_result result = step_take(world, &step, &b->valuation, NULL);
  if (result == STEP_TAKEN || result == STEP_NOT_ENABLED) {
    struct glue_sent sent = {0};
    int verdict = glue_step(step.action->role->id, step.action->id, &call, &sent);
    same = same && compare(b, world, &step, result, verdict, &sent);
  } else
    b->skipped++;
  rational_clear(&start);
  rational_clear(&end);
  world_free(world);
  return same;
}

static bool try_initial(struct bench *b) {
  struct world *world = world_new(b->interpreter, &b->valuation);
  bool same = true;
  for (size_t r = 0; r < b->model->roles.count && same; r++) {
    const struct role *role = b->model->roles.items[r];
    const struct state *different;
    for (int64_t node = 0; !role->external && node < b->interpreter->role_sizes[r] && same;
         node++) {
      memset(b->storage, 0x55, b->model->states.count * sizeof *b->storage);
      glue_init(r, b->cells, node);
      same = same_cells(b, world, role, node, &different);
      if (!same)
        printf("%s[%lld]: the initial state differs: %s\n", role->name, (long long)node,
               different->name);
    }
  }
  world_free(world);
  return same;
}

/* --- all -------------------------------------------------------------------------------------- */

static void bench_init(struct bench *b, const struct model *model, uint64_t seed) {
  *b = (struct bench){.model = model, .seed = seed * 2654435769u + 88172645463325252u};
  b->params = mem_alloc(model->params.count + 1, sizeof *b->params);
  b->constants = mem_alloc(model->components.count + 1, sizeof *b->constants);
  b->bare = mem_alloc(model->components.count + 1, sizeof *b->bare);
  b->cells = mem_alloc(model->states.count + 1, sizeof *b->cells);
  b->storage = mem_alloc(model->states.count + 1, sizeof *b->storage);
  b->taken = mem_alloc(model->actions.count + 1, sizeof *b->taken);
  for (size_t i = 0; i < model->components.count; i++)
    rational_init(&b->bare[i]);
  for (size_t i = 0; i < model->states.count; i++)
    b->cells[i] = b->storage[i];
  for (size_t i = 0; i < model->actions.count; i++)
    b->taken[i] = 0;
  rational_init(&b->cost);
  rational_init(&b->wait);
  rational_init(&b->read);
  rational_set_integer(&b->cost, COST);
  rational_set_integer(&b->wait, LONG);
  b->valuation = (struct valuation){term_value, bare_value, b};
}

static bool all_taken(const struct bench *b) {
  bool all = true;
  for (size_t i = 0; i < b->model->actions.count; i++)
    if (b->taken[i] == 0 && is_step(b->model->actions.items[i])) {
      printf("%s was never taken\n", b->model->actions.items[i]->name);
      all = false;
    }
  return all;
}

static int run(const struct model *model, size_t steps, uint64_t seed) {
  struct bench b;
  bench_init(&b, model, seed);
  bool same = true;
  for (size_t i = 0; i < steps && same; i++) {
    if (i % (steps / WORLDS + 1) == 0) {
      draw_parameters(&b);
      same = try_initial(&b);
    }
    same = same && try_step(&b);
  }
  printf("%s: %zu steps compared, %zu of them disabled, %zu out of range; %zu left out by timing\n",
         model->name, b.compared, b.disabled, b.ranged, b.skipped);
  return same && all_taken(&b) ? 0 : 1;
}

int main(int argc, char **argv) {
  struct source *source;
  struct diagnostics diagnostics;
  struct text message;
  text_init(&message);
  diagnostics_init(&diagnostics);
  if (argc < 3 || source_load(&source, argv[1], &message) != STATUS_OK) {
    fprintf(stderr, "usage: differential FILE.tp STEPS [SEED]\n");
    return STATUS_USAGE;
  }
  struct model *model = check(parse(source, &diagnostics), source, &diagnostics);
  if (model == NULL)
    return STATUS_DATA;
  return run(model, strtoul(argv[2], NULL, 10), argc > 3 ? strtoul(argv[3], NULL, 10) : 1);
}
