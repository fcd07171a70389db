/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Takes the waiting out of calls that stood in a queue (waiting.h).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "trace/evaluate/waiting_inside.h"

/* --- who waited ------------------------------------------------------------------------------- */

/* The greatest ends so far, `servers` of them, the least one first: of all before, no more than
 * that run at once, so that the least is when the next place is free. */
static void put_end(int64_t *latest, uint64_t servers, int64_t end) {
  size_t i = 0;
  if (end <= latest[0])
    return;
  for (; i + 1 < servers && latest[i + 1] < end; i++)
    latest[i] = latest[i + 1];
  latest[i] = end;
}

/* How long after its place was free a call starts that has waited. Of all calls that could have come
 * before, those that did start after the short time that it takes to hand a place on, and the others
 * when they came. So the gaps are a mixture of two exponential laws (by EM), and the longest that
 * more likely belongs to the shorter law is the limit. */
static int64_t handover_of(const struct waiting_calls *calls) {
  enum { ROUNDS = 100 };
  const double unit = 1000; /* ns, in which most times are written */
  double count = 0, sum = 0, few = 0.5, mean_few = unit;
  for (size_t i = 0; i < calls->all.count; i++) {
    const struct waiting_call *call = &calls->all.data[i];
    count += call->free > call->ready;
    sum += call->free > call->ready ? (double)(call->start - call->free) : 0;
  }
  double mean_rest = count > 0 && sum / count > 10 * unit ? sum / count : 10 * unit;
  mean_few = mean_rest / 100 > unit ? mean_rest / 100 : unit;
  for (int round = 0; round < ROUNDS; round++) {
    double weight = 0, weighted = 0;
    for (size_t i = 0; i < calls->all.count; i++) {
      const struct waiting_call *call = &calls->all.data[i];
      if (call->free <= call->ready)
        continue;
      double gap = (double)(call->start - call->free);
      double a = few / mean_few * exp(-gap / mean_few);
      double b = (1 - few) / mean_rest * exp(-gap / mean_rest);
      double share = a + b > 0 ? a / (a + b) : 0;
      weight += share;
      weighted += share * gap;
    }
    few = count > 0 ? fmin(fmax(weight / count, 1e-6), 1 - 1e-6) : 0.5;
    mean_few = fmax(weight > 0 ? weighted / weight : unit, unit);
    mean_rest =
        fmax(count - weight > 1e-9 ? (sum - weighted) / (count - weight) : mean_rest, 2 * mean_few);
  }
  double odds = few / (1 - few) * mean_rest / mean_few;
  return odds <= 1 ? -1 : (int64_t)(log(odds) / (1 / mean_few - 1 / mean_rest));
}

uint64_t waiting_judge(struct waiting_calls *calls, uint64_t servers) {
  uint64_t met = 0;
  int64_t *latest = mem_alloc(servers, sizeof *latest);
  for (uint64_t i = 0; i < servers; i++)
    latest[i] = INT64_MIN;
  for (size_t i = 0; i < calls->all.count; i++) {
    struct waiting_call *call = &calls->all.data[i];
    call->free = latest[0] < call->start ? latest[0] : call->start;
    met += call->free > call->ready;
    put_end(latest, servers, call->end);
  }
  int64_t handover = handover_of(calls);
  int64_t came = INT64_MIN; /* the one before it, at least */
  for (size_t i = 0; i < calls->all.count; i++) {
    struct waiting_call *call = &calls->all.data[i];
    call->waited =
        call->free > call->ready && call->free > came && call->start - call->free <= handover;
    if (!call->waited)
      came = call->start;
    else
      came = call->ready > came ? call->ready : came + 1;
  }
  mem_free(latest);
  return met;
}

/* --- what callers do of their own ------------------------------------------------------------- */

/* What is known of one: it took so long, or no longer. */
struct known {
  int64_t ns;
  bool waited;
};

/* The law of what did not wait: the share of all that takes up to ns[i] is below[i]; both rise. */
struct own_law {
  VECTOR(int64_t) ns;
  VECTOR(double) below;
};

static int known_compare(const void *a, const void *b) {
  const struct known *x = a, *y = b;
  if (x->ns != y->ns)
    return x->ns < y->ns ? -1 : 1;
  return x->waited - y->waited;
}

/* Of one call of a flow; of all where that one is rarely seen without waiting. */
static bool is_like(const struct waiting_call *a, const struct waiting_call *b) {
  return a->flow == b->flow && a->position == b->position;
}

static void reverse(struct own_law *law) {
  for (size_t i = 0, j = law->ns.count; i + 1 < j; i++) {
    int64_t ns = law->ns.data[i];
    double share = law->below.data[i];
    law->ns.data[i] = law->ns.data[--j];
    law->below.data[i] = law->below.data[j];
    law->ns.data[j] = ns;
    law->below.data[j] = share;
  }
}

/* `came`: when those that waited are taken to have come; NULL: all that is known is a limit. */
static void law_make(struct own_law *law, const struct waiting_calls *calls, const int64_t *came,
                     const struct waiting_call *like) {
  VECTOR(struct known) known = {0};
  for (size_t i = 0; i < calls->all.count; i++) {
    const struct waiting_call *call = &calls->all.data[i];
    if (like != NULL && !is_like(call, like))
      continue;
    int64_t at = !call->waited ? call->start : came != NULL ? came[i] : call->free;
    vector_push(&known, (struct known){at - call->ready, call->waited && came == NULL});
  }
  if (known.count > 1)
    qsort(known.data, known.count, sizeof *known.data, known_compare);
  double below = 1;
  for (size_t i = known.count; i-- > 0;) {
    if (known.data[i].waited)
      continue;
    vector_push(&law->ns, known.data[i].ns);
    vector_push(&law->below, below);
    below *= 1 - 1 / (double)(i + 1);
  }
  reverse(law);
  vector_clear(&known);
}

static void law_clear(struct own_law *law) {
  vector_clear(&law->ns);
  vector_clear(&law->below);
  *law = (struct own_law){0};
}

/* The number of values that are at most ns. */
static size_t values_up_to(const struct own_law *law, int64_t ns) {
  size_t low = 0, high = law->ns.count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (law->ns.data[middle] <= ns)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* A value of least .. most; any of them where the law has none there. */
static int64_t law_draw(const struct own_law *law, int64_t least, int64_t most,
                        struct random *random) {
  size_t first = values_up_to(law, least - 1), end = values_up_to(law, most);
  double from = first == 0 ? 0 : law->below.data[first - 1];
  double to = end == 0 ? 0 : law->below.data[end - 1];
  uint64_t bits = random_bits(random);
  if (end <= first || to <= from)
    return least + (int64_t)(bits % ((uint64_t)(most - least) + 1));
  double share = from + (to - from) * ((double)(bits >> 11) * 0x1p-53);
  size_t low = first, high = end - 1;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (law->below.data[middle] < share)
      low = middle + 1;
    else
      high = middle;
  }
  return law->ns.data[low];
}

/* --- when they came --------------------------------------------------------------------------- */

struct taking {
  struct queue_waiting *waiting;
  const struct request_graph *graph;
  const struct waiting_calls *calls;
  int64_t *came; /* by call */
  struct random random;
  VECTOR(const struct waiting_call *) like; /* one call of each kind, and beside it */
  VECTOR(struct own_law) laws;
  struct own_law of_all;
};

static const struct own_law *law_of(struct taking *t, const struct waiting_call *call) {
  enum { MANY = 20 };
  for (size_t i = 0; i < t->like.count; i++)
    if (is_like(t->like.data[i], call))
      return t->laws.data[i].ns.count < MANY ? &t->of_all : &t->laws.data[i];
  return &t->of_all;
}

static void add_like(struct taking *t, const struct waiting_call *call) {
  for (size_t i = 0; i < t->like.count; i++)
    if (is_like(t->like.data[i], call))
      return;
  vector_push(&t->like, call);
  vector_push(&t->laws, (struct own_law){0});
}

static void make_laws(struct taking *t, const int64_t *came) {
  law_clear(&t->of_all);
  law_make(&t->of_all, t->calls, came, NULL);
  for (size_t i = 0; i < t->laws.count; i++) {
    law_clear(&t->laws.data[i]);
    law_make(&t->laws.data[i], t->calls, came, t->like.data[i]);
  }
}

/* All came as soon as they could, or as late; first come, first served, and no two at a time. */
static void arrive(struct taking *t, bool late) {
  int64_t last = INT64_MIN;
  for (size_t i = 0; i < t->calls->all.count; i++) {
    const struct waiting_call *call = &t->calls->all.data[i];
    int64_t at = call->waited ? call->ready : call->start;
    if (call->waited && late) {
      const struct own_law *law = law_of(t, call);
      int64_t room = call->free - call->ready;
      int64_t most = law->ns.count == 0 ? room : law->ns.data[law->ns.count - 1];
      at = call->ready + (most < room ? most : room);
    }
    last = at > last || !call->waited ? at : last + 1;
    t->came[i] = last;
  }
}

/* Each that waited anew: between the one before it and the one behind. */
static void draw_all(struct taking *t) {
  size_t count = t->calls->all.count;
  for (size_t i = 0; i < count; i++) {
    const struct waiting_call *call = &t->calls->all.data[i];
    if (!call->waited)
      continue;
    int64_t least = i > 0 && t->came[i - 1] >= call->ready ? t->came[i - 1] + 1 : call->ready;
    int64_t most = i + 1 < count && t->came[i + 1] <= call->free ? t->came[i + 1] - 1 : call->free;
    if (most >= least)
      t->came[i] = call->ready +
                   law_draw(law_of(t, call), least - call->ready, most - call->ready, &t->random);
  }
}

/* A Gibbs sampler: from a state in which all is possible, each call is drawn given the others, and
 * the law is made again from what was drawn. */
static void find_arrivals(struct taking *t, enum queue_arrival arrival) {
  enum { ROUNDS = 4, SWEEPS = 8 };
  make_laws(t, NULL);
  arrive(t, arrival == ARRIVES_LAST);
  for (int round = 0; round < ROUNDS && arrival == ARRIVES_LIKELY; round++) {
    if (round > 0)
      make_laws(t, t->came);
    for (int sweep = 0; sweep < SWEEPS; sweep++)
      draw_all(t);
  }
}

/* --- taking it out ---------------------------------------------------------------------------- */

static int64_t *rows_of(const struct request_flow *flow, const int64_t *from) {
  size_t count = flow->requests.count * flow->activities.count;
  int64_t *rows = mem_alloc(count, sizeof *rows);
  if (from != NULL)
    memcpy(rows, from, count * sizeof *rows);
  return rows;
}

static void take_call(struct taking *t, const struct waiting_call *call, int64_t came) {
  const struct request_flow *flow = t->graph->flows.data[call->flow];
  const struct flow_call *of = &flow->calls.data[call->position];
  size_t row = call->request * flow->activities.count;
  if (t->waiting->durations[call->flow] == NULL) {
    t->waiting->durations[call->flow] = rows_of(flow, flow->durations.data);
    t->waiting->held[call->flow] = rows_of(flow, NULL);
  }
  t->waiting->durations[call->flow][row + of->lead] = came - call->ready;
  t->waiting->held[call->flow][row + of->tail] = call->start - call->free;
}

static void take_queue(struct taking *t, struct hidden_queue *queue, enum queue_arrival arrival) {
  size_t count = t->calls->all.count;
  t->came = mem_alloc(count, sizeof *t->came);
  for (size_t i = 0; i < count; i++)
    add_like(t, &t->calls->all.data[i]);
  find_arrivals(t, arrival);
  double waited_ns = 0;
  for (size_t i = 0; i < count; i++)
    if (t->calls->all.data[i].waited) {
      take_call(t, &t->calls->all.data[i], t->came[i]);
      waited_ns += (double)(t->calls->all.data[i].start - t->came[i]);
    }
  if (arrival == ARRIVES_LIKELY)
    queue->waited_ns = waited_ns;
  law_clear(&t->of_all);
  for (size_t i = 0; i < t->laws.count; i++)
    law_clear(&t->laws.data[i]);
  t->like.count = t->laws.count = 0;
  mem_free(t->came);
}

static void forget(struct queue_waiting *waiting) {
  for (size_t f = 0; f < waiting->flows; f++) {
    mem_free(waiting->durations[f]);
    mem_free(waiting->held[f]);
    waiting->durations[f] = waiting->held[f] = NULL;
  }
}

void waiting_take(struct queue_waiting *waiting, const struct request_graph *graph,
                  enum queue_arrival arrival) {
  struct taking t = {.waiting = waiting, .graph = graph, .random = {1}};
  forget(waiting);
  for (size_t q = 0; q < waiting->queues.count; q++) {
    t.calls = waiting->calls.data[q];
    take_queue(&t, &waiting->queues.data[q], arrival);
  }
  vector_clear(&t.like);
  vector_clear(&t.laws);
}

void waiting_limit(const struct queue_waiting *waiting, struct variants *variants, uint32_t first) {
  for (size_t q = 0; q < waiting->queues.count; q++)
    for (size_t i = 0; i < waiting->calls.data[q]->all.count; i++) {
      const struct waiting_call *call = &waiting->calls.data[q]->all.data[i];
      struct flow_variant *variant = &variants->flows.data[call->flow];
      while (variant->limit_of.count < variant->flow.calls.count)
        vector_push(&variant->limit_of, SPAN_NONE);
      if (variant->limit_of.data[call->position] == SPAN_NONE)
        variant->limit_of.data[call->position] = first + (uint32_t)q;
    }
}

void waiting_clear(struct queue_waiting *waiting) {
  forget(waiting);
  for (size_t q = 0; q < waiting->calls.count; q++) {
    vector_clear(&waiting->calls.data[q]->all);
    mem_free(waiting->calls.data[q]);
  }
  vector_clear(&waiting->queues);
  vector_clear(&waiting->calls);
  mem_free(waiting->durations);
  mem_free(waiting->held);
}
