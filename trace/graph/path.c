/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/graph/path.h"

void request_path_clear(struct request_path *path) {
  vector_clear(&path->steps);
}

static int64_t start_of(const struct request_flow *flow, const int64_t *finish, uint32_t activity) {
  uint32_t lead = flow->calls.data[flow->activities.data[activity].position].lead;
  return lead == SPAN_NONE ? 0 : finish[lead];
}

/* Of two activities that ended together. */
static bool is_earlier(const struct request_flow *flow, const int64_t *finish, uint32_t a,
                       uint32_t b) {
  int64_t start_a = start_of(flow, finish, a), start_b = start_of(flow, finish, b);
  if (start_a != start_b)
    return start_a < start_b;
  return flow->activities.data[a].position < flow->activities.data[b].position;
}

/* Index into flow->waits of what the activity waited for last. */
static uint32_t chosen_wait(struct path_step *step, const struct request_flow *flow,
                            const int64_t *finish) {
  const struct activity *activity = &flow->activities.data[step->activity];
  int64_t ready = flow_ready(finish, flow, activity);
  uint32_t chosen = SPAN_NONE, end = activity->wait_first + activity->wait_count;
  for (uint32_t w = activity->wait_first; w < end; w++) {
    uint32_t other = flow->waits.data[w];
    if (finish[other] != ready)
      continue;
    step->tied = chosen != SPAN_NONE;
    if (chosen == SPAN_NONE || is_earlier(flow, finish, other, flow->waits.data[chosen]))
      chosen = w;
  }
  return chosen;
}

/* What ended last of the others; that it has begun itself is no rival. */
static uint32_t rival_of(const struct request_flow *flow, const int64_t *finish,
                         const struct path_step *step) {
  const struct activity *activity = &flow->activities.data[step->activity];
  uint32_t rival = SPAN_NONE, lead = flow->calls.data[activity->position].lead;
  for (uint32_t w = 0; w < activity->wait_count; w++) {
    uint32_t other = flow->waits.data[activity->wait_first + w];
    if (other != step->waited && (other != lead || activity->is_lead) &&
        (rival == SPAN_NONE || finish[other] > finish[rival]))
      rival = other;
  }
  return rival;
}

static bool is_undecided(const struct request_flow *flow, uint32_t order) {
  return order != SPAN_NONE && flow->orders.data[order].verdict == ORDER_UNDECIDED;
}

void flow_path(struct request_path *path, const struct request_flow *flow, const int64_t *finish,
               const int64_t *durations) {
  path->steps.count = 0;
  uint32_t activity = (uint32_t)flow->activities.count - 1;
  while (activity != SPAN_NONE) {
    struct path_step step = {.activity = activity,
                             .duration = durations[activity],
                             .waited = SPAN_NONE,
                             .order = SPAN_NONE,
                             .rival = SPAN_NONE};
    uint32_t wait = chosen_wait(&step, flow, finish);
    if (wait != SPAN_NONE) {
      step.waited = flow->waits.data[wait];
      if (is_undecided(flow, flow->wait_orders.data[wait])) {
        step.order = flow->wait_orders.data[wait];
        step.rival = rival_of(flow, finish, &step);
      }
    }
    vector_push(&path->steps, step);
    activity = step.waited;
  }
}

/* When at the latest what the activity waits for must have ended: where some of several are
 * enough, those that ended later than needed may take any time. */
static void pass_back(int64_t *latest, const struct request_flow *flow, const int64_t *finish,
                      const struct activity *activity, int64_t ready) {
  for (size_t w = 0; w < activity->wait_count; w++) {
    uint32_t other = flow->waits.data[activity->wait_first + w];
    if (finish[other] <= ready && ready < latest[other])
      latest[other] = ready;
  }
}

void flow_slack(int64_t *slack, const struct request_flow *flow, const int64_t *finish,
                const int64_t *durations) {
  size_t count = flow->activities.count;
  for (size_t a = 0; a < count; a++)
    slack[a] = SLACK_ANY;
  slack[count - 1] = finish[count - 1];
  for (size_t a = count; a-- > 0;) {
    if (slack[a] == SLACK_ANY)
      continue;
    pass_back(slack, flow, finish, &flow->activities.data[a], slack[a] - durations[a]);
    slack[a] -= finish[a];
  }
}
