/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/latency/ranges.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/question/latency/latency.h"
#include "dist/statistics/limits.h"
#include "dist/statistics/serial.h"
#include "trace/evaluate/mixture.h"
#include "trace/evaluate/pair.h"

struct range_search {
  struct latency_answer *answer;
  uint32_t *order; /* of the requests, by their start */
  uint64_t alpha;  /* of each side of an interval */
};

/* --- requests as a series --------------------------------------------------------------------- */

struct placed {
  int64_t start;
  uint32_t request;
};

static int by_start(const void *left, const void *right) {
  const struct placed *a = left, *b = right;
  return a->start != b->start ? (a->start < b->start ? -1 : 1)
                              : (a->request < b->request ? -1 : a->request > b->request);
}

static uint32_t *order_of(const struct span_store *store) {
  size_t count = store->requests.count;
  struct placed *placed = mem_alloc(count, sizeof *placed);
  for (uint32_t i = 0; i < count; i++)
    placed[i] = (struct placed){store->start.data[store->requests.data[i].first], i};
  qsort(placed, count, sizeof *placed, by_start);
  uint32_t *order = mem_alloc(count, sizeof *order);
  for (size_t i = 0; i < count; i++)
    order[i] = placed[i].request;
  mem_free(placed);
  return order;
}

/* Latencies with the sample they are; the series holds the first repetition. */
struct observed_latencies {
  struct sample sample;
  uint64_t *series;
  size_t count;
};

static void observe(struct observed_latencies *o, const uint32_t *order, size_t count,
                    const int64_t *ns, size_t repetitions) {
  o->count = count;
  o->series = mem_alloc(o->count, sizeof *o->series);
  sample_init(&o->sample);
  for (size_t i = 0; i < o->count; i++)
    o->series[i] = (uint64_t)ns[order[i]];
  for (size_t i = 0; i < o->count * repetitions; i++)
    if (ns[i] == LATENCY_NEVER)
      sample_add_beyond(&o->sample, 1);
    else
      sample_add_range(&o->sample, (uint64_t)ns[i], (uint64_t)ns[i], 1);
  sample_finish(&o->sample);
}

static void forget(struct observed_latencies *o) {
  sample_clear(&o->sample);
  mem_free(o->series);
}

/* --- one percentile --------------------------------------------------------------------------- */

static uint64_t infinite_or(bool finite, uint64_t ns) {
  return finite ? ns : LATENCY_INFINITE;
}

/* `replayed` NULL: of what was recorded. */
static struct latency_range range_of(struct latency_percentile *p, const struct range_search *f,
                                     const struct observed_latencies *o,
                                     const struct replayed *replayed) {
  const struct rational *share = &p->wanted->share;
  struct serial serial = serial_at(o->series, o->count, rational_double(share));
  uint64_t upper = serial_worth_upper(&serial, o->count);
  uint64_t lower = serial_worth_lower(&serial, o->count);
  if (replayed != NULL) {
    upper = replayed_worth(replayed, upper);
    lower = replayed_worth(replayed, lower);
  }
  p->settled = p->settled && serial.settled;
  struct latency_range range = {0};
  bool finite = limit_upper(&range.value_ns, &o->sample, share, 1, 0);
  range.value_ns = infinite_or(finite, range.value_ns);
  finite = limit_upper(&range.upper_ns, &o->sample, share, upper, f->alpha);
  range.upper_ns = infinite_or(finite, range.upper_ns);
  range.lower_ns = limit_lower(&o->sample, share, lower, f->alpha);
  uint64_t needed = limit_needed(share, f->alpha);
  if (f->alpha != 0 && !finite && needed > upper)
    p->needed = needed;
  return range;
}

static void add_percentiles(struct range_search *f) {
  struct latency_answer *answer = f->answer;
  for (size_t i = 0; i < answer->wanted.count; i++)
    vector_push(&answer->percentiles, (struct latency_percentile){.wanted = &answer->wanted.data[i],
                                                                  .settled = !answer->unread});
}

static void find_before(struct range_search *f) {
  struct latency_answer *answer = f->answer;
  struct observed_latencies o;
  observe(&o, f->order, answer->replayed[0].before.count, answer->replayed[0].before.data, 1);
  for (size_t i = 0; i < answer->percentiles.count; i++) {
    struct latency_percentile *p = &answer->percentiles.data[i];
    p->before = range_of(p, f, &o, NULL);
  }
  forget(&o);
}

/* What really came of the change. */
static void find_observed(struct range_search *f, const struct observed_latencies *after) {
  struct latency_answer *answer = f->answer;
  const struct span_store *store = &answer->observed;
  if (store->requests.count == 0)
    return;
  uint32_t *order = order_of(store);
  int64_t *ns = mem_alloc(store->requests.count, sizeof *ns);
  for (size_t i = 0; i < store->requests.count; i++)
    ns[i] = span_store_latency(store, &store->requests.data[i]);
  struct observed_latencies o;
  observe(&o, order, store->requests.count, ns, 1);
  for (size_t i = 0; i < answer->percentiles.count; i++) {
    struct latency_percentile *p = &answer->percentiles.data[i];
    p->observed = range_of(p, f, &o, NULL);
  }
  answer->distance = distance_of(&after->sample, &o.sample);
  forget(&o);
  mem_free(ns);
  mem_free(order);
}

static void find_after(struct range_search *f, size_t reading) {
  struct latency_answer *answer = f->answer;
  const struct replayed *replayed = &answer->replayed[reading];
  struct observed_latencies o;
  observe(&o, f->order, replayed->before.count, replayed->after.data, replayed->repetitions);
  for (size_t i = 0; i < answer->percentiles.count; i++) {
    struct latency_percentile *p = &answer->percentiles.data[i];
    p->after[reading] = range_of(p, f, &o, replayed);
  }
  if (reading == 0)
    find_observed(f, &o);
  forget(&o);
}

/* Of replays in which calls came to their queues at the earliest, or at the latest. */
static void find_arrived(struct range_search *f, size_t reading, size_t arrival) {
  struct latency_answer *answer = f->answer;
  const struct replayed *replayed = &answer->arrived[reading][arrival];
  struct observed_latencies o;
  observe(&o, f->order, replayed->before.count, replayed->after.data, replayed->repetitions);
  for (size_t i = 0; i < answer->percentiles.count; i++) {
    struct latency_percentile *p = &answer->percentiles.data[i];
    struct latency_range range = range_of(p, f, &o, replayed);
    struct latency_range *all = &p->arrived[arrival];
    bool outer =
        arrival == LATENCY_FIRST ? range.value_ns < all->value_ns : range.value_ns > all->value_ns;
    if (reading == 0 || outer)
      *all = range;
  }
  forget(&o);
}

/* The outermost of all readings. */
static void find_bounded(struct range_search *f) {
  struct latency_answer *answer = f->answer;
  const struct replayed *replayed = &answer->replayed[0];
  const int64_t *ns[] = {answer->bounded.least.data, answer->bounded.most.data};
  for (size_t side = 0; side < 2 && answer->bounded.least.count != 0; side++) {
    struct observed_latencies o;
    observe(&o, f->order, replayed->before.count, ns[side], replayed->repetitions);
    for (size_t i = 0; i < answer->percentiles.count; i++) {
      struct latency_percentile *p = &answer->percentiles.data[i];
      *(side == 0 ? &p->least : &p->most) = range_of(p, f, &o, replayed);
    }
    forget(&o);
  }
}

/* --- laws ------------------------------------------------------------------------------------- */

static uint64_t quantile_of(const struct survival *law, const struct wanted *wanted) {
  uint64_t ns = LATENCY_INFINITE, tail;
  survival_tail_of_side(&tail, &wanted->share, law->side);
  survival_quantile(&ns, law, tail);
  return ns;
}

static uint64_t *bound_of(struct latency_bounds *bounds, enum survival_side side, bool truth) {
  return side == SIDE_UPPER ? (truth ? &bounds->most_ns : &bounds->upper_ns)
                            : (truth ? &bounds->least_ns : &bounds->lower_ns);
}

/* The outermost over the readings. */
static void widen(uint64_t *bound, enum survival_side side, uint64_t ns, bool first) {
  if (first || (side == SIDE_UPPER ? ns > *bound : ns < *bound))
    *bound = ns;
}

static void find_law(struct range_search *f, const struct mixture *mixture, bool any, bool first) {
  struct latency_answer *answer = f->answer;
  for (int k = 0; k < 4; k++) {
    enum survival_side side = k % 2 == 0 ? SIDE_UPPER : SIDE_LOWER;
    bool truth = k / 2 == 0;
    struct survival law;
    mixture_law(&law, mixture, side, truth ? 0 : f->alpha, any, &answer->ledger);
    for (size_t i = 0; i < answer->percentiles.count; i++) {
      struct latency_percentile *p = &answer->percentiles.data[i];
      widen(bound_of(any ? &p->any : &p->independent, side, truth), side,
            quantile_of(&law, p->wanted), first);
    }
    survival_clear(&law);
  }
}

static void find_laws(struct range_search *f, const struct variants *variants, size_t reading) {
  struct latency_answer *answer = f->answer;
  struct mixture_wish wish = {&answer->scenario, variants, &answer->store,
                              &answer->replayed[reading]};
  struct mixture mixture;
  mixture_init(&mixture, &wish);
  answer->no_law = mixture.why_not;
  enum dependence_wish dependence = answer->request->dependence;
  if (mixture.why_not == NULL && dependence != WISH_UNKNOWN)
    find_law(f, &mixture, false, reading == 0);
  if (mixture.why_not == NULL && dependence != WISH_INDEPENDENT)
    find_law(f, &mixture, true, reading == 0);
  mixture_clear(&mixture);
}

/* --- what it rests on ------------------------------------------------------------------------- */

static bool has_limit(const struct latency_answer *answer) {
  for (size_t i = 0; i < answer->scenario.changes.count; i++)
    if (answer->scenario.changes.data[i].kind == CHANGE_LIMIT)
      return true;
  return false;
}

static void note_replay(struct latency_answer *answer) {
  const struct replayed *replayed = &answer->replayed[0];
  struct ledger *ledger = &answer->ledger;
  ledger_add(ledger, LEDGER_DATA,
             "the requests recorded are a fair sample of those that are asked about");
  ledger_add(ledger, LEDGER_DATA,
             "the order in which calls wait for each other stays as it is in the traces: calls "
             "side by side feed each other, or share a pool or a queue, only where their times say "
             "so");
  if (replayed->drawn)
    ledger_note(ledger, LEDGER_DIST,
                "what is drawn anew is independent of all else in its request (drawn %zu times, "
                "seed %u)",
                replayed->repetitions, answer->request->seed);
  if (replayed->scarce != NULL && replayed->draws < answer->store.requests.count)
    ledger_note(ledger, LEDGER_DATA,
                "%s has draws for %" PRIu64 " requests, so the intervals are those of so many",
                replayed->scarce, replayed->draws);
  if (replayed->queued && has_limit(answer) && answer->queues.count == 0)
    ledger_note(ledger, LEDGER_DATA,
                "every request that uses a limited service is in the traces, and none of them "
                "waited for it when they were recorded");
  if (answer->queues.count != 0)
    ledger_note(ledger, LEDGER_DATA,
                "every request that uses a service with a queue is in the traces, and it serves "
                "first come, first served");
  if (replayed->shortened != 0)
    ledger_warn(ledger, LEDGER_DATA,
                "%" PRIu64 " recorded times were shorter than what was to be taken from them; all "
                "of each was taken",
                replayed->shortened);
}

static void note_drift(struct latency_answer *answer) {
  if (answer->unread) {
    ledger_warn(&answer->ledger, LEDGER_DATA,
                "calls that share a pool come in another order from request to request, or wait "
                "for others, too: what each waits for is not known, and intervals promise nothing");
    return;
  }
  for (size_t i = 0; i < answer->percentiles.count; i++)
    if (!answer->percentiles.data[i].settled) {
      ledger_warn(&answer->ledger, LEDGER_DATA,
                  "the latencies drift, or depend on each other for too long: intervals promise "
                  "nothing; record for longer");
      return;
    }
}

static bool any_differs(const struct latency_answer *answer) {
  for (size_t i = 0; i < answer->percentiles.count; i++)
    if (latency_differs(answer, &answer->percentiles.data[i]))
      return true;
  return false;
}

/* In the most frequent flow, which is the first. */
static void find_pair(struct latency_answer *answer, const struct variants *variants) {
  struct activity_pair pair;
  if (!any_differs(answer) || !activity_pair_find(&pair, &variants->flows.data[0]))
    return;
  const uint32_t positions[] = {pair.a, pair.b};
  for (size_t i = 0; i < 2; i++) {
    struct text name;
    text_init(&name);
    flow_call_name(&name, variants->flows.data[0].recorded, positions[i], &answer->store.names);
    answer->pair[i] = text_take(&name);
  }
  answer->correlation = pair.correlation;
}

static uint64_t alpha_of(const struct latency_answer *answer) {
  uint64_t error = 0;
  if (rational_sign(&answer->request->confidence) > 0)
    survival_tail_of(&error, &answer->request->confidence);
  return error / 2;
}

void ranges_find(struct latency_answer *answer, const struct variants *const *variants) {
  struct range_search f = {answer, order_of(&answer->store), alpha_of(answer)};
  add_percentiles(&f);
  find_before(&f);
  for (size_t i = 0; i < answer->readings; i++) {
    find_after(&f, i);
    for (size_t k = 0; k < LATENCY_ARRIVALS && answer->queues.count != 0; k++)
      find_arrived(&f, i, k);
    find_laws(&f, variants[i], i);
  }
  find_bounded(&f);
  find_pair(answer, variants[0]);
  note_replay(answer);
  note_drift(answer);
  mem_free(f.order);
}

struct latency_range predicted_range(const struct latency_answer *answer,
                                     const struct latency_percentile *p) {
  struct latency_range range = p->after[0];
  for (size_t i = 1; i < answer->readings; i++) {
    range.lower_ns = p->after[i].lower_ns < range.lower_ns ? p->after[i].lower_ns : range.lower_ns;
    range.upper_ns = p->after[i].upper_ns > range.upper_ns ? p->after[i].upper_ns : range.upper_ns;
  }
  if (answer->bounded.least.count != 0) {
    range.lower_ns = p->least.lower_ns < range.lower_ns ? p->least.lower_ns : range.lower_ns;
    range.upper_ns = p->most.upper_ns > range.upper_ns ? p->most.upper_ns : range.upper_ns;
  }
  return range;
}

bool latency_differs(const struct latency_answer *answer,
                     const struct latency_percentile *percentile) {
  struct latency_range range = predicted_range(answer, percentile);
  return answer->no_law == NULL && answer->request->dependence != WISH_UNKNOWN &&
         (percentile->independent.most_ns < range.lower_ns ||
          percentile->independent.least_ns > range.upper_ns);
}

bool latency_missed(const struct latency_answer *answer,
                    const struct latency_percentile *percentile) {
  struct latency_range range = predicted_range(answer, percentile);
  return answer->observed.requests.count != 0 && percentile->settled &&
         (percentile->observed.upper_ns < range.lower_ns ||
          percentile->observed.lower_ns > range.upper_ns);
}

void range_of_series(struct latency_range *range, bool *settled,
                     const struct latency_answer *answer, const struct latency_percentile *p,
                     const uint64_t *ns, size_t count) {
  const struct range_search f = {NULL, NULL, alpha_of(answer)};
  struct latency_percentile of = {.wanted = p->wanted, .settled = true};
  struct observed_latencies o = {.count = count, .series = mem_alloc(count, sizeof *o.series)};
  memcpy(o.series, ns, count * sizeof *ns);
  sample_init(&o.sample);
  for (size_t i = 0; i < count; i++)
    sample_add_range(&o.sample, ns[i], ns[i], 1);
  sample_finish(&o.sample);
  *range = range_of(&of, &f, &o, NULL);
  *settled = of.settled;
  forget(&o);
}
