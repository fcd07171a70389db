/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Calls that may feed each other while both run. Example: `extract` hands `transform` one chunk
 * after the other. `transform` starts at the first chunk, runs beside `extract`, and ends shortly
 * after it, whatever it waited meanwhile. No order of starts and ends says that it waits.
 *
 * So a pair is asked about that overlaps in most requests, and of which Y does not end before X, up
 * to noise, in 99 of a hundred: if how long X took had nothing to do with when Y ended, so many
 * would not agree (evidence.h, with the end of Y for y). Then X feeds Y, or both are slow for one
 * reason: that stays open, and there are two readings. In the one nothing of Y waits for X. In the
 * other Y begins with the first that X hands on and ends with what it does after the last, and all
 * between is X's. How much of that was Y's own work the times do not say; whatever it was, what
 * either call would have taken if it were slower or faster lies between the two readings.
 *
 * A call that is recorded twice, as the span of a client and in it that of the server that answers,
 * is one call, which works in the server's.
 *
 * A Y that makes calls of its own which account for its time is not asked about, and neither is a
 * pair that follows from others: X feeds Z and Z feeds Y, or Y is fed by what waits
 * for X.
 */
#include <stdlib.h>

#include "trace/graph/evidence.h"
#include "trace/graph/making.h"

enum {
  SAMPLE = 2048, /* of the requests, for the evidence */
  RARELY = 100,  /* in one of so many requests it may be otherwise */
  FEW = 20,      /* requests in which a call ends no sooner by chance */
};

struct stream {
  uint32_t from, to;     /* two calls of one caller */
  uint32_t feeding, fed; /* the spans in which they work: theirs, or of servers that answer them */
  uint32_t ended;        /* `from`, or `feeding`: by its end the last was handed on */
  uint32_t held_up;      /* `fed`, or `to`: ends no sooner. `to` where the end of `from` is when an
                            answer came, and no span says when it left */
  uint64_t held;         /* requests in which `to` ends no sooner */
  uint64_t against;      /* those in which it does, or does as the clocks are written down */
  double by_chance;
  bool follows; /* from others */
};

struct stream_finder {
  struct flow_making *making;
  VECTOR(struct stream) streams;
  size_t asked;
  int64_t *x, *y;
};

/* As their clocks have it: two that are on different hosts may follow each other all the same. */
static bool overlap(const struct flow_making *making, size_t request, uint32_t a, uint32_t b) {
  return making_precedes(making, request, a, b) != PRECEDES &&
         making_precedes(making, request, b, a) != PRECEDES;
}

static bool is_waited_for(const struct flow_making *making, uint32_t p) {
  return !making->follows[p] && !making->flow->calls.data[p].apart && !making->doubted[p];
}

/* Whether a pair is asked about at all: it overlaps in more than half of the requests. */
static bool is_side_by_side(const struct flow_making *making, const struct sibling_pair *pair) {
  size_t requests = making->flow->requests.count, overlaps = 0;
  if (!is_waited_for(making, pair->a) || !is_waited_for(making, pair->b) ||
      making_holds(making, pair, true) || making_holds(making, pair, false))
    return false;
  for (size_t i = 0; i < requests; i++)
    overlaps += overlap(making, i, pair->a, pair->b);
  return overlaps > requests / 2;
}

/* The middle of the time that `to` runs beside `from`. */
static int64_t middle_beside(const int64_t *times, uint32_t from, uint32_t to) {
  int64_t one = times[2 * (size_t)from], other = times[2 * (size_t)to];
  return (one > other ? one : other) / 2 + times[2 * (size_t)from + 1] / 2;
}

/* Whether call p answers its caller: a server's span, or one of another service that is called from
 * within a service. */
static bool is_answer(const struct flow_making *making, uint32_t p) {
  const struct request_flow *flow = making->flow;
  const struct flow_call *call = &flow->calls.data[p], *caller = &flow->calls.data[call->parent];
  return making_crosses_network(making, p) ||
         (call->service != caller->service && caller->parent != SPAN_NONE &&
          flow->calls.data[caller->parent].service == caller->service);
}

/* The span in which call `to` works: the only one that answers it, or that of `to` itself. It is
 * not the answer where that is there in most requests before the second half of the time that `to`
 * runs beside `from`. */
static uint32_t worker_of(const struct flow_making *making, uint32_t from, uint32_t to) {
  uint32_t answer = SPAN_NONE;
  size_t late = 0, requests = making->flow->requests.count;
  for (uint32_t c = making->child_first[to]; c < making->child_first[to + 1]; c++) {
    uint32_t call = making->children[c];
    if (!is_waited_for(making, call) || !is_answer(making, call))
      continue;
    if (answer != SPAN_NONE)
      return to;
    answer = call;
  }
  for (size_t i = 0; i < requests && answer != SPAN_NONE; i++) {
    const int64_t *times = making->times + i * making->width;
    late += times[2 * (size_t)answer + 1] > middle_beside(times, from, to);
  }
  return late > requests / 2 ? answer : to;
}

/* The latest end of the calls that `p` makes itself and waits for, but for its `worker`; INT64_MIN:
 * none. */
static int64_t own_calls_end(const struct flow_making *making, const int64_t *times, uint32_t p,
                             uint32_t worker) {
  int64_t latest = INT64_MIN;
  for (uint32_t c = making->child_first[p]; c < making->child_first[p + 1]; c++) {
    uint32_t call = making->children[c];
    int64_t end = times[2 * (size_t)call + 1];
    if (call != worker && is_waited_for(making, call) && end > latest)
      latest = end;
  }
  return latest;
}

/* Whether calls that `to` makes itself say why it does not end sooner: in most requests they end in
 * the second half of the time that it runs beside `from`. */
static bool explains_itself(const struct flow_making *making, const struct stream *stream) {
  size_t explained = 0;
  for (size_t i = 0; i < making->flow->requests.count; i++) {
    const int64_t *times = making->times + i * making->width;
    int64_t middle = middle_beside(times, stream->from, stream->to);
    explained += own_calls_end(making, times, stream->to, stream->fed) > middle ||
                 own_calls_end(making, times, stream->fed, stream->fed) > middle;
  }
  return explained > making->flow->requests.count / 2;
}

/* Counted from the start of what feeds. */
static double chance_of(const struct stream_finder *finder, const struct stream *stream) {
  const struct flow_making *making = finder->making;
  size_t requests = making->flow->requests.count, count = requests < SAMPLE ? requests : SAMPLE;
  size_t against = 0;
  for (size_t i = 0; i < count; i++) {
    size_t request = i * requests / count;
    const int64_t *times = making->times + request * making->width;
    int64_t start = times[2 * (size_t)stream->feeding];
    finder->x[i] = times[2 * (size_t)stream->ended + 1] - start;
    finder->y[i] = times[2 * (size_t)stream->held_up + 1] - start;
    against += making_ends_first(making, request, stream->ended, stream->held_up) != PRECEDES;
  }
  struct order_evidence evidence;
  evidence_of(&evidence, finder->x, finder->y, count, against);
  return evidence.by_chance;
}

/* Whether what is held up ends no sooner, in 99 of a hundred requests. */
static bool holds(const struct flow_making *making, struct stream *stream) {
  uint64_t requests = making->flow->requests.count, sure = 0, perhaps = 0;
  for (size_t i = 0; i < requests; i++) {
    enum precedence ended = making_ends_first(making, i, stream->ended, stream->held_up);
    sure += ended == PRECEDES;
    perhaps += ended == PRECEDES_PERHAPS;
    if (i + 1 - sure - perhaps > requests / RARELY)
      return false;
  }
  stream->held = sure + perhaps;
  stream->against = requests - sure;
  return perhaps < sure;
}

/* Y may end before the answer of X is with the client, but where it is fed by that client. */
static bool may_end_before_answer(const struct flow_making *making, const struct stream *stream) {
  const struct flow_call *calls = making->flow->calls.data;
  bool here = stream->fed == stream->to && calls[stream->to].service == calls[stream->from].service;
  return stream->feeding != stream->from && !here;
}

static void ask(struct stream_finder *finder, uint32_t from, uint32_t to) {
  const struct flow_making *making = finder->making;
  struct stream stream = {.from = from,
                          .to = to,
                          .feeding = worker_of(making, from, from),
                          .fed = worker_of(making, from, to),
                          .ended = from};
  bool unseen = stream.feeding == from && making->flow->calls.data[from].kind == SPAN_CLIENT;
  stream.held_up = unseen ? to : stream.fed;
  finder->asked++;
  bool held = holds(making, &stream);
  if ((!held || stream.against > 0) && may_end_before_answer(making, &stream)) {
    stream.ended = stream.feeding;
    held = holds(making, &stream);
  }
  if (!held || explains_itself(making, &stream))
    return;
  stream.by_chance = chance_of(finder, &stream);
  vector_push(&finder->streams, stream);
}

static void keep_supported(struct stream_finder *finder) {
  double level = finder->making->options->level / (double)(finder->asked + finder->making->asked);
  size_t kept = 0, requests = finder->making->flow->requests.count;
  for (size_t i = 0; i < finder->streams.count; i++) {
    const struct stream *stream = &finder->streams.data[i];
    if (stream->by_chance <= level)
      finder->streams.data[kept++] = *stream;
    else if (requests >= FEW && stream->against <= requests / RARELY)
      vector_push(&finder->making->flow->beside,
                  (struct side_by_side){stream->feeding, stream->fed});
  }
  finder->streams.count = kept;
}

/* Whether b starts after a has ended, in all requests. */
static bool is_after(const struct flow_making *making, uint32_t a, uint32_t b) {
  for (size_t i = 0; i < making->pairs.count; i++) {
    const struct sibling_pair *pair = &making->pairs.data[i];
    if ((pair->a == a && pair->b == b) || (pair->a == b && pair->b == a))
      return making_holds(making, pair, pair->a == a);
  }
  return false;
}

/* Marks those that follow: some other feeds the same call, and waits for, or is fed by, its `from`.
 */
static void mark_following(struct stream_finder *finder) {
  struct stream *all = finder->streams.data;
  for (size_t i = 0; i < finder->streams.count; i++)
    for (size_t j = 0; j < finder->streams.count && !all[i].follows; j++) {
      if (all[j].to != all[i].to || all[j].from == all[i].from)
        continue;
      bool fed = false;
      for (size_t k = 0; k < finder->streams.count; k++)
        fed = fed || (all[k].from == all[i].from && all[k].to == all[j].from);
      all[i].follows = fed || is_after(finder->making, all[i].from, all[j].from);
    }
}

/* Whether what feeds waits for what it feeds through any of the waits found so far, at its start or
 * end. */
static bool is_circle(const struct flow_making *making, const struct stream *stream) {
  bool *seen = mem_alloc(making->flow->calls.count, sizeof *seen);
  VECTOR(uint32_t) stack = {0};
  vector_push(&stack, stream->from);
  vector_push(&stack, stream->feeding);
  seen[stream->from] = seen[stream->feeding] = true;
  while (stack.count != 0) {
    uint32_t here = stack.data[--stack.count];
    for (size_t i = 0; i < making->waits.count; i++) {
      const struct found_wait *wait = &making->waits.data[i];
      if (wait->position != here || seen[wait->before])
        continue;
      seen[wait->before] = true;
      vector_push(&stack, wait->before);
    }
  }
  bool circle = seen[stream->to] || seen[stream->fed];
  vector_clear(&stack);
  mem_free(seen);
  return circle;
}

/* Whether the start of `to` comes after that of `from` in every request, and waits for nothing that
 * `from` does not wait for. */
static bool begins_it(const struct flow_making *making, const struct stream *stream) {
  for (size_t i = 0; i < making->flow->requests.count; i++) {
    const int64_t *times = making->times + i * making->width;
    if (times[2 * (size_t)stream->to] < times[2 * (size_t)stream->feeding])
      return false;
  }
  if (making->rank[2 * (size_t)stream->to] != 0)
    return false;
  for (size_t i = 0; i < making->waits.count; i++) {
    const struct found_wait *wait = &making->waits.data[i];
    bool also = false;
    if (wait->position != stream->to || !wait->is_lead)
      continue;
    for (size_t j = 0; j < making->waits.count && !also; j++)
      also = making->waits.data[j].position == stream->from && making->waits.data[j].is_lead &&
             making->waits.data[j].before == wait->before;
    if (!also || wait->on_start)
      return false;
  }
  return true;
}

static void take_start(struct flow_making *making, const struct stream *stream, uint32_t order) {
  size_t kept = 0;
  for (size_t i = 0; i < making->waits.count; i++)
    if (making->waits.data[i].position != stream->to || !making->waits.data[i].is_lead)
      making->waits.data[kept++] = making->waits.data[i];
  making->waits.count = kept;
  vector_push(&making->waits, (struct found_wait){.position = stream->to,
                                                  .is_lead = true,
                                                  .before = stream->feeding,
                                                  .order = order,
                                                  .on_start = true});
}

static void add_wait(struct flow_making *making, uint32_t of, uint32_t before, uint32_t order) {
  vector_push(&making->waits,
              (struct found_wait){.position = of, .before = before, .order = order});
}

/* A client whose server waits comes after what it waits for, too. */
static void take(struct flow_making *making, const struct stream *stream) {
  uint64_t requests = making->flow->requests.count;
  uint32_t order = (uint32_t)making->flow->orders.count;
  vector_push(&making->flow->orders, (struct order){.before = stream->feeding,
                                                    .after = stream->fed,
                                                    .kind = ORDER_FEEDS,
                                                    .verdict = ORDER_UNDECIDED,
                                                    .held = stream->held,
                                                    .refuted = requests - stream->held,
                                                    .differs = true,
                                                    .by_chance = stream->by_chance,
                                                    .needed = ORDER_NEVER});
  if (making->options->undecided != UNDECIDED_WAITS || making->options->plain)
    return;
  if (begins_it(making, stream))
    take_start(making, stream, order);
  add_wait(making, stream->fed, stream->ended, order);
  if (stream->fed != stream->to)
    add_wait(making, stream->to, stream->ended, order);
}

void making_streams(struct flow_making *making) {
  if (making->flow->requests.count < 2)
    return;
  struct stream_finder finder = {.making = making};
  finder.x = mem_alloc(SAMPLE, sizeof *finder.x);
  finder.y = mem_alloc(SAMPLE, sizeof *finder.y);
  for (size_t i = 0; i < making->pairs.count; i++) {
    const struct sibling_pair *pair = &making->pairs.data[i];
    if (!is_side_by_side(making, pair))
      continue;
    ask(&finder, pair->a, pair->b);
    ask(&finder, pair->b, pair->a);
  }
  keep_supported(&finder);
  mark_following(&finder);
  for (size_t i = 0; i < finder.streams.count; i++) {
    const struct stream *stream = &finder.streams.data[i];
    if (!stream->follows && making->rank[2 * (size_t)stream->to + 1] == 0 &&
        making->rank[2 * (size_t)stream->fed + 1] == 0 && !is_circle(making, stream))
      take(making, stream);
  }
  vector_clear(&finder.streams);
  mem_free(finder.x);
  mem_free(finder.y);
}
