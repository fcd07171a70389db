/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/judge/world.h"

#include <string.h>

#include "base/invariant.h"
#include "base/text.h"
#include "solver/judge/evaluate.h"
#include "solver/judge/valuation.h"
#include "solver/judge/world_index.h"

static void set_initial(struct world *world, const struct valuation *valuation) {
  struct interpreter *in = world->interpreter;
  struct interpretation e = {in, world, valuation, .bindings = in->scratch};
  for (size_t i = 0; i < in->model->states.count; i++) {
    const struct state *state = in->model->states.items[i];
    for (int64_t node = 0; node < in->role_sizes[state->role->id]; node++) {
      in->scratch[state->self->id] = node;
      if (state->type.kind == TYPE_TIME) {
        if (world->timed)
          evaluate_time(world_time(world, state, node), &e, state->initial);
        continue;
      }
      int64_t value = evaluate_scalar(&e, state->initial);
      int64_t *cell = world_cell(world, state, node);
      for (size_t key = 0; key < in->cell_widths[i]; key++)
        cell[key] = value;
    }
  }
}

static struct rational *rationals_new(size_t count) {
  struct rational *made = mem_alloc(count, sizeof *made);
  for (size_t i = 0; i < count; i++)
    rational_init(&made[i]);
  return made;
}

static void rationals_free(struct rational *items, size_t count) {
  for (size_t i = 0; i < count; i++)
    rational_clear(&items[i]);
  mem_free(items);
}

static struct world *world_blank(struct interpreter *in, bool timed) {
  struct world *world = mem_alloc(1, sizeof *world);
  world->interpreter = in;
  world->timed = timed;
  world->cells = mem_alloc(in->cell_count, sizeof *world->cells);
  if (timed) {
    world->clocks = rationals_new(in->node_count);
    world->arrivals = rationals_new(in->node_count);
    world->times = rationals_new(in->time_count);
    rational_init(&world->now);
  }
  return world;
}

struct world *world_new(struct interpreter *in, const struct valuation *valuation) {
  struct world *world = world_blank(in, valuation != NULL);
  set_initial(world, valuation);
  return world;
}

static void rationals_copy(struct rational *to, const struct rational *from, size_t count) {
  for (size_t i = 0; i < count; i++)
    rational_set(&to[i], &from[i]);
}

/* A copy is made for a step, which sends and charges something. */
enum { ROOM = 4 };

struct world *world_copy(const struct world *from) {
  invariant(from->index == NULL);
  invariant_costly(world_is_valid(from));
  struct world *world = world_blank(from->interpreter, from->timed);
  world->step_count = from->step_count;
  world->next_order = from->next_order;
  if (from->interpreter->cell_count != 0)
    memcpy(world->cells, from->cells, from->interpreter->cell_count * sizeof *from->cells);
  vector_reserve(&world->messages, from->messages.count + ROOM);
  vector_reserve(&world->charges, from->charges.count + ROOM);
  for (size_t i = 0; i < from->messages.count; i++) {
    struct world_message m = from->messages.data[i];
    if (from->timed) {
      rational_init(&m.sent_at);
      rational_init(&m.delivered);
      rational_set(&m.sent_at, &from->messages.data[i].sent_at);
      rational_set(&m.delivered, &from->messages.data[i].delivered);
      rational_init(&m.paced);
      rational_set(&m.paced, &from->messages.data[i].paced);
    }
    vector_push(&world->messages, m);
  }
  for (size_t i = 0; i < from->charges.count; i++)
    vector_push(&world->charges, from->charges.data[i]);
  if (from->timed) {
    rationals_copy(world->clocks, from->clocks, from->interpreter->node_count);
    rationals_copy(world->arrivals, from->arrivals, from->interpreter->node_count);
    rationals_copy(world->times, from->times, from->interpreter->time_count);
    rational_set(&world->now, &from->now);
  }
  return world;
}

void world_free(struct world *world) {
  if (world == NULL)
    return;
  for (size_t i = 0; world->timed && i < world->messages.count; i++) {
    rational_clear(&world->messages.data[i].sent_at);
    rational_clear(&world->messages.data[i].delivered);
    rational_clear(&world->messages.data[i].paced);
  }
  if (world->timed) {
    rationals_free(world->clocks, world->interpreter->node_count);
    rationals_free(world->arrivals, world->interpreter->node_count);
    rationals_free(world->times, world->interpreter->time_count);
    rational_clear(&world->now);
  }
  world_index_end(world);
  mem_free(world->cells);
  vector_clear(&world->messages);
  vector_clear(&world->charges);
  mem_free(world);
}

static int compare_indices(const int64_t *a, const int64_t *b, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (a[i] != b[i])
      return a[i] < b[i] ? -1 : 1;
  return 0;
}

static int compare_message(const struct world_message *m, const struct message *message,
                           const int64_t *fields) {
  if (m->message != message)
    return m->message->id < message->id ? -1 : 1;
  return compare_indices(m->fields, fields, message->field_count);
}

static int compare_charge(const struct world_charge *charge, const struct component *component,
                          const int64_t *indices) {
  if (charge->component != component)
    return charge->component->id < component->id ? -1 : 1;
  return compare_indices(charge->occurrence->indices, indices, component->index_count);
}

/* The position of the first message that is not before this identity. */
static size_t message_position(const struct world *world, const struct message *message,
                               const int64_t *fields) {
  size_t low = 0, high = world->messages.count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (compare_message(&world->messages.data[middle], message, fields) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static size_t charge_position(const struct world *world, const struct component *component,
                              const int64_t *indices) {
  size_t low = 0, high = world->charges.count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (compare_charge(&world->charges.data[middle], component, indices) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static bool message_is_valid(const struct world *world, const struct world_message *m) {
  const struct message *message = m->message;
  for (size_t i = message->field_count; i < INDEX_COUNT_MAX; i++)
    if (m->fields[i] != 0)
      return false;
  return m->order < world->next_order && (m->received || !m->lost);
}

/* With `before`, the one before it in its list, or NULL. */
static bool charge_is_valid(const struct world_charge *charge, const struct world_charge *before) {
  return charge->occurrence->index_count == charge->component->index_count &&
         (before == NULL ||
          compare_charge(before, charge->component, charge->occurrence->indices) < 0);
}

bool world_is_valid(const struct world *world) {
  const struct world_message *m = world->messages.data;
  const struct world_charge *c = world->charges.data;
  for (size_t i = 0; i < world->messages.count; i++)
    if (!message_is_valid(world, &m[i]) ||
        (i != 0 && world->index == NULL &&
         compare_message(&m[i - 1], m[i].message, m[i].fields) >= 0))
      return false;
  for (size_t i = 0; i < world->charges.count; i++)
    if (!charge_is_valid(&c[i], i == 0 || world->index != NULL ? NULL : &c[i - 1]))
      return false;
  return world->timed == (world->clocks != NULL) && world->timed == (world->times != NULL) &&
         world->timed == (world->arrivals != NULL);
}

struct world_message *world_message(const struct world *world, const struct message *message,
                                    const int64_t *fields) {
  if (world->index != NULL)
    return world_index_message(world, message, fields);
  size_t at = message_position(world, message, fields);
  if (at == world->messages.count ||
      compare_message(&world->messages.data[at], message, fields) != 0)
    return NULL;
  return &world->messages.data[at];
}

bool world_charged(const struct world *world, const struct component *component,
                   const int64_t *indices) {
  if (world->index != NULL)
    return world_index_charged(world, component, indices);
  size_t at = charge_position(world, component, indices);
  return at < world->charges.count &&
         compare_charge(&world->charges.data[at], component, indices) == 0;
}

struct world_message *world_add_message(struct world *world, const struct message *message,
                                        const int64_t *fields, int64_t receiver) {
  struct world_message made = {.message = message,
                               .receiver = receiver,
                               .order = world->next_order,
                               .sent_by = world->step_count};
  if (message->field_count != 0)
    memcpy(made.fields, fields, message->field_count * sizeof *fields);
  if (world->timed) {
    rational_init(&made.sent_at);
    rational_init(&made.delivered);
    rational_init(&made.paced);
  }
  invariant(world_message(world, message, fields) == NULL);
  size_t at =
      world->index != NULL ? world->messages.count : message_position(world, message, fields);
  vector_push(&world->messages, made);
  struct world_message *data = world->messages.data;
  memmove(&data[at + 1], &data[at], (world->messages.count - 1 - at) * sizeof *data);
  data[at] = made;
  world_index_add(world, at);
  return &data[at];
}

void world_add_charge(struct world *world, const struct component *component,
                      const struct occurrence *occurrence) {
  struct world_charge made = {component, occurrence};
  invariant(!world_charged(world, component, occurrence->indices));
  size_t at = world->index != NULL ? world->charges.count
                                   : charge_position(world, component, occurrence->indices);
  vector_push(&world->charges, made);
  struct world_charge *data = world->charges.data;
  memmove(&data[at + 1], &data[at], (world->charges.count - 1 - at) * sizeof *data);
  data[at] = made;
  world_index_charge(world, occurrence);
}

int64_t *world_cell(const struct world *world, const struct state *state, int64_t node) {
  const struct interpreter *in = world->interpreter;
  return world->cells + in->cell_offsets[state->id] + in->cell_widths[state->id] * (size_t)node;
}

struct rational *world_time(const struct world *world, const struct state *state, int64_t node) {
  return &world->times[world->interpreter->time_offsets[state->id] + (size_t)node];
}

struct rational *world_clock(const struct world *world, const struct role *role, int64_t node) {
  return &world->clocks[interpreter_node(world->interpreter, role, node)];
}

struct rational *world_arrival(const struct world *world, const struct role *role, int64_t node) {
  return &world->arrivals[interpreter_node(world->interpreter, role, node)];
}

static int64_t sender_of(const struct interpreter *in, const struct world_message *m) {
  int field = m->message->sender_field;
  return field < 0 ? 0
                   : evaluate_of_role(in, m->message->fields[field].type.role, m->message->sender,
                                      m->fields[field]);
}

static bool same_channel(const struct interpreter *in, const struct world_message *a,
                         const struct world_message *b) {
  return a->message->fifo && b->message->fifo && a->message->sender == b->message->sender &&
         a->message->receiver == b->message->receiver && a->receiver == b->receiver &&
         sender_of(in, a) == sender_of(in, b);
}

bool world_blocked(const struct world *world, const struct world_message *message) {
  if (world->index != NULL)
    return world_index_blocked(world, message);
  for (size_t i = 0; message->message->fifo && i < world->messages.count; i++) {
    const struct world_message *other = &world->messages.data[i];
    if (!other->received && other->order < message->order &&
        same_channel(world->interpreter, message, other))
      return true;
  }
  return false;
}

const struct world_message *world_next_ready(const struct world *world, size_t *cursor) {
  const struct world_index *index = world->index;
  if (index != NULL)
    return *cursor == index->ready.count ? NULL
                                         : &world->messages.data[index->ready.data[(*cursor)++]];
  while (*cursor < world->messages.count) {
    const struct world_message *m = &world->messages.data[(*cursor)++];
    if (!m->received && !world_blocked(world, m))
      return m;
  }
  return NULL;
}

/* How many pending messages of its channel were sent before: what control knows of the order. */
static int64_t rank_of(const struct world *world, const struct world_message *message) {
  int64_t rank = 0;
  for (size_t i = 0; i < world->messages.count; i++) {
    const struct world_message *other = &world->messages.data[i];
    rank += !other->received && other->order < message->order &&
            same_channel(world->interpreter, message, other);
  }
  return rank;
}

enum { INTEGER_BYTES = 10 };

/* A text, and what is yet to be appended to it. */
struct packing {
  struct text *key;
  size_t count;
  char bytes[512];
};

static void flush(struct packing *p) {
  text_append_bytes(p->key, p->bytes, p->count);
  p->count = 0;
}

/* Seven bits a byte, sign folded into the lowest bit: most numbers of a world take one byte. */
static void pack_integer(struct packing *p, int64_t value) {
  uint64_t rest = ((uint64_t)value << 1) ^ (value < 0 ? UINT64_MAX : 0);
  if (p->count + INTEGER_BYTES > sizeof p->bytes)
    flush(p);
  for (; rest >= 128; rest >>= 7)
    p->bytes[p->count++] = (char)((rest & 127) | 128);
  p->bytes[p->count++] = (char)rest;
}

static int64_t unpack_integer(const char **cursor) {
  uint64_t folded = 0;
  for (unsigned shift = 0;; shift += 7) {
    unsigned char byte = (unsigned char)*(*cursor)++;
    folded |= (uint64_t)(byte & 127) << shift;
    if (byte < 128)
      break;
  }
  return (int64_t)((folded >> 1) ^ ((folded & 1) != 0 ? UINT64_MAX : 0));
}

void world_pack(struct text *key, const struct world *world) {
  invariant(world->index == NULL);
  invariant_costly(world_is_valid(world));
  struct packing p;
  p.key = key;
  p.count = 0;
  for (size_t i = 0; i < world->interpreter->cell_count; i++)
    pack_integer(&p, world->cells[i]);
  pack_integer(&p, (int64_t)world->messages.count);
  for (size_t i = 0; i < world->messages.count; i++) {
    const struct world_message *m = &world->messages.data[i];
    pack_integer(&p, (int64_t)(2 * m->message->id + m->received));
    for (size_t j = 0; j < m->message->field_count; j++)
      pack_integer(&p, m->fields[j]);
    pack_integer(&p, m->receiver);
    if (m->message->fifo && !m->received)
      pack_integer(&p, rank_of(world, m));
    if (m->message->loss != NULL && m->received)
      pack_integer(&p, m->lost);
  }
  for (size_t i = 0; i < world->charges.count; i++)
    pack_integer(&p, (int64_t)world->charges.data[i].occurrence->id);
  flush(&p);
}

struct world *world_unpack(struct interpreter *in, const char *key, size_t length) {
  const char *at = key;
  struct world *world = world_blank(in, false);
  for (size_t i = 0; i < in->cell_count; i++)
    world->cells[i] = unpack_integer(&at);
  int64_t messages = unpack_integer(&at);
  for (int64_t i = 0; i < messages; i++) {
    struct world_message m = {0};
    int64_t head = unpack_integer(&at);
    m.message = in->model->messages.items[head / 2];
    m.received = head % 2 != 0;
    for (size_t j = 0; j < m.message->field_count; j++)
      m.fields[j] = unpack_integer(&at);
    m.receiver = unpack_integer(&at);
    if (m.message->fifo && !m.received)
      m.order = (size_t)unpack_integer(&at);
    if (m.message->loss != NULL && m.received)
      m.lost = unpack_integer(&at) != 0;
    vector_push(&world->messages, m);
  }
  world->next_order = world->messages.count;
  while (at < key + length) {
    const struct occurrence *o = in->table.occurrences.data[unpack_integer(&at)];
    struct world_charge charge = {values_component(in->model, o), o};
    vector_push(&world->charges, charge);
  }
  invariant(at == key + length);
  invariant_costly(world_is_valid(world));
  return world;
}

bool world_equal(const struct world *a, const struct world *b) {
  struct text x, y;
  text_init(&x);
  text_init(&y);
  world_pack(&x, a);
  world_pack(&y, b);
  bool equal = x.length == y.length && memcmp(text_get(&x), text_get(&y), x.length) == 0;
  text_clear(&x);
  text_clear(&y);
  return equal;
}

struct extent {
  int64_t least, greatest;
};

static void extend(struct extent *extent, const struct type *type, int64_t value) {
  if (type != NULL && type->kind == TYPE_MAP)
    type = type->element;
  if (type != NULL && type->kind != TYPE_INT)
    return;
  extent->least = value < extent->least ? value : extent->least;
  extent->greatest = value > extent->greatest ? value : extent->greatest;
}

static void extend_by_cells(struct extent *extent, const struct world *world) {
  const struct interpreter *in = world->interpreter;
  for (size_t i = 0; i < in->model->states.count; i++) {
    const struct state *state = in->model->states.items[i];
    size_t count = in->cell_widths[i] * (size_t)in->role_sizes[state->role->id];
    for (size_t j = 0; j < count && state->type.kind != TYPE_TIME; j++)
      extend(extent, &state->type, world->cells[in->cell_offsets[i] + j]);
  }
}

void world_integers(const struct world *world, int64_t *least, int64_t *greatest) {
  const struct interpreter *in = world->interpreter;
  struct extent extent = {0, 0};
  for (size_t i = 0; i < in->model->params.count; i++)
    extend(&extent, NULL, in->params[i]);
  for (size_t i = 0; i < in->model->roles.count; i++)
    extend(&extent, NULL, in->role_sizes[i] - 1);
  extend_by_cells(&extent, world);
  for (size_t i = 0; i < world->messages.count; i++) {
    const struct world_message *m = &world->messages.data[i];
    for (size_t j = 0; j < m->message->field_count; j++)
      extend(&extent, &m->message->fields[j].type, m->fields[j]);
  }
  for (size_t i = 0; i < world->charges.count; i++) {
    const struct world_charge *charge = &world->charges.data[i];
    for (size_t j = 0; j < charge->component->index_count; j++)
      extend(&extent, &charge->component->index[j], charge->occurrence->indices[j]);
  }
  *least = extent.least;
  *greatest = extent.greatest;
}
