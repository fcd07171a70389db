/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The clock of a node with a schedule is followed from the start of a round: it is at most that,
 * plus the slots gone through since. */
#include "solver/infer/edge.h"
#include "solver/infer/time.h"

const struct schedule *schedule_of(const struct model *model, const struct role *role) {
  for (size_t i = 0; i < model->schedules.count; i++)
    if (model->schedules.items[i]->role == role)
      return model->schedules.items[i];
  return NULL;
}

static const struct term *bare(struct flow *flow, const struct component *component) {
  struct term *t = maker_term(flow->m, TERM_BARE, TYPE_TIME, NULL, 0);
  t->component = component;
  return t;
}

const struct term *round_until(struct flow *flow, const struct schedule *schedule, size_t count) {
  const struct term *all = NULL;
  for (size_t i = 0; i < count; i++)
    all = time_plus(flow->m, all, bare(flow, schedule->slots[i]));
  return all;
}

const struct term *round_whole(struct flow *flow, const struct schedule *schedule) {
  const struct term *slots = round_until(flow, schedule, schedule->slot_count);
  return schedule->timeout == NULL ? slots
                                   : time_plus(flow->m, bare(flow, schedule->timeout), slots);
}

typedef VECTOR(const struct term *) term_list;

/* `time` without the largest beginnings of a round in it; these, one by one. */
static const struct term *without_rounds(struct flow *flow, const struct schedule *schedule,
                                         const struct term *time, term_list *rounds) {
  struct term_maker *m = flow->m;
  for (size_t count = schedule->slot_count; count > 1; count--) {
    const struct term *slots = round_until(flow, schedule, count);
    while (time != NULL && time_covers(m, time, slots)) {
      for (size_t i = 0; i < count; i++)
        time = time_without(m, time, bare(flow, schedule->slots[i]));
      vector_push(rounds, slots);
    }
  }
  return time;
}

const struct term *round_written(struct flow *flow, const struct term *time) {
  term_list rounds = {0};
  for (size_t i = 0; i < flow->model->schedules.count; i++)
    time = without_rounds(flow, flow->model->schedules.items[i], time, &rounds);
  const struct term *all = time == NULL && rounds.count != 0 ? NULL : time_written(flow->m, time);
  for (size_t i = 0; i < rounds.count; i++) {
    const struct term *slots = rounds.data[i];
    all = all == NULL ? slots : maker_pair(flow->m, TERM_ADD, TYPE_TIME, all, slots);
  }
  vector_clear(&rounds);
  return all;
}

static const struct term *choice(struct flow *flow, const struct term *condition,
                                 const struct term *time) {
  const struct term *args[] = {condition, time, maker_zero(flow->m)};
  return maker_term(flow->m, TERM_ITE, TYPE_TIME, args, 3);
}

const struct term *round_so_far(struct flow *flow, const struct schedule *schedule,
                                const struct term *node) {
  const struct term *slot = flow_state(flow, schedule->state, node), *all = NULL;
  for (size_t i = 0; i < schedule->slot_count; i++) {
    const struct term *behind =
        maker_pair(flow->m, TERM_GT, TYPE_BOOL, slot, maker_integer(flow->m, (int64_t)i));
    all = time_plus(flow->m, all, choice(flow, behind, bare(flow, schedule->slots[i])));
  }
  return all;
}

const struct term *round_wrapped(struct flow *flow, const struct schedule *schedule,
                                 const struct term *node, size_t last) {
  const struct term *slot = flow_state(flow, schedule->state, node);
  const struct term *again =
      maker_pair(flow->m, TERM_LE, TYPE_BOOL, slot, maker_integer(flow->m, (int64_t)last));
  return choice(flow, again, round_whole(flow, schedule));
}
