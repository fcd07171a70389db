/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Waits for the first of several calls, or for k of them (making.h). Where a call has another order
 * in some requests it is not waited for by itself; but if at least k of several such calls had
 * ended in every request, and chance does not explain that (trace/graph/evidence.h, with the k-th
 * end for x), then k of them are waited for. Example: a read that is sent to a second server when
 * the first is slow, and goes on with whichever answers first.
 */
#include <string.h>

#include "trace/graph/evidence.h"
#include "trace/graph/making.h"

enum { MEMBERS = 64, SAMPLE = 2048 };

/* Something that may wait for k of its members: the lead or the tail of a call. */
struct join {
  size_t place;    /* 2 p: lead of p, 2 p + 1: tail of p */
  uint32_t caller; /* of the members */
  size_t time;     /* within the times of a request: when the wait was over */
  uint32_t members[MEMBERS];
  size_t count, rank;
};

struct join_maker {
  struct flow_making *making;
  uint32_t *first, *members; /* calls with either order, by place, as in a layout */
  VECTOR(struct join) joins;
  int64_t *x, *y;
  uint8_t *mark; /* by call; all 0 between uses */
};

/* A call that had ended in some requests and not in others. */
static bool either(const struct flow_making *making, uint32_t call, uint64_t held) {
  return held > 0 && held < making->requests && !making->follows[call];
}

/* Calls `visit` for each such call and the place that might wait for it. */
static void visit_either(struct join_maker *maker,
                         void (*visit)(struct join_maker *maker, size_t place, uint32_t call)) {
  struct flow_making *making = maker->making;
  const struct request_flow *flow = making->flow;
  for (size_t i = 0; i < making->pairs.count; i++) {
    const struct sibling_pair *pair = &making->pairs.data[i];
    if (either(making, pair->a, pair->before))
      visit(maker, 2 * (size_t)pair->b, pair->a);
    if (either(making, pair->b, pair->after))
      visit(maker, 2 * (size_t)pair->a, pair->b);
  }
  for (uint32_t p = 1; p < flow->calls.count; p++)
    if ((making->doubted[p] || flow->calls.data[p].apart) &&
        either(making, p, making->requests - making->outlived[p]))
      visit(maker, 2 * (size_t)flow->calls.data[p].parent + 1, p);
}

static void count_member(struct join_maker *maker, size_t place, uint32_t call) {
  (void)call;
  maker->first[place + 2]++;
}

static void put_member(struct join_maker *maker, size_t place, uint32_t call) {
  maker->members[maker->first[place + 1]++] = call;
}

/* Keeps those that had started in every request before the wait was over. */
static void keep_started(const struct flow_making *making, struct join *join) {
  size_t requests = making->flow->requests.count;
  for (size_t i = 0; i < requests; i++) {
    const int64_t *times = making->times + i * making->width;
    size_t kept = 0;
    for (size_t m = 0; m < join->count; m++)
      if (times[2 * (size_t)join->members[m]] < times[join->time])
        join->members[kept++] = join->members[m];
    join->count = kept;
  }
}

static bool precedes_all(const struct flow_making *making, uint32_t call, const struct join *join) {
  for (size_t i = 0; i < making->flow->requests.count; i++)
    for (size_t m = 0; m < join->count; m++)
      if (making_precedes(making, i, call, join->members[m]) != PRECEDES)
        return false;
  return true;
}

static bool waits_there(const struct found_wait *wait, size_t place) {
  return 2 * (size_t)wait->position + !wait->is_lead == place;
}

static bool is_in_doubt(const struct flow_making *making, const struct found_wait *wait) {
  return wait->order != SPAN_NONE && making->flow->orders.data[wait->order].differs;
}

/* Whether an order that no request refutes may explain the wait by itself. Those before all members
 * follow from them, and explain nothing. */
static bool explained(const struct flow_making *making, const struct join *join) {
  for (size_t i = 0; i < making->waits.count; i++) {
    const struct found_wait *wait = &making->waits.data[i];
    if (waits_there(wait, join->place) && !is_in_doubt(making, wait) &&
        !precedes_all(making, wait->before, join))
      return true;
  }
  return false;
}

static void find_rank(const struct flow_making *making, struct join *join) {
  join->rank = join->count;
  for (size_t i = 0; i < making->flow->requests.count && join->rank > 0; i++) {
    const int64_t *times = making->times + i * making->width;
    size_t ended = 0;
    for (size_t m = 0; m < join->count; m++)
      ended += times[2 * (size_t)join->members[m] + 1] <= times[join->time];
    join->rank = ended < join->rank ? ended : join->rank;
  }
}

/* Of calls that follow each other the last: what waits for k of the last ones need not have seen
 * all of them start. */
static void keep_last(struct join_maker *maker, struct join *join) {
  const struct flow_making *making = maker->making;
  struct join all = *join;
  enum { OTHER, MEMBER, FOLLOWED };
  for (size_t m = 0; m < all.count; m++)
    maker->mark[all.members[m]] = MEMBER;
  for (size_t i = 0; i < making->waits.count; i++) {
    const struct found_wait *wait = &making->waits.data[i];
    if (wait->is_lead && maker->mark[wait->position] != OTHER &&
        maker->mark[wait->before] == MEMBER)
      maker->mark[wait->before] = FOLLOWED;
  }
  join->count = 0;
  for (size_t m = 0; m < all.count; m++) {
    if (maker->mark[all.members[m]] == MEMBER)
      join->members[join->count++] = all.members[m];
    maker->mark[all.members[m]] = OTHER;
  }
}

/* Whether there is a rank, so that some have to end and not all. */
static bool has_rank(const struct flow_making *making, struct join *join) {
  find_rank(making, join);
  return join->count > 1 && join->rank > 0 && join->rank < join->count;
}

static void try_place(struct join_maker *maker, size_t place) {
  const struct flow_making *making = maker->making;
  size_t count = maker->first[place + 1] - maker->first[place];
  if (count < 2 || count > MEMBERS || (place % 2 == 0 && making->pooled[place / 2]))
    return;
  uint32_t p = (uint32_t)(place / 2);
  bool is_lead = place % 2 == 0;
  struct join join = {.place = place,
                      .caller = is_lead ? making->flow->calls.data[p].parent : p,
                      .time = place,
                      .count = count};
  memcpy(join.members, maker->members + maker->first[place], count * sizeof *join.members);
  struct join last = join;
  keep_last(maker, &last);
  keep_started(making, &join);
  if (last.count < count && has_rank(making, &last))
    join = last;
  if (join.count < 2 || explained(making, &join))
    return;
  if (has_rank(making, &join))
    vector_push(&maker->joins, join);
}

/* The k-th end among the members. */
static int64_t ranked_end(const int64_t *times, const struct join *join) {
  int64_t ends[MEMBERS] = {0};
  for (size_t m = 0; m < join->count; m++) {
    size_t i = m;
    int64_t end = times[2 * (size_t)join->members[m] + 1];
    for (; i > 0 && ends[i - 1] > end; i--)
      ends[i] = ends[i - 1];
    ends[i] = end;
  }
  return ends[join->rank - 1];
}

static int64_t first_start(const int64_t *times, const struct join *join) {
  int64_t first = INT64_MAX;
  for (size_t m = 0; m < join->count; m++) {
    int64_t start = times[2 * (size_t)join->members[m]];
    first = start < first ? start : first;
  }
  return first;
}

/* Counted from the caller's start, or from the start of the first member: the worse of both. */
static double chance_of(struct join_maker *maker, const struct join *join) {
  const struct flow_making *making = maker->making;
  size_t requests = making->flow->requests.count, count = requests < SAMPLE ? requests : SAMPLE;
  double chance = 0;
  for (int from_first = 0; from_first < 2; from_first++) {
    for (size_t i = 0; i < count; i++) {
      const int64_t *times = making->times + i * requests / count * making->width;
      int64_t origin = from_first ? first_start(times, join) : times[2 * (size_t)join->caller];
      maker->x[i] = ranked_end(times, join) - origin;
      maker->y[i] = times[join->time] - origin;
    }
    struct order_evidence evidence;
    evidence_of(&evidence, maker->x, maker->y, count, 0);
    chance = evidence.by_chance > chance ? evidence.by_chance : chance;
  }
  return chance;
}

/* Whether a member waits for what would wait for it, directly or through others: only one of both
 * can. */
static bool is_circle(const struct flow_making *making, const struct join *join) {
  bool *seen = mem_alloc(making->flow->calls.count, sizeof *seen);
  VECTOR(uint32_t) stack = {0};
  for (size_t m = 0; m < join->count && join->place % 2 == 0; m++) {
    seen[join->members[m]] = true;
    vector_push(&stack, join->members[m]);
  }
  while (stack.count != 0) {
    uint32_t here = stack.data[--stack.count];
    for (size_t i = 0; i < making->waits.count; i++) {
      const struct found_wait *wait = &making->waits.data[i];
      if (wait->position != here || !wait->is_lead || seen[wait->before])
        continue;
      seen[wait->before] = true;
      vector_push(&stack, wait->before);
    }
  }
  bool circle = seen[join->place / 2];
  vector_clear(&stack);
  mem_free(seen);
  return circle && join->place % 2 == 0;
}

static bool is_member(const struct join *join, uint32_t call) {
  for (size_t m = 0; m < join->count; m++)
    if (join->members[m] == call)
      return true;
  return false;
}

/* That some of several are waited for also says why one of them ends after its caller in some
 * requests: that one was not waited for. */
static void take_join(struct flow_making *making, const struct join *join) {
  size_t kept = 0;
  for (size_t i = 0; i < making->waits.count; i++) {
    const struct found_wait *wait = &making->waits.data[i];
    bool explained_by =
        !wait->is_lead && is_in_doubt(making, wait) && is_member(join, wait->before);
    if (!waits_there(wait, join->place) && !explained_by)
      making->waits.data[kept++] = *wait;
    else if (is_in_doubt(making, wait))
      making->flow->orders.data[wait->order].verdict = ORDER_REFUTED;
  }
  making->waits.count = kept;
  for (size_t m = 0; m < join->count; m++)
    vector_push(&making->waits, (struct found_wait){.position = (uint32_t)(join->place / 2),
                                                    .is_lead = join->place % 2 == 0,
                                                    .before = join->members[m],
                                                    .order = SPAN_NONE});
  making->rank[join->place] = (uint32_t)join->rank;
}

static void maker_init(struct join_maker *maker, struct flow_making *making) {
  *maker = (struct join_maker){.making = making};
  maker->first = mem_alloc(making->width + 2, sizeof *maker->first);
  visit_either(maker, count_member);
  for (size_t i = 0; i < making->width; i++)
    maker->first[i + 1] += maker->first[i];
  maker->members = mem_alloc(maker->first[making->width] + maker->first[making->width + 1],
                             sizeof *maker->members);
  visit_either(maker, put_member);
  maker->x = mem_alloc(SAMPLE, sizeof *maker->x);
  maker->y = mem_alloc(SAMPLE, sizeof *maker->y);
  maker->mark = mem_alloc(making->flow->calls.count, sizeof *maker->mark);
}

static void maker_clear(struct join_maker *maker) {
  mem_free(maker->first);
  mem_free(maker->members);
  mem_free(maker->x);
  mem_free(maker->y);
  mem_free(maker->mark);
  vector_clear(&maker->joins);
}

void making_joins(struct flow_making *making) {
  struct join_maker maker;
  maker_init(&maker, making);
  for (size_t place = 0; place < making->width; place++)
    try_place(&maker, place);
  size_t asked = making->asked + maker.joins.count;
  for (size_t j = 0; j < maker.joins.count; j++)
    if (chance_of(&maker, &maker.joins.data[j]) <= making->options->level / (double)asked &&
        !is_circle(making, &maker.joins.data[j]))
      take_join(making, &maker.joins.data[j]);
  maker_clear(&maker);
}
