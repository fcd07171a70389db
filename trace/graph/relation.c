/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/graph/relation.h"

#include <string.h>

static bool has(const uint64_t *set, size_t a) {
  return (set[a / 64] >> (a % 64) & 1) != 0;
}

static void add(uint64_t *set, size_t a) {
  set[a / 64] |= (uint64_t)1 << (a % 64);
}

static size_t activities_of(const struct flow_shape *shape) {
  return 2 * shape->own.calls.count;
}

static const uint64_t *row(const struct flow_relation *relation, size_t b) {
  return relation->before + b * relation->words;
}

/* ---- the relation of one flow */

/* By position of the flow: its call in the shape, of one round or of all; SPAN_NONE: it has none. */
enum rounds { FIRST_ROUND, LAST_ROUND, ALL_ROUNDS };
static uint32_t *places_of(const struct flow_shape *shape, const struct shape_fit *fit,
                           enum rounds which) {
  uint32_t *place = mem_alloc(fit->flow->calls.count, sizeof *place);
  memset(place, 0xff, fit->flow->calls.count * sizeof *place);
  for (uint32_t c = 0; c < shape->own.calls.count; c++) {
    const struct shape_loop *loop = shape_loop_of(shape, c);
    uint32_t rounds = loop == NULL ? 1 : shape_rounds(fit, (size_t)(loop - shape->loops.data));
    uint32_t first = which == LAST_ROUND && rounds > 0 ? rounds - 1 : 0;
    uint32_t end = which == FIRST_ROUND && rounds > 0 ? 1 : rounds;
    for (uint32_t k = first; k < end; k++)
      place[shape_position(fit, shape, c, k)] = c;
  }
  return place;
}

static size_t bit_of(const struct activity *activity, const uint32_t *place) {
  uint32_t c = place[activity->position];
  return c == SPAN_NONE ? SIZE_MAX : 2 * (size_t)c + !activity->is_lead;
}

/* What is before each activity of the flow: of a loop what is before its last round, as a loop is
 * over when that is. */
static uint64_t *before_each(const struct flow_shape *shape, const struct shape_fit *fit,
                             size_t words) {
  const struct request_flow *flow = fit->flow;
  uint64_t *before = mem_alloc(flow->activities.count * words, sizeof *before);
  uint32_t *last = places_of(shape, fit, LAST_ROUND);
  for (size_t b = 0; b < flow->activities.count; b++) {
    const struct activity *activity = &flow->activities.data[b];
    for (size_t i = 0; i < activity->wait_count; i++) {
      size_t a = flow->waits.data[activity->wait_first + i];
      size_t bit = bit_of(&flow->activities.data[a], last);
      for (size_t w = 0; w < words; w++)
        before[b * words + w] |= before[a * words + w];
      if (bit != SIZE_MAX)
        add(before + b * words, bit);
    }
  }
  mem_free(last);
  return before;
}

/* A loop begins with its first round, and what it does is one row. */
static void fill(struct flow_relation *relation, const struct flow_shape *shape,
                 const struct shape_fit *fit) {
  const struct request_flow *flow = fit->flow;
  size_t words = relation->words, previous = SIZE_MAX;
  uint64_t *before = before_each(shape, fit, words);
  uint32_t *first = places_of(shape, fit, FIRST_ROUND);
  for (size_t b = 0; b < flow->activities.count; b++) {
    size_t bit = bit_of(&flow->activities.data[b], first);
    if (bit == SIZE_MAX)
      continue;
    const struct shape_loop *loop = shape_loop_of(shape, (uint32_t)(bit / 2));
    bool inside = loop != NULL && bit != 2 * (size_t)loop->call;
    uint64_t *to = relation->before + bit * words;
    memcpy(to, inside ? relation->before + previous * words : before + b * words,
           words * sizeof *before);
    if (inside)
      add(to, previous);
    previous = bit;
  }
  mem_free(before);
  mem_free(first);
}

void relation_make(struct flow_relation *relation, const struct flow_shape *shape,
                   const struct shape_fit *fit) {
  size_t count = activities_of(shape);
  relation->words = (count + 63) / 64;
  relation->before = mem_alloc(count * relation->words, sizeof *relation->before);
  fill(relation, shape, fit);
}

void relation_clear(struct flow_relation *relation) {
  mem_free(relation->before);
  *relation = (struct flow_relation){0};
}

/* ---- of several */

static bool *absent_in(const struct flow_shape *shape, const struct shape_fit *fit) {
  bool *absent = mem_alloc(activities_of(shape), sizeof *absent);
  for (size_t l = 0; l < shape->loops.count; l++)
    for (uint32_t c = shape->loops.data[l].call; c <= shape->loops.data[l].last; c++)
      absent[2 * (size_t)c] = absent[2 * (size_t)c + 1] = shape_rounds(fit, l) == 0;
  return absent;
}

/* Whether a is before b through something that the flow lacks. */
static bool is_across(const struct flow_relation *relation, const bool *absent, size_t count,
                      size_t a, size_t b) {
  for (size_t x = 0; x < count; x++)
    if (absent[x] && has(row(relation, b), x) && has(row(relation, x), a))
      return true;
  return false;
}

/* Whether the flow waits across what it lacks. */
static bool keeps_across(const struct flow_relation *all, const struct flow_relation *one,
                         const bool *absent, size_t count) {
  for (size_t b = 0; b < count; b++)
    for (size_t a = 0; a < count && !absent[b]; a++)
      if (!absent[a] && has(row(all, b), a) && !has(row(one, b), a) &&
          is_across(all, absent, count, a, b))
        return false;
  return true;
}

static void take_out(struct flow_relation *all, const struct flow_relation *one, const bool *absent,
                     size_t count) {
  for (size_t b = 0; b < count; b++)
    for (size_t a = 0; a < count && !absent[b]; a++)
      if (!absent[a] && has(row(all, b), a) && !has(row(one, b), a))
        all->before[b * all->words + a / 64] &= ~((uint64_t)1 << (a % 64));
}

bool relation_join(struct flow_relation *relation, const struct flow_shape *shape,
                   const struct shape_fit *fit) {
  struct flow_relation one;
  size_t count = activities_of(shape);
  bool *absent = absent_in(shape, fit);
  relation_make(&one, shape, fit);
  bool keeps = keeps_across(relation, &one, absent, count);
  if (keeps)
    take_out(relation, &one, absent, count);
  relation_clear(&one);
  mem_free(absent);
  return keeps;
}

/* ---- the shape's graph */

/* Those before b that are before no other of them. */
static void push_waits(struct request_flow *own, const struct flow_relation *relation, size_t b) {
  const uint64_t *before = row(relation, b);
  uint64_t *through = mem_alloc(relation->words, sizeof *through);
  for (size_t a = 0; a < 2 * own->calls.count; a++)
    for (size_t w = 0; w < relation->words && has(before, a); w++)
      through[w] |= row(relation, a)[w];
  for (size_t a = 0; a < 2 * own->calls.count; a++) {
    if (!has(before, a) || has(through, a))
      continue;
    const struct flow_call *call = &own->calls.data[a / 2];
    vector_push(&own->waits, a % 2 == 0 ? call->lead : call->tail);
    vector_push(&own->wait_orders, SPAN_NONE);
  }
  mem_free(through);
}

static void add_activity(struct request_flow *own, const struct flow_relation *relation,
                         const struct activity *of, uint32_t c) {
  struct flow_call *call = &own->calls.data[c];
  struct activity activity = {.kind = of->kind,
                              .position = c,
                              .is_lead = of->is_lead,
                              .owner = of->is_lead ? call->parent : c,
                              .wait_first = (uint32_t)own->waits.count};
  push_waits(own, relation, 2 * (size_t)c + !of->is_lead);
  activity.rank = activity.wait_count = (uint32_t)own->waits.count - activity.wait_first;
  *(of->is_lead ? &call->lead : &call->tail) = (uint32_t)own->activities.count;
  vector_push(&own->activities, activity);
}

static void add_order(struct request_flow *own, const struct order *order, const uint32_t *place) {
  uint32_t before = place[order->before], after = place[order->after];
  if (order->verdict != ORDER_UNDECIDED || before == SPAN_NONE || after == SPAN_NONE)
    return;
  for (size_t i = 0; i < own->orders.count; i++) {
    struct order *known = &own->orders.data[i];
    if (known->before != before || known->after != after)
      continue;
    known->held += order->held;
    known->refuted += order->refuted;
    known->differs |= order->differs;
    return;
  }
  struct order copy = *order;
  copy.before = before;
  copy.after = after;
  vector_push(&own->orders, copy);
}

void relation_finish(const struct flow_relation *relation, struct flow_family *family) {
  struct flow_shape *shape = &family->shape;
  const struct request_flow *first = family->fits.data[0].flow;
  uint32_t *place = places_of(shape, &family->fits.data[0], FIRST_ROUND);
  for (size_t a = 0; a < first->activities.count; a++) {
    const struct activity *activity = &first->activities.data[a];
    uint32_t c = place[activity->position];
    if (c != SPAN_NONE)
      add_activity(&shape->own, relation, activity, c);
  }
  mem_free(place);
  for (size_t i = 0; i < family->fits.count; i++) {
    const struct shape_fit *fit = &family->fits.data[i];
    place = places_of(shape, fit, ALL_ROUNDS);
    for (size_t o = 0; o < fit->flow->orders.count; o++)
      add_order(&shape->own, &fit->flow->orders.data[o], place);
    mem_free(place);
  }
}
