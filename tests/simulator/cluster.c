/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/simulator/cluster.h"

#include <string.h>

#include "tests/simulator/value.h"

enum { TRIES = 3000, SIZE_LIMIT = 4 };

uint64_t cluster_hash(uint64_t a, uint64_t b) {
  struct random random = {a ^ (b + 1) * UINT64_C(0xd6e8feb86659fd93)};
  random_bits(&random);
  return random_bits(&random);
}

int64_t cluster_draw(const struct cluster *cluster, int64_t limit_ns, uint64_t bits) {
  unsigned kind = (unsigned)(bits & 255);
  if (limit_ns <= 0 || kind < cluster->habits.zero)
    return 0;
  if (kind < cluster->habits.zero + cluster->habits.limit)
    return limit_ns;
  struct random random = {bits};
  return (int64_t)random_below(&random, (uint64_t)limit_ns + 1);
}

static size_t slot_of(const struct cluster *cluster, const struct message *message,
                      const int64_t *fields) {
  uint64_t hash = message->id;
  for (size_t i = 0; i < message->field_count; i++)
    hash = (hash ^ (uint64_t)fields[i]) * UINT64_C(0x9e3779b97f4a7c15);
  size_t mask = cluster->slots.count - 1, at = (size_t)(hash >> 32) & mask;
  while (cluster->slots.data[at] != 0) {
    const struct mail *mail = &cluster->mails.data[cluster->slots.data[at] - 1];
    if (mail->message == message &&
        memcmp(mail->fields, fields, message->field_count * sizeof *fields) == 0)
      break;
    at = (at + 1) & mask;
  }
  return at;
}

struct mail *cluster_mail(const struct cluster *cluster, const struct message *message,
                          const int64_t *fields) {
  size_t found =
      cluster->slots.count == 0 ? 0 : cluster->slots.data[slot_of(cluster, message, fields)];
  return found == 0 ? NULL : &cluster->mails.data[found - 1];
}

void cluster_send(struct cluster *cluster, const struct mail *mail) {
  vector_push(&cluster->mails, *mail);
  bool grows = 2 * cluster->mails.count > cluster->slots.count;
  size_t size = cluster->slots.count == 0 ? 16 : 2 * cluster->slots.count;
  if (grows) {
    vector_clear(&cluster->slots);
    for (size_t i = 0; i < size; i++)
      vector_push(&cluster->slots, (size_t)0);
  }
  for (size_t i = grows ? 0 : cluster->mails.count - 1; i < cluster->mails.count; i++)
    cluster->slots
        .data[slot_of(cluster, cluster->mails.data[i].message, cluster->mails.data[i].fields)] =
        i + 1;
}

struct charge *cluster_charged(const struct cluster *cluster, const struct component *component,
                               const int64_t *indices, size_t count) {
  for (size_t i = 0; i < cluster->charges.count; i++) {
    struct charge *charge = &cluster->charges.data[i];
    if (charge->component == component &&
        memcmp(charge->indices, indices, count * sizeof *indices) == 0)
      return charge;
  }
  return NULL;
}

/* A component without an index has one occurrence, which its bare name stands for. */
struct charge *cluster_charge(struct cluster *cluster, const struct component *component,
                              const int64_t *indices, size_t count) {
  struct charge *found = cluster_charged(cluster, component, indices, count);
  if (found != NULL)
    return found;
  struct charge charge = {.component = component};
  memcpy(charge.indices, indices, count * sizeof *indices);
  int64_t limit = cluster->limits[component->id];
  charge.ns = component->index_count == 0
                  ? limit
                  : cluster_draw(cluster, limit, random_bits(&cluster->random));
  vector_push(&cluster->charges, charge);
  return &cluster->charges.data[cluster->charges.count - 1];
}

int64_t *cluster_cell(const struct cluster *cluster, const struct state *state, int64_t node,
                      int64_t key) {
  return &cluster->cells[state->id][(size_t)node * cluster->widths[state->id] + (size_t)key];
}

bool cluster_assumptions_hold(struct cluster *cluster) {
  for (size_t i = 0; i < cluster->model->assumptions.count; i++)
    if (value_of(cluster, cluster->model->assumptions.items[i]->formula) == 0)
      return false;
  return true;
}

/* The largest duration that the file writes, so that drawn times are of its order; or 0. */
static int64_t longest_duration(const struct term *term) {
  if (term == NULL)
    return 0;
  int64_t longest = 0;
  if (term->kind == TERM_TIME)
    rational_ceil(&longest, &term->value);
  for (size_t i = 0; i < term->count; i++) {
    int64_t part = longest_duration(term->args[i]);
    longest = part > longest ? part : longest;
  }
  return longest;
}

static int64_t model_duration(const struct model *model) {
  int64_t longest = 0;
  for (size_t i = 0; i < model->assumptions.count; i++) {
    int64_t part = longest_duration(model->assumptions.items[i]->formula);
    longest = part > longest ? part : longest;
  }
  for (size_t i = 0; i < model->actions.count; i++) {
    int64_t part = longest_duration(model->actions.items[i]->timer);
    longest = part > longest ? part : longest;
  }
  return longest;
}

static int64_t draw_limit(struct cluster *cluster, int64_t unit) {
  static const int64_t steps[] = {0, 1, 1, 2, 3, 5, 8, 10, 20, 50, 100, 300, 1000};
  size_t count = sizeof steps / sizeof *steps;
  return unit * steps[random_below(&cluster->random, count)];
}

static void draw_limits(struct cluster *cluster, int64_t duration) {
  static const int64_t parts[] = {1, 4, 20, 100, 1000};
  const struct model *model = cluster->model;
  for (size_t i = 0; i < model->params.count; i++)
    cluster->params[i] = (int64_t)random_below(&cluster->random, SIZE_LIMIT + 1);
  /* Odd sizes such as 2*f + 1 are drawn often enough when f is small. */
  if (random_below(&cluster->random, 2) == 0 && model->params.count > 1)
    cluster->params[0] = 2 * cluster->params[1] + 1;
  for (size_t i = 0; i < model->components.count; i++) {
    int64_t part = duration / parts[random_below(&cluster->random, sizeof parts / sizeof *parts)];
    cluster->limits[i] = draw_limit(cluster, duration == 0 ? 4 : part == 0 ? 1 : part);
  }
  if (model->queueing != NULL)
    cluster->limits[model->queueing->id] = 0;
}

static bool draw_sizes(struct cluster *cluster) {
  for (size_t i = 0; i < cluster->model->roles.count; i++) {
    const struct term *count = cluster->model->roles.items[i]->count;
    int64_t size = count == NULL ? 1 : value_of(cluster, count);
    if (size < 1 || size > NODES_MAX)
      return false;
    cluster->sizes[i] = size;
  }
  return true;
}

static bool draw_cluster(struct cluster *cluster) {
  int64_t duration = model_duration(cluster->model);
  for (int try = 0; try < TRIES; try++) {
    draw_limits(cluster, duration);
    if (draw_sizes(cluster) && cluster_assumptions_hold(cluster))
      return true;
  }
  return false;
}

static void draw_habits(struct cluster *cluster) {
  static const unsigned often[] = {0, 16, 64, 128, 255};
  struct habits *habits = &cluster->habits;
  habits->lossy = often[1 + cluster_hash(cluster->random.state, 1) % 4];
  habits->zero = often[random_below(&cluster->random, 4)];
  habits->limit = often[random_below(&cluster->random, 5)];
  habits->eager = random_below(&cluster->random, 3) == 0 ? 100 : 240;
  habits->order = (enum order)random_below(&cluster->random, ORDER_COUNT);
  /* In the advanced model, what a channel hands over was delivered then. */
  habits->fifo_in_order =
      random_below(&cluster->random, 2) == 0 || cluster->model->timing == TIMING_ADVANCED;
}

static void init_state(struct cluster *cluster, const struct state *state) {
  bool is_map = state->type.kind == TYPE_MAP;
  size_t size = (size_t)cluster->sizes[state->role->id];
  size_t width = is_map ? (size_t)cluster->sizes[state->type.role->id] : 1;
  cluster->widths[state->id] = width;
  cluster->cells[state->id] = mem_alloc(size * width, sizeof(int64_t));
  for (size_t node = 0; node < size; node++) {
    cluster->variables[state->self->id] = (int64_t)node;
    int64_t value = value_of(cluster, state->initial);
    for (size_t key = 0; key < width; key++)
      *cluster_cell(cluster, state, (int64_t)node, (int64_t)key) = value;
  }
}

static void init_actors(struct cluster *cluster) {
  for (size_t i = 0; i < cluster->model->roles.count; i++) {
    const struct role *role = cluster->model->roles.items[i];
    for (int64_t node = 0; !role->external && node < cluster->sizes[i]; node++)
      vector_push(
          &cluster->actors,
          (struct actor){.role = role, .node = node, .seed = random_bits(&cluster->random)});
  }
}

bool cluster_init(struct cluster *cluster, const struct model *model, uint64_t seed) {
  *cluster = (struct cluster){.model = model, .random = {seed}};
  cluster->params = mem_alloc(model->params.count + 1, sizeof *cluster->params);
  cluster->sizes = mem_alloc(model->roles.count + 1, sizeof *cluster->sizes);
  cluster->limits = mem_alloc(model->components.count + 1, sizeof *cluster->limits);
  cluster->longest = mem_alloc(model->components.count + 1, sizeof *cluster->longest);
  cluster->variables = mem_alloc(model->variable_count + 1, sizeof *cluster->variables);
  cluster->cells = mem_alloc(model->states.count + 1, sizeof *cluster->cells);
  cluster->widths = mem_alloc(model->states.count + 1, sizeof *cluster->widths);
  draw_habits(cluster);
  if (!draw_cluster(cluster))
    return false;
  for (size_t i = 0; i < model->states.count; i++)
    init_state(cluster, model->states.items[i]);
  init_actors(cluster);
  return true;
}

void cluster_clear(struct cluster *cluster) {
  for (size_t i = 0; i < cluster->model->states.count; i++)
    mem_free(cluster->cells[i]);
  mem_free(cluster->params);
  mem_free(cluster->sizes);
  mem_free(cluster->limits);
  mem_free(cluster->longest);
  mem_free(cluster->variables);
  mem_free(cluster->cells);
  mem_free(cluster->widths);
  vector_clear(&cluster->mails);
  vector_clear(&cluster->slots);
  vector_clear(&cluster->charges);
  vector_clear(&cluster->actors);
  vector_clear(&cluster->events);
}
