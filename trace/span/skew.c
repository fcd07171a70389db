/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Hosts are the nodes of a graph and pairs of them its edges, each with the interval of offsets
 * that all calls between the two allow. From the root's host on, breadth first, each host gets the
 * offset nearest to 0 that all hosts that have theirs allow.
 */
#include "trace/span/skew.h"

#include <stdlib.h>

/* least <= offset(to) - offset(from) <= most */
struct skew_pair {
  uint32_t from, to;
  int64_t least, most;
};

struct skew_host {
  uint32_t name;
  size_t pair_first, pair_count;
  int64_t offset;
  bool known;
};

struct skew {
  struct skew_span *spans;
  uint32_t count;
  VECTOR(struct skew_host) hosts; /* by name */
  VECTOR(struct skew_pair) pairs; /* by from, then to; each in both directions */
  VECTOR(uint32_t) queue;
};

static bool is_loose(const struct skew_span *span, const struct skew_span *caller) {
  return (span->mark & SPAN_FOLLOWS) != 0 || span->kind == SPAN_CONSUMER ||
         caller->kind == SPAN_PRODUCER;
}

/* By how much a span may be later than recorded. Hosts are different, so what cut the one has not
 * cut the other alike. */
static int64_t noise_of(const struct skew_span *span) {
  return (span->mark & (SPAN_CUT | SPAN_TIED)) != 0 ? SPAN_CUT_NS : 0;
}

static bool is_early(const struct skew_span *span, const struct skew_span *caller) {
  return span->start + noise_of(span) < caller->start;
}

/* Whether the caller's end bounds that of the span. */
static bool is_closed(const struct skew_span *span, const struct skew_span *caller) {
  if (is_loose(span, caller))
    return false;
  if (caller->kind == SPAN_CLIENT && span->kind == SPAN_SERVER)
    return caller->status != SPAN_ERROR;
  return is_early(span, caller);
}

static bool breaks(const struct skew_span *span, const struct skew_span *caller) {
  return is_early(span, caller) ||
         (is_closed(span, caller) && span->end > caller->end + noise_of(caller));
}

static bool is_crossing(const struct skew_span *spans, uint32_t index) {
  uint32_t up = spans[index].up;
  return up != SPAN_NONE && spans[up].host != spans[index].host && spans[up].host != SPAN_NONE &&
         spans[index].host != SPAN_NONE;
}

static bool is_consistent(const struct skew_span *spans, uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    if (is_crossing(spans, i) && breaks(&spans[i], &spans[spans[i].up]))
      return false;
  return true;
}

/* ---- hosts and pairs */

static int compare_names(const void *a, const void *b) {
  uint32_t x = ((const struct skew_host *)a)->name, y = ((const struct skew_host *)b)->name;
  return (x > y) - (x < y);
}

static int compare_pairs(const void *a, const void *b) {
  const struct skew_pair *x = a, *y = b;
  if (x->from != y->from)
    return x->from < y->from ? -1 : 1;
  return (x->to > y->to) - (x->to < y->to);
}

static void collect_hosts(struct skew *skew) {
  for (uint32_t i = 0; i < skew->count; i++)
    vector_push(&skew->hosts, (struct skew_host){.name = skew->spans[i].host});
  qsort(skew->hosts.data, skew->hosts.count, sizeof *skew->hosts.data, compare_names);
  size_t kept = 0;
  for (size_t i = 0; i < skew->hosts.count; i++)
    if (kept == 0 || skew->hosts.data[i].name != skew->hosts.data[kept - 1].name)
      skew->hosts.data[kept++] = skew->hosts.data[i];
  skew->hosts.count = kept;
}

static uint32_t host_of(const struct skew *skew, uint32_t span) {
  struct skew_host key = {.name = skew->spans[span].host};
  const struct skew_host *found =
      bsearch(&key, skew->hosts.data, skew->hosts.count, sizeof *skew->hosts.data, compare_names);
  return (uint32_t)(found - skew->hosts.data);
}

static int64_t add_up(int64_t bound, int64_t offset) {
  int64_t sum;
  if (bound == INT64_MAX || bound == INT64_MIN)
    return bound;
  if (__builtin_add_overflow(bound, offset, &sum))
    return offset > 0 ? INT64_MAX : INT64_MIN;
  return sum;
}

/* Times are within SPAN_TIME_MAX, so differences fit. */
static void add_pair(struct skew *skew, uint32_t index) {
  const struct skew_span *span = &skew->spans[index], *caller = &skew->spans[span->up];
  struct skew_pair pair = {host_of(skew, span->up), host_of(skew, index),
                           add_up(caller->start - span->start, -noise_of(span)), INT64_MAX};
  if (is_closed(span, caller))
    pair.most = add_up(caller->end - span->end, noise_of(caller));
  vector_push(&skew->pairs, pair);
  struct skew_pair back = {pair.to, pair.from, pair.most == INT64_MAX ? INT64_MIN : -pair.most,
                           -pair.least};
  vector_push(&skew->pairs, back);
}

/* One pair for all calls between two hosts. */
static void collect_pairs(struct skew *skew) {
  for (uint32_t i = 0; i < skew->count; i++)
    if (is_crossing(skew->spans, i))
      add_pair(skew, i);
  struct skew_pair *pairs = skew->pairs.data;
  qsort(pairs, skew->pairs.count, sizeof *pairs, compare_pairs);
  size_t kept = 0;
  for (size_t i = 0; i < skew->pairs.count; i++) {
    if (kept == 0 || compare_pairs(&pairs[kept - 1], &pairs[i]) != 0) {
      struct skew_host *host = &skew->hosts.data[pairs[i].from];
      host->pair_first = host->pair_count++ == 0 ? kept : host->pair_first;
      pairs[kept++] = pairs[i];
      continue;
    }
    struct skew_pair *same = &pairs[kept - 1];
    same->least = pairs[i].least > same->least ? pairs[i].least : same->least;
    same->most = pairs[i].most < same->most ? pairs[i].most : same->most;
  }
  skew->pairs.count = kept;
}

/* ---- offsets */

/* The offset of a host nearest to 0 that those allow which have theirs; 0 when they contradict each
 * other. */
static void place_host(struct skew *skew, struct skew_host *host, struct skew_notes *notes) {
  struct skew_example example = {.least = INT64_MIN, .most = INT64_MAX, .host = host->name};
  for (size_t i = 0; i < host->pair_count; i++) {
    const struct skew_pair *pair = &skew->pairs.data[host->pair_first + i];
    const struct skew_host *other = &skew->hosts.data[pair->to];
    if (!other->known)
      continue;
    /* the pair says what the other's offset is from this one's */
    int64_t least = pair->most == INT64_MAX ? INT64_MIN : add_up(-pair->most, other->offset);
    int64_t most = pair->least == INT64_MIN ? INT64_MAX : add_up(-pair->least, other->offset);
    example.other = other->name;
    example.least = least > example.least ? least : example.least;
    example.most = most < example.most ? most : example.most;
  }
  host->known = true;
  if (example.least > example.most)
    return;
  host->offset = example.least > 0 ? example.least : example.most < 0 ? example.most : 0;
  example.shift = host->offset;
  example.bounded_below = example.least != INT64_MIN;
  example.bounded_above = example.most != INT64_MAX;
  if (llabs(example.shift) > llabs(notes->example.shift))
    notes->example = example;
}

static void place_hosts(struct skew *skew, uint32_t root, struct skew_notes *notes) {
  uint32_t first = host_of(skew, root);
  skew->hosts.data[first].known = true;
  vector_push(&skew->queue, first);
  for (size_t at = 0; at < skew->queue.count; at++) {
    const struct skew_host *host = &skew->hosts.data[skew->queue.data[at]];
    for (size_t i = 0; i < host->pair_count; i++) {
      uint32_t to = skew->pairs.data[host->pair_first + i].to;
      if (skew->hosts.data[to].known)
        continue;
      place_host(skew, &skew->hosts.data[to], notes);
      vector_push(&skew->queue, to);
    }
  }
}

/* ---- spans */

static bool fits(const struct skew_span *span, int64_t offset) {
  int64_t start = add_up(span->start, offset), end = add_up(span->end, offset);
  return start >= -SPAN_TIME_MAX && end <= SPAN_TIME_MAX;
}

static uint64_t move_spans(struct skew *skew) {
  uint64_t moved = 0;
  for (uint32_t i = 0; i < skew->count; i++) {
    struct skew_span *span = &skew->spans[i];
    int64_t offset = skew->hosts.data[host_of(skew, i)].offset;
    if (offset == 0 || !fits(span, offset))
      continue;
    span->start += offset;
    span->end += offset;
    span->mark |= SPAN_MOVED;
    moved++;
  }
  return moved;
}

static uint64_t mark_skewed(struct skew *skew) {
  uint64_t skewed = 0;
  for (uint32_t i = 0; i < skew->count; i++)
    if (is_crossing(skew->spans, i) && breaks(&skew->spans[i], &skew->spans[skew->spans[i].up])) {
      skew->spans[i].mark |= SPAN_SKEWED;
      skewed++;
    }
  return skewed;
}

bool skew_correct(struct skew_span *spans, uint32_t count, uint32_t root,
                  struct skew_notes *notes) {
  if (is_consistent(spans, count))
    return false;
  struct skew skew = {.spans = spans, .count = count};
  collect_hosts(&skew);
  collect_pairs(&skew);
  place_hosts(&skew, root, notes);
  uint64_t moved = move_spans(&skew), skewed = mark_skewed(&skew);
  notes->moved_requests += moved != 0;
  notes->moved_spans += moved;
  notes->skewed_requests += skewed != 0;
  notes->skewed_spans += skewed;
  vector_clear(&skew.hosts);
  vector_clear(&skew.pairs);
  vector_clear(&skew.queue);
  return moved != 0;
}
