/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/judge/world_index.h"

#include <string.h>

#include "base/invariant.h"
#include "solver/judge/evaluate.h"

static bool is_taken(const struct model *model, const struct message *message) {
  bool taken = false;
  for (size_t i = 0; i < model->actions.count; i++)
    taken |= model->actions.items[i]->message == message;
  return taken;
}

void world_index_begin(struct world *world) {
  const struct interpreter *in = world->interpreter;
  invariant(world->messages.count == 0 && world->charges.count == 0 && world->index == NULL);
  world->index = mem_alloc(1, sizeof *world->index);
  world->index->channels =
      mem_alloc(in->node_count * in->node_count, sizeof *world->index->channels);
  world->index->counts = mem_alloc(in->model->messages.count, sizeof *world->index->counts);
  world->index->taken = mem_alloc(in->model->messages.count, sizeof *world->index->taken);
  for (size_t i = 0; i < in->model->messages.count; i++)
    world->index->taken[i] = is_taken(in->model, in->model->messages.items[i]);
}

void world_index_end(struct world *world) {
  struct world_index *index = world->index;
  size_t nodes = world->interpreter->node_count;
  if (index == NULL)
    return;
  for (size_t i = 0; i < nodes * nodes; i++)
    vector_clear(&index->channels[i].waiting);
  mem_free(index->channels);
  mem_free(index->counts);
  mem_free(index->taken);
  vector_clear(&index->sent);
  vector_clear(&index->charged);
  vector_clear(&index->ready);
  mem_free(index);
  world->index = NULL;
}

size_t world_index_count(const struct world *world, const struct message *message) {
  return world->index->counts[message->id];
}

/* --- what was sent and charged ---------------------------------------------------------------- */

struct world_message *world_index_message(const struct world *world, const struct message *message,
                                          const int64_t *fields) {
  const struct world_index *index = world->index;
  const struct occurrence *o = expression_find(&world->interpreter->table, message->delay->name,
                                               message->name, fields, message->field_count);
  if (o == NULL || o->id >= index->sent.count || index->sent.data[o->id] == 0)
    return NULL;
  return &world->messages.data[index->sent.data[o->id] - 1];
}

bool world_index_charged(const struct world *world, const struct component *component,
                         const int64_t *indices) {
  const struct occurrence *o = expression_find(&world->interpreter->table, component->name, NULL,
                                               indices, component->index_count);
  return o != NULL && o->id < world->index->charged.count && world->index->charged.data[o->id];
}

void world_index_add(struct world *world, size_t position) {
  struct world_index *index = world->index;
  if (index == NULL)
    return;
  const struct world_message *m = &world->messages.data[position];
  size_t id = interpreter_delay(world->interpreter, m->message, m->fields)->id;
  while (index->sent.count <= id)
    vector_push(&index->sent, 0);
  index->sent.data[id] = position + 1;
  index->counts[m->message->id]++;
}

void world_index_charge(struct world *world, const struct occurrence *o) {
  struct world_index *index = world->index;
  if (index == NULL)
    return;
  while (index->charged.count <= o->id)
    vector_push(&index->charged, false);
  index->charged.data[o->id] = true;
}

/* --- what may be received --------------------------------------------------------------------- */

static struct world_channel *channel_of(const struct world *world, const struct world_message *m) {
  const struct interpreter *in = world->interpreter;
  int field = m->message->sender_field;
  int64_t sender = field < 0 ? 0
                             : evaluate_of_role(in, m->message->fields[field].type.role,
                                                m->message->sender, m->fields[field]);
  size_t from = interpreter_node(in, m->message->sender, sender);
  size_t to = interpreter_node(in, m->message->receiver, m->receiver);
  return &world->index->channels[from * in->node_count + to];
}

bool world_index_blocked(const struct world *world, const struct world_message *m) {
  if (!m->message->fifo)
    return false;
  const struct world_channel *channel = channel_of(world, m);
  return channel->ready != 0 && channel->order < m->order;
}

static bool is_before(const struct world_message *a, const struct world_message *b) {
  if (a->message != b->message)
    return a->message->id < b->message->id;
  for (size_t i = 0; i < a->message->field_count; i++)
    if (a->fields[i] != b->fields[i])
      return a->fields[i] < b->fields[i];
  return false;
}

/* Where the message is among those that are ready, or belongs. */
static size_t ready_place(const struct world *world, const struct world_message *m) {
  const struct world_index *index = world->index;
  size_t low = 0, high = index->ready.count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (is_before(&world->messages.data[index->ready.data[middle]], m))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static void make_ready(struct world *world, size_t position) {
  struct world_index *index = world->index;
  size_t at = ready_place(world, &world->messages.data[position]);
  vector_push(&index->ready, position);
  size_t *data = index->ready.data;
  memmove(&data[at + 1], &data[at], (index->ready.count - 1 - at) * sizeof *data);
  data[at] = position;
}

/* Messages of one statement have one order, and none blocks another. What nobody takes is left out
 * unless it blocks what comes after it. */
void world_index_sent(struct world *world, const struct world_message *m) {
  if (world->index == NULL)
    return;
  size_t position = (size_t)(m - world->messages.data);
  if (m->message->fifo) {
    struct world_channel *channel = channel_of(world, m);
    if (channel->ready != 0 && channel->order < m->order) {
      vector_push(&channel->waiting, position);
      return;
    }
    channel->ready++;
    channel->order = m->order;
  } else if (!world->index->taken[m->message->id]) {
    return;
  }
  make_ready(world, position);
}

static void go_on(struct world *world, struct world_channel *channel) {
  while (channel->first < channel->waiting.count) {
    size_t position = channel->waiting.data[channel->first];
    size_t order = world->messages.data[position].order;
    if (channel->ready != 0 && order != channel->order)
      return;
    channel->order = order;
    channel->ready++;
    channel->first++;
    make_ready(world, position);
  }
  channel->first = channel->waiting.count = 0;
}

void world_index_received(struct world *world, const struct world_message *m) {
  struct world_index *index = world->index;
  if (index == NULL)
    return;
  size_t at = ready_place(world, m);
  size_t *data = index->ready.data;
  invariant(at < index->ready.count && &world->messages.data[data[at]] == m);
  memmove(&data[at], &data[at + 1], (index->ready.count - 1 - at) * sizeof *data);
  index->ready.count--;
  if (!m->message->fifo)
    return;
  struct world_channel *channel = channel_of(world, m);
  if (--channel->ready == 0)
    go_on(world, channel);
}
