/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Lays out the activities of a flow so that each comes after all it waits for, as the calls of the
 * first request started and ended, and turns recorded times into durations (making.h).
 */
#include "base/invariant.h"
#include "trace/graph/making.h"

struct layout {
  uint32_t *first;                 /* of the waits of lead p at 2 p, of tail p at 2 p + 1 */
  const struct found_wait **waits; /* sorted by who waits */
  uint32_t *next;                  /* by position: its next call to be laid out, but for: */
  bool *laid_out;                  /* by position */
  VECTOR(uint32_t) open;           /* calls begun and not ended */
};

static size_t place_of(const struct found_wait *wait) {
  return 2 * (size_t)wait->position + !wait->is_lead;
}

static void layout_init(struct layout *layout, const struct flow_making *making) {
  *layout = (struct layout){0};
  layout->first = mem_alloc(making->width + 2, sizeof *layout->first);
  layout->waits = mem_alloc(making->waits.count, sizeof *layout->waits);
  layout->next = mem_alloc(making->flow->calls.count, sizeof *layout->next);
  layout->laid_out = mem_alloc(making->flow->calls.count, sizeof *layout->laid_out);
  for (size_t i = 0; i < making->waits.count; i++)
    layout->first[place_of(&making->waits.data[i]) + 2]++;
  for (size_t i = 0; i < making->width; i++)
    layout->first[i + 1] += layout->first[i];
  for (size_t i = 0; i < making->waits.count; i++) {
    const struct found_wait *wait = &making->waits.data[i];
    layout->waits[layout->first[place_of(wait) + 1]++] = wait;
  }
}

static void layout_clear(struct layout *layout) {
  mem_free(layout->first);
  mem_free(layout->waits);
  mem_free(layout->next);
  mem_free(layout->laid_out);
  vector_clear(&layout->open);
}

/* After a call that was not waited for, or a message that was sent, there is no answer on its way.
 */
static enum activity_kind kind_of(const struct flow_making *making, const struct layout *layout,
                                  uint32_t p, bool is_lead) {
  const uint32_t *children = making->children + making->child_first[p];
  uint32_t count = making->child_first[p + 1] - making->child_first[p];
  bool waits = layout->first[2 * (size_t)p + 2] > layout->first[2 * (size_t)p + 1];
  bool network = is_lead ? making_crosses_network(making, p)
                         : waits && count == 1 && !making->left[children[0]] &&
                               making->flow->calls.data[p].kind != SPAN_PRODUCER &&
                               making_crosses_network(making, children[0]);
  const struct flow_call *call = &making->flow->calls.data[p];
  if (network && is_lead && making->flow->calls.data[call->parent].kind == SPAN_PRODUCER)
    return ACTIVITY_QUEUE;
  return network ? ACTIVITY_NETWORK : ACTIVITY_WORK;
}

/* A sibling that it waits for at its end: it feeds it (streams.c). */
static bool is_fed(const struct request_flow *flow, const struct found_wait *wait) {
  return !wait->is_lead && flow->calls.data[wait->before].parent != wait->position;
}

/* Without a wait of its own, an activity of a call follows the lead of the call it is part of. */
static void follow_lead(struct request_flow *flow, uint32_t owner) {
  if (flow->calls.data[owner].lead == SPAN_NONE)
    return;
  vector_push(&flow->waits, flow->calls.data[owner].lead);
  vector_push(&flow->wait_orders, SPAN_NONE);
}

static uint32_t add_activity(const struct flow_making *making, const struct layout *layout,
                             uint32_t p, bool is_lead) {
  struct request_flow *flow = making->flow;
  uint32_t index = (uint32_t)flow->activities.count;
  size_t place = 2 * (size_t)p + !is_lead;
  struct activity activity = {.kind = kind_of(making, layout, p, is_lead),
                              .position = p,
                              .is_lead = is_lead,
                              .owner = is_lead ? flow->calls.data[p].parent : p,
                              .wait_first = (uint32_t)flow->waits.count};
  bool fed = false;
  for (uint32_t i = layout->first[place]; i < layout->first[place + 1]; i++) {
    const struct found_wait *wait = layout->waits[i];
    const struct flow_call *before = &flow->calls.data[wait->before];
    vector_push(&flow->waits, wait->on_start ? before->lead : before->tail);
    vector_push(&flow->wait_orders, wait->order);
    activity.owner = wait->on_start ? wait->before : activity.owner;
    fed = fed || is_fed(flow, wait);
  }
  if (fed || layout->first[place] == layout->first[place + 1])
    follow_lead(flow, activity.owner);
  activity.wait_count = (uint32_t)flow->waits.count - activity.wait_first;
  activity.rank = making->rank[place] > 0 ? making->rank[place] : activity.wait_count;
  vector_push(&flow->activities, activity);
  return index;
}

static void begin(struct flow_making *making, struct layout *layout, uint32_t p) {
  struct flow_call *call = &making->flow->calls.data[p];
  if (p > 0)
    call->lead = add_activity(making, layout, p, true);
  layout->next[p] = making->child_first[p];
  vector_push(&layout->open, p);
}

static bool is_ready(const struct request_flow *flow, const struct layout *layout, uint32_t call) {
  size_t place = 2 * (size_t)call;
  for (uint32_t i = layout->first[place]; i < layout->first[place + 2]; i++)
    if (!layout->laid_out[layout->waits[i]->before] &&
        (layout->waits[i]->is_lead || is_fed(flow, layout->waits[i])))
      return false;
  return true;
}

/* The next call of p that waits for none that is still to come, and is fed by none: in the first
 * request it may have started before one of those that it waits for k of. SPAN_NONE: all are laid
 * out. */
static uint32_t next_call(const struct flow_making *making, struct layout *layout, uint32_t p) {
  uint32_t end = making->child_first[p + 1];
  while (layout->next[p] < end && layout->laid_out[making->children[layout->next[p]]])
    layout->next[p]++;
  for (uint32_t i = layout->next[p]; i < end; i++)
    if (!layout->laid_out[making->children[i]] &&
        is_ready(making->flow, layout, making->children[i]))
      return making->children[i];
  invariant(layout->next[p] == end);
  return SPAN_NONE;
}

static void lay_out(struct flow_making *making, struct layout *layout) {
  begin(making, layout, 0);
  while (layout->open.count > 0) {
    uint32_t p = layout->open.data[layout->open.count - 1], call = next_call(making, layout, p);
    if (call != SPAN_NONE) {
      begin(making, layout, call);
      continue;
    }
    making->flow->calls.data[p].tail = add_activity(making, layout, p, false);
    layout->laid_out[p] = true;
    layout->open.count--;
  }
}

/* What was recorded as ending after what waits for it (making.h) ended with it. */
static void take_noise_out(int64_t *finish, const struct request_flow *flow) {
  for (size_t a = flow->activities.count; a-- > 0;) {
    const struct activity *activity = &flow->activities.data[a];
    int64_t ready = flow_ready(finish, flow, activity);
    for (size_t w = 0; w < activity->wait_count && ready > finish[a]; w++) {
      uint32_t other = flow->waits.data[activity->wait_first + w];
      if (finish[other] > finish[a] && finish[other] <= ready)
        finish[other] = finish[a];
    }
  }
}

/* Whether nobody waited for call p in this request, though its caller waits for it in others. */
static bool is_left(const struct flow_making *making, size_t request, uint32_t p) {
  enum lateness late = making->late[request * making->flow->calls.count + p];
  if (making_answers(making->flow, p))
    return late != LATE_NOT && making->left[p];
  return late == LATE_MOSTLY;
}

/* A call that nobody waited for, and all below it, takes no time of what waits for it in others. */
static void leave_out(int64_t *finish, const struct flow_making *making, size_t request) {
  const struct request_flow *flow = making->flow;
  const int64_t *times = making->times + request * making->width;
  for (uint32_t p = 1, end; p < flow->calls.count; p = end) {
    end = p + 1;
    if (!is_left(making, request, p) || flow->calls.data[p].apart)
      continue;
    for (; end < flow->calls.count && flow->calls.data[end].parent >= p; end++)
      finish[flow->calls.data[end].lead] = finish[flow->calls.data[end].tail] =
          times[2 * (size_t)p];
    finish[flow->calls.data[p].tail] = times[2 * (size_t)p];
  }
}

static void add_request(const struct flow_making *making, int64_t *finish, size_t i) {
  struct request_flow *flow = making->flow;
  size_t count = flow->activities.count;
  const int64_t *times = making->times + i * making->width;
  for (size_t a = 0; a < count; a++) {
    const struct activity *activity = &flow->activities.data[a];
    finish[a] = times[2 * (size_t)activity->position + !activity->is_lead];
  }
  leave_out(finish, making, i);
  take_noise_out(finish, flow);
  for (size_t a = 0; a < count; a++) {
    int64_t duration = finish[a] - flow_ready(finish, flow, &flow->activities.data[a]);
    if (duration < 0)
      bug("an activity that starts before what it waits for has ended");
    flow->durations.data[i * count + a] = duration;
  }
}

static void add_durations(const struct flow_making *making) {
  struct request_flow *flow = making->flow;
  size_t count = flow->activities.count;
  flow->durations.data = mem_alloc(flow->requests.count * count, sizeof *flow->durations.data);
  flow->durations.count = flow->durations.capacity = flow->requests.count * count;
  int64_t *finish = mem_alloc(count, sizeof *finish);
  for (size_t i = 0; i < flow->requests.count; i++)
    add_request(making, finish, i);
  mem_free(finish);
}

void making_activities(struct flow_making *making) {
  struct layout layout;
  layout_init(&layout, making);
  lay_out(making, &layout);
  layout_clear(&layout);
  add_durations(making);
}
