/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How far two recorded moments can be trusted to be in the order in which they are written down
 * (making.h). Three things are held against an overlap: the unit of all times of the request; what
 * a coarse clock has cut from a span (SPAN_CUT), which within one group of spans is the same for
 * all of them; and, between hosts, what causality leaves open of their clocks in this request.
 */
#include "trace/graph/making.h"

static bool has_cut_spans(const struct flow_making *making) {
  const struct request_flow *flow = making->flow;
  for (size_t i = 0; i < flow->rows.count; i++)
    if ((making->store->mark.data[flow->rows.data[i]] & SPAN_CUT) != 0)
      return true;
  return false;
}

void making_clocks(struct flow_making *making) {
  const struct request_flow *flow = making->flow;
  size_t calls = flow->calls.count;
  if (!has_cut_spans(making))
    return;
  making->clock = mem_alloc(flow->requests.count * calls, sizeof *making->clock);
  for (size_t i = 0; i < flow->requests.count; i++)
    for (uint32_t p = 0; p < calls; p++) {
      uint32_t *clocks = making->clock + i * calls, caller = flow->calls.data[p].parent;
      uint8_t mark = making->store->mark.data[flow->rows.data[i * calls + p]];
      bool tied = (mark & SPAN_TIED) != 0 && caller != SPAN_NONE;
      clocks[p] = (mark & SPAN_CUT) != 0 ? p : tied ? clocks[caller] : SPAN_NONE;
    }
}

/* Whether an end is a whole millisecond because it was cut or rounded by itself. */
static bool is_cut_end(const struct flow_making *making, size_t request, uint32_t p) {
  size_t at = request * making->flow->calls.count + p;
  return making->clock[at] == p &&
         making->store->end.data[making->flow->rows.data[at]] % SPAN_CUT_NS == 0;
}

int64_t making_noise(const struct flow_making *making, size_t request, uint32_t a, uint32_t b) {
  int64_t unit = making->resolution[request];
  if (making->clock == NULL || unit >= SPAN_CUT_NS)
    return unit;
  const uint32_t *clocks = making->clock + request * making->flow->calls.count;
  if (clocks[a] == clocks[b])
    return unit;
  return clocks[b] != SPAN_NONE || is_cut_end(making, request, a) ? SPAN_CUT_NS : unit;
}

static uint32_t host_of(const struct span_store *store, uint32_t row) {
  return span_host(store->service.data[row], store->instance.data[row]);
}

/* By how much the clocks of the hosts of two calls may differ as far as causality goes: a is not
 * begun before its caller is, and b not ended after it. 0 where it is one clock. */
static int64_t clocks_differ(const struct flow_making *making, size_t request, uint32_t a,
                             uint32_t b) {
  const struct request_flow *flow = making->flow;
  const struct span_store *store = making->store;
  const uint32_t *rows = flow->rows.data + request * flow->calls.count;
  const int64_t *times = making->times + request * making->width;
  uint32_t caller_a = flow->calls.data[a].parent, caller_b = flow->calls.data[b].parent;
  uint32_t host_a = host_of(store, rows[a]), host_b = host_of(store, rows[b]);
  bool with_a = host_a == host_of(store, rows[caller_a]);
  bool with_b = host_b == host_of(store, rows[caller_b]);
  if (host_a == host_b || host_a == SPAN_NONE || host_b == SPAN_NONE)
    return 0;
  if (((store->mark.data[rows[a]] | store->mark.data[rows[b]]) & SPAN_SKEWED) != 0)
    return INT64_MAX;
  int64_t earlier = with_a ? 0 : times[2 * (size_t)a] - times[2 * (size_t)caller_a];
  int64_t later = with_b ? 0 : times[2 * (size_t)caller_b + 1] - times[2 * (size_t)b + 1];
  int64_t both;
  earlier = earlier > 0 ? earlier : 0;
  later = later > 0 ? later : 0;
  return __builtin_add_overflow(earlier, later, &both) ? INT64_MAX : both;
}

/* Whether a had ended by that moment of b. */
static enum precedence ended_by(const struct flow_making *making, size_t request, uint32_t a,
                                uint32_t b, bool is_end) {
  const int64_t *times = making->times + request * making->width;
  int64_t overlap;
  if (__builtin_sub_overflow(times[2 * (size_t)a + 1], times[2 * (size_t)b + is_end], &overlap))
    return PRECEDES_NOT;
  if (overlap <= 0 || overlap <= making_noise(making, request, a, b)) {
    making->flow->cut |= overlap > making->resolution[request];
    return PRECEDES;
  }
  return overlap <= clocks_differ(making, request, a, b) ? PRECEDES_PERHAPS : PRECEDES_NOT;
}

enum precedence making_precedes(const struct flow_making *making, size_t request, uint32_t a,
                                uint32_t b) {
  return ended_by(making, request, a, b, false);
}

enum precedence making_ends_first(const struct flow_making *making, size_t request, uint32_t a,
                                  uint32_t b) {
  return ended_by(making, request, a, b, true);
}
