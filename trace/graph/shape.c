/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/graph/shape.h"

const struct shape_loop *shape_loop_of(const struct flow_shape *shape, uint32_t position) {
  size_t low = 0, high = shape->loops.count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    const struct shape_loop *loop = &shape->loops.data[middle];
    if (position < loop->call)
      high = middle;
    else if (position > loop->last)
      low = middle + 1;
    else
      return loop;
  }
  return NULL;
}

void flow_shape_clear(struct flow_shape *shape) {
  vector_clear(&shape->own.calls);
  vector_clear(&shape->own.activities);
  vector_clear(&shape->own.waits);
  vector_clear(&shape->own.wait_orders);
  vector_clear(&shape->own.orders);
  vector_clear(&shape->loops);
}

/* ---- fits */

struct fitting {
  struct shape_fit *fit;
  const struct flow_shape *shape;
  uint32_t next; /* of the flow's calls, the first that has no place yet */
};

static bool same_name(const struct flow_call *a, const struct flow_call *b) {
  return a->service == b->service && a->operation == b->operation;
}

/* Whether the flow's next call is one like call c of the shape, of this caller. */
static bool is_next(const struct fitting *fitting, uint32_t c, uint32_t caller) {
  const struct request_flow *flow = fitting->fit->flow;
  return fitting->next < flow->calls.count && flow->calls.data[fitting->next].parent == caller &&
         same_name(&flow->calls.data[fitting->next], &fitting->shape->flow->calls.data[c]);
}

/* The first position behind all below call p. */
static uint32_t end_of(const struct request_flow *flow, uint32_t p) {
  uint32_t end = p + 1;
  while (end < flow->calls.count && flow->calls.data[end].parent >= p)
    end++;
  return end;
}

/* One round: the call and what is below it. */
static bool fit_round(struct fitting *fitting, const struct shape_loop *loop) {
  const struct request_flow *flow = fitting->fit->flow, *shape = fitting->shape->flow;
  uint32_t call = fitting->next, end = end_of(flow, call), below = loop->last - loop->call;
  vector_push(&fitting->fit->rounds, call);
  fitting->next = end;
  if (loop->whole)
    return true;
  if (end - call != below + 1)
    return false;
  for (uint32_t i = 1; i <= below; i++)
    if (!same_name(&flow->calls.data[call + i], &shape->calls.data[loop->call + i]) ||
        flow->calls.data[call + i].parent - call !=
            shape->calls.data[loop->call + i].parent - loop->call)
      return false;
  return true;
}

static bool fit_loop(struct fitting *fitting, const struct shape_loop *loop) {
  struct shape_fit *fit = fitting->fit;
  uint32_t caller = fit->at.data[fitting->shape->flow->calls.data[loop->call].parent];
  while (is_next(fitting, loop->call, caller))
    if (!fit_round(fitting, loop))
      return false;
  for (uint32_t c = loop->call; c <= loop->last; c++)
    vector_push(&fit->at, SPAN_NONE);
  vector_push(&fit->round_from, (uint32_t)fit->rounds.count);
  return true;
}

static bool fit_call(struct fitting *fitting, uint32_t c) {
  uint32_t caller = fitting->shape->flow->calls.data[c].parent;
  if (!is_next(fitting, c, c == 0 ? SPAN_NONE : fitting->fit->at.data[caller]))
    return false;
  vector_push(&fitting->fit->at, fitting->next++);
  return true;
}

bool shape_fit_make(struct shape_fit *fit, const struct flow_shape *shape,
                    const struct request_flow *flow) {
  size_t loops = 0;
  *fit = (struct shape_fit){.flow = flow};
  struct fitting fitting = {fit, shape, 0};
  vector_push(&fit->round_from, 0);
  for (uint32_t c = 0; c < shape->flow->calls.count;) {
    bool is_loop = loops < shape->loops.count && shape->loops.data[loops].call == c;
    if (!(is_loop ? fit_loop(&fitting, &shape->loops.data[loops]) : fit_call(&fitting, c)))
      return false;
    c = is_loop ? shape->loops.data[loops++].last + 1 : c + 1;
  }
  return fitting.next == flow->calls.count;
}

void shape_fit_clear(struct shape_fit *fit) {
  vector_clear(&fit->at);
  vector_clear(&fit->round_from);
  vector_clear(&fit->rounds);
}

uint32_t shape_position(const struct shape_fit *fit, const struct flow_shape *shape,
                        uint32_t position, uint32_t round) {
  const struct shape_loop *loop = shape_loop_of(shape, position);
  if (loop == NULL)
    return fit->at.data[position];
  size_t number = (size_t)(loop - shape->loops.data);
  return fit->rounds.data[fit->round_from.data[number] + round] + (position - loop->call);
}

/* ---- times */

/* When the activity of the shape ended, in this round. */
static int64_t ended(const struct shape_fit *fit, const struct flow_shape *shape, uint32_t a,
                     uint32_t round, const int64_t *finish) {
  const struct activity *activity = &shape->flow->activities.data[a];
  uint32_t p = shape_position(fit, shape, activity->position, round);
  const struct flow_call *call = &fit->flow->calls.data[p];
  return finish[activity->is_lead ? call->lead : call->tail];
}

static void add_time(struct shape_times *times, uint32_t a, int64_t from, int64_t to) {
  vector_push(&times->rounds, to - from);
  times->done.data[a] = to;
}

/* A round after the other, each activity after the one before. */
static void time_loop(struct shape_times *times, const struct flow_shape *shape,
                      const struct shape_fit *fit, const struct shape_loop *loop, uint32_t a,
                      const int64_t *finish) {
  const struct flow_call *call = &shape->flow->calls.data[loop->call];
  uint32_t rounds = shape_rounds(fit, (size_t)(loop - shape->loops.data));
  int64_t before = flow_ready(times->done.data, shape->flow, &shape->flow->activities.data[a]);
  times->done.data[a] = before;
  for (uint32_t round = 0; round < rounds; round++) {
    if (round > 0 || a != call->lead)
      before = a == call->lead ? ended(fit, shape, call->tail, round - 1, finish)
                               : ended(fit, shape, a - 1, round, finish);
    add_time(times, a, before, ended(fit, shape, a, round, finish));
  }
}

void shape_times_make(struct shape_times *times, const struct flow_shape *shape,
                      const struct shape_fit *fit, const int64_t *finish) {
  uint32_t count = (uint32_t)shape->flow->activities.count;
  times->from.count = times->rounds.count = times->done.count = 0;
  for (uint32_t a = 0; a < count; a++) {
    const struct activity *activity = &shape->flow->activities.data[a];
    const struct shape_loop *loop = shape_loop_of(shape, activity->position);
    vector_push(&times->from, times->rounds.count);
    vector_push(&times->done, 0);
    if (loop != NULL)
      time_loop(times, shape, fit, loop, a, finish);
    else
      add_time(times, a, flow_ready(times->done.data, shape->flow, activity),
               ended(fit, shape, a, 0, finish));
  }
  vector_push(&times->from, times->rounds.count);
}

void shape_times_clear(struct shape_times *times) {
  vector_clear(&times->from);
  vector_clear(&times->rounds);
  vector_clear(&times->done);
}

int64_t shape_sum(const struct shape_times *times, uint32_t activity) {
  int64_t sum = 0;
  for (size_t i = times->from.data[activity]; i < times->from.data[activity + 1]; i++)
    sum += times->rounds.data[i];
  return sum;
}
